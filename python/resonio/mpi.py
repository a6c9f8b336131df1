"""Which MPI a library, a program or a Python script uses."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from resonio import elf


class Mpi(StrEnum):
    """The MPIs resonio has a library for; the value is the library's suffix."""

    MPICH = "mpich"
    OPENMPI = "openmpi"

    @property
    def title(self) -> str:  # type: ignore[override]
        """The name as its makers write it."""
        return {"mpich": "MPICH", "openmpi": "Open MPI"}[self.value]


@dataclass(frozen=True)
class Found:
    """The MPI of a program, and how one knows. mpi is None if the program tells none."""

    mpi: Mpi | None
    reason: str
    problem: str = ""  # why resonio cannot be put under this program


# libmpi_abi: the standard ABI of MPI-5. libmpi_mpifh and the like come with libmpi itself.
MPI_LIBRARY = re.compile(r"lib(mpich|mpi|mpi_abi)\.so")
PYTHON = re.compile(r"python[\d.]*$")
# Symbols that only one of them has.
OPENMPI_SYMBOL, MPICH_SYMBOL = b"ompi_mpi_comm_world", b"MPIR_"


def of_library(name: str, path: Path | None) -> Mpi | None:
    """The MPI that a library of this name, found at this path, is."""
    if name.startswith("libmpich.so"):
        return Mpi.MPICH
    if not name.startswith("libmpi.so"):
        return None
    if path is not None:
        if elf.contains(path, OPENMPI_SYMBOL):
            return Mpi.OPENMPI
        return Mpi.MPICH if elf.contains(path, MPICH_SYMBOL) else None
    # Not found now, but perhaps where the program runs: 12 is the number of MPICH's ABI.
    return Mpi.MPICH if name == "libmpi.so.12" else Mpi.OPENMPI


def of_program(path: Path, arguments: list[str]) -> Found:
    """The MPI that an executable file uses; arguments matter if it is a Python."""
    if PYTHON.match(path.name) and arguments:  # first: it may be a version manager's script
        return _of_python(str(path))
    facts = elf.read(path)
    return _of_script(path) if facts is None else _of_elf(path, facts)


def _of_elf(path: Path, facts: elf.Elf) -> Found:
    for name, where in elf.libraries(path).items():
        if not MPI_LIBRARY.match(name):
            continue
        mpi = of_library(name, where)
        if mpi is not None:
            return Found(mpi, f"{path.name} is linked with {where or name}")
        return Found(
            None,
            "",
            f"{path.name} is linked with {where or name}, an MPI that resonio has no library for",
        )
    if elf.contains(path, OPENMPI_SYMBOL) or elf.contains(path, b"PMPI_Init"):
        kind = "MPI" if facts.dynamic else "everything"
        return Found(
            None,
            "",
            f"{path.name} is linked statically with {kind}, so nothing can be preloaded under it",
        )
    return Found(None, f"{path.name} is linked with no MPI")


def _of_script(path: Path) -> Found:
    with path.open("rb") as file:
        first = file.readline(256).decode(errors="replace").strip()
    interpreter = first.removeprefix("#!").split() if first.startswith("#!") else []
    if interpreter and Path(interpreter[0]).name == "env":
        interpreter = [word for word in interpreter[1:] if not word.startswith("-")]
    if interpreter and PYTHON.match(Path(interpreter[0]).name):
        return _of_python(interpreter[0])
    return Found(None, f"{path.name} is a script")


# mpi4py has its own finder where one installation serves several MPIs, so Python is asked.
_ASK_MPI4PY = (
    "import importlib.util as u; s = u.find_spec('mpi4py.MPI'); print(s.origin if s else '')"
)


def _of_python(python: str) -> Found:
    if shutil.which(python) is None:
        return Found(None, f"{python} is not there")
    answer = subprocess.run(
        [python, "-c", _ASK_MPI4PY], capture_output=True, text=True, check=False, timeout=60
    )
    lines = answer.stdout.split()
    if answer.returncode != 0 or not lines:
        return Found(None, f"{Path(python).name} has no mpi4py")
    module = Path(lines[-1])
    for name, where in elf.libraries(module).items():
        mpi = of_library(name, where)
        if mpi is not None:
            return Found(mpi, f"mpi4py in {module.parent} is linked with {where or name}")
    return Found(None, f"mpi4py in {module.parent} does not tell its MPI")
