"""The score from which an answer is flagged, chosen on other questions than those it is used on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

FOLDS = 5
LEAST_POSITIVES = 10
"""With fewer answers that hold a hallucination no threshold is chosen."""


class Threshold(NamedTuple):
    """A threshold and its F1 on the answers that chose it."""

    value: float
    f1: float


class CrossValidated(NamedTuple):
    """Decisions with thresholds of other folds; `flagged` and `fold` have the shape `[n]`.

    `in_sample` is the best threshold on all answers at once, which no decision uses.
    """

    flagged: npt.NDArray[np.bool_]
    thresholds: tuple[float, ...]
    fold: npt.NDArray[np.intp]
    in_sample: Threshold


def best_threshold(scores: npt.ArrayLike, gold: npt.ArrayLike) -> Threshold:
    """The score from which flagging gives the best F1; of several the highest.

    It is above 0, because an answer without a finding (score 0) is never flagged; 1 where no answer has one.

    >>> best_threshold([0.9, 0.4, 0.4, 0.1], [True, True, False, False])
    Threshold(value=0.4, f1=0.8)

    Raises:
        ValueError: There is no positive or no negative answer.
    """
    values, truth = np.asarray(scores, dtype=np.float64), np.asarray(gold, dtype=bool)
    if truth.all() or not truth.any():
        raise ValueError("a threshold needs answers with and without a hallucination")
    candidates = np.unique(values[values > 0])[::-1]  # falling, so that the first best one is the highest
    if not len(candidates):
        return Threshold(1.0, 0.0)
    flagged = values[None, :] >= candidates[:, None]
    hits = (flagged & truth).sum(axis=1)
    f1 = 2 * hits / (flagged.sum(axis=1) + truth.sum())
    best = int(np.argmax(f1))
    return Threshold(float(candidates[best]), float(f1[best]))


def check_threshold(value: float) -> None:
    """Refuse a threshold that would flag answers without a finding, or none at all.

    Raises:
        ValueError: It is outside (0, 1].
    """
    if not 0.0 < value <= 1.0:
        raise ValueError(f"`threshold` must be above 0 and at most 1, got {value!r}")


def assign_folds(groups: Sequence[str], *, folds: int = FOLDS, seed: int = 12345) -> npt.NDArray[np.intp]:
    """The fold of each item, shape `[n]`: the distinct groups, shuffled, dealt out in turn."""
    names = sorted(set(groups))
    order = np.random.default_rng(seed).permutation(len(names))
    fold = {names[place]: turn % folds for turn, place in enumerate(order)}
    return np.array([fold[group] for group in groups], dtype=np.intp)


def cross_validate_threshold(
    scores: npt.ArrayLike, gold: npt.ArrayLike, groups: Sequence[str], *, folds: int = FOLDS, seed: int = 12345
) -> CrossValidated:
    """Flag every answer with the threshold that is best on the questions of the other folds.

    *scores* and *gold* (whether an answer holds a hallucination) have the shape `[n]`. *groups*: the question of each
    answer; all answers to one are in one fold.

    Raises:
        ValueError: There are fewer than 10 positive answers, or no positive or negative one outside some fold.
    """
    values, truth = np.asarray(scores, dtype=np.float64), np.asarray(gold, dtype=bool)
    if truth.sum() < LEAST_POSITIVES:
        raise ValueError(
            f"{int(truth.sum())} answers hold a hallucination by the gold; a threshold is chosen from "
            f"{LEAST_POSITIVES} on. Give one with --threshold"
        )
    fold = assign_folds(groups, folds=folds, seed=seed)
    flagged, thresholds = np.zeros(len(truth), dtype=bool), []
    for number in range(folds):
        inside = fold == number
        try:
            chosen = best_threshold(values[~inside], truth[~inside]).value
        except ValueError as error:
            raise ValueError(f"fold {number + 1} of {folds}: outside it, {error}; give one with --threshold") from error
        thresholds.append(chosen)
        flagged[inside] = values[inside] >= chosen
    return CrossValidated(flagged, tuple(thresholds), fold, best_threshold(values, truth))
