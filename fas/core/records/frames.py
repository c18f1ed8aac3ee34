"""Tables of a report for pandas."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from fas.core.loading import import_extra
from fas.core.records import Flag, Report

TABLES = ("answers", "claims", "flags")
# Of tables without a row.
_COLUMNS = {
    "answers": ["id", "question", "prediction", "error"],
    "claims": ["answer", "text", "start", "end", "label", "conflicting", "p_support", "p_contradict", "evidence"],
    "flags": ["answer", *Flag.__slots__],
}
_NESTED = ("meta", "claims", "flags", "error")


def make_frame(report: Report, table: str) -> Any:
    """One of the `TABLES` of *report* as a DataFrame; see `Report.to_pandas`.

    A field of `meta` that is called as a column of ours comes as `meta.NAME`.

    Raises:
        ValueError: There is no such table, or the report keeps no answers.
    """
    if table not in TABLES:
        raise ValueError(f"no table {table!r}; there are: {', '.join(TABLES)}")
    if report.n and not report.answers:
        raise ValueError("this report keeps no answers; make it with fas.score_answers")
    pandas = import_extra("pandas", "tables")

    found = next((re.match(r"support@(\d+)$", name) for name in report.metrics if name.startswith("support@")), None)
    k = int(found[1]) if found else 5
    records = [score.as_dict(k) for score in report.answers]
    rows: list[Mapping[str, Any]] = []
    for record in records:
        if table == "answers":
            own = {name: value for name, value in record.items() if name not in _NESTED}
            meta = {(f"meta.{name}" if name in record else name): value for name, value in record["meta"].items()}
            error = record["error"]
            rows.append({**own, **meta, "error": None if error is None else error["message"]})
        else:
            rows.extend({"answer": record["id"], **one} for one in record[table])
    if not rows:  # the columns are stated all the same, so that what reads them finds them
        return pandas.DataFrame(columns=_COLUMNS[table])
    return pandas.DataFrame(rows)
