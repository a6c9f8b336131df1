"""A little world in a temporary directory: libraries, launchers and programs that are not real."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

TABLES = {
    "hints": [
        {"name": "resonio_strategy", "kind": "strategy", "default": "auto", "meaning": "which"},
        {"name": "cb_nodes", "kind": "count", "default": "0", "meaning": "how many"},
    ],
    "strategies": [
        {"name": "auto", "summary": "a"},
        {"name": "sieve", "summary": "s"},
        {"name": "two-phase", "summary": "t"},
    ],
}
OURS = ("LD_PRELOAD", "RESONIO_HINTS", "RESONIO_STATS", "RESONIO_LOG")
REAL_MPIS = [mpi for mpi in ("mpich", "openmpi") if shutil.which(f"mpicc.{mpi}")]


@dataclass
class World:
    """The directory, and the environment in which the command finds only what is in it."""

    root: Path
    environment: dict[str, str]

    def resonio(self, *words: str | Path, **more: str) -> subprocess.CompletedProcess[str]:
        """Run the command."""
        return subprocess.run(
            [sys.executable, "-m", "resonio", *words],
            env={**self.environment, **more},
            cwd=self.root,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )

    def script(self, name: str, text: str) -> Path:
        """An executable script in bin, which is first in PATH."""
        path = self.root / "bin" / name
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)
        return path

    def launcher(self, name: str, version: str) -> Path:
        """A launcher that knows its version and otherwise tells how it was called."""
        tell = "; ".join(f'echo "{v}=${v}"' for v in OURS)
        return self.script(
            name,
            f'if [ "$1" = --version ]; then echo "{version}"; exit; fi\n'
            f'{tell}; for word in "$@"; do echo "arg=$word"; done',
        )

    def library(self, name: str, code: str, *flags: str) -> Path:
        """A shared library in lib."""
        path = self.root / "lib" / name
        compile_c(code, path, "-shared", "-fPIC", f"-Wl,-soname,{name}", *flags)
        return path

    def program(self, name: str, *libraries: Path) -> Path:
        """A program linked with the libraries, which it finds by its run path."""
        path = self.root / name
        flags = [str(library) for library in libraries]
        rpath = f"-Wl,-rpath,{self.root / 'lib'}"
        compile_c("int main(void) { return 0; }", path, "-Wl,--no-as-needed", *flags, rpath)
        return path

    def mpich(self) -> Path:
        """A library that looks like MPICH's."""
        return self.library("libmpich.so.12", "int MPIR_Process;")

    def openmpi(self) -> Path:
        """A library that looks like Open MPI's."""
        return self.library("libmpi.so.40", "int ompi_mpi_comm_world;")


def compile_c(code: str, output: Path, *flags: str) -> None:
    """Compile with gcc."""
    command = ["gcc", "-x", "c", "-", "-x", "none", "-o", str(output), *flags]
    subprocess.run(command, input=code, text=True, check=True)


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A world with our libraries and table of hints, and nothing else."""
    for folder in ("bin", "lib"):
        (tmp_path / folder).mkdir()
    environment = {k: v for k, v in os.environ.items() if k not in OURS}
    environment["RESONIO_LIBDIR"] = str(tmp_path / "lib")
    environment["PATH"] = f"{tmp_path / 'bin'}:{environment['PATH']}"
    environment["NO_COLOR"] = "1"
    made = World(tmp_path, environment)
    for suffix in ("mpich", "openmpi", "yield"):
        made.library(f"libresonio_{suffix}.so", f"int fake_resonio_{suffix};")
    made.script("resonio-hints", f"cat <<'END'\n{json.dumps(TABLES)}\nEND")
    return made


@pytest.fixture
def shown(world: World) -> Callable[..., tuple[dict[str, str], list[str]]]:
    """Run `resonio run` in the world with a fake launcher: the variables and words it got."""

    def call(*words: str | Path, **more: str) -> tuple[dict[str, str], list[str]]:
        answer = world.resonio("run", *words, **more)
        assert answer.returncode == 0, answer.stderr
        pairs = [line.split("=", 1) for line in answer.stdout.splitlines()]
        variables = {name: value for name, value in pairs if name != "arg"}
        return variables, [value for name, value in pairs if name == "arg"]

    return call
