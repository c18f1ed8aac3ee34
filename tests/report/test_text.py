"""The printed table and the figures."""

from __future__ import annotations

import math
from xml.etree import ElementTree

from report_data import make_records, make_report

from fas.core.records import FlagRate, MetricSummary, Report
from fas.report.plots import plot_panels, save_plot
from fas.report.text import render_table

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


def test_shares_say_how_far_they_read_from_labels():
    shares = {"support@5": MetricSummary(0.25, 0.2, 0.3, 80), "contra@5": MetricSummary(0.0, NAN, NAN, 80, "none: x")}
    bias = {
        "support@5": MetricSummary(-0.0761, -0.12, -0.03, 258),
        "contra@5": MetricSummary(0.004, NAN, NAN, 258, "none: x"),
    }
    report = Report("n:3", 3, 0, 0, {}, {}, {}, {}, {}, claim_shares=shares, bias=bias, bias_source="some claims")
    header, _, support, contra, source = render_table(report).split("\n\n")[1].splitlines()
    assert header.endswith("claims       reads, in points")
    assert support.endswith("80  7.6 low [-12.0, -3.0]")
    assert contra.endswith("80             0.4 high x")
    assert source == "Measured against the labels of some claims."


def test_table_has_no_control_codes_and_no_lost_text():
    report = make_report(make_records(50), notes=("word " * 60 + "x" * 150,))
    text = render_table(report)
    assert "\x1b" not in text
    assert "x" * 150 in text
    assert text.endswith(report.signature)
    assert render_table(make_report([], by=(), notes=())).startswith("0 answers")


def test_figures_are_saved_as_png_and_as_svg_with_text(tmp_path):
    report = make_report(make_records(60))

    def make():
        return plot_panels({"mean": report.metrics}, title="run")

    png, svg = save_plot(make(), tmp_path / "forest.png")
    assert png.read_bytes().startswith(b"\x89PNG")
    text = " ".join(ElementTree.parse(svg).getroot().itertext())
    assert all(word in text for word in ("fas", "bertscore_f1", "run"))
    again = save_plot(make(), tmp_path / "again")[1]
    assert again.read_bytes() == svg.read_bytes(), "the same figure gives the same file"
