"""Tables out of runs: `fas results tables`, `--format`, `output_dir=`, and a benchmark scored on one's own answers."""

from __future__ import annotations

import csv
import io
import json

import pytest
from report_data import make_records, make_report, write_records

from fas.cli import main


def result(folder, n=40, seed=0, shift=0.0, model=None):
    records = make_records(n, seed=seed, shift=shift)
    for record in records:
        record["meta"] = {name: value for name, value in record["meta"].items() if name != "model"}
        if model is not None:
            record["meta"]["model"] = model
    write_records(folder, records)
    (folder / "report.json").write_text(json.dumps(make_report(records).as_dict()), encoding="utf-8")
    return records


@pytest.fixture
def two(tmp_path):
    return result(tmp_path / "one"), result(tmp_path / "two", shift=0.1), tmp_path


def test_one_folder_gets_its_tables_with_plots_inside_and_one_is_printed_as_latex(two, capsys):
    _, _, folder = two
    assert main(["results", "tables", str(folder / "one"), "--table", "models", "--n-resamples", "50"]) == 0
    assert (folder / "one" / "tables" / "models.png").stat().st_size > 1000
    capsys.readouterr()
    command = ["results", "tables", str(folder / "one"), "--table", "models", "--n-resamples", "50"]
    assert main([*command, "--format", "latex"]) == 0
    assert r"\toprule" in capsys.readouterr().out


def test_a_comparison_as_csv_has_the_numbers_of_its_json(two, capsys):
    _, _, folder = two
    command = ["results", "compare", str(folder / "one"), str(folder / "two"), "--n-resamples", "60"]
    assert main([*command, "--json"]) == 0
    truth = json.loads(capsys.readouterr().out)["metrics"]
    assert main([*command, "--format", "csv"]) == 0
    rows = {row["metric"]: row for row in csv.DictReader(io.StringIO(capsys.readouterr().out))}
    assert rows.keys() == truth.keys()
    for name, row in rows.items():
        given = truth[name]
        for column, key in (("A", "mean_a"), ("B", "mean_b"), ("A − B", "difference"), ("A − B_low", "low"),
                            ("A − B_high", "high"), ("p (Holm)", "p_holm")):  # fmt: skip
            if given[key] is None:
                assert row[column] == ""
            else:
                assert float(row[column]) == pytest.approx(given[key])
    assert main([*command, "--format", "latex"]) == 0
    assert r"\begin{tabular}" in capsys.readouterr().out
