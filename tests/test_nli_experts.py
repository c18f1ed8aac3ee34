"""Training pairs made of claims that experts checked, from a small data folder written for the purpose."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

ZINC = ["Colds are common.", "Zinc shortened colds by a day.", "Nausea was more frequent with zinc.", "Taste changed."]
HONEY = "Coughs disturb sleep. Honey was given to 40 children. Honey eased coughing at night. No child was harmed."
MASKS = "Masks were worn by all. Infections fell by half where masks were worn. Schools stayed open."


def write(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with gzip.open(path, "wt", encoding="utf-8") as lines:
        lines.writelines(json.dumps(row) + "\n" for row in rows)


def scifact_row(claim_id: int, claim: str, label: str, evidence: list[list[int]]) -> dict[str, Any]:
    row = {"premise": " ".join(ZINC), "hypothesis": claim, "label": label}
    return row | {"claim_id": claim_id, "doc_id": 7, "evidence_sets": evidence}


def covid_row(claim: str, text: str, label: str, level: str, split: str) -> dict[str, str]:
    return {"premise": text, "hypothesis": claim, "label": label, "level": level, "split": split}


@pytest.fixture(scope="module")
def experts(nli_script):
    return nli_script("experts")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    write(tmp_path / "train/scifact/corpus.jsonl.gz", [{"doc_id": 7, "abstract": ZINC}])
    write(
        tmp_path / "train/scifact/claims_train_pairs.jsonl.gz",
        [
            scifact_row(1, "Zinc makes colds longer.", "contradiction", [[1]]),
            scifact_row(2, "Zinc changes taste and causes nausea.", "entailment", [[2, 3]]),
            scifact_row(3, "Zinc is a metal.", "neutral", []),
        ],
    )
    eased, fell = "Honey eased coughing at night.", "Infections fell by half where masks were worn."
    write(
        tmp_path / "train/check_covid/check_covid.jsonl.gz",
        [
            covid_row("Honey helps with a cough.", HONEY, "entailment", "abstract", "train"),
            covid_row("Honey helps with a cough.", eased, "entailment", "evidence", "train"),
            covid_row("Masks do nothing.", MASKS, "contradiction", "abstract", "train"),
            covid_row("Masks do nothing.", fell, "contradiction", "evidence", "train"),
            covid_row("Masks prevent infections.", MASKS, "entailment", "abstract", "dev"),
            covid_row("Masks prevent infections.", fell, "entailment", "evidence", "dev"),
            covid_row("Bees like masks.", MASKS, "neutral", "abstract", "train"),
            covid_row("Bees like masks.", "Something else entirely.", "neutral", "evidence", "train"),
        ],
    )
    return tmp_path


def test_a_window_with_all_of_the_evidence_has_the_label_and_one_with_none_is_neutral(experts, data):
    found = [pair for pair, _ in experts.expert_pairs(data) if pair.hypothesis == "Zinc makes colds longer."]
    assert {pair.label for pair in found} == {1, 2}
    assert all((ZINC[1] in pair.premise) is (pair.label == 2) for pair in found)
    assert all(pair.weight == (1.0 if pair.label == 2 else 0.5) for pair in found)


def test_a_window_with_a_part_of_the_evidence_is_left_out_and_the_evidence_itself_is_a_premise(experts, data):
    claim = "Zinc changes taste and causes nausea."
    found = [pair for pair, _ in experts.expert_pairs(data) if pair.hypothesis == claim]
    assert f"{ZINC[2]} {ZINC[3]}" in [pair.premise for pair in found if pair.label == 0]
    for pair in found:
        assert (ZINC[2] in pair.premise) == (ZINC[3] in pair.premise)


def test_windows_for_a_claim_that_nothing_settles_are_neutral_at_full_weight(experts, data):
    found = [pair for pair, _ in experts.expert_pairs(data) if pair.hypothesis == "Zinc is a metal."]
    assert found
    assert {(pair.label, pair.weight) for pair in found} == {(1, 1.0)}


def test_a_claim_of_check_covid_comes_with_the_sentence_that_settles_it_and_only_where_the_abstract_holds_it(
    experts, data
):
    found = list(experts.check_covid_claims(data, "train"))
    assert [(item.claim, item.label, item.evidence) for item in found] == [
        ("Honey helps with a cough.", 0, (("Honey eased coughing at night.",),)),
        ("Masks do nothing.", 2, (("Infections fell by half where masks were worn.",),)),
    ]
    assert [item.claim for item in experts.check_covid_claims(data, "dev")] == ["Masks prevent infections."]
