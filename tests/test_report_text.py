"""The printed table and the figures."""

from __future__ import annotations

import math
from xml.etree import ElementTree

import numpy as np
import pytest
from report_data import METRICS, make_records, make_report

from fas.records import FlagRate, MetricSummary, Report
from fas.report.plots import plot_distributions, plot_forest, plot_reliability, plot_thresholds, save_plot
from fas.report.tables import text_table
from fas.report.text import render_table
from fas.stats.calibration import reliability_curve, threshold_sweep, verdict_sweep

NAN = math.nan


def test_table_is_the_report_in_plain_words():
    report = Report(
        signature="n:3|v:0.1.0",
        n=3,
        n_unscored=1,
        n_failed=1,
        metrics={"fas": MetricSummary(0.51234, 0.25, 0.75, 1), "rougeL": MetricSummary(NAN, NAN, NAN, 0)},
        groups={"type": {"list": {"fas": MetricSummary(0.5, NAN, NAN, 1)}, "other": {}}},
        flags={"MISSING_DOSAGE": FlagRate(1, 0.5, 0.0, 1.0)},
        timing={},
        versions={},
        notes=("1 of 3 answers failed",),
        spread={"fas": {"sd": 0.25}},
    )
    assert render_table(report) == "\n".join(
        [
            "3 answers, 1 without a verified claim, 1 failed",
            "",
            "metric  mean over answers     SD    95% interval  answers",
            "------  -----------------  -----  --------------  -------",
            "fas                 0.512  0.250  [0.250, 0.750]        1",
            "rougeL                  -      -               -        0",
            "",
            "type     fas  n (most)",
            "-----  -----  --------",
            "list   0.500         1",
            "other      -         0",
            "",
            "safety flag     answers   rate    95% interval",
            "--------------  -------  -----  --------------",
            "MISSING_DOSAGE        1  50.0%  [0.0%, 100.0%]",
            "",
            "! 1 of 3 answers failed",
            "",
            "n:3|v:0.1.0",
        ]
    )


def test_table_has_no_control_codes_and_no_lost_text():
    report = make_report(make_records(50), notes=("word " * 60 + "x" * 150,))
    text = render_table(report)
    assert "\x1b" not in text
    assert "x" * 150 in text
    assert text.endswith(report.signature)
    assert render_table(make_report([], by=(), notes=())).startswith("0 answers")


def test_columns_line_up():
    lines = text_table(["name", "n"], [["a", "1"], ["longer", "1000"]]).splitlines()
    assert lines == ["name       n", "------  ----", "a          1", "longer  1000"]


def figures():
    records = make_records(60)
    report = make_report(records)
    rng = np.random.default_rng(0)
    p = rng.random(200)
    y = rng.random(200) < p
    values = {name: [NAN if record[name] is None else record[name] for record in records] for name in METRICS}
    return {
        "forest": (lambda: plot_forest(report.metrics, title="run"), ["fas", "bertscore_f1", "run"]),
        "distributions": (lambda: plot_distributions(values), ["answers"]),
        "reliability": (lambda: plot_reliability({"mini": reliability_curve(p, y)}), ["mini", "confidence"]),
        "thresholds": (lambda: plot_thresholds(threshold_sweep(p, y), chosen=0.7), ["precision", "threshold"]),
        "verdicts": (lambda: plot_thresholds(verdict_sweep(p, 1 - p)), ["contradicted"]),
    }


@pytest.mark.parametrize("name", ["forest", "distributions", "reliability", "thresholds", "verdicts"])
def test_figures_are_saved_as_png_and_as_svg_with_text(tmp_path, name):
    make, words = figures()[name]
    png, svg = save_plot(make(), tmp_path / f"{name}.png")
    assert png.read_bytes().startswith(b"\x89PNG")
    text = " ".join(ElementTree.parse(svg).getroot().itertext())
    assert all(word in text for word in words)
    again = save_plot(make(), tmp_path / "again")[1]
    assert again.read_bytes() == svg.read_bytes(), "the same figure gives the same file"


@pytest.mark.parametrize(("n", "rows"), [(1, 1), (2, 1), (3, 1), (4, 2)])
def test_every_metric_has_a_histogram_and_no_more_is_shown(n, rows):
    fig = plot_distributions({f"m{i}": [0.1, 0.2, NAN] for i in range(n)})
    shown = [axes for axes in fig.axes if axes.get_visible()]
    assert [axes.get_title() for axes in shown] == [f"m{i}   mean 0.150, n = 2" for i in range(n)]
    assert shown[0].get_gridspec().nrows == rows


def test_figures_of_nothing_are_refused():
    with pytest.raises(ValueError, match="no row has a mean to plot"):
        plot_forest({"fas": MetricSummary(NAN, NAN, NAN, 0)})
    with pytest.raises(ValueError, match="no metric has a value to plot"):
        plot_distributions({"fas": [NAN]})
    with pytest.raises(ValueError, match="no thresholds to plot"):
        plot_thresholds([])


def test_a_name_with_a_dot_keeps_it(tmp_path):
    png, svg = save_plot(plot_forest({"a": MetricSummary(0.5, 0.4, 0.6, 3)}), tmp_path / "mini@v1.2")
    assert (png.name, svg.name) == ("mini@v1.2.png", "mini@v1.2.svg")
