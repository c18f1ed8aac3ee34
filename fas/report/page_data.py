"""The answers of a run as the page's script reads them: in blocks, with an index of numbers to filter and sort by.

What the page needs of every answer at once is in the index, a few dozen bytes each; an answer itself is parsed when
it is shown.
"""

from __future__ import annotations

import hashlib
import math
from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from fas.core.records import LABELS
from fas.core.records.as_json import number_or_nan
from fas.core.records.stored import AnswerRecord, PassageRecord
from fas.report.embed import BLOCK, count_utf16_offsets
from fas.report.review import KINDS, Queue
from fas.report.system_tables import name_system
from fas.results import metrics_of
from fas.scoring.aggregate import UNCOUNTED, counted_flags

_MOST_VALUES = 50  # a field of meta with more distinct values is no filter anybody could use
MOST_FIELDS = 50  # fields of meta looked at: one takes 8 bytes an answer, and a run may bring new names without end
_CONFLICTING, _NO_CLAIMS, _FAILED = (1 << len(LABELS) + i for i in range(3))


@dataclass
class Index:
    """What the page needs of every answer to filter and sort; a few dozen bytes each.

    A mask has a bit for each label that a claim of the answer has, in the order of `LABELS`, then those
    named below; page.js reads the same bits. `opened` has the names of `meta` that became a field, dropped ones
    included; of more than `MOST_FIELDS` the later ones are left out, and `too_many` says so.
    """

    metrics: dict[str, array[float]]
    masks: list[int] = field(default_factory=list)
    flags: list[list[int]] = field(default_factory=list)
    flag_names: dict[str, int] = field(default_factory=dict)
    fields: dict[str, Field] = field(default_factory=dict)
    opened: set[str] = field(default_factory=set)
    too_many: bool = False
    pmids: bool = False
    queue: Queue = field(default_factory=Queue)
    digest: Any = field(default_factory=lambda: hashlib.blake2b(digest_size=16))
    n: int = 0


@dataclass
class Field:
    """A field of meta: its distinct values, and which of them each answer has (-1: none).

    Fields that the report groups by are kept whole; others are dropped when they pass `_MOST_VALUES`.
    """

    grouped: bool = False
    values: dict[str, int] = field(default_factory=dict)
    of: list[int] = field(default_factory=list)


_OF_STATEMENT = ("text", "kind", "label", "severity", "harm", "harm_kind", "sentence", "failure")


def compact_answers(records: Iterable[AnswerRecord], index: Index) -> Iterator[dict[str, Any]]:
    """*records* as the page's script reads them; their numbers are taken into *index*."""
    for record in records:
        _count(record, index)
        yield _compact(record)


def _count(record: AnswerRecord, index: Index) -> None:
    """Take an answer's numbers into the index."""
    index.n += 1
    metrics = metrics_of(record)
    for name, column in index.metrics.items():
        column.append(number_or_nan(metrics.get(name)))
    claims = record["claims"]
    mask = sum({1 << LABELS.index(claim["label"]) for claim in claims})
    mask |= _CONFLICTING if any(claim["conflicting"] for claim in claims) else 0
    failed = record["error"] is not None
    mask |= _NO_CLAIMS if not claims and not failed else 0
    index.masks.append(mask | (_FAILED if failed else 0))
    counted = counted_flags(record)
    index.flags.append([index.flag_names.setdefault(name, len(index.flag_names)) for name in sorted(counted)])
    index.queue.add(index.n - 1, record, index.flag_names)
    for text in (record["id"], *(claim["text"] for claim in claims)):
        index.digest.update(text.encode("utf-8", "surrogatepass") + b"\0")
    meta = record["meta"]
    for name, value in meta.items():
        if name not in index.fields and name not in index.opened and isinstance(value, str | int | float | bool):
            _open(name, index)
    for name, found in list(index.fields.items()):
        found.of.append(_find_value(meta.get(name), found))
        if not found.grouped and len(found.values) > _MOST_VALUES:
            del index.fields[name]


def _open(name: str, index: Index) -> None:
    if len(index.opened) == MOST_FIELDS:
        index.too_many = True
        return
    index.opened.add(name)
    index.fields[name] = Field(of=[-1] * (index.n - 1))


def _find_value(value: Any, found: Field) -> int:
    """Which of the field's values this is."""
    if found.grouped:
        text = "(none)" if value is None else str(value)  # as the report names its groups
    elif value is None or isinstance(value, list | dict):
        return -1
    else:
        text = name_system(value)
    return found.values.setdefault(text, len(found.values))


def describe_index(index: Index) -> dict[str, Any]:
    """The index as page.js reads it."""
    fields = {
        name: {"values": list(found.values), "of": found.of}
        for name, found in index.fields.items()
        if found.grouped or len(found.values) >= 2
    }
    return {
        "n": index.n,
        "key": index.digest.hexdigest(),
        "block": BLOCK,
        "labels": list(LABELS),
        "kinds": list(KINDS),
        "pmids": index.pmids,
        "metrics": {name: [_round(value) for value in column] for name, column in index.metrics.items()},
        "masks": index.masks,
        "flagNames": list(index.flag_names),
        "flags": index.flags,
        "fields": fields,
    }


def _compact(record: AnswerRecord) -> dict[str, Any]:
    """An answer as the page's script reads it; offsets in UTF-16 units, as JavaScript counts."""
    prediction = record["prediction"] or ""
    offset = count_utf16_offsets(prediction)
    answer: dict[str, Any] = {
        "id": record["id"],
        "question": record["question"],
        "prediction": prediction,
        "references": record["references"],
        "meta": [[name, name_system(value)] for name, value in record["meta"].items()],
        "claims": [
            {
                "text": claim["text"],
                "start": offset(claim["start"]),
                "end": offset(claim["end"]),
                "label": LABELS.index(claim["label"]),
                "conflicting": claim["conflicting"],
                "conflict": claim["conflict"],
                "ps": _round(claim["p_support"]),
                "pc": _round(claim["p_contradict"]),
                "failure": claim["failure"],
                "why": claim["why"],
                "missing": claim["missing"],
                "evidence": [_compact_evidence(evidence) for evidence in claim["evidence"]],
            }
            for claim in record["claims"]
        ],
        "flags": [
            {
                **flag,
                "start": offset(flag["start"]),
                "end": offset(flag["end"]),
                "counted": flag["status"] not in UNCOUNTED,
            }
            for flag in record["flags"]
        ],
    }
    if record["statements"]:
        answer["statements"] = [
            {name: value for name, value in one.items() if name in _OF_STATEMENT} for one in record["statements"]
        ]
    if record["error"] is not None:
        answer["error"] = record["error"]
    return answer


def _compact_evidence(evidence: PassageRecord) -> dict[str, Any]:
    found = {name: value for name, value in evidence.items() if value is not None and not name.startswith("p_")}
    return found | {"ps": _round(evidence["p_support"]), "pc": _round(evidence["p_contradict"])}


def _round(value: float | None) -> float | None:
    """*value* with the decimals that are shown (`fas.report.tables.number`); None where it is undefined."""
    return None if value is None or math.isnan(value) else round(value, 3)
