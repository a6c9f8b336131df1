"""How far a long measurement is: a bar on a terminal, else a line for each step."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from types import TracebackType
from typing import Self

from resonio import output


class Progress:
    """Steps of a known number, on stderr."""

    def __init__(self, total: int) -> None:
        self._total = total
        self._begun = 0
        self._stack = ExitStack()
        self._fancy = output.is_fancy(sys.stderr)

    def __enter__(self) -> Self:
        if self._fancy:
            from rich.console import Console
            from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
            from rich.progress import Progress as Bar

            columns = (
                BarColumn(),
                MofNCompleteColumn(),
                TimeElapsedColumn(),
                TextColumn("{task.description}"),
            )
            self._bar = self._stack.enter_context(
                Bar(*columns, console=Console(stderr=True), transient=True)
            )
            self._task = self._bar.add_task("", total=self._total)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stack.__exit__(kind, error, trace)

    def step(self, what: str) -> None:
        """The next step begins."""
        if self._fancy:
            self._bar.update(self._task, completed=self._begun, description=what)
        else:
            print(f"[{self._begun + 1}/{self._total}] {what}", file=sys.stderr, flush=True)
        self._begun += 1
