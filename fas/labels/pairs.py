"""Answer against answer: which of two runs people prefer, by few labels and a metric of all pairs.

A pair is a claim that one answer is better; its verdict is what a metric says, `a`, `b` or `tie`. Drawing, labelling,
merging and correcting are then those of claims.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Unpack

import numpy as np

from fas.core.errors import InputError
from fas.labels.adjust import AdjustedFigure, AdjustedRun
from fas.labels.drawing import DrawnSample
from fas.labels.figures import Figure, Labelled, build_side, label_run
from fas.labels.files import read_labels
from fas.labels.judged import JudgedClaim, JudgedRun, number_names, read_judged
from fas.report.join import JoinRule, join, list_units, read_column
from fas.report.results import Results
from fas.report.sampling import Sampling
from fas.stats.bootstrap import BootstrapOptions, Resampling, mean_intervals
from fas.stats.prediction_powered import adjusted_mean

_FIRST_CHOICE = ("fas", "fas_evidence")
_WORTH = {
    "A better": {"a": 1.0, "b": 0.0, "tie": 0.0},
    "B better": {"a": 0.0, "b": 1.0, "tie": 0.0},
    "equal": {"a": 0.0, "b": 0.0, "tie": 1.0},
    "A better less B better": {"a": 1.0, "b": -1.0, "tie": 0.0},
}


def read_pairs(
    a: Path, b: Path, *, metric: str | None = None, cluster_by: str | None = "question", join_by: JoinRule = "question"
) -> tuple[JudgedRun, str, list[str]]:
    """The answers of both runs as pairs, the metric that judges them, and what a reader must know.

    The metric is FAS by default, or its evidence part where not both runs have it. An InputError where the runs do not
    belong together, or one has no such metric.
    """
    first, second = read_judged(a, cluster_by=cluster_by), read_judged(b, cluster_by=cluster_by)
    pairs = join(first.results, second.results, join_by)
    name = metric or next((one for one in _FIRST_CHOICE if _both_have(first.results, second.results, one)), "fas")
    if not _both_have(first.results, second.results, name):
        raise InputError(f"{a} and {b}: no metric {name!r} that both have", kind="nothing_in_common")
    values = [read_column(run.results, name, pairs.ids) for run in (first, second)]
    claims, records = [], {}
    for i, (one, other) in enumerate(zip(*values, strict=True)):
        if math.isnan(one) or math.isnan(other):
            continue
        both = [run.records[pairs.ids[i]] for run in (first, second)]
        verdict = "tie" if one == other else "a" if one > other else "b"
        claims.append(JudgedClaim(pairs.ids[i], 1, _hash_pair(*both), verdict, math.nan, math.nan))
        records[pairs.ids[i]] = {"a": both[0], "b": both[1], "values": (float(one), float(other))}
    if not claims:
        raise InputError(f"{a} and {b}: no answer of which both have {name!r}", kind="nothing_in_common")
    return JudgedRun(first.results, tuple(claims), records, frozenset(), "pairs"), name, pairs.notes()


def _hash_pair(a: Mapping[str, Any], b: Mapping[str, Any]) -> str:
    """A hash of both answers: a label names its pair by it, so that the answers must be those of the runs."""
    text = json.dumps([a["prediction"], b["prediction"]])
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def collect_pairs(
    run: JudgedRun,
    drawn: Iterable[DrawnSample],
    metric: str,
    said: Mapping[tuple[str, int], Sequence[str]] | None = None,
) -> list[dict[str, Any]]:
    """The page's item for each pair; the pair's hash decides which answer comes first, so that nobody can tell."""
    items = []
    for one in drawn:
        record = run.records[one.claim.id]
        first, second = ("a", "b") if int(one.claim.text, 16) % 2 else ("b", "a")
        values = dict(zip("ab", record["values"], strict=True))
        items.append(
            {
                "id": one.claim.id,
                "pair": 1,
                "text": one.claim.text,
                "pi": one.pi,
                "stratum": one.stratum,
                "question": record["a"]["question"],
                "prediction": record[first]["prediction"] or "",
                "second": record[second]["prediction"] or "",
                "order": [first, second],
                "verdict": f"first: {first.upper()}, {metric} {values[first]:.3f}; "
                f"second: {second.upper()}, {values[second]:.3f}",
                "evidence": [],
                "said": list((said or {}).get(one.claim.key, ())),
            }
        )
    return items


def adjust_preferences(
    a: Path,
    b: Path,
    labels: Path,
    *,
    metrics: Sequence[str] | None = None,
    cluster_by: str | None = "question",
    join_by: JoinRule = "question",
    **options: Unpack[BootstrapOptions],
) -> AdjustedRun:
    """Shares of pairs whose better answer is the first run's, by labels of some pairs and a metric of all.

    *metrics* has one name at most; see `read_pairs` for the default. An InputError where *labels* are not of pairs.
    """
    if metrics is not None and len(metrics) != 1:
        raise InputError("give one metric, by which the better answer is chosen", kind="usage")
    metric = None if metrics is None else metrics[0]
    file = read_labels(labels)
    if file.of != "pairs":
        raise InputError(
            f"--against needs --labels-against FILE, or labels of pairs; {labels} has labels of {file.of}", kind="usage"
        )
    run, name, notes = read_pairs(a, b, metric=metric, cluster_by=cluster_by, join_by=join_by)
    labelled = label_run(run, file)
    ids = [claim.id for claim in run.claims]
    clusters = list_units(run.results, ids)
    units = number_names(clusters if clusters is not None else ids)
    found = {}
    for title, worth in _WORTH.items():
        share = min(worth.values()) >= 0
        side = build_side(labelled, Figure(title, worth, share), ids, units, int(units.max()) + 1)
        given: BootstrapOptions = {**options, "clusters": units}
        raw = mean_intervals({"": side.predicted}, proportions={""} if share else (), **given)[""]
        adjusted = adjusted_mean(side, level=Resampling(**options).level, share=share)
        found[title] = AdjustedFigure(raw, adjusted, len(ids))
    return AdjustedRun(
        run=run.results.path,
        against=b,
        figures=found,
        sampling=Sampling.of(len(ids), clusters, cluster_by, **options),
        signature=None,
        remarks=(f"raw: the better answer by {name}", _describe_agreement(labelled, name), *notes, *labelled.remarks),
        pairs=True,
    )


def _describe_agreement(labelled: Labelled, metric: str) -> str:
    verdicts = {claim.key: claim.verdict for claim in labelled.run.claims}
    said = [(one.label, verdicts[key]) for key, one in labelled.labels.items()]
    decided = [both for both in said if "tie" not in both]
    same = sum(label == verdict for label, verdict in decided)
    return f"of the {len(decided)} labelled pairs on which neither says equal, people and {metric} agree on {same}"


def _both_have(a: Results, b: Results, metric: str) -> bool:
    return all(metric in one.metrics and not np.isnan(one.metrics[metric]).all() for one in (a, b))
