"""ROUGE-N, ROUGE-L and ROUGE-Lsum (Lin, 2004), with the numbers of Google's rouge-score.

Three counts decide every ROUGE score: the units in common, those of the prediction and those
of the reference. They are what `Rouge.count` gives; the rest is arithmetic.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from fas.reference.lcs import lcs_length, lcs_positions
from fas.reference.multi import as_references, best_index, check_choice, mean
from fas.reference.texts import Text, TextReader, check_tokenizer
from fas.reference.tokenizers import GoogleTokens

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

ROUGE_TYPES = ("rouge1", "rouge2", "rougeL", "rougeLsum")
MULTI_REFERENCE = ("best", "mean")
_N = re.compile("rouge([1-9])")


class RougeCounts(NamedTuple):
    """Sufficient statistics of one prediction, one reference and one ROUGE type.

    Attributes:
        overlap: N-grams in common (clipped), or length of the common subsequence.
        prediction: Number of n-grams or tokens of the prediction.
        reference: Number of n-grams or tokens of the reference.
    """

    overlap: int
    prediction: int
    reference: int


class RougeScore(NamedTuple):
    """Precision, recall and F1, each in [0, 1], and which reference they come from.

    `reference` is None where the numbers are means over several references.
    """

    precision: float
    recall: float
    f1: float
    reference: int | None = 0


def rouge_score(counts: RougeCounts) -> RougeScore:
    """The score of one set of counts; 0 where either text is empty.

    >>> rouge_score(RougeCounts(overlap=2, prediction=4, reference=2))
    RougeScore(precision=0.5, recall=1.0, f1=0.6666666666666666, reference=0)
    """
    precision = counts.overlap / max(counts.prediction, 1)
    recall = counts.overlap / max(counts.reference, 1)
    both = precision + recall
    return RougeScore(precision, recall, 2 * precision * recall / both if both > 0 else 0.0)


class Rouge:
    """ROUGE of single predictions.

    Args:
        types: Any of `rouge1` to `rouge9`, `rougeL`, `rougeLsum`.
        tokenizer: `ptb` (Porter stems of Treebank tokens, the profiles' choice), `rouge_score`
            (Google's), another name of `fas.reference.tokenizers`, or a callable.
        use_stemmer: Stem the tokens of `rouge_score`; other tokenizers ignore it.
        budget: Most tokens of references remembered between calls, in sum.

    Raises:
        ValueError: A type or a tokenizer does not exist.
    """

    def __init__(
        self,
        types: Sequence[str] = ("rouge1", "rouge2", "rougeL"),
        *,
        tokenizer: str | Callable[[str], list[str]] = "ptb",
        use_stemmer: bool = False,
        budget: int = 300_000,
    ) -> None:
        for name in types:
            if name not in ("rougeL", "rougeLsum") and not _N.fullmatch(name):
                raise ValueError(f"no ROUGE type {name!r}; available: rouge1 to rouge9, rougeL, rougeLsum")
        self.types = tuple(types)
        if tokenizer == "rouge_score" and use_stemmer:
            split: Callable[[str], list[str]] = GoogleTokens(use_stemmer=True)
        else:
            split = check_tokenizer(tokenizer)
        self._reader = TextReader(split, with_lines="rougeLsum" in self.types, budget=budget)

    def count(self, prediction: str, reference: str) -> dict[str, RougeCounts]:
        """The counts of each type."""
        first, second = self._reader.read_pair(prediction, reference)
        return self._count(first, second)

    def score(
        self, prediction: str, references: str | Sequence[str], *, multi_reference: str = "best"
    ) -> dict[str, RougeScore]:
        """The score of each type.

        Args:
            prediction: The text to score.
            references: One or more texts to compare with.
            multi_reference: `best` takes, for each type, the reference with the highest F1
                (the first of equals), as rouge-score does; `mean` averages each number.

        Raises:
            ValueError: There is no reference, or `multi_reference` is something else.
        """
        check_choice("multi_reference", multi_reference, MULTI_REFERENCE)
        candidates = as_references(references)
        if not candidates:
            raise ValueError("ROUGE needs at least one reference")
        self._reader.make_room()
        text = self._reader.read(prediction)
        counts = [self._count(text, self._reader.read(reference, keep=True)) for reference in candidates]
        return {name: _combine([rouge_score(each[name]) for each in counts], multi_reference) for name in self.types}

    def _count(self, prediction: Text, reference: Text) -> dict[str, RougeCounts]:
        found = {}
        for name in self.types:
            if name == "rougeL":
                found[name] = _count_l(prediction.tokens, reference.tokens)
            elif name == "rougeLsum":
                found[name] = _count_lsum(prediction.lines or (), reference.lines or ())
            else:
                n = int(name.removeprefix("rouge"))
                found[name] = RougeCounts(prediction.overlap(reference, n), prediction.n_grams(n), reference.n_grams(n))
        return found


def _combine(scores: list[RougeScore], multi_reference: str) -> RougeScore:
    if multi_reference == "best":
        winner = best_index([score.f1 for score in scores])
        return scores[winner]._replace(reference=winner)
    if len(scores) == 1:
        return scores[0]
    return RougeScore(
        mean([score.precision for score in scores]),
        mean([score.recall for score in scores]),
        mean([score.f1 for score in scores]),
        None,
    )


def _count_l(prediction: str, reference: str) -> RougeCounts:
    return RougeCounts(lcs_length(prediction, reference), len(prediction), len(reference))


def _count_lsum(prediction: Sequence[str], reference: Sequence[str]) -> RougeCounts:
    """Union of the longest common subsequences of each reference line with every prediction line.

    A token counts at most as often as it occurs in either text (ROUGE 1.5.5).
    """
    if len(prediction) == len(reference) == 1:
        return _count_l(prediction[0], reference[0])  # the union is the one subsequence; nothing to clip
    left = Counter("".join(prediction)) & Counter("".join(reference))
    overlap = 0
    for line in reference:
        union = sorted({position for other in prediction for position in lcs_positions(line, other)})
        for position in union:
            token = line[position]
            if left[token] > 0:
                left[token] -= 1
                overlap += 1
    return RougeCounts(overlap, sum(map(len, prediction)), sum(map(len, reference)))


class RougeInterval(NamedTuple):
    """Percentiles of the bootstrap means: `mid` is the median, `low` and `high` bound the interval."""

    low: RougeScore
    mid: RougeScore
    high: RougeScore


class _Draws(Protocol):
    def randint(self, low: int, high: int, *, size: tuple[int, int]) -> npt.NDArray[np.int64]: ...


def bootstrap_rouge(
    scores: Sequence[Mapping[str, RougeScore]], *, rng: _Draws, n_samples: int = 1000, level: float = 0.95
) -> dict[str, RougeInterval]:
    """Aggregate scores as rouge-score's `BootstrapAggregator` does, with its random numbers.

    Args:
        scores: What `Rouge.score` gave for each prediction; the same types in each.
        rng: A `numpy.random.RandomState`, or `numpy.random` itself for the global one, as
            rouge-score uses it; the same state gives the same intervals.
        n_samples: Number of resamples, at least 1.
        level: Share of the means between `low` and `high`, in [0, 1].

    Raises:
        ValueError: There are no scores, or an argument is out of range.
    """
    import numpy as np

    if not scores:
        raise ValueError("there are no scores to aggregate")
    if n_samples < 1:
        raise ValueError(f"`n_samples` must be at least 1, got {n_samples}")
    if not 0.0 <= level <= 1.0:
        raise ValueError(f"`level` must be in [0, 1], got {level}")
    tail = (1 - level) / 2
    rows = max(1, (1 << 22) // len(scores))  # bounds the memory of one block of draws
    result: dict[str, Any] = {}
    for name in scores[0]:
        values = np.array([each[name][:3] for each in scores], dtype=np.float64)
        means = np.empty((n_samples, 3))
        for start in range(0, n_samples, rows):
            size = min(rows, n_samples - start)
            picks = rng.randint(0, len(values), size=(size, len(values)))
            for column in range(3):
                means[start : start + size, column] = values[:, column][picks].mean(axis=1)
        low, mid, high = np.percentile(means, [100 * tail, 50, 100 * (1 - tail)], axis=0)
        result[name] = RougeInterval(_aggregated(low), _aggregated(mid), _aggregated(high))
    return result


def _aggregated(values: Sequence[float]) -> RougeScore:
    precision, recall, f1 = map(float, values)
    return RougeScore(precision, recall, f1, None)
