"""Pairs of claims that experts checked, and of near misses: a window has the label of what it holds."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

ENTAILMENT, NEUTRAL, CONTRADICTION, NOT_ENTAILMENT = range(4)
N = 60


@pytest.fixture(scope="module")
def experts(nli_script):
    return nli_script("experts")


def write(path: Path, rows: list[dict[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with gzip.open(path, "wt", encoding="utf-8") as lines:
        lines.writelines(json.dumps(row) + "\n" for row in rows)


@pytest.fixture
def root(tmp_path):
    """Sixty abstracts of five sentences whose third settles their claim; every other claim is contradicted."""
    abstracts = [[f"Sentence {i} of study {n} tells nothing." for i in range(5)] for n in range(N)]
    for n, sentences in enumerate(abstracts):
        sentences[2] = f"Drug {n} lowered the pressure of study {n}."
    folder = tmp_path / "train"
    corpus = [{"doc_id": n, "title": "", "abstract": sentences} for n, sentences in enumerate(abstracts)]
    write(folder / "scifact/corpus.jsonl.gz", corpus)
    claims = [
        {"claim_id": n, "doc_id": n, "premise": " ".join(abstracts[n]), "hypothesis": f"Drug {n} works.",
         "label": "contradiction" if n % 2 else "entailment", "evidence_sets": [[2]]}
        for n in range(N)
    ]  # fmt: skip
    write(folder / "scifact/claims_train_pairs.jsonl.gz", claims)
    return folder


def test_a_window_with_the_marked_sentence_has_the_claims_label_and_others_are_neutral(experts, root):
    pairs = experts.scifact_pairs(root, seed=1)
    assert pairs
    for pair in pairs:
        n = int(pair.hypothesis.split()[1])
        if f"Drug {n} lowered" in pair.premise:
            assert pair.label == (CONTRADICTION if n % 2 else ENTAILMENT)
            assert pair.weight == 1.0
        else:
            assert (pair.label, pair.weight) == (NEUTRAL, experts.UNMARKED_WEIGHT)


def test_three_fifths_of_the_claims_train_and_the_others_are_the_calibrators(experts, root, nli_script):
    trained = {pair.hypothesis for pair in experts.scifact_pairs(root, seed=1)}
    kept = {item.hypothesis for item in nli_script("tasks").scifact(root.parent) if not experts.trains(item.group)}
    assert trained | kept == {f"Drug {n} works." for n in range(N)}
    assert not trained & kept
    assert 0.4 < len(trained) / N < 0.8


def test_of_citations_only_the_train_part_trains(experts, tmp_path):
    text = "We measured the weight. The drug lowered the weight of all mice. Nothing else changed."
    rows = [
        {"premise": text, "hypothesis": f"The drug makes mice of group {split} lighter <|cit|>.", "label": "entailment",
         "rationale": "The drug lowered the weight of all mice.", "split": split}
        for split in ("train", "dev", "test")
    ]  # fmt: skip
    write(tmp_path / "citation_integrity/citint_pairs.jsonl.gz", rows)
    pairs = experts.citation_pairs(tmp_path, seed=1)
    assert {pair.hypothesis for pair in pairs} == {"The drug makes mice of group train lighter ."}
    for pair in pairs:
        assert pair.label == (ENTAILMENT if "lowered the weight" in pair.premise else NEUTRAL)


@pytest.mark.parametrize(
    ("title", "names_a_topic"),
    [
        ("Effect of zinc on the length of colds in children", True),
        ("The association between coffee and gout: a cohort study", True),
        ("Zinc shortens colds in children", False),
        ("Does zinc shorten colds?", False),
    ],
)
def test_a_title_that_names_a_topic_is_told_from_one_that_says_what_was_found(nli_script, title, names_a_topic):
    assert nli_script("aims").is_topic(title) is names_a_topic


def test_a_near_miss_is_found_and_lacks_the_claims_own_name(nli_script, tmp_path):
    misses, documents = nli_script("near_misses"), []
    names = ("Aldoxin", "Bemulat", "Cerovir", "Dextamol", "Elurone", "Fentavir", "Gaboxin", "Helotrip")
    for n, name in enumerate(names):
        sentence = f"{name} reduced the duration of severe headache in adults with chronic migraine after surgery."
        abstract = ["We ran a trial of many adults at two sites.", sentence]
        documents.append({"doc_id": n, "title": "A trial", "abstract": abstract})
    write(tmp_path / "scifact/corpus.jsonl.gz", documents)
    write(tmp_path / "scifact/claims_train_pairs.jsonl.gz", [])
    write(tmp_path / "evidence_inference/abstracts.jsonl.gz", [])
    write(tmp_path / "check_covid/check_covid.jsonl.gz", [])
    write(tmp_path / "clinifact/clinifact_pairs.jsonl.gz", [])
    found = misses.near_misses(tmp_path, 20, seed=3)
    assert found
    for claim, source, miss in found:
        own = next(name for name in names if name in claim)
        assert own in source
        assert own not in miss
    for pair in misses.near_miss_pairs(tmp_path, 20, seed=3):
        own = next(name for name in names if name in pair.hypothesis)
        assert (pair.label == NEUTRAL) is (own not in pair.premise)
