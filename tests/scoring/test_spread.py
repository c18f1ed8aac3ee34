"""Deviations and quartiles against the library's `statistics`; shares of FAS's variance against numpy's covariances."""

from __future__ import annotations

import json
import random
import statistics

import numpy as np
import pytest
from report_data import SIGNATURE, make_records

from fas.core.profile import Profile, Weights
from fas.report.factuality import factuality_report
from fas.report.html import write_html
from fas.report.text import render_table
from fas.results.report import read_report
from fas.scoring.aggregate import collect_columns, metric_names, report_of
from fas.scoring.spread import spread, variance_shares


def test_the_spread_is_that_of_the_standard_library():
    values = [random.Random(3).random() for _ in range(41)]
    found = spread({"fas": [*values, float("nan")], "rougeL": [float("nan")]})
    assert list(found) == ["fas"]
    assert found["fas"]["sd"] == pytest.approx(statistics.stdev(values))
    quartiles = statistics.quantiles(values, n=4, method="inclusive")
    assert [found["fas"][name] for name in ("q1", "median", "q3")] == pytest.approx(quartiles)
    assert (found["fas"]["min"], found["fas"]["max"]) == (min(values), max(values))


def test_a_report_has_it_in_json_in_its_table_and_on_its_page(tmp_path):
    records = make_records(30)
    columns = collect_columns(records, k=5)
    report = report_of(columns, profile=Profile(n_resamples=50), signature=SIGNATURE.format(n=30), timing={})
    own = [record["fas"] for record in records if not record["error"] and record["fas"] is not None]
    sd = statistics.stdev(own)
    stored = report.as_dict()["spread"]
    assert stored["fas"]["sd"] == pytest.approx(sd)
    assert set(stored) <= set(metric_names(5))
    assert f"{sd:.3f}" in next(line for line in render_table(report).splitlines() if line.startswith("fas "))
    (tmp_path / "scores.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    write_html(tmp_path / "report.html", report, tmp_path / "scores.jsonl")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert f'<td class="num">{sd:.3f}</td>' in page
    assert f"median {statistics.median(own):.3f}" in page
    (tmp_path / "report.json").write_text(json.dumps(report.as_dict()))
    assert read_report(tmp_path).as_dict()["spread"] == stored


def test_factuality_gives_the_deviation_that_medscores_table_two_has_in_parentheses(tmp_path):
    lines = []
    for number, labels in enumerate((["S", "S", "NS"], ["S"], ["NS", "NS", "NS", "S", "S"])):
        claims = [{"text": f"Claim {i} says so.", "label": label} for i, label in enumerate(labels)]
        lines.append({"id": str(number), "prediction": "Claims say so.", "claims": claims})
    (tmp_path / "labelled.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    report = factuality_report([tmp_path / "labelled.jsonl"], n_resamples=50)
    (run,) = report.runs
    assert run.spread["claims_per_answer"]["sd"] == pytest.approx(statistics.stdev([3, 1, 5]))
    assert run.spread["factuality"]["sd"] == pytest.approx(statistics.stdev([2 / 3, 1, 2 / 5]))
    row = next(line for line in report.as_text().splitlines() if line.startswith("claims_per_answer"))
    assert row.split()[1:3] == ["3.000", "2.000"]
    assert report.as_dict()["runs"][0]["spread"]["claims_per_answer"]["max"] == 5


# -- Shares of the variance ------------------------------------------------------------------------

W = Weights()


def columns(n=300, seed=3):
    rng = np.random.default_rng(seed)
    support = rng.beta(1, 1, n)
    contra = np.clip((1 - support) * rng.random(n), 0, 1)
    bert = rng.normal(0.7, 0.05, n)
    bert[::10] = np.nan  # answers without references
    fas = W.bertscore * bert + W.support * support + W.no_contradiction * (1 - contra)
    evidence = (W.support * support + W.no_contradiction * (1 - contra)) / (W.support + W.no_contradiction)
    return {"fas": fas, "fas_evidence": evidence, "bertscore_f1": bert, "support@5": support, "contra@5": contra}


def test_shares_are_the_terms_covariances_with_the_score_over_its_variance():
    made = columns()
    known = ~np.isnan(made["fas"])
    fas = made["fas"][known]
    expected = {
        name: weight * np.cov(made[name][known], fas)[0, 1] / np.var(fas, ddof=1)
        for name, weight in (("bertscore_f1", W.bertscore), ("support@5", W.support), ("contra@5", -W.no_contradiction))
    }
    assert variance_shares(made, 5, W)["fas"] == pytest.approx(expected, abs=1e-6)
    assert sum(expected.values()) == pytest.approx(1)


def test_without_references_the_two_terms_of_the_evidence_part_share_it():
    made = columns() | {"fas": np.full(300, np.nan), "bertscore_f1": np.full(300, np.nan)}
    found = variance_shares(made, 5, W)
    assert list(found) == ["fas_evidence"]
    assert set(found["fas_evidence"]) == {"support@5", "contra@5"}
    assert sum(found["fas_evidence"].values()) == pytest.approx(1, abs=1e-5)
