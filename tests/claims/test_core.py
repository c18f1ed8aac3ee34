"""The core of an extractor's claims: faithful, without redundancy, of greatest weight."""

import itertools
import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fas.claims.core import CoreFilter, apply_filter, bleached_statements, drop_duplicates, informativeness
from fas.claims.entailment import NliEntailment
from fas.claims.llm.units import source_sentences
from fas.claims.subset import heaviest_subset
from fas.core.records import Answer, Claim

TEXT = "Ibuprofen reduces fever. It may hurt the stomach."


class Given:
    """An extractor that returns the claims it was given."""

    signature = "given"

    def __init__(self, *claims):
        self.claims = claims

    def extract(self, answers):
        return [list(self.claims) for _ in answers]


class Table:
    """Entailment by a list of pairs; every other pair has the probability `other`."""

    signature = "table"

    def __init__(self, *entailed, other=0.0, probabilities=None):
        self.known = dict.fromkeys(entailed, 1.0) | (probabilities or {})
        self.other = other
        self.asked = []

    def probabilities(self, pairs):
        self.asked += pairs
        return [self.known.get(pair, self.other) for pair in pairs]


def core(claims, entailment, prediction=TEXT, **options):
    (kept,) = CoreFilter(Given(*claims), entailment, **options).extract([Answer("1", prediction)])
    return kept


def heaviest_by_trying_all(weights, conflicts):
    """The first, in order of membership, of the heaviest subsets, found by looking at each."""
    best, total = (), 0.0
    for members in itertools.product((True, False), repeat=len(weights)):
        chosen = [i for i, member in enumerate(members) if member]
        if any(weights[i] <= 0 for i in chosen) or any(members[i] and members[j] for i, j in conflicts):
            continue
        # The first combinations hold the first positions, so only a heavier one takes over.
        weight = sum(weights[i] for i in chosen)
        if weight > total + 1e-9:
            best, total = chosen, weight
    return list(best)


@settings(max_examples=60, deadline=None)
@given(
    weights=st.lists(st.sampled_from([0.0, 0.5, 1.0, 1.0, 1.0, 2.25, 7.0]), max_size=9),
    seed=st.integers(0, 10**6),
    density=st.sampled_from([0.15, 0.4, 0.8]),
)
def test_the_chosen_subset_is_the_one_that_trying_all_of_them_finds(weights, seed, density):
    rng = random.Random(seed)
    conflicts = [pair for pair in itertools.combinations(range(len(weights)), 2) if rng.random() < density]
    assert heaviest_subset(weights, conflicts) == heaviest_by_trying_all(weights, conflicts)


def test_real_weights_are_compared_exactly_beyond_the_solvers_default_gap():
    # 1000.01 against 1000.00: HiGHS stops by itself at one part in ten thousand.
    weights = [500.0, 500.0, 500.005, 500.005]
    conflicts = [(0, 2), (0, 3), (1, 2), (1, 3)]
    assert heaviest_subset(weights, conflicts) == [2, 3]


def test_a_clique_keeps_one_and_a_star_keeps_its_points():
    assert heaviest_subset([1.0] * 40, list(itertools.combinations(range(40), 2))) == [0]
    assert heaviest_subset([1.0] * 40, [(0, i) for i in range(1, 40)]) == list(range(1, 40))
    assert heaviest_subset([50.0] + [1.0] * 39, [(0, i) for i in range(1, 40)]) == [0]
    assert heaviest_subset([], []) == []


def test_a_conflict_with_nothing_is_refused():
    with pytest.raises(ValueError, match="pairs of different positions below 2"):
        heaviest_subset([1.0, 1.0], [(0, 2)])
    with pytest.raises(ValueError, match="pairs of different positions below 2"):
        heaviest_subset([1.0, 1.0], [(1, 1)])


def test_of_equal_texts_the_first_stays_whatever_the_model_says():
    claims = [Claim("A.", 0, 24), Claim("B.", 0, 24), Claim("A.", 25, 49), Claim("a.", 25, 49)]
    assert drop_duplicates(claims) == [claims[0], claims[1], claims[3]]


def test_the_sentence_of_a_claim_is_every_sentence_its_span_touches():
    claims = [Claim("x", 10, 12), Claim("x", 20, 30), Claim("x")]
    first, second = "Ibuprofen reduces fever.", "It may hurt the stomach."
    assert source_sentences(Answer("1", TEXT), claims) == [first, f"{first} {second}", None]
    assert source_sentences(Answer("1", TEXT), [Claim("x", 30, 35)], before=3) == [f"{first} {second}"]


def test_specific_claims_win_over_the_general_one_that_follows_from_each():
    claims = [Claim("Drugs help."), Claim("Ibuprofen helps."), Claim("Aspirin helps.")]
    one_way = Table(("Ibuprofen helps.", "Drugs help."), ("Aspirin helps.", "Drugs help."))
    assert core(claims, one_way) == claims[1:]


def test_of_two_that_say_the_same_the_first_stays():
    claims = [Claim("Rest helps."), Claim("Resting is helpful."), Claim("Ice helps.")]
    both = Table(("Rest helps.", "Resting is helpful."), ("Resting is helpful.", "Rest helps."))
    assert core(claims, both) == [claims[0], claims[2]]


def test_informative_claims_win_and_trivial_ones_go():
    claims = [Claim("Ibuprofen is a medicine."), Claim("Ibuprofen inhibits COX-2."), Claim("Ibuprofen works.")]
    first = bleached_statements()[0]
    entailment = Table(
        ("Ibuprofen inhibits COX-2.", "Ibuprofen works."),
        other=0.0,
        probabilities={
            (first, "Ibuprofen is a medicine."): 0.9,
            (first, "Ibuprofen inhibits COX-2."): 0.001,
            (first, "Ibuprofen works."): 0.3,
        },
    )
    weights = informativeness([claim.text for claim in claims], entailment)
    # -log 0.001 = 6.908, -log 0.3 = 1.204; what is entailed outright weighs nothing.
    assert weights == pytest.approx(
        {"Ibuprofen is a medicine.": 0.0, "Ibuprofen inhibits COX-2.": 6.9078, "Ibuprofen works.": 1.2040}, abs=1e-4
    )
    assert core(claims, entailment, weights="informativeness") == [claims[1]]
    assert core(claims, entailment) == [claims[0], claims[1]]


def test_the_weight_of_the_most_informative_claim_is_finite():
    assert informativeness(["X."], Table()) == {"X.": pytest.approx(-math.log(1e-6))}


def test_the_embedded_model_finds_commonplaces_worth_nothing_and_specific_claims_worth_more(fresh_cache):
    commonplaces = ["Doctors treat patients.", "There are side effects.", "Symptoms vary from person to person."]
    specific = ["Metformin lowers blood sugar.", "Ibuprofen can cause stomach bleeding in people over 65."]
    weights = informativeness([*commonplaces, *specific], NliEntailment())
    assert [weights[text] for text in commonplaces] == [0.0] * 3
    assert all(weights[text] > 1.0 for text in specific)


def test_no_pair_is_asked_twice_and_claims_of_different_answers_do_not_meet():
    entailment = Table(other=1.0)
    claims = [Claim("A.", 0, 24), Claim("B.", 0, 24)]
    CoreFilter(Given(*claims), entailment).extract([Answer("1", TEXT), Answer("2", TEXT)])
    assert len(entailment.asked) == len(set(entailment.asked)) == 4


def test_an_answer_with_too_many_claims_to_compare_is_refused_before_anything_is_compared():
    entailment = Table()
    with pytest.raises(ValueError, match="compares each claim with each, and 1001 are too many; at most 1000"):
        core([Claim(f"{i}.") for i in range(1001)], entailment)
    assert entailment.asked == []


@pytest.mark.parametrize("texts", [[], ["Ibuprofen reduces fever."]])
def test_few_claims_need_no_choice(texts):
    assert [claim.text for claim in core([Claim(text) for text in texts], Table())] == texts


def test_the_embedded_model_drops_what_was_added_and_what_is_said_twice(fresh_cache):
    prediction = "Metformin lowers blood sugar and can cause diarrhea."
    claims = [
        Claim("Metformin lowers blood sugar.", 0, 52),
        Claim("Metformin lowers blood sugar and can cause diarrhea.", 0, 52),
        Claim("Metformin was banned in Norway in 1999.", 0, 52),
        Claim("Metformin can cause diarrhea.", 0, 52),
    ]
    kept = core(claims, NliEntailment(), prediction)
    assert [claim.text for claim in kept] == [claims[0].text, claims[3].text]


def test_the_filters_options_come_as_a_table():
    options = {"name": "core", "weights": "informativeness", "threshold": 0.7, "model": "fas-nli-mini"}
    signature = apply_filter(Given(), options).signature
    assert signature.startswith("given+core[fas-nli-mini@15,t=0.7,w=informativeness-")
    assert not any(character in signature for character in "|:\n ")


@pytest.mark.parametrize(
    ("choice", "problem"),
    [
        ("best", "`filter` must be one of 'none', 'core' or a table with a `name`, got 'best'"),
        (3, "`filter` must be one of"),
        ({"weights": "uniform"}, "`filter` must be one of"),
        ({"name": "core", "wieghts": "uniform"}, "filter 'core' has no option 'wieghts'; allowed: weights, threshold"),
        ({"name": "none", "threshold": 0.5}, r"filter 'none' has no option 'threshold'; allowed: \(none\)"),
        ({"name": "core", "weights": "random"}, "`weights` must be one of uniform, informativeness, got 'random'"),
        ({"name": "core", "threshold": 1.0}, r"`threshold` must be in \[0, 1\), got 1.0"),
        ({"name": "core", "threshold": True}, r"`threshold` must be in \[0, 1\), got True"),
    ],
)
def test_an_impossible_filter_is_refused(choice, problem):
    with pytest.raises(ValueError, match=problem):
        apply_filter(Given(), choice)


def test_the_bleached_statements_are_distinct_sentences():
    statements = bleached_statements()
    assert len(statements) == len(set(statements)) >= 10
    assert all(text.endswith(".") and not text.startswith("#") for text in statements)
