"""Pairs of aims, denials and exchanged conditions; what a calibrator's turns do to its probabilities."""

from __future__ import annotations

import json
from collections import Counter

import numpy as np
import pytest

from fas.models.paths import model_folder
from fas.verify.calibrator import TURNING, Calibrator
from fas.verify.features import FEATURES

ENTAILMENT, NEUTRAL, CONTRADICTION, NOT_ENTAILMENT = range(4)


@pytest.fixture(scope="module")
def aims(nli_script):
    return nli_script("aims")


@pytest.mark.parametrize(
    ("claim", "asked"),
    [
        ("Smoking is associated with gout in older men.", "Is smoking associated with gout in older men?"),
        ("Zinc reduces the length of colds in children.", "Does zinc reduce the length of colds in children?"),
        ("The vaccine prevented most infections in adults.", "Did the vaccine prevent most infections in adults?"),
    ],
)
def test_a_claim_as_a_question(aims, claim, asked):
    assert aims.question(claim) == asked


def test_what_a_sentence_asks_after_is_the_clause_behind_whether(aims):
    sentence = "We investigated whether aspirin at low doses reduces the risk of stroke in women, using registry data."
    assert list(aims.asked_clauses(sentence)) == ["Aspirin at low doses reduces the risk of stroke in women."]
    assert list(aims.asked_clauses("Aspirin reduces the risk of stroke in women.")) == []


def test_only_what_was_asked_is_neutral_and_what_was_found_decides(aims, shared_data):
    pairs = aims.aim_pairs(shared_data / "train", 3000, seed=3, split="dev")
    assert pairs == aims.aim_pairs(shared_data / "train", 3000, seed=3, split="dev")
    labels = Counter(pair.label for pair in pairs)
    assert set(labels) == {ENTAILMENT, NEUTRAL, CONTRADICTION}
    assert 0.5 < labels[NEUTRAL] / len(pairs) < 0.8
    for pair in pairs:
        if pair.premise.startswith(("We found that", "CONCLUSION:", "In conclusion,", "The trial demonstrated")):
            assert pair.label in (ENTAILMENT, CONTRADICTION), pair


@pytest.mark.slow
def test_documents_of_the_dev_part_make_no_training_pair(aims, shared_data):
    train = {pair.hypothesis for pair in aims.aim_pairs(shared_data / "train", 10**6, seed=3)}
    dev = {pair.hypothesis for pair in aims.aim_pairs(shared_data / "train", 3000, seed=3, split="dev")}
    assert len(train & dev) / len(dev) < 0.01


def test_a_denial_comes_with_every_label(nli_script):
    pairs = nli_script("negations").negation_pairs(3000, seed=5)
    denied = [pair for pair in pairs if " not " in pair.hypothesis]
    shares = Counter(pair.label for pair in denied)
    assert min(shares[label] for label in (ENTAILMENT, NEUTRAL, CONTRADICTION)) > 0.15 * len(denied)


def test_each_form_of_a_denial_has_what_follows_what_is_ruled_out_and_what_is_open(nli_script):
    negations = nli_script("negations")
    for form in negations.WORDS["forms"]:
        assert list(form) == ["passages", "entailment", "contradiction", "neutral"]
        told = [text for part in form.values() for text in part]
        assert len(told) == len(set(told)), form["passages"][0]
        assert all(form.values())


def test_another_drug_or_disease_is_never_support(nli_script):
    qualifiers = nli_script("qualifiers")
    for form in qualifiers.WORDS["forms"]:
        passage = form["passage"]
        for claim, label in form["claims"]:
            for name in ("{b}", "{h}", "{f}"):
                if name in claim and name not in passage and name.upper() not in passage:
                    assert label in ("neutral", "not_entailment"), (passage, claim)


def test_a_condition_that_the_passage_lacks_is_neutral(nli_script, shared_data):
    qualifiers = nli_script("qualifiers")
    added = [text for texts in qualifiers.WORDS["added"].values() for text in texts]
    pairs = qualifiers.qualified_pairs(shared_data / "train", 800, seed=2)
    assert len(pairs) > 300
    for pair in pairs:
        ends = [text for text in added if pair.hypothesis.endswith(f" {text}.")]
        assert ends, pair
        has = any(text in pair.premise for text in ends)
        assert (pair.label in (NEUTRAL, NOT_ENTAILMENT)) == (not has), pair


def test_the_blind_sets_have_the_sizes_and_labels_that_are_told(nli_script):
    blind = nli_script("blind")
    sizes = {kind: len(blind.blind_by_hand(kind)) for kind in ("aims", "negations", "qualifiers", "topics")}
    assert sizes == {"aims": 60, "negations": 100, "qualifiers": 50, "topics": 34}
    forms = {text for form in nli_script("negations").WORDS["forms"] for part in form.values() for text in part}
    own = {item.premise.rstrip(".").lower() for item in blind.blind_by_hand("negations")}
    assert not own & forms


def test_the_blind_sets_of_pubmedqa_are_made_of_abstracts_that_no_document_shares(nli_script, shared_data):
    blind, abstracts, data = nli_script("blind"), nli_script("abstracts"), nli_script("data")
    aims, directions = blind.aims_pubmedqa(shared_data), blind.directions_pubmedqa(shared_data)
    assert len(aims) == 300
    assert {item.label for item in aims} == {"neutral"}
    assert Counter(item.label for item in directions) == {"entailment": 100, "contradiction": 100}
    titles = {
        data.normalised(document.sentences[0]) for document in abstracts.documents(shared_data / "train", "train")
    }
    shared = [item for item in aims if data.normalised(abstracts.sentences_of(item.premise)[0]) in titles]
    assert len(shared) <= 3


def calibrator(turns=None):
    kept = json.loads((model_folder("fas-nli-base") / "calibrator.json").read_text())
    own = {key: np.asarray(kept[key]) for key in ("mean", "scale", "coefficients", "intercept")}
    return Calibrator(**own, turns=turns)


def test_turns_carry_each_side_to_the_threshold_and_keep_its_order():
    rng = np.random.default_rng(1)
    mean, scale = calibrator().mean, calibrator().scale
    rows = (mean + scale * rng.normal(size=(400, len(FEATURES))) * 2).tolist()
    plain = np.array(calibrator().predict(rows))
    bent = np.array(calibrator((0.55, 0.4)).predict(rows))
    assert np.allclose(bent.sum(axis=1), 1)
    assert bent.min() >= 0
    one_sided = (plain[:, 0] < 0.3) | (plain[:, 2] < 0.3)
    for column, turn in ((0, 0.55), (2, 0.4)):
        larger = one_sided & (plain[:, column] > plain[:, 2 - column])
        assert larger.sum() > 50
        assert ((bent[larger, column] >= TURNING) == (plain[larger, column] >= turn)).all()
    assert np.allclose(np.array(calibrator((TURNING, TURNING)).predict(rows)), plain)


def test_turns_are_read_from_the_file_and_left_out_where_it_has_none(tmp_path):
    own = json.loads((model_folder("fas-nli-base") / "calibrator.json").read_text())
    own.pop("turns", None)
    (tmp_path / "calibrator.json").write_text(json.dumps(own))
    assert Calibrator.read(tmp_path / "calibrator.json").turns is None
    own["turns"] = {"support": 0.6, "contradict": 0.45}
    (tmp_path / "calibrator.json").write_text(json.dumps(own))
    read = Calibrator.read(tmp_path / "calibrator.json")
    assert read.turns == read.one_window.turns == (0.6, 0.45)


def test_a_task_is_measured_for_each_verifier_and_told_in_a_table(nli_script):
    measure, blind, card = nli_script("measure"), nli_script("blind"), nli_script("card")
    items = blind.blind_by_hand("topics")[:12]
    found, kept = measure.measure(measure.readers(["fas-nli-mini"], "fp32"), "topics_by_hand", items, 1)
    p = kept["fas-nli-mini"]
    gold = [("entailment", "neutral", "contradiction").index(item.label) for item in items]
    assert kept["gold"].tolist() == [item.label for item in items]
    assert found["fas-nli-mini"]["accuracy"][0] == pytest.approx(np.mean(p.argmax(axis=1) == gold), abs=1e-4)
    assert found["fas-nli-mini"]["accuracy"][1] <= found["fas-nli-mini"]["accuracy"][2]
    lines = card.tables({"topics_by_hand": found}, {}, ["fas-nli-mini"]).splitlines()
    assert lines[2].startswith("| topics_by_hand | 12 | accuracy | ")
    assert measure.at_threshold(np.array([[0.7, 0.2, 0.1], [0.6, 0.1, 0.3], [0.1, 0.1, 0.8]]), 0.7).tolist() == [
        0,
        1,
        2,
    ]


def test_where_all_is_neutral_the_share_of_definite_verdicts_is_measured(nli_script):
    measure, item = nli_script("measure"), nli_script("tasks").Item
    p = np.array([[0.9, 0.05, 0.05], [0.1, 0.8, 0.1], [0.0, 0.2, 0.8], [0.6, 0.2, 0.2]])
    found = measure.scores(p, [item("a", "b", "neutral")] * 4, np.random.default_rng(0))
    assert found["definite"][0] == 0.5
    assert "auroc_support" not in found
