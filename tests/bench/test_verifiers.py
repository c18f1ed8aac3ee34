"""Two verifiers on the same answers: correlations, their difference, the page, and what cannot be compared."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import spearmanr

from benchmarks.study import verifiers
from fas.bench.stored import StoredRun
from fas.scoring.rescoring import Settings


def run_of(scores, gold):
    answers = tuple(
        {
            "id": f"a{n}",
            "meta": {"model": "m", "dataset": "d", "question_id": n // 2, "gold": float(g)},
            "support": s,
            "contra": 1 - s,
            "fas_evidence": s,
            "fas": s,
        }
        for n, (s, g) in enumerate(zip(scores, gold, strict=True))
    )
    return StoredRun((), ("n:1|verify:nli[x]",), Settings(5, 0.7), answers, 0)


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
