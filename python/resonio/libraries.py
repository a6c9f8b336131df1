"""Where resonio's own libraries and programs are."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

from resonio import elf
from resonio.errors import UsageError
from resonio.mpi import Mpi

PACKAGE = Path(__file__).resolve().parent
TREE = PACKAGE.parent.parent  # when run from the source tree
YIELD_LIBRARY = "libresonio_yield.so"


def library_name(mpi: Mpi) -> str:
    """File name of the library for an MPI."""
    return f"libresonio_{mpi}.so"


def directories() -> list[Path]:
    """Where libraries are looked for, in this order; RESONIO_LIBDIR replaces them all."""
    chosen = os.environ.get("RESONIO_LIBDIR")
    if chosen:
        return [Path(chosen).absolute()]
    places = [PACKAGE / "lib", TREE / "build/release/lib", TREE / "build/dev/lib"]
    places += [Path(sys.prefix) / "lib", Path("/usr/local/lib")]
    places += _loader_directories(Path("/etc/ld.so.conf"))
    places += [Path("/lib64"), Path("/usr/lib64"), Path("/lib"), Path("/usr/lib")]
    return list(dict.fromkeys(places))


def find(name: str) -> Path | None:
    """The first library of this name that can be preloaded."""
    for directory in directories():
        path = directory / name
        if path.is_file() and not sanitizer(path):
            return path
    return None


def find_program(name: str) -> Path | None:
    """A program that comes with the libraries: in bin beside their lib."""
    for directory in directories():
        path = directory.parent / "bin" / name
        if os.access(path, os.X_OK) and path.is_file():
            return path
    return None


def sanitizer(path: Path) -> str | None:
    """The sanitizer runtime a library needs: such a build stops any program it is preloaded in."""
    facts = elf.read(path)
    names = facts.needed if facts else []
    return next((n for n in names if re.match(r"lib(asan|tsan|ubsan|msan)\.so", n)), None)


def require(name: str) -> Path:
    """The library's path, fit for LD_PRELOAD. If there is none, the error says what to do."""
    path = find(name)
    if path is None:
        skipped = [d / name for d in directories() if (d / name).is_file()]
        why = f" ({skipped[0]} is a sanitizer build and cannot be preloaded)" if skipped else ""
        raise UsageError(
            f"{name} was not found{why}. Build it in the source tree with: make build; "
            f"or say where it is: RESONIO_LIBDIR=/directory. `resonio doctor` tells more."
        )
    if re.search(r"[\s:]", str(path)):
        raise UsageError(
            f"{path} cannot be preloaded: LD_PRELOAD takes no path with a blank or colon. "
            "Copy the library elsewhere and set RESONIO_LIBDIR."
        )
    return path


def _loader_directories(configuration: Path) -> list[Path]:
    found: list[Path] = []
    try:
        lines = configuration.read_text().splitlines()
    except OSError:
        return found
    for line in lines:
        words = line.split("#")[0].split()
        if words[:1] == ["include"]:
            for pattern in words[1:]:
                for file in sorted(Path("/").glob(pattern.lstrip("/"))):
                    found += _loader_directories(file)
        elif words:
            found.append(Path(words[0]))
    return found
