"""What has changed since: people between two rounds of labels, verdicts on unchanged answers; by counts by hand."""

from __future__ import annotations

import json

import numpy as np
import pytest
from labelled_runs import made_run, write_labels
from sklearn.metrics import cohen_kappa_score

from fas.labels.drawing import draw_claims
from fas.labels.drift import measure_label_drift, measure_verdict_drift
from fas.labels.judged import read_judged


def records_of(folder):
    return [json.loads(line) for line in (folder / "scores.jsonl").read_text(encoding="utf-8").splitlines()]


def write_records(folder, records):
    folder.mkdir(exist_ok=True)
    (folder / "scores.jsonl").write_text("".join(json.dumps(one) + "\n" for one in records), encoding="utf-8")


@pytest.fixture
def made(tmp_path):
    truth = made_run(tmp_path / "out", n=200, samples=1)
    return tmp_path, truth, read_judged(tmp_path / "out")


def stricter(truth, share, seed=1):
    """The labels of people who have become strict: so many of the supported claims are not settled now."""
    rng = np.random.default_rng(seed)
    return {
        key: "unsupported" if label == "supported" and rng.random() < share else label for key, label in truth.items()
    }


def test_people_who_have_become_strict_fail_by_as_much_as_they_have(made):
    folder, truth, run = made
    now = stricter(truth, 0.4)
    drawn = draw_claims(run.claims, 400, seed=1)
    first = write_labels(folder / "first.jsonl", truth, drawn)
    second = write_labels(folder / "second.jsonl", now, draw_claims(run.claims, 400, seed=2))
    found = measure_label_drift(folder / "out", second, first, n_resamples=200)
    support = found.figures["support@5"]
    assert support.outcome == "fail"
    true = {name: [] for name in run.results.lines}
    for claim in run.claims:
        true[claim.id].append((now[claim.key] == "supported") - (truth[claim.key] == "supported"))
    expected = np.mean([np.mean(own) for own in true.values()])
    assert support.difference.low <= expected <= support.difference.high
    both = [key for key in (one.claim.key for one in draw_claims(run.claims, 400, seed=2))
            if key in {one.claim.key for one in drawn}]  # fmt: skip
    assert found.same.n == len(both)
    assert found.same.mean == pytest.approx(np.mean([truth[key] == now[key] for key in both]))
    kappa = cohen_kappa_score([now[key] for key in both], [truth[key] for key in both])
    assert found.kappa.value == pytest.approx(kappa)
    assert found.supported.high < 0


def test_drift_of_verdicts_is_that_of_truescore(made):
    from truescore.drift import judge_drift

    folder, truth, run = made
    rng = np.random.default_rng(4)
    records = records_of(folder / "out")
    for record in records:
        for claim in record["claims"]:
            if rng.random() < 0.2:
                claim["label"] = "supported" if claim["label"] == "unsupported" else "unsupported"
    write_records(folder / "then", records)
    before = {one.key: one.verdict for one in read_judged(folder / "then").claims}
    # Of two kinds, as that package knows: supported, or not settled.
    kept = {one.key for one in run.claims if "contradicted" not in (truth[one.key], one.verdict, before[one.key])}
    for name in ("out", "then"):
        rows = [
            {**record, "claims": [claim if (record["id"], i) in kept else {**claim, "label": "unverified"}
                                  for i, claim in enumerate(record["claims"], 1)]}
            for record in records_of(folder / name)
        ]  # fmt: skip
        write_records(folder / name, rows)
    run = read_judged(folder / "out")
    labels = write_labels(folder / "labels.jsonl", truth, draw_claims(run.claims, len(run.claims)))
    found = measure_verdict_drift(folder / "out", labels, folder / "then", n_resamples=200)
    now, then, gold = (
        np.array([value == "supported" for value in one]).astype(int)
        for one in (
            [claim.verdict for claim in run.claims],
            [before[claim.key] for claim in run.claims],
            [truth[claim.key] for claim in run.claims],
        )
    )
    theirs = judge_drift(then, now, gold)
    assert found.changed.mean == pytest.approx(theirs.flip_rate)
    assert found.right_now == pytest.approx(theirs.current_agreement)
    assert found.right.value == pytest.approx(theirs.agreement_change)
