"""The claims of a run with its verdicts, as a population that labels are a sample of."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from fas.core.errors import InputError
from fas.core.records.as_json import number_or_nan
from fas.core.records.stored import AnswerRecord, ClaimRecord, StatementRecord
from fas.labels.files import COVERED, ClaimLabel, LabelFile, Of
from fas.report.results import Results, read_results
from fas.results import read_records, scores_path

VERDICTS = ("supported", "contradicted", "unsupported")
_OF_COVERED = {name: verdict for verdict, name in COVERED.items()}


@dataclass(frozen=True, slots=True)
class JudgedClaim:
    """A claim with a verdict.

    Attributes:
        claim: Its number in the answer, counted from 1, unverified claims included.
        p_support: Calibrated probability of support; NaN where the record has none.
        kind: `must` or `nice` of a statement; empty of a claim.
    """

    id: str
    claim: int
    text: str
    verdict: str
    p_support: float
    p_contradict: float
    kind: str = ""

    @property
    def key(self) -> tuple[str, int]:
        """Which claim it is."""
        return self.id, self.claim

    @property
    def confidence(self) -> float:
        """Probability of the verdict: of what is neither, one less the larger of both; NaN if not known."""
        if self.verdict == "supported":
            return self.p_support
        if self.verdict == "contradicted":
            return self.p_contradict
        return 1.0 - max(self.p_support, self.p_contradict)


@dataclass(frozen=True)
class JudgedRun:
    """A run, claim by claim.

    Attributes:
        records: The lines of `scores.jsonl` without an error, by id.
        of: What `claims` are: what the answers say, the statements that they ought to make, or pairs of answers
            (`fas.labels.pairs`).
    """

    results: Results
    claims: tuple[JudgedClaim, ...]
    records: Mapping[str, Mapping[str, Any]]
    unverified: frozenset[tuple[str, int]]
    of: Of = "claims"

    @property
    def field(self) -> str:
        """Field of the records that holds what is labelled."""
        return "statements" if self.of == "statements" else "claims"

    @property
    def noun(self) -> str:
        """What is labelled, in messages, and what a line calls its number."""
        return self.of[:-1] if self.of != "faults" else "claim"

    @property
    def units(self) -> npt.NDArray[np.intp]:
        """Number of each answer's unit, in the order of the answers."""
        named = self.results.units or tuple(self.results.lines)
        return np.unique(np.array(named, dtype=object), return_inverse=True)[1].astype(np.intp)


def read_judged(path: Path, *, cluster_by: str | None = "question", of: Of = "claims") -> JudgedRun:
    """A result folder (or `scores.jsonl`) claim by claim, or by the statements that its answers ought to make."""
    source = scores_path(path)
    field = "claims" if of == "faults" else of
    results = read_results(path, cluster_by=cluster_by)
    claims: list[JudgedClaim] = []
    records: dict[str, AnswerRecord] = {}
    unverified: set[tuple[str, int]] = set()
    for _, record in read_records(source):
        if record["error"] is not None:
            continue
        name = record["id"]
        records[name] = record
        items: Sequence[ClaimRecord | StatementRecord] = record["statements" if field == "statements" else "claims"]
        for number, claim in enumerate(items, start=1):
            verdict = _OF_COVERED.get(claim["label"], claim["label"])
            if verdict in VERDICTS:
                claims.append(
                    JudgedClaim(
                        name,
                        number,
                        claim["text"],
                        verdict,
                        number_or_nan(claim["p_support"]),
                        number_or_nan(claim["p_contradict"]),
                        str(claim.get("kind") or "") if of == "statements" else "",
                    )
                )
            else:
                unverified.add((name, number))
    if not claims:
        more = "; statements are looked for by `fas score --coverage`" if of == "statements" else ""
        raise InputError(f"{source}: no {field[:-1]} has a verdict{more}", kind="empty_file")
    return JudgedRun(results, tuple(claims), records, frozenset(unverified), of)


def match_labels(run: JudgedRun, labels: LabelFile) -> tuple[dict[tuple[str, int], ClaimLabel], int]:
    """The labels by claim, those of unverified claims left out, and how many those are.

    Raises:
        InputError: A label is of an answer or claim that the run does not have, or of another text.
    """
    found: dict[tuple[str, int], ClaimLabel] = {}
    left_out = 0
    what = run.noun
    if labels.of != run.of:
        raise InputError(f"{labels.path}: labels of {labels.of}; expected labels of {run.of}", kind="other_run")
    texts = {claim.key: claim.text for claim in run.claims}
    for one in labels.labels:
        if one.key in run.unverified:
            left_out += 1
            continue
        if one.key not in texts:
            record = run.records.get(one.id)
            said = (
                f"the run has no scored answer {one.id!r}"
                if record is None
                else f"answer {one.id!r} has {len(record[run.field])} {run.field}, not a {what} {one.claim}"
            )
            raise InputError(
                f"{labels.path}, line {one.line}: {said}; labels belong to the run that they were given for "
                f"({run.results.path})",
                kind="other_run",
                line=one.line,
            )
        if one.text and " ".join(one.text.split()) != " ".join(texts[one.key].split()):
            raise InputError(
                f"{labels.path}, line {one.line}: field 'text': {one.text!r}, but {what} {one.claim} of {one.id!r} in "
                f"{run.results.path} is {texts[one.key]!r}; the labels are of another run",
                kind="other_run",
                line=one.line,
                field="text",
            )
        found[one.key] = one
    return found, left_out


def inclusion_of(run: JudgedRun, labels: Mapping[tuple[str, int], ClaimLabel]) -> np.ndarray:
    """The probability of each claim of *run* to have been chosen; NaN where there is no label.

    Without probabilities in the file the labels are a simple sample: as many of all claims as there are.
    """
    even = len(labels) / len(run.claims)
    return np.array([math.nan if (one := labels.get(claim.key)) is None else one.pi or even for claim in run.claims])


def number_names(names: Sequence[str]) -> npt.NDArray[np.intp]:
    """A number for each different name."""
    return np.unique(np.array(names, dtype=object), return_inverse=True)[1].astype(np.intp)


def units_of_claims(run: JudgedRun, claims: Sequence[JudgedClaim]) -> npt.NDArray[np.intp]:
    """Number of the unit that each of *claims* belongs to, counted over these claims alone."""
    units = run.units
    return number_names([str(units[run.results.place[claim.id]]) for claim in claims])


def select_chosen(run: JudgedRun, chosen: Sequence[ClaimLabel]) -> list[tuple[JudgedClaim, ClaimLabel]]:
    """The claims of *run* that *chosen* name, in that order; those without a verdict are left out."""
    claims = {claim.key: claim for claim in run.claims}
    return [(claims[one.key], one) for one in chosen if one.key in claims]
