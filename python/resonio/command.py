"""Taking a launcher's command line apart: which launcher, and where the program begins."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from resonio.mpi import Mpi


class Kind(Enum):
    """Families of launchers, by how they hand the environment to ranks."""

    HYDRA = "hydra"
    OPENMPI = "openmpi"
    SLURM = "slurm"
    OTHER = "other"


@dataclass(frozen=True)
class Launcher:
    """A launcher in a command line."""

    position: int  # in the command line
    path: Path  # after all symbolic links
    kind: Kind
    mpi: Mpi | None  # whose launcher it is; srun is nobody's


LAUNCHERS = ("mpirun", "mpiexec", "orterun", "prterun", "prun", "srun")
# Programs that run another one: what matters comes after them.
WRAPPERS = frozenset(
    {"env", "time", "timeout", "nice", "ionice", "nohup", "setsid", "stdbuf", "taskset"}
    | {"numactl", "valgrind", "strace", "ltrace", "gdb", "perf", "xterm"}
)

# Options whose value is the next word or words. Others take none, or bring it with "=".
_ONE = {
    Kind.HYDRA: """n np ppn perhost f hosts host hostfile machinefile wdir configfile genvlist
        envlist launcher launcher-exec bootstrap bootstrap-exec rmk bind-to map-by membind iface
        prepend-pattern outfile-pattern errfile-pattern demux topolib nameserver prefix path""",
    Kind.OPENMPI: """n np c N npernode npersocket host H hostfile machinefile default-hostfile x
        wd wdir path prefix bind-to map-by rank-by rankfile rf app appfile output-filename
        ompi-server report-uri stdin timeout tune am max-restarts ppr cpu-set cpu-list dvm
        personality runtime-options display output pmixmca-file""",
    Kind.SLURM: """n ntasks N nodes c cpus-per-task p partition A account t time J job-name w
        nodelist x exclude o output e error i input D chdir G gpus m distribution C constraint
        q qos d dependency mem mem-per-cpu ntasks-per-node ntasks-per-core gres cpu-bind
        mpi export jobid r relative u het-group bcast licenses L reservation""",
    Kind.OTHER: "n np",
}
_TWO = {
    Kind.HYDRA: "genv env",
    Kind.OPENMPI: "mca gmca omca pmixmca prtemca",
    Kind.SLURM: "",
    Kind.OTHER: "",
}


def is_launcher(word: str) -> bool:
    """Whether the word names a launcher: mpirun, /opt/x/bin/mpiexec.hydra, srun ..."""
    return Path(word).name.split(".")[0] in LAUNCHERS


def find_launcher(command: list[str]) -> Launcher | None:
    """The launcher in the command line, or None for a program started directly."""
    position = 0
    if Path(command[0]).name in WRAPPERS:
        launchers = (i for i, word in enumerate(command) if is_launcher(word))
        position = next(launchers, 0)
    word = command[position]
    if not is_launcher(word):
        return None
    found = shutil.which(word)
    if found is None:
        return Launcher(position, Path(word), Kind.OTHER, None)
    path = Path(os.path.realpath(found))
    kind = _kind_by_name(path.name) or _kind_by_answer(found)
    mpi = {Kind.HYDRA: Mpi.MPICH, Kind.OPENMPI: Mpi.OPENMPI}.get(kind)
    return Launcher(position, path, kind, mpi)


def programs(command: list[str], launcher: Launcher | None) -> list[tuple[Path, list[str]]]:
    """The executables the command line starts, with their arguments, the likeliest first.

    More than one where the first is a wrapper such as numactl or env.
    """
    words = command
    if launcher is not None:
        start = launcher.position + 1
        words = command[start + _length_of_options(command[start:], launcher.kind) :]
    found: list[tuple[Path, list[str]]] = []
    for i, word in enumerate(words):
        path = executable(word)
        if path is None:  # a wrapper's argument, or the value of an option not in the tables
            continue
        found.append((path, words[i + 1 :]))
        if path.name not in WRAPPERS:
            break
    return found


def executable(word: str) -> Path | None:
    """The executable file that the word starts, if any."""
    if word.startswith("-"):
        return None
    found = shutil.which(word)
    # which() does not follow "bin/prog" without "./" the way launchers do: they take both.
    return Path(found) if found is not None else None


def _length_of_options(words: list[str], kind: Kind) -> int:
    one, two = _ONE[kind].split(), _TWO[kind].split()
    at = 0
    while at < len(words) and words[at].startswith("-"):
        name = words[at].lstrip("-")
        if words[at] == "--":
            return at + 1
        at += 2 if name in one else 3 if name in two else 1
    return at


def _kind_by_name(name: str) -> Kind | None:
    if name in ("orterun", "prterun", "prun") or name.endswith(".openmpi"):
        return Kind.OPENMPI
    if name.endswith((".hydra", ".mpich")):
        return Kind.HYDRA
    return Kind.SLURM if name == "srun" else None


def _kind_by_answer(launcher: str) -> Kind:
    try:
        answer = subprocess.run(
            [launcher, "--version"], capture_output=True, text=True, check=False, timeout=20
        )
    except (OSError, subprocess.TimeoutExpired):
        return Kind.OTHER
    text = (answer.stdout + answer.stderr).lower()
    if any(name in text for name in ("open mpi", "openrte", "prterun", "prrte")):
        return Kind.OPENMPI
    if any(name in text for name in ("hydra", "mpich", "intel(r) mpi")):
        return Kind.HYDRA
    return Kind.SLURM if "slurm" in text else Kind.OTHER
