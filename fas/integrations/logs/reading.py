"""A log of any known tool; its content tells the format."""

from __future__ import annotations

import csv
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from fas.core.answers.formats import read_objects
from fas.core.errors import InputError
from fas.core.files.plain import json_lines, read_json
from fas.integrations.logs import json_logs, line_logs
from fas.integrations.logs.records import LoggedAnswer, make_unique

KNOWN = (
    "Inspect (.eval, .json), lm-evaluation-harness (samples_*.jsonl), promptfoo (output.json), deepeval test runs, "
    "HealthBench of simple-evals, OpenAI batch output, and tables (.jsonl, .json, .csv, .parquet) with an answer and "
    "its scores: ragas, MLflow, SimpleQA"
)


@dataclass(frozen=True, slots=True)
class Log:
    """The answers, each with a unique identifier, in one or more files, and the tools (*form*) that wrote the files."""

    paths: tuple[Path, ...]
    form: str
    answers: tuple[LoggedAnswer, ...]

    @property
    def metrics(self) -> list[str]:
        """Names of the scores, in the order of appearance."""
        return list(dict.fromkeys(name for one in self.answers for name in one.scores))


def read_logs(paths: Sequence[Path], *, columns: Mapping[str, str] | None = None) -> Log:
    """Read logs of one or several systems.

    Args:
        paths: The files. Lines of an OpenAI batch's input among them are the requests of its output.
        columns: For a table: field of an answer to the column it is read from.

    Raises:
        InputError: A file is of no known format, damaged, or without an answer.
    """
    files = [path for path in paths if not path.is_dir()]
    for folder in (path for path in paths if path.is_dir()):
        files += sorted([*folder.rglob("*.eval"), *folder.rglob("samples_*.jsonl")])
    if not files:
        raise InputError(f"{paths[0]}: a folder without a log (*.eval, samples_*.jsonl)", kind="empty_input")
    requests = {row["custom_id"]: row for path in files if _is_requests(path) for _, row in json_lines(path)}
    read = [(path, *_read(path, requests, columns or {})) for path in files if not _is_requests(path)]
    answers: list[LoggedAnswer] = []
    for path, _, found in read:
        own = list(found)
        if not own:
            raise InputError(f"{path}: no answer in this log", kind="empty_input")
        if len(read) > 1:  # a system without a name gets that of its file
            own = [one if one.system else replace(one, system=path.stem) for one in own]
        answers += own
    if len({one.system for one in answers}) > 1 and len({one.id for one in answers}) < len(answers):
        answers = [replace(one, id=f"{one.system}:{one.id}") for one in answers]
    if not answers:
        raise InputError(f"{paths[0]}: requests of a batch without its output; name the output, too")
    return Log(tuple(files), ", ".join(dict.fromkeys(form for _, form, _ in read)), tuple(make_unique(answers)))


def _read(
    path: Path, requests: Mapping[str, Mapping[str, Any]], columns: Mapping[str, str]
) -> tuple[str, Iterable[LoggedAnswer]]:
    """The tool that wrote *path*, and its answers."""
    if not path.is_file():
        raise InputError(f"{path}: no such file", kind="missing_file")
    if zipfile.is_zipfile(path):
        return "Inspect", json_logs.read_eval(path)
    rows = list(_objects(path))
    if not rows:
        raise InputError(f"{path}: no row; expected a log of {KNOWN}", kind="empty_input")
    first = rows[0]
    if not all(isinstance(row, Mapping) for row in rows):
        raise InputError(f"{path}: no known log; expected {KNOWN}", kind="format")
    metadata = first.get("metadata")
    if len(rows) == 1 and "eval" in first and "samples" in first:
        return "Inspect", (json_logs.read_inspect_sample(one, first) for one in first["samples"] or [])
    if len(rows) == 1 and isinstance(first.get("results"), Mapping) and "results" in first["results"]:
        return "promptfoo", json_logs.promptfoo(first)
    if len(rows) == 1 and isinstance(first.get("testCases"), list):
        return "deepeval", json_logs.deepeval(first)
    if isinstance(metadata, Mapping) and "example_level_metadata" in metadata:
        return "HealthBench", json_logs.healthbench(metadata["example_level_metadata"])
    if "rubric_items" in first:
        return "HealthBench", json_logs.healthbench(rows)
    if {"doc_id", "doc", "resps"} <= set(first):
        return "lm-evaluation-harness", line_logs.lm_eval(rows, path)
    if "custom_id" in first and "response" in first:
        return "OpenAI batch", line_logs.batch(rows, requests)
    renamed = [{**row, **{field: row[name] for field, name in columns.items() if name in row}} for row in rows]
    form = "table"
    if "user_input" in first:
        form = "ragas"
    elif "assessments" in first or any(str(name).endswith("/score") for name in first):
        form = "MLflow"
    elif line_logs.find_simpleqa_grades(renamed):
        form = "SimpleQA"
    return form, line_logs.table(renamed, path)


def _objects(path: Path) -> Iterator[Any]:
    """The objects of a file; one for a JSON file that holds one."""
    suffix = path.suffix.lower()
    if suffix in (".jsonl", ".ndjson"):
        yield from (row for _, row in json_lines(path))
    elif suffix in (".csv", ".tsv"):
        with path.open(encoding="utf-8-sig", newline="") as lines:
            for row in csv.DictReader(lines, delimiter="\t" if suffix == ".tsv" else ","):
                yield {name: line_logs.unpack_cell(cell or "") for name, cell in row.items() if name}
    elif suffix == ".parquet":
        for found in read_objects(path):
            if isinstance(found.record, InputError):
                raise found.record
            yield found.record
    else:
        value = read_json(path)
        if isinstance(value, dict) and isinstance(value.get("columns"), list) and isinstance(value.get("data"), list):
            yield from (dict(zip(value["columns"], row, strict=True)) for row in value["data"])
        else:
            yield from value if isinstance(value, list) else [value]


def _is_requests(path: Path) -> bool:
    """Whether *path* is the input of an OpenAI batch."""
    if path.suffix.lower() != ".jsonl" or not path.is_file():
        return False
    _, first = next(json_lines(path), (0, {}))
    return "custom_id" in first and "body" in first and "response" not in first
