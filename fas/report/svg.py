"""Small charts as inline SVG: forest plot, histogram, sparkline.

Colours come from the page's style sheet by class, so that the charts follow light, dark and
print. Every chart has a text alternative.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from fas.core.checks import count_of

_WIDTH, _ROW = 500, 28


class ForestRow(NamedTuple):
    """One line of a forest plot; `low` and `high` may be NaN."""

    name: str
    mean: float
    low: float
    high: float
    n: int


def draw_forest(rows: Sequence[ForestRow], *, title: str) -> str:
    """Means with intervals on one axis, as SVG; rows without a mean are left out."""
    shown = [row for row in rows if not math.isnan(row.mean)]
    if not shown:
        return ""
    values = [value for row in shown for value in (row.mean, row.low, row.high) if not math.isnan(value)]
    low, high = min(0.0, math.floor(min(values) * 10) / 10), max(1.0, math.ceil(max(values) * 10) / 10)
    label_width = min(250, 18 + 8 * max(len(row.name) for row in shown))
    left, right, top = label_width, _WIDTH - 56, 8
    bottom = top + _ROW * len(shown)

    def place(value: float) -> float:
        return left + (value - low) / (high - low) * (right - left)

    parts = []
    for tick in _place_ticks(low, high):
        parts.append(f'<line class="grid" x1="{place(tick):.1f}" x2="{place(tick):.1f}" y1="{top}" y2="{bottom}"/>')
        parts.append(f'<text class="tick" x="{place(tick):.1f}" y="{bottom + 18}" text-anchor="middle">{tick:g}</text>')
    for i, row in enumerate(shown):
        y = top + _ROW * (i + 0.5)
        parts.append(
            f'<text class="label" x="{left - 12}" y="{y + 5:.1f}" text-anchor="end">{_shorten(row.name)}</text>'
        )
        if not (math.isnan(row.low) or math.isnan(row.high)):
            parts.append(
                f'<path class="whisker" d="M{place(row.low):.1f} {y - 5:.1f}v10M{place(row.high):.1f} {y - 5:.1f}v10'
                f'M{place(row.low):.1f} {y:.1f}H{place(row.high):.1f}"/>'
            )
        parts.append(f'<circle class="point" cx="{place(row.mean):.1f}" cy="{y:.1f}" r="4.5"/>')
        parts.append(f'<text class="value" x="{right + 12}" y="{y + 5:.1f}">{row.mean:.3f}</text>')
    spoken = "; ".join(
        f"{row.name} {row.mean:.3f}" + ("" if math.isnan(row.low) else f" ({row.low:.3f} to {row.high:.3f})")
        for row in shown
    )
    return _wrap_svg(_WIDTH, bottom + 28, title, spoken, parts, "forest")


def draw_histogram(values: npt.NDArray[np.float64], *, title: str, n_bins: int = 20) -> str:
    """How the values (without NaN) spread over 0 to 1, with their mean, as SVG."""
    kept = values[~np.isnan(values)]
    if len(kept) == 0:
        return ""
    # Shares that are 0 or 1 up to rounding must not widen the axis.
    low, high = (0.0 if kept.min() > -1e-9 else -1.0), (1.0 if kept.max() < 1 + 1e-9 else float(kept.max()))
    counts, edges = np.histogram(np.clip(kept, low, high), bins=n_bins, range=(low, high))
    width, height, left, top = 300, 130, 8, 12
    plot_width, base = width - 2 * left, height - 22
    scale = (base - top) / max(1, counts.max())

    def place(value: float) -> float:
        return left + (value - low) / (high - low) * plot_width

    parts = [f'<line class="axis" x1="{left}" x2="{width - left}" y1="{base}" y2="{base}"/>']
    for count, start, end in zip(counts.tolist(), edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        if count:
            tall, wide = max(1.5, count * scale), place(end) - place(start) - 1.5
            parts.append(
                f'<rect class="bar" x="{place(start) + 0.75:.1f}" y="{base - tall:.1f}" width="{wide:.1f}" '
                f'height="{tall:.1f}"><title>{start:.2f} to {end:.2f}: {count}</title></rect>'
            )
    mean = float(kept.mean())
    parts.append(f'<line class="mean" x1="{place(mean):.1f}" x2="{place(mean):.1f}" y1="{top - 6}" y2="{base}"/>')
    for tick in (low, (low + high) / 2, high):
        anchor = "start" if tick == low else "end" if tick == high else "middle"
        parts.append(
            f'<text class="tick" x="{place(tick):.1f}" y="{height - 5}" text-anchor="{anchor}">{tick:g}</text>'
        )
    quartiles = np.quantile(kept, [0.25, 0.5, 0.75])
    spoken = (
        f"{count_of(len(kept), 'answer')}, mean {mean:.3f}, median {quartiles[1]:.3f}, "
        f"middle half {quartiles[0]:.3f} to {quartiles[2]:.3f}"
    )
    return _wrap_svg(width, height, title, spoken, parts, "histogram")


class SparkPoint(NamedTuple):
    """One point of a sparkline; `low` and `high` may be NaN. *href* is where the point leads, or empty."""

    name: str
    value: float
    low: float
    high: float
    href: str = ""


def draw_sparkline(points: Sequence[SparkPoint], *, title: str) -> str:
    """Values from 0 to 1 in their order, with their intervals, as SVG; points without a value are left out.

    Steps are even, however far apart the points are in time. Empty for fewer than two points.
    """
    shown = [point for point in points if not math.isnan(point.value)]
    if len(shown) < 2:
        return ""
    ends = [end for one in shown for end in (one.value, one.low, one.high) if not math.isnan(end)]
    low, high = min(ends), max(ends)
    width, height, edge = 220, 56, 8
    span = (high - low) or 1.0

    def find_place(i: int, value: float) -> tuple[float, float]:
        x = edge + i * (width - 2 * edge) / (len(shown) - 1)
        return x, height - edge - (value - low) / span * (height - 2 * edge)

    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in (find_place(i, one.value) for i, one in enumerate(shown)))
    parts = [f'<polyline class="trend" points="{line}"/>']
    for i, one in enumerate(shown):
        x, y = find_place(i, one.value)
        known = not (math.isnan(one.low) or math.isnan(one.high))
        if known:
            parts.append(
                f'<path class="whisker" d="M{x:.1f} {find_place(i, one.low)[1]:.1f}V{find_place(i, one.high)[1]:.1f}"/>'
            )
        said = f"{one.name}: {one.value:.3f}" + (f" [{one.low:.3f}, {one.high:.3f}]" if known else "")
        dot = f'<circle class="point" cx="{x:.1f}" cy="{y:.1f}" r="4"><title>{escape(said)}</title></circle>'
        parts.append(f'<a href="{escape(one.href)}" aria-label="{escape(said)}">{dot}</a>' if one.href else dot)
    spoken = f"from {shown[0].value:.3f} to {shown[-1].value:.3f} over {len(shown)} runs"
    drawn = _wrap_svg(width, height, title, spoken, parts, "sparkline")
    # What holds links is no image to a screen reader.
    return drawn.replace('role="img"', 'role="group"') if any(one.href for one in shown) else drawn


def _place_ticks(low: float, high: float) -> list[float]:
    step = 0.2 if high - low <= 1.6 else 0.5
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [round(i * step, 10) for i in range(first, last + 1)]


def _shorten(name: str, most: int = 28) -> str:
    """A label that fits; the whole name is in the text alternative and the table."""
    return escape(name if len(name) <= most else name[: most - 1] + "…")


def _wrap_svg(width: float, height: float, title: str, spoken: str, parts: Sequence[str], kind: str) -> str:
    return (
        f'<svg class="{kind}" viewBox="0 0 {width:g} {height:g}" role="img" aria-label="{escape(title)}: '
        f'{escape(spoken)}">{"".join(parts)}</svg>'
    )
