"""ROUGE against Google's rouge-score, brute force and hand computation."""

import random
import tracemalloc

import numpy as np
import pytest
from reference_texts import PIECES, hostile, plain
from rouge_score import rouge_scorer, scoring

from fas.reference.lcs import lcs_length, lcs_positions
from fas.reference.rouge import (
    ROUGE_TYPES,
    Rouge,
    RougeCounts,
    RougeScore,
    bootstrap_rouge,
    rouge_score,
)
from fas.reference.texts import BoundedCache, TextReader
from fas.reference.tokenizers import load_tokenizer

TYPES = [*ROUGE_TYPES, "rouge3", "rouge4"]


class _Study:
    """The study's tokens in the shape rouge-score takes a tokenizer."""

    def tokenize(self, text):
        return load_tokenizer("ptb")(text)


def _pair(kind, types=TYPES):
    reference = rouge_scorer.RougeScorer(
        types, use_stemmer=kind == "stemmed", tokenizer=_Study() if kind == "ptb" else None
    )
    ours = Rouge(types, tokenizer="ptb" if kind == "ptb" else "rouge_score", use_stemmer=kind == "stemmed")
    return ours, reference


def _assert_equal(ours, reference, context):
    for name, score in reference.items():
        assert np.allclose(ours[name][:3], score, rtol=0, atol=1e-12), (name, context)


@pytest.mark.parametrize("kind", ["rouge_score", "stemmed", "ptb"])
def test_scores_against_rouge_score_on_hostile_text(kind):
    ours, reference = _pair(kind)
    rng = random.Random(7)
    for _ in range(400):
        # Few different words over many lines make many equally long subsequences to choose from.
        words = [rng.choice(PIECES) for _ in range(rng.randint(1, 8))] + ["\n"]
        prediction, target = (" ".join(rng.choices(words, k=rng.randint(0, 30))) for _ in range(2))
        _assert_equal(ours.score(prediction, target), reference.score(target, prediction), (prediction, target))


@pytest.mark.parametrize("kind", ["rouge_score", "stemmed", "ptb"])
@pytest.mark.parametrize("text", ["", " ", "a", ".", "α", "\n\n", "one\n", "İstanbul"])
def test_scores_against_rouge_score_on_tiny_text(kind, text):
    ours, reference = _pair(kind)
    for other in ("", "a", "one two", text):
        _assert_equal(ours.score(text, other), reference.score(other, text), (text, other))


@pytest.mark.parametrize("kind", ["rouge_score", "ptb"])
def test_several_references_against_rouge_score(kind):
    ours, reference = _pair(kind)
    rng = random.Random(11)
    for _ in range(60):
        prediction, *targets = (plain(rng, rng.randint(1, 20)) for _ in range(4))
        best = ours.score(prediction, targets)
        _assert_equal(best, reference.score_multi(targets, prediction), targets)
        for name, score in best.items():
            alone = [ours.score(prediction, target)[name].f1 for target in targets]
            assert score.reference == int(np.argmax(alone))


def test_n_grams_of_twenty_thousand_tokens_against_rouge_score():
    ours, reference = _pair("rouge_score", ["rouge1", "rouge2"])
    first, second = plain(random.Random(1), 20_000), plain(random.Random(2), 20_000)
    _assert_equal(ours.score(first, second), reference.score(second, first), "long")


def _quadratic_lcs(first, second):
    row = np.zeros(len(second) + 1, dtype=np.int64)
    codes = np.array([ord(c) for c in second])
    for c in first:
        diagonal = np.where(codes == ord(c), row[:-1] + 1, row[1:])
        row[1:] = np.maximum.accumulate(np.maximum(diagonal, row[1:]))
    return int(row[-1])


def test_the_longest_common_subsequence_of_twenty_thousand_tokens_against_the_quadratic_recurrence():
    rng = random.Random(3)
    first, second = ("".join(rng.choices("abcdefgh", k=20_000)) for _ in range(2))
    assert lcs_length(first, second) == _quadratic_lcs(first, second) == len(lcs_positions(first, second))


def test_memory_of_long_texts_is_linear():
    rng = random.Random(4)
    rouge = Rouge(ROUGE_TYPES, tokenizer="rouge_score", budget=0)
    peaks = []
    for n in (5_000, 20_000):
        first, second = (plain(rng, n).replace(". ", ".\n", 3) for _ in range(2))
        rouge.score("warm", "up")
        tracemalloc.start()
        rouge.score(first, second)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 8 * peaks[0]  # four times the tokens; a table would need sixteen times
    assert peaks[1] < 100_000_000


def _table_positions(reference, prediction):
    """The subsequence read out of the full table, as rouge-score describes it."""
    table = [[0] * (len(prediction) + 1) for _ in range(len(reference) + 1)]
    for i, a in enumerate(reference, 1):
        for j, b in enumerate(prediction, 1):
            table[i][j] = table[i - 1][j - 1] + 1 if a == b else max(table[i - 1][j], table[i][j - 1])
    i, j, found = len(reference), len(prediction), []
    while i and j:
        if reference[i - 1] == prediction[j - 1]:
            i, j = i - 1, j - 1
            found.append(i)
        elif table[i][j - 1] > table[i - 1][j]:
            j -= 1
        else:
            i -= 1
    return found[::-1]


def test_positions_of_the_subsequence_against_the_full_table():
    rng = random.Random(5)
    for _ in range(500):
        letters = "abcdef"[: rng.randint(1, 6)]
        first, second = ("".join(rng.choices(letters, k=rng.randint(0, 40))) for _ in range(2))
        assert lcs_positions(first, second) == _table_positions(first, second), (first, second)


def test_counts_by_hand():
    # prediction "a b a c", reference "a a b": unigrams in common a, a, b; bigrams ab; longest subsequence a b or a a.
    found = Rouge(tokenizer=str.split).count("a b a c", "a a b")
    assert found["rouge1"] == RougeCounts(overlap=3, prediction=4, reference=3)
    assert found["rouge2"] == RougeCounts(overlap=1, prediction=3, reference=2)
    assert found["rougeL"] == RougeCounts(overlap=2, prediction=4, reference=3)
    assert rouge_score(found["rouge1"]) == RougeScore(0.75, 1.0, pytest.approx(6 / 7), 0)


def test_the_mean_over_references_averages_each_number():
    rouge = Rouge(["rouge1"], tokenizer=str.split)
    score = rouge.score("a b", ["a b", "a c", "x"], multi_reference="mean")["rouge1"]
    assert score == RougeScore(pytest.approx(0.5), pytest.approx(0.5), pytest.approx(0.5), None)


def test_intervals_against_rouge_score_with_the_same_random_numbers():
    ours, reference = _pair("rouge_score")
    rng = random.Random(9)
    pairs = [(plain(rng, 12), plain(rng, 12)) for _ in range(23)]
    np.random.seed(42)
    aggregator = scoring.BootstrapAggregator()
    for prediction, target in pairs:
        aggregator.add_scores(reference.score(target, prediction))
    expected = aggregator.aggregate()
    scores = [ours.score(*pair) for pair in pairs]
    found = bootstrap_rouge(scores, rng=np.random.RandomState(42))
    for name, interval in expected.items():
        for mine, theirs in zip(found[name], interval, strict=True):
            assert np.allclose(mine[:3], theirs, rtol=0, atol=1e-12)


def test_scores_do_not_depend_on_what_was_read_before():
    rng = random.Random(13)
    pairs = [(hostile(rng, 20), hostile(rng, 20)) for _ in range(50)]
    used = Rouge(ROUGE_TYPES, budget=200)
    for _ in range(2):
        for pair in pairs:
            assert used.score(*pair) == Rouge(ROUGE_TYPES).score(*pair)


def test_a_full_vocabulary_starts_anew(monkeypatch):
    monkeypatch.setattr("fas.reference.texts._MAX_VOCABULARY", 100)
    monkeypatch.setattr(TextReader.__init__, "__kwdefaults__", {**TextReader.__init__.__kwdefaults__, "vocabulary": 50})
    rouge = Rouge(tokenizer=str.split)
    texts = [" ".join(f"w{i}" for i in range(start, start + 20)) for start in range(0, 400, 20)]
    assert all(rouge.score(text, text)["rougeL"].f1 == 1.0 for text in texts)
    with pytest.raises(ValueError, match="more than 100 different tokens"):
        rouge.score(" ".join(f"v{i}" for i in range(150)), "x")


def test_references_are_remembered_up_to_a_budget():
    calls = []

    def split(text):
        calls.append(text)
        return text.split()

    reader = TextReader(split, budget=120)
    for _ in range(3):
        reader.read("a b c", keep=True)
    assert calls == ["a b c"]
    for text in ("d", "e", "f"):
        reader.read(text, keep=True)
    reader.read("a b c", keep=True)
    assert calls.count("a b c") == 2


def test_the_cache_keeps_the_most_recently_used():
    cache: BoundedCache[str, int] = BoundedCache(3)
    for i, key in enumerate("abc"):
        cache.put(key, i, 1)
    assert cache.get("a") == 0
    cache.put("d", 3, 1)
    cache.put("huge", 4, 5)
    assert [cache.get(key) for key in ("a", "b", "c", "d", "huge")] == [0, None, 2, 3, None]
    assert (len(cache), cache.size) == (3, 3)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Rouge(["rouge0"]), "no ROUGE type 'rouge0'; available: rouge1 to rouge9, rougeL, rougeLsum"),
        (lambda: Rouge(tokenizer="nltk"), "no tokenizer 'nltk'; available"),
        (lambda: Rouge().score("a", []), "ROUGE needs at least one reference"),
        (lambda: Rouge().score("a", "b", multi_reference="max"), "`multi_reference` must be one of best, mean"),
        (lambda: bootstrap_rouge([], rng=np.random.RandomState(1)), "there are no scores to aggregate"),
    ],
)
def test_bad_arguments_are_named(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_a_tokenizer_must_be_a_name_or_callable():
    with pytest.raises(TypeError, match="`tokenizer` must be a name or a callable"):
        Rouge(tokenizer=3)
