"""Short answers, by hand from the published definitions."""

import random

import pytest
from sklearn.metrics import accuracy_score, f1_score

from fas.reference.qa import FactoidCounts, ListCounts, factoid_counts, label_scores, list_counts, span_counts


@pytest.mark.parametrize(
    ("prediction", "references", "exact", "f1"),
    [
        ("BRCA1", "brca1", 1, 1.0),
        ("The BRCA1 gene.", ["BRCA2", "BRCA1 gene"], 1, 1.0),
        ("the gene BRCA1 on chromosome 17", "BRCA1 gene", 0, 4 / 7),  # 2 shared of 5 and 2 words
        ("a a b", "a b b", 0, 2 * 1 / (1 + 2)),  # "a" is an article: b against b b
        ("x x y", "x y y", 0, 2 * 2 / (3 + 3)),  # x once and y once
        ("", "aspirin", 0, 0.0),
        ("", "", 1, 1.0),
        ("the", "a", 1, 1.0),  # nothing is left of either
        ("aspirin", ["ibuprofen", "naproxen"], 0, 0.0),
    ],
)
def test_exact_match_and_token_f1_by_hand(prediction, references, exact, f1):
    counts = span_counts(prediction, references)
    assert counts.exact == exact
    assert counts.f1 == pytest.approx(f1)


def test_exact_match_is_over_all_references_and_f1_names_its_own():
    counts = span_counts("b c", ["b c d", "c b"])
    assert (counts.exact, counts.winner, counts.f1) == (0, 1, 1.0)


@pytest.mark.parametrize(
    ("answers", "rank", "n_cut"),
    [
        (["Plavix", "x"], 1, 0),
        (["x", " clopidogrel "], 2, 0),
        (["x", "y"], None, 0),
        ([], None, 0),
        (["1", "2", "3", "4", "5", "plavix"], None, 1),
        (["1", "2", "3", "4", "plavix", "plavix"], 5, 1),
    ],
)
def test_factoid_ranks_by_hand(answers, rank, n_cut):
    counts = factoid_counts(answers, ["clopidogrel", "Plavix"])
    assert counts == FactoidCounts(rank, n_cut)
    assert counts.strict == float(rank == 1)
    assert counts.lenient == float(rank is not None)
    assert counts.reciprocal_rank == pytest.approx(1 / rank if rank else 0)


@pytest.mark.parametrize(
    ("answers", "counts", "precision", "recall", "f1"),
    [
        (["TNF", "IL-1"], (2, 0, 1), 1.0, 2 / 3, 4 / 5),
        (["tumor necrosis factor", "TNF"], (1, 1, 2), 1 / 2, 1 / 3, 2 / 5),  # the same item twice
        (["IL-1", "IL-1"], (1, 1, 2), 1 / 2, 1 / 3, 2 / 5),
        (["a", "b", "c", "il-6"], (1, 3, 2), 1 / 4, 1 / 3, 2 / 7),
        (["a"], (0, 1, 3), 0.0, 0.0, 0.0),
        ([], (0, 0, 3), 0.0, 0.0, 0.0),
    ],
)
def test_list_scores_by_hand(answers, counts, precision, recall, f1):
    found = list_counts(answers, [["TNF", "Tumor Necrosis Factor"], ["IL-1"], ["IL-6", "interleukin 6"]])
    assert found == ListCounts(*counts)
    assert (found.precision, found.recall, found.f1) == pytest.approx((precision, recall, f1))


def test_yes_and_no_by_hand():
    # yes: 2 right of 3 given and 3 wanted; no: 1 right of 2 given and 2 wanted.
    scores = label_scores(["yes", "Yes.", "yes, but", "no", "No"], ["yes", "yes", "no", "no", "yes"])
    assert scores.accuracy == pytest.approx(3 / 5)
    assert scores.f1 == {"yes": pytest.approx(4 / 6), "no": pytest.approx(2 / 4)}
    assert scores.macro_f1 == pytest.approx((4 / 6 + 2 / 4) / 2)


@pytest.mark.parametrize("labels", [["yes", "no"], ["yes", "no", "maybe"]])
def test_labels_against_scikit_learn(labels):
    rng = random.Random(1)
    for _ in range(50):
        given, wanted = ([rng.choice(labels) for _ in range(12)] for _ in range(2))
        scores = label_scores(given, wanted, labels=labels)
        assert scores.accuracy == pytest.approx(accuracy_score(wanted, given))
        expected = f1_score(wanted, given, labels=labels, average="macro", zero_division=0)
        assert scores.macro_f1 == pytest.approx(expected)
