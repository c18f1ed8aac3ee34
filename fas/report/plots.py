"""Figures as PNG and SVG by matplotlib, which is imported when a figure is made; nothing has to be closed."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from fas.core.loading import import_extra
from fas.core.records import MetricSummary

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Okabe and Ito's palette, which stays apart for colour-blind readers; each with a line style and mark of its own.
_BLUE, _ORANGE, _GREEN, _PURPLE, _GREY = "#0072B2", "#D55E00", "#009E73", "#8A4F9E", "#555555"
_STYLES = ((_BLUE, "-", "o"), (_ORANGE, "--", "s"), (_GREEN, "-.", "^"), (_PURPLE, ":", "D"))
_MORE_STYLES = (*_STYLES, (_GREY, (0, (5, 1)), "v"), ("#000000", (0, (1, 1)), "x"))
_SETTINGS: dict[str, Any] = {
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "svg.fonttype": "none",  # text stays text
    "svg.hashsalt": "fas",  # and the same figure gives the same file
}


def save_plot(fig: Figure, path: Path) -> tuple[Path, Path]:
    """Write a figure as PNG and as SVG.

    *path*: where; its suffix, if it is .png or .svg, is replaced by each of the two.

    Returns:
        The two files.
    """
    matplotlib = import_extra("matplotlib", "plots")
    base = path.with_suffix("") if path.suffix in (".png", ".svg") else path
    png, svg = base.with_name(base.name + ".png"), base.with_name(base.name + ".svg")
    with matplotlib.rc_context(_SETTINGS):
        fig.savefig(png, dpi=200)
        fig.savefig(svg, metadata={"Date": None})
    return png, svg


def plot_panels(panels: Mapping[str, Mapping[str, MetricSummary]], *, title: str = "") -> Figure:
    """Means with their intervals in one panel per metric; the rows of all panels are the same.

    *panels*: metric to row to mean and interval. Each panel has a scale of its own.

    Raises:
        ValueError: No row of any panel has a mean.
    """
    rows = list(dict.fromkeys(name for panel in panels.values() for name in panel))
    shown = {name: panel for name, panel in panels.items() if any(not math.isnan(row.mean) for row in panel.values())}
    if not shown:
        raise ValueError("no row has a mean to plot")
    n_across = min(3, len(shown))
    n_down = math.ceil(len(shown) / n_across)
    width = max(0.07 * max(map(len, rows)) + 2.6 * n_across, 0.09 * len(title))
    fig, grid = _make_figure(width, 0.6 + n_down * (0.9 + 0.26 * len(rows)), n_down, n_across)
    flat = list(np.atleast_1d(np.asarray(grid, dtype=object)).flat)
    for place, (axes, (name, panel)) in enumerate(zip(flat, shown.items(), strict=False)):
        for y, row in ((y, panel[key]) for y, key in enumerate(rows) if key in panel):
            if not math.isnan(row.low):
                axes.plot([row.low, row.high], [y, y], color=_BLUE, linewidth=2, solid_capstyle="butt")
            if not math.isnan(row.mean):
                axes.plot([row.mean], [y], color=_BLUE, marker="o", markersize=5)
        axes.set_yticks(range(len(rows)), rows if place % n_across == 0 else [""] * len(rows))
        axes.set_ylim(len(rows) - 0.5, -0.5)
        axes.grid(color="#DDDDDD")
        axes.set_axisbelow(True)
        axes.set_title(name, fontsize=9)
        axes.tick_params(labelsize=8)
    for axes in flat[len(shown) :]:
        axes.set_visible(False)
    if title:
        fig.suptitle(title, fontsize=10)
    return fig


def plot_sweep(lines: Mapping[str, Sequence[tuple[float, MetricSummary]]], *, label: str, title: str = "") -> Figure:
    """Metrics over a setting, each with its interval as a bar; points of different lines are side by side.

    *lines*: metric to points (value of the setting, mean and interval); undefined means are left out.

    Raises:
        ValueError: No point has a mean.
    """
    kept = {name: [p for p in points if not math.isnan(p[1].mean)] for name, points in lines.items()}
    kept = {name: points for name, points in kept.items() if points}
    if not kept:
        raise ValueError("no point has a mean to plot")
    # The legend is below the axes and must leave them their height.
    n_across = max(1, int(6.4 / (0.5 + 0.075 * max(map(len, kept)))))
    fig, axes = _make_figure(6.4, 3.6 + 0.22 * math.ceil(len(kept) / n_across))
    every = sorted({x for points in kept.values() for x, _ in points})
    step = min((b - a for a, b in pairwise(every)), default=1.0)
    for i, (name, points) in enumerate(kept.items()):
        colour, line, marker = _MORE_STYLES[i % len(_MORE_STYLES)]
        aside = (i - (len(kept) - 1) / 2) * 0.06 * step
        x = [value + aside for value, _ in points]
        axes.plot(
            x, [row.mean for _, row in points], color=colour, linestyle=line, marker=marker, markersize=5, label=name
        )
        for at, (_, row) in zip(x, points, strict=True):
            if not math.isnan(row.low):
                axes.plot([at, at], [row.low, row.high], color=colour, linewidth=1.2)
    axes.set(xlabel=label, title=title)
    axes.set_xticks(every)
    axes.grid(axis="y", color="#EEEEEE")
    axes.legend(frameon=False, ncols=n_across, loc="upper center", bbox_to_anchor=(0.5, -0.15), fontsize=9)
    return fig


def _make_figure(width: float, height: float, n_down: int = 1, n_across: int = 1) -> tuple[Figure, Any]:
    """A figure and its axes (an array of them for a grid), outside pyplot's registry."""
    matplotlib = import_extra("matplotlib", "plots")
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure as MatplotlibFigure

    with matplotlib.rc_context(_SETTINGS):
        fig: Figure = MatplotlibFigure(figsize=(width, height), layout="constrained")
        FigureCanvasAgg(fig)
        grid = fig.subplots(n_down, n_across, squeeze=False)
    return fig, grid[0, 0] if n_down == n_across == 1 else grid
