"""Coverage as an `evaluate` metric: how much of its references an answer covers (`fas.scoring.verdicts.covering`)."""

import evaluate

from fas.integrations.evaluate_modules.covered import INPUTS, CoverageMeasures  # From: fact-aligned-score

_DESCRIPTION = """
Coverage is the share of the reference's claims, or of statements given with an answer, that the answer entails. What it
contradicts is denied, what it neither entails nor contradicts omitted. It is the recall beside Support@k.
"""
_CITATION = """
@article{manes2024kqa,
  title = {K-QA: A Real-World Medical Q&A Benchmark},
  author = {Manes, Itay and others},
  year = {2024}
}
"""


class Coverage(CoverageMeasures, evaluate.Metric):
    """The adapter."""

    def _info(self):
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=INPUTS,
            features=self.columns(),
        )
