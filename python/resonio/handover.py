"""How each launcher is told to give environment variables to all ranks.

On one machine ranks inherit the environment from every launcher. On other nodes, or where the
command line restricts it, the launcher must be told.
"""

from __future__ import annotations

from collections.abc import Mapping

from resonio.command import Kind, Launcher

Result = tuple[list[str], dict[str, str]]  # command line, variables
ENV_LIST = "mca_base_env_list"


def hand_over(
    command: list[str],
    launcher: Launcher | None,
    added: dict[str, str],
    environment: Mapping[str, str],
) -> Result:
    """The command line and variables, with what the launcher needs to pass the variables on."""
    if launcher is None:
        return command, added
    ours, rest = command[: launcher.position + 1], command[launcher.position + 1 :]
    match launcher.kind:
        case Kind.OPENMPI:
            rest, added = _openmpi(rest, added, environment)
        case Kind.HYDRA:
            rest = _hydra(rest, added)
        case Kind.SLURM:
            rest = _slurm(rest, list(added), environment)
        case Kind.OTHER:
            pass
    return ours + rest, added


def _openmpi(words: list[str], added: dict[str, str], environment: Mapping[str, str]) -> Result:
    """-x NAME; but Open MPI stops if a list of variables is also given in its other way."""
    names = ";".join(added)
    if ENV_LIST in words[:-1]:
        at = words.index(ENV_LIST) + 1
        return [*words[:at], f"{words[at]};{names}", *words[at + 1 :]], added
    variable = f"OMPI_MCA_{ENV_LIST}"
    if variable in environment:
        return words, {**added, variable: f"{environment[variable]};{names}"}
    options = [word for name in added for word in ("-x", name)]
    result = [*options]
    for word in words:
        result.append(word)
        if word == ":":  # -x holds for one program of several
            result += options
    return result, added


def _hydra(words: list[str], added: dict[str, str]) -> list[str]:
    restricting = {"genvnone", "genvlist", "envnone", "envlist"}
    if not any(word.startswith("-") and word.lstrip("-") in restricting for word in words):
        return words
    return [word for name, value in added.items() for word in ("-genv", name, value)] + words


def _slurm(words: list[str], names: list[str], environment: Mapping[str, str]) -> list[str]:
    """--export, which may be there already, restricting what ranks get."""
    for i, word in enumerate(words):
        if word == "--export" and i + 1 < len(words):
            return [*words[:i], _export(words[i + 1], names), *words[i + 2 :]]
        if word.startswith("--export="):
            return [*words[:i], _export(word.partition("=")[2], names), *words[i + 1 :]]
    return [_export(environment.get("SLURM_EXPORT_ENV", "ALL"), names), *words]


def _export(before: str, names: list[str]) -> str:
    given = before.split(",")
    if "ALL" in given:
        return f"--export={before}"
    kept = [] if before in ("NONE", "NIL", "") else given
    return f"--export={','.join([*kept, *names])}"
