"""The page on the coverage of the intervals; `python -m benchmarks.coverage` writes it and its results."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
STORED = HERE / "coverage.json"
PAGE = HERE / "README.md"
LEAST, MOST_REJECTED = 0.92, 0.065
STUDY = "mean by percentiles"


def page(rows: list[dict[str, Any]]) -> str:
    """The page of simulated coverage."""
    samples = sorted({row["samples"] for row in rows})
    study = [row for row in rows if row["figure"] == STUDY]
    rows = [row for row in rows if row["figure"] != STUDY]
    lines = [
        "# What the intervals cover",
        "",
        "Made by `python -m benchmarks.coverage` from `benchmarks/coverage/coverage.json`; not edited by hand.",
        "",
        "A cell is the share of simulated samples whose 95% interval holds the truth, among those with an interval. After a "
        "slash: the share with an interval, if not all; a dash: fewer than one in twenty. n counts units: answers, or "
        f"questions where answers share one. {' or '.join(f'{one:,}' for one in samples)} samples a cell give about one point "
        "of precision. Rows of several figures show the one with the lowest coverage. "
        "[Statistics](../../docs/concepts/statistics.md#intervals) says when there is an interval, and of which kind.",
        "",
        *_tables(rows, "coverage"),
        "",
        "## The study's interval beside ours",
        "",
        "The study takes percentiles of resampled means for any number of answers. On the same samples as the first rows "
        "above; below 100 answers it covers less than it says, most of all where scores are skewed, so `fas` does not print it.",
        "",
        *_tables(study, "coverage"),
        "",
        "## Tests",
        "",
        "The share of samples without an effect for which p is at most 0.05. Interval and p contradict each other in "
        f"{sum(row['contradict'] for row in rows)} samples.",
        "",
        *_tables([row for row in rows if row["rejected"] is not None], "rejected"),
        "",
        "## Targets missed",
        "",
        f"Coverage below {LEAST:.0%}: {_named(rows, 'coverage', lambda value: value < LEAST)}. Tests at 5% that reject more than "
        f"{100 * MOST_REJECTED:.1f}% of equal systems: {_named(rows, 'rejected', lambda value: value > MOST_REJECTED)}. Intervals "
        f"that exclude their own estimate: {sum(row['excludes_estimate'] for row in rows)}.",
    ]
    return "\n".join(lines) + "\n"


def _tables(rows: list[dict[str, Any]], field: str) -> Iterator[str]:
    """A table for the rows of every set of sizes; figures of the same rare events share a row, the worst of them."""
    cells: dict[tuple[str, str], dict[int, list[dict[str, Any]]]] = {}
    for row in rows:
        figure = "kappa, alpha, spearman" if row["data"].startswith("events") else row["figure"]
        cells.setdefault((figure, row["data"]), {}).setdefault(row["n"], []).append(row)
    last: list[int] = []
    for (figure, data), own in cells.items():
        if sorted(own) != last:
            if last:
                yield ""
            last = sorted(own)
            yield (
                "| figure | data | "
                + " | ".join(f"n = {n}" for n in last)
                + (" | kinds |" if field == "coverage" else " |")
            )
            yield "|:---|:---|" + "---:|" * len(last) + (":---|" if field == "coverage" else "")
        worst = [min(own[n], key=lambda row: -1 if row[field] is None else row[field]) for n in last]
        kinds = ", ".join(dict.fromkeys(kind for n in last for row in own[n] for kind in row["kinds"]))
        end = f" | {kinds} |" if field == "coverage" else " |"
        yield f"| {figure} | {data} | " + " | ".join(_cell(row, field) for row in worst) + end


def _cell(row: dict[str, Any], field: str) -> str:
    if row[field] is None:
        return "–"
    given = "" if field != "coverage" or row["given"] > 0.995 else f" / {100 * row['given']:.0f}"
    return f"{100 * row[field]:.1f}{given}"


def _named(rows: list[dict[str, Any]], field: str, misses: Any) -> str:
    return "; ".join(
        f"{row['figure']}, {row['data']}, n = {row['n']}: {100 * row[field]:.1f}%"
        for row in rows
        if row[field] is not None and misses(row[field])
    ) or "none"  # fmt: skip


def pages() -> dict[Path, str]:
    """The page of the stored results."""
    return {PAGE: page(json.loads(STORED.read_text(encoding="utf-8")))}
