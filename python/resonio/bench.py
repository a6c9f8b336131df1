"""`resonio bench`: MPI-IO of each MPI, resonio's, and the floor without MPI, in turn.

Every contender runs bench/interleaved.c, the same binary with and without resonio, on a tmpfs
and on a disk's page cache; "floor" is bench/floor.cpp, which moves the same bytes without MPI.
A round runs each contender once, and in it each access is repeated; so minimum, median and
maximum are over rounds x repetitions. Files are overwritten, not created, in what is timed.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from resonio import bench_report, demo_contenders, demo_machine, libraries, output
from resonio.bench_report import FLOOR, Key, Measured
from resonio.demo_contenders import Contender, Job, RunError, Side
from resonio.demo_progress import Progress
from resonio.errors import UsageError
from resonio.mpi import Mpi

BLOCKS = (8, 64, 1024, 65536)
INTERLEAVED = ("collective", "independent")
WHOLE = ("contiguous", "blockio")
MODES = (*INTERLEAVED, *WHOLE, "calls")
MOST_BLOCKS = 1 << 20  # of a file: small ones take their time on the native sides
CALLS, CALL_BYTES = 20_000, 8  # of mode "calls", by one rank


@dataclass(frozen=True)
class Case:
    """One run of the program: the accesses that share a block size and a file system."""

    where: str  # "tmpfs" or "disk"
    modes: tuple[str, ...]
    block: int
    bytes: int
    ranks: int


@dataclass
class Outcome:
    """All that was measured."""

    measured: Measured = field(default_factory=dict)
    statistics: list[dict[str, Any]] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def add(self, case: Case, contender: str, reports: list[dict[str, Any]]) -> None:
        """Take over the phases of a run."""
        for report in reports:
            key = Key(case.where, report["mode"], case.block, report["phase"], case.ranks)
            seconds = self.measured.setdefault((key, contender), (case.bytes, []))[1]
            seconds += report["seconds"]


def main(argv: list[str]) -> int:
    """Run the benchmark: 0 if every run worked."""
    options = _parse(argv)
    chosen = [Mpi(name) for name in options.mpi] if options.mpi else demo_contenders.mpis()
    machine = demo_machine.describe(chosen)
    if warning := demo_machine.busy():
        output.warn(warning)
    cases = list(_cases(options))
    if not cases:
        raise UsageError("--only, --block and --where leave nothing to do")
    outcome = Outcome()
    with ExitStack() as stack:
        places = {
            where: Path(stack.enter_context(tempfile.TemporaryDirectory("", "resonio-", base)))
            for where, base in _bases(options).items()
        }
        progress = stack.enter_context(Progress(options.rounds * len(cases)))
        for number in range(options.rounds):
            for case in cases:
                name = f"round {number + 1}: {case.where}, {' '.join(case.modes)}, {case.block} B"
                progress.step(name)
                _run_case(case, chosen, places[case.where], options, outcome)
            machine["load after"] = f"{os.getloadavg()[0]:.1f}"
            _save(options, machine, outcome, chosen, number + 1)
    bench_report.show(outcome.measured, chosen)
    print(f"numbers: {options.out / 'bench.json'}\ntable: {options.out / 'bench.md'}")
    for problem in outcome.problems:
        output.note(f"FAILED: {problem}")
    return 1 if outcome.problems else 0


def _parse(argv: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="resonio bench",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--quick", action="store_true", help="2 rounds of 2, 8 MiB, tmpfs, 64 B")
    parser.add_argument("--only", action="append", choices=MODES, help="only this access")
    parser.add_argument("--block", action="append", type=int, help="only blocks of this size")
    parser.add_argument("--where", action="append", choices=["tmpfs", "disk"])
    parser.add_argument("--mpi", action="append", choices=[str(mpi) for mpi in Mpi])
    parser.add_argument("--ranks", type=int, default=4)
    parser.add_argument(
        "--bytes", type=int, help="size of the file (default: 32 MiB; of 8-byte blocks 8 MiB)"
    )
    parser.add_argument("--rounds", type=int, help="turns of each contender (default: 3)")
    parser.add_argument("--reps", type=int, help="repetitions in a turn (default: 5)")
    parser.add_argument("--strategy", help="strategy of resonio's side (see: resonio hints)")
    parser.add_argument("--tmpfs", type=Path, default=Path("/dev/shm"), help="a directory there")
    parser.add_argument("--disk", type=Path, help="a directory on a disk (default: that of --out)")
    parser.add_argument(
        "--out",
        type=Path,
        default=libraries.TREE / "results",
        help="directory of bench.json and bench.md (default: results in the source tree)",
    )
    options = parser.parse_args(argv)
    quick = options.quick
    options.bytes = options.bytes or (8 << 20 if quick else 32 << 20)
    options.rounds = options.rounds or (2 if quick else 3)
    options.reps = options.reps or (2 if quick else 5)
    options.block = options.block or ([64] if quick else list(BLOCKS))
    options.where = options.where or (["tmpfs"] if quick else ["tmpfs", "disk"])
    if options.ranks < 1 or options.ranks & (options.ranks - 1):
        parser.error("--ranks is a power of two")
    if any(block < 8 or options.bytes % (block * options.ranks) for block in options.block):
        parser.error("--bytes is a multiple of --ranks blocks, and a block is 8 bytes or more")
    return options


def _bases(options: argparse.Namespace) -> dict[str, Path]:
    options.out.mkdir(parents=True, exist_ok=True)
    bases = {"tmpfs": options.tmpfs, "disk": options.disk or options.out}
    for where in options.where:
        if not bases[where].is_dir():
            raise UsageError(f"--{where} {bases[where]}: no such directory")
    return {where: bases[where] for where in options.where}


def _cases(options: argparse.Namespace) -> Iterator[Case]:
    def wanted(modes: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(m for m in modes if not options.only or m in options.only)

    for where in options.where:
        if modes := wanted(INTERLEAVED):
            for block in options.block:
                size = min(options.bytes, MOST_BLOCKS * block)
                yield Case(where, modes, block, size, options.ranks)
        if modes := wanted(WHOLE):
            block = options.bytes // options.ranks
            yield Case(where, modes, block, options.bytes, options.ranks)
        if modes := wanted(("calls",)):
            yield Case(where, modes, CALL_BYTES, CALLS * CALL_BYTES, 1)


def _run_case(
    case: Case, chosen: list[Mpi], place: Path, options: argparse.Namespace, outcome: Outcome
) -> None:
    file = place / "data"
    for contender in demo_contenders.contenders(chosen):
        try:
            _run_contender(case, contender, file, options, outcome)
        except RunError as error:
            outcome.problems.append(f"{contender.title}, {case}: {error}")
    try:
        _run_floor(case, file, options, outcome)
    except RunError as error:
        outcome.problems.append(f"{FLOOR}, {case}: {error}")
    file.unlink(missing_ok=True)


def _run_contender(
    case: Case, contender: Contender, file: Path, options: argparse.Namespace, outcome: Outcome
) -> None:
    words = [str(demo_contenders.program(f"{contender.mpi}/interleaved")), str(file)]
    words += [str(case.block), str(case.bytes), str(options.reps), *case.modes]
    stats = file.with_name("statistics.json")
    job = Job(words, case.ranks, stats, strategy=options.strategy)
    reports = demo_contenders.run(contender, job)
    lines = demo_contenders.statistics(stats)
    if contender.side is Side.RESONIO:
        accesses = case.bytes * len(case.modes)
        for direction, times in (("write", options.reps + 1), ("read", options.reps)):
            moved = demo_contenders.moved_bytes(lines, file, direction)
            if moved != accesses * times:
                raise RunError(f"resonio's statistics tell of {moved} bytes in {direction} calls")
    elif lines:
        raise RunError("resonio was under the native run")
    for mode, line in zip(case.modes, lines, strict=False):  # each mode has a file of its own
        about = {"mpi": str(contender.mpi), "where": case.where, "mode": mode, "block": case.block}
        outcome.statistics.append(line | about)
    outcome.add(case, contender.title, reports)


def _run_floor(case: Case, file: Path, options: argparse.Namespace, outcome: Outcome) -> None:
    """One run gives both: the floor of interleaved blocks, and of whole parts."""
    if case.modes == ("calls",):
        return
    interleaved = case.modes[0] in INTERLEAVED
    block = case.block if interleaved else 65536
    words = [str(demo_contenders.program("floor")), str(file), str(case.ranks), str(block)]
    words += [str(case.bytes), str(options.reps)]
    reports = demo_contenders.execute(words, dict(os.environ))
    wanted = ("write", "read") if interleaved else ("block_write", "block_read")
    for mode in case.modes:
        for report in reports:
            if report["phase"] in wanted:
                phase = report["phase"].removeprefix("block_")
                outcome.add(case, FLOOR, [report | {"mode": mode, "phase": phase}])


def _save(
    options: argparse.Namespace,
    machine: dict[str, str],
    outcome: Outcome,
    chosen: list[Mpi],
    rounds: int,
) -> None:
    settings = {"ranks": options.ranks, "rounds": rounds, "repetitions": options.reps}
    whole = {
        "machine": machine,
        "settings": settings,
        "measured": bench_report.as_json(outcome.measured),
        "statistics": outcome.statistics,
    }
    (options.out / "bench.json").write_text(json.dumps(whole, indent=1) + "\n")
    text = bench_report.markdown(outcome.measured, chosen, machine, settings)
    (options.out / "bench.md").write_text(text)
