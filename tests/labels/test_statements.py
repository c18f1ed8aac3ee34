"""Labels of statements that answers ought to make: drawn, labelled, merged, and coverage corrected by them."""

from __future__ import annotations

import json

import numpy as np
import pytest
from labelled_runs import LABELS, covered_run, write_statements

from fas.cli import main
from fas.errors import InputError
from fas.labels.adjust import adjust_run
from fas.labels.drawing import draw_claims
from fas.labels.judged import read_judged


def true_mean(truth, statements, label, kind):
    """The mean over answers of the true share, as the labels' oracle has it."""
    shares = []
    for name, own in statements.items():
        said = [truth[name, i] for i, one in enumerate(own, start=1) if one["kind"] == kind]
        if said:
            shares.append(said.count(label) / len(said))
    return float(np.mean(shares))


def test_with_every_statement_labelled_coverage_and_its_parts_are_the_truth(tmp_path):
    truth, statements = covered_run(tmp_path / "out")
    run = read_judged(tmp_path / "out", of="statements")
    labels = write_statements(tmp_path / "labels.jsonl", truth, draw_claims(run.claims, len(run.claims)))
    found = adjust_run(tmp_path / "out", labels, n_resamples=100).figures
    assert list(found) == ["coverage", "omitted", "denied", "coverage_nice"]
    for name, label, kind in (
        ("coverage", "covered", "must"),
        ("omitted", "omitted", "must"),
        ("denied", "denied", "must"),
        ("coverage_nice", "covered", "nice"),
    ):
        assert found[name].adjusted.value == pytest.approx(true_mean(truth, statements, label, kind), abs=1e-9), name
    assert found["coverage"].raw.mean < found["coverage"].adjusted.low  # the verifier misses a fifth


def test_over_many_samples_the_corrected_coverage_is_the_true_one_and_the_interval_holds_it(tmp_path):
    truth, statements = covered_run(tmp_path / "out", n=160)
    run = read_judged(tmp_path / "out", of="statements")
    true = true_mean(truth, statements, "covered", "must")
    found = []
    for seed in range(40):
        labels = write_statements(tmp_path / "labels.jsonl", truth, draw_claims(run.claims, 120, seed=seed))
        one = adjust_run(tmp_path / "out", labels, metrics=["coverage"], n_resamples=50).figures["coverage"].adjusted
        found.append((one.value, one.low <= true <= one.high))
    values, held = np.array(found).T
    assert values.mean() == pytest.approx(true, abs=3 * values.std() / np.sqrt(len(values)))
    assert held.sum() >= 35  # of 40; the truth is that of these answers, so that intervals hold it at least as often


def test_statements_are_drawn_labelled_merged_and_coverage_adjusted_by_commands(tmp_path, capsys):
    truth, _ = covered_run(tmp_path / "out")
    out = str(tmp_path / "out")
    page = tmp_path / "label-me.html"
    assert main(["annotate", "draw", out, "--of", "statements", "-n", "60", "-o", str(page)]) == 0
    assert "60 statements" in capsys.readouterr().out
    data = json.loads(page.read_text(encoding="utf-8").partition('id="data">')[2].partition("</script>")[0])
    assert data["of"] == "statement"
    rows = [
        {**{name: item[name] for name in ("id", "statement", "pi", "stratum", "text")},
         "label": truth[item["id"], item["statement"]]}
        for item in data["items"]
    ]  # fmt: skip
    (tmp_path / "ada.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    merged = tmp_path / "labels.jsonl"
    assert main(["annotate", "merge", out, str(tmp_path / "ada.jsonl"), "-o", str(merged)]) == 0
    assert "60 statements have a label" in capsys.readouterr().out
    assert {json.loads(line)["label"] for line in merged.read_text().splitlines()} <= set(LABELS)
    plan = ["adjust", out, "--labels", str(merged), "--plan", "0.16", "--plan-out", str(tmp_path / "next.jsonl")]
    assert main(plan) == 0
    assert "coverage:" in capsys.readouterr().out
    labelled = [json.loads(line) for line in (tmp_path / "next.jsonl").read_text().splitlines()]
    assert sum(row["label"] is not None for row in labelled) == 60  # the nice ones, too
    assert main(["adjust", out, "--labels", str(merged)]) == 0
    assert "coverage_nice" in capsys.readouterr().out
    assert "labels" in json.loads((tmp_path / "out" / "adjusted_statements.json").read_text())["signature"]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([{"id": "q0", "statement": 1, "label": "covered"}, {"id": "q0", "claim": 1, "label": "supported"}],
         "line 2: field 'claim': the other lines are of statements"),
        ([{"id": "q0", "claim": 1, "label": "omitted"}], "expected one of supported"),
        ([{"id": "q0", "statement": 1, "label": "perhaps"}], "expected one of covered, denied, omitted, bad"),
        ([{"id": "q0", "statement": 99, "label": "covered"}], "statements, not a statement 99"),
    ],
)  # fmt: skip
def test_labels_that_do_not_fit_are_named(tmp_path, rows, message):
    covered_run(tmp_path / "out", n=12)
    path = tmp_path / "labels.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    with pytest.raises(InputError, match=message):
        adjust_run(tmp_path / "out", path)
