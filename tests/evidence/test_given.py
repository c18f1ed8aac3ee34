"""Given passages, BM25 in memory, reranking and options."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fas.cache import Cache
from fas.evidence.bm25 import BM25
from fas.evidence.given import GivenPassages
from fas.evidence.none import NoEvidence
from fas.evidence.options import checked_k, checked_years
from fas.evidence.rerank import as_reranker, fused
from fas.evidence.terms import terms
from fas.evidence.vectors import KeptVectors
from fas.parts import retrievers
from fas.records import Answer, Claim, Passage, Retrieval


def naive_bm25(texts: list[str], query: str, k1: float = 1.2, b: float = 0.75) -> list[float]:
    """The formula of Robertson and Zaragoza, written out; words that need no analysis."""
    documents = [text.split() for text in texts]
    average = sum(map(len, documents)) / len(documents)
    scores = []
    for document in documents:
        score = 0.0
        for term in set(query.split()):
            n = sum(term in other for other in documents)
            idf = math.log(1 + (len(documents) - n + 0.5) / (n + 0.5))
            tf = document.count(term)
            score += idf * tf * (k1 + 1) / (tf + k1 * (1 - b + b * len(document) / average)) if average else 0.0
        scores.append(score)
    return scores


WORDS = st.sampled_from([f"zq{letter}x" for letter in "abcdefgh"])
TEXTS = st.lists(WORDS, min_size=1, max_size=12).map(" ".join)


@settings(max_examples=60, deadline=None)
@given(st.lists(TEXTS, min_size=1, max_size=8), TEXTS)
def test_scores_agree_with_the_formula_written_out(texts, query):
    assert BM25(texts).scores(query) == pytest.approx(naive_bm25(texts, query))


def test_an_empty_collection_and_texts_without_terms_score_nothing():
    assert BM25([]).ranking("aspirin") == []
    assert BM25(["", "the of"]).scores("aspirin").tolist() == [0.0, 0.0]
    assert BM25(["aspirin"]).scores("").tolist() == [0.0]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The patients' treatments", ["patient", "treatment"]),
        ("TNF-α", ["tnf", "alpha"]),
        ("TNFα", ["tnf", "alpha"]),
        ("TNF alpha", ["tnf", "alpha"]),
        ("Sjögren naïve", ["sjogren", "naiv"]),
        ("5 µg", ["5", "mu", "g"]),
        ("\ud800 aspirin \x00", ["aspirin"]),
        ("", []),
    ],
)
def test_text_is_cut_into_terms(text, expected):
    assert terms(text) == expected


def test_more_than_k_passages_are_ranked_for_each_claim_and_cut_and_counted():
    passages = tuple(Passage(text) for text in ("cats purr", "aspirin thins blood", "dogs bark", "aspirin"))
    answer = Answer("1", "x", passages=passages)
    found = GivenPassages(k=2).retrieve([Claim("Aspirin thins the blood."), Claim("Dogs bark.")], [answer, answer])
    assert [passage.text for passage in found[0].passages] == ["aspirin thins blood", "aspirin"]
    assert [passage.text for passage in found[1].passages] == ["dogs bark", "cats purr"]
    assert [retrieval.n_cut for retrieval in found] == [2, 2]


def test_at_most_k_passages_are_all_kept_best_first_and_equal_ones_in_the_given_order():
    passages = tuple(Passage(text, id=str(i)) for i, text in enumerate(("x", "y", "metformin", "z")))
    (found,) = GivenPassages(k=5).retrieve([Claim("Metformin works.")], [Answer("1", "x", passages=passages)])
    assert [passage.id for passage in found.passages] == ["2", "0", "1", "3"]
    assert found.n_cut == 0


def test_the_title_of_a_passage_counts():
    passages = (Passage("it lowers glucose"), Passage("it lowers glucose", title="Metformin"))
    (found,) = GivenPassages(k=1).retrieve([Claim("metformin")], [Answer("1", "x", passages=passages)])
    assert found.passages == (passages[1],)


@pytest.mark.parametrize("passages", [None, ()])
def test_an_answer_without_passages_has_an_honest_empty_search(passages):
    assert GivenPassages().retrieve([Claim("x")], [Answer("1", "x", passages=passages)]) == [Retrieval()]


def test_each_claim_is_ranked_against_its_own_answer():
    first, second = (Answer(str(i), "x", passages=(Passage(f"note {i}"),)) for i in (1, 2))
    found = GivenPassages().retrieve([Claim("note")] * 3, [first, second, first])
    assert [retrieval.passages[0].text for retrieval in found] == ["note 1", "note 2", "note 1"]


def test_none_finds_nothing_and_says_so():
    retriever = NoEvidence()
    assert retriever.signature == "none"
    assert retriever.retrieve([Claim("x"), Claim("y")], [Answer("1", "")] * 2) == [Retrieval(), Retrieval()]


@pytest.mark.parametrize("name", ["passages", "none", "entrez"])
def test_sources_without_an_argument_refuse_one(name):
    with pytest.raises(ValueError, match=f"evidence `{name}` takes no argument, got 'x'"):
        retrievers.create(name, argument="x")


@pytest.mark.parametrize("k", [0, -1, 2.0, True, "5"])
def test_an_impossible_k_is_refused(k):
    with pytest.raises(ValueError, match="`k` must be a whole number of at least 1, got "):
        checked_k(k)


@pytest.mark.parametrize("years", ["2014-2024", "2014–2024", " 2014 : 2024 ", (2014, 2024), [2014, 2024]])
def test_years_are_read_in_all_their_spellings(years):
    assert checked_years(years) == (2014, 2024)


@pytest.mark.parametrize("years", ["2024-2014", "14-24", "", "2014-", (2014,), (2014, "2024"), (True, 2024)])
def test_impossible_years_are_refused(years):
    with pytest.raises(ValueError, match=re.escape(f"got {years!r}")):
        checked_years(years)


class LetterCounts:
    """A real, tiny embedder: unit vectors of letter frequencies."""

    signature = "letters"

    def embed(self, texts):
        counts = np.array([[text.lower().count(chr(97 + i)) + 1e-3 for i in range(26)] for text in texts])
        return (counts / np.linalg.norm(counts, axis=1, keepdims=True)).astype(np.float32)


class SharedWords:
    """A real, tiny cross-encoder: how many words two texts share."""

    def relevance(self, pairs):
        return [len(set(query.split()) & set(text.split())) for query, text in pairs]


def test_an_encoder_is_fused_and_named_in_the_signature():
    passages = tuple(Passage(text) for text in ("bbb ccc", "zzz", "aspirin aspirin"))
    retriever = GivenPassages(k=1, rerank=LetterCounts())
    assert retriever.signature == "passages[k=1,rerank=letters]"
    (found,) = retriever.retrieve([Claim("aspirin")], [Answer("1", "x", passages=passages)])
    assert found.passages == (passages[2],)


def test_a_cross_encoder_scores_each_candidate_of_each_query():
    reranker = as_reranker(SharedWords())
    assert reranker is not None
    first = [np.ones(2), np.ones(0), np.ones(1)]
    scores = reranker.scores(["a b", "c", "d"], [[Passage("a b"), Passage("b")], [], [Passage("x")]], first)
    assert [list(map(float, one)) for one in scores] == [[2.0, 1.0], [], [0.0]]


def test_an_encoder_may_be_given_no_candidates():
    reranker = as_reranker(LetterCounts())
    assert reranker is not None
    assert [len(scores) for scores in reranker.scores(["a"], [[]], [np.zeros(0)])] == [0]
    assert reranker.scores([], [], []) == []


def test_rerankers_of_other_kinds_are_refused():
    with pytest.raises(ValueError, match="`rerank` must be 'none' or 'encoder', got 'bert'"):
        as_reranker("bert")
    with pytest.raises(TypeError, match="`rerank` must have a method `scores`, `embed` or `relevance`, got int"):
        as_reranker(3)
    assert as_reranker("none") is None


@settings(max_examples=50, deadline=None)
@given(st.lists(st.integers(0, 5), min_size=1, max_size=10))
def test_fusing_a_ranking_with_itself_changes_nothing(scores):
    first = np.array(scores, dtype=float)
    assert fused(first, first) == fused(first, None) == sorted(range(len(scores)), key=lambda i: -scores[i])


def test_the_best_window_and_the_whole_are_added_against_the_formula_written_out():
    passages = [
        Passage("Aa bb. Cc dd. Ab ab."),
        Passage("Zz yy. Xx ww."),
        Passage("Aab bba. Ef.", title="Cab"),
        Passage("Abba."),
    ]
    sentences = [["Aa bb.", "Cc dd.", "Ab ab."], ["Zz yy.", "Xx ww."], ["Cab", "Aab bba.", "Ef."], ["Abba."]]
    # Neighbouring sentences make a window; a title stands alone.
    pairs = [[(0, 1), (1, 2)], [(0, 1)], [(1, 2)], []]
    claim = "ab a"
    embed = LetterCounts().embed
    query = embed([claim])[0].astype(float)
    best, whole = [], []
    for texts, neighbours in zip(sentences, pairs, strict=True):
        own = embed(texts).astype(float)
        every = [*own, *((own[i] + own[j]) for i, j in neighbours)]
        best.append(max(float(v @ query) / (float(np.linalg.norm(v)) or 1.0) for v in every))
        whole.append(float(own.sum(axis=0) @ query) / float(np.linalg.norm(own.sum(axis=0))))
    standardised = [(np.array(x) - np.mean(x)) / np.std(x) for x in (best, whole)]
    reranker = as_reranker(LetterCounts())
    assert reranker is not None
    (scores,) = reranker.scores([claim], [passages], [np.zeros(4)])
    assert scores == pytest.approx(standardised[0] + 0.5 * standardised[1])


def test_one_sentence_that_says_it_outranks_much_talk_of_the_topic():
    says = Passage("Zq zq zq. Xy xy. Aspirin heals. Wv wv wv.")
    talks = Passage("Aspirin zq heals. Heals xy aspirin vw. Aspirin u heals zz.")
    reranker = as_reranker(LetterCounts())
    assert reranker is not None
    (scores,) = reranker.scores(["Aspirin heals."], [[talks, says]], [np.zeros(2)])
    assert scores[1] > scores[0]


def test_a_candidate_without_text_is_ranked_and_not_a_failure():
    reranker = as_reranker(LetterCounts())
    assert reranker is not None
    (scores,) = reranker.scores(["aspirin"], [[Passage(""), Passage("Aspirin.")]], [np.zeros(2)])
    assert np.isfinite(scores).all()
    assert scores[1] > scores[0]


def test_vectors_are_computed_once_per_text_and_number_format(fresh_cache):
    class Counted(LetterCounts):
        identity = "1"
        dimension = 26

        def __init__(self):
            self.asked = []

        def embed(self, texts):
            self.asked += texts
            return super().embed(texts)

    encoder = Counted()
    texts = ["aspirin", "", "zinc", "aspirin"]
    expected = LetterCounts().embed(texts)
    for _ in range(2):
        assert np.array_equal(KeptVectors(encoder, "fp32").embed(texts), expected)
    assert encoder.asked == ["aspirin", "", "zinc"]
    assert np.array_equal(KeptVectors(encoder, "bf16").embed(texts[:1]), expected[:1])
    assert encoder.asked == ["aspirin", "", "zinc", "aspirin"]
    assert KeptVectors(encoder, "fp32").embed([]).shape == (0, 26)


def test_the_embedded_encoder_reranks_passages_in_the_precision_that_was_asked_for(fresh_cache):
    passages = (
        Passage("Aspirin tablets are white and round, and aspirin is sold in boxes of twenty."),
        Passage("Acetylsalicylic acid made heart attacks less frequent."),
        Passage("The library opens at nine."),
    )
    retriever = GivenPassages(k=1, rerank="encoder", precision="fp32")
    assert retriever.signature == "passages[k=1,rerank=fas-encoder-mini@1]"
    (found,) = retriever.retrieve([Claim("Aspirin prevents heart attacks.")], [Answer("1", "x", passages=passages)])
    assert found.passages == (passages[1],)
    assert len(Cache("encoder")) == 4
