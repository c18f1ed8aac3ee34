"""BLEU (Papineni et al., 2002): nltk's sentence scores, smoothed as in Chen and Cherry (2014), evaluate's of a corpus.

`Bleu.count` gives the counts of one prediction; counts add up to those of a corpus.
"""

from __future__ import annotations

import math
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from fas.core.checks import whole_number
from fas.reference.multi import best_index, check_choice, mean, normalise_references
from fas.reference.tokenizers import check_tokenizer

METHODS = (0, 1, 2, 3, 4, 5, 6, 7)
MULTI_REFERENCE = ("best", "mean", "nltk")


class BleuCounts(NamedTuple):
    """Sufficient statistics, of the shortest reference; those of several predictions add up.

    `matches` are n-grams of order 1, 2, ..., each clipped to the highest of its counts in any reference.
    """

    length: int
    reference_length: int
    matches: tuple[int, ...]
    totals: tuple[int, ...]


class BleuScore(NamedTuple):
    """A BLEU score in [0, 1] and its reference (None: several together); NaN only for method 6 without a matching
    trigram.
    """

    score: float
    reference: int | None = None


class CorpusBleu(NamedTuple):
    """The BLEU of a corpus in [0, 1], the precision of each order, and the brevity penalty."""

    score: float
    precisions: tuple[float, ...]
    brevity_penalty: float


class Bleu:
    """BLEU counts and sentence scores.

    The tokenizer is `treebank` (cased Penn Treebank tokens, the profiles' choice), `13a` (sacrebleu's and evaluate's),
    another name, or a callable; *max_order* 4 is BLEU-4.
    """

    def __init__(self, *, tokenizer: str | Callable[[str], list[str]] = "treebank", max_order: int = 4) -> None:
        self.max_order = whole_number("max_order", max_order)
        self._split = check_tokenizer(tokenizer)

    def count(self, prediction: str, references: str | Sequence[str]) -> BleuCounts:
        """The counts against all *references* together; a ValueError where there is none."""
        words, others = self._read(prediction, references)
        matches, totals = [], []
        for n in range(1, self.max_order + 1):
            highest: Counter[tuple[str, ...]] = Counter()
            for other in others:
                highest |= _count_grams(other, n)
            matches.append((_count_grams(words, n) & highest).total())
            totals.append(max(0, len(words) - n + 1))
        return BleuCounts(len(words), min(map(len, others)), tuple(matches), tuple(totals))

    def sentence(
        self, prediction: str, references: str | Sequence[str], *, method: int = 1, multi_reference: str = "best"
    ) -> BleuScore:
        """The smoothed score of one prediction; an empty one scores 0.

        *method* is one of Chen and Cherry, 1 to 7, or 0 for none; 6 is NaN without a matching trigram.
        *multi_reference*: `best` scores each reference alone and takes the highest; `mean` averages these scores;
        `nltk` clips against all together.

        Raises:
            ValueError: There is no reference, or an argument is out of range.
        """
        check_choice("multi_reference", multi_reference, MULTI_REFERENCE)
        if method not in METHODS or isinstance(method, bool):
            raise ValueError(f"`method` must be a whole number from 0 to 7, got {method!r}")
        if method == 6 and self.max_order < 3:
            raise ValueError("smoothing method 6 needs at least 3 orders of n-grams")
        words, others = self._read(prediction, references)
        if multi_reference == "nltk":
            return BleuScore(self._score_by_nltk(words, others, method))
        scores = [self._score_by_nltk(words, [other], method) for other in others]
        if multi_reference == "mean":
            return BleuScore(mean(scores))
        winner = best_index(scores)
        return BleuScore(scores[winner], winner)

    def _score_by_nltk(self, words: list[str], references: list[list[str]], method: int) -> float:
        from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu

        smooth = getattr(SmoothingFunction(), f"method{method}")
        weights = (1 / self.max_order,) * self.max_order
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that an order without a match makes method 0 vanish
            try:
                return float(sentence_bleu(references, words, weights, smoothing_function=smooth))
            except AssertionError:  # method 6 without a matching trigram
                return math.nan

    def _read(self, prediction: str, references: str | Sequence[str]) -> tuple[list[str], list[list[str]]]:
        candidates = normalise_references(references)
        if not candidates:
            raise ValueError("BLEU needs at least one reference")
        return self._split(prediction), [self._split(text) for text in candidates]


def _count_grams(words: Sequence[str], n: int) -> Counter[tuple[str, ...]]:
    return Counter(zip(*(words[i:] for i in range(n)), strict=False))


def add_counts(counts: Iterable[BleuCounts]) -> BleuCounts:
    """The counts of a corpus; a ValueError where there are none, or they are of different orders."""
    items = list(counts)
    if len({len(item.matches) for item in items}) != 1:
        raise ValueError("corpus BLEU needs at least one prediction, all counted to the same order")
    columns = list(zip(*items, strict=True))
    matches, totals = (tuple(map(sum, zip(*column, strict=True))) for column in columns[2:])
    return BleuCounts(sum(columns[0]), sum(columns[1]), matches, totals)


def evaluate_corpus_bleu(counts: BleuCounts, *, smooth: bool = False) -> CorpusBleu:
    """The corpus score of evaluate's `bleu`; `smooth` adds 1 to the counts of every order (Lin and Och, 2004).

    An empty corpus scores 0.
    """
    add = 1 if smooth else 0
    p = [(m + add) / (t + add) if t + add else 0.0 for m, t in zip(counts.matches, counts.totals, strict=True)]
    penalty = 1.0
    if counts.length <= counts.reference_length:
        penalty = math.exp(1 - counts.reference_length / counts.length) if counts.length else 0.0
    score = penalty * math.exp(math.fsum(map(math.log, p)) / len(p)) if min(p) > 0 else 0.0
    return CorpusBleu(score, tuple(p), penalty)
