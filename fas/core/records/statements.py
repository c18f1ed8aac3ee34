"""Statements that an answer ought to make, and whether it makes them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

StatementKind = Literal["must", "nice"]
KINDS: tuple[StatementKind, ...] = ("must", "nice")
CoverLabel = Literal["covered", "omitted", "denied", "unverified"]
COVERAGE_METRICS = ("coverage", "coverage_nice", "omitted", "denied", "omitted_harm", "fas_f1")
"""The fields of records and reports for the statements, in their order."""
HARM_WEIGHTS: Mapping[str, float] = {"high": 1.0, "medium": 0.5, "low": 0.25, "info": 0.0}
"""Weight of harm by severity of the safety tables, in [0, 1]: an order in round numbers, fitted to nothing."""


def harmonic_mean(support: float, coverage: float) -> float:
    """`fas_f1`, the harmonic mean of Support@k and coverage; 0 if either is 0, NaN if either is.

    >>> harmonic_mean(0.5, 1.0), harmonic_mean(0.0, 0.0)
    (0.6666666666666666, 0.0)
    """
    total = support + coverage
    return 2 * support * coverage / total if total != 0 else 0.0


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement that a good answer makes.

    Attributes:
        text: The statement, readable on its own.
        kind: `must`: an answer without it lacks something; `nice`: it is optional.
        severity: How bad it is to leave it out, in the words of the input, if the input has any.
        failure: Why the statements of a reference could not be extracted; None for a statement.
    """

    text: str
    kind: StatementKind = "must"
    severity: str | None = None
    failure: str | None = None


class Harm(NamedTuple):
    """The harm of leaving out a statement.

    Attributes:
        severity: high, medium, low or info, as in the safety tables.
        kind: Kind of statement (`fas.scoring.verdicts.covering`); None where only the input gives a severity.
    """

    severity: str
    kind: str | None


@dataclass(frozen=True, slots=True)
class CoveredStatement:
    """A statement, and whether the answer makes it.

    Attributes:
        statement: The statement.
        label: `covered`: the answer entails it; `denied`: it contradicts it; `omitted`: neither; `unverified`: it
            could not be judged.
        p_support: Calibrated probability that the answer entails it; NaN where nothing was judged.
        p_contradict: Calibrated probability that the answer contradicts it, likewise.
        sentence: The part of the answer that counted most; None if unknown.
        failure: Why it could not be judged, else None.
        harm: The harm of leaving it out; None if none is known.
    """

    statement: Statement
    label: CoverLabel
    p_support: float = math.nan
    p_contradict: float = math.nan
    sentence: str | None = None
    failure: str | None = None
    harm: Harm | None = None

    def as_dict(self) -> dict[str, Any]:
        """As a line of `scores.jsonl` holds it."""
        harm = {} if self.harm is None else {"harm": self.harm.severity, "harm_kind": self.harm.kind}
        severity = self.statement.severity
        return {
            "text": self.statement.text,
            "kind": self.statement.kind,
            "label": self.label,
            "p_support": None if math.isnan(self.p_support) else self.p_support,
            "p_contradict": None if math.isnan(self.p_contradict) else self.p_contradict,
            "sentence": self.sentence,
            **({} if severity is None else {"severity": severity}),
            **harm,
            **({} if self.failure is None else {"failure": self.failure}),
        }


@dataclass(frozen=True, slots=True)
class Coverage:
    """The shares of statements that an answer makes.

    Attributes:
        statements: Those of the reference that the answer covers best, or those given with the answer.
        coverage: Share of the judged `must` statements that are covered; NaN where none was judged.
        coverage_nice: The same of the `nice` ones.
        omitted: Share of the `must` statements that are neither covered nor denied.
        denied: Share of the `must` statements that the answer contradicts.
        omitted_harm: Share of the harm of the `must` statements that is on those not covered; NaN where none has any.
            It is in no score.
        reference: Number of that reference, counted from 1; None where statements were given, or there was none.
    """

    statements: tuple[CoveredStatement, ...] = ()
    coverage: float = math.nan
    coverage_nice: float = math.nan
    omitted: float = math.nan
    denied: float = math.nan
    omitted_harm: float = math.nan
    reference: int | None = None

    def as_dict(self, support: float) -> Mapping[str, Any]:
        """The fields of a line of `scores.jsonl`; *support* is the answer's Support@k."""
        values = {name: getattr(self, name) for name in COVERAGE_METRICS if name != "fas_f1"}
        values["fas_f1"] = harmonic_mean(support, self.coverage)
        return {
            **{name: None if math.isnan(value) else value for name, value in values.items()},
            "n_statements": len(self.statements),
            "n_statements_unverified": sum(one.label == "unverified" for one in self.statements),
            "reference": self.reference,
            "statements": [one.as_dict() for one in self.statements],
        }
