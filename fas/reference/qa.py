"""Exact match, token F1, and BioASQ's measures for factoid, list and yes/no questions.

Definitions: exact match and token F1 as in SQuAD (Rajpurkar et al., 2016); factoid, list and
yes/no measures as in the evaluation of BioASQ task B, phase B (Malakasiotis et al., 2018).
Every function gives the counts of one question; the score of a test set is arithmetic on them.
"""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

from fas.reference.multi import best_index, mean, normalise_references

Normalizer = Callable[[str], str]

_ARTICLES = re.compile(r"\b(a|an|the)\b")
_PUNCTUATION = str.maketrans("", "", string.punctuation)
_WORD = re.compile(r"[^\W\d_]+")


def squad_text(text: str) -> str:
    """Lower case, without ASCII punctuation and English articles, single spaces.

    >>> squad_text("The  IL-6 receptor.")
    'il6 receptor'
    """
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION)).split())


def bioasq_text(text: str) -> str:
    """Lower case, single spaces; nothing else, because `IL-6` and `IL 6` may be different terms.

    >>> bioasq_text(" IL-6  Receptor ")
    'il-6 receptor'
    """
    return " ".join(text.lower().split())


class SpanCounts(NamedTuple):
    """Sufficient statistics of one short answer and its best reference.

    Attributes:
        exact: 1 if the normalised texts are equal, else 0; over all references.
        overlap: Words in common, clipped.
        winner: Which reference gives the highest token F1, counted from 0.
    """

    exact: int
    overlap: int
    prediction: int
    reference: int
    winner: int

    @property
    def f1(self) -> float:
        """Token F1; if either text has no word, 1 where both have none and 0 otherwise."""
        if not self.prediction or not self.reference:
            return float(self.prediction == self.reference)
        return 2 * self.overlap / (self.prediction + self.reference)


def span_counts(prediction: str, references: str | Sequence[str], *, normalize: Normalizer = squad_text) -> SpanCounts:
    """Exact match and token overlap of a short answer with the best of its references.

    >>> span_counts("the BRCA1 gene", ["BRCA1", "BRCA1 gene"])
    SpanCounts(exact=1, overlap=2, prediction=2, reference=2, winner=1)
    """
    others = normalise_references(references)
    if not others:
        raise ValueError("exact match needs at least one reference")
    words = normalize(prediction).split()
    counts = []
    for index, other in enumerate(others):
        target = normalize(other).split()
        overlap = sum((Counter(words) & Counter(target)).values())
        counts.append(SpanCounts(int(words == target), overlap, len(words), len(target), index))
    best = counts[best_index([each.f1 for each in counts])]
    return best._replace(exact=max(each.exact for each in counts))


class FactoidCounts(NamedTuple):
    """One factoid question: `rank` of the first right answer, counted from 1, or None.

    `n_cut` counts answers beyond the number allowed, which were not looked at.
    """

    rank: int | None
    n_cut: int = 0

    @property
    def strict(self) -> float:
        """1 if the first answer is right."""
        return float(self.rank == 1)

    @property
    def lenient(self) -> float:
        """1 if any answer is right."""
        return float(self.rank is not None)

    @property
    def reciprocal_rank(self) -> float:
        """1 over the rank of the first right answer, 0 if there is none."""
        return 0.0 if self.rank is None else 1 / self.rank


def factoid_counts(
    answers: Sequence[str], synonyms: Sequence[str], *, max_answers: int = 5, normalize: Normalizer = bioasq_text
) -> FactoidCounts:
    """Where in a list of answers, best first, the right one is, by any of its *synonyms*; BioASQ allows five answers.

    >>> factoid_counts(["aspirin", "Clopidogrel"], ["clopidogrel", "Plavix"])
    FactoidCounts(rank=2, n_cut=0)
    """
    right = {normalize(name) for name in synonyms}
    if not right:
        raise ValueError("a factoid question needs at least one right answer")
    rank = next((i for i, answer in enumerate(answers[:max_answers], 1) if normalize(answer) in right), None)
    return FactoidCounts(rank, max(0, len(answers) - max_answers))


class ListCounts(NamedTuple):
    """One list question: right answers given, wrong or repeated ones, and those missed."""

    true_positives: int
    false_positives: int
    false_negatives: int

    @property
    def precision(self) -> float:
        """Share of the answers that are right; 0 without answers."""
        given = self.true_positives + self.false_positives
        return self.true_positives / given if given else 0.0

    @property
    def recall(self) -> float:
        """Share of the right answers that are given."""
        wanted = self.true_positives + self.false_negatives
        return self.true_positives / wanted if wanted else 0.0

    @property
    def f1(self) -> float:
        """Harmonic mean of the two; 0 where both are."""
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both else 0.0


def list_counts(
    answers: Sequence[str], golden: Sequence[Sequence[str]], *, normalize: Normalizer = bioasq_text
) -> ListCounts:
    """How a list of answers agrees with a list of right ones, each given with its synonyms.

    A right answer is found once; naming it again, by the same or another synonym, is wrong.

    >>> list_counts(["TNF", "IL6", "tumor necrosis factor"], [["TNF", "tumor necrosis factor"], ["IL1"]])
    ListCounts(true_positives=1, false_positives=2, false_negatives=1)
    """
    open_items = [{normalize(name) for name in synonyms} for synonyms in golden]
    if not open_items or not all(open_items):
        raise ValueError("a list question needs at least one right answer, and each at least one way to write it")
    found = 0
    for answer in map(normalize, answers):
        match = next((i for i, names in enumerate(open_items) if answer in names), None)
        if match is not None:
            del open_items[match]
            found += 1
    return ListCounts(found, len(answers) - found, len(open_items))


def first_word(text: str) -> str:
    """The first word in lower case, so that `Yes, because ...` is read as `yes`; empty if there is none."""
    found = _WORD.search(text)
    return found.group().lower() if found else ""


class LabelScores(NamedTuple):
    """Scores of yes/no/maybe questions: F1 is 0 for a label that is never both given and right.

    `n_other` answers match no label; they are wrong.
    """

    accuracy: float
    macro_f1: float
    f1: dict[str, float]
    n_other: int


def label_scores(
    predictions: Sequence[str], references: Sequence[str], *, labels: Sequence[str] | None = None
) -> LabelScores:
    """Accuracy and macro-F1 over *labels*: yes and no (BioASQ), and maybe if a reference says so (PubMedQA).

    >>> label_scores(["yes", "No.", "yes"], ["yes", "no", "no"]).f1
    {'yes': 0.6666666666666666, 'no': 0.6666666666666666}

    Raises:
        ValueError: The lists differ in length or are empty, or a reference is no label.
    """
    given, wanted = [list(map(first_word, texts)) for texts in (predictions, references)]
    if len(given) != len(wanted) or not given:
        raise ValueError(f"predictions and references differ in number: {len(given)} and {len(wanted)}")
    if labels is None:
        # By the references only: which labels count must not depend on the system.
        labels = ["yes", "no", "maybe"] if "maybe" in wanted else ["yes", "no"]
    for i, label in enumerate(wanted):
        if label not in labels:
            raise ValueError(f"reference {references[i]!r} is not one of the labels {', '.join(labels)}")
    f1 = {}
    for label in labels:
        both = sum(label == mine == other for mine, other in zip(given, wanted, strict=True))
        total = given.count(label) + wanted.count(label)
        f1[label] = 2 * both / total if total else 0.0
    right = [float(mine == other) for mine, other in zip(given, wanted, strict=True)]
    return LabelScores(mean(right), mean(list(f1.values())), f1, sum(label not in labels for label in given))
