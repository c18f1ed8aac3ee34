"""Read one answer from one object and check every field.

Nothing is guessed: a field of the wrong type raises an error that names the location, the field, the value found
and the values allowed.
"""

from __future__ import annotations

import math
import re
import reprlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import date, time
from decimal import Decimal
from difflib import get_close_matches
from functools import lru_cache
from numbers import Integral, Real
from typing import Any, NoReturn, TypeGuard

from fas.core.answers.columns import FIELDS, OTHER_NAMES, candidates, name_columns
from fas.core.answers.values import plain_record
from fas.core.checks import is_whole, plain_number, whole_value
from fas.core.errors import InputError
from fas.core.guards.characters import check_value
from fas.core.guards.reasoning import Outside, remove_reasoning
from fas.core.records import Answer, Claim, Passage
from fas.core.records.statements import KINDS, Statement

_BAD_LINE_ID = re.compile(r"line:\d+")
# Python's own limit on recursion is a thousand frames, shared with whoever calls.
_MAX_DEPTH = 100
# How alike two names must be: "reference" and "references" are (0.95), "refs" and "references" are not (0.57).
_ALIKE = 0.85


def to_answer(record: Mapping[str, Any], *, line: int, where: str, number: int | None = None) -> Answer:
    """One answer from an object, of JSON or as pandas, numpy and datasets make them (NaN is a missing value).

    Args:
        record: The object.
        line: Its line, counted from 1.
        where: How messages begin, e.g. `answers.jsonl, line 3`.
        number: Its number, counted from 1, which is the id of an answer without one; its line by default.

    Raises:
        InputError: A field is missing or has a value that is not allowed.
    """
    reader = _Reader(record, line, where, line if number is None else number)
    written = reader.prediction()
    prediction = remove_reasoning(written)
    return Answer(
        id=reader.identifier(),
        prediction=prediction.text,
        question=reader.text("question"),
        references=reader.references(),
        passages=reader.passages(),
        claims=reader.claims(prediction),
        statements=reader.statements(),
        meta=reader.meta(),
        line=line,
        reasoning=len(written) - len(prediction.text),
    )


def strip_reasoning(answer: Answer) -> Answer:
    """*answer*, made in Python, without the reasoning that its prediction may hold.

    Raises:
        InputError: A claim was taken from the reasoning.
    """
    prediction = remove_reasoning(answer.prediction)
    if prediction.text == answer.prediction:
        return answer
    claims = answer.claims
    if claims is not None:
        claims = tuple(_locate_claim(claim, prediction, f"answer {answer.id!r}: field 'claims'") for claim in claims)
    n_cut = len(answer.prediction) - len(prediction.text)
    return replace(answer, prediction=prediction.text, claims=claims, reasoning=answer.reasoning + n_cut)


def _locate_claim(claim: Claim, prediction: Outside, where: str) -> Claim:
    if claim.start is None or claim.end is None:
        return claim
    place = prediction.place(claim.start, claim.end)
    if place is None:
        raise InputError(f"{where}: {claim.text!r} is in the reasoning, which is not part of the answer")
    return replace(claim, start=place[0], end=place[1])


def find_misnamed_fields(answer: Answer) -> Iterator[tuple[str, str]]:
    """Names in `meta` that look like a field which *answer* lacks, each with that field: ("reference", "references").

    Names that other tools give the field (`OTHER_NAMES`) look like it, too; they are in `meta` where several may be it.

    Such a name is allowed, and nothing is read from it; whoever wrote it may have meant the field.
    """
    if not answer.meta:
        return
    lacking = {
        "question": answer.question is None,
        "references": not answer.references,
        "passages": answer.passages is None,
        "claims": answer.claims is None,
        "statements": answer.statements is None,
    }
    for name in answer.meta:
        field = _find_resembled_field(name)
        if field is not None and lacking.get(field):
            yield name, field


def ask_meant(misnamed: Iterable[tuple[str, str]], field: str) -> str:
    """What to add to a message that *field* is missing: the first of the *misnamed* that looks like it, if any does.

    >>> ask_meant([("pasages", "passages")], "passages")
    '. The field `pasages` is not read; is it meant as `passages`?'
    """
    name = next((name for name, meant in misnamed if meant == field), None)
    return "" if name is None else f". The field `{name}` is not read; is it meant as `{field}`?"


@lru_cache(maxsize=1024)
def _find_resembled_field(name: str) -> str | None:
    if name.startswith("n_"):  # a count is no field, whatever it counts
        return None
    for field, others in OTHER_NAMES.items():
        if name in others:
            return field
    return next(iter(get_close_matches(name.strip().lower(), FIELDS, n=1, cutoff=_ALIKE)), None)


class _Reader:
    """Field access with messages."""

    def __init__(self, record: Mapping[str, Any], line: int, where: str, number: int) -> None:
        self.line, self.where, self.number = line, where, number
        record = plain_record(record)
        for key, value in record.items():
            self._check_depth(str(key), value)
        self.record: Mapping[str, Any] = check_value(dict(record), "an answer of the input")

    def fail(self, field: str, problem: str, *, kind: str = "wrong_type") -> NoReturn:
        raise InputError(f"{self.where}: field {field!r}: {problem}", kind=kind, line=self.line, field=field)

    def identifier(self) -> str:
        value = plain_number(self.record.get("id"))
        if value is None:
            return str(self.number)
        if isinstance(value, str) and value:
            if _BAD_LINE_ID.fullmatch(value):
                self.fail(
                    "id",
                    f"{value!r} is reserved for records of bad lines; give the answer another id",
                    kind="reserved_id",
                )
            return value
        if is_whole(value):
            return str(value)
        return self.fail("id", f"expected a non-empty string or a whole number, got {format_value(value)}")

    def prediction(self) -> str:
        if "prediction" not in self.record:
            close = ", ".join(map(str, self.record)) or "none"
            meant = next((name for name in map(str, self.record) if name.strip().lower() == "prediction"), None)
            if meant is not None:
                close += f"; if {meant!r} is it: rename it, or {name_columns({'prediction': meant})}"
            if len(several := candidates(self.record, "prediction")) > 1:
                choices = " or ".join(name_columns({"prediction": name}) for name in several)
                close += f"; several columns may be it: {choices}"
            self.fail(
                "prediction",
                f"missing; every answer needs one, a string (it may be empty). Fields found: {close}",
                kind="missing_prediction",
            )
        value = self.record["prediction"]
        if not isinstance(value, str):
            self.fail(
                "prediction",
                f"expected a string (it may be empty), got {format_value(value)}",
                kind="null_prediction" if value is None else "wrong_type",
            )
        return value

    def text(self, field: str) -> str | None:
        value = self.record.get(field)
        if value is not None and not isinstance(value, str):
            self.fail(field, f"expected a string or null, got {format_value(value)}")
        return value

    def references(self) -> tuple[str, ...]:
        value = self.record.get("references")
        if value is None:
            return ()
        if isinstance(value, str):
            value = [value]
        if not isinstance(value, list | tuple):
            self.fail("references", f"expected a string or a list of strings, got {format_value(value)}")
        for i, item in enumerate(value):
            if not isinstance(item, str):
                self.fail("references", f"item {i + 1} must be a string, got {format_value(item)}")
        # A blank reference is a missing one: nothing can be compared with it.
        return tuple(item for item in value if item.strip())

    def items(self, field: str) -> list[Any] | tuple[Any, ...] | None:
        """What *field* holds, one text or a list; None where it is missing."""
        value = self.record.get(field)
        if isinstance(value, str):
            return [value]
        if value is not None and not isinstance(value, list | tuple):
            self.fail(
                field, f"expected a string, or a list of strings or of objects with `text`, got {format_value(value)}"
            )
        return value

    def passages(self) -> tuple[Passage, ...] | None:
        value = self.items("passages")
        return None if value is None else tuple(self._passage(i, item) for i, item in enumerate(value, start=1))

    def _passage(self, i: int, item: object) -> Passage:
        if isinstance(item, str):
            return Passage(item)
        if not isinstance(item, Mapping):
            self.fail("passages", f"item {i} must be a string or an object with `text`, got {format_value(item)}")
        text = item.get("text")
        if not isinstance(text, str):
            self.fail("passages", f"item {i} needs a string `text`, got {format_value(text)}")
        title, year, identifier = item.get("title"), whole_value(item.get("year")), plain_number(item.get("id"))
        if title is not None and not isinstance(title, str):
            self.fail("passages", f"item {i}: `title` must be a string or null, got {format_value(title)}")
        if isinstance(year, str) and re.fullmatch(r"[0-9]{1,4}", year):
            year = int(year)
        if year is not None and (not is_whole(year)):
            self.fail("passages", f"item {i}: `year` must be a whole number or null, got {format_value(year)}")
        if identifier is not None and (not isinstance(identifier, str | int) or isinstance(identifier, bool)):
            self.fail(
                "passages", f"item {i}: `id` must be a string, a whole number or null, got {format_value(identifier)}"
            )
        corpus = item.get("corpus")
        if corpus is not None and (not isinstance(corpus, str) or not corpus):
            self.fail("passages", f"item {i}: `corpus` must be a string or null, got {format_value(corpus)}")
        return Passage(text, None if identifier is None else str(identifier), title, year, corpus=corpus)

    def claims(self, prediction: Outside) -> tuple[Claim, ...] | None:
        value = self.record.get("claims")
        if value is None:
            return None
        if isinstance(value, str):
            value = [value]
        if not isinstance(value, list | tuple):
            self.fail(
                "claims",
                f"expected a string, or a list of strings or of objects with `text`, got {format_value(value)}",
            )
        return tuple(self._claim(i, item, prediction) for i, item in enumerate(value, start=1))

    def _claim(self, i: int, item: object, prediction: Outside) -> Claim:
        start = end = context = label = None
        text = item
        if isinstance(item, Mapping):
            text, start, end, context, label = (item.get(key) for key in ("text", "start", "end", "context", "label"))
        if not isinstance(text, str) or not text.strip():
            self.fail(
                "claims",
                f"item {i} must be a non-empty string or an object with one as `text`, got {format_value(item)}",
            )
        if context is not None and (not isinstance(context, str) or not context.strip()):
            self.fail(
                "claims", f"item {i}: `context` must be a non-empty string or missing, got {format_value(context)}"
            )
        if not isinstance(label, str | bool | None):
            self.fail("claims", f"item {i}: `label` must be a string or missing, got {format_value(label)}")
        start, end = plain_number(start), plain_number(end)
        if start is None and end is None:
            first = prediction.text.find(text)
            if first >= 0 and prediction.text.find(text, first + 1) < 0:
                start, end = first, first + len(text)
            return Claim(text, start, end, context=context, given_label=label)
        longest = len(self.prediction())
        if not (_whole(start) and _whole(end) and 0 <= start < end <= longest):
            self.fail(
                "claims",
                f"item {i}: `start` and `end` must be whole numbers with 0 <= start < end <= {longest}, "
                f"got {start!r} and {end!r}",
            )
        return _locate_claim(
            Claim(text, start, end, context=context, given_label=label), prediction, f"{self.where}: field 'claims'"
        )

    def statements(self) -> tuple[Statement, ...] | None:
        value = self.items("statements")
        return None if value is None else tuple(self._statement(i, item) for i, item in enumerate(value, start=1))

    def _statement(self, i: int, item: object) -> Statement:
        kind: object = "must"
        text, severity = item, None
        if isinstance(item, Mapping):
            text, kind, severity = item.get("text"), item.get("kind", "must"), item.get("severity")
        if not isinstance(text, str) or not text.strip():
            self.fail(
                "statements",
                f"item {i} must be a non-empty string or an object with one as `text`, got {format_value(item)}",
            )
        if kind not in KINDS:
            self.fail("statements", f"item {i}: `kind` must be one of {', '.join(KINDS)}, got {format_value(kind)}")
        if severity is not None and not isinstance(severity, str):
            self.fail("statements", f"item {i}: `severity` must be a string or missing, got {format_value(severity)}")
        return Statement(text, "nice" if kind == "nice" else "must", severity)

    def meta(self) -> dict[str, Any]:
        return {str(key): self._plain(str(key), value) for key, value in self.record.items() if key not in FIELDS}

    def _plain(self, field: str, value: object) -> Any:
        """*value* as JSON can hold it: NaN is null, dates are ISO text, as the output will write them."""
        if value is None or isinstance(value, str | bool):
            return value
        if isinstance(value, Mapping):
            for key in value:
                if not isinstance(key, str):
                    self.fail(field, f"holds the key {key!r}; keys must be strings")
            return {key: self._plain(field, inner) for key, inner in value.items()}
        if isinstance(value, list | tuple):
            return [self._plain(field, inner) for inner in value]
        if isinstance(value, Integral):
            return int(value)
        if isinstance(value, Real):
            number = float(value)
            if math.isinf(number):
                self.fail(field, f"holds {number}; JSON has no such number")
            return None if math.isnan(number) else plain_number(number)
        if isinstance(value, date | time):
            return value.isoformat()
        if isinstance(value, Decimal):
            return str(value)
        article = "an" if type(value).__name__[0] in "aeiou" else "a"
        return self.fail(field, f"holds {article} {type(value).__name__}, which JSON cannot represent")

    def _check_depth(self, field: str, value: object, depth: int = 1) -> None:
        if isinstance(value, Mapping | list | tuple):
            if depth > _MAX_DEPTH:
                self.fail(field, f"nested more than {_MAX_DEPTH} levels deep", kind="nesting")
            for part in value.values() if isinstance(value, Mapping) else value:
                self._check_depth(field, part, depth + 1)


def _whole(value: object) -> TypeGuard[int]:
    return is_whole(value)


def format_value(value: object) -> str:
    """*value* for a message: its type and its beginning; `null` for None."""
    if value is None:
        return "null"
    return f"{type(value).__name__} {_SHORT.repr(value)}"


_SHORT = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxother = _SHORT.maxlong = 60
_SHORT.maxlevel = 2
