"""What the verifier may be trained on, on small sets written here."""

from __future__ import annotations

import gzip
import json

import pytest

from recipes.verifier import public


@pytest.fixture
def sets(tmp_path):
    """Sets that measure, and one set `own` to train on."""

    def write(path: str, *rows: tuple[str, str, str, str]) -> None:
        file = tmp_path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        with gzip.open(file, "wt", encoding="utf-8") as lines:
            for premise, hypothesis, label, split in rows:
                row = {"premise": premise, "hypothesis": hypothesis, "label": label, "split": split}
                lines.write(json.dumps(row) + "\n")

    write(
        "train/snli_devtest/snli_devtest.jsonl.gz",
        ("A dog runs.", "It moves.", "entailment", "snli_test"),
        ("A cat sleeps.", "It rests.", "entailment", "snli_dev"),
    )
    write(
        "train/ling_in_loop/ling_in_loop.jsonl.gz",
        ("The bill passed.", "It was law.", "neutral", "val"),
        ("The bill failed.", "It was law.", "contradiction", "train"),
    )
    write(
        "train/own/own.jsonl.gz",
        ("a dog RUNS!", "An animal is here.", "entailment", ""),
        ("A cat sleeps.", "It is awake.", "contradiction", ""),
        ("The bill, passed", "They voted.", "entailment", ""),
        ("The bill failed.", "They voted.", "entailment", ""),
        ("Masks help.", "Masks work.", "entailment", ""),
        ("masks help", "Masks WORK", "entailment", ""),
    )
    return tmp_path


def _premises(sets) -> list[str]:
    return sorted(pair.premise for pair in public.load(sets / "train", (public.Source("own/own.jsonl.gz"),), seed=1))


def test_a_pair_with_a_premise_of_a_set_that_measures_is_dropped_however_it_is_written(sets):
    # Of the sets that measure, only the parts that do: SNLI dev and the train part of the other stay.
    assert _premises(sets) == ["A cat sleeps.", "Masks help.", "The bill failed."]


def test_the_sentences_of_healthver_are_dropped_where_the_evaluation_data_are_there(sets):
    file = sets / "eval/healthver_test/healthver_test_pairs.jsonl.gz"
    file.parent.mkdir(parents=True)
    with gzip.open(file, "wt", encoding="utf-8") as lines:
        lines.write(json.dumps({"premise": "Masks help.", "hypothesis": "Masks cure.", "label": "neutral"}) + "\n")
    assert _premises(sets) == ["A cat sleeps.", "The bill failed."]


def test_no_pair_of_the_real_sets_shares_a_premise_with_snli_test_or_the_reported_part_of_ling_in_the_loop(shared_data):
    measured = public.measured_premises(shared_data / "train")
    assert len(measured) > 4000
    pairs = public.load(shared_data / "train", (public.Source("mnli_dev/mnli_dev.jsonl.gz"),), seed=1)
    assert len(pairs) > 10_000
    assert not any(public.normalised(pair.premise) in measured for pair in pairs)
