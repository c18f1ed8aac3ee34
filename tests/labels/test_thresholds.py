"""Thresholds with a promise: the bound against SciPy, the promise by simulation, and the file in a run."""

from __future__ import annotations

import json

import numpy as np
import pytest
from labelled_runs import made_run, write_labels

from fas.cli import main
from fas.labels.drawing import draw_claims
from fas.labels.judged import read_judged
from fas.stats.intervals import clopper_pearson
from fas.stats.precision_threshold import fewest_labels, find_precision_threshold


def test_the_fewest_labels_are_those_that_reach_the_precision_when_all_are_right():
    n = fewest_labels(0.9, 0.05)
    assert clopper_pearson(n, n, 0.9)[0] >= 0.9 > clopper_pearson(n - 1, n - 1, 0.9)[0]


def sample(rng, n, shared):
    """Labelled claims whose precision at t is known: right with probability `score - 0.05`."""
    clusters = np.repeat(np.arange(n // shared), shared)
    lift = np.repeat(rng.normal(0, 0.3 if shared > 1 else 0, n // shared), shared)
    score = rng.uniform(0.5, 1, n)
    right = rng.random(n) < np.clip(score - 0.05 + lift * (1 - score), 0, 1)
    return score, right, clusters


def true_precision(threshold):
    return (1 + threshold) / 2 - 0.05


@pytest.mark.parametrize("shared", [1, 4])
def test_the_promise_fails_at_most_as_often_as_it_may(shared):
    rng = np.random.default_rng(shared)
    found = []
    for _ in range(800):
        score, right, clusters = sample(rng, 400, shared)
        every = np.ones(400)
        one = find_precision_threshold(score, every > 0, right, every, clusters, precision=0.8, delta=0.1)
        found.append(one.threshold)
    given = [one for one in found if one is not None]
    assert len(given) > 400  # it is no promise that is kept by saying nothing
    broken = sum(true_precision(one) < 0.8 for one in given) / len(found)
    assert broken <= 0.1 + 2 * np.sqrt(0.1 * 0.9 / 800)


def test_a_run_names_the_file_and_its_signature_says_so(tmp_path, capsys):
    truth = made_run(tmp_path / "out", n=400, rate=0.4, right=0.97, samples=1)
    run = read_judged(tmp_path / "out")
    labels = write_labels(tmp_path / "labels.jsonl", truth, draw_claims(run.claims, 900))
    file = tmp_path / "thresholds.json"
    command = [
        "labels",
        "thresholds",
        str(tmp_path / "out"),
        "--labels",
        str(labels),
        "--precision",
        "0.85",
        "-o",
        str(file),
    ]
    assert main(command) == 0
    assert "precision at least 0.85" in capsys.readouterr().out
    values = json.loads(file.read_text(encoding="utf-8"))
    assert values["support"] is not None
    assert values["contradiction"] is not None
    row = {"prediction": "Aspirin thins the blood.", "passages": ["Aspirin thins the blood."]}
    (tmp_path / "in.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    (tmp_path / "p.toml").write_text('[claims]\nname = "sentences"\n[verify]\nname = "lexical"\n', encoding="utf-8")
    scoring = ["score", str(tmp_path / "in.jsonl"), "-o", str(tmp_path / "s"), "--profile", str(tmp_path / "p.toml")]
    assert main([*scoring, "--no-safety", "--precision", "fp32", "--thresholds", str(file)]) == 0
    assert f"tc={values['contradiction']:.2f}" in capsys.readouterr().out
    values["contradiction"] = None
    file.write_text(json.dumps(values), encoding="utf-8")
    assert main([*scoring, "--thresholds", str(file)]) == 2
    assert "no threshold" in capsys.readouterr().err
