"""What is measured of the verifiers that ship, and when a report may say it of a run."""

from __future__ import annotations

import hashlib
import json

import pytest

from benchmarks.verdicts.labels import HERE
from fas.core.profile import load_profile
from fas.models.measured import FILE, read_measured
from fas.models.paths import VERSIONS, model_folder
from fas.stats.intervals import explain_missing

VERIFIERS = {"fas-nli-mini": "mini", "fas-nli-base": "base"}


def signature(model: str, t: str, tc: str) -> str:
    return f"n:3|verify:nli[{model},t={t},tc={tc},pieces=340]|v:0.2.0"


@pytest.mark.parametrize("name", VERIFIERS)
def test_what_is_measured_is_of_the_weights_calibrator_labels_and_thresholds_of_today(name):
    folder = model_folder(name)
    card = json.loads((folder / FILE).read_text(encoding="utf-8"))
    profile = load_profile(VERIFIERS[name])
    assert card["model"] == f"{name}@{VERSIONS[name]}"
    assert card["thresholds"] == {"support": profile.threshold, "contradiction": profile.threshold_contradiction}
    assert len(card["sha256"]) == 4
    for file, digest in card["sha256"].items():
        path = folder / file if (folder / file).is_file() else HERE / file
        assert hashlib.sha256(path.read_bytes()).hexdigest() == digest, file


@pytest.mark.parametrize("name", VERIFIERS)
def test_the_bias_is_what_verdicts_say_less_what_labels_say_and_belongs_to_a_version_and_its_thresholds(name):
    own = f"{name}@{VERSIONS[name]}"
    found = read_measured(signature(f"{own}+0123abcd+4567cdef", "0.55", "0.70"))
    measured = json.loads((model_folder(name) / FILE).read_text(encoding="utf-8"))["measured"]
    for share, side in (("support", "S"), ("contra", "C")):
        one = found.bias[share]
        assert one.mean == pytest.approx(measured[side]["share_called"] - measured[side]["share_true"])
        assert one.low < one.mean < one.high or explain_missing(one.how)
    assert sum(one.mean for one in found.bias.values()) == pytest.approx(0.0, abs=1e-9)
    for model, t in ((own, "0.70"), (f"{name}@1", "0.55")):
        other = read_measured(signature(model, t, "0.70"))
        assert other.right == found.right
        assert other.bias == {}


def test_nothing_is_measured_of_a_verifier_that_is_not_embedded():
    assert read_measured("n:3|verify:lexical[t=0.70]|v:0.2.0") is None
