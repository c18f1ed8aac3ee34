"""Support@k as an `evaluate` metric: the share of claims backed by evidence; the score is `fas.pipeline`."""

import datasets
import evaluate

from fas._claim_metrics import COLUMNS, JsonColumns, claim_share  # From: fact-aligned-score
from fas.reference.borders import OPTIONS, check_options  # From: fact-aligned-score

_DESCRIPTION = """
Support@k is the share of an answer's verified claims that at least one of its k best passages supports, with a
probability of at least 0.7 and no lower than that of the opposite. An answer without a verified claim has no share and
is counted in `n_unscored`.
"""
_INPUTS = """
Args:
    predictions (list of str): The answers; may be empty strings.
    passages (list of list of str or dict, optional): Evidence of each answer; a dict has `text` and may have `id`,
        `title` and `year`.
    questions (list of str, optional): The questions.
    claims (list of list of str, optional): Claims to verify as given instead of those found in the answer.
    references: Accepted so that the metric can be combined with others; not looked at.
    evidence (str, optional): passages | index:DIR | entrez | snapshot:FILE | none.
    use_aggregator (bool): False gives the list of the answers' shares instead of the mean.
    **settings: Settings of the profile, e.g. `k=3`, `threshold=0.8`, `seed=1`. The profile is the configuration:
        `evaluate.load("metrics/support_at_k", "paper")`.
Returns:
    `support@5` (the number follows k; None if no answer has a verified claim), `support@5_ci`, `n`, `n_unscored`,
    `n_failed`, `notes` and `signature`.
"""
_CITATION = """
@misc{roy2026fas,
  title = {Towards Unified Factuality Evaluation for Biomedical QA and Summarization},
  author = {Roy, Mahule and Roy, Subhas},
  year = {2026}
}
"""


class SupportAtK(JsonColumns, evaluate.Metric):
    """The adapter; `config_name` is the profile (`mini` by default)."""

    def _info(self):
        cell = datasets.Value("string")
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_INPUTS,
            features=datasets.Features(dict.fromkeys(COLUMNS, cell)),
        )

    def _compute(self, predictions, references, questions, passages, claims, profile=None, **options):
        check_options("fas", options)
        columns = {"predictions": predictions, "questions": questions, "passages": passages, "claims": claims}
        settings = {name: value for name, value in options.items() if name in OPTIONS["fas"] | {"use_aggregator"}}
        configured = self.config_name if self.config_name not in (None, "default") else "mini"
        return claim_share("support", columns, profile=profile or configured, **settings)
