"""What a teacher said of general pairs, kept under a hash of each pair."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest


@pytest.fixture(scope="module")
def judged(nli_script):
    return nli_script("judged")


def test_pairs_without_a_label_join_hypotheses_of_one_premise_or_are_turned_round(judged):
    general = [
        judged.Pair("A man walks a dog.", "A man is outside.", 0),
        judged.Pair("A man walks a dog.", "A man sleeps.", 2),
        judged.Pair("Rain fell. " * 100, "It was wet.", 0),  # too long to be a hypothesis
    ]
    found = judged.unlabelled_pairs(general, 3, random.Random(1))
    siblings, turned = found[:2], found[2:]
    assert {(p.premise, p.hypothesis) for p in siblings} == {
        ("A man is outside.", "A man sleeps."),
        ("A man sleeps.", "A man is outside."),
    }
    assert [p.hypothesis for p in turned] == ["A man walks a dog."]
    assert all(p.label == judged.UNLABELLED for p in found)


def test_what_was_said_is_found_again_by_the_pair(judged, tmp_path):
    pairs = [judged.Pair(f"The dose was {n} mg.", "The dose was 3 mg.", n % 3) for n in range(20)]
    p = np.random.default_rng(1).dirichlet([0.3, 0.3, 0.3], 20)
    said = judged.Judged("a teacher")
    said.add(pairs, p)
    said.write(tmp_path / "judged.npz")
    assert [file.name for file in tmp_path.iterdir()] == ["judged.npz"]
    again = judged.Judged.read(tmp_path / "judged.npz")
    assert again.teacher == "a teacher"
    for pair, own in zip(pairs, p, strict=True):
        assert pair in again
        taught = again.taught(pair)
        # to a step of 1/255 for each of two classes
        assert taught.taught == pytest.approx(own, abs=1.01 / 255)
        assert sum(taught.taught) == pytest.approx(1)
        assert min(taught.taught) >= 0
        assert (taught.premise, taught.hypothesis, taught.label) == (pair.premise, pair.hypothesis, pair.label)


def test_a_pair_that_was_not_judged_stays_as_it_is(judged):
    said = judged.Judged("a teacher")
    pair = judged.Pair("The dose was 3 mg.", "The dose was 4 mg.", 2)
    said.add([pair], np.array([[0.1, 0.2, 0.7]]))
    turned = judged.Pair(pair.hypothesis, pair.premise, 2)
    assert turned not in said
    assert said.taught(turned) is turned


def test_the_pool_holds_each_pair_once_and_no_premise_of_a_set_that_measures(judged, shared_data):
    data = shared_data / "train"
    pool = judged.general_pool(data)
    texts = [(pair.premise, pair.hypothesis) for pair in pool]
    assert len(set(texts)) == len(texts) > 150_000
    assert len({judged.key(pair) for pair in pool}) == len(pool)
    forbidden = judged.measured_premises(data)
    assert not any(judged.normalised(pair.premise) in forbidden for pair in pool)
    labelled = {(p.premise, p.hypothesis): p.label for p in judged.load(data, judged.MULTINLI, seed=1)}
    assert sum(pair.label != judged.UNLABELLED for pair in pool) > 80_000
    # MultiNLI comes first, and what has a label keeps it.
    assert [labelled.get(text) for text in texts[: len(labelled)]] == [pair.label for pair in pool[: len(labelled)]]


def test_the_general_stage_takes_what_the_teacher_said(judged, nli_script, shared_data):
    train = nli_script("train")
    data = shared_data / "train"
    pool = judged.general_pool(data)
    labelled = next(pair for pair in pool if pair.label != judged.UNLABELLED)
    made = next(pair for pair in pool if pair.label == judged.UNLABELLED)
    said = judged.Judged("a teacher")
    said.add([labelled, made], np.array([[0.2, 0.2, 0.6], [1.0, 0.0, 0.0]]))
    plain = {(p.premise, p.hypothesis): p for p in train.stage_pairs(data, "general", 5)}
    taught = {(p.premise, p.hypothesis): p for p in train.stage_pairs(data, "general", 5, judged=said)}
    assert (made.premise, made.hypothesis) not in plain
    assert taught[made.premise, made.hypothesis].taught == pytest.approx((1.0, 0.0, 0.0))
    own = taught[labelled.premise, labelled.hypothesis]
    assert own.taught == pytest.approx((0.2, 0.2, 0.6))
    assert own.label == labelled.label
    assert all(pair.taught is None for pair in plain.values())
    assert sum(pair.taught is not None for pair in taught.values()) == 2


def test_what_is_kept_with_the_project_is_of_pairs_that_can_be_made_again(judged, shared_data):
    kept = judged.Judged.read(Path(judged.__file__).with_name("judged.npz"))
    pool = judged.general_pool(shared_data / "train")
    found = [pair for pair in pool if pair in kept]
    assert len(found) == len(kept.said) > 30_000
    # What the teacher says most often agrees with a label, where there is one.
    taught = [kept.taught(pair) for pair in found if pair.label in (0, 1, 2)]
    right = np.mean([np.argmax(pair.taught) == pair.label for pair in taught])
    assert 0.8 < right < 0.95
