"""Given passages, BM25 in memory, reranking and options."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fas.core.cache import Cache
from fas.core.records import Answer, Claim, Passage, Retrieval
from fas.evidence.given import GivenPassages
from fas.evidence.options import check_years
from fas.evidence.rerank import fuse_ranks, make_reranker
from fas.evidence.terms import terms
from fas.text.bm25 import BM25


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
    assert BM25(texts, analyse=terms).scores(query) == pytest.approx(naive_bm25(texts, query))


@pytest.mark.parametrize("passages", [None, ()])
def test_an_answer_without_passages_has_an_honest_empty_search(passages):
    assert GivenPassages().retrieve([Claim("x")], [Answer("1", "x", passages=passages)]) == [Retrieval()]


def test_each_claim_is_ranked_against_its_own_answer():
    first, second = (Answer(str(i), "x", passages=(Passage(f"note {i}"),)) for i in (1, 2))
    found = GivenPassages().retrieve([Claim("note")] * 3, [first, second, first])
    assert [retrieval.passages[0].text for retrieval in found] == ["note 1", "note 2", "note 1"]


@pytest.mark.parametrize("years", ["2014-2024", "2014–2024", " 2014 : 2024 ", (2014, 2024), [2014, 2024]])
def test_years_are_read_in_all_their_spellings(years):
    assert check_years(years) == (2014, 2024)


class LetterCounts:
    """A real, tiny embedder: unit vectors of letter frequencies."""

    signature = "letters"

    def embed(self, texts):
        counts = np.array([[text.lower().count(chr(97 + i)) + 1e-3 for i in range(26)] for text in texts])
        return (counts / np.linalg.norm(counts, axis=1, keepdims=True)).astype(np.float32)


def test_an_encoder_is_fused_and_named_in_the_signature():
    passages = tuple(Passage(text) for text in ("bbb ccc", "zzz", "aspirin aspirin"))
    retriever = GivenPassages(k=1, rerank=LetterCounts())
    assert retriever.signature == "passages[k=1,rerank=letters]"
    (found,) = retriever.retrieve([Claim("aspirin")], [Answer("1", "x", passages=passages)])
    assert found.passages == (passages[2],)


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
    reranker = make_reranker(LetterCounts())
    assert reranker is not None
    (scores,) = reranker.scores([claim], [passages], [np.zeros(4)])
    assert scores == pytest.approx(standardised[0] + 0.5 * standardised[1])


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


@settings(max_examples=50, deadline=None)
@given(st.lists(st.integers(0, 5), min_size=1, max_size=10))
def test_fusing_a_ranking_with_itself_changes_nothing(scores):
    first = np.array(scores, dtype=float)
    assert fuse_ranks(first, first) == fuse_ranks(first, None) == sorted(range(len(scores)), key=lambda i: -scores[i])
