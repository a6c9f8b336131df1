"""The command line: `resonio run`, `doctor`, `hints`, `demo`, `bench`.

Each subcommand's module is imported when it is used: `resonio run` should cost little.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from pathlib import Path

from resonio import __version__
from resonio.errors import UsageError

RUN_HELP = """\
Starts a program with resonio preloaded in its ranks. The program, its launcher and its
arguments stay as they are; the exit code is the program's own.

  resonio run -- mpirun -n 4 ./prog input.nml
  resonio run --strategy two-phase --hint cb_buffer_size=16M -- srun -n 64 ./prog
  resonio run --stats io.json --log info -- mpiexec -n 4 python script.py
"""

# Commands whose module, resonio.<name>, takes its words apart itself.
OWN_PARSER = {
    "demo": "two unmodified programs, with their MPI alone and through resonio",
    "bench": "benchmarks against the MPIs' own MPI-IO",
}


def main(arguments: list[str] | None = None) -> int:
    """Entry point: the exit code of the subcommand; 2 for a request that makes no sense."""
    words = sys.argv[1:] if arguments is None else arguments
    try:
        if words[:1] and words[0] in OWN_PARSER:
            module = importlib.import_module(f"resonio.{words[0]}")
            return int(module.main(words[1:]))
        ours, command = split(words)
        return dispatch(parser().parse_args(ours), command)
    except UsageError as error:
        print(f"resonio: error: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        sys.stderr.close()
        return 1


def split(words: list[str]) -> tuple[list[str], list[str]]:
    """Take the command after `--` away before options are parsed: it may contain anything."""
    if words[:1] != ["run"] or "--" not in words:
        return words, []
    at = words.index("--")
    return words[:at], words[at + 1 :]


def dispatch(options: argparse.Namespace, command: list[str]) -> int:
    """Run the subcommand that was asked for."""
    if options.subcommand == "run":
        from resonio import run
        from resonio.mpi import Mpi

        if options.command and command:  # `run mpirun -- ./prog`: the -- is the launcher's
            command = [*options.command, "--", *command]
        settings = run.Settings(
            strategy=options.strategy,
            hints=options.hint,
            stats=options.stats,
            log=options.log,
            yielding=options.yielding,
            mpi=Mpi(options.mpi) if options.mpi else None,
        )
        return run.run(command or options.command, settings, options.show)
    if options.subcommand == "hints":
        from resonio import hints

        return hints.show()
    from resonio import doctor

    return doctor.run(options.path, options.json)


def parser() -> argparse.ArgumentParser:
    """The parser of the whole command line."""
    top = argparse.ArgumentParser(
        prog="resonio",
        description="Runs MPI programs with a faster MPI-IO, and tells what it finds.",
        epilog="`resonio COMMAND --help` has the options of each command.",
    )
    top.add_argument("--version", action="version", version=f"resonio {__version__}")
    commands = top.add_subparsers(
        dest="subcommand", metavar="COMMAND", required=True, title="commands"
    )
    _add_run(
        commands.add_parser(
            "run",
            help="run a program with resonio under it",
            description=RUN_HELP,
            usage="resonio run [options] -- mpirun -n 4 ./prog args",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
    )
    doctor = commands.add_parser(
        "doctor",
        help="what is here, what would happen, and what is missing",
        description="Tells which MPIs and library builds are here and whether they work, what "
        "resonio would do on a file system, and what is missing. Exit code 0: usable, 1: not.",
    )
    doctor.add_argument(
        "path",
        nargs="?",
        type=Path,
        default=Path(),
        help="a directory or file on the file system to look at (default: .)",
    )
    doctor.add_argument("--json", action="store_true", help="the same as JSON")
    commands.add_parser(
        "hints",
        help="table of the hints and strategies",
        description="Table of the hints and strategies of the library.",
    )
    for name, what in OWN_PARSER.items():
        commands.add_parser(name, help=what)
    return top


def _add_run(run: argparse.ArgumentParser) -> None:
    run.add_argument(
        "--strategy", metavar="NAME", help="strategy for all files (see: resonio hints)"
    )
    run.add_argument(
        "--hint",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="hint for all files; may be repeated",
    )
    run.add_argument(
        "--stats",
        type=Path,
        metavar="FILE",
        help="append a line of JSON to FILE for each file closed: what was done and what it cost",
    )
    run.add_argument("--log", choices=["error", "warning", "info", "debug"], help="what to log")
    run.add_argument(
        "--yield",
        dest="yielding",
        action="store_true",
        help="let waiting ranks give their core away: for MPICH with more ranks than cores",
    )
    run.add_argument("--mpi", choices=["mpich", "openmpi"], help="do not find out, take this one")
    run.add_argument(
        "--show", action="store_true", help="print the command line instead of running it"
    )
    run.add_argument("command", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
