"""The MPIs on this machine, the library build for each, and whether the two work together."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from resonio import libraries
from resonio.command import find_launcher
from resonio.mpi import Mpi, of_library

LAUNCHERS = ["mpirun", "mpiexec", "mpiexec.mpich", "mpiexec.hydra", "mpiexec.openmpi", "orterun"]


@dataclass
class Installation:
    """One MPI."""

    name: Mpi
    launchers: list[str] = field(default_factory=list)
    library: str = ""  # path, "" = not found
    version: str = ""
    hdf5: str = ""  # path of the parallel HDF5 library made with this MPI
    resonio: str = ""  # path of our library for it
    works: bool = False  # a file was written and read through it
    problem: str = ""  # why it does not

    @property
    def found(self) -> bool:
        """Whether the MPI is there."""
        return bool(self.library)


def look(directory: Path) -> list[Installation]:
    """Every MPI that resonio knows, tried with a small file in the directory."""
    known = {mpi: Installation(mpi) for mpi in Mpi}
    for name in LAUNCHERS:
        launcher = find_launcher([name])
        if launcher is not None and launcher.mpi is not None:
            known[launcher.mpi].launchers.append(shutil.which(name) or name)
    shared = _shared_libraries(known)
    for one in known.values():
        _find_libraries(one, shared)
        if one.found:
            _try(one, directory)
    return list(known.values())


def _shared_libraries(known: dict[Mpi, Installation]) -> list[Path]:
    """Shared libraries, in the order a program would find them."""
    directories = [Path(d) for d in os.environ.get("LD_LIBRARY_PATH", "").split(":") if d]
    for one in known.values():
        directories += [Path(os.path.realpath(p)).parent.parent / "lib" for p in one.launchers]
    paths = [path for d in directories for path in sorted(d.glob("lib*.so*"))]
    ldconfig = shutil.which("ldconfig", path=f"{os.environ.get('PATH', '')}:/sbin:/usr/sbin")
    if ldconfig is not None:
        answer = subprocess.run([ldconfig, "-p"], capture_output=True, text=True, check=False)
        lines = [line.rpartition(" => ") for line in answer.stdout.splitlines()]
        paths += [Path(path) for _, arrow, path in lines if arrow]
    return paths


def _find_libraries(one: Installation, shared: list[Path]) -> None:
    for path in shared:
        # A name with a version: the one without is for linking, and may be a text file.
        if not one.library and re.match(r"lib(mpich|mpi)\.so\.\d", path.name):
            one.library = str(path) if of_library(path.name, path) is one.name else ""
        if not one.hdf5 and path.name.startswith(f"libhdf5_{one.name}.so"):
            one.hdf5 = str(path)
    ours = libraries.find(libraries.library_name(one.name))
    one.resonio = str(ours) if ours is not None else ""


def _try(one: Installation, directory: Path) -> None:
    """Write and read a file through the library, in a process of one rank."""
    environment = dict(os.environ)
    environment.pop("LD_PRELOAD", None)
    if one.resonio:
        environment["LD_PRELOAD"] = one.resonio
    with tempfile.TemporaryDirectory() as scratch:
        place = directory if os.access(directory, os.W_OK) else Path(scratch)
        try:
            answer = subprocess.run(
                [sys.executable, "-m", "resonio.probe", one.name, one.library, place, one.resonio],
                env=environment,
                cwd=scratch,
                capture_output=True,
                text=True,
                check=False,
                timeout=60,
            )
        except subprocess.TimeoutExpired:
            one.problem = "a write and read of 1 MiB by one rank did not end within 60 s"
            return
    lines = [line for line in answer.stdout.splitlines() if line.startswith("{")]
    if not lines:
        said = answer.stderr.strip().splitlines()
        ending = f"ended with {answer.returncode}"
        one.problem = f"{ending}: {said[-1]}" if said else ending
        return
    told = json.loads(lines[-1])
    one.version, one.works, one.problem = told["version"], told["works"], told["problem"]
