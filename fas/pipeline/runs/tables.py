"""The records of a run as Parquet, for tools that read tables."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from fas.core.files.own import replace_file
from fas.core.loading import import_extra
from fas.core.records.as_json import number_or_nan
from fas.core.records.stored import metric_name
from fas.pipeline import split_into_chunks
from fas.pipeline.runs.folder import RunFolder
from fas.results.migration import migrate_record
from fas.scoring.aggregate import METRICS, metric_names

_COUNTS = ("n_claims", "n_unverified", "n_no_evidence", "n_conflicting")


def list_columns(records: Sequence[Mapping[str, Any]], k: int) -> dict[str, list[Any]]:
    """Records as columns: the id, the metrics, counts, the error's message, and the whole record as JSON.

    Args:
        records: Lines of `scores.jsonl`.
        k: Passages per claim; names the `@` metrics.
    """
    table: dict[str, list[Any]] = {"id": [record["id"] for record in records]}
    for name in METRICS:
        values = [number_or_nan(record[name]) for record in records]
        table[metric_name(name, k)] = values
    for name in _COUNTS:
        table[name] = [int(record[name] or 0) for record in records]
    table["error"] = [None if record["error"] is None else str(record["error"]["message"]) for record in records]
    table["record"] = [json.dumps(record, ensure_ascii=False, allow_nan=False) for record in records]
    return table


def write_tables(out: Path, k: int, *, rows: int = 20_000) -> list[Path]:
    """Write `out/parquet/part-00000.parquet` and so on from the records of the run in *out*.

    Args:
        out: The folder of a run.
        k: Passages per claim of the run.
        rows: Answers a file; what is kept in memory at a time.

    Returns:
        The files, in the order of the input.

    Raises:
        OSError: They cannot be written.
    """
    pyarrow = import_extra("pyarrow", "tables")
    import_extra("pyarrow.parquet", "tables")
    folder = out / "parquet"
    folder.mkdir(exist_ok=True)
    written = []
    text, number, whole = pyarrow.string(), pyarrow.float64(), pyarrow.int64()
    kinds = {"id": text, **dict.fromkeys(metric_names(k), number), **dict.fromkeys(_COUNTS, whole)}
    schema = pyarrow.schema([*kinds.items(), ("error", text), ("record", text)])
    for position, part in enumerate(split_into_chunks(map(migrate_record, RunFolder(out).records()), rows)):
        path = folder / f"part-{position:05d}.parquet"
        with replace_file(path, binary=True) as data:
            pyarrow.parquet.write_table(pyarrow.table(list_columns(part, k), schema=schema), data, compression="zstd")
        written.append(path)
    for stale in sorted(folder.glob("part-*.parquet")):
        if stale not in written:
            with suppress(FileNotFoundError):
                stale.unlink()
    return written
