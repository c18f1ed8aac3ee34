"""Answers to factoid, list and yes/no questions as an `evaluate` metric; the score is `fas.reference.qa`."""

import datasets
import evaluate

from fas.integrations.evaluate_modules.inputs import check_list, check_options, numbers  # From: fact-aligned-score
from fas.reference.multi import mean  # From: fact-aligned-score
from fas.reference.qa import factoid_counts, label_scores, list_counts, span_counts  # From: fact-aligned-score

_DESCRIPTION = """
Short answers, by the kind of question: `span` (exact match and token F1, as in SQuAD), `factoid` (strict and lenient
accuracy and MRR of a ranked list), `list` (precision, recall and F1) and `yesno` (accuracy and macro-F1), as BioASQ
defines them. The kind is the configuration: `evaluate.load("metrics/qa", "factoid")`; `span` by default.
"""
_INPUTS = """
Args:
    predictions: span, yesno: list of str. factoid, list: list of list of str; for factoid the best answer first.
    references: span: list of str or list of list of str (any of them is right). factoid: list of list of str, every
        way to write the answer. list: list of list of list of str, for each right answer every way to write it.
        yesno: list of str.
    max_answers (int): factoid: how many answers count, 5 by default; `n_cut` says how many did not.
    labels (list of str): yesno: the labels; yes and no by default, and maybe if a reference says so.
    use_aggregator (bool): False gives lists, one number per question (not for yesno's F1, which needs them all).
Returns:
    span: exact_match, f1. factoid: strict_accuracy, lenient_accuracy, mrr, n_cut. list: precision, recall, f1.
    yesno: accuracy, macro_f1, f1_yes, f1_no, (f1_maybe), n_other.
"""
_CITATION = """
@article{tsatsaronis-2015-bioasq,
  title = {An overview of the {BIOASQ} large-scale biomedical semantic indexing and question answering competition},
  author = {Tsatsaronis, George and Balikas, Georgios and Malakasiotis, Prodromos and others},
  journal = {BMC Bioinformatics},
  volume = {16},
  number = {138},
  year = {2015}
}
"""
_TEXT = datasets.Value("string")
_LIST = datasets.List(_TEXT)
_FEATURES = {
    "span": (_TEXT, _LIST),
    "factoid": (_LIST, _LIST),
    "list": (_LIST, datasets.List(_LIST)),
    "yesno": (_TEXT, _TEXT),
}


class QuestionAnswering(evaluate.Metric):
    """The adapter; `config_name` is the kind of question."""

    @property
    def _kind(self):
        return "span" if self.config_name in (None, "default") else self.config_name

    def _info(self):
        if self._kind not in _FEATURES:
            raise ValueError(f"no kind of question {self._kind!r}; available: {', '.join(_FEATURES)}")
        answers, right = _FEATURES[self._kind]
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_INPUTS,
            features=datasets.Features({"predictions": answers, "references": right}),
            reference_urls=["http://bioasq.org", "https://doi.org/10.1186/s12859-015-0564-6"],
        )

    def add_batch(self, *, predictions=None, references=None, **others):
        """Add answers; a single reference of `span` may be a plain string."""
        check_list(predictions)
        check_list(references, "references")
        if self._kind == "span" and references is not None:
            references = [[each] if isinstance(each, str) else list(each) for each in references]
        if self._kind in ("factoid", "list"):
            for name, values in (("predictions", predictions), ("references", references)):
                for i, value in enumerate(values if values is not None else ()):
                    if isinstance(value, str):
                        raise ValueError(f"`{name}`, item {i}: {self._kind} questions take lists, got {value!r}")
        super().add_batch(predictions=predictions, references=references, **others)

    def add(self, *, prediction=None, reference=None, **others):
        """Add one answer."""
        reference = others.pop("references", reference)
        self.add_batch(predictions=[prediction], references=[reference], **others)

    def _compute(
        self, predictions, references, max_answers=5, labels=None, use_aggregator=True, numbers_only=False, **others
    ):
        check_options("qa", others)
        found = self._scores(predictions, references, max_answers, labels, use_aggregator)
        return numbers(found) if numbers_only else found

    def _scores(self, predictions, references, max_answers, labels, use_aggregator):
        pairs = list(zip(predictions, references, strict=True))
        average = mean if use_aggregator else list
        if self._kind == "yesno":
            scores = label_scores(predictions, references, labels=labels)
            return {
                "accuracy": scores.accuracy,
                "macro_f1": scores.macro_f1,
                **{f"f1_{label}": value for label, value in scores.f1.items()},
                "n_other": scores.n_other,
            }
        if self._kind == "factoid":
            counts = [factoid_counts(*pair, max_answers=max_answers) for pair in pairs]
            return {
                "strict_accuracy": average([each.strict for each in counts]),
                "lenient_accuracy": average([each.lenient for each in counts]),
                "mrr": average([each.reciprocal_rank for each in counts]),
                "n_cut": sum(each.n_cut for each in counts),
            }
        if self._kind == "list":
            counts = [list_counts(*pair) for pair in pairs]
            return {
                "precision": average([each.precision for each in counts]),
                "recall": average([each.recall for each in counts]),
                "f1": average([each.f1 for each in counts]),
            }
        counts = [span_counts(*pair) for pair in pairs]
        return {
            "exact_match": average([float(each.exact) for each in counts]),
            "f1": average([each.f1 for each in counts]),
        }
