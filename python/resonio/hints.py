"""The table of hints and strategies, as the libraries themselves know it."""

from __future__ import annotations

import difflib
import json
import re
import subprocess
from dataclasses import dataclass, field

from resonio import libraries, output
from resonio.errors import UsageError

PROGRAM = "resonio-hints"


@dataclass(frozen=True)
class Hint:
    """One hint."""

    name: str
    kind: str
    default: str
    meaning: str


@dataclass(frozen=True)
class Tables:
    """All hints, and all strategies with their summaries."""

    hints: list[Hint] = field(default_factory=list)
    strategies: dict[str, str] = field(default_factory=dict)

    def known(self, name: str) -> bool:
        """Whether there is a hint of this name."""
        return any(hint.name == name for hint in self.hints)


def load() -> Tables | None:
    """The tables of the build that `resonio run` uses; None if it has no resonio-hints."""
    program = libraries.find_program(PROGRAM)
    if program is None:
        return None
    answer = subprocess.run([program], capture_output=True, text=True, check=False, timeout=30)
    if answer.returncode != 0:
        raise UsageError(f"{program} failed: {answer.stderr.strip() or answer.returncode}")
    data = json.loads(answer.stdout)
    return Tables(
        [Hint(h["name"], h["kind"], h["default"], h["meaning"]) for h in data["hints"]],
        {s["name"]: s["summary"] for s in data["strategies"]},
    )


def closest(name: str, names: list[str]) -> str:
    """', did you mean X?' where a name is close, else ''."""
    near = difflib.get_close_matches(name, names, n=1, cutoff=0.6)
    return f"; did you mean {near[0]}?" if near else ""


def check(settings: list[str], tables: Tables | None) -> None:
    """Refuse settings that RESONIO_HINTS cannot hold; warn about names nobody knows."""
    if tables is None:
        output.warn(f"{PROGRAM} is not beside the libraries: names of hints are not checked")
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not equals or not name or not value:
            raise UsageError(f"--hint takes name=value, not {setting!r}")
        if re.search(r"[:,]", setting):
            raise UsageError(
                f"--hint {setting}: RESONIO_HINTS separates hints by ':' and files by ',', "
                "so neither can be part of a hint. Give this one in the program, by MPI_Info."
            )
        if tables is not None and not tables.known(name):
            near = closest(name, [hint.name for hint in tables.hints])
            output.warn(f"hint {name} is not known and will be ignored{near}")


def check_strategy(name: str, tables: Tables | None) -> None:
    """Refuse a strategy that is not there: running another one instead would mislead."""
    names = list(tables.strategies) if tables else []
    if tables is not None and name not in names:
        near = closest(name, names) or "."
        raise UsageError(f"there is no strategy {name}{near} There are: {', '.join(names)}")


def unknown_in(setting: str, tables: Tables) -> list[str]:
    """The names in a value of RESONIO_HINTS ("glob:k=v:k=v,glob:...") that nobody knows."""
    pairs = [pair for entry in setting.split(",") for pair in entry.split(":")[1:]]
    names = [pair.split("=")[0] for pair in pairs if pair]
    return [name for name in names if not tables.known(name)]


def show() -> int:
    """`resonio hints`."""
    tables = load()
    if tables is None:
        raise UsageError(
            f"{PROGRAM} was not found in bin beside the libraries. Build it with: make build"
        )
    rows = [[h.name, h.kind, h.default, h.meaning] for h in tables.hints]
    output.table("Hints", ["name", "kind", "default", "meaning"], rows)
    print()
    output.table("Strategies", ["name", "summary"], [[n, s] for n, s in tables.strategies.items()])
    return 0
