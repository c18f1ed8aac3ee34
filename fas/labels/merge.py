"""Labels of several people put together, how far they agree, and of faults how often people and rules find each."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from fas.core.errors import InputError
from fas.core.records import Answer, Claim
from fas.core.records.claim_faults import KINDS
from fas.labels.files import VALID, ClaimLabel, Key, LabelFile, digest_labels, find_faults, find_majority, read_parts
from fas.labels.judged import JudgedRun, find_inclusion, match_labels
from fas.report.claim_faults import inspect_claims
from fas.report.tables import interval, json_ready, number, percent, text_table, wrap_paragraph
from fas.stats.agreement import cohen_kappa, krippendorff_alpha
from fas.stats.bootstrap import Estimate, ratio_intervals


class FaultShare(NamedTuple):
    """One kind of fault.

    Attributes:
        people: Share of all claims of the run, each labelled one weighted by one over its probability.
        rules: Share of the labelled claims, weighted alike, of which the rules of `fas claims --quality` say it;
            NaN for `omitted`, which the rules say of answers and not of claims.
        kappa: Cohen's kappa of people and rules over the labelled claims.
    """

    people: Estimate
    rules: float
    kappa: Estimate


@dataclass(frozen=True, slots=True)
class Merged:
    """The labels of several people.

    Attributes:
        labels: One a claim: what the settling file says, else what most people say.
        open: Claims that were chosen and have no label, or as many say one thing as another.
        disputed: What was said of the claims that people do not agree on, settled or not.
        kappa: Cohen's kappa of every two people with its number of claims.
        alpha: Krippendorff's alpha of all of them; None for one person.
        people: Number of labels of each.
        faults: Of labels of faults, each kind's shares; else empty.
    """

    labels: tuple[ClaimLabel, ...]
    open: tuple[ClaimLabel, ...]
    disputed: dict[Key, tuple[str, ...]]
    kappa: dict[tuple[str, str], Estimate]
    alpha: Estimate | None
    people: dict[str, int]
    faults: Mapping[str, FaultShare] = field(default_factory=dict)

    @property
    def unsettled(self) -> list[Key]:
        """Disputed claims without a label."""
        return [one.key for one in self.open if one.key in self.disputed]

    def as_dict(self) -> dict[str, Any]:
        """For programs."""
        return dict(
            json_ready(
                {
                    "n": len(self.labels),
                    "n_open": len(self.open),
                    "n_disputed": len(self.disputed),
                    "n_unsettled": len(self.unsettled),
                    "annotators": self.people,
                    "kappa": {" - ".join(pair): one for pair, one in self.kappa.items()},
                    "alpha": self.alpha,
                    "digest": digest_labels(self.labels),
                    **({"faults": self.faults} if self.faults else {}),
                }
            )
        )

    def as_text(self) -> str:
        """For people."""
        agreement = {f"kappa, {' and '.join(pair)}": one for pair, one in self.kappa.items()}
        agreement |= {} if self.alpha is None else {"alpha, all": self.alpha}
        rows = [
            [name, number(one.value), interval(one.low, one.high, how=one.how), str(one.n)]
            for name, one in agreement.items()
        ]
        of = next((one.of for one in (*self.labels, *self.open)), "claims").replace("faults", "claims")
        lines = [
            f"labels: {', '.join(f'{name} {n}' for name, n in self.people.items())}",
            f"{len(self.labels)} {of} have a label, {len(self.open)} have none; {len(self.disputed)} are disputed, "
            f"{len(self.unsettled)} of them not settled",
        ]
        faults = [
            [
                name.replace("_", "-"),
                percent(one.people.value),
                interval(one.people.low, one.people.high, form="percent", how=one.people.how),
                percent(one.rules),
                number(one.kappa.value),
            ]
            for name, one in self.faults.items()
        ]
        tables = [(["agreement", "value", "95% interval", of], rows)]
        tables.append((["fault", "claims, by people", "95% interval", "by rules", "kappa with rules"], faults))
        blocks = ["\n".join(map(wrap_paragraph, lines)), *(text_table(*table) for table in tables if table[1])]
        return "\n\n".join(blocks)


def merge(run: JudgedRun, paths: Sequence[Path], *, settled: Path | None = None) -> Merged:
    """Put files of labels together and check them against the run; a label without a name is its file's.

    The labels in *settled* count where people disagree. An InputError where a file is of another run, or one person has
    two labels of one claim.
    """
    by_claim: dict[Key, dict[str, ClaimLabel]] = {}
    chosen: dict[Key, ClaimLabel] = {}
    for path in paths:
        labels, open_ = read_parts(path)
        match_labels(run, [*labels, *open_], path)
        for one in (*open_, *labels):
            chosen.setdefault(one.key, one)
        for one in labels:
            name = one.annotator or path.stem
            own = by_claim.setdefault(one.key, {})
            if name in own:
                raise InputError(
                    f"{path}, line {one.line}: {name!r} has labelled {run.noun} {one.claim} of {one.id!r} already",
                    kind="duplicate",
                    line=one.line,
                )
            own[name] = one
    decided: dict[Key, ClaimLabel] = {}
    if settled is not None:
        labels, _ = read_parts(settled)
        match_labels(run, labels, settled)
        decided = {one.key: one for one in labels}
    kept, still_open, disputed = [], [], {}
    for key, first in chosen.items():
        said = by_claim.get(key, {})
        votes = [one.label for one in said.values()]
        if len(set(votes)) > 1:
            disputed[key] = tuple(f"{name}: {one.label}" for name, one in said.items())
        label = decided[key].label if key in decided else _count_votes(run, votes)
        if label is None:
            still_open.append(replace(first, label=""))
            continue
        severity = next((one.severity for one in said.values() if one.label == label and one.severity), "")
        kept.append(replace(first, label=label, severity=severity, annotator="+".join(sorted(said))))
    names = list(dict.fromkeys(name for said in by_claim.values() for name in said))
    return Merged(
        tuple(kept),
        tuple(still_open),
        disputed,
        {pair: _measure_kappa(run, by_claim, pair) for pair in combinations(names, 2)},
        _measure_alpha(by_claim, names) if len(names) > 1 else None,
        {name: sum(name in said for said in by_claim.values()) for name in names},
        _share_faults(run, kept, still_open) if run.of == "faults" else {},
    )


def _count_votes(run: JudgedRun, votes: Sequence[str]) -> str | None:
    """The label that most people gave; None for a tie or without a label."""
    if run.of == "faults":
        return find_majority(votes) if votes else None
    first, second = [*Counter(votes).most_common(2), ("", 0), ("", 0)][:2]
    return first[0] if first[1] > second[1] else None


def _measure_kappa(run: JudgedRun, by_claim: Mapping[Key, Mapping[str, ClaimLabel]], pair: tuple[str, str]) -> Estimate:
    shared = [[said[name] for name in pair] for said in by_claim.values() if all(name in said for name in pair)]
    first, second = ([both[i].label for both in shared] for i in (0, 1))
    return cohen_kappa(first, second, clusters=run.units_of(one for one, _ in shared) if shared else None)


def _measure_alpha(by_claim: Mapping[Key, Mapping[str, ClaimLabel]], names: Sequence[str]) -> Estimate:
    labels = sorted({one.label for said in by_claim.values() for one in said.values()})
    ratings = np.full((len(names), len(by_claim)), np.nan)
    for column, said in enumerate(by_claim.values()):
        for name, one in said.items():
            ratings[names.index(name), column] = labels.index(one.label)
    return krippendorff_alpha(ratings)


def _share_faults(run: JudgedRun, labels: Sequence[ClaimLabel], open_: Sequence[ClaimLabel]) -> dict[str, FaultShare]:
    """Each kind of fault, and `any of these`, to its shares; questions are resampled."""
    path = run.results.path
    found = match_labels(run, LabelFile.of_labels(path, labels, open_).labels, path)
    if not found:
        return {}
    weights = 1 / find_inclusion(run, found)
    weights = weights[~np.isnan(weights)]
    claims = [claim for claim in run.claims if claim.key in found]
    ruled = _apply_rules(run, {claim.id for claim in claims})
    by_people, by_rules = (
        np.array([[*(name in said for name in KINDS), bool(said)] for said in faults], dtype=np.float64)
        for faults in (
            [set(find_faults(found[claim.key].label)) for claim in claims],
            [ruled[one.key] for one in claims],
        )
    )
    names, clusters = [*KINDS, "any of these"], run.units_of(claims)
    shares = {}
    for i, (name, people) in enumerate(
        ratio_intervals(names, by_people * weights[:, None], weights, clusters=clusters).items()
    ):
        rules, kappa = math.nan, Estimate.of(math.nan, 0)
        if name != "omitted":
            rules = float((by_rules[:, i] * weights).sum() / weights.sum())
            said = (["fault" if value else VALID for value in column[:, i]] for column in (by_people, by_rules))
            kappa = cohen_kappa(*said, clusters=clusters)
        shares[name] = FaultShare(Estimate(*people), rules, kappa)
    return shares


def _apply_rules(run: JudgedRun, answers: set[str]) -> dict[Key, set[str]]:
    """Faults of every claim of *answers* by rule; a claim that could not be read has none."""
    found: dict[Key, set[str]] = {}
    for name in answers:
        record = run.records[name]
        read = [i for i, one in enumerate(record["claims"], 1) if not one["unread"]]
        claims = [Claim(one["text"], one["start"], one["end"]) for one in record["claims"] if not one["unread"]]
        quality = inspect_claims(claims, Answer(name, record["prediction"], record["question"]))
        found |= {(name, i): set() for i in range(1, len(record["claims"]) + 1)}
        found |= {(name, i): set(own) for i, own in zip(read, quality.faults, strict=True)}
    return found
