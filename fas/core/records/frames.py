"""Tables of answers for pandas."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, get_type_hints

from fas.core.loading import import_extra
from fas.core.records.stored import METRICS, AnswerRecord, ClaimRecord, FlagRecord, PassageRecord

_NESTED = ("meta", "claims", "flags", "error", "statements")
_KEYS: Mapping[str, Mapping[str, Any]] = {
    "answers": {name: hint for name, hint in get_type_hints(AnswerRecord).items() if name not in _NESTED}
    | {"error": str | None, **dict.fromkeys(METRICS, float | None)},
    "claims": {"answer": str, **get_type_hints(ClaimRecord)},
    "flags": {"answer": str, **get_type_hints(FlagRecord)},
    "passages": {"answer": str, "claim": int, **get_type_hints(PassageRecord)},
}
_DTYPES = {int: "int64", float: "float64", bool: "bool", int | None: "Int64", float | None: "float64"}


def frame_of(records: Iterable[Mapping[str, Any]], table: str) -> Any:
    """One table of *records*, as in `scores.jsonl`, as a DataFrame; a ValueError if there is no such table.

    `answers` has one row an answer (id, scores and counts, the fields of `meta`, the message of `error`); a field of
    `meta` with the name of another column becomes `meta.NAME`. `claims`, `flags` and `passages` have one row for each
    claim, safety flag and passage that a claim was judged by, with the answer's id as `answer`. Columns of fas are
    always there and have the same types: `float64`, `Int64` where a whole number may be missing, `bool`, `object`.
    """
    if table not in _KEYS:
        raise ValueError(f"no table {table!r}; available: {', '.join(_KEYS)}")
    pandas = import_extra("pandas", "tables")
    absent = {name: False if hint is bool else None for name, hint in _KEYS[table].items()}
    rows = [{**absent, **row} for row in _make_rows(records, table)]
    found = pandas.DataFrame(rows, columns=None if rows else list(absent))
    return found.astype({name: _DTYPES.get(hint, "object") for name, hint in _KEYS[table].items()})


def _make_rows(records: Iterable[Mapping[str, Any]], table: str) -> Iterator[dict[str, Any]]:
    for record in records:
        if table == "answers":
            own = {name: value for name, value in record.items() if name not in _NESTED}
            taken = {*record, *_KEYS["answers"]}
            meta = {(f"meta.{name}" if name in taken else name): value for name, value in record["meta"].items()}
            error = record["error"]
            yield {**own, **meta, "error": None if error is None else error["message"]}
        elif table == "passages":
            for number, claim in enumerate(record["claims"], start=1):
                yield from ({"answer": record["id"], "claim": number, **one} for one in claim["evidence"])
        else:
            yield from ({"answer": record["id"], **one} for one in record[table])
