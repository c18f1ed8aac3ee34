"""Results in lines and tables: lm-evaluation-harness, OpenAI batches, ragas, MLflow, SimpleQA, and your own."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from fas.core.answers.columns import name_columns, recognise
from fas.core.answers.strict_json import load_list
from fas.core.checks import parse_finite
from fas.core.errors import InputError
from fas.integrations.logs import records
from fas.integrations.logs.records import LoggedAnswer, Score, chat_text, look_up, make_score, passages_of, texts_of

# Columns of numbers that judge nothing.
_NO_SCORE = re.compile(
    r"(?:^|[_/ .])(?:id|idx|index|seed|tokens?|latency|cost|price|time|timestamp|duration|ms|s|seconds|epoch|n|count|"
    r"length|len|version|year|temperature|execution|threshold|line|row|k)(?:$|[_/ .])",
    re.IGNORECASE,
)
_JUDGES = ("judge", "judge_model", "grader", "grader_model", "evaluation_model", "evaluator", "judge_name")
_SAID = ("explanation", "reason", "rationale", "justification", "feedback", "judge_output", "grader_output")
_UNITS = ("question_id", "sample_id", "prompt_id", "example_id", "doc_id", "task_id")
_SIMPLEQA = {"A": "correct", "B": "incorrect", "C": "not_attempted"}


def lm_eval(rows: Sequence[Mapping[str, Any]], path: Path) -> Iterator[LoggedAnswer]:
    """`samples_*.jsonl`: each line names its metrics, and the folder is named after the model."""
    filters = {row.get("filter") for row in rows}
    found: dict[str, LoggedAnswer] = {}
    for row in rows:
        doc = row.get("doc") or {}
        doc = doc if isinstance(doc, Mapping) else {"question": str(doc)}
        replies = row.get("filtered_resps") or row.get("resps") or []
        said = replies[0] if replies else None
        while isinstance(said, list) and len(said) == 1:
            said = said[0]
        name = str(row["doc_id"])
        scores: dict[str, Score] = {}
        for metric in row.get("metrics") or []:
            value = row.get(metric)
            if isinstance(value, int | float | str) or value is None:
                key = f"{metric},{row['filter']}" if len(filters) > 1 else metric
                scores[key] = make_score(value, metric)
        if name in found:
            scores = {**found[name].scores, **scores}
        sent = row.get("arguments")
        asked: Any = next(iter(sent.values()), None) if isinstance(sent, Mapping) else None
        found[name] = LoggedAnswer(
            name,
            name,
            path.resolve().parent.name,
            said if isinstance(said, str) else None,
            look_up(doc, "question") or (asked.get("arg_0") if isinstance(asked, Mapping) else None),
            texts_of(row.get("target")),
            passages_of(doc),
            scores,
        )
    yield from found.values()


def batch(rows: Sequence[Mapping[str, Any]], requests: Mapping[str, Mapping[str, Any]]) -> Iterator[LoggedAnswer]:
    """The output of OpenAI's batch API; *requests* are the lines of its input by `custom_id`, for the questions.

    A reply that is a JSON object is a judgement: its numbers, decisions and grades are scores, and its request is the
    question. Any other reply is an answer. A failed request is a missing answer, or judgement.
    """
    bodies = {row["custom_id"]: _body(row) for row in rows}
    judges = [name for name, text in bodies.items() if isinstance(_object(text), dict)]
    keys = {key for name in judges for key, value in _object(bodies[name]).items() if _is_grade(value)}
    for row in rows:
        name, text = row["custom_id"], bodies[row["custom_id"]]
        asked = requests.get(name) or {}
        body = (row.get("response") or {}).get("body") or {}
        model = str(body.get("model") or (asked.get("body") or {}).get("model") or "")
        sent = asked.get("body") or {}
        question = chat_text(sent.get("messages") or sent.get("input"), "user") or chat_text(sent.get("input"))
        error = "" if text is not None else _why_failed(row)
        if not keys:
            yield LoggedAnswer(str(name), question or str(name), model, text, question, error=error)
            continue
        given, failure = _object(text), error
        if not isinstance(given, dict):
            given, failure = {}, error or f"no JSON: {(text or '')[:80]}"
        scores = {
            key: make_score(given.get(key), f"{key} by {model}", failure=failure, prompt=question or "")
            for key in sorted(keys)
        }
        yield LoggedAnswer(str(name), str(name), "", None, question, scores=scores)


def find_simpleqa_grades(rows: Sequence[Mapping[str, Any]]) -> set[str]:
    """The columns that hold the letters or words of SimpleQA's grader, and nothing else."""

    def fold(value: Any) -> Any:
        return value.lower() if isinstance(value, str) and len(value) > 1 else value

    known = {*_SIMPLEQA, *_SIMPLEQA.values(), None}
    names = {name for row in rows for name in map(str, row) if name.startswith("grade")}
    values = {name: {fold(row.get(name)) for row in rows} for name in names}
    return {name for name, found in values.items() if found <= known and found != {None}}


def table(rows: Sequence[Mapping[str, Any]], path: Path) -> Iterator[LoggedAnswer]:
    """Rows with an answer and its numbers: ragas, MLflow evaluation tables, SimpleQA, and your own files.

    Columns of numbers, decisions or grades are scores, unless they are a field of an answer, an identifier or a
    measurement of the run. `NAME/v1/score` and `NAME/v1/justification` are MLflow's, `assessments` is `mlflow.genai`'s.

    Raises:
        InputError: It is not clear which column is the answer.
    """
    rows = [_flatten(row) for row in rows]
    first = rows[0]
    columns = recognise(first)
    if "prediction" not in first and "prediction" not in columns:
        raise InputError(
            f"{path}: not clear which column is the answer; available: {', '.join(map(str, first))}. "
            f"Name it `prediction`, or {name_columns({'prediction': 'COLUMN'})}"
        )
    names = list(dict.fromkeys(name for row in rows for name in row))
    taken = {*columns.values(), "prediction", "question", "references", "passages", "claims", *_SAID, *_JUDGES}
    graded = [name for name in names if name not in taken and _is_score(name, [row.get(name) for row in rows])]
    simpleqa = find_simpleqa_grades(rows)
    for number, row in enumerate(rows, 1):
        known = {**row, **{field: row.get(column) for field, column in columns.items()}}
        model = next((str(row[name]) for name in _JUDGES if row.get(name)), "")
        said = next((str(row[name]) for name in _SAID if row.get(name)), "")
        error = row.get("error") or row.get("error_message") or ""
        scores = {}
        for name in graded:
            value = row.get(name)
            value = _SIMPLEQA.get(value, value) if name in simpleqa and isinstance(value, str) else value
            short = re.sub(r"/v\d+/score$|/score$", "", name)
            reason = row.get(re.sub(r"score$", "justification", name)) if short != name else row.get(f"{name}_reason")
            by = str(row.get(f"{name}/by") or model)
            scores[short] = make_score(
                value, f"{short} by {by}" if by else short, said=reason or said,
                failure=row.get(f"{name}/error") or (error if value is None else ""),
            )  # fmt: skip
        question = chat_text(known.get("question"), "user")
        unit = next((str(row[name]) for name in _UNITS if row.get(name) is not None), None)
        yield LoggedAnswer(
            str(row.get("id", number)),
            unit or question or str(number),
            str(row.get("model") or row.get("system") or ""),
            chat_text(known.get("prediction"), "assistant"),
            question,
            texts_of(known.get("references")),
            texts_of(known.get("passages")) or passages_of(row) or None,
            scores,
            str(error) if known.get("prediction") is None else "",
        )


def unpack_cell(text: str) -> Any:
    """The value of a cell of a CSV file; None for an empty one."""
    if text.strip().startswith("["):
        try:
            return load_list(text)
        except (ValueError, RecursionError):
            pass
    return text or None


def _flatten(row: Mapping[str, Any]) -> dict[str, Any]:
    """*row* with the assessments of `mlflow.genai` and the request as columns; NaN becomes None."""
    found = {
        str(name): None if isinstance(value, float) and math.isnan(value) else value for name, value in row.items()
    }
    for one in found.pop("assessments", None) or []:
        if not isinstance(one, Mapping):
            continue
        name = one.get("assessment_name") or one.get("name")
        for part in ("value", "rationale", "error_message"):  # what MLflow repeats as columns
            found.pop(f"{name}/{part}", None)
        if "expectation" in one:
            expected = one["expectation"]
            serialised = (expected.get("serialized_value") or {}).get("value")
            found[f"{name}"] = expected.get("value") if serialised is None else json.loads(serialised)
            continue
        said = one.get("feedback") or {}
        error = one.get("error") or said.get("error")
        found[f"{name}"] = said.get("value") if isinstance(said, Mapping) else said
        found[f"{name}/by"] = (one.get("source") or {}).get("source_id")
        found[f"{name}_reason"] = one.get("rationale")
        found[f"{name}/error"] = error.get("error_message") or str(error) if isinstance(error, Mapping) else error
    for name, field in (("request", "question"), ("inputs", "question"), ("response", "prediction")):
        value = found.get(name)
        if isinstance(value, str) and value.startswith("{"):
            value = _object(value)
        if isinstance(value, Mapping):
            found |= {key: inner for key, inner in value.items() if key not in found}
            found[field] = look_up(value, field)
            found.pop(name)
    more = found.pop("expectations", None)
    return found | (dict(more) if isinstance(more, Mapping) else {})


def _is_score(name: str, values: Sequence[Any]) -> bool:
    there = [value for value in values if value not in (None, "")]
    return bool(there) and sum(map(_is_grade, there)) > len(there) / 2 and not _NO_SCORE.search(name)


def _is_grade(value: Any) -> bool:
    if isinstance(value, str):
        try:
            return value.strip().lower() in records.WORDS or value in _SIMPLEQA or math.isfinite(float(value))
        except ValueError:
            return False
    return parse_finite(value) is not None or (isinstance(value, float) and math.isnan(value))


def _object(text: str | None) -> Any:
    from fas.llm.parsing import parse_json

    return parse_json(text).value if text else None


def _body(row: Mapping[str, Any]) -> str | None:
    """The words of a reply, of chat completions or of responses; None where the request failed."""
    response = row.get("response") or {}
    body = response.get("body") or {}
    if row.get("error") or response.get("status_code", 200) != 200 or not isinstance(body, Mapping):
        return None
    if body.get("choices"):
        return chat_text(body["choices"][0].get("message"))
    said = [chat_text(one.get("content")) for one in body.get("output") or [] if one.get("type") == "message"]
    return "\n".join(filter(None, said)) or None


def _why_failed(row: Mapping[str, Any]) -> str:
    response = row.get("response") or {}
    error = row.get("error") or (response.get("body") or {}).get("error") or {}
    message = error.get("message") if isinstance(error, Mapping) else error
    return str(message or f"status {response.get('status_code')}, no text")
