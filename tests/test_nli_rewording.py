"""Hypotheses with words replaced by the nearest in the embedding table."""

from __future__ import annotations

import random
import re

import numpy as np
import pytest
from safetensors.numpy import load_file

from fas.models.paths import model_folder


@pytest.fixture(scope="module")
def rewording(nli_script):
    return nli_script("rewording")


@pytest.mark.parametrize("word", ["three", "large", "never", "increase", "doctor"])
def test_the_nearest_words_are_those_of_the_highest_cosine(rewording, word):
    from transformers import AutoTokenizer

    folder = model_folder("fas-encoder-mini")
    table = load_file(folder / "model.safetensors")["embeddings.word_embeddings.weight"].astype(np.float64)
    vocabulary = AutoTokenizer.from_pretrained(folder).get_vocab()
    own = table[vocabulary[word]]

    def cosine(other: str) -> float:
        vector = table[vocabulary[other]]
        return float(own @ vector / np.linalg.norm(own) / np.linalg.norm(vector))

    whole = [w for w in vocabulary if w != word and len(w) >= 3 and re.fullmatch("[a-z]+", w)]
    best = sorted(whole, key=cosine, reverse=True)[: rewording.N_NEAREST]
    assert list(rewording.nearest_words()[word]) == best


def test_as_many_words_as_asked_are_replaced_each_by_one_near_to_it_and_its_capital_kept(rewording):
    sentence = "Three large dogs, never tired, were walking (slowly) with the doctor in 2019."
    old = re.findall(r"[A-Za-z]+|[^A-Za-z]+", sentence)
    rng = random.Random(4)
    for n in (1, 2, 5) * 20:
        new = re.findall(r"[A-Za-z]+|[^A-Za-z]+", rewording.reworded(sentence, n, rng))
        changed = [(a, b) for a, b in zip(old, new, strict=True) if a != b]
        assert len(changed) == n
        for before, after in changed:
            assert after.lower() in rewording.nearest_words()[before.lower()]
            assert after[0].isupper() == before[0].isupper()
            assert before not in {"were", "with", "the"}


@pytest.mark.parametrize("sentence", ["", "Is it 5?", "the and for", "Dogs"])
def test_a_sentence_with_too_few_words_to_replace_is_left_out(rewording, sentence):
    assert rewording.reworded(sentence, 2, random.Random(1)) is None
    made = rewording.reworded_pairs([rewording.Pair("A.", sentence, 0)], 3, random.Random(1))
    assert all(sentence == "Dogs" and pair.hypothesis != "Dogs" for pair in made)


def test_reworded_pairs_keep_their_premise_have_no_label_and_are_the_same_for_the_same_seed(rewording):
    pairs = [rewording.Pair(f"Premise {n}.", f"Doctor number {n} never increases the dose.", n % 3) for n in range(40)]
    made = rewording.reworded_pairs(pairs, 3, random.Random(9))
    assert len(made) == 120
    assert sorted(pair.premise for pair in made) == sorted(pair.premise for pair in pairs for _ in range(3))
    assert {pair.label for pair in made} == {rewording.UNLABELLED}
    assert not {pair.hypothesis for pair in made} & {pair.hypothesis for pair in pairs}
    assert made == rewording.reworded_pairs(pairs, 3, random.Random(9))
    assert made != rewording.reworded_pairs(pairs, 3, random.Random(10))
