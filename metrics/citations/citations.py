"""Citations of answers as an `evaluate` metric: do the sources exist and support them (`fas.detectors.citations`)."""

import evaluate

from fas.integrations.evaluate_modules.cited import INPUTS, CitationMeasures  # From: fact-aligned-score

_DESCRIPTION = """
Citation recall is the share of an answer's claims that the sources cited with them support, alone or together;
citation precision is the share of its citations that support their claim, or without which the others no longer would.
Sources that do not exist, are retracted, or are cited for what another passage says are counted beside them.
"""
_CITATION = """
@inproceedings{gao2023alce,
  title = {Enabling Large Language Models to Generate Text with Citations},
  author = {Gao, Tianyu and Yen, Howard and Yu, Jiatong and Chen, Danqi},
  booktitle = {EMNLP},
  year = {2023}
}
"""


class Citations(CitationMeasures, evaluate.Metric):
    """The adapter."""

    def _info(self):
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=INPUTS,
            features=self.columns(),
        )
