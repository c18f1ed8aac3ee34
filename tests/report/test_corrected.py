"""Corrected figures in a run's page and report: those of `fas labels adjust`, and nothing of another run."""

from __future__ import annotations

import json
from html.parser import HTMLParser

from labelled_runs import covered_run, made_run, write_labels, write_statements

from fas.cli import main
from fas.core.records import MetricSummary, Report
from fas.core.records.as_json import report_dict
from fas.labels.drawing import draw_claims
from fas.labels.judged import read_judged
from fas.report.html import write_html


class Tables(HTMLParser):
    """The rows of every table of a page, as lists of cells, by the id of the heading above it."""

    def __init__(self, text):
        super().__init__()
        self.heading, self.rows, self._cell = "", {}, None
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        if tag == "h2":
            self.heading = dict(attrs).get("id", "")
        elif tag == "tr":
            self.rows.setdefault(self.heading, []).append([])
        elif tag in ("td", "th"):
            self._cell = ""

    def handle_endtag(self, tag):
        if tag in ("td", "th") and self._cell is not None:
            self.rows[self.heading][-1].append(self._cell)
            self._cell = None

    def handle_data(self, data):
        if self._cell is not None:
            self._cell += data


def with_page(folder):
    """Give a made run the report and page that `fas score` would have written."""
    run = read_judged(folder)
    results = run.results
    metrics = {
        name: MetricSummary(float(values.mean()), 0.1, 0.9, len(values), "percentile")
        for name, values in results.metrics.items()
        if name in ("fas", "support@5", "contra@5", "unsupported@5")
    }
    report = Report(
        signature=results.signature, n=len(results.lines), n_unscored=0, n_failed=0, metrics=metrics, groups={},
        flags={}, timing={}, versions={}, notes=(),
    )  # fmt: skip
    (folder / "report.json").write_text(json.dumps(report_dict(report)), encoding="utf-8")
    write_html(folder / "report.html", report, folder / "scores.jsonl")


def rows_of(folder):
    return Tables((folder / "report.html").read_text(encoding="utf-8")).rows.get("h-corrected", [])


def test_the_page_shows_raw_and_corrected_side_by_side_as_fas_adjust_printed_them(tmp_path, capsys):
    out = tmp_path / "out"
    truth = made_run(out)
    with_page(out)
    assert rows_of(out) == []
    drawn = draw_claims(read_judged(out).claims, 150)
    labels = write_labels(tmp_path / "labels.jsonl", truth, drawn)
    assert main(["labels", "adjust", str(out), "--labels", str(labels)]) == 0
    printed = capsys.readouterr().out
    header, *rows = rows_of(out)
    assert header[0] == "Figure"
    assert [row[0] for row in rows] == list(json.loads((out / "adjusted.json").read_text())["figures"])
    for row in rows:
        line = next(one for one in printed.splitlines() if one.startswith(row[0] + " "))
        for cell in (row[1], row[2], row[3], row[4], row[5]):
            assert cell in line, (row, line)
    page = (out / "report.html").read_text(encoding="utf-8")
    assert "corrected: 0." in page  # beside the headline
    assert "by 150 labels" in page
    assert "of this run" in page  # how often verdicts are wrong, by the same labels


def test_the_report_holds_the_corrected_figures_of_claims_and_of_statements(tmp_path):
    out = tmp_path / "out"
    of_statements, _ = covered_run(out)
    truth = made_run(tmp_path / "same")
    with_page(out)
    labels = write_labels(tmp_path / "labels.jsonl", truth, draw_claims(read_judged(out).claims, 100))
    statements = write_statements(
        tmp_path / "statements.jsonl", of_statements, draw_claims(read_judged(out, of="statements").claims, 100)
    )
    assert main(["labels", "adjust", str(out), "--labels", str(labels)]) == 0
    assert main(["labels", "adjust", str(out), "--labels", str(statements)]) == 0
    found = json.loads((out / "report.json").read_text(encoding="utf-8"))["adjusted"]
    assert {"support@5", "fas", "coverage", "omitted"} <= set(found["figures"])
    assert len(found["labels"]) == 2
    for name, file in (("support@5", "adjusted.json"), ("coverage", "adjusted_statements.json")):
        assert found["figures"][name] == json.loads((out / file).read_text())["figures"][name]
    assert {"support@5", "coverage"} <= {row[0] for row in rows_of(out)}
