"""What `metrics/coverage` does: how much of its references an answer covers (`fas.scoring.verdicts.covering`)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from fas.api import score_answers
from fas.core.records.as_json import number_or_none
from fas.core.records.statements import COVERAGE_METRICS
from fas.integrations.evaluate_modules.claim_shares import ClaimShare
from fas.integrations.evaluate_modules.inputs import OPTIONS, check_list, check_options, numbers

INPUTS = """
Args:
    predictions (list of str): The answers; may be empty strings.
    references (list of str or list of list of str, optional): Reference answers; of several the best covered counts.
    statements (list of list of str or dict, optional): What a good answer says, in the place of references; a dict has
        `text` and may have `kind` (`must` or `nice`) and `severity`.
    questions (list of str, optional): The questions.
    passages: Accepted so that the metric can be combined with others; not looked at.
    numbers_only (bool): True gives the numbers alone, NaN where nothing is scored.
    use_aggregator (bool): False gives the lists of the answers' values instead of the means.
    **settings: Settings of the profile, e.g. `threshold=0.8`. The profile is the configuration.
Returns:
    `coverage`, `coverage_nice`, `omitted`, `denied` and `omitted_harm` (None where no answer has a value), each with
    `NAME_ci`; `n`, `n_failed`, `per_answer` (every statement with what the answer says of it), `notes` and `signature`.
"""
MEASURES = tuple(name for name in COVERAGE_METRICS if name != "fas_f1")


class CoverageMeasures(ClaimShare):
    """For an evaluate module: coverage. What is to be covered travels in the columns `references` and `claims`."""

    def add_batch(self, *, predictions: Any = None, statements: Any = None, **columns: Any) -> None:
        """Add answers; references or statements may be missing for some of them."""
        if statements is not None:
            check_list(statements, "statements")
            columns["claims"] = statements
        super().add_batch(predictions=predictions, **columns)

    def add(self, *, prediction: Any = None, statements: Any = None, **cells: Any) -> None:
        """Add one answer: `prediction`, and `references` (or `reference`), `statements`, `question`."""
        super().add(prediction=prediction, **({} if statements is None else {"claims": statements}), **cells)

    def compute(self, *, predictions: Any = None, statements: Any = None, **settings: Any) -> Any:
        """The coverage of the answers given here, or added before."""
        if statements is not None:
            check_list(statements, "statements")
            settings["claims"] = statements
        return super().compute(predictions=predictions, **settings)

    def _compute(self, *, profile: Any = None, numbers_only: bool = False, **given: Any) -> dict[str, Any]:
        names = ("predictions", "references", "questions", "passages", "claims")
        columns: dict[str, Sequence[str]] = {name: given.pop(name) for name in names}
        check_options("fas", given)
        settings = {name: value for name, value in given.items() if name in OPTIONS["fas"] | {"use_aggregator"}}
        aggregate = settings.pop("use_aggregator", True)
        configured = self.config_name if self.config_name not in (None, "default") else "mini"
        # No claim of the answer is verified and no flag raised: only what is missing is asked for.
        fixed = {**settings, "safety": False, "coverage": True, "evidence": "passages"}
        report = score_answers(_rows(columns), profile=profile or configured, **fixed)
        result: dict[str, Any] = {}
        for name in MEASURES:
            summary = report.metrics.get(name)
            values = [None if one.coverage is None else getattr(one.coverage, name) for one in report.answers]
            mean = None if summary is None else number_or_none(summary.mean)
            result[name] = mean if aggregate else [None if v is None else number_or_none(v) for v in values]
            limits = (None, None) if summary is None else (summary.low, summary.high)
            result[f"{name}_ci"] = [None if limit is None else number_or_none(limit) for limit in limits]
        found = {
            **result,
            "n": report.n,
            "n_failed": report.n_failed,
            "per_answer": [
                None if one.coverage is None else [said.as_dict() for said in one.coverage.statements]
                for one in report.answers
            ],
            "notes": [note for note in report.notes if "verified claim" not in note],
            "signature": report.signature,
        }
        return numbers(found) if numbers_only else found


def _rows(columns: dict[str, Sequence[str]]) -> list[dict[str, Any]]:
    names = ("predictions", "references", "questions", "claims")
    return [
        {
            "prediction": prediction,
            "references": json.loads(references),
            "question": json.loads(question),
            "statements": json.loads(statements),
            "claims": [],
        }
        for prediction, references, question, statements in zip(*(columns[name] for name in names), strict=True)
    ]
