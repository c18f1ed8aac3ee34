"""Training pairs of a sentence that lists things and a claim about one of them."""

from __future__ import annotations

import random
import re
from collections import Counter

import pytest

DENIED = re.compile(r"\bnot\b|\bno\b|\bcannot\b|\bspares\b")
NOTHING_ELSE = re.compile(r"\bonly\b|\blimited to\b|\bno other\b|\balone\b|\bother than\b|^Apart from\b|^Nothing but\b")


@pytest.fixture(scope="module")
def enumerations(nli_script):
    return nli_script("enumerations")


@pytest.fixture(scope="module")
def pairs(enumerations):
    return enumerations.enumeration_pairs(4000, seed=2)


def _topic(enumerations, claim):
    """The topic whose sentence *claim* is, its subject and its thing, read off the text alone."""
    for topic in enumerations.TOPICS:
        # "Is not found" would be read as "found" by the others.
        for form in (*topic["no"], *topic["yes"]):
            pattern = re.escape(form).replace(r"\{s\}", "(?P<s>.+?)").replace(r"\{x\}", "(?P<x>.+?)")
            for verbs in ("is|are", "does|do", "contains|contain", "raises|raise", "contributes|contribute"):
                # A plural thing changes the verb.
                pattern = re.sub(rf"\b(?:{verbs})(?=\\ )", f"(?:{verbs})", pattern)
            if found := re.fullmatch(pattern, claim, re.IGNORECASE):
                thing = found["x"].lower()
                names = {item: (item, *enumerations.OTHER_NAMES.get(item, ())) for item in topic["items"]}
                named = {name.lower(): item for item, own in names.items() for name in own}
                if thing in named:
                    return found["s"].lower(), named[thing]
    return None


def test_what_is_listed_is_entailed_what_is_not_is_open_and_what_is_ruled_out_contradicted(enumerations, pairs):
    read = 0
    for pair in pairs:
        found = _topic(enumerations, pair.hypothesis)
        if found is None:
            continue
        about, thing = found
        premise = pair.premise.lower()
        denied = DENIED.search(pair.hypothesis) is not None
        named = re.search(rf"\b{re.escape(thing.lower())}\b", premise)
        if about not in premise:
            expected = enumerations.NEUTRAL
        elif named is None:
            closed = NOTHING_ELSE.search(pair.premise) is not None
            expected = enumerations.NEUTRAL
            if closed:
                expected = enumerations.ENTAILMENT if denied else enumerations.CONTRADICTION
        else:
            # What is left out stands alone behind the list, or between "does not cause" and "but".
            it = re.escape(thing.lower())
            alone = (
                rf"(?:but not (?:by |with )?|whereas |; |spares |does not cause ){it}\b|, but {it} (?:do|does) not\b"
            )
            ruled_out = re.search(alone, premise) is not None
            expected = enumerations.ENTAILMENT if denied == ruled_out else enumerations.CONTRADICTION
        assert pair.label == expected, (pair.premise, pair.hypothesis, pair.label)
        read += 1
    assert read > 3500


def test_a_claim_alone_says_little_of_its_label(enumerations, pairs):
    counts = Counter((DENIED.search(pair.hypothesis) is not None, pair.label) for pair in pairs)
    for denied in (True, False):
        of_kind = sum(counts[denied, label] for label in range(3))
        assert max(counts[denied, label] for label in range(3)) / of_kind < 0.55, counts
        assert min(counts[denied, label] for label in range(3)) / of_kind > 0.15, counts


def test_the_words_a_claim_shares_do_not_tell_denied_from_affirmed(enumerations, pairs):
    def shared(label):
        found = []
        for pair in pairs:
            if pair.label == label:
                words = set(re.findall(r"\w{4,}", pair.hypothesis.lower()))
                found.append(len(words & set(re.findall(r"\w{4,}", pair.premise.lower()))) / len(words))
        return sum(found) / len(found)

    assert abs(shared(enumerations.ENTAILMENT) - shared(enumerations.CONTRADICTION)) < 0.05


def test_two_in_five_are_neither_and_the_rest_is_even(enumerations, pairs):
    counts = Counter(pair.label for pair in pairs)
    assert 0.33 < counts[enumerations.NEUTRAL] / len(pairs) < 0.45, counts
    assert 0.85 < counts[enumerations.ENTAILMENT] / counts[enumerations.CONTRADICTION] < 1.18, counts


def test_one_seed_gives_one_set_of_distinct_pairs(enumerations):
    pairs = enumerations.enumeration_pairs(300, seed=9)
    assert pairs == enumerations.enumeration_pairs(300, seed=9)
    assert len({(pair.premise, pair.hypothesis) for pair in pairs}) == 300
    assert pairs != enumerations.enumeration_pairs(300, seed=10)


def test_things_and_verbs_agree_in_number(enumerations):
    rng = random.Random(4)
    wrong = re.compile(r"^(?:The tablets (?:is|causes|has)|(?:NSAIDs|Antibiotics|Eggs) is|(?:Milk|Kale) contain) ")
    texts = [text for _ in range(6000) for text in enumerations.enumerated(rng)[:2]]
    assert [text for text in texts if wrong.search(text)] == []
    assert any("antibiotics are" in text.lower() for text in texts)
