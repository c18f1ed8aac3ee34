"""Read one answer from one object and check every field.

Nothing is guessed: a field of the wrong type raises an error that names the location, the field, the value found
and the values allowed.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import date, time
from decimal import Decimal
from difflib import get_close_matches
from functools import lru_cache
from numbers import Integral, Real
from typing import Any, NoReturn

from fas.core.answers.columns import FIELDS, OTHER_NAMES, candidates, name_columns
from fas.core.checks import format_value, is_whole, plain_number, plain_record, whole_value
from fas.core.errors import InputError
from fas.core.guards.characters import check_value
from fas.core.guards.reasoning import Outside, remove_reasoning
from fas.core.records import Answer, Claim, Passage
from fas.core.records.statements import KINDS, Statement

_BAD_LINE_ID = re.compile(r"line:\d+")
# Python's own limit on recursion is a thousand frames, shared with the caller.
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
    reader = _Reader(record, line, where)
    written = reader.read_prediction()
    prediction = remove_reasoning(written)
    return Answer(
        id=reader.read_id(line if number is None else number),
        prediction=prediction.text,
        question=reader.read_question(),
        references=reader.read_references(),
        passages=reader.read_passages(),
        claims=reader.read_claims(prediction, len(written)),
        statements=reader.read_statements(),
        meta={str(key): reader.to_json(str(key), value) for key, value in reader.record.items() if key not in FIELDS},
        line=line,
        reasoning=len(written) - len(prediction.text),
    )


def strip_reasoning(answer: Answer) -> Answer:
    """*answer*, made in Python, without the reasoning in its prediction; an InputError if it holds a claim."""
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
    """Names in `meta` that resemble a field which *answer* lacks, each with that field: ("reference", "references").

    Nothing is read from such a name, and its author may have meant the field. Names that other tools give the field
    (`OTHER_NAMES`) count, too; they are in `meta` where several columns may be the field.
    """
    for name in answer.meta:
        field = _find_resembled_field(name)
        if field is not None and (getattr(answer, field) is None or (field == "references" and not answer.references)):
            yield name, field


def ask_meant(misnamed: Iterable[tuple[str, str]], field: str) -> str:
    """The question to add to a message that *field* is missing, about the first of the *misnamed* that resembles it.

    >>> ask_meant([("pasages", "passages")], "passages")
    '. The field `pasages` is not read; is it meant as `passages`?'
    """
    name = next((name for name, meant in misnamed if meant == field), None)
    return "" if name is None else f". The field `{name}` is not read; is it meant as `{field}`?"


@lru_cache(maxsize=1024)
def _find_resembled_field(name: str) -> str | None:
    if name.startswith("n_"):  # a count
        return None
    for field, others in OTHER_NAMES.items():
        if name in others:
            return field
    return next(iter(get_close_matches(name.strip().lower(), FIELDS, n=1, cutoff=_ALIKE)), None)


class _Reader:
    """The fields of one record, checked."""

    def __init__(self, record: Mapping[str, Any], line: int, where: str) -> None:
        self.line, self.where = line, where
        plain = plain_record(record)
        for key, value in plain.items():
            self.check_depth(str(key), value)
        self.record: Mapping[str, Any] = check_value(plain, "an answer of the input")

    def fail(self, field: str, problem: str, *, kind: str = "wrong_type") -> NoReturn:
        raise InputError(f"{self.where}: field {field!r}: {problem}", kind=kind, line=self.line, field=field)

    def check_depth(self, field: str, value: object, depth: int = 1) -> None:
        if isinstance(value, Mapping | list | tuple):
            if depth > _MAX_DEPTH:
                self.fail(field, f"nested more than {_MAX_DEPTH} levels deep", kind="nesting")
            for part in value.values() if isinstance(value, Mapping) else value:
                self.check_depth(field, part, depth + 1)

    def read_id(self, number: int) -> str:
        value = plain_number(self.record.get("id"))
        if value is None:
            return str(number)
        if isinstance(value, str) and _BAD_LINE_ID.fullmatch(value):
            problem = f"{value!r} is reserved for records of bad lines; give the answer another id"
            self.fail("id", problem, kind="reserved_id")
        if value == "" or not (isinstance(value, str) or is_whole(value)):
            self.fail("id", f"expected a non-empty string or a whole number, got {format_value(value)}")
        return str(value)

    def read_prediction(self) -> str:
        if "prediction" not in self.record:
            names = list(map(str, self.record))
            hint = ", ".join(names) or "none"
            meant = next((name for name in names if name.strip().lower() == "prediction"), None)
            if meant is not None:
                hint += f"; if {meant!r} is it: rename it, or {name_columns({'prediction': meant})}"
            if len(several := candidates(self.record, "prediction")) > 1:
                choices = " or ".join(name_columns({"prediction": name}) for name in several)
                hint += f"; several columns may be it: {choices}"
            problem = f"missing; every answer needs one, a string (it may be empty). Fields found: {hint}"
            self.fail("prediction", problem, kind="missing_prediction")
        value = self.record["prediction"]
        if not isinstance(value, str):
            problem = f"expected a string (it may be empty), got {format_value(value)}"
            self.fail("prediction", problem, kind="null_prediction" if value is None else "wrong_type")
        return value

    def read_question(self) -> str | None:
        value = self.record.get("question")
        if value is not None and not isinstance(value, str):
            self.fail("question", f"expected a string or null, got {format_value(value)}")
        return value

    def read_references(self) -> tuple[str, ...]:
        value = self.record.get("references")
        if value is None:
            return ()
        if isinstance(value, str):
            value = [value]
        if not isinstance(value, list | tuple):
            self.fail("references", f"expected a string or a list of strings, got {format_value(value)}")
        for i, item in enumerate(value, start=1):
            if not isinstance(item, str):
                self.fail("references", f"item {i} must be a string, got {format_value(item)}")
        return tuple(item for item in value if item.strip())  # nothing can be compared with a blank reference

    def read_items(self, field: str, *, blank: bool = False) -> list[_Item] | None:
        """The texts of *field*, which may be *blank*, with their other keys; None where the field is missing."""
        value = self.record.get(field)
        if value is None:
            return None
        if isinstance(value, str):
            value = [value]
        if not isinstance(value, list | tuple):
            problem = "expected a string, or a list of strings or of objects with `text`"
            self.fail(field, f"{problem}, got {format_value(value)}")
        items = []
        for i, item in enumerate(value, start=1):
            keys = item if isinstance(item, Mapping) else {"text": item}
            text = keys.get("text")
            if not isinstance(text, str) or not (blank or text.strip()):
                kind = "string" if blank else "non-empty string"
                self.fail(field, f"item {i} must be a {kind} or an object with one as `text`, got {format_value(item)}")
            items.append(_Item(self, field, i, text, keys))
        return items

    def read_passages(self) -> tuple[Passage, ...] | None:
        items = self.read_items("passages", blank=True)
        return None if items is None else tuple(map(_to_passage, items))

    def read_claims(self, prediction: Outside, length: int) -> tuple[Claim, ...] | None:
        items = self.read_items("claims")
        return None if items is None else tuple(_to_claim(item, prediction, length) for item in items)

    def read_statements(self) -> tuple[Statement, ...] | None:
        items = self.read_items("statements")
        return None if items is None else tuple(map(_to_statement, items))

    def to_json(self, field: str, value: object) -> Any:
        """*value* as JSON can hold it: NaN is null, dates are ISO text."""
        if value is None or isinstance(value, str | bool):
            return value
        if isinstance(value, Mapping):
            for key in value:
                if not isinstance(key, str):
                    self.fail(field, f"holds the key {key!r}; keys must be strings")
            return {key: self.to_json(field, inner) for key, inner in value.items()}
        if isinstance(value, list | tuple):
            return [self.to_json(field, inner) for inner in value]
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
        return self.fail(field, f"holds a value of type {type(value).__name__}, which JSON cannot represent")


class _Item:
    """A text of a list with its other *keys*, each checked when it is read."""

    def __init__(self, reader: _Reader, field: str, number: int, text: str, keys: Mapping[str, Any]) -> None:
        self.reader, self.field, self.number, self.text, self.keys = reader, field, number, text, keys

    def fail(self, problem: str) -> NoReturn:
        self.reader.fail(self.field, f"item {self.number}: {problem}")

    def take(self, key: str, allowed: bool, expected: str, value: Any) -> Any:
        """*value*, if it is None or *allowed*."""
        if value is not None and not allowed:
            self.fail(f"`{key}` must be {expected} or null, got {format_value(value)}")
        return value

    def take_text(self, key: str) -> Any:
        value = self.keys.get(key)
        return self.take(key, isinstance(value, str) and bool(value.strip()), "a non-empty string", value)


def _to_passage(item: _Item) -> Passage:
    title, year, own = item.keys.get("title"), whole_value(item.keys.get("year")), plain_number(item.keys.get("id"))
    if isinstance(year, str) and re.fullmatch(r"[0-9]{1,4}", year):
        year = int(year)
    own = item.take("id", isinstance(own, str) or is_whole(own), "a string, a whole number", own)
    return Passage(
        item.text,
        None if own is None else str(own),
        item.take("title", isinstance(title, str), "a string", title),
        item.take("year", is_whole(year), "a whole number", year),
        corpus=item.take_text("corpus"),
    )


def _to_claim(item: _Item, prediction: Outside, length: int) -> Claim:
    label = item.keys.get("label")
    start, end = plain_number(item.keys.get("start")), plain_number(item.keys.get("end"))
    label = item.take("label", isinstance(label, str | bool), "a string", label)
    claim = Claim(item.text, context=item.take_text("context"), given_label=label)
    if start is None and end is None:
        first = prediction.text.find(item.text)
        if first < 0 or prediction.text.find(item.text, first + 1) >= 0:
            return claim
        return replace(claim, start=first, end=first + len(item.text))
    if not (is_whole(start) and is_whole(end) and 0 <= start < end <= length):
        allowed = f"whole numbers with 0 <= start < end <= {length}"
        item.fail(f"`start` and `end` must be {allowed}, got {start!r} and {end!r}")
    return _locate_claim(replace(claim, start=start, end=end), prediction, f"{item.reader.where}: field 'claims'")


def _to_statement(item: _Item) -> Statement:
    kind, severity = item.keys.get("kind", "must"), item.keys.get("severity")
    if kind not in KINDS:
        item.fail(f"`kind` must be one of {', '.join(KINDS)}, got {format_value(kind)}")
    return Statement(item.text, kind, item.take("severity", isinstance(severity, str), "a string", severity))
