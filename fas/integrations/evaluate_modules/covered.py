"""How much of its references an answer covers, as a metric (`metrics/coverage`)."""

from __future__ import annotations

from typing import Any

from fas.api import score_answers
from fas.core.records.statements import COVERAGE_METRICS
from fas.integrations.evaluate_modules.claim_shares import ClaimMetric, Rows, summarise
from fas.integrations.evaluate_modules.inputs import check_list

INPUTS = """
Args:
    predictions (list of str): The answers; may be empty strings.
    references (list of str or list of list of str, optional): Reference answers; of several the best covered counts.
    statements (list of list of str or dict, optional): What a good answer says, in the place of references; a dict has
        `text` and may have `kind` (`must` or `nice`) and `severity`.
    questions (list of str, optional): The questions.
    passages: Accepted so that the metric can be combined with others; ignored.
    numbers_only (bool): True gives the numbers alone, NaN where nothing is scored.
    use_aggregator (bool): False gives the lists of the answers' values instead of the means.
    **settings: Settings of the profile, e.g. `threshold=0.8`. The profile is the configuration.
Returns:
    `coverage`, `coverage_nice`, `omitted`, `denied` and `omitted_harm` (None where no answer has a value), each with
    `NAME_ci`; `n`, `n_failed`, `per_answer` (every statement with what the answer says of it), `notes` and `signature`.
"""
MEASURES = tuple(name for name in COVERAGE_METRICS if name != "fas_f1")


class CoverageMeasures(ClaimMetric):
    """Base of `metrics/coverage`; statements travel in the column `claims`."""

    def add_batch(self, **given: Any) -> None:
        """Add answers; references or statements may be missing for some of them."""
        super().add_batch(**_rename_statements(given))

    def add(self, **given: Any) -> None:
        """Add one answer: `prediction`, and `references` (or `reference`), `statements`, `question`."""
        super().add(**_rename_statements(given))

    def compute(self, **given: Any) -> Any:
        """The coverage of the answers given here, or added before."""
        return super().compute(**_rename_statements(given))

    def score(self, rows: Rows, profile: Any, *, aggregate: bool, **settings: Any) -> dict[str, Any]:
        """The measures of coverage with their intervals; no claim of an answer is verified, no flag raised."""
        asked = [
            {
                **{name: row[name] for name in ("prediction", "references", "question")},
                "statements": row["claims"],
                "claims": [],
            }
            for row in rows
        ]
        fixed = {**settings, "safety": False, "coverage": True, "evidence": "passages"}
        report = score_answers(asked, profile=profile, **fixed)
        each = [one.coverage for one in report.answers]
        found: dict[str, Any] = {}
        for name in MEASURES:
            values = [None if one is None else getattr(one, name) for one in each]
            found |= summarise(name, report.metrics.get(name), values, aggregate=aggregate)
        return {
            **found,
            "n": report.n,
            "n_failed": report.n_failed,
            "per_answer": [None if one is None else [said.as_dict() for said in one.statements] for one in each],
            "notes": [note for note in report.notes if "verified claim" not in note],
            "signature": report.signature,
        }


def _rename_statements(given: dict[str, Any]) -> dict[str, Any]:
    statements = given.pop("statements", None)
    if statements is None:
        return given
    check_list(statements, "statements")
    return {**given, "claims": statements}
