"""`resonio demo`: two unmodified programs, with each MPI alone and through resonio.

A parallel HDF5 program and an mpi4py one write and read a file, in turn with the MPI's own
MPI-IO and with resonio's. All files must be the same, byte for byte, and resonio's own
statistics must show that it did the work. The times become a table and a picture.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from resonio import demo_contenders, demo_machine, libraries, output
from resonio.demo_contenders import Contender, Job, RunError, Side
from resonio.demo_progress import Progress
from resonio.errors import UsageError
from resonio.mpi import Mpi

DIRECTIONS = ("write", "read")


@dataclass(frozen=True)
class Example:
    """A demo program."""

    name: str
    title: str
    what: str
    python: bool
    sizes: dict[str, list[int]]  # arguments after the file name, by --size

    def words(self, mpi: Mpi, file: Path, size: str) -> list[str]:
        """The command line of a rank."""
        arguments = [str(file), *map(str, self.sizes[size])]
        if not self.python:
            return [str(demo_contenders.program(f"{mpi}/{self.name}")), *arguments]
        script = libraries.TREE / "examples" / f"{self.name}.py"
        # -m mpi4py: an exception in one rank ends all.
        return [sys.executable, "-m", "mpi4py", str(script), *arguments]

    def python_path(self, mpi: Mpi) -> Path | None:
        """Where mpi4py for this MPI is."""
        if not self.python:
            return None
        path = libraries.TREE / ".deps" / f"mpi4py-{mpi}"
        if not path.is_dir():
            raise UsageError(f"mpi4py for {mpi.title} is not in {path}. Install it: make deps")
        return path


EXAMPLES = [
    Example(
        "lattice_h5",
        "parallel HDF5",
        "4-D lattice, records of 576 bytes, hyperslabs",
        False,
        {"full": [24, 24, 24, 16, 576, 2], "small": [12, 12, 8, 8, 576, 2]},
    ),
    Example(
        "particles_mpi4py",
        "mpi4py",
        "particle records of 64 bytes dealt round robin, 3-D mesh in boxes",
        True,
        {"full": [1 << 20, 200, 2], "small": [1 << 15, 50, 2]},
    ),
]


@dataclass
class Result:
    """What one program did under one MPI, on both sides."""

    program: str
    title: str
    mpi: Mpi
    bytes: int = 0
    # seconds[side][direction]: one number for each repetition
    seconds: dict[Side, dict[str, list[float]]] = field(
        default_factory=lambda: {side: {d: [] for d in DIRECTIONS} for side in Side}
    )
    strategies: list[str] = field(default_factory=list)
    files_compared: int = 0
    problems: list[str] = field(default_factory=list)

    def complete(self) -> bool:
        """Whether there is something to compare."""
        return all(self.seconds[side][d] for side in Side for d in DIRECTIONS)

    def rates(self, side: Side, direction: str) -> list[float]:
        """MB/s of each repetition."""
        return [self.bytes / s / 1e6 for s in self.seconds[side][direction]]

    def ratio(self, direction: str) -> float:
        """How many times as fast as native: of the medians."""
        native, resonio = (median(self.rates(side, direction)) for side in Side)
        return resonio / native


def main(argv: list[str]) -> int:
    """Run the demo: 0 if every run worked and all files are the same."""
    options = _parse(argv)
    chosen = [Mpi(name) for name in options.mpi] if options.mpi else demo_contenders.mpis()
    machine = demo_machine.describe(chosen)
    if warning := demo_machine.busy():
        output.warn(warning)
    options.out.mkdir(parents=True, exist_ok=True)
    directory = options.dir or options.out
    if not directory.is_dir():
        raise UsageError(f"--dir {directory}: no such directory")
    with tempfile.TemporaryDirectory(prefix="resonio-demo-", dir=directory) as scratch:
        results = _run_all(options, chosen, Path(scratch))
    _show(results, options)
    problems = [problem for result in results for problem in result.problems]
    _save(results, machine, options)
    if not problems:
        from resonio import demo_picture

        caption = f"{_settings(results, options)}; cores: {machine['cores']}"
        for path in demo_picture.draw(results, caption, options.out / "demo"):
            print(f"picture: {path}")
    for problem in problems:
        output.note(f"FAILED: {problem}")
    return 1 if problems else 0


def _parse(argv: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="resonio demo", description=__doc__)
    parser.add_argument("--size", choices=["small", "full"], default="full", help="small: a test")
    parser.add_argument("--reps", type=int, default=3, help="runs of each contender (default: 3)")
    parser.add_argument("--ranks", type=int, default=4, help="processes (default: 4)")
    parser.add_argument("--mpi", action="append", choices=[str(mpi) for mpi in Mpi])
    parser.add_argument("--dir", type=Path, help="where the programs' files go (default: --out)")
    parser.add_argument(
        "--out",
        type=Path,
        default=libraries.TREE / "results",
        help="directory of demo.png, demo.svg and demo.json (default: results in the source tree)",
    )
    options = parser.parse_args(argv)
    if options.reps < 1 or options.ranks < 1:
        parser.error("--reps and --ranks are 1 or more")
    return options


def _run_all(options: argparse.Namespace, chosen: list[Mpi], scratch: Path) -> list[Result]:
    results = [Result(e.name, e.title, mpi) for e in EXAMPLES for mpi in chosen]
    total = len(results) * options.reps * len(Side)
    with Progress(total) as progress:
        for example in EXAMPLES:
            reference = scratch / f"{example.name}.reference"
            for result in (r for r in results if r.program == example.name):
                for contender in _turns(result.mpi, options.reps):
                    progress.step(f"{example.title}: {contender.title}")
                    if not result.problems:  # what failed once will fail again
                        _run_one(example, contender, result, reference, options)
            reference.unlink(missing_ok=True)
    return results


def _turns(mpi: Mpi, repetitions: int) -> Iterator[Contender]:
    for _ in range(repetitions):
        yield from demo_contenders.contenders([mpi])


def _run_one(
    example: Example,
    contender: Contender,
    result: Result,
    reference: Path,
    options: argparse.Namespace,
) -> None:
    file = reference.with_name(f"{example.name}.{contender.mpi}.{contender.side}")
    stats = reference.with_name("statistics.json")
    words = example.words(contender.mpi, file, options.size)
    job = Job(words, options.ranks, stats, example.python_path(contender.mpi))
    try:
        reports = demo_contenders.run(contender, job)
        if len(reports) != 1 or reports[0]["wrong"] != 0 or reports[0]["ranks"] != options.ranks:
            raise RunError(f"unexpected report {reports}")
        result.bytes = reports[0]["bytes"]
        _check_who_worked(contender, result, demo_contenders.statistics(stats), file)
        for direction in DIRECTIONS:
            result.seconds[contender.side][direction].append(reports[0][f"{direction}_seconds"])
        if not reference.exists():
            file.rename(reference)
        elif not same_bytes(reference, file):
            raise RunError("the file differs from that of the first run")
        else:
            result.files_compared += 1
    except RunError as error:
        result.problems.append(f"{example.title}, {contender.title}: {error}")
    finally:
        file.unlink(missing_ok=True)


def _check_who_worked(
    contender: Contender, result: Result, lines: list[dict[str, Any]], file: Path
) -> None:
    if contender.side is Side.NATIVE:
        if lines:
            raise RunError("resonio was under the native run")
        return
    for direction in DIRECTIONS:
        moved = demo_contenders.moved_bytes(lines, file, direction)
        if moved < result.bytes:
            raise RunError(f"resonio's statistics tell of {moved} bytes in {direction} calls only")
    used = {name for line in lines for name in line["strategies"]}
    result.strategies = sorted(used | set(result.strategies))


def same_bytes(one: Path, other: Path, chunk: int = 4 << 20) -> bool:
    """Compare two files byte for byte."""
    if one.stat().st_size != other.stat().st_size:
        return False
    with one.open("rb") as a, other.open("rb") as b:
        while data := a.read(chunk):
            if data != b.read(chunk):
                return False
    return True


def _show(results: list[Result], options: argparse.Namespace) -> None:
    for example in EXAMPLES:
        print(f"{example.title}: {example.what}")
    rows = []
    for result in results:
        for direction in DIRECTIONS:
            rows.append([result.title, result.mpi.title, direction, *_cells(result, direction)])
    output.table(
        f"MB/s from open to close: {_settings(results, options)}",
        ["program", "MPI", "", "native", "resonio", "ratio", "files"],
        rows,
    )


def _settings(results: list[Result], options: argparse.Namespace) -> str:
    size = next((r.bytes for r in results if r.bytes), 0)
    return (
        f"{options.ranks} ranks, files of about {size / 1e6:.0f} MB, "
        f"median of {options.reps} runs (slowest to fastest)"
    )


def _cells(result: Result, direction: str) -> list[str]:
    if result.problems or not result.complete():
        return ["", "", "", "FAILED"]
    cells = []
    for side in Side:
        rates = result.rates(side, direction)
        cells.append(f"{median(rates):,.0f} ({min(rates):,.0f} to {max(rates):,.0f})")
    return [*cells, f"{result.ratio(direction):.2f}x", "same bytes"]


def _save(results: list[Result], machine: dict[str, str], options: argparse.Namespace) -> None:
    measured = []
    for result in results:
        entry = asdict(result)
        if result.complete():
            entry["ratio"] = {d: round(result.ratio(d), 3) for d in DIRECTIONS}
        measured.append(entry)
    path = options.out / "demo.json"
    what = {"machine": machine, "ranks": options.ranks, "size": options.size, "results": measured}
    temporary = path.with_suffix(".json.new")
    temporary.write_text(json.dumps(what, indent=2) + "\n")
    temporary.replace(path)
    print(f"numbers: {path}")
