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
from fas.labels.files import BAD, COVERED, ClaimLabel, Key, LabelFile, read_labels
from fas.labels.judged import JudgedClaim, JudgedRun, find_inclusion, match_labels, number_names, read_judged
from fas.scoring.rescoring import Settings
from fas.stats.bootstrap import FloatArray
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

_DISPUTED = (
    "Claims that people disagree on are no random part if the verifier errs on them, too: settle them "
    "(`fas labels merge --disputed`)"
)


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
        pi_chosen: The same, NaN only where it was not chosen.
        open: Claims that were chosen and have no label.
    """

    run: JudgedRun
    labels: Mapping[Key, ClaimLabel]
    pi: np.ndarray
    strata: np.ndarray
    digest: str
    remarks: tuple[str, ...]
    open: frozenset[Key]
    pi_chosen: np.ndarray

    def weigh_claims(self) -> tuple[list[JudgedClaim], FloatArray]:
        """The labelled claims, and one over the probability with which each was chosen."""
        kept = [i for i, claim in enumerate(self.run.claims) if claim.key in self.labels]
        return [self.run.claims[i] for i in kept], 1.0 / self.pi[kept]


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
    return label_run(read_judged(path, cluster_by=cluster_by, of=file.of), file)


def label_run(run: JudgedRun, file: LabelFile) -> Labelled:
    """A run with the labels of *file*, and what a reader must know of them."""
    labels = match_labels(run, file.labels, file.path)
    if not labels:
        raise InputError(f"{file.path}: no label of a claim that has a verdict", kind="nothing_in_common")
    remarks = []
    left_out = len(file.labels) - len(labels)
    if left_out:
        remarks.append(f"{left_out} labels are of {file.of} without a verdict, which no figure counts: left out")
    if file.open:
        remarks.append(
            f"{len(file.open)} chosen {file.of} have no label yet: taken for a random part of those chosen. {_DISPUTED}"
        )
    if any(one.pi is None for one in file.labels):
        remarks.append(f"the labels name no probabilities (`pi`): taken for a simple random sample of all {file.of}")
    n_bad = sum(one.label == BAD for one in labels.values())
    if n_bad:
        uncounted = "unsupported" if file.of == "claims" else COVERED["unsupported"]
        remarks.append(f"{n_bad} of {len(labels)} labelled {file.of} are bad {file.of}: they count as {uncounted}")
    strata = {claim.key: assign_stratum(claim) for claim in run.claims}
    if any(one.stratum != strata[key] for key, one in labels.items()):
        strata = dict.fromkeys(strata, "")
        if any(one.stratum for one in labels.values()):
            remarks.append("the strata of the labels are not those of `fas labels`: only the probabilities are used")
    chosen = {one.key: one for one in file.chosen if one.key not in run.unverified}
    return Labelled(
        run,
        labels,
        find_inclusion(run, labels),
        number_names(list(strata.values())),
        file.digest,
        tuple(remarks),
        frozenset(one.key for one in file.open if one.key in strata),
        find_inclusion(run, chosen),
    )


def list_figures(run: JudgedRun) -> list[Figure]:
    """The figures of a run that labels can correct."""
    none = {"supported": 0.0, "contradicted": 0.0, "unsupported": 0.0}
    if run.of == "statements":
        kinds = {one.kind for one in run.claims}
        return [
            Figure(name, {**none, label: 1.0}, True, kind=kind)
            for name, (label, kind) in OF_STATEMENTS.items()
            if kind in kinds
        ]
    k = run.results.k
    if k is None:
        raise InputError(f"{run.results.path}: no metric 'support@k'", kind="type")
    of = {"support": "supported", "contra": "contradicted", "unsupported": "unsupported"}
    shares = [Figure(metric_name(name, k), {**none, label: 1.0}, True) for name, label in of.items()]
    weights = Settings.of(run.results.signature).weights
    most = weights.support + weights.no_contradiction
    worth = {"supported": most, "contradicted": 0.0, "unsupported": weights.no_contradiction}
    found = [*shares, Figure("fas_evidence", {label: value / most for label, value in worth.items()}, False)]
    metrics = run.results.metrics
    if "fas" in metrics and not np.isnan(metrics["fas"]).all():
        found.append(Figure("fas", worth, False, bertscore=weights.bertscore))
    return found + [one._replace(name=OF_CLAIMS + one.name, by_claim=True) for one in shares]


def build_side(labelled: Labelled, figure: Figure, answers: Sequence[str], units: np.ndarray, n_units: int) -> Side:
    """The claims of *answers*, each with a verified one, as a side of an estimate; *units*: the number of its unit."""
    place = {name: i for i, name in enumerate(answers)}
    kept = _place_claims(labelled, figure, answers)
    claims = [labelled.run.claims[i] for i in kept]
    of_answer = np.array([place[claim.id] for claim in claims], dtype=np.intp)
    per_answer = np.bincount(of_answer, minlength=len(answers)).astype(np.float64)
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
        weights=np.ones(len(claims)) if figure.by_claim else 1.0 / per_answer[of_answer],
        clusters=units[of_answer],
        sizes=np.bincount(units, counted, n_units).astype(np.float64),
        offsets=offsets,
        strata=number_names([str(labelled.strata[i]) for i in kept]),
    )


def build_whole_side(labelled: Labelled, figure: Figure) -> tuple[Side, list[str]]:
    """The claims of all answers that have a value of *figure*, and the ids of these."""
    run = labelled.run
    answers = select_with_value(run, figure)
    all_units = run.units
    units = number_names([str(all_units[run.results.place[name]]) for name in answers])
    return build_side(labelled, figure, answers, units, int(units.max()) + 1), answers


def bound_open_claims(labelled: Labelled, figure: Figure, side: Side, answers: Sequence[str]) -> tuple[Side, Side]:
    """*side* with every open claim at the least and at the most that a label could make of it."""
    kept = _place_claims(labelled, figure, answers)
    is_open = np.array([labelled.run.claims[i].key in labelled.open for i in kept], dtype=bool)
    least, most = (
        replace(side, gold=np.where(is_open, value, side.gold), inclusion=labelled.pi_chosen[kept])
        for value in (min(figure.worth.values()), max(figure.worth.values()))
    )
    return least, most


def _place_claims(labelled: Labelled, figure: Figure, answers: Sequence[str]) -> list[int]:
    """Places of the claims of *answers* that *figure* counts."""
    there = set(answers)
    return [i for i, one in enumerate(labelled.run.claims) if one.id in there and one.kind == figure.kind]


def pick_figures(figures: Sequence[Figure], wanted: Sequence[str] | None, where: Path) -> list[Figure]:
    """The figures to report: *wanted*, or all."""
    names = [figure.name for figure in figures]
    missing = [name for name in wanted or () if name not in names]
    if missing:
        raise InputError(f"{where}: no figure {', '.join(map(repr, missing))} to adjust; available: {', '.join(names)}")
    return [figure for figure in figures if wanted is None or figure.name in wanted]


def select_with_value(run: JudgedRun, figure: Figure) -> list[str]:
    """Ids of the answers that have a value of *figure*."""
    values = run.results.metrics[figure.name.removeprefix(OF_CLAIMS)]
    return [name for name, row in run.results.place.items() if not np.isnan(values[row])]
