"""VeriScore as an `evaluate` metric, after the paper of that name; the score is `fas.pipeline`."""

import evaluate

from fas.integrations.evaluate_modules.published import INPUTS, PublishedScore  # From: fact-aligned-score

_DESCRIPTION = """
VeriScore (Song, Kim, Iyyer, 2024): a language model extracts only verifiable claims, a sentence at a time in a window
of its neighbours; each claim is judged supported, contradicted or inconclusive by its passages; the score is F1@K,
the harmonic mean of the share of supported claims and of min(supported / K, 1), with K the median number of claims.
"""
_CITATION = """
@inproceedings{song2024veriscore,
  title = {{VeriScore}: Evaluating the Factuality of Verifiable Claims in Long-form Text Generation},
  author = {Song, Yixiao and Kim, Yekyung and Iyyer, Mohit},
  booktitle = {Findings of EMNLP},
  year = {2024}
}
"""


class VeriScore(PublishedScore, evaluate.Metric):
    """The adapter."""

    method = takes = default = "veriscore"

    def _info(self):
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=INPUTS.replace("{method}", self.method),
            features=self.columns(),
        )
