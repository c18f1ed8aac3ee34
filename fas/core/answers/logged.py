"""Results that Inspect and promptfoo write as one JSON object, as rows of answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fas.core.answers.columns import OTHER_NAMES, candidates


def logged_rows(log: Mapping[str, Any]) -> list[dict[str, Any]] | None:
    """The answers of a log under the names that `fas.core.answers.columns.recognise` knows; None for any other object.

    Of Inspect: an answer for each sample and epoch. Of promptfoo: one for each test, prompt and provider, with the
    variables of its test; one that might be taken for the answer (`answer`) is called `vars.answer`. A row without an
    answer has no `output`, and is read as a line without a prediction.

    >>> logged_rows({"samples": [{"id": 1, "input": "Q?", "target": "T", "output": {"completion": "A."}}]})
    [{'id': '1', 'input': 'Q?', 'target': 'T', 'output': 'A.'}]
    """
    samples = log.get("samples")
    if isinstance(samples, list) and all(isinstance(one, Mapping) and "input" in one for one in samples):
        return [_sample(one) for one in samples]
    results = log.get("results")
    rows = results.get("results") if isinstance(results, Mapping) else None
    if isinstance(rows, list) and all(
        isinstance(one, Mapping) and ("vars" in one or "response" in one) for one in rows
    ):
        return [_result(one, number) for number, one in enumerate(rows)]
    return None


def _sample(sample: Mapping[str, Any]) -> dict[str, Any]:
    metadata = _beside_output(_object(sample.get("metadata")), "metadata")
    epoch = sample.get("epoch", 1)
    row = {
        **metadata,
        "id": str(sample.get("id")) if epoch == 1 else f"{sample.get('id')}#{epoch}",
        "input": sample["input"],
        "target": sample.get("target"),
        "output": _object(sample.get("output")).get("completion"),
    }
    return {name: value for name, value in row.items() if value is not None}


def _result(result: Mapping[str, Any], number: int) -> dict[str, Any]:
    variables = _beside_output(_object(result.get("vars")), "vars")
    provider, prompt = result.get("provider"), result.get("promptIdx", 0)
    system = provider.get("id") if isinstance(provider, Mapping) else provider
    row = {
        **variables,
        "id": f"{result.get('testIdx', number)}/{prompt}/{system}",
        "model": system,
        "output": _object(result.get("response")).get("output"),
    }
    if "question" not in variables and not candidates(variables, "question"):
        row["prompt"] = _object(result.get("prompt")).get("raw")
    return {name: value for name, value in row.items() if value is not None}


def _beside_output(values: Mapping[str, Any], of: str) -> dict[str, Any]:
    """*values* with other names for those that might be taken for the answer, which is known here."""
    taken = {"prediction", *OTHER_NAMES["prediction"]}
    return {f"{of}.{name}" if name in taken else name: value for name, value in values.items()}


def _object(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
