"""Results that Inspect, promptfoo, deepeval and HealthBench store as one object: one reader for scoring and audits."""

from __future__ import annotations

import json
import struct
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from fas.core.answers.columns import OTHER_NAMES, candidates
from fas.core.errors import InputError
from fas.core.loading import import_extra

LOGGED = "Inspect, promptfoo, deepeval or HealthBench"
_ATTACHED = "attachment://"
_ZSTD = 93
_CASE = {
    "input": "input",
    "actual_output": "actualOutput",
    "expected_output": "expectedOutput",
    "retrieval_context": "retrievalContext",
}


class LoggedRow(NamedTuple):
    """One answer of a log; values are as the log has them.

    `unit` is the sample or test; `id` also distinguishes epochs, prompts and providers. `beside` holds the metadata of
    the sample or the variables of the test, `row` the whole entry of the log. `error` says why `prediction` is None.
    """

    id: str
    unit: str
    system: str
    prediction: Any
    question: Any
    references: Any
    beside: Mapping[str, Any]
    error: str
    row: Mapping[str, Any]


def logged_rows(log: Mapping[str, Any]) -> list[dict[str, Any]] | None:
    """The answers of a log under the names that `fas.core.answers.columns.recognise` knows; None for any other object.

    Inspect has an answer for each sample and epoch, deepeval for each test case, HealthBench for each example, and
    promptfoo for each test, prompt and provider. A variable of a promptfoo test that could pass for the answer
    (`answer`) becomes `vars.answer`. A row without an answer has no `output`, and is read as a line without a
    prediction.

    >>> logged_rows({"samples": [{"id": 1, "input": "Q?", "target": "T", "output": {"completion": "A."}}]})
    [{'id': '1', 'input': 'Q?', 'target': 'T', 'output': 'A.'}]
    """
    samples = log.get("samples")
    if isinstance(samples, list) and all(isinstance(one, Mapping) and "input" in one for one in samples):
        return list(map(name_sample, samples))
    cases = log.get("testCases")
    if isinstance(cases, list) and all(isinstance(one, Mapping) and "input" in one for one in cases):
        named = {"id": "name", **_CASE} if len({one.get("name") for one in cases}) == len(cases) else _CASE
        return [{name: one[camel] for name, camel in named.items() if one.get(camel) is not None} for one in cases]
    examples = _as_object(log.get("metadata")).get("example_level_metadata")
    if isinstance(examples, list):
        return [dict(one) for one in examples if isinstance(one, Mapping)]
    results = log.get("results")
    rows = results.get("results") if isinstance(results, Mapping) else None
    if isinstance(rows, list) and all(
        isinstance(one, Mapping) and ("vars" in one or "response" in one) for one in rows
    ):
        return [
            _name_fields(row, "vars", {"model": row.system or None, "prompt": row.question})
            for row in map(read_result, rows, range(len(rows)))
        ]
    return None


def read_inspect_samples(path: Path) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Header and sample of each sample of an `.eval` log of Inspect; an InputError if it is no such log, or damaged."""
    try:
        with zipfile.ZipFile(path) as packed:
            names = packed.namelist()
            head = next((name for name in ("header.json", "_journal/start.json") if name in names), None)
            if head is None:
                raise InputError(f"{path}: a zip file without header.json; expected a .eval log of Inspect")
            header = json.loads(_unpack(packed, head))
            for name in names:
                if name.startswith("samples/") and name.endswith(".json"):
                    yield header, json.loads(_unpack(packed, name))
    except (zipfile.BadZipFile, ValueError, KeyError, OSError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{path}: a damaged .eval log of Inspect: {error}") from error


def _unpack(packed: zipfile.ZipFile, name: str) -> bytes:
    """A member's bytes; Inspect packs with Zstandard, which zipfile reads from Python 3.14 on."""
    info = packed.getinfo(name)
    if info.compress_type != _ZSTD:
        return packed.read(name)
    pyarrow = import_extra("pyarrow", "tables")
    with Path(packed.filename or "").open("rb") as raw:
        raw.seek(info.header_offset + 26)
        name_length, extra_length = struct.unpack("<HH", raw.read(4))
        raw.seek(name_length + extra_length, 1)
        data = raw.read(info.compress_size)
    return bytes(pyarrow.input_stream(pyarrow.BufferReader(data), compression="zstd").read())


def name_sample(sample: Mapping[str, Any]) -> dict[str, Any]:
    """The answer of a sample of Inspect, as `logged_rows` gives it."""
    row = read_sample(sample)
    return _name_fields(row, "metadata", {"input": row.question, "target": row.references})


def read_sample(sample: Mapping[str, Any]) -> LoggedRow:
    """A sample of an Inspect log; the log's header names the model."""
    if attached := sample.get("attachments"):
        sample = _resolve_attachments(sample, attached)
    said, epoch = _as_object(sample.get("output")).get("completion"), sample.get("epoch", 1)
    error = _as_object(sample.get("error")).get("message") or ""
    unit = str(sample.get("id"))
    return LoggedRow(
        unit if epoch == 1 else f"{unit}#{epoch}", unit, "", (said or None) if error else said, sample.get("input"),
        sample.get("target"), _as_object(sample.get("metadata")), error, sample,
    )  # fmt: skip


def read_result(result: Mapping[str, Any], number: int) -> LoggedRow:
    """A row of a promptfoo log, the *number*-th from 0."""
    variables = result.get("vars") or _as_object(result.get("testCase")).get("vars")
    said, system = _as_object(result.get("response")).get("output"), name_provider(result.get("provider"))
    failed = result.get("failureReason") == 2 or (said is None and result.get("error"))
    unit = str(result.get("testIdx", _as_object(variables).get("id", number)))
    return LoggedRow(
        f"{unit}/{result.get('promptIdx', 0)}/{system}", unit, system, None if failed else said,
        _as_object(result.get("prompt")).get("raw"), None, _as_object(variables),
        str(result.get("error") or "no answer") if failed else "", result,
    )  # fmt: skip


def name_provider(given: Any) -> str:
    """The name of a model in a promptfoo log: its label, else its identifier."""
    if isinstance(given, Mapping):
        return name_provider(given.get("label") or given.get("id") or given.get("text"))
    return str(given) if given else ""


def _name_fields(row: LoggedRow, of: str, more: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of *row*; a field of `beside` that could pass for the answer gets the prefix *of*."""
    taken = {"prediction", *OTHER_NAMES["prediction"]}
    beside = {f"{of}.{name}" if name in taken else name: value for name, value in row.beside.items()}
    if "question" in beside or candidates(beside, "question"):
        more = {**more, "prompt": beside.get("prompt")}
    found = {**beside, "id": row.id, **more, "output": row.prediction}
    return {name: value for name, value in found.items() if value is not None}


def _resolve_attachments(value: Any, attached: Mapping[str, str]) -> Any:
    """*value* with each reference to an attachment replaced by its text."""
    if isinstance(value, str) and value.startswith(_ATTACHED):
        return attached.get(value.removeprefix(_ATTACHED), value)
    if isinstance(value, dict):
        return {
            key: _resolve_attachments(inner, attached)
            for key, inner in value.items()
            if key not in ("attachments", "events")
        }
    return [_resolve_attachments(inner, attached) for inner in value] if isinstance(value, list) else value


def _as_object(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
