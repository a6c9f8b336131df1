"""Text for people: plain lines, and tables that are coloured on a terminal only.

rich is imported late: `resonio run` needs none of it and should cost little.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import TextIO


def note(text: str) -> None:
    """One line about what the command does, on stderr: stdout is the program's."""
    print(f"resonio: {text}", file=sys.stderr, flush=True)


def warn(text: str) -> None:
    """One line about what may go wrong, on stderr."""
    note(f"warning: {text}")


def is_fancy(stream: TextIO) -> bool:
    """Whether colours and drawn lines are wanted on this stream."""
    return stream.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"


def table(title: str, header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table on stdout: drawn by rich on a terminal, else in aligned columns."""
    if is_fancy(sys.stdout):
        from rich.console import Console
        from rich.table import Table
        from rich.text import Text

        drawn = Table(
            title=title, title_justify="left", header_style="bold", show_header=any(header)
        )
        for name in header:
            drawn.add_column(name, overflow="fold")
        for row in rows:
            drawn.add_row(*(Text(cell) for cell in row))
        Console().print(drawn)
        return
    widths = [max(len(line[i]) for line in [header, *rows]) for i in range(len(header))]
    print(title)
    for line in [header, *rows] if any(header) else rows:
        print("  " + "  ".join(c.ljust(w) for c, w in zip(line, widths, strict=True)).rstrip())


def human(size: float) -> str:
    """A number of bytes for people: 1.5 GiB."""
    for unit in ("B", "KiB", "MiB", "GiB"):
        if size < 1024:
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1024
    return f"{size:.1f} TiB"
