"""The page of what the intervals cover, made of what is stored; `python -m benchmarks.coverage` writes both."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from fas.stats.intervals import FEW_EVENTS, FEWEST, FEWEST_OF_STATISTICS, PERCENTILE_FROM
from fas.stats.paired import FEWEST_THAT_DIFFER
from fas.stats.prediction_powered import FEWEST_STRATIFIED
from fas.stats.rare import EXPECTED

HERE = Path(__file__).parent
STORED = HERE / "coverage.json"
MODELS = HERE / "models.json"
PAGE = HERE.parent.parent / "docs" / "concepts" / "coverage.md"
LEAST, MOST_REJECTED = 0.92, 0.065


def page(rows: list[dict[str, Any]], models: dict[str, Any] | None = None) -> str:
    """The page, of simulated coverage and of real models compared."""
    samples = sorted({row["samples"] for row in rows})
    lines = [
        "# What the intervals cover",
        "",
        "Made by `python -m benchmarks.coverage` from `benchmarks/coverage/coverage.json`; not edited by hand.",
        "",
        "A cell is the share of simulated samples whose 95% interval holds the truth, among those for which an interval "
        "is given; behind a slash the share for which one is given where that is not all. n counts independent units: "
        "answers, or questions where answers share one. A dash: none is given, or for less than one sample in twenty. "
        f"Samples a cell: {' or '.join(f'{one:,}' for one in samples)}, so that a cell is known to 0.7 or 1.1 points; seeds are fixed "
        "(`benchmarks/coverage/simulate.py`). The last column names the kinds of interval (`fas/stats/intervals.py`).",
        "",
        f"No interval is given of a mean over fewer than {FEWEST} units, or units so unequal that they are worth fewer; of "
        f"another statistic over fewer than {FEWEST_OF_STATISTICS}; of a difference in which fewer than {FEWEST_THAT_DIFFER} "
        f"units differ; from fewer than {FEWEST_STRATIFIED} labels drawn by verdict. Percentiles are read from {PERCENTILE_FROM} "
        f"units on, of shares where {FEW_EVENTS} effective units lie on either side, and of correlations where {EXPECTED:g} "
        "units are expected to be off the commonest value of both variables.",
        "",
        *_table(rows, "coverage"),
        "",
        "## Tests",
        "",
        "The share of samples without an effect in which p is at most 0.05. Interval and p belong together: the interval "
        f"left out 0 where p was above 0.05, or held it where p was not, in {sum(row['contradict'] for row in rows)} samples.",
        "",
        *_table([row for row in rows if row["rejected"] is not None], "rejected"),
        "",
        "## What misses its target",
        "",
        f"Targets: where an interval is given it covers at least {LEAST:.0%}; a test at 5% rejects at most "
        f"{100 * MOST_REJECTED:.1f}% of what is equal.",
        "",
        f"Below {LEAST:.0%}: {_named(rows, 'coverage', lambda value: value < LEAST)}.",
        "",
        f"Above {100 * MOST_REJECTED:.1f}%: {_named(rows, 'rejected', lambda value: value > MOST_REJECTED)}.",
        "",
        f"Intervals that leave out their own estimate: {sum(row['excludes_estimate'] for row in rows)}.",
    ]
    if models is not None:
        lines += ["", *_models(models)]
    return "\n".join(lines) + "\n"


def _table(rows: list[dict[str, Any]], field: str) -> Iterator[str]:
    sizes = sorted({row["n"] for row in rows})
    by = {(row["figure"], row["data"], row["n"]): row for row in rows}
    yield "| figure | data | " + " | ".join(f"n = {n}" for n in sizes) + (" | kinds |" if field == "coverage" else " |")
    yield "|:---|:---|" + "---:|" * len(sizes) + (":---|" if field == "coverage" else "")
    for figure, data in dict.fromkeys((row["figure"], row["data"]) for row in rows):
        own = [by.get((figure, data, n)) for n in sizes]
        line = f"| {figure} | {data} | " + " | ".join("" if row is None else _cell(row, field) for row in own)
        kinds = ", ".join(dict.fromkeys(kind for row in own if row for kind in row["kinds"]))
        yield line + (f" | {kinds} |" if field == "coverage" else " |")


def _models(found: dict[str, Any]) -> Iterator[str]:
    rows = found["comparisons"]
    differ = [row for row in rows if row["answers"]["excludes_0"]]
    vanish = [row for row in differ if not row["questions"]["excludes_0"]]
    yield "## Real models compared"
    yield ""
    yield (
        "Made by `python -m benchmarks.coverage.models` from `benchmarks/coverage/models.json`: "
        f"{found['n_answers']:,} stored answers of {len(found['models'])} models to {found['n_questions']} questions of "
        f"{found['data']}, {found['per_question']} of a model to a question; every two models, answer by answer, by "
        f"{', '.join(found['metrics'])}."
    )
    yield ""
    yield (
        f"Of {len(rows)} comparisons {len(differ)} have an interval without 0 where every answer is a unit; "
        f"{len(vanish)} of these differences vanish where the question is. Intervals over questions are "
        f"{found['median_ratio']:.2f} times as wide (median; {found['ratios'][0]:.2f} to {found['ratios'][1]:.2f})."
    )
    yield ""
    yield f"Run: {found['date']}; `{found['signature']}`"


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
    """The page, of what is stored."""
    return {PAGE: page(*stored())}


def stored() -> list[Any]:
    """What the page is made of; the comparison of real models is left out as long as none is stored."""
    return [json.loads(path.read_text(encoding="utf-8")) for path in (STORED, MODELS) if path.exists()]
