"""Training pairs whose premise says something else besides."""

from __future__ import annotations

import re

import pytest


@pytest.fixture(scope="module")
def asides(nli_script):
    return nli_script("asides")


@pytest.fixture(scope="module")
def made(nli_script):
    """Pairs as the rules make them: of each drug one entailed, one contradicted, one that a denial says nothing of."""
    pair = nli_script("data").Pair
    drugs = [f"drug{letter}{number}" for letter in "klm" for number in range(20)]
    return [
        pair(f"{drug.upper()} lowered the titre of globulin.", f"{drug.upper()} {verb} the titre of globulin.", label)
        for drug in drugs
        for verb, label in (("lowered", 0), ("raised", 2))
    ] + [pair(f"A dose of {drug} was not given.", f"{drug.upper()} has no taste.", 1) for drug in drugs]


def test_the_claim_keeps_its_label_beside_anything_else(asides, made):
    label = {(pair.hypothesis): pair.label for pair in made}
    own = {pair.hypothesis: pair.premise.removesuffix(".") for pair in made}
    found = [pair for pair in asides.aside_pairs(made, len(made), seed=1) if pair.hypothesis in label]
    assert len(found) > 0.7 * len(made)
    for pair in found:
        assert pair.label == label[pair.hypothesis]
        assert own[pair.hypothesis] in pair.premise
        assert len(pair.premise) > len(own[pair.hypothesis]) + 10


def test_a_claim_about_the_reservation_is_as_often_borne_out_as_ruled_out_and_speaks_of_something_new(asides, made):
    known = {pair.hypothesis for pair in made}
    about = [
        pair
        for seed in range(40)
        for pair in asides.aside_pairs(made, len(made), seed=seed)
        if pair.hypothesis not in known
    ]
    assert len(about) / (40 * len(made)) == pytest.approx(1 / 6, abs=0.02)
    assert sum(pair.label == 0 for pair in about) / len(about) == pytest.approx(0.5, abs=0.04)
    assert {pair.label for pair in about} == {0, 2}
    assert not [pair for pair in about if "globulin" in pair.hypothesis or "titre" in pair.hypothesis]


def test_what_bears_a_reservation_out_is_not_what_rules_it_out(asides):
    for aside, follows, ruled_out in asides.WORDS["claimed"]:
        assert len({aside, follows, ruled_out}) == 3
        # A claim speaks of nothing that the reservation does not name.
        assert set("ogdc") & set(re.findall(r"{(\w)}", follows + ruled_out)) <= set(re.findall(r"{(\w)}", aside))


def test_one_seed_gives_one_set_and_another_seed_another(asides, made):
    assert asides.aside_pairs(made, 90, seed=3) == asides.aside_pairs(made, 90, seed=3)
    assert asides.aside_pairs(made, 90, seed=3) != asides.aside_pairs(made, 90, seed=4)


def test_more_pairs_than_there_are_is_an_error(asides, made):
    with pytest.raises(ValueError):
        asides.aside_pairs(made, len(made) + 1, seed=1)
