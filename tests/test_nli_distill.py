"""What the verifier's weights are trained towards when several models teach, against numbers worked out by hand."""

from __future__ import annotations

import random

import numpy as np
import pytest


@pytest.fixture(scope="module")
def distill(nli_script):
    return nli_script("distill")


def test_a_label_and_what_the_models_say_are_weighed(distill):
    pairs = [distill.Pair("a", "b", label) for label in (0, 1, 2)]
    said = np.full((3, 3), [0.5, 0.3, 0.2])
    found = distill.targets(pairs, said, share=0.6)
    # 0.6 of (0.5, 0.3, 0.2), and 0.4 on the label
    assert found == pytest.approx(np.array([[0.7, 0.18, 0.12], [0.3, 0.58, 0.12], [0.3, 0.18, 0.52]]))
    assert said == pytest.approx(np.full((3, 3), [0.5, 0.3, 0.2]))


def test_a_two_way_label_is_divided_as_the_models_divide_it(distill):
    (found,) = distill.targets([distill.Pair("a", "b", 3)], np.array([[0.5, 0.4, 0.1]]), share=0.5)
    # half of (0.5, 0.4, 0.1), and half of (0, 0.8, 0.2)
    assert found == pytest.approx([0.25, 0.6, 0.15])


def test_a_pair_without_a_label_is_what_the_models_say(distill):
    pair = distill.Pair("a", "b", distill.UNLABELLED)
    assert distill.targets([pair], np.array([[0.5, 0.4, 0.1]]), share=0.5)[0] == pytest.approx([0.5, 0.4, 0.1])


def test_pairs_without_a_label_join_hypotheses_of_one_premise_or_are_turned_round(distill):
    general = [
        distill.Pair("A man walks a dog.", "A man is outside.", 0),
        distill.Pair("A man walks a dog.", "A man sleeps.", 2),
        distill.Pair("Rain fell. " * 100, "It was wet.", 0),  # too long to be a hypothesis
    ]
    found = distill.unlabelled_pairs(general, 3, random.Random(1))
    siblings, turned = found[:2], found[2:]
    assert {(p.premise, p.hypothesis) for p in siblings} == {
        ("A man is outside.", "A man sleeps."),
        ("A man sleeps.", "A man is outside."),
    }
    assert [p.hypothesis for p in turned] == ["A man walks a dog."]
    assert all(p.label == distill.UNLABELLED for p in found)


def test_each_model_has_a_weight_or_none_has(distill, monkeypatch, capsys, tmp_path):
    arguments = [
        "--data",
        ".",
        "--from",
        "a",
        "--teachers",
        "b",
        "c",
        "--weights",
        "1",
        "2",
        "--out",
        str(tmp_path / "d"),
    ]
    monkeypatch.setattr("sys.argv", ["distill.py", *arguments])
    with pytest.raises(SystemExit):
        distill.main()
    assert "3 in all" in capsys.readouterr().err
    assert not (tmp_path / "d").exists()


def test_what_a_model_said_is_kept_and_an_interrupted_run_goes_on_where_it_was(distill, monkeypatch, tmp_path):
    from fas.models.paths import model_folder

    monkeypatch.setattr(distill, "PART", 2)
    pairs = [distill.Pair(f"The dose was {n} mg.", "The dose was 3 mg.", 0) for n in range(5)]
    model = str(model_folder("fas-nli-mini"))
    whole = distill.said(tmp_path, model, pairs)
    assert whole.shape == (5, 3)
    assert whole.sum(axis=1) == pytest.approx(np.ones(5))
    (kept,) = tmp_path.iterdir()
    # As it stands after the first part, with numbers that no model says.
    kept.unlink()
    np.save(kept.with_suffix(".partial.npy"), np.full((2, 3), 7.0, dtype=np.float32))
    resumed = distill.said(tmp_path, model, pairs)
    assert (resumed[:2] == 7.0).all()
    assert resumed[2:] == pytest.approx(whole[2:], abs=5e-3)  # other pairs in a batch
    assert list(tmp_path.iterdir()) == [kept]
    assert (distill.said(tmp_path, model, pairs) == resumed).all()


def test_what_was_said_of_other_pairs_is_not_taken(distill, tmp_path):
    from fas.models.paths import model_folder

    model = str(model_folder("fas-nli-mini"))
    before = distill.said(tmp_path, model, [distill.Pair("It rains.", "It is wet.", 0)])
    after = distill.said(tmp_path, model, [distill.Pair("It rains.", "It is dry.", 0)])
    assert np.abs(after - before).max() > 0.05
    assert len(list(tmp_path.iterdir())) == 2
