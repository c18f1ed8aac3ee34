"""BLEU as an `evaluate` metric, with the numbers of evaluate's own; the score is `fas.reference.bleu`."""

import math

import evaluate

from fas.integrations.evaluate_modules.inputs import ReferenceLists, check_options, numbers  # From: fact-aligned-score
from fas.reference.bleu import Bleu, add_counts, evaluate_corpus_bleu  # From: fact-aligned-score
from fas.reference.multi import mean  # From: fact-aligned-score

_DESCRIPTION = """
BLEU (Papineni et al., 2002) is the share of a text's n-grams that occur in a reference, up to n = 4, with a penalty for
short texts. `bleu` is one number for the whole corpus; `bleu4` is the mean of smoothed sentence scores.
"""
_INPUTS = """
Args:
    predictions (list of str): Texts to score.
    references (list of str or list of list of str): One or more references per prediction.
    tokenizer (str or callable): `13a` (default, WMT's), `treebank`, or a callable from str to a list of tokens.
        `ptb` (as the Fact-Aligned Score's setting is called) means `treebank` here. `bleu4` takes `treebank` unless a
        tokenizer is given.
    max_order (int): Highest n-gram order, 4 by default.
    smooth (bool): Add 1 to the counts of the corpus score (Lin and Och, 2004).
    method (int): Smoothing of the sentence scores, 1 (default) to 7 (Chen and Cherry, 2014), or 0 for none.
    multi_reference (str): Of several references `bleu4` takes the `best` (default), the `mean`, or clips against all
        together (`nltk`). `bleu` always clips against all together.
    use_aggregator (bool): False gives `bleu4` as a list, one number per prediction.
    details (bool): Add `details`: for each prediction its score and the index of the reference it comes from.
Returns:
    bleu, precisions (one per order), brevity_penalty, length_ratio, translation_length, reference_length, bleu4.
"""
_CITATION = """
@inproceedings{papineni-etal-2002-bleu,
  title = {{BLEU}: a Method for Automatic Evaluation of Machine Translation},
  author = {Papineni, Kishore and Roukos, Salim and Ward, Todd and Zhu, Wei-Jing},
  booktitle = {Proceedings of ACL},
  year = {2002},
  pages = {311--318}
}
@inproceedings{chen-cherry-2014-systematic,
  title = {A Systematic Comparison of Smoothing Techniques for Sentence-Level {BLEU}},
  author = {Chen, Boxing and Cherry, Colin},
  booktitle = {Proceedings of WMT},
  year = {2014},
  pages = {362--367}
}
"""


class BleuMetric(ReferenceLists, evaluate.Metric):
    """The adapter."""

    def _info(self):
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_INPUTS,
            features=self.columns(),
            reference_urls=["https://aclanthology.org/P02-1040", "https://aclanthology.org/W14-3346"],
        )

    def _compute(
        self,
        predictions,
        references,
        tokenizer=None,
        max_order=4,
        smooth=False,
        method=1,
        multi_reference="best",
        use_aggregator=True,
        details=False,
        numbers_only=False,
        **others,
    ):
        check_options("bleu", others)
        tokenizer = "treebank" if tokenizer == "ptb" else tokenizer
        corpus, sentence = self.get_or_make(
            (tokenizer, max_order),
            lambda: (
                Bleu(tokenizer=tokenizer or "13a", max_order=max_order),
                Bleu(tokenizer=tokenizer or "treebank", max_order=max_order),
            ),
        )
        pairs = list(zip(predictions, references, strict=True))
        counts = add_counts(corpus.count(*pair) for pair in pairs)
        total = evaluate_corpus_bleu(counts, smooth=smooth)
        scores = [sentence.sentence(*pair, method=method, multi_reference=multi_reference) for pair in pairs]
        result = {
            "bleu": total.score,
            "precisions": list(total.precisions),
            "brevity_penalty": total.brevity_penalty,
            "length_ratio": counts.length / counts.reference_length if counts.reference_length else math.nan,
            "translation_length": counts.length,
            "reference_length": counts.reference_length,
            "bleu4": mean([each.score for each in scores]) if use_aggregator else [each.score for each in scores],
        }
        if details:
            result["details"] = [each._asdict() for each in scores]
        return numbers(result) if numbers_only else result
