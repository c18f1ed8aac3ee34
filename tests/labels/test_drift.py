"""What has changed since: people between two rounds of labels, verdicts on unchanged answers; by counts by hand."""

from __future__ import annotations

import json

import numpy as np
import pytest
from labelled_runs import made_run, write_labels
from sklearn.metrics import cohen_kappa_score

from fas.cli import main
from fas.labels.drawing import draw_claims
from fas.labels.drift import verdict_drift
from fas.labels.judged import VERDICTS, read_judged
from fas.labels.rounds import label_drift


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


def test_two_rounds_of_people_who_have_not_changed_pass_or_are_too_few_and_never_fail(made):
    folder, truth, run = made
    first = write_labels(folder / "first.jsonl", truth, draw_claims(run.claims, 400, seed=1))
    second = write_labels(folder / "second.jsonl", truth, draw_claims(run.claims, 400, seed=2))
    found = label_drift(folder / "out", second, first, margin=0.1, n_resamples=200)
    assert found.same.mean == 1.0
    assert found.kappa.value == pytest.approx(1.0)
    assert {one.outcome for one in found.figures.values()} == {"pass"}


def test_people_who_have_become_strict_fail_by_as_much_as_they_have(made):
    folder, truth, run = made
    now = stricter(truth, 0.4)
    drawn = draw_claims(run.claims, 400, seed=1)
    first = write_labels(folder / "first.jsonl", truth, drawn)
    second = write_labels(folder / "second.jsonl", now, draw_claims(run.claims, 400, seed=2))
    found = label_drift(folder / "out", second, first, n_resamples=200)
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


def test_another_verifier_on_unchanged_answers_is_counted_claim_by_claim(made):
    folder, truth, run = made
    made_run(folder / "worse", n=200, samples=1, right=0.5)  # the same answers and claims, other verdicts
    worse = read_judged(folder / "worse")
    records = records_of(folder / "worse")
    records[0]["prediction"] = "Another answer."
    write_records(folder / "worse", records)
    # The truths come from the same draws only up to the first verdict: claims are the same where the texts are.
    texts = {(one.id, one.text): one.verdict for one in worse.claims if one.id != records[0]["id"]}
    shared = [one for one in run.claims if (one.id, one.text) in texts]
    labels = write_labels(folder / "labels.jsonl", truth, draw_claims(run.claims, len(run.claims)))
    found = verdict_drift(folder / "out", labels, folder / "worse", n_resamples=200)
    assert found.n_answers == 199
    assert found.changed.n == len(shared)
    assert found.changed.mean == pytest.approx(np.mean([texts[one.id, one.text] != one.verdict for one in shared]))
    counted = {one: dict.fromkeys(VERDICTS, 0) for one in VERDICTS}
    for one in shared:
        counted[texts[one.id, one.text]][one.verdict] += 1
    assert found.table == counted
    right = np.mean([one.verdict == truth[one.key] for one in shared])
    before = np.mean([texts[one.id, one.text] == truth[one.key] for one in shared])
    assert found.right_now == pytest.approx(right)
    assert found.right.value == pytest.approx(right - before)
    assert found.right.low > 0  # the later run has the better verifier
    assert any("1 answers have another text" in text for text in found.remarks)
    support = found.figures["support@5"]
    means = [read_judged(one).results.metrics["support@5"][1:].mean() for one in (folder / "out", folder / "worse")]
    assert support.difference == pytest.approx(means[0] - means[1])
    (row,) = [line.split() for line in found.as_text().splitlines() if line.split()[:1] == ["support@5"]]
    assert [float(cell) for cell in row[1:3]] == pytest.approx(means, abs=5e-4)  # now, then


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
    found = verdict_drift(folder / "out", labels, folder / "then", n_resamples=200)
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


def test_the_command_tells_an_earlier_run_from_an_earlier_file(made, capsys):
    folder, truth, run = made
    labels = write_labels(folder / "labels.jsonl", truth, draw_claims(run.claims, 150))
    write_records(folder / "old", records_of(folder / "out"))
    base = ["adjust", str(folder / "out"), "--labels", str(labels), "--n-resamples", "100"]
    assert main([*base, "--drift", str(labels)]) == 0
    assert "same label" in capsys.readouterr().out
    assert main([*base, "--drift", str(folder / "old")]) == 0
    shown = capsys.readouterr().out
    assert "200 unchanged answers; 0.0%" in shown
    assert main([*base, "--drift", str(folder / "old"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["changed"]["mean"] == 0.0
    assert main([*base, "--drift", str(labels), "--plan", "0.1"]) == 2
