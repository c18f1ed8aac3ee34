"""Accuracy of answers chosen by a score: of the best, the worst, any, and the best there is.

For a question with n answers, scores s_i and r_i = 1 for a right answer (LEAF, appendix A.4):

    best    mean of r_i over the answers with the highest score     worst   the same with the lowest
    mean    mean of r_i over all of them: an answer picked blindly  oracle  1 if any is right

Scores of shares are often equal, above all at 1: a mean over the tied answers is what a fair draw among them gives on
average, without a draw. Answers without a score cannot be chosen; a question with fewer than two that have one is left
out of all four, so that they compare.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from typing import NamedTuple, Unpack

import numpy as np
import numpy.typing as npt

from fas.core.records import MetricSummary
from fas.stats.bootstrap import BootstrapOptions, mean_intervals
from fas.stats.paired import PairedDifference, paired_differences


class Selection(NamedTuple):
    """The accuracy of chosen answers over questions, with intervals from resampled questions.

    Attributes:
        rows: `best`, `worst`, `mean` and `oracle` to accuracy.
        n_questions: Questions with two scored answers at least; the others are left out.
        tied: Share of those questions whose highest score several answers have.
        all_equal: Share of them whose answers all have the same score.
    """

    rows: dict[str, MetricSummary]
    best_worst: PairedDifference | None
    best_mean: PairedDifference | None
    n_questions: int
    n_left_out: int
    tied: float
    all_equal: float


def selection(
    scores: npt.ArrayLike, right: npt.ArrayLike, questions: Sequence[Hashable], **options: Unpack[BootstrapOptions]
) -> Selection:
    """Accuracy of the best- and the worst-scored answer to each question; NaN in either leaves an answer out."""
    score, truth = np.asarray(scores, dtype=np.float64), np.asarray(right, dtype=np.float64)
    if score.shape != truth.shape or score.ndim != 1 or len(questions) != len(score):
        raise ValueError(
            f"one score, truth and question per answer, got {score.shape}, {truth.shape}, {len(questions)}"
        )
    groups: dict[Hashable, list[int]] = {question: [] for question in questions}
    for i in np.flatnonzero(~np.isnan(score + truth)).tolist():
        groups[questions[i]].append(i)
    rows, tied, equal = [], 0, 0
    for places in groups.values():
        if len(places) < 2:
            continue
        own, correct = score[places], truth[places]
        top, bottom = own == own.max(), own == own.min()
        rows.append((correct[top].mean(), correct[bottom].mean(), correct.mean(), correct.max()))
        tied += int(top.sum() > 1)
        equal += int(top.all())
    best, worst, mean, oracle = np.array(rows, dtype=np.float64).reshape(-1, 4).T
    others = {"worst": worst, "mean": mean}
    differences = paired_differences(dict.fromkeys(others, best), others, **options) if rows else {}
    share = len(rows) or math.nan
    return Selection(
        mean_intervals({"best": best, "worst": worst, "mean": mean, "oracle": oracle}, **options),
        differences.get("worst"),
        differences.get("mean"),
        len(rows),
        len(groups) - len(rows),
        tied / share,
        equal / share,
    )
