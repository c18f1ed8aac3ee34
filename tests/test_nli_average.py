"""Averaging the verifier's training runs, against weights worked out by hand."""

import sys

import pytest
import torch
from safetensors.torch import load_file, save_file

from fas.models.nli import load_classifier
from fas.models.paths import model_folder


@pytest.fixture(scope="module")
def average(nli_script):
    return nli_script("average")


@pytest.fixture(scope="module")
def trained():
    """The shipped verifier as `train.py` would leave it."""
    return load_classifier(str(model_folder("fas-nli-mini")), torch.float32)


def weights(value: float) -> dict[str, torch.Tensor]:
    return {"layer": torch.full((2, 2), value)}


def test_weights_of_different_shapes_are_not_averaged(average):
    with pytest.raises(ValueError, match="differ in names or shapes"):
        average.mean([weights(1.0), {"layer": torch.ones(3)}])


def test_a_share_of_the_way_of_the_last_stage_is_added_to_the_base(average):
    # from 2 to 6 is 4, half of it 2, on a base of 10
    assert average.moved(weights(10.0), weights(2.0), weights(6.0), 0.5)["layer"].tolist() == [[12.0, 12.0]] * 2


# The mean of all weights before, (1 + 3 + 8) / 3, or the weights that were trained on from it.
@pytest.mark.parametrize(("base", "value"), [("--also", 4.0), ("--base", 8.0)])
def test_every_fold_is_the_mean_of_its_own_runs_on_the_base(average, tmp_path, monkeypatch, base, value):
    names = ["all", *(f"fold-{i}" for i in range(5))]
    for folder, own in (("a", 1.0), ("b", 3.0), ("c", 8.0)):
        (tmp_path / folder).mkdir()
        save_file(weights(own), tmp_path / folder / "model.safetensors")
    for folder, own in (("after-a", 2.0), ("after-b", 6.0)):
        for number, name in enumerate(names):
            (tmp_path / folder / name).mkdir(parents=True)
            save_file(weights(own + number), tmp_path / folder / name / "model.safetensors")
            (tmp_path / folder / name / "config.json").write_text("{}")
    arguments = ["--before", "a", "b", "--after", "after-a", "after-b", base, "c", "--share", "0.5", "--out", "out"]
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["average.py", *arguments])
    average.main()
    for number, name in enumerate(names):
        # before (1 + 3) / 2 = 2; after (2 + 6) / 2 = 4, and the fold's number
        expected = value + 0.5 * (4.0 + number - 2.0)
        written = load_file(tmp_path / "out" / name / "model.safetensors")["layer"]
        assert written.tolist() == [[expected, expected]] * 2
        assert (tmp_path / "out" / name / "config.json").is_file()


def test_without_a_last_stage_the_mean_is_written(average, tmp_path, monkeypatch):
    for folder, value in (("a", 1.0), ("b", 4.0)):
        (tmp_path / folder).mkdir()
        save_file(weights(value), tmp_path / folder / "model.safetensors")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["average.py", "--before", "a", "b", "--out", "out"])
    average.main()
    assert load_file(tmp_path / "out" / "model.safetensors")["layer"].tolist() == [[2.5, 2.5]] * 2


def test_runs_and_their_last_stages_must_be_as_many(average, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["average.py", "--before", "a", "b", "--after", "c", "--out", "d"])
    with pytest.raises(SystemExit):
        average.main()
    assert "name the same runs" in capsys.readouterr().err


def test_exported_weights_are_read_with_their_embedding_table(average, trained, tmp_path):
    trained.save_pretrained(tmp_path / "run")
    whole, exported = average.read(tmp_path / "run"), average.read(model_folder("fas-nli-mini"))
    assert whole.keys() == exported.keys()
    assert all(torch.equal(whole[name], exported[name]) for name in whole)


def test_shares_weigh_the_mean(average, tmp_path, monkeypatch):
    for folder, value in (("a", 1.0), ("b", 4.0)):
        (tmp_path / folder).mkdir()
        save_file(weights(value), tmp_path / folder / "model.safetensors")
    monkeypatch.chdir(tmp_path)
    command = ["average.py", "--before", "a", "b", "--shares", "1", "3", "--out", "out"]
    monkeypatch.setattr(sys, "argv", command)
    average.main()
    # (1 * 1 + 3 * 4) / 4
    assert load_file(tmp_path / "out" / "model.safetensors")["layer"].tolist() == [[3.25, 3.25]] * 2
    monkeypatch.setattr(sys, "argv", [*command, "--also", "a"])
    with pytest.raises(SystemExit):
        average.main()
