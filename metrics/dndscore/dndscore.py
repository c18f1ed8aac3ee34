"""DnDScore as an `evaluate` metric, after the paper of that name; the score is `fas.pipeline`."""

import evaluate

from fas.integrations.evaluate_modules.published import INPUTS, PublishedScore  # From: fact-aligned-score

_DESCRIPTION = """
DnDScore (Wanner, Van Durme, Dredze, 2025): one request takes a sentence apart into subclaims and gives each a
decontextualised form; the verifier judges the subclaim by the passages, with the longer form as context only. The
score is the share of subclaims that are true, averaged over answers.
"""
_CITATION = """
@inproceedings{wanner2025dndscore,
  title = {{DnDScore}: Decontextualization and Decomposition for Factuality Verification in Long-Form Text Generation},
  author = {Wanner, Miriam and Van Durme, Benjamin and Dredze, Mark},
  booktitle = {EMNLP},
  year = {2025}
}
"""


class DnDScore(PublishedScore, evaluate.Metric):
    """The adapter."""

    method = takes = default = "dndscore"

    def _info(self):
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=INPUTS.replace("{method}", self.method),
            features=self.columns(),
        )
