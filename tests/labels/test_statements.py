"""Labels of statements that answers ought to make: drawn, labelled, merged, and coverage corrected by them."""

from __future__ import annotations

import json

import numpy as np
import pytest
from labelled_runs import LABELS, covered_run, write_statements

from fas.cli import main
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


def test_statements_are_drawn_labelled_merged_and_coverage_adjusted_by_commands(tmp_path, capsys):
    truth, _ = covered_run(tmp_path / "out")
    out = str(tmp_path / "out")
    page = tmp_path / "label-me.html"
    assert main(["labels", "draw", out, "--of", "statements", "-n", "60", "-o", str(page)]) == 0
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
    assert main(["labels", "merge", out, str(tmp_path / "ada.jsonl"), "-o", str(merged)]) == 0
    assert "60 statements have a label" in capsys.readouterr().out
    assert {json.loads(line)["label"] for line in merged.read_text().splitlines()} <= set(LABELS)
    plan = ["labels", "plan", out, "--labels", str(merged), "--width", "0.16", "-o", str(tmp_path / "next.jsonl")]
    assert main(plan) == 0
    assert "coverage:" in capsys.readouterr().out
    labelled = [json.loads(line) for line in (tmp_path / "next.jsonl").read_text().splitlines()]
    assert sum(row["label"] is not None for row in labelled) == 60  # the nice ones, too
    assert main(["labels", "adjust", out, "--labels", str(merged)]) == 0
    assert "coverage_nice" in capsys.readouterr().out
    assert "labels" in json.loads((tmp_path / "out" / "adjusted_statements.json").read_text())["signature"]
