"""Published scores as metrics (`metrics/factscore`, `medscore`, `dndscore`, `veriscore`), by their papers' profiles."""

from __future__ import annotations

from typing import Any, Literal

from fas.api import score_answers
from fas.core.checks import whole_number
from fas.core.profile import load_profile
from fas.core.records.as_json import number_or_none
from fas.integrations.evaluate_modules.claim_shares import SHARED_INPUTS, ClaimMetric, Rows, drop_references, summarise
from fas.llm.parts import with_parts
from fas.report.facts import count_claims
from fas.results import check_record
from fas.scoring.aggregate import question_key
from fas.scoring.factuality import GAMMA, columns_of, median_claims, ratios, summaries

INPUTS = (
    SHARED_INPUTS
    + """\
    extractor, verify (str, optional): Another claim extractor or verifier than the paper's (`fas models parts`).
    model, base_url (str, optional): The language model of both and its OpenAI-compatible endpoint.
    gamma (float): Claims below which the length penalty sets in.
    at (int, optional): K of recall@K and F1@K; the median number of claims by default.
    use_aggregator (bool): False gives the list of the answers' scores instead of the mean.
    numbers_only (bool): True gives the numbers alone, NaN where nothing is scored.
    profile (str, optional): Another profile, by name or file; the configuration, or the paper's own, by default.
    **settings: Settings of the profile, e.g. `k=5`, `seed=1`.
Returns:
    `{method}` (None if no answer has one), `{method}_ci`, `scores` (name to mean, low, high, n of every score there is:
    factuality, length_penalty, factuality_penalised, f1@K, zero_claim_rate, claims_per_answer, ...), `K`, `n`,
    `n_unscored`, `n_failed`, `n_claims`, `n_unverified`, `n_unread`, `notes` and `signature`.
"""
)


class PublishedScore(ClaimMetric):
    """Base of a paper's score; `config_name` is the profile, the paper's own by default."""

    method: Literal["factscore", "medscore", "dndscore", "veriscore"]

    def score(
        self,
        rows: Rows,
        profile: Any,
        *,
        aggregate: bool,
        extractor: Any = None,
        verify: Any = None,
        model: str | None = None,
        base_url: str | None = None,
        gamma: float = GAMMA,
        at: int | None = None,
        **settings: Any,
    ) -> dict[str, Any]:
        """F1@K for VeriScore, factuality for the others, and every other score of the claims.

        Raises:
            ValueError: A setting is impossible, or no evidence is available.
        """
        if at is not None:
            whole_number("at", at)
        if extractor is None and all(row["claims"] is not None for row in rows):
            extractor = "given"  # no claim is left to find, so no model is needed
        chosen = with_parts(load_profile(profile), claims=extractor, verify=verify, model=model, base_url=base_url)
        report = score_answers(drop_references(rows), profile=chosen, **{"safety": False, **settings})
        settings.pop("evidence", None)
        final = chosen.override(**settings)
        records = [check_record(one.as_dict(final.k), one.answer.id) for one in report.answers if one.error is None]
        counts = [count_claims(one) for one in records]
        k = at or median_claims([one.claims.n_claims for one in counts if not one.n_unread])
        scores = ratios(counts, k=k, gamma=gamma)
        clusters = [question_key(one) or f"answer\0{i}" for i, one in enumerate(records)]
        found = summaries(scores, n_resamples=final.n_resamples, seed=final.seed, clusters=clusters)
        key = f"f1@{k}" if self.method == "veriscore" else "factuality"
        own = iter(columns_of(scores)[key] if records else ())
        each = [None if one.error is not None else number_or_none(float(next(own))) for one in report.answers]
        n_claims = sum(one.claims.n_claims for one in counts)
        return {
            **summarise(self.method, found.get(key), each, aggregate=aggregate),
            "scores": {
                name: {
                    part: value if isinstance(value, str) else number_or_none(value)
                    for part, value in summary._asdict().items()
                }
                for name, summary in found.items()
            },
            "K": k,
            "n": report.n,
            "n_unscored": each.count(None) - report.n_failed,
            "n_failed": report.n_failed,
            "n_claims": n_claims,
            "n_unverified": n_claims - sum(one.claims.n_verified for one in counts),
            "n_unread": sum(one.n_unread for one in counts),
            "notes": list(report.notes),
            "signature": report.signature,
        }
