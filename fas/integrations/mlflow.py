"""A scorer for `mlflow.genai.evaluate`: the metrics of each answer, and feedback on each of its claims.

    mlflow.genai.evaluate(data=data, scorers=[fas_scorer()])

A row of the data has `inputs` with `question` (and `passages`, if they are what the model was given), `outputs` with
the answer, and `expectations` with `references` and `passages`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

try:
    from mlflow.entities import AssessmentSource, Feedback
    from mlflow.genai.scorers import Scorer, scorer
except ImportError as error:
    raise ImportError("needs MLflow: pip install 'fact-aligned-score[mlflow]'") from error

from fas.core.records import AnswerScore
from fas.integrations.rows import answer_row, explain_unscored, first_text, rationale, read_values
from fas.pipeline.runs.scorer import Scorer as FasScorer

_ASKED = ("question", "query", "input", "prompt")
_ANSWERED = ("answer", "response", "output", "prediction")
_EXPECTED = ("references", "expected_response", "answer")


def fas_scorer(profile: Any = "mini", *, evidence: str | None = None, claims: bool = True, **overrides: Any) -> Scorer:
    """The scorer: `fas/fas`, `fas/fas_evidence`, `fas/support`, `fas/contra` and `fas/unsupported` of each answer.

    A metric without a value is left out, so that it is in no mean; `fas/unscored` then says why. A failed answer is
    feedback with an error. Each claim is feedback `fas/claim/1` and so on: its label, and its evidence as rationale.

    Args:
        profile: As for `fas.Scorer`.
        evidence: As for `fas.Scorer`; by default the rows' own passages.
        claims: Give feedback on each claim.
        **overrides: Settings of the profile.

    Raises:
        ValueError: A setting is impossible.
    """
    own = FasScorer(profile, evidence=evidence, **overrides)

    @scorer(name="fas")  # type: ignore[untyped-decorator]  # mypy does not read MLflow here
    def fas(inputs: Any = None, outputs: Any = None, expectations: Any = None) -> list[Feedback]:
        answer = first_text(outputs, _ANSWERED)
        if answer is None:
            raise ValueError(f"outputs has no answer: expected a text, or a field of {', '.join(_ANSWERED)}")
        expected: Mapping[str, Any] = expectations or {}
        passages = expected.get("passages", inputs.get("passages") if isinstance(inputs, Mapping) else None)
        references = next((expected[name] for name in _EXPECTED if expected.get(name)), None)
        row = answer_row(answer, question=first_text(inputs, _ASKED), references=references, passages=passages)
        report = own.score([row])
        source = AssessmentSource(source_type="CODE", source_id=f"fas|{report.signature}")
        return _feedback(report.answers[0], source, claims=claims)

    return fas


def _feedback(score: AnswerScore, source: AssessmentSource, *, claims: bool) -> list[Feedback]:
    if score.error is not None:
        return [Feedback(name="fas/failed", error=explain_unscored(score), source=source)]
    found = [
        Feedback(name=f"fas/{name}", value=value, source=source)
        for name, value in read_values(score).items()
        if not math.isnan(value)
    ]
    why = explain_unscored(score)
    if why is not None:
        found.append(Feedback(name="fas/unscored", value=True, rationale=why, source=source))
    for number, verdict in enumerate(score.verdicts if claims else (), 1):
        text = f"{verdict.claim.text} ({rationale(verdict)})"
        found.append(Feedback(name=f"fas/claim/{number}", value=verdict.label, rationale=text, source=source))
    return found
