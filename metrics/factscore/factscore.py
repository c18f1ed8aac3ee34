"""FActScore as an `evaluate` metric, after the paper of that name; the score is `fas.pipeline`."""

import evaluate

from fas.integrations.evaluate_modules.published import INPUTS, PublishedScore  # From: fact-aligned-score

_DESCRIPTION = """
FActScore (Min et al., 2023): an answer is taken apart into atomic facts by a language model, each fact is judged by a
language model against its k passages, and the score is the share of facts that are true, averaged over answers. The
length penalty for answers with fewer than gamma facts is given beside it, in `scores`.
"""
_CITATION = """
@inproceedings{min2023factscore,
  title = {{FActScore}: Fine-grained Atomic Evaluation of Factual Precision in Long Form Text Generation},
  author = {Min, Sewon and Krishna, Kalpesh and Lyu, Xinxi and Lewis, Mike and Yih, Wen-tau and Koh, Pang Wei and Iyyer,
            Mohit and Zettlemoyer, Luke and Hajishirzi, Hannaneh},
  booktitle = {EMNLP},
  year = {2023}
}
"""


class FActScore(PublishedScore, evaluate.Metric):
    """The adapter."""

    method = takes = default = "factscore"

    def _info(self):
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=INPUTS.replace("{method}", self.method),
            features=self.columns(),
        )
