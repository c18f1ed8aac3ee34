"""Answers in logs of other tools, and the numbers that judges gave them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from fas.core.answers.columns import OTHER_NAMES
from fas.core.checks import parse_finite

WORDS: Mapping[str, float] = {
    **dict.fromkeys(("c", "correct", "pass", "passed", "yes", "true"), 1.0),
    **dict.fromkeys(("p", "partial", "partially correct", "partially_correct"), 0.5),
    **dict.fromkeys(("i", "n", "incorrect", "fail", "failed", "no", "false", "noanswer"), 0.0),
    **dict.fromkeys(("not_attempted", "not attempted"), 0.0),
}
"""Grades to numbers, as Inspect (C, P, I, N) and SimpleQA count them."""
# Explanations of tools that could not read the judge's reply and counted the answer as wrong.
_FAILED = re.compile(
    r"grade not found in model output|could not (?:extract|parse) (?:json|.{0,40}(?:grader|grading|rubric))|"
    r"(?:grading|grader|judge|rubric)\b.{0,40}\b(?:error|failed|no output|malformed|invalid)|"
    r"^api (?:call )?error|^error evaluating|exceeded your current quota|rate limit",
    re.IGNORECASE,
)


class Score(NamedTuple):
    """A number that a judge gave an answer.

    Attributes:
        value: The number; NaN without one.
        stored: The number in the log: 0 where a tool counts a failed judgement as a wrong answer.
        judge: The metric's name, and its language model if the log names it.
        failure: Why there is no number; `missing` if the log has no reason. Empty for a number.
        prompt: The judge's last prompt, with the answer in it; empty if the log has none.
    """

    value: float
    stored: float
    judge: str
    failure: str = ""
    prompt: str = ""


@dataclass(frozen=True, slots=True)
class LoggedAnswer:
    """One answer of a log.

    Attributes:
        id: Unique in the log.
        unit: Names the question: answers with one unit reply to one question.
        system: The model that answered; empty if unknown.
        prediction: The answer; None if the log has none.
        passages: The answer's passages; None if the log has none.
        scores: Name to number.
        error: Why there is no answer; empty for an answer.
    """

    id: str
    unit: str
    system: str = ""
    prediction: str | None = None
    question: str | None = None
    references: tuple[str, ...] = ()
    passages: tuple[str, ...] | None = None
    scores: Mapping[str, Score] = field(default_factory=dict)
    error: str = ""


def make_score(value: Any, judge: str, *, said: Any = "", failure: Any = "", prompt: str = "") -> Score:
    """The score that a log stores as *value*: a number, True or False, or a grade in words (`WORDS`).

    *said*: the judge's explanation; if its tool could not read the reply, the judgement failed, whatever *value* is.
    *failure*: why there is no number, if the log has a reason.

    >>> make_score("C", "match").value, make_score("I", "model", said="Grade not found in model output: Well").value
    (1.0, nan)
    """
    number = parse_finite(value)
    if number is None and isinstance(value, str):
        number = WORDS.get(value.strip().lower())
        if number is None:
            with suppress(ValueError):
                number = parse_finite(float(value))
    stored = math.nan if number is None else number
    text = str(said or "")
    if not failure and (_FAILED.search(text) or (number is None and value not in (None, "") and value == value)):
        failure = text or f"no number: {value!r}"
    if failure:
        return Score(math.nan, stored, judge, " ".join(str(failure).split())[:300], prompt)
    return Score(stored, stored, judge, "missing" if number is None else "", prompt)


def texts_of(value: Any) -> tuple[str, ...]:
    """The texts in *value*: a text, a list of texts, or of objects with a text."""
    if isinstance(value, str):
        return (value,) if value.strip() else ()
    if isinstance(value, Mapping):
        found = next((value[name] for name in ("text", "content", "page_content") if value.get(name)), None)
        return texts_of(found)
    return tuple(text for one in value for text in texts_of(one)) if isinstance(value, list | tuple) else ()


def chat_text(value: Any, role: str | None = None) -> str | None:
    """The words of a text, of a message, or of a list of messages (of *role*); None where there are none."""
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        return chat_text(value.get("content"))
    if not isinstance(value, list):
        return None
    if value and all(isinstance(one, Mapping) and "role" in one for one in value):
        value = [one for one in value if role in (None, one["role"])]
        return "\n\n".join(filter(None, map(chat_text, value))) or None
    return "\n".join(texts_of(value)) or None


def look_up(record: Mapping[str, Any], name: str) -> Any:
    """The value of an answer's field *name* in *record*, under its own or a usual name of other tools."""
    names = (name, *OTHER_NAMES.get(name, ()))
    return next((record[one] for one in names if record.get(one) not in (None, "", [])), None)


def passages_of(*records: Mapping[str, Any]) -> tuple[str, ...] | None:
    """The passages in the first of *records* that has some."""
    found = (look_up(record, "passages") for record in records)
    return next((texts for value in found if (texts := texts_of(value))), None)


def make_unique(answers: Iterable[LoggedAnswer]) -> list[LoggedAnswer]:
    """*answers* with unique identifiers: repeated ones get a number."""
    seen: dict[str, int] = {}
    found = []
    for one in answers:
        seen[one.id] = n = seen.get(one.id, 0) + 1
        found.append(one if n == 1 else replace(one, id=f"{one.id}#{n}"))
    return found
