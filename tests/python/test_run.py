"""`resonio run` with launchers and programs that are not real: what they are given."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from conftest import World, compile_c

OPENMPI_SAYS, HYDRA_SAYS, SLURM_SAYS = "mpirun (Open MPI) 4.1.4", "HYDRA build details:", "slurm 22"


def test_the_programs_mpi_decides_and_is_named(world, shown):
    world.launcher("srun", SLURM_SAYS)
    program = world.program("prog", world.mpich())
    variables, _ = shown("--", "srun", "-n", "4", program)
    assert variables["LD_PRELOAD"] == str(world.root / "lib/libresonio_mpich.so")
    said = world.resonio("run", "--", "srun", "-n", "4", program).stderr
    assert said.splitlines() == [
        f"resonio: MPICH (prog is linked with {world.root}/lib/libmpich.so.12), "
        f"preloading {world.root}/lib/libresonio_mpich.so"
    ]


def test_mpi_is_found_behind_other_libraries(world, shown):
    mpi = world.openmpi()
    hdf5 = world.library("libhdf5_x.so.1", "int h5;", "-Wl,--no-as-needed", str(mpi))
    program = world.program("prog", hdf5)
    world.launcher("srun", SLURM_SAYS)
    variables, _ = shown("--", "srun", program)
    assert variables["LD_PRELOAD"].endswith("/libresonio_openmpi.so")


@pytest.mark.parametrize(
    ("symbol", "mpi"), [("MPIR_Process", "mpich"), ("ompi_mpi_comm_world", "openmpi")]
)
def test_a_libmpi_of_either_kind_is_told_by_its_symbols(world, shown, symbol, mpi):
    library = world.library("libmpi.so.12", f"int {symbol};")
    world.launcher("srun", SLURM_SAYS)
    variables, _ = shown("--", "srun", world.program("prog", library))
    assert variables["LD_PRELOAD"].endswith(f"/libresonio_{mpi}.so")


def test_the_launchers_mpi_is_taken_where_the_program_tells_none(world, shown):
    world.launcher("mpirun", HYDRA_SAYS)
    variables, words = shown("--", "mpirun", "-n", "2", "ls", "a b", "", "*")
    assert variables["LD_PRELOAD"].endswith("/libresonio_mpich.so")
    assert words == ["-n", "2", "ls", "a b", "", "*"]


def test_a_launcher_is_known_by_the_name_behind_links(world, shown):
    real = world.launcher("orterun", "says nothing")
    (world.root / "bin/alternative").symlink_to(real)
    (world.root / "bin/mpiexec").symlink_to(world.root / "bin/alternative")
    variables, words = shown("--", "mpiexec", "-n", "2", "ls")
    assert variables["LD_PRELOAD"].endswith("/libresonio_openmpi.so")
    assert words == ["-x", "LD_PRELOAD", "-n", "2", "ls"]


def test_a_mismatch_of_launcher_and_program_is_told(world):
    world.launcher("mpirun", OPENMPI_SAYS)
    answer = world.resonio("run", "--", "mpirun", world.program("prog", world.mpich()))
    assert answer.returncode == 0
    assert "warning: prog is linked with" in answer.stderr
    assert "is Open MPI's" in answer.stderr
    assert "libresonio_mpich.so" in answer.stdout


def test_open_mpi_is_told_the_variables_for_each_program_of_a_line(world, shown):
    world.launcher("mpirun", OPENMPI_SAYS)
    _, words = shown("--log", "info", "--", "mpirun", "-n", "1", "ls", ":", "-n", "2", "ls")
    ours = ["-x", "LD_PRELOAD", "-x", "RESONIO_LOG"]
    assert words == [*ours, "-n", "1", "ls", ":", *ours, "-n", "2", "ls"]


def test_open_mpis_other_list_of_variables_is_extended(world, shown):
    world.launcher("mpirun", f'{OPENMPI_SAYS}"; echo "list=$OMPI_MCA_mca_base_env_list')
    _, words = shown("--", "mpirun", "ls", OMPI_MCA_mca_base_env_list="HOME")
    assert words == ["ls"]
    _, words = shown("--", "mpirun", "--mca", "mca_base_env_list", "HOME", "ls")
    assert words == ["--mca", "mca_base_env_list", "HOME;LD_PRELOAD", "ls"]


def test_hydra_is_told_only_where_the_line_restricts_the_environment(world, shown):
    world.launcher("mpiexec", HYDRA_SAYS)
    _, words = shown("--", "mpiexec", "ls")
    assert words == ["ls"]
    variables, words = shown("--", "mpiexec", "-genvnone", "ls")
    assert words == ["-genv", "LD_PRELOAD", variables["LD_PRELOAD"], "-genvnone", "ls"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ([], ["--export=ALL"]),
        (["--export=ALL,A=1"], ["--export=ALL,A=1"]),
        (["--export=A"], ["--export=A,LD_PRELOAD"]),
        (["--export", "NONE"], ["--export=LD_PRELOAD"]),
    ],
)
def test_srun_exports_the_variables(world, shown, before, after):
    world.launcher("srun", SLURM_SAYS)
    _, words = shown("--mpi", "mpich", "--", "srun", *before, "-n", "2", "ls")
    assert words == [*after, "-n", "2", "ls"]


def test_values_of_options_are_not_taken_for_programs(world, shown):
    """`--map-by node` must not find a program called node."""
    world.launcher("mpirun", OPENMPI_SAYS)
    world.program("bin/node", world.mpich())
    program = world.program("prog", world.openmpi())
    variables, _ = shown("--", "mpirun", "--map-by", "node", "--unknown", "7", "-n", "2", program)
    assert variables["LD_PRELOAD"].endswith("/libresonio_openmpi.so")


def test_wrappers_before_launcher_and_program_are_looked_through(world, shown):
    world.launcher("srun", SLURM_SAYS)
    program = world.program("prog", world.openmpi())
    variables, words = shown("--", "timeout", "60", "srun", "env", "A=b", program, "x")
    assert variables["LD_PRELOAD"].endswith("/libresonio_openmpi.so")
    assert words == ["--export=ALL", "env", "A=b", str(program), "x"]


def fake_mpi4py(world: World, library: Path) -> None:
    package = world.root / "site/mpi4py"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    compile_c(
        "int x;", package / "MPI.abi3.so", "-shared", "-fPIC", "-Wl,--no-as-needed", str(library),
        f"-Wl,-rpath,{library.parent}",
    )  # fmt: skip


@pytest.mark.parametrize("shebang", [True, False])
def test_python_programs_use_the_mpi_of_their_mpi4py(world, shown, shebang):
    world.launcher("srun", SLURM_SAYS)
    fake_mpi4py(world, world.openmpi())
    script = world.root / "script.py"
    script.write_text("#!/usr/bin/env python3\n")
    script.chmod(0o755)
    command = [script] if shebang else [shutil.which("python3") or "python3", script]
    variables, _ = shown("--", "srun", "-n", "2", *command, PYTHONPATH=str(world.root / "site"))
    assert variables["LD_PRELOAD"].endswith("/libresonio_openmpi.so")


def test_hints_are_added_behind_those_that_are_there(world, shown):
    world.launcher("mpiexec", HYDRA_SAYS)
    options = ["--strategy", "sieve", "--hint", "cb_nodes=2", "--hint", "resonio_strategy=a=b"]
    variables, _ = shown(*options, "--", "mpiexec", "ls", RESONIO_HINTS="*.h5:cb_nodes=1")
    assert variables["RESONIO_HINTS"] == (
        "*.h5:cb_nodes=1,*:resonio_strategy=sieve:cb_nodes=2:resonio_strategy=a=b"
    )


def test_an_unknown_hint_is_warned_about_with_the_closest_name(world):
    world.launcher("mpiexec", HYDRA_SAYS)
    answer = world.resonio("run", "--hint", "cb_nods=2", "--", "mpiexec", "ls")
    assert answer.returncode == 0
    assert "hint cb_nods is not known and will be ignored; did you mean cb_nodes?" in answer.stderr
    assert "RESONIO_HINTS=*:cb_nods=2" in answer.stdout


def test_without_a_table_names_are_not_checked_and_that_is_told(world):
    (world.root / "bin/resonio-hints").unlink()
    world.launcher("mpiexec", HYDRA_SAYS)
    answer = world.resonio("run", "--hint", "cb_nods=2", "--", "mpiexec", "ls")
    assert answer.returncode == 0
    assert "names of hints are not checked" in answer.stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--hint", "a=b:c"], "separates hints by ':'"),
        (["--hint", "a=b,c"], "files by ','"),
        (["--hint", "a"], "--hint takes name=value"),
        (["--hint", "=a"], "--hint takes name=value"),
        (["--strategy", "two_phase"], "did you mean two-phase?"),
        (["--strategy", "xyz"], "There are: auto, sieve, two-phase"),
        (["--stats", "no/such/file"], "there is no directory"),
    ],
)
def test_requests_that_cannot_be_met_are_refused(world, options, message):
    world.launcher("mpiexec", HYDRA_SAYS)
    answer = world.resonio("run", *options, "--", "mpiexec", "ls")
    assert answer.returncode == 2
    assert message in answer.stderr
    assert answer.stdout == ""


def test_stats_and_log_reach_the_program_with_an_absolute_path(world, shown):
    world.launcher("mpiexec", HYDRA_SAYS)
    variables, _ = shown("--stats", "s.json", "--log", "debug", "--", "mpiexec", "ls")
    assert variables["RESONIO_STATS"] == str(world.root / "s.json")
    assert variables["RESONIO_LOG"] == "debug"


def test_what_was_preloaded_stays_and_comes_first(world, shown):
    world.launcher("mpiexec", HYDRA_SAYS)
    (world.root / "lib/other.so").symlink_to("libresonio_yield.so")
    lib = world.root / "lib"
    before = f"{lib}/other.so {lib}/libresonio_openmpi.so"
    variables, _ = shown("--yield", "--", "mpiexec", "ls", LD_PRELOAD=before)
    names = [Path(path).name for path in variables["LD_PRELOAD"].split(":")]
    assert names == ["other.so", "libresonio_mpich.so", "libresonio_yield.so"]


def test_sanitizer_builds_are_not_preloaded(world):
    world.launcher("mpiexec", HYDRA_SAYS)
    asan = world.library("libasan.so.8", "int asan;")
    world.library(
        "libresonio_mpich.so", "int x;", "-Wl,--no-as-needed", str(asan), "-Wl,--as-needed"
    )
    answer = world.resonio("run", "--", "mpiexec", "ls")
    assert answer.returncode == 2
    assert "is a sanitizer build" in answer.stderr


def test_a_missing_library_is_told_with_what_to_do(world):
    world.launcher("mpiexec", HYDRA_SAYS)
    (world.root / "lib/libresonio_mpich.so").unlink()
    answer = world.resonio("run", "--", "mpiexec", "ls")
    assert answer.returncode == 2
    assert "libresonio_mpich.so was not found. Build it" in answer.stderr


def test_an_mpi_without_a_library_of_ours_is_refused(world):
    program = world.program("prog", world.library("libmpi_abi.so.1", "int x;"))
    answer = world.resonio("run", "--", program)
    assert answer.returncode == 2
    assert "an MPI that resonio has no library for" in answer.stderr


def test_a_static_program_is_refused(world):
    path = world.root / "static"
    compile_c("int PMPI_Init; int main(void) { return 0; }", path, "-static")
    answer = world.resonio("run", "--", path)
    assert answer.returncode == 2
    assert "linked statically" in answer.stderr


def test_an_unknown_mpi_is_an_error_that_names_the_way_out(world):
    world.launcher("srun", SLURM_SAYS)
    answer = world.resonio("run", "--", "srun", "ls")
    assert answer.returncode == 2
    assert "--mpi mpich" in answer.stderr


def test_a_path_that_ld_preload_cannot_hold_is_an_error(world):
    world.launcher("mpiexec", HYDRA_SAYS)
    shutil.copytree(world.root / "lib", world.root / "a b")
    answer = world.resonio("run", "--", "mpiexec", "ls", RESONIO_LIBDIR=str(world.root / "a b"))
    assert answer.returncode == 2
    assert "LD_PRELOAD takes no path with a blank" in answer.stderr


def test_no_program_and_a_program_that_is_not_there(world):
    assert world.resonio("run").returncode == 2
    answer = world.resonio("run", "--", "no-such-program")
    assert answer.returncode == 127
    assert "no-such-program: not found" in answer.stderr


def test_show_prints_a_line_that_a_shell_can_run(world):
    world.launcher("mpiexec", HYDRA_SAYS)
    answer = world.resonio("run", "--show", "--hint", "cb_nodes=2", "--", "mpiexec", "ls", "a b")
    assert answer.stdout == (
        f"env LD_PRELOAD={world.root}/lib/libresonio_mpich.so 'RESONIO_HINTS=*:cb_nodes=2' "
        "mpiexec ls 'a b'\n"
    )


def test_the_dashes_may_be_left_out_and_may_occur_again(world, shown):
    world.launcher("mpiexec", HYDRA_SAYS)
    assert shown("mpiexec", "-n", "2", "ls", "-l")[1] == ["-n", "2", "ls", "-l"]
    assert shown("mpiexec", "ls", "--", "x")[1] == ["ls", "--", "x"]
    assert shown("--", "mpiexec", "ls", "--", "--log", "x")[1] == ["ls", "--", "--log", "x"]
