"""The demo's picture: MB/s of each program and MPI, native beside resonio, with ratios."""

from __future__ import annotations

from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from resonio.demo_contenders import Side

if TYPE_CHECKING:
    from resonio.demo import Result

COLOURS = {Side.NATIVE: "#9aa5b1", Side.RESONIO: "#1f6feb"}
WIDTH = 0.38  # of a bar; two of them and a gap make one group


def draw(results: list[Result], caption: str, stem: Path) -> list[Path]:
    """Write stem.png and stem.svg."""
    import matplotlib as mpl

    mpl.use("Agg")
    mpl.rcParams["svg.hashsalt"] = "resonio"  # the same numbers give the same file
    from matplotlib import pyplot as plt

    figure, panels = plt.subplots(1, 2, figsize=(10, 4.4), layout="constrained", sharey=False)
    for panel, direction in zip(panels, ("write", "read"), strict=True):
        _panel(panel, results, direction)
    panels[0].set_ylabel("MB/s, open to close")
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper right", ncols=2, frameon=False)
    figure.suptitle(
        "Unmodified programs with the MPI's own MPI-IO and through resonio",
        x=0.01,
        ha="left",
        fontsize=12,
    )
    figure.supxlabel(caption, x=0.01, ha="left", fontsize=9, color="#57606a")
    paths = [stem.with_suffix(ending) for ending in (".png", ".svg")]
    for path in paths:
        metadata: dict[str, Any] = {"Date": None} if path.suffix == ".svg" else {}
        figure.savefig(path, dpi=150, facecolor="white", metadata=metadata)
    plt.close(figure)
    return paths


def _panel(panel: Any, results: list[Result], direction: str) -> None:  # noqa: ANN401
    for place, result in enumerate(results):
        tops = []
        for side, shift in zip(Side, (-WIDTH / 2, WIDTH / 2), strict=True):
            tops.append(_bar(panel, place + shift, result.rates(side, direction), side, place == 0))
        panel.annotate(
            f"{result.ratio(direction):.1f}x",
            (place, max(tops)),
            xytext=(0, 18),
            textcoords="offset points",
            ha="center",
            fontsize=12,
            fontweight="bold",
        )
    panel.set_title(direction, loc="left", fontsize=12)
    panel.set_xticks(range(len(results)), [f"{r.title}\n{r.mpi.title}" for r in results])
    panel.tick_params(axis="x", length=0)
    panel.spines[["top", "right"]].set_visible(False)
    panel.yaxis.grid(True, color="#e5e8eb")
    panel.set_axisbelow(True)
    panel.margins(y=0.2)


def _bar(panel: Any, x: float, rates: list[float], side: Side, labelled: bool) -> float:  # noqa: ANN401
    """One bar with its range and its number; the height it reaches."""
    middle = median(rates)
    panel.bar(x, middle, WIDTH, color=COLOURS[side], label=str(side) if labelled else None)
    panel.vlines(x, min(rates), max(rates), color="#57606a", linewidth=1)
    panel.annotate(
        f"{middle:,.0f}",
        (x, middle),
        xytext=(0, 3),
        textcoords="offset points",
        ha="center",
        fontsize=9,
        bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.85, "pad": 0.5},
    )
    return max(rates)
