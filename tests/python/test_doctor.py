"""`resonio doctor`, `hints`, and the parts they are made of."""

from __future__ import annotations

import json
from pathlib import Path

from conftest import TABLES
from resonio import filesystem, hints
from resonio.doctor import unknown_hints

MOUNTS = r"""
22 1 254:1 / / rw,relatime shared:1 - ext4 /dev/root rw
23 22 0:21 / /tmp rw - tmpfs tmpfs rw
24 22 0:30 / /lus/my\040data rw - lustre mds@tcp:/x rw
25 22 0:31 / /tmp rw - xfs /dev/sdb rw
broken line
"""


def test_mount_of_finds_the_longest_and_last_mount():
    assert filesystem.mount_of(Path("/usr/bin"), MOUNTS) == ("/", "ext4")
    assert filesystem.mount_of(Path("/lus/my data/a"), MOUNTS) == ("/lus/my data", "lustre")
    assert filesystem.mount_of(Path("/lus/other"), MOUNTS) == ("/", "ext4")
    assert filesystem.mount_of(Path("/tmp"), MOUNTS) == ("/tmp", "xfs")
    assert filesystem.mount_of(Path("/tmpfoo"), MOUNTS) == ("/", "ext4")


def test_a_path_that_is_not_there_yet_is_looked_at_by_its_directory(tmp_path):
    facts = filesystem.look(tmp_path / "not" / "yet")
    assert facts.directory == str(tmp_path)
    assert facts.writable == ""
    assert 0 < facts.free <= facts.size


def test_a_directory_where_nothing_can_be_created_is_reported():
    assert filesystem.look(Path("/proc/self")).writable != ""


def tables() -> hints.Tables:
    return hints.Tables([hints.Hint(**h) for h in TABLES["hints"]], {})


def test_unknown_hints_of_both_variables_are_listed(tmp_path):
    romio = tmp_path / "romio"
    romio.write_text("# comment\ncb_nodes 4\nromio_x enable\n\n")
    environment = {
        "RESONIO_HINTS": "*:cb_nodes=1:a=b,*.h5:cd=e:a=c",
        "ROMIO_HINTS": str(romio),
    }
    assert unknown_hints(environment, tables()) == ["a", "cd", "romio_x"]


def test_doctor_tells_what_is_missing_and_how_to_get_it(world):
    for name in ("libresonio_mpich.so", "libresonio_openmpi.so"):
        (world.root / "lib" / name).write_bytes(b"not a library")
    environment = {"PATH": f"{world.root}/bin:/usr/bin:/bin", "RESONIO_HINTS": "*:nods=1"}
    answer = world.resonio("doctor", "--json", ".", **environment)
    report = json.loads(answer.stdout)
    assert answer.returncode == 1
    assert not report["usable"]
    assert report["unknown_hints"] == ["nods"]
    assert report["environment"]["RESONIO_HINTS"] == "*:nods=1"
    assert not any(one["works"] for one in report["mpis"])
    assert all(one["how"] for one in report["missing"])


def test_doctor_prints_plain_tables_to_a_pipe(world):
    answer = world.resonio("doctor", ".")
    assert "\x1b" not in answer.stdout
    assert answer.stdout.startswith("MPI\n")
    assert str(world.root) in answer.stdout
    assert answer.stdout.splitlines()[-1].startswith(("usable", "not usable"))


def test_hints_prints_the_tables_of_the_library(world):
    answer = world.resonio("hints")
    assert answer.returncode == 0
    lines = [line.split() for line in answer.stdout.splitlines()]
    assert ["cb_nodes", "count", "0", "how", "many"] in lines
    assert ["two-phase", "t"] in lines


def test_hints_without_the_librarys_program_says_what_to_do(world):
    (world.root / "bin/resonio-hints").unlink()
    answer = world.resonio("hints")
    assert answer.returncode == 2
    assert "make build" in answer.stderr


def test_version_and_help(world):
    from resonio import __version__

    assert world.resonio("--version").stdout == f"resonio {__version__}\n"
    assert "doctor" in world.resonio("--help").stdout
    assert "mpirun -n 4" in world.resonio("run", "--help").stdout
    assert world.resonio("nonsense").returncode == 2
    cmake = (Path(__file__).parents[2] / "CMakeLists.txt").read_text()
    assert f"VERSION {__version__} " in cmake
