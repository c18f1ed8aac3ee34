"""Correlations of every metric with every judgement, and the page."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.people.material import Unit
from fas.stats.correlation import correlation
from fas.stats.correlation import correlation_difference

OTHERS = ("rougeL", "bertscore_f1", "words")
"""What FAS, coverage and fas_f1 are compared with."""
OTHER_NAMES = {"rougeL": "ROUGE-L", "bertscore_f1": "BERTScore", "words": "length"}
COMPARED = ("fas", "support@5", "1 - contra@5", "p(support)", "coverage", "fas_f1")
SHOWN = (
    "fas", "support@5", "1 - contra@5", "p(support)", "1 - p(contradict)", "coverage", "fas_f1",
    "lexical fas", "lexical support@5", "lexical 1 - contra@5", "lexical p(support)", "lexical coverage",
    "lexical fas_f1", "rouge1", "rougeL", "bleu4", "bertscore_f1", "cosine", "words",
)  # fmt: skip
OF_OMISSIONS = (
    ("kqa", "comprehensiveness"), ("medlfqa", "omits less"), ("haluquestqa", "completeness"), ("mslr", "same PIO"),
)  # fmt: skip
"""Judgements of what an answer leaves out."""
N_RESAMPLES = 2000
FEWEST_OFF = 10
"""Units that must differ from a metric's most common value, or its correlation is one of a few units alone."""
READ = Path(__file__).with_name("read.md")


def correlations(units: Sequence[Unit], values: Mapping[str, Mapping[str, float]]) -> dict[str, Any]:
    """Spearman's correlation of each metric with each judgement, and paired differences of it.

    Args:
        units: What people judged.
        values: Row to metric to value; units of rows that failed are left out.
    """
    found = {}
    for gold in dict.fromkeys(name for unit in units for name in unit.gold):
        kept = [
            unit
            for unit in units
            if gold in unit.gold and unit.plus in values and (unit.minus is None or unit.minus in values)
        ]
        truth = [unit.gold[gold] for unit in kept]
        clusters = [unit.cluster for unit in kept]
        columns = {name: _column(name, kept, values) for name in SHOWN}
        columns = {name: column for name, column in columns.items() if _varies(column)}
        options: dict[str, Any] = {"n_resamples": N_RESAMPLES, "clusters": clusters}
        rows = {}
        for name, column in columns.items():
            own = correlation(column, truth, **options)
            rows[name] = {
                "spearman": own._asdict(),
                "less": {
                    other: _difference(column, columns[other], truth, options)
                    for other in (*OTHERS, "fas")
                    if name in COMPARED and other in columns and other != name
                },
            }
        found[gold] = {"n": len(kept), "n_clusters": len(set(clusters)), "metrics": rows}
    return found


def _varies(column: np.ndarray) -> bool:
    """Whether there is something to correlate: enough units off the most common value."""
    known = column[~np.isnan(column)]
    return len(known) > 0 and len(known) - int(np.unique(known, return_counts=True)[1].max()) >= FEWEST_OFF


def _column(name: str, units: Sequence[Unit], values: Mapping[str, Mapping[str, float]]) -> np.ndarray:
    def value(row: str) -> float:
        return values[row].get(name, math.nan)

    return np.array([value(one.plus) - (0.0 if one.minus is None else value(one.minus)) for one in units])


def _difference(a: np.ndarray, b: np.ndarray, truth: Sequence[float], options: Mapping[str, Any]) -> dict[str, Any]:
    one = correlation_difference(a, b, truth, **options)
    return {"difference": one.difference, "low": one.low, "high": one.high, "n": one.n, "how": one.how}


def page(stored: Mapping[str, Any]) -> str:
    """The page: tables of answers and of claims, paired differences, what was read, and the sets."""
    columns = [(name, gold) for name, one in stored.items() for gold in one["gold"]]
    lines = [
        "# Metrics beside people",
        "",
        "Made by `python -m benchmarks.people.measure --data DATA` from `people.json`; not edited by hand, but for the "
        "part that says what was read (`read.md`).",
        "",
        "Every judgement by people in the sets at hand that a metric can be held against. Spearman's correlation of each "
        "metric with each judgement, in bold where the 95% interval leaves out 0; intervals resample questions (reviews, "
        "topics, premises). Each set is a bounded draw of whole questions with a fixed seed. A better judgement is "
        "always the larger number. `lexical`: the same claims and statements judged by the verifier that counts words. "
        "Where two answers were compared, metrics and judgements are differences of the two, and a metric that is the "
        f"same from either side has none; nor has one that is the same for all but {FEWEST_OFF} units.",
        "",
        "Evidence and reference are the same text: the expert's answer or conclusion, the passage, the premise; for "
        "`factcheck` what people and a search found; for `haluquestqa` the other answer; for `factscore` and `facts` "
        "what people found true in the biographies by the other systems (Wikipedia is not at hand). None of these "
        "sets went into the embedded verifier's weights or calibrator; K-QA, HealthVer and NLI4CT were measured with "
        "every version of it.",
        "",
        "Not in it: verifiers by language models and published checkers, which are not at hand offline; answers judged "
        "by a key and not by people (MIRAGE, in [its own page](../mirage/README.md)); MedExpert, whose labels are not "
        "at hand.",
    ]
    for level, heading in (("answer", "Answers"), ("claim", "Claims")):
        own = [(name, gold) for name, gold in columns if stored[name]["level"] == level]
        if own:
            lines += ["", f"## {heading}", "", *_correlated(stored, own)]
    lines += ["", *_covered(stored), "", "## Paired differences", ""]
    lines += [
        "Differences of Spearman's correlations on the same units, with 95% intervals.",
        "",
        "| set: judgement | metric | less ROUGE-L | less BERTScore | less length | less FAS |",
        "|:---|:---|---:|---:|---:|---:|",
    ]
    for name, gold in columns:
        for metric in COMPARED:
            row = stored[name]["gold"][gold]["metrics"].get(metric)
            if row is not None:
                cells = [_interval(row["less"].get(other)) for other in (*OTHERS, "fas")]
                lines.append(f"| {name}: {gold} | {metric} | {' | '.join(cells)} |")
    lines += ["", "Judgements on which a metric follows people better or worse, beyond the interval:", ""]
    lines += [*_counted(stored, columns), ""]
    if READ.is_file():
        lines += [READ.read_text(encoding="utf-8").strip(), ""]
    lines += ["## The sets", "", "| set | what people judged | scored rows | judged units at hand | errors |"]
    lines += ["|:---|:---|---:|---:|---:|"]
    lines += [
        f"| {name} | {one['title']} | {one['n_rows']} | {one['n_all']} | {one['errors']} |"
        for name, one in stored.items()
    ]
    lines += ["", *(f"- {name}: `{one['signatures']['nli']}`" for name, one in stored.items())]
    return "\n".join(lines) + "\n"


def _correlated(stored: Mapping[str, Any], columns: Sequence[tuple[str, str]]) -> list[str]:
    """A table of correlations, a column a judgement."""
    lines = [
        "| metric | " + " | ".join(f"{name}: {gold}" for name, gold in columns) + " |",
        "|:---|" + "---:|" * len(columns),
        "| units | " + " | ".join(str(stored[name]["gold"][gold]["n"]) for name, gold in columns) + " |",
        "| questions | " + " | ".join(str(stored[name]["gold"][gold]["n_clusters"]) for name, gold in columns) + " |",
    ]
    for metric in SHOWN:
        cells = [_cell(stored[name]["gold"][gold]["metrics"].get(metric)) for name, gold in columns]
        if set(cells) != {"–"}:
            lines.append(f"| {metric} | " + " | ".join(cells) + " |")
    return lines


def _covered(stored: Mapping[str, Any]) -> list[str]:
    """FAS beside coverage and fas_f1, for judgements of omissions."""
    lines = [
        "## What is missing: before and after coverage",
        "",
        "Judgements of what an answer leaves out, by FAS alone (before), and by coverage and fas_f1 (after), with 95% "
        "intervals and the paired differences from FAS. `kqa` and `medlfqa` look for the physicians' must-have "
        "statements, `haluquestqa` and `mslr` for the claims of the other answer or the authors' conclusion.",
        "",
        "| set: judgement | fas | coverage | less FAS | fas_f1 | less FAS |",
        "|:---|---:|---:|---:|---:|---:|",
    ]
    for name, gold in OF_OMISSIONS:
        if name in stored:
            rows = stored[name]["gold"][gold]["metrics"]
            cells = [_with_limits(rows.get("fas"))]
            for metric in ("coverage", "fas_f1"):
                row = rows.get(metric)
                cells += [_with_limits(row), _interval(None if row is None else row["less"].get("fas"))]
            lines.append(f"| {name}: {gold} | {' | '.join(cells)} |")
    return lines


def _with_limits(row: Mapping[str, Any] | None) -> str:
    if row is None:
        return "–"
    one = row["spearman"]
    return _interval({"difference": one["value"], "low": one["low"], "high": one["high"]})


def _counted(stored: Mapping[str, Any], columns: Sequence[tuple[str, str]]) -> list[str]:
    """In how many judgements a metric follows people better or worse than each old one, beyond its interval."""
    lines = ["| metric | " + " | ".join(f"than {OTHER_NAMES[other]}" for other in OTHERS) + " |"]
    lines.append("|:---|" + "---:|" * len(OTHERS))
    for metric in COMPARED:
        cells = []
        for other in OTHERS:
            rows = [stored[name]["gold"][gold]["metrics"].get(metric) for name, gold in columns]
            found = [row["less"].get(other) for row in rows if row is not None]
            known = [one for one in found if one is not None and one["low"] is not None]
            better, worse = sum(one["low"] > 0 for one in known), sum(one["high"] < 0 for one in known)
            cells.append(f"{better} better, {worse} worse, {len(known) - better - worse} undecided")
        lines.append(f"| {metric} | " + " | ".join(cells) + " |")
    return lines


def _cell(row: Mapping[str, Any] | None) -> str:
    if row is None or row["spearman"]["value"] is None:
        return "–"
    one = row["spearman"]
    sure = one["low"] is not None and (one["low"] > 0 or one["high"] < 0)
    return f"**{one['value']:+.2f}**" if sure else f"{one['value']:+.2f}"


def _interval(row: Mapping[str, Any] | None) -> str:
    if row is None or row["difference"] is None:
        return "–"
    limits = "" if row["low"] is None else f" [{row['low']:+.2f}, {row['high']:+.2f}]"
    return f"{row['difference']:+.2f}{limits}"
