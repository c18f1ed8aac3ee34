"""The six faults that rules and an NLI model find in the claims of any extractor."""

import math

import pytest

from benchmarks.claims.faults import FAULTS, detect
from fas.claims.entailment import NliEntailment
from fas.records import Answer, Claim

TEXT = (
    "Metformin lowers blood sugar. It rarely causes lactic acidosis. If you vomit, stop taking it and call your doctor."
)
FIRST, SECOND, THIRD = (0, 29), (30, 63), (64, len(TEXT))


class Table:
    """Entailment by a list of pairs; all others are improbable."""

    signature = "table"

    def __init__(self, *entailed, unreadable=()):
        self.entailed = entailed
        self.unreadable = unreadable

    def probabilities(self, pairs):
        return [math.nan if pair[1] in self.unreadable else float(pair in self.entailed) for pair in pairs]


def faults(*claims, entailment=None, **options):
    return detect([claims], [Answer("1", TEXT)], entailment, **options)[0].faults


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Stop taking metformin.", "imperative"),
        ("Do not drive after the injection.", "imperative"),
        ("Call your doctor if the rash spreads.", "imperative"),
        ("Use the inhaler twice a day.", "imperative"),
        ("It rarely causes lactic acidosis.", "vague_pronoun"),
        ("These symptoms usually pass.", "vague_pronoun"),
        ("Your kidneys clear metformin.", "vague_pronoun"),
        ("You mentioned a rash last week.", "narrative"),
        ("I spoke to the cardiologist about metformin.", "narrative"),
    ],
)
def test_the_surface_of_a_claim_tells(text, expected):
    (found,) = faults(Claim(text))
    assert expected in found


@pytest.mark.parametrize(
    "text",
    [
        "Use of the inhaler twice a day helps.",
        "Rest helps.",
        "Exercise training lowers blood pressure.",
        "Stopping smoking helps.",
    ],
)
def test_a_noun_at_the_head_is_no_order(text):
    (found,) = faults(Claim(text))
    assert found == frozenset()


def test_a_claim_that_names_its_subject_as_a_statement_has_none_of_the_faults():
    (found,) = faults(Claim("Metformin rarely causes lactic acidosis.", *SECOND))
    assert found == frozenset()


def test_a_claim_without_the_condition_of_its_sentence_has_lost_it():
    kept = Claim("Stopping metformin is advised if people who take it vomit.", *THIRD)
    lost = Claim("Taking metformin and calling a doctor should be stopped.", *THIRD)
    found = faults(lost, kept)
    assert "condition_lost" in found[0]
    assert "condition_lost" not in found[1]


def test_what_the_sentence_does_not_entail_is_found_and_more_context_may_entail_it():
    claim = Claim("Metformin rarely causes lactic acidosis.", *SECOND)
    sentence, before = TEXT[30:63], TEXT[:63]
    entailment = Table((before, claim.text))
    assert "not_entailed" in faults(claim, entailment=entailment)[0]
    assert "not_entailed" not in faults(claim, entailment=entailment, before=1)[0]
    assert "not_entailed" not in faults(claim, entailment=Table((sentence, claim.text)))[0]


def test_of_two_claims_that_entail_each_other_the_later_is_redundant():
    a, b = "Rest helps.", "Resting is helpful."
    found = faults(Claim(a), Claim(b), entailment=Table((a, b), (b, a)))
    assert ["redundant" in one for one in found] == [False, True]


def test_a_claim_that_follows_from_another_is_redundant_wherever_it_stands():
    short, full = "Rest helps.", "Rest helps the back."
    for several in ((short, full), (full, short)):
        found = faults(*map(Claim, several), entailment=Table((full, short)))
        assert [text for text, one in zip(several, found, strict=True) if "redundant" in one] == [short]


def test_the_second_of_equal_claims_is_redundant_with_and_without_a_model():
    for entailment in (None, Table()):
        found = faults(Claim("Rest helps people."), Claim("Rest helps people."), entailment=entailment)
        assert ["redundant" in one for one in found] == [False, True]


def test_a_fault_that_cannot_be_looked_for_is_unknown_and_not_absent():
    placeless, endless = Claim("Metformin is cheap."), Claim("Endless.", *FIRST)
    (found,) = detect([[placeless, endless]], [Answer("1", TEXT)], Table(unreadable=("Endless.",)))
    assert found.unknown[0] == {"condition_lost", "not_entailed"}
    assert found.unknown[1] == {"not_entailed", "redundant"}
    assert math.isnan(found.rate("not_entailed"))
    assert found.rate("redundant") == 0.0
    (without,) = detect([[endless]], [Answer("1", TEXT)])
    assert without.unknown == ({"not_entailed"},)


def test_sentences_that_failed_are_no_claims():
    failed = Claim(TEXT[:29], *FIRST, failure="medscore: the reply is empty")
    (found,) = detect([[failed]], [Answer("1", TEXT)])
    assert found.faults == ()
    assert all(math.isnan(found.rate(fault)) for fault in FAULTS)


def test_the_embedded_model_finds_what_was_added_and_what_is_repeated(fresh_cache):
    claims = [
        Claim("Metformin lowers blood sugar.", *FIRST),
        Claim("Metformin was discovered in Norway in 1999.", *FIRST),
        Claim("Blood sugar is lowered by metformin.", *FIRST),
    ]
    found = faults(*claims, entailment=NliEntailment())
    assert [sorted(one) for one in found] == [[], ["not_entailed"], ["redundant"]]


def test_a_rate_is_the_share_of_the_claims_it_was_looked_for_in():
    (found,) = detect([[Claim("Stop taking metformin."), Claim("Metformin is cheap.")]], [Answer("1", TEXT)])
    assert found.rate("imperative") == 0.5
