"""MedScore as an `evaluate` metric, after the paper of that name; the score is `fas.pipeline`."""

import evaluate

from fas.integrations.evaluate_modules.published import INPUTS, PublishedScore  # From: fact-aligned-score

_DESCRIPTION = """
MedScore (Huang, DeLucia, Tiyyala, Dredze): a language model takes a medical answer apart into claims that keep their
conditions, leaves out what cannot be verified (narratives, empathy), and judges each claim from its own knowledge;
`verify` changes that to a given text or to retrieved passages. The score is the share of claims that are true,
averaged over answers that have claims.
"""
_CITATION = """
@article{huang2025medscore,
  title = {{MedScore}: Generalizable Factuality Evaluation of Open-ended Long-form Medical Answers by
           Domain-adapted Claim Decomposition and Verification},
  author = {Huang, Heyuan and DeLucia, Alexandra and Tiyyala, Vijay Murari and Dredze, Mark},
  year = {2025}
}
"""


class MedScore(PublishedScore, evaluate.Metric):
    """The adapter."""

    method = takes = default = "medscore"

    def _info(self):
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=INPUTS.replace("{method}", self.method),
            features=self.columns(),
        )
