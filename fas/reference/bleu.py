"""BLEU (Papineni et al., 2002): sentence scores with the smoothing of Chen and Cherry (2014),
corpus scores with the numbers of nltk, sacrebleu and evaluate.

`Bleu.count` gives the counts of one prediction; counts add up to those of a corpus, and every
score is arithmetic on counts.
"""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from fas.checks import whole_number
from fas.reference.multi import as_references, best_index, check_choice, mean
from fas.reference.texts import Text, TextReader, check_tokenizer

METHODS = (0, 1, 2, 3, 4, 5, 6, 7)
SMOOTHINGS = ("none", "floor", "add-k", "exp")
MULTI_REFERENCE = ("best", "mean", "nltk")
REFERENCE_LENGTHS = ("closest", "shortest")

_EPSILON = 0.1  # the constants Chen and Cherry (2014) used: epsilon of method 1,
_ALPHA = 5.0  # alpha of method 6,
_K = 5.0  # and K of method 4


class BleuCounts(NamedTuple):
    """Sufficient statistics; those of several predictions add up.

    Attributes:
        length: Tokens of the prediction.
        reference_length: Tokens of the reference chosen for the brevity penalty.
        matches: Matched n-grams (clipped) of order 1, 2, ...; `Bleu.count` gives one order more
            than BLEU's, for smoothing methods 5 and 7.
        totals: n-grams of the prediction, by order.
        orders: Highest order of the score.
    """

    length: int
    reference_length: int
    matches: tuple[int, ...]
    totals: tuple[int, ...]
    orders: int = 4


class BleuScore(NamedTuple):
    """A BLEU score in [0, 1] with its ingredients.

    Attributes:
        score: NaN only for method 6 on a prediction without a matching trigram.
        precisions: Modified precisions before smoothing, by order; 0 where there is no n-gram.
        brevity_penalty: In [0, 1].
        counts: What it was computed from.
        reference: Which reference it comes from; None where several were used together.
    """

    score: float
    precisions: tuple[float, ...]
    brevity_penalty: float
    counts: BleuCounts
    reference: int | None = None


class Bleu:
    """BLEU counts and sentence scores.

    Args:
        tokenizer: `treebank` (cased Penn Treebank tokens, the profiles' choice), `13a`
            (sacrebleu's and evaluate's), another name, or a callable.
        max_order: Highest n-gram order; 4 is BLEU-4.
        reference_length: Of several references taken together, the length that counts:
            `closest` to the prediction's (nltk, sacrebleu) or `shortest` (evaluate).
        budget: Most tokens of references remembered between calls, in sum.

    Raises:
        ValueError: An argument is out of range.
    """

    def __init__(
        self,
        *,
        tokenizer: str | Callable[[str], list[str]] = "treebank",
        max_order: int = 4,
        reference_length: str = "closest",
        budget: int = 300_000,
    ) -> None:
        self.max_order = whole_number("max_order", max_order)
        self.reference_length = check_choice("reference_length", reference_length, REFERENCE_LENGTHS)
        # Texts are compared fastest while the numbers of their tokens fit 16 bits.
        self._reader = TextReader(check_tokenizer(tokenizer), budget=budget, vocabulary=50_000)

    def count(self, prediction: str, references: str | Sequence[str]) -> BleuCounts:
        """The counts against all *references* together: each n-gram is clipped to the highest of
        its counts in any of them.

        Raises:
            ValueError: There is no reference.
        """
        text, others = self._read(prediction, references)
        return self._count(text, others)

    def sentence(
        self, prediction: str, references: str | Sequence[str], *, method: int = 1, multi_reference: str = "best"
    ) -> BleuScore:
        """The smoothed score of one prediction.

        Args:
            prediction: The text to score; an empty one scores 0.
            references: One or more texts to compare with.
            method: Smoothing method of Chen and Cherry, 1 to 7, or 0 for none. Method 6 is
                undefined without a matching trigram: the score is NaN.
            multi_reference: `best` scores each reference alone and takes the highest; `mean`
                averages these scores (`precisions` and `counts` are then the best one's);
                `nltk` clips against all together.

        Raises:
            ValueError: There is no reference, or an argument is out of range.
        """
        check_choice("multi_reference", multi_reference, MULTI_REFERENCE)
        text, others = self._read(prediction, references)
        if multi_reference == "nltk":
            return sentence_bleu(self._count(text, others), method=method)
        # Only methods 5 and 7 look beyond the highest order.
        counts = (self._count(text, [other], one_more=method in (5, 7)) for other in others)
        scores = [sentence_bleu(each, method=method) for each in counts]
        winner = best_index([score.score for score in scores])
        if multi_reference == "best":
            return scores[winner]._replace(reference=winner)
        return scores[winner]._replace(score=mean([score.score for score in scores]))

    def _read(self, prediction: str, references: str | Sequence[str]) -> tuple[Text, list[Text]]:
        candidates = as_references(references)
        if not candidates:
            raise ValueError("BLEU needs at least one reference")
        self._reader.make_room()
        return self._reader.read(prediction), [self._reader.read(text, keep=True) for text in candidates]

    def _count(self, text: Text, references: list[Text], *, one_more: bool = True) -> BleuCounts:
        orders = range(1, max(self.max_order, 4) + 2 if one_more else self.max_order + 1)
        if len(references) == 1:
            matches = text.overlaps(references[0], orders[-1])
        else:
            matches = [_joint_overlap(text, references, n) for n in orders]
        length = len(text.tokens)
        lengths = [len(reference.tokens) for reference in references]
        if self.reference_length == "shortest":
            chosen = min(lengths)
        else:
            chosen = min(lengths, key=lambda other: (abs(other - length), other))
        totals = tuple(text.n_grams(n) for n in orders)
        return BleuCounts(length, chosen, tuple(matches), totals, self.max_order)


def _joint_overlap(text: Text, references: list[Text], n: int) -> int:
    highest: Counter[str] = Counter()
    for reference in references:
        highest |= reference.grams(n)
    return sum(min(count, highest[gram]) for gram, count in text.grams(n).items())


def add_counts(counts: Iterable[BleuCounts]) -> BleuCounts:
    """The counts of a corpus.

    Raises:
        ValueError: There are none, or they are of different orders.
    """
    items = list(counts)
    if not items or len({(item.orders, len(item.matches)) for item in items}) != 1:
        raise ValueError("corpus BLEU needs at least one prediction, all counted to the same order")
    return BleuCounts(
        sum(item.length for item in items),
        sum(item.reference_length for item in items),
        tuple(map(sum, zip(*(item.matches for item in items), strict=True))),
        tuple(map(sum, zip(*(item.totals for item in items), strict=True))),
        items[0].orders,
    )


def brevity_penalty(length: int, reference_length: int) -> float:
    """1 for a prediction at least as long as its reference, else exp(1 - r/c); 0 if it is empty."""
    if length > reference_length:
        return 1.0
    return math.exp(1 - reference_length / length) if length else 0.0


def sentence_bleu(counts: BleuCounts, *, method: int = 1) -> BleuScore:
    """The score nltk gives for *counts*; without a matching word it is 0 whatever the method.

    An order of which the prediction has no n-gram at all counts as one unmatched n-gram.

    Raises:
        ValueError: There is no such method, or method 6 is asked for with fewer than 3 orders.
    """
    if method not in METHODS or isinstance(method, bool):
        raise ValueError(f"`method` must be a whole number from 0 to 7, got {method!r}")
    if method == 6 and counts.orders < 3:
        raise ValueError("smoothing method 6 needs at least 3 orders of n-grams")
    if method in (5, 7) and len(counts.matches) <= counts.orders:
        raise ValueError(f"smoothing method {method} needs the counts of one order more, as `Bleu.count` gives them")
    matches = counts.matches[: counts.orders + 1]
    totals = [max(1, total) for total in counts.totals[: counts.orders + 1]]
    plain = tuple(m / t for m, t in zip(matches, totals, strict=True))[: counts.orders]
    penalty = brevity_penalty(counts.length, counts.reference_length)
    if not matches[0]:
        return BleuScore(0.0, plain, penalty, counts)
    if method == 6 and not matches[2]:
        return BleuScore(math.nan, plain, penalty, counts)
    smoothed = _smooth(matches, totals, counts, method)
    # Precisions that stay 0 after smoothing (method 4, one word) are left out, as nltk does.
    logarithm = math.fsum(math.log(p) / counts.orders for p in smoothed if p > 0)
    return BleuScore(penalty * math.exp(logarithm), plain, penalty, counts)


def _smooth(matches: Sequence[int], totals: Sequence[int], counts: BleuCounts, method: int) -> list[float]:
    n = counts.orders
    p = [matches[i] / totals[i] for i in range(n)]
    if method == 0:
        p = [value or sys.float_info.min for value in p]
    elif method == 1:
        p = [value or _EPSILON / totals[i] for i, value in enumerate(p)]
    elif method == 2:
        p = [p[0], *((matches[i] + 1) / (totals[i] + 1) for i in range(1, n))]
    elif method == 3:
        p = _geometric(p, totals, 1.0)
    elif method in (4, 7) and counts.length > 1:
        p = _geometric(p, totals, math.log(counts.length) / _K)
    if method in (5, 7):
        p = _neighbours(p, _fifth(matches, totals, n))
    elif method == 6:
        for i in range(2, n):
            prior = p[i - 1] ** 2 / p[i - 2] if p[i - 2] else 0.0
            p[i] = (matches[i] + _ALPHA * prior) / (counts.totals[i] + _ALPHA)
    return p


def _fifth(matches: Sequence[int], totals: Sequence[int], orders: int) -> float:
    # nltk takes the 5-gram precision whatever the highest order is.
    index = 4 if len(matches) > 4 else orders
    return matches[index] / totals[index]


def _geometric(p: Sequence[float], totals: Sequence[int], unit: float) -> list[float]:
    """Methods 3 and 4: unmatched orders count 1/2, 1/4, ... of *unit* matches."""
    share, result = unit, []
    for value, total in zip(p, totals, strict=False):
        if value == 0:
            share /= 2
            value = share / total
        result.append(value)
    return result


def _neighbours(p: Sequence[float], following: float) -> list[float]:
    """Method 5: each precision becomes the mean of the smoothed one below, itself and the one above."""
    before, result = p[0] + 1, []
    for value, after in zip(p, [*p[1:], following], strict=True):
        before = (before + value + after) / 3
        result.append(before)
    return result


def evaluate_corpus_bleu(counts: BleuCounts, *, smooth: bool = False) -> BleuScore:
    """The corpus score of evaluate's `bleu`; `smooth` adds 1 to the counts of every order (Lin and Och, 2004).

    The counts must come from `Bleu(reference_length="shortest")`. An empty corpus scores 0.
    """
    n = counts.orders
    add = 1 if smooth else 0
    p = tuple(
        (m + add) / (t + add) if t + add else 0.0 for m, t in zip(counts.matches[:n], counts.totals[:n], strict=True)
    )
    penalty = brevity_penalty(counts.length, counts.reference_length)
    score = penalty * math.exp(math.fsum(map(math.log, p)) / n) if min(p) > 0 else 0.0
    return BleuScore(score, p, penalty, counts)


def sacrebleu_score(
    counts: BleuCounts, *, smoothing: str = "exp", value: float | None = None, effective_order: bool = False
) -> float:
    """The score of sacrebleu for summed counts, on its scale from 0 to 100.

    Args:
        counts: Counts over `13a` tokens (or any other tokenizer of sacrebleu's).
        smoothing: `exp` (its default, method 3), `floor` (1), `add-k` (2) or `none`.
        value: What `floor` puts in place of 0 (default 0.1) or `add-k` adds (default 1).
        effective_order: Stop at the first order of which the prediction has no n-gram;
            sacrebleu's setting for sentences.

    Raises:
        ValueError: There is no such smoothing.
    """
    check_choice("smoothing", smoothing, SMOOTHINGS)
    n = counts.orders
    if not any(counts.matches[:n]):
        return 0.0
    add = 0.0 if smoothing != "add-k" else 1.0 if value is None else value
    floor = 0.0 if smoothing != "floor" else 0.1 if value is None else value
    share = 1.0
    logarithms: list[float] = []
    for i in range(n):
        match = counts.matches[i] + (add if i else 0)
        total = counts.totals[i] + (add if i else 0)
        if total == 0:
            break
        if match == 0 and smoothing == "exp":
            share /= 2
            match = share
        elif match == 0:
            match = floor
        if match == 0:
            # sacrebleu's stand-in for log 0; any such order makes the score vanish.
            logarithms.append(-9999999999.0)
        else:
            logarithms.append(math.log(100 * match / total))
    if len(logarithms) < n and not effective_order:
        logarithms += [-9999999999.0] * (n - len(logarithms))
    return brevity_penalty(counts.length, counts.reference_length) * math.exp(sum(logarithms) / len(logarithms))


def sacrebleu_signature(
    *,
    n_references: int,
    smoothing: str = "exp",
    value: float | None = None,
    effective_order: bool = False,
    tokenizer: str = "13a",
) -> str:
    """The line sacrebleu prints for the same settings, so that scores can be compared.

    `n_references` is 0 where it varies between predictions.
    """
    from importlib.metadata import version

    check_choice("smoothing", smoothing, SMOOTHINGS)
    default = {"floor": 0.1, "add-k": 1.0}.get(smoothing)
    if default is not None:
        smoothing += f"[{default if value is None else value:.2f}]"
    return "|".join(
        [
            f"nrefs:{n_references or 'var'}",
            "case:mixed",
            f"eff:{'yes' if effective_order else 'no'}",
            f"tok:{tokenizer}",
            f"smooth:{smoothing}",
            f"version:{version('sacrebleu')}",
        ]
    )
