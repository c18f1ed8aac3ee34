"""The profile `base`: its verifier is a difference to a trunk, and where that is missing one command is named."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from fas import load_profile
from fas.cli import main
from fas.models.difference import FILE, Kept
from fas.models.paths import model_folder
from fas.models.trunks import GET, trunks


@pytest.fixture
def kept():
    found = Kept.at(str(model_folder("fas-nli-base")))
    assert found is not None
    return found


def test_what_ships_is_a_difference_of_at_most_forty_megabytes_to_the_trunk_that_the_command_fetches(kept):
    assert (kept.folder / FILE).stat().st_size <= 40e6
    assert trunks()[GET["base"]].sha256 == kept.sha256
    assert GET["base"] == kept.trunk


def test_it_is_mini_with_another_verifier():
    base, mini = load_profile("base"), load_profile("mini")
    assert base.verify.options == {**mini.verify.options, "model": "fas-nli-base"}
    assert dataclasses.replace(base, name="mini", verify=mini.verify) == mini


def test_without_its_trunk_a_run_ends_with_the_command_that_fetches_it(root: Path, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("FAS_CACHE_DIR", str(tmp_path / "cache"))
    out = tmp_path / "out"
    assert main(["score", str(root / "examples/answers.jsonl"), "-o", str(out), "--profile", "base"]) == 2
    told = capsys.readouterr().err
    assert "fas models get base" in told
    assert "Traceback" not in told
