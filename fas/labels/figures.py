"""Figures of a run that labels can correct, and its labelled claims as one side of an estimate."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from fas.core.errors import InputError
from fas.core.records.stored import metric_name
from fas.labels.drawing import assign_stratum
from fas.labels.files import BAD, COVERED, ClaimLabel, read_labels
from fas.labels.judged import JudgedRun, inclusion_of, match_labels, number_names, read_judged
from fas.scoring.rescoring import Settings
from fas.stats.prediction_powered import Side

OF_CLAIMS = "claims "
"""Begins the name of a share of all claims; the other figures are means over answers."""
OF_STATEMENTS = {
    "coverage": ("supported", "must"),
    "omitted": ("unsupported", "must"),
    "denied": ("contradicted", "must"),
    "coverage_nice": ("supported", "nice"),
}
"""Figures that labels of statements correct: the verdict that counts, and the kind of statement."""


class Figure(NamedTuple):
    """A figure that labels can correct: the mean of what each verdict is worth.

    Attributes:
        name: As in the report; `claims support@5` is the share of all claims.
        worth: Verdict to value.
        by_claim: All claims count alike; otherwise all answers do.
        bertscore: Weight of BERTScore F1 in it, which no label changes.
        kind: Only statements of this kind (`must`, `nice`); empty for claims.
    """

    name: str
    worth: Mapping[str, float]
    share: bool
    by_claim: bool = False
    bertscore: float = 0.0
    kind: str = ""


class Labelled(NamedTuple):
    """A run with the labels of its claims.

    Attributes:
        pi: Probability of each claim to have been chosen, NaN where there is no label.
        pi_chosen: Probability of each claim to have been chosen, labelled or not; NaN where it was not.
    """

    run: JudgedRun
    labels: Mapping[tuple[str, int], ClaimLabel]
    pi: np.ndarray
    strata: np.ndarray
    digest: str
    remarks: tuple[str, ...]
    open: frozenset[tuple[str, int]] = frozenset()
    pi_chosen: np.ndarray = np.zeros(0)


def read_labelled(path: Path, labels_path: Path, *, cluster_by: str | None = "question") -> Labelled:
    """A result folder and the labels of its claims."""
    file = read_labels(labels_path)
    if file.of == "faults":
        raise InputError(
            f"{labels_path}: labels of faults say nothing of verdicts; `fas labels merge` prints their shares",
            kind="other_run",
        )
    if file.of == "pairs":
        raise InputError(f"{labels_path}: labels of pairs need the other run, too: --against DIR", kind="usage")
    run = read_judged(path, cluster_by=cluster_by, of=file.of)
    labels, left_out = match_labels(run, file)
    if not labels:
        raise InputError(f"{labels_path}: no label of a claim that has a verdict", kind="nothing_in_common")
    remarks = []
    if left_out:
        remarks.append(f"{left_out} labels are of {file.of} without a verdict, which no figure counts: left out")
    if file.n_open:
        remarks.append(
            f"{file.n_open} chosen {file.of} have no label yet: taken for a random part of those chosen. Claims that "
            "people disagree on are none, if they are those on which the verifier errs, too: settle them "
            "(`fas labels merge --disputed`)"
        )
    if not file.has_probabilities:
        remarks.append(f"the labels name no probabilities (`pi`): taken for a simple random sample of all {file.of}")
    uncounted = "unsupported" if file.of == "claims" else COVERED["unsupported"]
    n_bad = sum(one.label == BAD for one in labels.values())
    if n_bad:
        remarks.append(f"{n_bad} of {len(labels)} labelled {file.of} are bad {file.of}: they count as {uncounted}")
    names = [assign_stratum(claim) for claim in run.claims]
    said = {claim.key: name for claim, name in zip(run.claims, names, strict=True)}
    known = any(one.stratum for one in labels.values())
    if not known or any(one.stratum != said[key] for key, one in labels.items()):
        names = [""] * len(names)
        if known:
            remarks.append("the strata of the labels are not those of `fas labels`: only the probabilities are used")
    chosen = {one.key: one for one in file.chosen if one.key not in run.unverified}
    open_ = frozenset(one.key for one in file.open if one.key in said)
    inclusion = inclusion_of(run, labels)
    return Labelled(
        run, labels, inclusion, number_names(names), file.digest, tuple(remarks), open_, inclusion_of(run, chosen)
    )


def list_figures(run: JudgedRun) -> list[Figure]:
    """The figures of a run that labels can correct."""
    metrics = run.results.metrics
    unit = {"supported": 0.0, "contradicted": 0.0, "unsupported": 0.0}
    if run.of == "statements":
        return [
            Figure(name, {**unit, label: 1.0}, True, kind=kind)
            for name, (label, kind) in OF_STATEMENTS.items()
            if any(one.kind == kind for one in run.claims)
        ]
    k = run.results.k
    if k is None:
        raise InputError(f"{run.results.path}: no metric 'support@k'", kind="type")
    weights = Settings.of(run.results.signature).weights
    rest = weights.support + weights.no_contradiction
    of = {"support": "supported", "contra": "contradicted", "unsupported": "unsupported"}
    found = [Figure(metric_name(name, k), {**unit, label: 1.0}, True) for name, label in of.items()]
    worth = {
        "supported": weights.support + weights.no_contradiction,
        "contradicted": 0.0,
        "unsupported": weights.no_contradiction,
    }
    found.append(Figure("fas_evidence", {label: value / rest for label, value in worth.items()}, False))
    if "fas" in metrics and not np.isnan(metrics["fas"]).all():
        found.append(Figure("fas", worth, False, bertscore=weights.bertscore))
    return found + [one._replace(name=OF_CLAIMS + one.name, by_claim=True) for one in found[:3]]


def build_side(labelled: Labelled, figure: Figure, answers: Sequence[str], units: np.ndarray, n_units: int) -> Side:
    """The claims of *answers*, each with a verified one, as a side of an estimate; *units*: the number of its unit."""
    place = {name: i for i, name in enumerate(answers)}
    kept = [i for i, one in enumerate(labelled.run.claims) if one.id in place and one.kind == figure.kind]
    claims = [labelled.run.claims[i] for i in kept]
    of_answer = np.array([place[claim.id] for claim in claims], dtype=np.intp)
    per_answer = np.bincount(of_answer, minlength=len(answers)).astype(np.float64)
    weights = np.ones(len(claims)) if figure.by_claim else 1.0 / per_answer[of_answer]
    offsets = np.zeros(n_units)
    if figure.bertscore:
        score = labelled.run.results
        known = score.metrics["bertscore_f1"][[score.place[name] for name in answers]]
        offsets += np.bincount(units, figure.bertscore * known, n_units)
    counted = per_answer if figure.by_claim else np.ones(len(answers))
    gold = np.full(len(claims), math.nan)
    for i, claim in enumerate(claims):
        if one := labelled.labels.get(claim.key):
            gold[i] = figure.worth["unsupported" if one.label == BAD else one.label]
    return Side(
        gold=gold,
        predicted=np.array([figure.worth[claim.verdict] for claim in claims]),
        inclusion=labelled.pi[kept],
        weights=weights,
        clusters=units[of_answer],
        sizes=np.bincount(units, counted, n_units).astype(np.float64),
        offsets=offsets,
        strata=number_names([str(labelled.strata[i]) for i in kept]),
    )


def whole_side(labelled: Labelled, figure: Figure) -> tuple[Side, list[str]]:
    """The claims of all answers that have a value of *figure*, and the ids of these."""
    run, names = labelled.run, list(labelled.run.results.lines)
    rows = select_with_value(run, figure)
    units = number_names([str(run.units[i]) for i in rows])
    answers = [names[i] for i in rows]
    return build_side(labelled, figure, answers, units, int(units.max()) + 1), answers


def bound_open_claims(labelled: Labelled, figure: Figure, side: Side, answers: Sequence[str]) -> tuple[Side, Side]:
    """*side* with every open claim at the least and at the most that a label could make of it."""
    there = set(answers)
    kept = [i for i, one in enumerate(labelled.run.claims) if one.id in there and one.kind == figure.kind]
    is_open = np.array([labelled.run.claims[i].key in labelled.open for i in kept], dtype=bool)
    least, most = (
        replace(side, gold=np.where(is_open, value, side.gold), inclusion=labelled.pi_chosen[kept])
        for value in (min(figure.worth.values()), max(figure.worth.values()))
    )
    return least, most


def pick_units(figures: Sequence[Figure], wanted: Sequence[str] | None, where: Path) -> list[Figure]:
    """The figures to report: *wanted*, or all."""
    if wanted is None:
        return list(figures)
    missing = [name for name in wanted if name not in {figure.name for figure in figures}]
    if missing:
        there = ", ".join(figure.name for figure in figures)
        raise InputError(f"{where}: no figure {', '.join(map(repr, missing))} to adjust; available: {there}")
    return [figure for figure in figures if figure.name in wanted]


def select_with_value(run: JudgedRun, figure: Figure) -> list[int]:
    """Rows of the answers that have a value of *figure*."""
    return [i for i, name in enumerate(run.results.lines) if has_value(run, figure, name)]


def has_value(run: JudgedRun, figure: Figure, name: str) -> bool:
    """Whether an answer has a value of *figure*."""
    metric = figure.name.removeprefix(OF_CLAIMS)
    row = run.results.place.get(name)
    return row is not None and not bool(np.isnan(run.results.metrics[metric][row]))
