"""The list of the runs in a folder: what it reads, in which order, and its page."""

from __future__ import annotations

import json
import os
import re

import pytest
from report_data import make_records, make_report, write_records

from fas.cli import main
from fas.core.errors import InputError
from fas.report.run_list import list_runs, write_index
from fas.report.svg import SparkPoint, draw_sparkline


def make_run(folder, *, seed=0, settings=None, at=None, signature=("t=0.70", "t=0.70")):
    records = make_records(40, seed=seed)
    scores = write_records(folder, records)
    text = json.dumps(make_report(records).as_dict()).replace(*signature)
    (folder / "report.json").write_text(text)
    if settings is not None:
        (folder / "run.json").write_text(json.dumps({"made_by": "fas", "input": "x", "v": "0.2.0", **settings}))
    if at is not None:
        os.utime(scores, (at, at))
    return json.loads(text)


@pytest.fixture
def folder(tmp_path):
    """Three runs of one file, the second one day later and the third of a version that noted no time."""
    dates = {"one": "2026-03-01T10:00:00+00:00", "deep/two": "2026-03-02T01:30:00+02:00"}
    for seed, (name, written) in enumerate(dates.items()):
        make_run(tmp_path / name, seed=seed, settings={"written": written, "answers_file": "<b>.jsonl"})
    make_run(tmp_path / "three", seed=2, at=86400.0, signature=("t=0.70", "t=0.85"))
    (tmp_path / "one" / "report.html").write_text("")
    return tmp_path


def test_runs_at_any_depth_are_listed_by_the_time_of_their_last_change(folder):
    found = list_runs(folder)
    assert [(found.name(run), run.written.isoformat()) for run in found.runs] == [
        ("three", "1970-01-02T00:00:00+00:00"),
        ("one", "2026-03-01T10:00:00+00:00"),
        ("deep/two", "2026-03-01T23:30:00+00:00"),
    ]
    stored = json.loads((folder / "one" / "report.json").read_text())
    assert found.as_dict()["runs"][1]["metrics"]["fas"]["mean"] == stored["metrics"]["fas"]["mean"]
    assert found.as_dict()["runs"][1]["n"] == stored["n"]


def test_settings_in_which_runs_differ_name_their_runs(folder):
    verify = list_runs(folder).varying()
    assert list(verify) == ["verify"]
    assert sorted(map(sorted, verify["verify"].values())) == [["deep/two", "one"], ["three"]]


def test_a_run_without_a_readable_report_is_listed_with_the_reason(folder, capsys):
    write_records(folder / "begun", make_records(3))
    write_records(folder / "broken", make_records(3))
    (folder / "broken" / "report.json").write_text('{"n": "many"}')
    assert main(["results", "list", str(folder), "--json"]) == 0
    faults = {run["run"]: run["fault"] for run in json.loads(capsys.readouterr().out)["runs"]}
    assert "not finished" in faults["begun"]
    assert "report.json: field" in faults["broken"]
    assert [name for name, fault in faults.items() if fault is None] == ["three", "one", "deep/two"]


def test_a_folder_without_runs_is_refused(tmp_path):
    with pytest.raises(InputError, match="no run in this folder"):
        list_runs(tmp_path)
    with pytest.raises(InputError, match="no such folder"):
        list_runs(tmp_path / "none")


def test_the_page_links_reports_from_wherever_it_lies_and_escapes_names(folder):
    runs = list_runs(folder)
    assert '<a href="one/report.html">one</a>' in write_index(runs).read_text()
    (folder / "pages").mkdir()
    page = write_index(runs, folder / "pages" / "runs.html").read_text()
    assert '<a href="../one/report.html">one</a>' in page
    assert "<b>" not in page
    assert "&lt;b&gt;.jsonl" in page


def test_a_page_of_somebody_else_stays(folder):
    (folder / "index.html").write_text("<p>mine</p>")
    with pytest.raises(InputError, match="was not written by"):
        write_index(list_runs(folder))
    assert (folder / "index.html").read_text() == "<p>mine</p>"


def test_a_sparkline_puts_the_largest_value_highest_and_keeps_the_order():
    nan = float("nan")
    points = [SparkPoint(str(i), value, nan, nan) for i, value in enumerate((0.2, nan, 0.8, 0.5))]
    drawn = [
        tuple(map(float, pair.split(",")))
        for pair in re.search('points="([^"]*)"', draw_sparkline(points, title="t"))[1].split()
    ]
    assert [x for x, _ in drawn] == sorted(x for x, _ in drawn)
    heights = [y for _, y in drawn]  # y grows downwards
    assert heights[1] < heights[2] < heights[0]
    assert heights[2] == pytest.approx((heights[0] + heights[1]) / 2, abs=0.1)
    assert draw_sparkline(points[:2], title="t") == ""


@pytest.mark.browser
@pytest.mark.parametrize("width", [1366, 380])
def test_the_page_fits_the_window_and_asks_for_nothing(page, folder, width):
    page.size(width, 900)
    page.show(write_index(list_runs(folder)))
    assert page.run("document.documentElement.scrollWidth") <= width
    assert page.run("document.querySelectorAll('svg.sparkline a[href=\"one/report.html\"]').length") == 5
    assert page.errors() == []
    assert all(address.startswith(("file:", "about:", "data:")) for address in page.requests())
