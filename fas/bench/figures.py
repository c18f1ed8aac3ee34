"""The plot of a table, drawn from its cells alone."""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING

from fas.bench.formats import Cell, ResultTable
from fas.core.records import MetricSummary
from fas.report.plots import plot_panels, plot_sweep
from fas.stats.bootstrap import Estimate

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw(table: ResultTable) -> Figure | None:
    """The table's figure, or None where it has none to draw (see `Table.plot`) or no value at all."""
    wide = table.estimates()
    said = _find_label_columns(table)
    if table.plot == "none" or not any(_is_drawable(row[i]) for row in table.rows for i in wide):
        return None
    if table.plot == "sweep":
        lines: dict[str, list[tuple[float, MetricSummary]]] = {}
        for row in table.rows:
            for i in wide:
                label = ", ".join([*(str(row[j]) for j in said if j), table.columns[i].name])
                cell = row[i]
                if isinstance(cell, Estimate):
                    lines.setdefault(label, []).append((float(str(row[0])), MetricSummary(*cell)))
        return plot_sweep(lines, label=table.columns[0].name, title=table.title)
    panels: dict[str, dict[str, MetricSummary]] = {}
    for row in table.rows:
        name = ", ".join(str(row[j]) for j in said) or "all"
        for i in wide:
            cell = row[i]
            if isinstance(cell, Estimate):
                panels.setdefault(table.columns[i].name, {})[name] = MetricSummary(*cell)
    return plot_panels(panels, title=table.title)


def _find_label_columns(table: ResultTable) -> list[int]:
    """Positions of the leading text columns that tell rows apart; one value in every row says nothing in a figure."""
    leading = takewhile(lambda i: table.columns[i].form == "text", range(len(table.columns)))
    return [i for i in leading if len({row[i] for row in table.rows}) > 1]


def _is_drawable(cell: Cell) -> bool:
    return isinstance(cell, Estimate) and cell.value == cell.value
