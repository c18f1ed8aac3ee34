"""The tables of README.md from the stored results.

    python -m benchmarks.retrieval.page

`scifact.py`, `dense.py` and `scale.py` store them beside it; the last column of the growth is computed here.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.stored import measured
from benchmarks.tables import estimate, filled, table, write

HERE = Path(__file__).parent
PAGE = HERE / "README.md"
PUBMED = 38_000_000
# Quantities that grow with the size of the index: name, path in the results, unit.
GROWING = (
    ("build, wall clock", ("build_s",), "s"),
    ("build, processor time", ("build_cpu_s",), "s"),
    ("index on disk, with the texts", ("index_mb",), "MB"),
    ("query for top 5, median, wall clock", ("query", "p50_ms"), "ms"),
    ("query for top 5, median, processor time", ("query", "cpu_p50_ms"), "ms"),
    ("batch, processor time a query", ("batch_top_5", "cpu_ms_per_query"), "ms"),
)
# Quantities that must not grow; a line through them means nothing.
BOUNDED = (
    ("building, own memory, all processes", ("build_peak_mb", "total_anonymous"), "MB"),
    ("building, with mapped files", ("build_peak_mb", "total_resident"), "MB"),
    ("searching, own memory", ("memory_mb", "RssAnon"), "MB"),
    ("queries a second in batches, wall clock", ("batch_top_5", "per_s"), ""),
)


def pages() -> dict[Path, str]:
    """The page with the tables of the stored results."""
    made = {"scifact": ranking(_stored("scifact")), "scale": growth(_stored("scale"))}
    dense = HERE / "dense.json"
    made["dense"] = ranking(_stored("dense")) if dense.is_file() else "Not measured: there is no `dense.json`."
    return filled(PAGE, made)


def _stored(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((HERE / f"{name}.json").read_text(encoding="utf-8"))
    return found


def ranking(stored: dict[str, Any]) -> str:
    """Recall and nDCG of every system; differences with their signs."""
    groups = stored["table"]
    systems = next(iter(groups.values())) if len(groups) == 1 else groups
    names = list(next(iter(systems.values())))
    rows = [
        [system, *(estimate(*row[name], sign=" - " in system) for name in names)] for system, row in systems.items()
    ]
    about = f"{measured([stored])[:-1]}; {stored['precision']}."
    return f"{about}\n\n{table(('system', *names), rows)}"


def growth(stored: dict[str, Any]) -> str:
    """Every size that was measured, and the straight line through the two largest at PubMed's size."""
    sizes = sorted((one for key, one in stored.items() if key.isdigit()), key=lambda one: one["records"])
    further = extrapolate(sizes, PUBMED)
    titles = ["", *(f"{one['records']:,}" for one in sizes), f"{PUBMED:,} (extrapolated)"]
    rows: list[list[str]] = [
        # The wall clock of a shared machine is not extrapolated.
        [name, *(_put(value(one, path), unit) for one in sizes), "" if "clock" in name else _put(further[name], unit)]
        for name, path, unit in GROWING
    ]
    rows += [[name, *(f"{value(one, path):,.0f} {unit}".strip() for one in sizes), ""] for name, path, unit in BOUNDED]
    found = [f"{100 * value(one, ('query', 'source_document_in_top_5')):.1f}%" for one in sizes]
    rows.append(["query for top 5 finds its source", *found, ""])
    rows.append(["load of the machine before", *(f"{one['machine']['load_before']:.0f}" for one in sizes), ""])
    machines = [one["machine"] for one in sizes]
    about = measured([{**one, "machine": f"{one['processors']} processors"} for one in machines])
    return f"{about}\n\n{table(titles, rows, right=range(1, len(titles)))}"


def _put(number: float, unit: str) -> str:
    return f"{number:,.0f} {unit}" if number >= 100 else f"{number:.3g} {unit}"


def extrapolate(sizes: Sequence[dict[str, Any]], records: int) -> dict[str, float]:
    """What *records* would need: each growing quantity on the straight line through the two largest sizes."""
    small, large = sizes[-2:]
    span = large["records"] - small["records"]
    found = {}
    for name, path, _ in GROWING:
        low, high = value(small, path), value(large, path)
        found[name] = high + (high - low) / span * (records - large["records"])
    return found


def value(result: dict[str, Any], path: tuple[str, ...]) -> float:
    """The number at *path* of a result."""
    found: Any = result
    for name in path:
        found = found[name]
    return float(found)


def main() -> None:
    """Write the page."""
    write(pages())


if __name__ == "__main__":
    main()
