"""Tables of what `resonio bench` measured: on the terminal, as Markdown, as JSON."""

from __future__ import annotations

from statistics import median
from typing import Any, NamedTuple

from resonio import output
from resonio.demo_contenders import Contender, Side
from resonio.mpi import Mpi

FLOOR = "floor"
SLOWER = 0.95  # ratios below are pointed out


class Key(NamedTuple):
    """What was done; contenders with the same key can be compared."""

    where: str
    mode: str
    block: int
    phase: str
    ranks: int


# (key, contender) -> (bytes of one access, seconds of each repetition)
Measured = dict[tuple[Key, str], tuple[int, list[float]]]


class Range(NamedTuple):
    """What a row shows of the repetitions."""

    low: float
    middle: float
    high: float


def values(measured: Measured, key: Key, contender: str) -> Range | None:
    """MB/s, or for single calls the nanoseconds of one."""
    found = measured.get((key, contender))
    if found is None:
        return None
    size, seconds = found
    if key.mode == "calls":
        numbers = [s * 1e9 * key.block * key.ranks / size for s in seconds]
    else:
        numbers = [size / s / 1e6 for s in seconds]
    return Range(min(numbers), median(numbers), max(numbers))


def ratio(measured: Measured, key: Key, mpi: Mpi) -> float | None:
    """How many times as fast as native resonio is: of the medians."""
    native, resonio = (values(measured, key, Contender(mpi, side).title) for side in Side)
    if native is None or resonio is None:
        return None
    times = resonio.middle / native.middle
    return 1 / times if key.mode == "calls" else times


def show(measured: Measured, chosen: list[Mpi]) -> None:
    """The table on the terminal: medians."""
    rows = [[*_what(key), *_cells(measured, key, chosen, ranges=False)] for key in _keys(measured)]
    output.table("median MB/s (calls: ns a call)", [*_WHAT, *_header(chosen)], rows)
    slower = _slower(measured, chosen)
    for line in slower:
        print(f"slower than native: {line}")
    if not slower:
        print(f"nothing below {SLOWER} of native")


def markdown(
    measured: Measured, chosen: list[Mpi], machine: dict[str, str], settings: dict[str, int]
) -> str:
    """The machine and a table for each file system, with minimum and maximum."""
    lines = [f"- {name}: {value}" for name, value in (*machine.items(), *settings.items())]
    lines += ["", "Median (minimum to maximum), MB/s; for calls, ns a call.", ""]
    header = [*_WHAT, *_header(chosen)]
    lines += [_line(header), _line(["---"] * len(header))]
    for key in _keys(measured):
        lines.append(_line([*_what(key), *_cells(measured, key, chosen, ranges=True)]))
    lines += ["", *(f"- slower than native: {line}" for line in _slower(measured, chosen))]
    return "\n".join(lines).rstrip() + "\n"


def as_json(measured: Measured) -> list[dict[str, Any]]:
    """Every repetition."""
    return [
        {**key._asdict(), "contender": contender, "bytes": size, "seconds": seconds}
        for (key, contender), (size, seconds) in measured.items()
    ]


_WHAT = ["on", "access", "block", ""]


def _what(key: Key) -> list[str]:
    return [key.where, key.mode, str(key.block), key.phase]


def _header(chosen: list[Mpi]) -> list[str]:
    names = []
    for mpi in chosen:
        names += [*(Contender(mpi, side).title for side in Side), "ratio"]
    return [*names, FLOOR]


def _keys(measured: Measured) -> list[Key]:
    return list(dict.fromkeys(key for key, _ in measured))


def _cells(measured: Measured, key: Key, chosen: list[Mpi], ranges: bool) -> list[str]:
    cells = []
    for mpi in chosen:
        for side in Side:
            cells.append(_text(values(measured, key, Contender(mpi, side).title), ranges))
        times = ratio(measured, key, mpi)
        cells.append("" if times is None else f"{times:.2f}")
    return [*cells, _text(values(measured, key, FLOOR), ranges)]


def _text(numbers: Range | None, ranges: bool) -> str:
    if numbers is None:
        return ""
    middle = f"{numbers.middle:.0f}"
    return f"{middle} ({numbers.low:.0f} to {numbers.high:.0f})" if ranges else middle


def _slower(measured: Measured, chosen: list[Mpi]) -> list[str]:
    lines = []
    for key in _keys(measured):
        for mpi in chosen:
            times = ratio(measured, key, mpi)
            if times is not None and times < SLOWER:
                lines.append(f"{mpi.title}, {' '.join(_what(key))}: {times:.2f}")
    return lines


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"
