"""What of its references an answer says: their claims, or given statements, judged with the answer as the passage.

The verifier and its calibration are those of the claims, turned round: the reference's statement is the claim and the
answer the evidence. A statement that the answer supports is covered, one that it contradicts denied, any other omitted.
With several references each is taken alone and the best covered counts, as with every metric of references.

Leaving out a statement could do harm, by its kind. `omission_harm.tsv` has a row for each way to say such a statement:
kind, severity in the words of the safety tables, source of the kind, review, a regular expression and an example. The
sources say that labels or services must tell patients this kind of thing; severities are ordered like those of the
flags in `safety/README.md`. No row has been reviewed by a clinician.
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
    """What each answer ought to say: the statements given with it, or those of each of its references.

    *extract* reads a reference as the answer to the same question; an exception in the place of claims is passed on.
    """
    asked: dict[tuple[str | None, str], Answer] = {}
    for answer in answers:
        if answer.statements is None:
            for reference in answer.references:
                asked.setdefault(
                    (answer.question, reference),
                    replace(answer, prediction=reference, references=(), passages=None, claims=None, meta={}),
                )
    outcomes = dict(zip(asked, extract(list(asked.values())), strict=True))
    found: list[list[tuple[Statement, ...]] | Exception] = []
    for answer in answers:
        if answer.statements is not None:
            found.append([answer.statements])
            continue
        own = [outcomes[answer.question, reference] for reference in answer.references]
        failed = next((one for one in own if isinstance(one, Exception)), None)
        found.append(
            failed if failed is not None else [_to_statements(one) for one in own if not isinstance(one, Exception)]
        )
    return found


def cover(
    verifier: Verifier,
    answers: Sequence[Answer],
    groups: Sequence[Sequence[tuple[Statement, ...]]],
    *,
    threshold: float,
    contradiction: float | None = None,
) -> list[Coverage]:
    """What each answer says of its statements; the best of its *groups*, each a set of statements."""
    # Nothing follows from an empty answer and nothing in it is false: nobody need be asked.
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
        best = max(range(len(each)), key=lambda i: (_or_lowest(each[i].coverage), -_or_lowest(each[i].denied), -i))
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


def _to_statements(claims: Sequence[Claim]) -> tuple[Statement, ...]:
    return tuple(Statement(claim.text, failure=claim.failure) for claim in claims)


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


def _or_lowest(value: float) -> float:
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
    """A way to say something whose omission could harm."""

    kind: str
    severity: str
    source: str
    review: str
    expression: str
    example: str

    def finds(self, text: str) -> bool:
        """Whether *text* says it this way."""
        return re.search(self.expression, text, re.IGNORECASE) is not None


@cache
def harm_rows() -> tuple[HarmRow, ...]:
    """The rows of the table, in its order."""
    with TABLE.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    return tuple(HarmRow(**row) for row in rows)


def find_harm(statement: Statement) -> Harm | None:
    """What leaving out *statement* could do; None where nothing says that it could do harm.

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
