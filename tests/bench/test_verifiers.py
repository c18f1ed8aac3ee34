"""Two verifiers on the same answers: correlations, their difference, the page, and what cannot be compared."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import spearmanr

from benchmarks.study import verifiers
from fas.bench.stored import StoredAnswer, StoredRun
from fas.core.profile import Weights


def run_of(scores, gold):
    answers = tuple(
        StoredAnswer(
            id=f"a{n}", model="m", dataset="d", kind="", unit=f"q{n // 2}", n_references=1, gold={"gold": float(g)},
            metrics={"support": s, "contra": 1 - s, "fas_evidence": s, "fas": s}, n_words=9,
            flags=frozenset(), claims=(),
        )
        for n, (s, g) in enumerate(zip(scores, gold, strict=True))
    )  # fmt: skip
    return StoredRun((), ("n:1|verify:nli[x]",), 5, 0.7, Weights(0.3, 0.4, 0.3), answers, 0)


@pytest.fixture
def runs():
    rng = np.random.default_rng(4)
    gold = rng.random(60)
    close, far = gold + 0.2 * rng.random(60), gold + 2 * rng.random(60)
    return gold, close, far, run_of(close, gold), run_of(far, gold)


def test_the_correlations_are_spearmans_and_the_difference_is_theirs(runs):
    gold, close, far, first, second = runs
    for row in verifiers.both(first, second, "gold", n_resamples=200, seed=1):
        a, b = spearmanr(close, gold).statistic, spearmanr(far, gold).statistic
        assert row["first"][0] == pytest.approx(a)
        assert row["second"][0] == pytest.approx(b)
        value, low, high, n = row["difference"]
        assert value == pytest.approx(a - b)
        assert 0 < low < value < high
        assert n == 60
