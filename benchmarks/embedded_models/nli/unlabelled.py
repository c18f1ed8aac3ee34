"""Biomedical pairs that nobody has labelled, for a teacher to judge: what a verifier reads, sentences beside sentences.

A claim of an abstract stands beside a window of the same abstract that it does not come from, and beside the window of
another one that a search brings; a sentence of a stored answer beside what other answers to the question say, and beside
an abstract. Abstracts that measure or calibrate are left out, and so are answers to the questions of K-QA's physicians.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

from benchmarks.embedded_models.nli.abstracts import Document, documents, sentences_of
from benchmarks.embedded_models.nli.data import MAX_HYPOTHESIS, UNLABELLED, Pair, read_jsonl
from benchmarks.embedded_models.nli.perturb import claims_of

from fas.evidence.bm25 import BM25

_ANSWERS = "eval/medlfqa/predictions/model_samples.jsonl.gz"
_LEFT_OUT = "kqa_golden"
_CLAIMS_A_DOCUMENT = 4
_SENTENCES_A_QUESTION = 14


def _readable(sentence: str) -> bool:
    return 40 < len(sentence) < 300 and sentence[-1] == "." and sentence[0].isupper()


def _window(sentences: tuple[str, ...], place: int, rng: random.Random) -> str:
    """The sentence at *place*, half of the time with the next one, as a verifier reads them."""
    return " ".join(sentences[place : place + rng.choice((1, 2))])


class Search:
    """The windows of *pool* that come nearest to a claim."""

    def __init__(self, pool: list[Document], rng: random.Random) -> None:
        self.told = [(d, i) for d in pool for i, text in enumerate(d.sentences) if 50 < len(text) < 400]
        self.index, self.rng = BM25([d.sentences[i] for d, i in self.told]), rng

    def __call__(self, claim: str, besides: str = "") -> str:
        """One of the first three that is not of the document called *besides*."""
        found = [self.told[n] for n in self.index.ranking(claim)[:12]]
        document, place = self.rng.choice([(d, i) for d, i in found if d.id != besides][:3] or found)
        return _window(document.sentences, place, self.rng)


def of_abstracts(pool: list[Document], near: Search, rng: random.Random) -> Iterator[tuple[str, str]]:
    """Claims of each of *pool* beside a window of its own abstract and beside one of another."""
    for document in pool:
        own = [source for source in claims_of(document) if not source.design and len(source.claim) <= MAX_HYPOTHESIS]
        for source in rng.sample(own, min(_CLAIMS_A_DOCUMENT, len(own))):
            others = [i for i in range(len(document.sentences)) if i not in (source.index, source.index - 1)]
            # A conclusion stands late, and says again what the results say.
            others = others[len(others) // 2 :] if rng.random() < 0.6 else others
            if others:
                yield _window(document.sentences, rng.choice(others), rng), source.claim
            yield near(source.claim, document.id), source.claim


def of_answers(file: Path, near: Search, rng: random.Random) -> Iterator[tuple[str, str]]:
    """Sentences of stored answers beside what other answers to the question say, and beside an abstract."""
    told: dict[str, list[tuple[int, str]]] = {}
    for n, row in enumerate(read_jsonl(file)):
        if row["dataset"] != _LEFT_OUT:
            kept = [(n, s) for s in sentences_of(str(row["answer"])[:1500]) if _readable(s)]
            told.setdefault(str(row["question"]), []).extend(kept)
    for sentences in told.values():
        sentences = list({text: (n, text) for n, text in sentences}.values())
        index = BM25([text for _, text in sentences]) if sentences else None
        for n, claim in rng.sample(sentences, min(_SENTENCES_A_QUESTION, len(sentences))):
            assert index is not None
            others = [sentences[i][1] for i in index.ranking(claim)[:10] if sentences[i][0] != n][:3]
            if others:
                yield rng.choice(others), claim
            if rng.random() < 0.5:
                yield near(claim), claim


def unlabelled_pairs(data: Path, *, seed: int) -> list[Pair]:
    """All of them in random order; *data* is the folder of the development data, above `train`."""
    rng = random.Random(f"unlabelled:{seed}")
    pool = documents(data / "train", "train")
    near = Search(pool, rng)
    found = list(of_abstracts(pool, near, rng))
    if (data / _ANSWERS).exists():
        found += of_answers(data / _ANSWERS, near, rng)
    pairs = [Pair(premise, claim, UNLABELLED) for premise, claim in dict.fromkeys(found) if premise != claim]
    rng.shuffle(pairs)
    return pairs
