"""Tables out of runs: `fas tables`, `--format`, `output_dir=`, and a benchmark scored on answers of one's own."""

from __future__ import annotations

import csv
import io
import json

import numpy as np
import pytest
from report_data import make_records, make_report, write_records

import fas
from fas.cli import main

ANSWERS = [
    {"id": "a", "question": "q1", "prediction": "Metformin helps.", "passages": ["Metformin helps adults."]},
    {"id": "b", "question": "q2", "prediction": "Rest helps.", "passages": ["Rest helps in flu."]},
]  # fmt: skip
FAST = {"verify": "lexical", "claims": "sentences", "safety": False}


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


def mean_of(records, name):
    return float(np.mean([r[name] for r in records if r[name] is not None]))


def test_tables_of_folders_without_a_data_set_or_model_name_the_folders(two, capsys):
    one, other, folder = two
    command = ["tables", str(folder / "one"), str(folder / "two"), "-o", str(folder / "t"), "--n-resamples", "50"]
    assert main([*command, "--no-plots"]) == 0
    rows = list(csv.DictReader((folder / "t" / "models.csv").open(encoding="utf-8")))
    assert [row["model"] for row in rows] == ["one", "two"]
    assert "data set" not in rows[0]
    for row, records in zip(rows, (one, other), strict=True):
        assert float(row["ROUGE-L"]) == pytest.approx(mean_of(records, "rougeL"))
        assert float(row["FAS"]) == pytest.approx(mean_of(records, "fas"))
    names = {path.name for path in (folder / "t").iterdir()}
    assert {"models.md", "models.tex", "models.csv", "tables.md"} <= names
    assert not [name for name in names if name.endswith(".png")]
    assert "(none)" not in (folder / "t" / "models.md").read_text(encoding="utf-8")


def test_one_folder_gets_its_tables_with_plots_inside_and_one_is_printed_as_latex(two, capsys):
    _, _, folder = two
    assert main(["tables", str(folder / "one"), "--table", "models", "--n-resamples", "50"]) == 0
    assert (folder / "one" / "tables" / "models.png").stat().st_size > 1000
    capsys.readouterr()
    command = ["tables", str(folder / "one"), "--table", "models", "--n-resamples", "50"]
    assert main([*command, "--format", "latex"]) == 0
    assert r"\toprule" in capsys.readouterr().out


def test_a_comparison_as_csv_has_the_numbers_of_its_json(two, capsys):
    _, _, folder = two
    command = ["compare", str(folder / "one"), str(folder / "two"), "--n-resamples", "60"]
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


def test_systems_and_correlations_come_as_markdown(two, capsys):
    _, _, folder = two
    result(folder / "three", seed=0, shift=0.2)
    runs = [str(folder / name) for name in ("one", "two", "three")]
    assert main(["compare", *runs, "--n-resamples", "40", "--metric", "rougeL", "--format", "markdown"]) == 0
    text = capsys.readouterr().out
    assert text.count("\n| rougeL |") == 5  # three systems, two differences
    gold = folder / "gold.jsonl"
    gold.write_text("".join(json.dumps({"id": f"q{i:04d}", "gold": i % 2}) + "\n" for i in range(1, 39)))
    command = ["correlate", str(folder / "one"), str(gold), "--n-resamples", "40", "--metric", "rougeL"]
    assert main([*command, "--json"]) == 0
    truth = json.loads(capsys.readouterr().out)["metrics"]["rougeL"]
    assert main([*command, "--format", "csv"]) == 0
    (row,) = csv.DictReader(io.StringIO(capsys.readouterr().out))
    assert float(row["Spearman"]) == pytest.approx(truth["spearman"]["value"])
    assert float(row["AUROC_high"]) == pytest.approx(truth["auroc"]["high"])
    assert main([*command, "--format", "markdown", "--against", "rougeL"]) in (0, 2)


def test_output_dir_writes_what_the_command_writes(tmp_path):
    report = fas.score_answers(ANSWERS, output_dir=tmp_path / "out", by=[], **FAST)
    source = tmp_path / "answers.jsonl"
    source.write_text("".join(json.dumps(one) + "\n" for one in ANSWERS), encoding="utf-8")
    command = ["score", str(source), "-o", str(tmp_path / "cli"), "--quiet", "--verify", "lexical"]
    assert main([*command, "--claims", "sentences", "--no-safety"]) == 0
    for name in ("scores.jsonl", "report.html", "report.json", "run.json"):
        assert (tmp_path / "out" / name).is_file()
    lines = [(tmp_path / where / "scores.jsonl").read_text(encoding="utf-8") for where in ("out", "cli")]
    assert lines[0] == lines[1]
    one, other = (json.loads((tmp_path / where / "report.json").read_text()) for where in ("out", "cli"))
    for name in ("metrics", "signature", "n", "variance", "flags"):
        assert one[name] == other[name]
    assert len(report.answers) == 2
