"""The citations of answers as a metric (`metrics/citations`); `fas.detectors.citations` checks them."""

from __future__ import annotations

from typing import Any

from fas.core.answers.files import answers_from
from fas.core.profile import load_profile
from fas.detectors.citations.checking import MEASURES
from fas.detectors.citations.report import check_citations
from fas.integrations.evaluate_modules.claim_shares import SHARED_INPUTS, ClaimMetric, Rows, drop_references, summarise

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


class CitationMeasures(ClaimMetric):
    """Base of `metrics/citations`."""

    def score(self, rows: Rows, profile: Any, *, aggregate: bool, **settings: Any) -> dict[str, Any]:
        """The measures of citations with their intervals."""
        chosen = load_profile(profile).override(**{"safety": False, **settings})
        report = check_citations(answers_from(drop_references(rows)), chosen)
        found: dict[str, Any] = {}
        for name in MEASURES:
            values = [one.measures[name] for one in report.answers]
            found |= summarise(name, report.metrics[name], values, aggregate=aggregate)
        return {
            **found,
            "counts": dict(report.counts),
            "n": report.n,
            "n_failed": report.n_failed,
            "per_answer": [one.as_dict() for one in report.answers],
            "notes": list(report.notes),
            "signature": report.signature,
        }
