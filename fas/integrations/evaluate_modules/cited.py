"""What `metrics/citations` does: the citations of answers, checked; the work is `fas.detectors.citations`."""

from __future__ import annotations

from typing import Any

from fas.core.answers.files import answers_from
from fas.core.profile import load_profile
from fas.core.records.as_json import number_or_none
from fas.detectors.citations.checking import MEASURES
from fas.detectors.citations.report import check_citations
from fas.integrations.evaluate_modules.claim_shares import COLUMNS, SHARED_INPUTS, ClaimShare, answer_rows
from fas.integrations.evaluate_modules.inputs import OPTIONS, check_options, numbers

INPUTS = (
    SHARED_INPUTS
    + """\
    numbers_only (bool): True gives the numbers alone, NaN where nothing is scored.
    use_aggregator (bool): False gives the lists of the answers' values instead of the means.
    **settings: Settings of the profile, e.g. `threshold=0.8`. The profile is the configuration.
Returns:
    `citation_recall`, `citation_precision`, `cited_claims`, `missing_sources`, `retracted_sources`, `misattributed`
    (None where no answer has a value), each with `NAME_ci`; `counts`, `n`, `n_failed`, `per_answer`, `notes` and
    `signature`.
"""
)


class CitationMeasures(ClaimShare):
    """For an evaluate module: the measures of citations, with the columns of the shares of claims."""

    def _compute(self, *, profile: Any = None, numbers_only: bool = False, **given: Any) -> dict[str, Any]:
        columns = {name: given.pop(name) for name in COLUMNS}
        check_options("fas", given)
        settings = {name: value for name, value in given.items() if name in OPTIONS["fas"] | {"use_aggregator"}}
        aggregate = settings.pop("use_aggregator", True)
        configured = self.config_name if self.config_name not in (None, "default") else "mini"
        # Neither flags nor references are looked at.
        chosen = load_profile(profile or configured).override(**{"safety": False, **settings})
        report = check_citations(answers_from(answer_rows(columns)), chosen)
        result: dict[str, Any] = {}
        for name in MEASURES:
            summary = report.metrics[name]
            values = [number_or_none(one.measures[name]) for one in report.answers]
            result[name] = number_or_none(summary.mean) if aggregate else values
            result[f"{name}_ci"] = [number_or_none(summary.low), number_or_none(summary.high)]
        found = {
            **result,
            "counts": dict(report.counts),
            "n": report.n,
            "n_failed": report.n_failed,
            "per_answer": [one.as_dict() for one in report.answers],
            "notes": list(report.notes),
            "signature": report.signature,
        }
        return numbers(found) if numbers_only else found
