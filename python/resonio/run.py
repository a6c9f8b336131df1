"""`resonio run`: start a program with resonio's library preloaded in its ranks."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from resonio import hints, libraries, output
from resonio.command import Launcher, find_launcher, programs
from resonio.errors import UsageError
from resonio.handover import hand_over
from resonio.mpi import Mpi, of_program

PRELOAD = "LD_PRELOAD"


@dataclass
class Settings:
    """What the options of `resonio run` say."""

    strategy: str | None = None
    hints: list[str] = field(default_factory=list)
    stats: Path | None = None
    log: str | None = None
    yielding: bool = False
    mpi: Mpi | None = None


@dataclass(frozen=True)
class Choice:
    """The MPI whose library is preloaded, and why that one."""

    mpi: Mpi
    reason: str


def run(command: list[str], settings: Settings, show_only: bool) -> int:
    """Become the command. Returns only if it could not be started (126, 127) or is shown."""
    if not command:
        raise UsageError("run: no program given. For instance: resonio run -- mpirun -n 4 ./prog")
    if shutil.which(command[0]) is None:
        return _not_started(command[0], 127, "not found, or not executable")
    launcher = find_launcher(command)
    chosen = choose(command, launcher, settings.mpi)
    library = libraries.require(libraries.library_name(chosen.mpi))
    added = variables(settings, library, os.environ)
    final, added = hand_over(command, launcher, added, os.environ)
    output.note(f"{chosen.mpi.title} ({chosen.reason}), preloading {library}")
    if show_only:
        print(shlex.join(["env", *(f"{k}={v}" for k, v in added.items()), *final]))
        return 0
    return execute(final, {**os.environ, **added})


def choose(command: list[str], launcher: Launcher | None, forced: Mpi | None) -> Choice:
    """Find the MPI the ranks will use: the program's own, else the launcher's."""
    if forced is not None:
        return Choice(forced, "as --mpi says")
    found = [of_program(path, arguments) for path, arguments in programs(command, launcher)]
    for one in found:
        if one.problem:
            raise UsageError(one.problem)
        if one.mpi is not None:
            if launcher is not None and launcher.mpi not in (None, one.mpi):
                _warn_of_mismatch(launcher, one.mpi, one.reason)
            return Choice(one.mpi, one.reason)
    why = found[-1].reason if found else f"{command[-1]} was not found as a program"
    if launcher is not None and launcher.mpi is not None:
        return Choice(launcher.mpi, f"{why}; the launcher is {launcher.path}")
    other = find_launcher(["mpirun"])
    if launcher is None and found and other is not None and other.mpi is not None:
        return Choice(other.mpi, f"{why}; mpirun is {other.path}")
    raise UsageError(
        f"cannot tell which MPI this runs under: {why}. "
        "Say it: resonio run --mpi mpich ... or --mpi openmpi ..."
    )


def variables(settings: Settings, library: Path, environment: Mapping[str, str]) -> dict[str, str]:
    """The environment variables the ranks need."""
    added = {PRELOAD: preload(library, settings, environment.get(PRELOAD, ""))}
    wanted = list(settings.hints)
    if settings.strategy is not None:
        wanted.insert(0, f"resonio_strategy={settings.strategy}")
    if wanted:
        tables = hints.load()
        hints.check(wanted, tables)
        if settings.strategy is not None:
            hints.check_strategy(settings.strategy, tables)
        before = environment.get("RESONIO_HINTS", "")
        entries = [before] if before else []
        added["RESONIO_HINTS"] = ",".join([*entries, ":".join(["*", *wanted])])
    if settings.stats is not None:
        path = settings.stats.absolute()
        if not path.parent.is_dir():
            raise UsageError(f"--stats {settings.stats}: there is no directory {path.parent}")
        added["RESONIO_STATS"] = str(path)
    if settings.log is not None:
        added["RESONIO_LOG"] = settings.log
    return added


def preload(library: Path, settings: Settings, before: str) -> str:
    """LD_PRELOAD with the library at its end: tools that are there wrap it as they wrap an MPI."""
    kept = [
        path
        for path in before.replace(" ", ":").split(":")
        if path and not Path(path).name.startswith("libresonio_")
    ]
    ours = [str(library)]
    if settings.yielding:
        ours.append(str(libraries.require(libraries.YIELD_LIBRARY)))
    return ":".join([*kept, *ours])


def execute(command: list[str], environment: dict[str, str]) -> int:
    """Become the command: its signals, output and exit code are its own."""
    try:
        os.execvpe(command[0], command, environment)
    except OSError as error:
        return _not_started(command[0], 126, error.strerror or str(error))


def _not_started(program: str, code: int, why: str) -> int:
    """The exit codes of a shell, for the same reasons."""
    output.note(f"{program}: {why}")
    return code


def _warn_of_mismatch(launcher: Launcher, mpi: Mpi, reason: str) -> None:
    assert launcher.mpi is not None
    output.warn(
        f"{reason}, but the launcher {launcher.path} is {launcher.mpi.title}'s: "
        f"each rank will think it is alone. Use the launcher of {mpi.title}"
        f" (on Debian mpiexec.{mpi})"
    )
