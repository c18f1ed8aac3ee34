"""The claims of a run with its verdicts, as a population that labels are a sample of."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from fas.core.errors import InputError
from fas.core.records.as_json import number_or_nan
from fas.core.records.stored import AnswerRecord, ClaimRecord, StatementRecord
from fas.labels.files import COVERED, ClaimLabel, Key, Of
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
    def key(self) -> Key:
        """The claim."""
        return self.id, self.claim

    @property
    def confidence(self) -> float:
        """Probability of the verdict, which for "unsupported" is one less the larger of both; NaN if not known."""
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
    unverified: frozenset[Key]
    of: Of = "claims"

    @property
    def field(self) -> str:
        """Field of the records that holds what is labelled."""
        return "statements" if self.of == "statements" else "claims"

    @property
    def noun(self) -> str:
        """Name of a labelled thing in messages, and the field of its number in a file of labels."""
        return self.of[:-1] if self.of != "faults" else "claim"

    @property
    def units(self) -> npt.NDArray[np.intp]:
        """Number of each answer's unit, in the order of the answers."""
        return number_names(self.results.units or tuple(self.results.lines))

    def units_of(self, claims: Iterable[JudgedClaim | ClaimLabel]) -> npt.NDArray[np.intp]:
        """Number of the unit that each of *claims* belongs to."""
        units, place = self.units, self.results.place
        return np.array([units[place[claim.id]] for claim in claims], dtype=np.intp)


def read_judged(path: Path, *, cluster_by: str | None = "question", of: Of = "claims") -> JudgedRun:
    """A result folder (or `scores.jsonl`) claim by claim, or by the statements that its answers ought to make."""
    source = scores_path(path)
    results = read_results(path, cluster_by=cluster_by)
    claims: list[JudgedClaim] = []
    records: dict[str, AnswerRecord] = {}
    unverified: set[Key] = set()
    for _, record in read_records(source):
        if record["error"] is not None:
            continue
        name = record["id"]
        records[name] = record
        items: Sequence[ClaimRecord | StatementRecord] = record["statements" if of == "statements" else "claims"]
        for number, claim in enumerate(items, start=1):
            verdict = _OF_COVERED.get(claim["label"], claim["label"])
            if verdict not in VERDICTS:
                unverified.add((name, number))
                continue
            p_support, p_contradict = number_or_nan(claim["p_support"]), number_or_nan(claim["p_contradict"])
            kind = str(claim.get("kind") or "") if of == "statements" else ""
            claims.append(JudgedClaim(name, number, claim["text"], verdict, p_support, p_contradict, kind))
    if not claims:
        more = "; statements are looked for by `fas score --coverage`" if of == "statements" else ""
        thing = "statement" if of == "statements" else "claim"
        raise InputError(f"{source}: no {thing} has a verdict{more}", kind="empty_file")
    return JudgedRun(results, tuple(claims), records, frozenset(unverified), of)


def match_labels(run: JudgedRun, labels: Iterable[ClaimLabel], path: Path) -> dict[Key, ClaimLabel]:
    """The labels of *path* by claim, without those of unverified claims.

    An InputError where a label is of an answer or claim that the run does not have, or of another text.
    """
    found: dict[Key, ClaimLabel] = {}
    texts = {claim.key: claim.text for claim in run.claims}
    for one in labels:
        where = f"{path}, line {one.line}"
        if one.of != run.of:
            raise InputError(f"{path}: labels of {one.of}; expected labels of {run.of}", kind="other_run")
        if one.key in run.unverified:
            continue
        if one.key not in texts:
            record = run.records.get(one.id)
            said = f"the run has no scored answer {one.id!r}"
            if record is not None:
                said = f"answer {one.id!r} has {len(record[run.field])} {run.field}, not a {run.noun} {one.claim}"
            raise InputError(
                f"{where}: {said}; labels belong to the run that they were given for ({run.results.path})",
                kind="other_run",
                line=one.line,
            )
        if one.text and " ".join(one.text.split()) != " ".join(texts[one.key].split()):
            raise InputError(
                f"{where}: field 'text': {one.text!r}, but {run.noun} {one.claim} of {one.id!r} in "
                f"{run.results.path} is {texts[one.key]!r}; the labels are of another run",
                kind="other_run",
                line=one.line,
                field="text",
            )
        found[one.key] = one
    return found


def find_inclusion(run: JudgedRun, labels: Mapping[Key, ClaimLabel]) -> np.ndarray:
    """The probability of each claim of *run* to have been chosen; NaN where there is no label.

    Without probabilities in the file the labels are a simple sample: as many of all claims as there are.
    """
    even = len(labels) / len(run.claims)
    return np.array([math.nan if (one := labels.get(claim.key)) is None else one.pi or even for claim in run.claims])


def number_names(names: Sequence[str]) -> npt.NDArray[np.intp]:
    """A number for each different name, in their alphabetical order."""
    return np.unique(np.array(names, dtype=object), return_inverse=True)[1].astype(np.intp)
