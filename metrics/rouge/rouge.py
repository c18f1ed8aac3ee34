"""ROUGE as an `evaluate` metric, with the numbers of rouge-score; the score is `fas.reference.rouge`."""

import evaluate

from fas.integrations.evaluate_modules.inputs import ReferenceLists, check_options, numbers  # From: fact-aligned-score
from fas.reference.rouge import ROUGE_TYPES, Rouge, load_package  # From: fact-aligned-score

_DESCRIPTION = """
ROUGE (Lin, 2004) counts the n-grams, or the longest common subsequence, that a text shares with a reference.
The numbers are those of Google's rouge-score package and of evaluate's own `rouge`, many times faster.
"""
_INPUTS = """
Args:
    predictions (list of str): Texts to score.
    references (list of str or list of list of str): One or more references per prediction.
    rouge_types (list of str): Any of rouge1 to rouge9, rougeL, rougeLsum; rouge1, rouge2, rougeL and rougeLsum by
        default. rougeLsum takes lines for sentences.
    use_aggregator (bool): Give one number per type (default), the median of 1,000 bootstrap means of F1, as
        rouge-score does; False gives the list of F1, one per prediction.
    use_stemmer (bool): Stem words of more than 3 letters (tokenizer `rouge_score` only).
    tokenizer (str or callable): `rouge_score` (default), `ptb` (Porter stems of Penn Treebank tokens, the
        Fact-Aligned Score's), or a callable from str to a list of tokens.
    multi_reference (str): `best` (default; the highest F1, for each type) or `mean`.
    details (bool): Add `details`: for each prediction and type precision, recall, f1, and the index of the
        reference they come from.
Returns:
    For each type its F1 in [0, 1], or the list of them.
"""
_CITATION = """
@inproceedings{lin-2004-rouge,
  title = {{ROUGE}: A Package for Automatic Evaluation of Summaries},
  author = {Lin, Chin-Yew},
  booktitle = {Text Summarization Branches Out},
  year = {2004},
  pages = {74--81}
}
"""


class RougeMetric(ReferenceLists, evaluate.Metric):
    """The adapter."""

    def _info(self):
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_INPUTS,
            features=self.columns(),
            reference_urls=["https://aclanthology.org/W04-1013"],
        )

    def _compute(
        self,
        predictions,
        references,
        rouge_types=None,
        use_aggregator=True,
        use_stemmer=False,
        tokenizer=None,
        multi_reference="best",
        details=False,
        numbers_only=False,
        **others,
    ):
        check_options("rouge", others)
        types = ROUGE_TYPES if rouge_types is None else tuple(rouge_types)
        options = {"tokenizer": tokenizer or "rouge_score", "use_stemmer": use_stemmer}
        rouge = self.get_or_make((types, options), lambda: Rouge(types, **options))
        scores = [
            rouge.score(prediction, lists, multi_reference=multi_reference)
            for prediction, lists in zip(predictions, references, strict=True)
        ]
        if use_aggregator:
            # evaluate has seeded numpy's global generator, which rouge-score draws from.
            scoring = load_package("scoring")
            aggregator = scoring.BootstrapAggregator()
            for each in scores:
                aggregator.add_scores({name: scoring.Score(*score[:3]) for name, score in each.items()})
            result = {name: interval.mid.fmeasure for name, interval in aggregator.aggregate().items()}
        else:
            result = {name: [each[name].f1 for each in scores] for name in types}
        if details:
            result["details"] = [{name: score._asdict() for name, score in each.items()} for each in scores]
        return numbers(result) if numbers_only else result
