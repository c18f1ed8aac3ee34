"""The Fact-Aligned Score as an `evaluate` metric: `evaluate.load("fas")`.

Only the border with `evaluate` is here; the score is `fas.pipeline`.
"""

import json

import datasets
import evaluate

from fas.api import score_answers  # From: fact-aligned-score
from fas.integrations.evaluate_modules.inputs import check_list, check_options, numbers  # From: fact-aligned-score

_DESCRIPTION = """
How much of a medical answer is backed by evidence, and what contradicts it. Answers are split into claims, each
claim is judged against passages, and the shares of supported and contradicted claims are combined with BERTScore:
FAS = 0.3 BERTScore + 0.4 Support@k + 0.3 (1 - Contra@k). Safety flags stand beside the score.
"""
_INPUTS = """
Args:
    predictions (list of str): The answers; may be empty strings.
    references (list of str or list of list of str, optional): Reference answers; without them `fas` is None and
        `fas_evidence` is given.
    questions (list of str, optional): The questions.
    passages (list of list of str or dict, optional): Evidence of each answer; a dict has `text` and may have `id`,
        `title` and `year`.
    evidence (str, optional): passages | index:DIR | index:NAME=DIR,... | entrez | opensearch:URL/INDEX |
        snapshot:FILE | none.
    numbers_only (bool): True gives the numbers alone, NaN where nothing is scored, for a trainer to log and compare.
    **settings: Settings of the profile, e.g. `k=3`, `threshold=0.8`, `seed=1`.
Returns:
    The means by name, and `ci` (name to [low, high]), `n`, `n_unscored`, `n_failed`, `flags`, `per_answer`, `notes` and
    `signature`.
"""
_CITATION = """
@misc{roy2026fas,
  title = {Towards Unified Factuality Evaluation for Biomedical QA and Summarization},
  author = {Roy, Mahule and Roy, Subhas},
  year = {2026}
}
"""


class FactAlignedScore(evaluate.Metric):
    """The adapter; `config_name` is the profile (`mini` by default)."""

    def _info(self):
        # One string per cell: evaluate's typed columns turn a list of dicts into a dict of lists, and
        # fix the schema from the first example. References and passages travel as JSON.
        cell = datasets.Value("string")
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_INPUTS,
            features=datasets.Features({"predictions": cell, "references": cell, "questions": cell, "passages": cell}),
            reference_urls=["https://pubmed.ncbi.nlm.nih.gov"],
        )

    def add_batch(self, *, predictions=None, references=None, questions=None, passages=None, **others):
        """Add answers; everything but `predictions` may be left out, for all of them or (None) for some."""
        columns = _encode_columns(predictions, references, questions, passages)
        super().add_batch(**columns, **others)

    def add(self, *, prediction=None, reference=None, references=None, question=None, passages=None, **others):
        """Add one answer."""
        given = references if references is not None else reference
        self.add_batch(
            predictions=[prediction],
            references=None if given is None else [given],
            questions=None if question is None else [question],
            passages=None if passages is None else [passages],
            **others,
        )

    def compute(self, *, predictions=None, references=None, questions=None, passages=None, **settings):
        """The score of the answers given here, or added before."""
        given = {"references": references, "questions": questions, "passages": passages}
        if predictions is None:
            for name, values in given.items():
                if values is not None:
                    hint = "give them together, or add them with the answers (`add`, `add_batch`)"
                    raise ValueError(f"`{name}` were given without `predictions`; {hint}")
            if len(self) == 0 and self.num_process == 1:
                raise ValueError("no `predictions` were given or added: nothing to score")
            return super().compute(**settings)
        check_list(predictions)
        if len(predictions) == 0:
            raise ValueError("`predictions` is empty: nothing to score")
        # evaluate insists on every column; it hands them to `add_batch`, which encodes them.
        nothing = [None] * len(predictions)
        columns = {name: nothing if values is None else values for name, values in given.items()}
        return super().compute(predictions=predictions, **columns, **settings)

    def _compute(
        self, predictions, references, questions, passages, evidence=None, by=(), numbers_only=False, **settings
    ):
        # evaluate.combine hands every module the keywords of all, so a keyword of another module is no mistake.
        check_options("fas", settings)
        known = {name: value for name, value in settings.items() if name in _SETTINGS}
        names = ("prediction", "references", "question", "passages")
        answers = [
            dict(zip(names, (prediction, *map(json.loads, others)), strict=True))
            for prediction, *others in zip(predictions, references, questions, passages, strict=True)
        ]
        profile = known.pop("profile", None) or (self.config_name if self.config_name != "default" else "mini")
        report = score_answers(answers, profile=profile, evidence=evidence, by=by, **known)
        result = report.as_dict()
        metrics = result["metrics"]
        found = {
            **{name: summary["mean"] for name, summary in metrics.items()},
            "ci": {name: [summary["low"], summary["high"]] for name, summary in metrics.items()},
            **{name: result[name] for name in ("n", "n_unscored", "n_abstained", "n_language", "n_failed", "flags")},
            "per_answer": [score.as_dict(report.k) for score in report.answers],
            "notes": result["notes"],
            "signature": result["signature"],
        }
        return numbers(found) if numbers_only else found


_SETTINGS = (
    "profile k threshold weights precision safety coverage n_resamples seed claims verify llm reference "
    "evidence_options offline"
).split()


def _encode_columns(predictions, references, questions, passages):
    check_list(predictions)
    n = len(predictions)
    columns = {"predictions": list(predictions)}
    for name, values in (("references", references), ("questions", questions), ("passages", passages)):
        if values is not None and len(values) != n:
            raise ValueError(f"`{name}` has {len(values)} items, but there are {n} predictions")
        columns[name] = [json.dumps(value) for value in (values if values is not None else [None] * n)]
    for i, prediction in enumerate(columns["predictions"]):
        if not isinstance(prediction, str):
            raise ValueError(f"`predictions`, item {i + 1}: expected a string, got {type(prediction).__name__}")
    return columns
