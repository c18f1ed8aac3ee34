"""Results in one file: Inspect AI, promptfoo, deepeval, HealthBench (simple-evals)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from fas.core.answers import logged
from fas.core.answers.logged import name_provider, read_result
from fas.integrations.logs.records import LoggedAnswer, Score, chat_text, look_up, make_score, passages_of, texts_of

# Parts of the names of promptfoo's assertions that ask a language model.
_ASKS_MODEL = ("rubric", "graded", "factuality", "answer-relevance", "context-", "g-eval", "select-best")


def read_eval(path: Path) -> Iterator[LoggedAnswer]:
    """The answers of a `.eval` log of Inspect AI, finished or not; raises InputError for any other file."""
    return (read_inspect_sample(sample, header) for header, sample in logged.read_inspect_samples(path))


def read_inspect_sample(sample: Mapping[str, Any], header: Mapping[str, Any]) -> LoggedAnswer:
    """One sample of a log of Inspect AI (`.eval`, a zip of JSON, or `.json`) with this *header*."""
    of = header["eval"]
    row = logged.read_sample(sample)
    scores: dict[str, Score] = {}
    for name, one in (row.row.get("scores") or {}).items():
        turns = (one.get("metadata") or {}).get("grading") or []
        turns = [turn for turn in turns if isinstance(turn, Mapping)] if isinstance(turns, list) else []
        judge = _name_judge(name, turns, of)
        asked = [turn for turn in turns if turn.get("role") == "user"]
        prompt = (chat_text(asked[-1]) or "") if asked else ""
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


def _name_judge(name: str, turns: Sequence[Mapping[str, Any]], of: Mapping[str, Any]) -> str:
    """The scorer's name, with its language model if it has one."""
    short = name.rpartition("/")[2]
    spec: Mapping[str, Any] = next(
        (one for one in of.get("scorers") or [] if str(one.get("name")).rpartition("/")[2] == short), {}
    )
    options = spec.get("options") or {}
    if not (turns or "model" in options or short.startswith("model_graded")):
        return short

    def model_of(given: Any) -> Any:
        return given.get("model") if isinstance(given, Mapping) else given

    replied = next((one["model"] for one in turns if one.get("role") == "assistant" and one.get("model")), None)
    role = (of.get("model_roles") or {}).get(options.get("model_role") or "grader")
    return f"{short} by {replied or model_of(options.get('model')) or model_of(role) or of.get('model')}"


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
            kind = str(rule.get("type") or name).removeprefix("not-")
            judge = name_provider(rule.get("provider")) or (own if any(part in kind for part in _ASKS_MODEL) else "")
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
    given = log.get("hyperparameters")
    system = str(given.get("model") or "") if isinstance(given, Mapping) else ""
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
            system,
            case.get("actualOutput"),
            question,
            texts_of(case.get("expectedOutput")),
            texts_of(case.get("retrievalContext")) or texts_of(case.get("context")) or None,
            scores,
        )


def healthbench(rows: Iterable[Mapping[str, Any]]) -> Iterator[LoggedAnswer]:
    """HealthBench examples as simple-evals stores them: a score over the points of all criteria, and one for each axis.

    A criterion without a decision makes the scores missing.
    """
    for row in rows:
        items = row.get("rubric_items") or []
        judge = f"rubric by {model}" if (model := row.get("grader_model")) else "rubric by the grader of HealthBench"
        open_ = sum(not isinstance(item.get("criteria_met"), bool) for item in items)
        failure = f"{open_} of {len(items)} criteria were not judged" if open_ else ""
        scores = {"score": make_score(row.get("score", row.get("overall_score")), judge, failure=failure)}
        for axis in dict.fromkeys(tag for item in items for tag in item.get("tags") or [] if tag.startswith("axis:")):
            some = [item for item in items if axis in (item.get("tags") or [])]
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
