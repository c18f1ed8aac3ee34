"""Logs of Inspect AI: `.eval` (a zip of JSON) and `.json`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from fas.core.answers import logged
from fas.integrations.logs.records import LoggedAnswer, Score, chat_text, make_score, passages_of, texts_of


def read_eval(path: Path) -> Iterator[LoggedAnswer]:
    """The answers of a `.eval` log, finished or not.

    Raises:
        InputError: It is no log of Inspect, or damaged.
    """
    return (read_sample(sample, header) for header, sample in logged.read_inspect_samples(path))


def read_sample(sample: Mapping[str, Any], header: Mapping[str, Any]) -> LoggedAnswer:
    """One sample of a log with this *header*."""
    of = header["eval"]
    row = logged.read_sample(sample)
    scores: dict[str, Score] = {}
    for name, one in (row.row.get("scores") or {}).items():
        judge = _name_judge(name, one, of)
        prompt = _judge_prompt(one)
        values = one.get("value")
        for key, value in values.items() if isinstance(values, Mapping) else [(None, values)]:
            scores[name if key is None else f"{name}/{key}"] = make_score(
                value, judge, said=one.get("explanation"), prompt=prompt
            )
    return LoggedAnswer(
        row.id, row.unit, str(of.get("model") or ""), row.prediction,
        row.beside.get("question") or chat_text(row.question, "user"), texts_of(row.references),
        passages_of(row.beside), scores, row.error,
    )  # fmt: skip


def _name_judge(name: str, score: Mapping[str, Any], of: Mapping[str, Any]) -> str:
    """The scorer's name, with the language model that it asked if it asked one."""
    short = name.rpartition("/")[2]
    spec: Mapping[str, Any] = next(
        (one for one in of.get("scorers") or [] if str(one.get("name")).rpartition("/")[2] == short), {}
    )
    options = spec.get("options") or {}
    turns = (score.get("metadata") or {}).get("grading")
    roles = of.get("model_roles") or {}
    if isinstance(turns, list) or "model" in options or short.startswith("model_graded"):
        replies = [one for one in turns or [] if isinstance(one, Mapping) and one.get("role") == "assistant"]
        given = options.get("model")
        given = given.get("model") if isinstance(given, Mapping) else given
        named = next((one.get("model") for one in replies if one.get("model")), None) or given
        grader = roles.get(options.get("model_role") or "grader")
        named = named or (grader.get("model") if isinstance(grader, Mapping) else grader) or of.get("model")
        return f"{short} by {named}"
    return short


def _judge_prompt(score: Mapping[str, Any]) -> str:
    turns = (score.get("metadata") or {}).get("grading")
    asked = [one for one in turns if isinstance(one, Mapping) and one.get("role") == "user"] if turns else []
    return (chat_text(asked[-1]) or "") if asked else ""
