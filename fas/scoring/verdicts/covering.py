"""Coverage: the statements of the references, or given statements, judged with the answer as the passage.

The verifier and its calibration are those of the claims, in the other direction: the reference's statement is the claim
and the answer the evidence. A statement that the answer supports is covered, one that it contradicts denied, any other
omitted. Of several references the one that the answer covers best counts, as with every metric of references.

Leaving out a statement could do harm, by its kind. `omission_harm.tsv` has a row for each wording of such a statement:
kind, severity in the words of the safety tables, source of the kind, review, a regular expression and an example. The
sources say that labels or services must inform patients of this kind of thing; severities are ordered like those of the
flags in `safety/README.md`. No clinician has reviewed a row.
"""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import NamedTuple

from fas.core.parts import Verifier
from fas.core.records import Answer, Case, Claim, Passage, Verdict
from fas.core.records.statements import HARM_WEIGHTS, Coverage, CoveredStatement, CoverLabel, Harm, Statement
from fas.scoring.verdicts.judge import judge

_LABELS: dict[str, CoverLabel] = {
    "supported": "covered",
    "contradicted": "denied",
    "unsupported": "omitted",
    "unverified": "unverified",
}
Extract = Callable[[Sequence[Answer]], Sequence[list[Claim] | Exception]]


def list_statements(answers: Sequence[Answer], extract: Extract) -> list[list[tuple[Statement, ...]] | Exception]:
    """The statements that each answer ought to make: those given with it, or those of each of its references.

    *extract* reads a reference as the answer to the same question; an exception in the place of claims is passed on.
    """
    asked = {
        (answer.question, text): replace(answer, prediction=text, references=(), passages=None, claims=None, meta={})
        for answer in answers
        if answer.statements is None
        for text in answer.references
    }
    outcomes = dict(zip(asked, extract(list(asked.values())), strict=True))
    found: list[list[tuple[Statement, ...]] | Exception] = []
    for answer in answers:
        if answer.statements is not None:
            found.append([answer.statements])
            continue
        claims = []
        for outcome in (outcomes[answer.question, text] for text in answer.references):
            if isinstance(outcome, Exception):
                found.append(outcome)
                break
            claims.append(tuple(Statement(claim.text, failure=claim.failure) for claim in outcome))
        else:
            found.append(claims)
    return found


def cover(
    verifier: Verifier,
    answers: Sequence[Answer],
    groups: Sequence[Sequence[tuple[Statement, ...]]],
    *,
    threshold: float,
    contradiction: float | None = None,
) -> list[Coverage]:
    """The coverage of each answer; the best over its *groups*, each a set of statements."""
    # An empty answer neither supports nor contradicts anything, so that the verifier need not judge it.
    cases = [
        Case(Claim(one.text), (Passage(answer.prediction),), answer.question)
        for answer, own in zip(answers, groups, strict=True)
        for group in own
        for one in group
        if _was_judged(answer, one)
    ]
    judged = judge(
        verifier, cases, [None] * len(cases), threshold=threshold, contradiction=contradiction, evidence_less=False
    )
    verdicts = iter(judged.verdicts)
    found = []
    for answer, own in zip(answers, groups, strict=True):
        each = [
            measure_coverage([_cover(one, next(verdicts) if _was_judged(answer, one) else None) for one in group])
            for group in own
        ]
        if not each:
            found.append(Coverage())
            continue
        best = max(range(len(each)), key=lambda i: (_rank_value(each[i].coverage), -_rank_value(each[i].denied), -i))
        given = answer.statements is not None
        found.append(replace(each[best], reference=None if given else best + 1))
    return found


def measure_coverage(statements: Sequence[CoveredStatement]) -> Coverage:
    """The shares of *statements*, over those that could be judged.

    >>> one = CoveredStatement(Statement("Rest helps."), "covered")
    >>> measure_coverage([one, CoveredStatement(Statement("It is safe."), "denied")]).denied
    0.5
    """

    def share(label: str, kind: str) -> float:
        labels = [one.label for one in statements if one.statement.kind == kind and one.label != "unverified"]
        return labels.count(label) / len(labels) if labels else math.nan  # type: ignore[arg-type]

    return Coverage(
        tuple(statements),
        coverage=share("covered", "must"),
        coverage_nice=share("covered", "nice"),
        omitted=share("omitted", "must"),
        denied=share("denied", "must"),
        omitted_harm=weigh_omissions(statements),
    )


def _was_judged(answer: Answer, statement: Statement) -> bool:
    return statement.failure is None and bool(answer.prediction.strip())


def _cover(statement: Statement, verdict: Verdict | None) -> CoveredStatement:
    harm = find_harm(statement)
    if statement.failure is not None:
        return CoveredStatement(statement, "unverified", failure=statement.failure, harm=harm)
    if verdict is None:
        return CoveredStatement(statement, "omitted", harm=harm)
    sentence = verdict.evidence[0].judgement.sentence if verdict.evidence else None
    label, chances = _LABELS[verdict.label], (verdict.p_support, verdict.p_contradict)
    return CoveredStatement(statement, label, *chances, sentence, verdict.failure, harm)


def _rank_value(value: float) -> float:
    return -1.0 if math.isnan(value) else value


TABLE = Path(__file__).with_name("omission_harm.tsv")
# Words of inputs (K-QA, MedExpert's export, the safety tables) for how bad an omission is.
_GIVEN = {
    **dict.fromkeys(("high", "severe", "life-threatening", "critical"), "high"),
    **dict.fromkeys(("medium", "moderate"), "medium"),
    **dict.fromkeys(("low", "mild"), "low"),
    **dict.fromkeys(("info", "none"), "info"),
}


class HarmRow(NamedTuple):
    """A wording of a statement whose omission could harm."""

    kind: str
    severity: str
    source: str
    review: str
    expression: str
    example: str

    def finds(self, text: str) -> bool:
        """Whether *text* has this wording."""
        return re.search(self.expression, text, re.IGNORECASE) is not None


@cache
def harm_rows() -> tuple[HarmRow, ...]:
    """The rows of the table, in its order."""
    with TABLE.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    return tuple(HarmRow(**row) for row in rows)


def find_harm(statement: Statement) -> Harm | None:
    """The harm of leaving out *statement*; None if none is known.

    A severity that came with the statement counts if its word is known; else the gravest kind that the table finds.

    >>> find_harm(Statement("The maximum daily dose is 4 grams."))
    Harm(severity='high', kind='dose limit')
    """
    found = [row for row in harm_rows() if row.finds(statement.text)]
    worst = max(found, key=lambda row: HARM_WEIGHTS[row.severity], default=None)
    given = _GIVEN.get((statement.severity or "").strip().lower())
    if given is not None:
        return Harm(given, worst.kind if worst else None)
    return Harm(worst.severity, worst.kind) if worst else None


def weigh_omissions(statements: Iterable[CoveredStatement]) -> float:
    """The share of the harm of the judged `must` statements that lies on those the answer does not cover, in [0, 1].

    A statement that the answer denies leaves its reader as unwarned as one that it omits. NaN where no statement has
    harm.

    >>> high, low = Harm("high", "red flag"), Harm("low", "monitoring")
    >>> one = CoveredStatement(Statement("Seek immediate help for chest pain."), "omitted", harm=high)
    >>> weigh_omissions([one, CoveredStatement(Statement("Have it monitored."), "covered", harm=low)])
    0.8
    """
    judged = [one for one in statements if one.statement.kind == "must" and one.label != "unverified" and one.harm]
    weights = [(HARM_WEIGHTS[one.harm.severity], one.label != "covered") for one in judged if one.harm]
    total = sum(weight for weight, _ in weights)
    return sum(weight for weight, left in weights if left) / total if total else math.nan
