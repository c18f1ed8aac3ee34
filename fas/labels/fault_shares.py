"""How often each fault is found in the claims of a run, by people and by rule, and how far both agree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from fas.core.records import Answer, Claim
from fas.core.records.claim_faults import KINDS
from fas.labels.files import VALID, ClaimLabel, LabelFile, answered, find_faults
from fas.labels.judged import JudgedRun, inclusion_of, match_labels
from fas.report.claim_faults import inspect_claims
from fas.report.tables import interval, number, percent, text_table
from fas.stats.agreement import cohen_kappa
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


def fault_shares(
    run: JudgedRun, labels: Sequence[ClaimLabel], open_: Sequence[ClaimLabel] = ()
) -> dict[str, FaultShare]:
    """Each kind of fault, and `any of these`, to its shares; questions are resampled."""
    kept = LabelFile(run.results.path, answered(labels, open_), "", tuple(open_), of="faults")
    found, _ = match_labels(run, kept)
    if not found:
        return {}
    weights = 1 / inclusion_of(run, found)
    weights = weights[~np.isnan(weights)]
    keys = [claim.key for claim in run.claims if claim.key in found]
    said = {key: set(find_faults(found[key].label)) for key in keys}
    by_rule = _by_rule(run, sorted({key[0] for key in keys}))
    names = [*KINDS, "any of these"]
    people = np.array([[*(name in said[key] for name in KINDS), bool(said[key])] for key in keys], dtype=np.float64)
    ruled = np.array(
        [[*(name in by_rule[key] for name in KINDS), bool(by_rule[key])] for key in keys], dtype=np.float64
    )
    clusters = np.array([run.units[run.results.place[key[0]]] for key in keys], dtype=np.intp)
    found_shares = ratio_intervals(names, people * weights[:, None], weights, clusters=clusters)
    shares = {}
    for i, name in enumerate(names):
        estimate = Estimate(*found_shares[name])
        if name == "omitted":
            none = Estimate(float("nan"), float("nan"), float("nan"), 0)
            shares[name] = FaultShare(estimate, float("nan"), none)
            continue
        kappa = cohen_kappa(_words(people[:, i]), _words(ruled[:, i]), clusters=clusters)
        shares[name] = FaultShare(estimate, float((ruled[:, i] * weights).sum() / weights.sum()), kappa)
    return shares


def shares_text(shares: Mapping[str, FaultShare]) -> str:
    """The shares as a table."""
    rows = [
        [
            name.replace("_", "-"),
            percent(one.people.value),
            interval(one.people.low, one.people.high, form="percent", how=one.people.how),
            percent(one.rules),
            number(one.kappa.value),
        ]
        for name, one in shares.items()
    ]
    return text_table(["fault", "claims, by people", "95% interval", "by rules", "kappa with rules"], rows)


def shares_dict(shares: Mapping[str, FaultShare]) -> dict[str, Any]:
    """For programs."""
    return {
        name: {"people": one.people._asdict(), "rules": one.rules, "kappa": one.kappa._asdict()}
        for name, one in shares.items()
    }


def _by_rule(run: JudgedRun, answers: Sequence[str]) -> dict[tuple[str, int], set[str]]:
    """What the rules say of every claim of *answers*; a claim that could not be read has no fault."""
    found: dict[tuple[str, int], set[str]] = {}
    for name in answers:
        record = run.records[name]
        claims = [
            Claim(one["text"], one["start"], one["end"], failure="unread" if one["unread"] else None)
            for one in record["claims"]
        ]
        read = [i for i, claim in enumerate(claims) if claim.failure is None]
        quality = inspect_claims([claims[i] for i in read], Answer(name, record["prediction"], record["question"]))
        faults = dict(zip(read, quality.faults, strict=True))
        for i in range(len(claims)):
            found[name, i + 1] = set(faults.get(i, ()))
    return found


def _words(column: np.ndarray) -> list[str]:
    return ["fault" if value else VALID for value in column]
