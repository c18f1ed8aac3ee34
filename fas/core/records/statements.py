"""What an answer ought to say, and whether it does."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

StatementKind = Literal["must", "nice"]
KINDS: tuple[StatementKind, ...] = ("must", "nice")
CoverLabel = Literal["covered", "omitted", "denied", "unverified"]
COVERAGE_METRICS = ("coverage", "coverage_nice", "omitted", "denied", "omitted_harm", "fas_f1")
"""The names under which records and reports hold what is said of statements."""
HARM_WEIGHTS: Mapping[str, float] = {"high": 1.0, "medium": 0.5, "low": 0.25, "info": 0.0}
"""What harm of each severity of the safety tables weighs, in [0, 1]: an order in round numbers, fitted to nothing."""


def harmonic_mean(support: float, coverage: float) -> float:
    """`fas_f1`: what is said is right, and what is right is said; 0 if either is 0, NaN if either is.

    >>> harmonic_mean(0.5, 1.0), harmonic_mean(0.0, 0.0)
    (0.6666666666666666, 0.0)
    """
    total = support + coverage
    return 2 * support * coverage / total if total != 0 else 0.0


@dataclass(frozen=True, slots=True)
class Statement:
    """Something that a good answer says.

    Attributes:
        text: The statement, readable on its own.
        kind: `must`: an answer without it lacks something; `nice`: it may say so.
        severity: How bad it is to leave it out, in the words of the input; None if it does not say.
        failure: Why there is nothing to judge: the statements of a reference could not be had. None for a statement.
    """

    text: str
    kind: StatementKind = "must"
    severity: str | None = None
    failure: str | None = None


class Harm(NamedTuple):
    """What leaving out a statement could do.

    Attributes:
        severity: high, medium, low or info, as in the safety tables.
        kind: Kind of statement (`fas.scoring.verdicts.covering`); None where only the input says how bad it is.
    """

    severity: str
    kind: str | None


@dataclass(frozen=True, slots=True)
class CoveredStatement:
    """A statement and what the answer says of it.

    Attributes:
        statement: The statement.
        label: `covered`: the answer entails it; `denied`: it contradicts it; `omitted`: neither; `unverified`: that
            could not be judged.
        p_support: Calibrated probability that the answer entails it; NaN where nothing was judged.
        p_contradict: That it contradicts it.
        sentence: The part of the answer that counted most; None if unknown.
        failure: Why it could not be judged, else None.
        harm: What leaving it out could do; None where nothing says that it could do harm.
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
        record: dict[str, Any] = {
            "text": self.statement.text,
            "kind": self.statement.kind,
            "label": self.label,
            "p_support": None if math.isnan(self.p_support) else self.p_support,
            "p_contradict": None if math.isnan(self.p_contradict) else self.p_contradict,
            "sentence": self.sentence,
        }
        if self.statement.severity is not None:
            record["severity"] = self.statement.severity
        if self.harm is not None:
            record["harm"] = self.harm.severity
            record["harm_kind"] = self.harm.kind
        if self.failure is not None:
            record["failure"] = self.failure
        return record


@dataclass(frozen=True, slots=True)
class Coverage:
    """How much of what an answer ought to say it says.

    Attributes:
        statements: Those of the reference that the answer covers best, or those given with the answer.
        coverage: Share of the `must` statements that are covered, of those judged; NaN where none was.
        coverage_nice: The same of the `nice` ones.
        omitted: Share of the `must` statements that are neither covered nor denied.
        denied: Share of them that the answer contradicts.
        omitted_harm: Share of the harm that leaving out the `must` statements could do which lies on those that are not
            covered; NaN where none could do harm. In no score.
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
        values = {
            "coverage": self.coverage,
            "coverage_nice": self.coverage_nice,
            "omitted": self.omitted,
            "denied": self.denied,
            "omitted_harm": self.omitted_harm,
            "fas_f1": harmonic_mean(support, self.coverage),
        }
        return {
            **{name: None if math.isnan(value) else value for name, value in values.items()},
            "n_statements": len(self.statements),
            "n_statements_unverified": sum(one.label == "unverified" for one in self.statements),
            "reference": self.reference,
            "statements": [one.as_dict() for one in self.statements],
        }
