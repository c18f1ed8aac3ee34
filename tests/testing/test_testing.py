"""Limits that scores have to keep: in a test, and as the exit code of a run."""

from __future__ import annotations

import json
import math

import pytest

from fas.cli import main
from fas.core.errors import InputError
from fas.core.records import FlagRate, MetricSummary, Report
from fas.scoring.limits import parse_limits
from fas.testing import assert_scores, failures


def report(flags=None, *, safety="rules@1"):
    nan = math.nan
    return Report(
        signature=f"n:9|safety:{safety}|seed:1", n=9, n_unscored=0, n_failed=0, groups={}, timing={}, versions={},
        metrics={"support@5": MetricSummary(0.6, 0.5, 0.7, 9, "t"), "contra@5": MetricSummary(0.1, 0.05, 0.2, 9, "t"),
                 "rougeL": MetricSummary(0.4, nan, nan, 1, "none: one answer"), "fas": MetricSummary(nan, nan, nan, 0)},
        flags=flags or {},
    )  # fmt: skip


@pytest.mark.parametrize(
    ("under", "over", "by", "broken"),
    [
        ({"support": 0.5}, {}, "bound", []),
        ({"support@5": 0.51}, {}, "bound", ["support@5"]),
        ({"support": 0.51}, {}, "mean", []),
        ({"support": 0.61}, {}, "mean", ["support"]),
        ({}, {"contra": 0.2}, "bound", []),
        ({}, {"contra": 0.19}, "bound", ["contra"]),
        ({}, {"contra": 0.1}, "mean", []),
        ({"support": 0.9}, {"contra": 0.0}, "mean", ["support", "contra"]),
        ({"rougeL": 0.1}, {}, "bound", ["rougeL"]),
        ({"rougeL": 0.1}, {}, "mean", []),
        ({"fas": 0.0}, {}, "mean", ["fas"]),
        ({}, {"fas": 1.0}, "bound", ["fas"]),
    ],
)
def test_a_limit_is_held_against_the_worse_bound_or_the_mean(under, over, by, broken):
    found = failures(report(), fail_under=under, fail_over=over, by=by)
    assert [one.name for one in found] == broken
    if broken:
        with pytest.raises(AssertionError, match=broken[-1]):
            assert_scores(report(), fail_under=under, fail_over=over, by=by)
    else:
        assert_scores(report(), fail_under=under, fail_over=over, by=by)


def test_flags_are_counted_and_a_run_without_a_search_for_flags_is_refused():
    flagged = report({"A": FlagRate(2, 0.2, 0.1, 0.5), "B": FlagRate(1, 0.1, 0.0, 0.3)})
    assert failures(report(), fail_over={"flags": 0}) == []
    assert [one.value for one in failures(flagged, fail_over={"flags": 2})] == [3]
    assert failures(flagged, fail_over={"flags": 3}) == []
    with pytest.raises(InputError, match="no safety flags"):
        failures(report(safety="off"), fail_over={"flags": 0})


def test_what_is_no_limit_is_refused():
    assert parse_limits("fas=0.6, flags=0") == {"fas": 0.6, "flags": 0.0}
    for text in ("", "fas", "fas=", "fas=x", "fas=nan", "=1", "fas=1,fas=2"):
        with pytest.raises(InputError):
            parse_limits(text)
    for arguments in ({}, {"fail_under": {"sapport": 0.1}}, {"fail_under": {"support": None}}, {"by": "median"}):
        with pytest.raises(InputError):
            failures(report(), **arguments)


def test_the_exit_code_is_3_and_the_results_are_there(tmp_path, capsys):
    answers, profile = tmp_path / "a.jsonl", tmp_path / "p.toml"
    profile.write_text('[claims]\nname = "sentences"\n[verify]\nname = "lexical"\n[run]\nn_resamples = 50\n')
    texts = ["Aspirin relieves pain.", "Bananas cure fractures."] * 3
    rows = [{"prediction": text, "passages": ["Aspirin relieves pain."]} for text in texts]
    answers.write_text("".join(json.dumps(row) + "\n" for row in rows))
    base = ["score", str(answers), "-o", str(tmp_path / "out"), "--profile", str(profile), "--quiet"]
    assert main([*base, "--fail-under", "support=0.5", "--fail-by", "mean", "--fail-over", "contra=0.9"]) == 0
    capsys.readouterr()
    assert main([*base, "--fail-under", "support=0.5"]) == 3
    assert "fas: support: the lower end of the 95% interval, " in capsys.readouterr().err
    assert (tmp_path / "out" / "report.json").is_file()
    assert main([*base, "--fail-over", "contras=0.5", "--overwrite"]) == 2
    assert "no metric 'contras'" in capsys.readouterr().err
    with pytest.raises(SystemExit) as ended:
        main([*base, "--fail-under", "support"])
    assert ended.value.code == 2
