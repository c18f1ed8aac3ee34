"""What weights are chosen by."""

from __future__ import annotations

import re

import pytest


@pytest.fixture(scope="module")
def choose(nli_script):
    return nli_script("choose")


def test_half_of_the_claims_about_two_groups_hold_and_order_alone_says_which(choose):
    found = choose.couples()
    assert len(found) == 160
    assert len(set(found)) == 160
    assert sum(pair.label == choose.ENTAILMENT for pair in found) == 80
    for pair in found:
        first, second = map(float, re.findall(r"\d+\.\d", pair.premise))
        one, two = re.search(r" with (.+) and \d+\.\d% with (.+)\.$", pair.premise).groups()
        order = pair.hypothesis.lower()
        speaks_of = one if order.index(one.lower()) < order.index(two.lower()) else two
        less = "less" in order
        own, other = (first, second) if speaks_of == one else (second, first)
        assert (pair.label == choose.ENTAILMENT) == ((own < other) == less), pair


def test_no_reservation_of_the_training_pairs_is_among_those_that_choose(choose, nli_script):
    asides = nli_script("asides")
    known = [
        re.sub(r"{\w}", r".+", re.escape(form).replace(r"\{", "{").replace(r"\}", "}")) for form, *_ in asides._CLAIMED
    ]
    known += [re.escape(form) for form in asides._UNCLAIMED]
    for reservation in choose.RESERVATIONS:
        said = re.sub(r"^[;,. ]+(?:but |although |however, )?", "", reservation.lower()).rstrip(".")
        assert not [form for form in known if re.fullmatch(form, said)]
    assert [form for form in known if re.fullmatch(form, "nausea did not change")]
