"""Programs run with an MPI's own MPI-IO and through resonio: how, and what they say."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from resonio import libraries
from resonio.command import find_launcher
from resonio.errors import UsageError
from resonio.installations import LAUNCHERS
from resonio.mpi import Mpi

TIMEOUT = 900.0  # seconds; a run that takes longer hangs


class Side(StrEnum):
    """Whose MPI-IO does the work."""

    NATIVE = "native"
    RESONIO = "resonio"


@dataclass(frozen=True)
class Contender:
    """An MPI, with its own MPI-IO or with resonio's."""

    mpi: Mpi
    side: Side

    @property
    def title(self) -> str:
        """Name for people."""
        return f"{self.side} {self.mpi.title}"


@dataclass(frozen=True)
class Job:
    """A program to run."""

    words: list[str]
    ranks: int
    stats: Path  # resonio's statistics go here
    python_path: Path | None = None
    strategy: str | None = None


class RunError(Exception):
    """A run failed, or was not what it should have been."""


def mpis() -> list[Mpi]:
    """The MPIs that a library was built for, so that there is something to compare."""
    found = [mpi for mpi in Mpi if libraries.find(libraries.library_name(mpi)) is not None]
    if not found:
        libraries.require(libraries.library_name(Mpi.MPICH))
    return found


def contenders(chosen: list[Mpi]) -> list[Contender]:
    """Both sides of each MPI, in the order they take turns."""
    return [Contender(mpi, side) for mpi in chosen for side in Side]


def launcher(mpi: Mpi) -> str:
    """The name of the MPI's own launcher."""
    for name in reversed(LAUNCHERS):  # the unmistakable names come last
        found = find_launcher([name])
        if found is not None and found.mpi is mpi:
            return name
    raise UsageError(f"no launcher of {mpi.title} in PATH. On Debian: make deps")


def program(name: str) -> Path:
    """A program that was built beside the libraries: `floor`, `mpich/interleaved` ..."""
    for directory in libraries.directories():
        path = directory.parent / "programs" / name
        if path.is_file():
            return path
    raise UsageError(f"the program {name} was not found. Build it in the source tree: make build")


def run(contender: Contender, job: Job, timeout: float = TIMEOUT) -> list[dict[str, Any]]:
    """Run the job; the JSON objects it printed."""
    environment = _environment(contender, job)
    command = [launcher(contender.mpi), "-n", str(job.ranks), *job.words]
    if contender.mpi is Mpi.OPENMPI:
        command.insert(1, "--oversubscribe")
    if contender.side is Side.RESONIO:
        command = [*_resonio_run(contender.mpi, job), "--", *command]
    return execute(command, environment, timeout)


def execute(
    command: list[str], environment: dict[str, str], timeout: float = TIMEOUT
) -> list[dict[str, Any]]:
    """Run a command; the JSON objects it printed. RunError if it fails or hangs."""
    process = subprocess.Popen(
        command,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        start_new_session=True,  # so that all its ranks can be ended with it
    )
    try:
        output, complaints = process.communicate(timeout=timeout)
    except BaseException as reason:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        if isinstance(reason, subprocess.TimeoutExpired):
            raise RunError(f"no end after {timeout:.0f} s: {shlex.join(command)}") from None
        raise
    if process.returncode != 0:
        tail = "\n".join((complaints.strip() or output.strip()).splitlines()[-15:])
        raise RunError(f"exit code {process.returncode}: {shlex.join(command)}\n{tail}")
    return _json_lines(output)


def statistics(path: Path) -> list[dict[str, Any]]:
    """What resonio wrote of the files it closed, and forget it."""
    if not path.exists():
        return []
    lines = _json_lines(path.read_text())
    path.unlink()
    return lines


def moved_bytes(lines: list[dict[str, Any]], file: Path, direction: str) -> int:
    """The bytes that resonio moved for the program's own calls on one file."""
    return sum(
        int(phase["bytes"])
        for line in lines
        if Path(line["file"]).name == file.name
        for name, phase in line["phases"].items()
        if name.startswith(direction)
    )


def _json_lines(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


def _environment(contender: Contender, job: Job) -> dict[str, str]:
    environment = {k: v for k, v in os.environ.items() if not k.startswith("RESONIO_")}
    if "RESONIO_LIBDIR" in os.environ:
        environment["RESONIO_LIBDIR"] = os.environ["RESONIO_LIBDIR"]
    environment.pop("LD_PRELOAD", None)
    if os.geteuid() == 0:
        environment["OMPI_ALLOW_RUN_AS_ROOT"] = "1"
        environment["OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"] = "1"
    if job.python_path is not None:
        before = environment.get("PYTHONPATH")
        environment["PYTHONPATH"] = (
            f"{job.python_path}:{before}" if before else str(job.python_path)
        )
    if contender.side is Side.NATIVE and contender.mpi is Mpi.MPICH:
        # On both sides, or the comparison would be one of spinning: see bench/yield/yield.c.
        environment["LD_PRELOAD"] = str(libraries.require(libraries.YIELD_LIBRARY))
    return environment


def _resonio_run(mpi: Mpi, job: Job) -> list[str]:
    words = [sys.executable, "-m", "resonio", "run", "--stats", str(job.stats)]
    if mpi is Mpi.MPICH:
        words.append("--yield")
    if job.strategy is not None:
        words += ["--strategy", job.strategy]
    return words
