"""ROUGE-N, ROUGE-L and ROUGE-Lsum (Lin, 2004) by rouge-score-rs: the numbers of Google's rouge-score to the last digit.

rouge-score itself takes its place where it alone is installed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, NamedTuple

from fas.core.loading import import_extra, loading
from fas.reference.multi import best_index, check_choice, mean, normalise_references
from fas.reference.tokenizers import Tokenizer, check_tokenizer

ROUGE_TYPES = ("rouge1", "rouge2", "rougeL", "rougeLsum")
MULTI_REFERENCE = ("best", "mean")
_N = re.compile("rouge([1-9])")


class RougeScore(NamedTuple):
    """Precision, recall and F1, each in [0, 1], and which reference they come from.

    `reference` is None where the numbers are means over several references.
    """

    precision: float
    recall: float
    f1: float
    reference: int | None = 0


class Tokens(NamedTuple):
    """A tokenizer in the shape that the packages take."""

    tokenize: Tokenizer


class Rouge:
    """ROUGE of single predictions: any of `rouge1` to `rouge9`, `rougeL`, `rougeLsum`.

    The tokenizer is `ptb` (Porter stems of Treebank tokens, the profiles' choice), `rouge_score` (Google's, stemmed
    with *use_stemmer*), another name of `fas.reference.tokenizers`, or a callable. A ValueError where one does not
    exist.
    """

    def __init__(
        self,
        types: Sequence[str] = ("rouge1", "rouge2", "rougeL"),
        *,
        tokenizer: str | Callable[[str], list[str]] = "ptb",
        use_stemmer: bool = False,
    ) -> None:
        for name in types:
            if name not in ("rougeL", "rougeLsum") and not _N.fullmatch(name):
                raise ValueError(f"no ROUGE type {name!r}; available: rouge1 to rouge9, rougeL, rougeLsum")
        self.types = tuple(types)
        # The package splits and stems its own tokens fastest.
        own = None if tokenizer == "rouge_score" else Tokens(check_tokenizer(tokenizer))
        # A line's union of subsequences is the one subsequence; the package would keep a table of both texts.
        lines_alone = ["rougeL" if name == "rougeLsum" else name for name in types]
        scorer = load_package("rouge_scorer").RougeScorer
        self._by_line = scorer(list(types), use_stemmer=use_stemmer, tokenizer=own)
        self._whole = scorer(lines_alone, use_stemmer=use_stemmer, tokenizer=own)

    def score(
        self, prediction: str, references: str | Sequence[str], *, multi_reference: str = "best"
    ) -> dict[str, RougeScore]:
        """The score of each type.

        *multi_reference*: `best` takes, for each type, the reference with the highest F1 (the first of equals), as
        rouge-score does; `mean` averages each number. A ValueError where there is no reference.
        """
        check_choice("multi_reference", multi_reference, MULTI_REFERENCE)
        candidates = normalise_references(references)
        if not candidates:
            raise ValueError("ROUGE needs at least one reference")
        found = [self._score(prediction, reference) for reference in candidates]
        return {name: _combine([each[name] for each in found], multi_reference) for name in self.types}

    def _score(self, prediction: str, reference: str) -> dict[str, RougeScore]:
        if "\n" in prediction or "\n" in reference:
            found = self._by_line.score(reference, prediction)
            return {name: RougeScore(*found[name]) for name in self.types}
        found = self._whole.score(reference, prediction)
        return {name: RougeScore(*found["rougeL" if name == "rougeLsum" else name]) for name in self.types}


def load_package(module: str) -> Any:
    """*module* of rouge-score-rs, or of rouge-score where that alone is installed."""
    with loading():
        try:
            import rouge_score_rs as package
        except ModuleNotFoundError:
            return import_extra(f"rouge_score.{module}", "packages")
        return import_module(f"{package.__name__}.{module}")


def _combine(scores: list[RougeScore], multi_reference: str) -> RougeScore:
    if multi_reference == "best":
        winner = best_index([score.f1 for score in scores])
        return scores[winner]._replace(reference=winner)
    if len(scores) == 1:
        return scores[0]
    columns = list(zip(*(score[:3] for score in scores), strict=True))
    return RougeScore(mean(columns[0]), mean(columns[1]), mean(columns[2]), None)
