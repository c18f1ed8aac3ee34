"""Results in one JSON file: promptfoo, deepeval, HealthBench (simple-evals)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from fas.core.answers.logged import name_provider, read_result
from fas.integrations.logs.records import (
    LoggedAnswer,
    Score,
    chat_text,
    look_up,
    make_score,
    passages_of,
    texts_of,
)


def promptfoo(log: Mapping[str, Any]) -> Iterator[LoggedAnswer]:
    """`promptfoo eval -o output.json`: an answer for each test, prompt and provider; each assertion is a score."""
    defaults = (log.get("config") or {}).get("defaultTest") or {}
    grader = name_provider(((defaults if isinstance(defaults, Mapping) else {}).get("options") or {}).get("provider"))
    for number, row in enumerate(log["results"]["results"]):
        found = read_result(row, number)
        error, said = found.error, found.prediction
        parts = (row.get("gradingResult") or {}).get("componentResults") or []
        own = name_provider(((row.get("testCase") or {}).get("options") or {}).get("provider")) or grader
        scores = {"score": make_score(row.get("score"), "all assertions", failure=error)}
        for place, part in enumerate(parts):
            rule = part.get("assertion") or {}
            name = str(rule.get("metric") or rule.get("type") or f"assertion {place + 1}")
            judge = name_provider(rule.get("provider")) or (own if _asks_model(name, rule) else "")
            one = make_score(
                part.get("score"), f"{rule.get('type') or name}{f' by {judge}' if judge else ''}",
                said="" if part.get("pass") else part.get("reason"),
                failure=error or ((part.get("metadata") or {}).get("graderError") and part.get("reason")),
            )  # fmt: skip
            scores[name if name not in scores else f"{name} ({place + 1})"] = one
        if any(one.failure for name, one in scores.items() if name != "score") and not error:
            scores["score"] = make_score(row.get("score"), "all assertions", failure="an assertion failed to be judged")
        prompt = row.get("promptIdx", 0)
        yield LoggedAnswer(
            found.id,
            found.unit,
            found.system if prompt in (0, None) else f"{found.system}, prompt {prompt}",
            said if isinstance(said, str) or said is None else json.dumps(said),
            look_up(found.beside, "question") or found.question,
            texts_of(look_up(found.beside, "references")),
            passages_of(found.beside),
            scores,
            error,
        )


def deepeval(log: Mapping[str, Any]) -> Iterator[LoggedAnswer]:
    """A test run that deepeval stored: each metric is a score, judged by its `evaluationModel`."""
    for number, case in enumerate(log["testCases"], 1):
        scores: dict[str, Score] = {}
        for one in case.get("metricsData") or []:
            model = one.get("evaluationModel")
            judge = f"{one['name']} by {model}" if model else str(one["name"])
            scores[str(one["name"])] = make_score(
                one.get("score"), judge, said=one.get("reason"), failure=one.get("error")
            )
        question = case.get("input")
        yield LoggedAnswer(
            str(case.get("name") or number),
            str(question or number),
            _system(log),
            case.get("actualOutput"),
            question,
            texts_of(case.get("expectedOutput")),
            texts_of(case.get("retrievalContext")) or texts_of(case.get("context")) or None,
            scores,
        )


def healthbench(rows: Iterator[Mapping[str, Any]]) -> Iterator[LoggedAnswer]:
    """What simple-evals stores of each HealthBench example: the score over the points of all criteria.

    A criterion without a decision makes the answer's score a missing one; the criteria of one axis are a score, too.
    """
    for row in rows:
        items = row.get("rubric_items") or []
        judge = f"rubric by {model}" if (model := row.get("grader_model")) else "rubric by the grader of HealthBench"
        open_ = sum(not isinstance(item.get("criteria_met"), bool) for item in items)
        failure = f"{open_} of {len(items)} criteria were not judged" if open_ else ""
        scores = {"score": make_score(row.get("score", row.get("overall_score")), judge, failure=failure)}
        axes: dict[str, list[Mapping[str, Any]]] = {}
        for item in items:
            for tag in item.get("tags") or []:
                if tag.startswith("axis:"):
                    axes.setdefault(tag, []).append(item)
        for axis, some in axes.items():
            most = sum(item["points"] for item in some if item["points"] > 0)
            got = sum(item["points"] for item in some if item.get("criteria_met") is True)
            if most:
                scores[axis] = make_score(got / most, judge, failure=failure)
        prompt = row.get("prompt")
        unit = str(row.get("prompt_id") or chat_text(prompt, "user"))
        yield LoggedAnswer(
            str(row.get("completion_id") or unit),
            unit,
            str(row.get("model") or ""),
            chat_text(row.get("completion"), "assistant"),
            chat_text(prompt, "user"),
            texts_of((row.get("ideal_completions_data") or {}).get("ideal_completion")),
            passages_of(row),
            scores,
        )


def _asks_model(name: str, rule: Mapping[str, Any]) -> bool:
    kind = str(rule.get("type") or name).removeprefix("not-")
    graded = (
        "rubric",
        "graded",
        "factuality",
        "answer-relevance",
        "context-",
        "g-eval",
        "select-best",
        "search-rubric",
    )
    return any(part in kind for part in graded)


def _system(log: Mapping[str, Any]) -> str:
    given = log.get("hyperparameters") or {}
    return str(given.get("model") or "") if isinstance(given, Mapping) else ""
