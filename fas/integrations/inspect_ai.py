"""Scorers for Inspect AI: `fas/fas_scorer` gives one metric, `fas/fas_scores` all of them.

    Task(dataset=..., solver=generate(), scorer=fas_scorer())
    inspect score LOG --scorer fas/fas_scores --action append

The question is the sample's input or `metadata["question"]`, the references are its target, and the passages
`metadata["passages"]`. What has no value is NaN, which Inspect counts as unscored.
"""

from __future__ import annotations

import json
import math
from typing import Any

try:
    from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
    from inspect_ai.solver import TaskState
except ImportError as error:
    raise ImportError("needs Inspect AI: pip install 'fact-aligned-score[inspect]'") from error

from fas.core.records import AnswerScore
from fas.integrations.rows import METRICS, answer_row, check_metric, explain_unscored, explanation, read_values
from fas.pipeline.runs.scorer import Scorer as FasScorer


@scorer(metrics=[mean(), stderr()])  # type: ignore[untyped-decorator]  # mypy does not read Inspect here
def fas_scorer(
    metric: str = "fas_evidence", profile: str = "mini", evidence: str | None = None, **overrides: Any
) -> Scorer:
    """One metric of each answer, its claims as the explanation.

    Args:
        metric: `fas` (needs a target), `fas_evidence`, `support`, `contra` or `unsupported`.
        profile: As for `fas.Scorer`.
        evidence: As for `fas.Scorer`; by default the samples' own passages.
        **overrides: Settings of the profile.

    Raises:
        ValueError: There is no such metric, or a setting is impossible.
    """
    check_metric(metric)
    own = FasScorer(profile, evidence=evidence, **overrides)

    async def score(state: TaskState, target: Target) -> Score:
        found = await _score_state(own, state, target)
        return _score(own, found, read_values(found)[metric])

    return score


@scorer(metrics={"*": [mean(), stderr()]})  # type: ignore[untyped-decorator]
def fas_scores(profile: str = "mini", evidence: str | None = None, **overrides: Any) -> Scorer:
    """Every metric of each answer, as a dictionary.

    Args:
        profile: As for `fas.Scorer`.
        evidence: As for `fas.Scorer`; by default the samples' own passages.
        **overrides: Settings of the profile.

    Raises:
        ValueError: A setting is impossible.
    """
    own = FasScorer(profile, evidence=evidence, **overrides)

    async def score(state: TaskState, target: Target) -> Score:
        found = await _score_state(own, state, target)
        return _score(own, found, read_values(found) if found.error is None else dict.fromkeys(METRICS, math.nan))

    return score


async def _score_state(own: FasScorer, state: TaskState, target: Target) -> AnswerScore:
    metadata = state.metadata or {}
    question = metadata.get("question")
    row = answer_row(
        state.output.completion,
        question=question if isinstance(question, str) else state.input_text,
        references=list(target),
        passages=metadata.get("passages"),
    )
    return (await own.ascore([row])).answers[0]


def _score(own: FasScorer, found: AnswerScore, value: float | dict[str, float]) -> Score:
    """The score as Inspect keeps it; the whole record of the answer is its metadata."""
    why = explain_unscored(found)
    record = json.loads(json.dumps(found.as_dict(own.profile.k)))
    return Score(
        value=value,
        answer=found.answer.prediction,
        explanation=explanation(found) if found.error is None else why,
        reason="scoring_failed" if found.error is not None else why,
        metadata={"fas": {key: record[key] for key in ("claims", "flags", "error")}},
    )
