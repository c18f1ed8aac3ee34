"""Contra@k as an `evaluate` metric: the share of claims contradicted by evidence; the score is `fas.pipeline`."""

import evaluate

from fas.integrations.evaluate_modules.claim_shares import CITATION, INPUTS, ClaimShare  # From: fact-aligned-score

_DESCRIPTION = """
Contra@k is the share of an answer's verified claims that at least one of its k best passages contradicts, with a
probability of at least 0.7 and higher than that of the opposite. An answer without a verified claim has no share and is
counted in `n_unscored`.
"""


class ContraAtK(ClaimShare, evaluate.Metric):
    """The adapter."""

    share = "contra"

    def _info(self):
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=CITATION,
            inputs_description=INPUTS.replace("{share}", self.share),
            features=self.columns(),
        )
