"""Hypotheses with a word or two replaced by others of their kind, for a teacher to judge.

Few labelled pairs of many kinds of text can be had, and a small model knows them by heart before it has learned what
the teacher would say of others. Replacing words of a sentence by the nearest in an embedding table makes others that
differ in what matters: "three" becomes "four", "large" becomes "huge" or "small" (data augmentation of TinyBERT: Jiao et
al. 2020). Nobody knows the label of the result; only a teacher can say.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from safetensors.numpy import load_file

from data import UNLABELLED, Pair
from fas.models.paths import model_folder

# A word is replaced by one of so many.
N_NEAREST = 12
MIN_LETTERS = 3
# Of the sentences, those with two words replaced.
TWO_WORDS = 0.4

_WORD = re.compile(r"[A-Za-z]+")
# What stands nearest to these is another of them, and the sentence is none any more.
_LEFT_ALONE = frozenset({"and", "are", "for", "that", "the", "was", "were", "with", "you"})


@lru_cache(maxsize=1)
def nearest_words() -> dict[str, tuple[str, ...]]:
    """For each whole word of the embedding table, lower case: the nearest others by cosine, nearest first."""
    from transformers import AutoTokenizer

    folder = model_folder("fas-encoder-mini")
    table = load_file(folder / "model.safetensors")["embeddings.word_embeddings.weight"].astype(np.float64)
    vocabulary = AutoTokenizer.from_pretrained(folder).get_vocab()
    words = sorted(word for word in vocabulary if len(word) >= MIN_LETTERS and word.isascii() and word.isalpha())
    vectors = table[[vocabulary[word] for word in words]]
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    found = {}
    for start in range(0, len(words), 1000):
        cosines = vectors[start : start + 1000] @ vectors.T
        for word, row in zip(words[start:], cosines, strict=False):
            nearest = np.argpartition(-row, N_NEAREST)[: N_NEAREST + 1].tolist()
            nearest.sort(key=lambda i: (-row[i], i))
            found[word] = tuple(words[i] for i in nearest if words[i] != word)[:N_NEAREST]
    return found


def reworded(sentence: str, n: int, rng: random.Random) -> str | None:
    """*sentence* with *n* of its words replaced, or None if it has not so many that can be."""
    nearest = nearest_words()
    places = [
        match for match in _WORD.finditer(sentence) if (word := match[0].lower()) in nearest and word not in _LEFT_ALONE
    ]
    if len(places) < n:
        return None
    for match in sorted(rng.sample(places, n), key=lambda m: m.start(), reverse=True):
        word = rng.choice(nearest[match[0].lower()])
        word = word.capitalize() if match[0][0].isupper() else word
        sentence = sentence[: match.start()] + word + sentence[match.end() :]
    return sentence


def reworded_pairs(pairs: Sequence[Pair], n: int, rng: random.Random) -> list[Pair]:
    """*n* times each of *pairs* with its hypothesis reworded, as pairs without a label, in random order."""
    made = [
        Pair(pair.premise, sentence, UNLABELLED)
        for pair in pairs
        for _ in range(n)
        if (sentence := reworded(pair.hypothesis, 1 + (rng.random() < TWO_WORDS), rng)) is not None
    ]
    rng.shuffle(made)
    return made
