"""Sentences against claims: what is compared, and the parts that are taken out."""

from __future__ import annotations

from importlib import import_module

import numpy as np
import pytest
from scipy.stats import mannwhitneyu, spearmanr

from benchmarks.claims.agreement import Sample, columns, compare
from benchmarks.claims.parts import PARTS, without
from fas.claims.extractor import SpacyClauses
from fas.records import Answer, AnswerScore, Claim, Verdict

ANSWER = Answer(
    "1", "Ibuprofen relieves pain and reduces fever. It can irritate the stomach.", "What does ibuprofen do?"
)


def test_a_score_compared_with_itself_differs_by_nothing():
    gold = np.arange(30) % 2
    one = (np.linspace(0, 1, 30), gold.astype(float), [str(n) for n in range(30)])
    assert compare(one, one, 1)["difference"] == [0.0, None, None]  # no draw differs, so there is no interval


@pytest.mark.parametrize("binary", [True, False])
def test_the_coefficients_are_scipys(binary):
    rng = np.random.default_rng(5)
    gold = rng.integers(0, 2, 80).astype(float) if binary else rng.normal(size=80)
    first, second = rng.normal(size=80) + gold, rng.normal(size=80)
    names = [str(n) for n in range(80)]
    found = compare((first, gold, names), (second, gold, names), 1)
    for value, scores in ((found["first"][0], first), (found["second"][0], second)):
        if binary:
            u = mannwhitneyu(scores[gold == 1], scores[gold == 0]).statistic
            expected = u / ((gold == 1).sum() * (gold == 0).sum())
        else:
            expected = spearmanr(scores, gold).statistic
        assert value == pytest.approx(expected)
    assert found["statistic"] == ("AUROC" if binary else "Spearman")


def test_a_sentence_has_the_lowest_support_of_its_claims_and_none_without_one():
    claims = [Claim("a", 0, 10), Claim("b", 12, 20), Claim("c", 30, 40)]
    verdicts = tuple(
        Verdict(claim, "supported", p_support=p, p_contradict=0.0)
        for claim, p in zip(claims, (0.9, 0.2, 0.5), strict=True)
    )
    sample = Sample([{"id": "0"}], ["q"], {"gold": [1.0]}, [[(0, 25, True), (50, 60, False)]])
    scores, golds, _ = columns(sample, [AnswerScore(ANSWER, verdicts=verdicts)])["sentences, p_support"]
    assert scores[0] == 0.2
    assert np.isnan(scores[1])
    assert golds.tolist() == [1.0, 0.0]


@pytest.mark.parametrize("part", PARTS)
def test_a_part_is_out_only_as_long_as_it_is_asked_for(part):
    places = [
        (import_module(f"fas.claims.{where.rpartition('.')[0]}"), where.rpartition(".")[2]) for where, _ in PARTS[part]
    ]
    before = [getattr(module, name) for module, name in places]
    extractor = SpacyClauses(cache=False)
    whole = extractor.extract([ANSWER])[0]
    with without(part):
        assert all(getattr(module, name) is not was for (module, name), was in zip(places, before, strict=True))
        assert extractor.extract([ANSWER])[0]
    assert [getattr(module, name) for module, name in places] == before
    assert extractor.extract([ANSWER])[0] == whole


def test_sentences_are_not_taken_apart_without_the_parts_that_do_it():
    with without("taking apart"):
        claims = SpacyClauses(cache=False).extract([ANSWER])[0]
    assert claims[0].text == "Ibuprofen relieves pain and reduces fever."
