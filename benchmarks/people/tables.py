"""Correlations of every metric with every judgement, and the page."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.people.material import Unit
from fas.stats.correlation import correlation
from fas.stats.dependent import correlation_difference

OTHERS = ("rougeL", "bertscore_f1", "words")
"""What FAS, coverage and fas_f1 are compared with."""
COMPARED = ("fas", "support@5", "1 - contra@5", "p(support)", "coverage", "fas_f1")
SHOWN = (
    "fas", "support@5", "1 - contra@5", "p(support)", "1 - p(contradict)", "coverage", "fas_f1",
    "lexical fas", "lexical support@5", "lexical 1 - contra@5", "lexical p(support)", "lexical coverage",
    "lexical fas_f1", "rouge1", "rougeL", "bleu4", "bertscore_f1", "cosine", "words",
)  # fmt: skip
N_RESAMPLES = 2000
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
        columns = {name: column for name, column in columns.items() if not np.isnan(column).all()}
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


def _column(name: str, units: Sequence[Unit], values: Mapping[str, Mapping[str, float]]) -> np.ndarray:
    def value(row: str) -> float:
        return values[row].get(name, math.nan)

    return np.array([value(one.plus) - (0.0 if one.minus is None else value(one.minus)) for one in units])


def _difference(a: np.ndarray, b: np.ndarray, truth: Sequence[float], options: Mapping[str, Any]) -> dict[str, Any]:
    one = correlation_difference(a, b, truth, **options)
    return {"difference": one.difference, "low": one.low, "high": one.high, "n": one.n, "how": one.how}


def page(stored: Mapping[str, Any]) -> str:
    """The page: one table of all sets, then where FAS is worse, then the sets one by one."""
    columns = [(name, gold) for name, one in stored.items() for gold in one["gold"]]
    lines = [
        "# Metrics beside people",
        "",
        "Made by `python -m benchmarks.people.measure --data DATA` from `people.json`; not edited by hand.",
        "",
        "Spearman's correlation of each metric with each judgement of people; * where the 95% interval, which resamples "
        "questions (reviews, topics), leaves out 0. Each set is a bounded draw of whole questions with a fixed seed. "
        "`lexical`: the same claims and statements judged by the verifier that counts words. Where two answers were "
        "compared, metrics and judgements are differences of the two, and a metric that is the same from either side "
        "has none. Evidence and reference are the same text: the expert's answer or conclusion; for `factcheck` what "
        "people and a search found; for `haluquestqa` the other answer; for `factscore` what people found true in the "
        "biographies by two other systems (Wikipedia is not at hand). A better judgement is always the larger number.",
        "",
        "Published checkers and verifiers by language models are not in it: neither is at hand offline.",
        "",
        "## All sets",
        "",
        "| metric | " + " | ".join(f"{name}: {gold}" for name, gold in columns) + " |",
        "|:---|" + "---:|" * len(columns),
        "| n | " + " | ".join(str(stored[name]["gold"][gold]["n"]) for name, gold in columns) + " |",
    ]
    for metric in SHOWN:
        cells = [_starred(stored[name]["gold"][gold]["metrics"].get(metric)) for name, gold in columns]
        lines.append(f"| {metric} | " + " | ".join(cells) + " |")
    lines += ["", "## Paired differences", ""]
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
    lines += ["", *_counted(stored, columns), ""]
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


def _counted(stored: Mapping[str, Any], columns: Sequence[tuple[str, str]]) -> list[str]:
    """In how many judgements a metric follows people better or worse than ROUGE-L, beyond its interval."""
    lines = []
    for metric in COMPARED:
        rows = [stored[name]["gold"][gold]["metrics"].get(metric) for name, gold in columns]
        found = [row["less"].get("rougeL") for row in rows if row is not None]
        known = [one for one in found if one is not None and one["low"] is not None]
        better = sum(one["low"] > 0 for one in known)
        worse = sum(one["high"] < 0 for one in known)
        lines.append(
            f"- {metric}: better than ROUGE-L on {better} of {len(known)} judgements, worse on {worse}, "
            f"undecided on {len(known) - better - worse}."
        )
    return lines


def _starred(row: Mapping[str, Any] | None) -> str:
    if row is None or row["spearman"]["value"] is None:
        return "–"
    one = row["spearman"]
    sure = one["low"] is not None and (one["low"] > 0 or one["high"] < 0)
    return f"{one['value']:+.2f}" + ("*" if sure else "")


def _interval(row: Mapping[str, Any] | None) -> str:
    if row is None or row["difference"] is None:
        return "–"
    limits = "" if row["low"] is None else f" [{row['low']:+.2f}, {row['high']:+.2f}]"
    return f"{row['difference']:+.2f}{limits}"
