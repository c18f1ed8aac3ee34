"""Alignment against brute force over all matchings, and what it does with little or nothing to align."""

from __future__ import annotations

import math
from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fas.detectors.align import align, align_gains, explanation_vectors


def best_gain(cosines, least):
    """The largest sum of cosines of at least *least* over all matchings, tried one by one."""
    n, m = cosines.shape
    best = 0.0
    for size in range(1, min(n, m) + 1):
        for rows in combinations(range(n), size):
            for columns in permutations(range(m), size):
                gains = [cosines[i, j] for i, j in zip(rows, columns, strict=True)]
                if min(gains) >= least:
                    best = max(best, sum(gains))
    return best


@given(st.integers(1, 6), st.integers(1, 6), st.integers(0, 10_000), st.sampled_from([0.3, 0.5, 0.8]))
def test_the_matching_is_as_good_as_the_best_of_all_matchings_of_valid_pairs(n, m, seed, least):
    if n * m > 25:
        n, m = min(n, 5), min(m, 5)
    # Two decimals, so that there are ties and values at the threshold.
    cosines = np.round(np.random.default_rng(seed).uniform(-1, 1, (n, m)), 2)
    pairs = align_gains(cosines, min_similarity=least)
    assert all(cosines[i, j] >= least for i, j in pairs)
    assert len({i for i, _ in pairs}) == len({j for _, j in pairs}) == len(pairs)
    assert sum(cosines[i, j] for i, j in pairs) == pytest.approx(best_gain(cosines, least), abs=1e-7)


def test_ties_in_cost_keep_the_sorted_order():
    same = np.ones((4, 4)) * 0.9
    assert align_gains(same, min_similarity=0.5) == [(0, 0), (1, 1), (2, 2), (3, 3)]


class Constant:
    def __init__(self, value):
        self.value = value

    def embed(self, texts):
        return np.full((len(texts), 3), self.value, dtype=np.float32)


def test_an_empty_explanation_is_like_nothing_and_never_nan():
    vectors = explanation_vectors(["words", "", "  "], Constant(1.0))
    assert np.isfinite(vectors).all()
    assert align(vectors[1:], vectors, min_similarity=0.1) == []
    assert explanation_vectors(["", ""], Constant(math.nan)).shape == (2, 1)


def test_the_matching_of_six_by_six_is_the_best_one():
    rng = np.random.default_rng(3)
    for _ in range(3):
        cosines = rng.uniform(0, 1, (6, 6))
        pairs = align_gains(cosines, min_similarity=0.01)
        best = max(sum(cosines[i, p[i]] for i in range(6)) for p in permutations(range(6)))
        assert sum(cosines[i, j] for i, j in pairs) == pytest.approx(best)
