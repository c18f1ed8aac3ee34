"""Comparing runs and correlating with gold, from files to exit codes."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from report_data import METRICS, make_records, write_records

from fas.cli import main
from fas.core.errors import InputError
from fas.report.compare import compare_runs
from fas.report.correlate import correlate_scores
from fas.stats.correlation import correlation
from fas.stats.multiple import holm
from fas.stats.paired import paired_difference

FEW: dict[str, Any] = {"n_resamples": 300}


@pytest.fixture
def runs(tmp_path):
    a, b = make_records(80, seed=1, shift=0.1), make_records(80, seed=1)
    for record in b:
        record["meta"] = record["meta"] | {"model": "other"}
    write_records(tmp_path / "a", a)
    write_records(tmp_path / "b", b)
    return tmp_path / "a", tmp_path / "b", a, b


def column(records, name):
    scored = [record for record in records if not record["error"]]
    return np.array([math.nan if record[name] is None else record[name] for record in scored])


def test_every_metric_is_compared_as_the_statistics_say(runs):
    folder_a, folder_b, a, b = runs
    got = compare_runs(folder_a, folder_b, **FEW)
    assert [name for name in got.metrics if "flag:" not in name and "none" not in name] == list(METRICS)
    assert (got.n_common, got.failed_a, got.failed_b) == (78, 2, 2)
    for name in ("fas", "rougeL"):
        questions = [record["question"] for record in a if not record["error"]]
        expected = paired_difference(column(a, name), column(b, name), clusters=questions, **FEW)
        assert got.metrics[name].result.as_dict() == pytest.approx(expected.as_dict(), nan_ok=True)
    p = [row.result.p for row in got.metrics.values()]
    np.testing.assert_allclose([row.p_holm for row in got.metrics.values()], holm(p))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"scores\.jsonl: no scored answer"),
        ('{"id": "1", "error": {"type": "x"}}\n', r"scores\.jsonl: no scored answer"),
        ('{"id": "1", "fas": 0.5, "error": null}\n{oops\n', r"scores\.jsonl, line 2: not JSON"),
        ("[1]\n", r"scores\.jsonl, line 1: expected a JSON object, got list"),
        ('{"fas": 0.5}\n', r"scores\.jsonl, line 1: field 'id': missing"),
        ('{"id": null}\n', r"scores\.jsonl, line 1: field 'id': must be a string or a whole number, got None"),
        ('{"id": 1, "fas": 0.5}\n{"id": "1", "fas": 0.5}\n', r"line 2: field 'id': '1' was already used in line 1"),
        ('{"id": "1", "fas": "high"}\n', r"line 1: field 'fas': expected a number or null, got 'high'"),
        ('{"id": "zzz", "fas": 0.5}\n', r"no answer in common \(78 and 1 ids, e.g. 'q0001' and 'zzz'\)"),
        ('{"id": "q0001", "other": 0.5}\n', "no metric in common"),
    ],
)
def test_bad_runs_are_refused_with_file_and_line_and_exit_2(runs, tmp_path, capsys, text, message):
    folder = tmp_path / "bad"
    folder.mkdir()
    (folder / "scores.jsonl").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        compare_runs(runs[0], folder, **FEW)
    assert main(["results", "compare", str(runs[0]), str(folder)]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("fas: ")


def gold_file(tmp_path, values):
    path = tmp_path / "gold.jsonl"
    lines = [json.dumps({"id": name, "gold": value, "rater": "r1"}) for name, value in values.items()]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def judged(runs, tmp_path):
    _, _, a, _ = runs
    rng = np.random.default_rng(0)
    scored = [record for record in a if not record["error"]][:60]
    gold = {r["id"]: round(float((r["fas"] or 0.5) + 0.1 * rng.normal()), 1) for r in scored}
    return runs[0], scored, gold


def test_every_metric_is_correlated_as_the_statistics_say(judged, tmp_path):
    folder, scored, gold = judged
    path = gold_file(tmp_path, gold | {"unknown": 1, "q0070": None})
    got = correlate_scores(folder, path, cluster_by="none", **FEW)
    assert (got.n_common, got.n_only_scores, got.n_only_gold, got.n_no_gold) == (60, 18, 1, 1)
    truth = np.array(list(gold.values()))
    values = column(scored, "rougeL")
    for name in ("spearman", "kendall", "pearson"):
        assert getattr(got.metrics["rougeL"], name) == correlation(values, truth, name=name, **FEW)
    assert got.metrics["fas"].spearman.n < 60, "answers without a score are left out of its correlation"
    assert got.metrics["fas"].auroc is None
    text = got.as_text()
    assert "! scored answers without gold, left out: 18" in text
    assert "! gold entries without a scored answer, left out: 1" in text
    assert "AUROC" not in text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"gold\.jsonl: no gold; expected JSON Lines of \{id, gold\}"),
        ('{"id": "a"}\n', r"gold\.jsonl, line 1: field 'gold': missing"),
        ('{"id": "a", "gold": "good"}\n', r"line 1: field 'gold': must be a number, true, false or null, got 'good'"),
        ('{"id": "a", "gold": NaN}\n', r"line 1: not JSON: NaN is not JSON"),
        ('{"id": "a", "gold": 1e999}\n', r"line 1: field 'gold': must be a number, true, false or null, got inf"),
        ('{"id": "a", "gold": 1, "gold": 0}\n', r"gold\.jsonl, line 1: field 'gold': given more than once"),
        ('{"id": "a", "gold": 1}\n\n{"id": "a", "gold": 0}\n', r"line 3: field 'id': 'a' was already used in line 1"),
        ('{"id": "a", "gold": 1}\n', r"no answer in common \(78 and 1 ids, e.g. 'q0001' and 'a'\)"),
        ('{"id": "a", "gold": null}\n', r"no answer in common \(78 and 0 ids\)"),
        ("\x80", "not JSON"),
    ],
)
def test_bad_gold_is_refused_with_file_and_line_and_exit_2(runs, tmp_path, capsys, text, message):
    path = tmp_path / "gold.jsonl"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        correlate_scores(runs[0], path, **FEW)
    assert main(["results", "correlate", str(runs[0]), str(path)]) == 2
    assert capsys.readouterr().err.startswith("fas: ")
