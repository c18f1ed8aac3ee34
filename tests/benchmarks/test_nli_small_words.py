"""Training pairs whose label hangs on the small words that turn a sentence."""

from __future__ import annotations

import random
import re
from collections import Counter

import pytest


@pytest.fixture(scope="module")
def small_words(nli_script):
    return nli_script("small_words")


def _made(form, n=600):
    rng = random.Random(3)
    return [form(rng) for _ in range(n)]


def test_about_as_many_are_entailed_as_contradicted_in_every_form(small_words):
    for form in set(small_words.FORMS):
        labels = Counter(label for *_, label in _made(form))
        assert 0.6 < labels[small_words.ENTAILMENT] / labels[small_words.CONTRADICTION] < 1.7, (form.__name__, labels)


def test_a_claim_alone_does_not_say_what_it_is(small_words):
    # Negations stand as often in what follows as in what is ruled out.
    pairs = small_words.small_word_pairs(6000, seed=4)
    negated = re.compile(r"\b(?:not|no|neither|never|useless|ineffective|failed|avoided|contraindicated)\b")
    share = {
        label: sum(negated.search(pair.hypothesis) is not None for pair in pairs if pair.label == label)
        / sum(pair.label == label for pair in pairs)
        for label in (small_words.ENTAILMENT, small_words.CONTRADICTION)
    }
    assert abs(share[small_words.ENTAILMENT] - share[small_words.CONTRADICTION]) < 0.1, share


def test_the_group_that_only_and_except_speak_of_is_the_one_that_is_told_apart(small_words):
    for premise, claim, label in _made(small_words._only):
        apart = next(group for group in small_words.WORDS["groups"] if group in premise.lower())
        alone = re.match(r"(?:Only|Nobody but|Of all groups)\b", premise) is not None
        if not any(group in claim.lower() for group in small_words.WORDS["groups"]):
            assert label == small_words.CONTRADICTION
            continue
        denied = " not " in claim
        of_it = claim.lower().startswith(apart)
        assert (label == small_words.ENTAILMENT) == ((of_it == alone) != denied), (premise, claim)


def test_a_name_that_says_high_goes_with_raised_and_one_that_says_low_with_lowered(small_words):
    way = {name: high for name, _, high in small_words.WORDS["levels"]}
    read = 0
    for premise, claim, label in _made(small_words._level, 3000):
        named = [name for name in way if re.search(rf"\b{name}\b", premise.lower())]
        words = re.search(r"\b(raise|high|lower|low)\b", claim)
        if (
            not named
            or not words
            or "deficiency" in premise
            or " not " in premise
            or any(n in claim.lower() for n in way)
        ):
            continue
        high = words[1] in ("raise", "high")
        assert (label == small_words.ENTAILMENT) == (high == (way[named[0]] > 0)), (premise, claim)
        read += 1
    assert read > 400


def test_of_two_treatments_each_is_said_to_do_what_the_sentence_says_of_it(small_words):
    for premise, claim, label in _made(small_words._both, 2000):
        drug = re.match(r"(.+?) (?:did not|had no|reduced|increased|prevented|caused)\b", claim)[1].lower()
        text = premise.lower()
        if text.startswith("both ") or " as well as " in text:
            does = True
        elif text.startswith("neither "):
            does = False
        elif text.startswith("unlike "):
            does = not text.startswith(f"unlike {drug},")
        elif "but not" in text or "whereas" in text:
            does = text.startswith(drug)
        else:
            does = not text.startswith(drug)
        said = "did not" not in claim and "no effect" not in claim
        assert (label == small_words.ENTAILMENT) == (said == does), (premise, claim)


def test_one_seed_gives_one_set_of_distinct_pairs(small_words):
    pairs = small_words.small_word_pairs(500, seed=9)
    assert pairs == small_words.small_word_pairs(500, seed=9)
    assert len({(pair.premise, pair.hypothesis) for pair in pairs}) == 500
    assert pairs != small_words.small_word_pairs(500, seed=10)


def test_a_third_is_neither_although_it_speaks_of_the_same(small_words):
    pairs = small_words.small_word_pairs(4000, seed=6)
    neither = [pair for pair in pairs if pair.label == small_words.NEUTRAL]
    assert len(neither) / len(pairs) == pytest.approx(1 / 3, abs=0.04)
    shared = [
        set(pair.premise.lower().rstrip(".").split()) & set(pair.hypothesis.lower().rstrip(".").split())
        for pair in neither
    ]
    assert sum(map(bool, shared)) / len(shared) > 0.95


def test_two_things_that_are_said_of_one_drug_share_nothing_else_of_weight(small_words):
    rng = random.Random(8)
    made = [found for _ in range(2000) if (found := small_words._apart(rng)) is not None]
    assert len(made) > 1000
    for premise, claim, label in made:
        assert label == small_words.NEUTRAL
        names = small_words.WORDS["conditions"] + small_words.WORDS["groups"]
        assert not [name for name in names if name in premise.lower() and name in claim.lower()], (premise, claim)
