"""The decomposition of FAS's variance, against numpy's covariances and by hand."""

from __future__ import annotations

import numpy as np
import pytest

from fas.core.profile import Weights
from fas.scoring.spread import variance_shares

W = Weights()


def columns(n=300, seed=3):
    rng = np.random.default_rng(seed)
    support = rng.beta(1, 1, n)
    contra = np.clip((1 - support) * rng.random(n), 0, 1)
    bert = rng.normal(0.7, 0.05, n)
    bert[::10] = np.nan  # answers without references
    fas = W.bertscore * bert + W.support * support + W.no_contradiction * (1 - contra)
    evidence = (W.support * support + W.no_contradiction * (1 - contra)) / (W.support + W.no_contradiction)
    return {"fas": fas, "fas_evidence": evidence, "bertscore_f1": bert, "support@5": support, "contra@5": contra}


def test_shares_are_the_terms_covariances_with_the_score_over_its_variance():
    made = columns()
    known = ~np.isnan(made["fas"])
    fas = made["fas"][known]
    expected = {
        name: weight * np.cov(made[name][known], fas)[0, 1] / np.var(fas, ddof=1)
        for name, weight in (("bertscore_f1", W.bertscore), ("support@5", W.support), ("contra@5", -W.no_contradiction))
    }
    assert variance_shares(made, 5, W)["fas"] == pytest.approx(expected, abs=1e-6)
    assert sum(expected.values()) == pytest.approx(1)


def test_without_references_the_two_terms_of_the_evidence_part_share_it():
    made = columns() | {"fas": np.full(300, np.nan), "bertscore_f1": np.full(300, np.nan)}
    found = variance_shares(made, 5, W)
    assert list(found) == ["fas_evidence"]
    assert set(found["fas_evidence"]) == {"support@5", "contra@5"}
    assert sum(found["fas_evidence"].values()) == pytest.approx(1, abs=1e-5)
