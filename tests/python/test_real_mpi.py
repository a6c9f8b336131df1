"""`resonio run` and `resonio doctor` with the MPIs and libraries that are really here."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import REAL_MPIS

PROGRAM = r"""
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char** argv) {
  int rank, ranks, data[4];
  MPI_File file;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int i = 0; i < 4; ++i) data[i] = 4 * rank + i;
  MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
  MPI_File_write_at_all(file, 16 * rank, data, 4, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
  if (rank == 0) printf("%d ranks [%s]\n", ranks, argv[3]);
  fflush(stdout);
  MPI_Finalize();
  if (argv[2][0] == 'k') raise(SIGKILL);
  return atoi(argv[2]);
}
"""
ENVIRONMENT = {
    **os.environ,  # with RESONIO_LIBDIR, if a certain build is meant
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
}


def resonio(*words: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "resonio", *words],
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


@pytest.fixture(scope="module", params=REAL_MPIS)
def mpi(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture(scope="module")
def program(mpi: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp(mpi) / "prog"
    command = [f"mpicc.{mpi}", "-x", "c", "-", "-o", str(path)]
    subprocess.run(command, input=PROGRAM, text=True, check=True)
    return path


@pytest.mark.parametrize("code", [0, 3])
def test_ranks_write_through_resonio_and_the_exit_code_is_theirs(mpi, program, tmp_path, code):
    data, stats = tmp_path / "data", tmp_path / "stats"
    answer = resonio(
        "run", "--stats", stats, "--strategy", "two-phase", "--yield", "--",
        f"mpiexec.{mpi}", "-n", "3", program, data, str(code), "a  'b'",
    )  # fmt: skip
    assert answer.returncode == code, answer.stderr
    assert "3 ranks [a  'b']" in answer.stdout
    numbers = b"".join(i.to_bytes(4, sys.byteorder) for i in range(12))
    assert data.read_bytes() == numbers
    line = json.loads(stats.read_text())
    assert line["file"] == str(data)
    assert line["ranks"] == 3
    assert line["phases"]["write_all"]["bytes"] == 48
    assert list(line["strategies"]) == ["write_all two-phase"]


def test_a_program_started_directly_and_killed_is_killed(mpi, program, tmp_path):
    answer = resonio("run", "--", program, tmp_path / "data", "k", "x")
    assert answer.returncode == -9, answer.stderr
    assert "1 ranks [x]" in answer.stdout
    title = {"mpich": "MPICH", "openmpi": "Open MPI"}[mpi]
    assert f"resonio: {title} (prog is linked with" in answer.stderr


def test_launchers_own_failure_passes_on(mpi):
    answer = resonio("run", "--", f"mpiexec.{mpi}", "-n", "1", "false")
    assert answer.returncode == 1, answer.stderr


def test_doctor_finds_the_mpis_usable(tmp_path):
    answer = resonio("doctor", "--json", tmp_path)
    assert answer.returncode == 0, answer.stdout
    report = json.loads(answer.stdout)
    working = {one["name"] for one in report["mpis"] if one["works"]}
    assert working == set(REAL_MPIS)
    assert report["file_system"]["directory"] == str(tmp_path)
    assert list(tmp_path.iterdir()) == []
