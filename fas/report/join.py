"""Which answers of two runs belong together: joined by id, if they reply to the same question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from fas.core.errors import InputError
from fas.report.results import Asked, Results
from fas.stats.bootstrap import FloatArray

JoinRule = Literal["question", "id"]
JOIN_RULES: tuple[JoinRule, ...] = ("question", "id")
_SHOWN = 3
_LONGEST = 60


@dataclass(frozen=True, slots=True)
class Join:
    """The answers of two runs that have one id.

    Attributes:
        ids: The ids, in the order of the first run.
        rule: `question`: they reply to the same question and were compared with the same references, as far as the
            runs say; `id`: nothing but the id was looked at.
        differing: Ids whose questions or references differ; empty unless *rule* is `id`.
        n_unchecked: Pairs of which the runs name neither question nor references, so that nothing could be compared.
    """

    ids: tuple[str, ...]
    rule: JoinRule
    differing: tuple[str, ...]
    n_unchecked: int

    def notes(self) -> list[str]:
        """What a reader must know."""
        notes = []
        if self.differing:
            notes.append(
                f"joined by id alone: {len(self.differing)} of {len(self.ids)} pairs have other questions or "
                f"references, e.g. {', '.join(self.differing[:_SHOWN])}"
            )
        if self.n_unchecked:
            notes.append(
                f"{self.n_unchecked} of {len(self.ids)} pairs are joined by id alone: the runs name neither question "
                "nor references"
            )
        return notes


def join(a: Results, b: Results, rule: JoinRule = "question") -> Join:
    """The answers of both runs.

    Raises:
        InputError: They share no id, or answers of one id have other questions or references and *rule* is not `id`.
        ValueError: There is no such rule.
    """
    if rule not in JOIN_RULES:
        raise ValueError(f"`join` must be one of {', '.join(JOIN_RULES)}, got {rule!r}")
    ids = [name for name in a.lines if name in b.lines]
    if not ids:
        raise InputError(
            f"{a.path} and {b.path}: no answer in common ({len(a.lines)} and {len(b.lines)} ids, "
            f"e.g. {next(iter(a.lines))!r} and {next(iter(b.lines))!r}); runs are joined on `id`",
            kind="nothing_in_common",
        )
    found = {name: list_differences(a.asked[a.place[name]], b.asked[b.place[name]]) for name in ids}
    unlike = [name for name in ids if found[name]]
    if unlike and rule != "id":
        shown = "; ".join(f"{name!r} ({found[name]})" for name in unlike[:_SHOWN])
        raise InputError(
            f"{a.path} and {b.path}: {len(unlike)} of {len(ids)} answers with the same id do not reply to the same "
            f"question with the same references: {shown}. An id that is not given is the line's number: give both runs "
            "the ids of their answers, or compare them all the same with --join id",
            kind="other_questions",
        )
    n_unchecked = sum(value is None for value in found.values())
    return Join(tuple(ids), rule, tuple(unlike), n_unchecked)


def list_differences(a: Asked, b: Asked) -> str | None:
    """How two answers differ in what they reply to; empty if they do not, None if there is nothing to compare.

    A question or references that one of the two does not name say nothing.
    """
    compared = False
    if a.question and b.question:
        compared = True
        if a.question != b.question:
            return f"question {_shorten(a.question)} and {_shorten(b.question)}"
    elif a.key is not None and b.key is not None:
        compared = True
        if a.key != b.key:
            return "other `question_id`"
    if a.references is not None and b.references is not None:
        compared = True
        if a.references != b.references:
            return "other references"
    return "" if compared else None


def read_column(results: Results, name: str, ids: Sequence[str]) -> FloatArray:
    """A metric of the answers *ids*; a flag that a run never raised is no missing value but a rate of 0."""
    values = results.metrics.get(name)
    if values is None:
        return np.zeros(len(ids))
    picked: FloatArray = values[[results.place[one] for one in ids]]
    return picked


def list_units(results: Results, ids: Sequence[str]) -> list[str] | None:
    """The unit of each answer of *ids*; None where every answer is one of its own."""
    if results.units is None:
        return None
    units = [results.units[results.place[one]] for one in ids]
    return units if len(set(units)) < len(units) else None


def list_missing(here: Results, there: Results, metric: str, ids: Sequence[str]) -> Mapping[str, tuple[str, ...]]:
    """Answers that have a value of *metric* in *there* and none in *here*: reason to ids."""
    reasons: dict[str, list[str]] = {}
    common = set(ids)
    values = there.metrics.get(metric)
    for row, name in enumerate(there.lines):
        if values is None or np.isnan(values[row]):
            continue
        if name in common and not np.isnan(read_column(here, metric, [name])[0]):
            continue
        reasons.setdefault(here.why_missing(name, metric), []).append(name)
    return {reason: tuple(names) for reason, names in reasons.items()}


def _shorten(text: str) -> str:
    return repr(text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "...")
