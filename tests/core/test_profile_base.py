"""The profile `base`: its verifier is a difference to a trunk, and where that is missing one command is named."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from fas.cli import main
from fas.core.records import Claim, Pair, Passage
from fas.models.difference import FILE, Kept
from fas.models.paths import model_folder
from fas.models.trunks import GET, trunks
from fas.verify.nli import NliVerifier


@pytest.fixture
def kept():
    found = Kept.at(str(model_folder("fas-nli-base")))
    assert found is not None
    return found


def test_what_ships_is_a_difference_of_at_most_forty_megabytes_to_the_trunk_that_the_command_fetches(kept):
    assert (kept.folder / FILE).stat().st_size <= 40e6
    assert trunks()[GET["base"]].sha256 == kept.sha256
    assert GET["base"] == kept.trunk


def test_without_its_trunk_a_run_ends_with_the_command_that_fetches_it(root: Path, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("FAS_CACHE_DIR", str(tmp_path / "cache"))
    out = tmp_path / "out"
    assert main(["score", str(root / "examples/answers.jsonl"), "-o", str(out), "--profile", "base"]) == 2
    printed = capsys.readouterr().err
    assert "fas models get base" in printed
    assert "Traceback" not in printed


@pytest.fixture
def verifier(monkeypatch):
    """The verifier over the real trunk, where somebody has fetched it."""
    place = os.environ.get("FAS_TRUNK_CACHE")
    if not place:
        pytest.skip("no trunk: FAS_TRUNK_CACHE names the cache in which `fas models get base` put it")
    monkeypatch.setenv("FAS_CACHE_DIR", place)
    return NliVerifier(model="fas-nli-base", threshold=0.7, cache=False)


@pytest.mark.parametrize(
    ("claim", "passage", "label"),
    [
        ("Vitamin D reduces falls in older adults.",
         "This study aimed to determine whether vitamin D reduces falls in older adults.", "unsupported"),
        ("Clarithromycin can safely be combined with simvastatin.",
         "Simvastatin must not be taken with clarithromycin because of the risk of rhabdomyolysis.", "contradicted"),
        ("Dexamethasone 6 mg lowers mortality in patients who need oxygen.",
         "In patients receiving oxygen, dexamethasone 6 mg once daily lowered mortality at 28 days.", "supported"),
    ],
)  # fmt: skip
def test_with_its_trunk_it_reads_what_the_mini_model_got_wrong(verifier, claim, passage, label):
    found = verifier.verify([Pair(Claim(claim), Passage(passage))])[0]
    assert labelled(found) == label


def labelled(found):
    if found.p_support >= 0.7:
        return "supported"
    return "contradicted" if found.p_contradict >= 0.7 else "unsupported"
