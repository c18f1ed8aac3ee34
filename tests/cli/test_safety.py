"""`fas safety` and the evaluate measurement, used as a user does."""

import io
import json
import re

import pytest

from fas.cli import main


def run(*arguments):
    return main(["safety", "check", *arguments])


def test_one_text_with_its_question(capsys):
    assert run("--question", "I have asthma.", "--text", "Take propranolol 40 mg twice daily.") == 0
    out = capsys.readouterr().out
    assert out.startswith("1: 1 flag\n")
    assert "CONTRAINDICATED: recommends propranolol to a patient with asthma" in out


def test_a_file_and_standard_input_give_the_same_lines(tmp_path, capsys, monkeypatch):
    lines = '{"id": "a", "prediction": "Take ibuprofen."}\n{"id": "b", "prediction": ""}\n'
    path = tmp_path / "answers.jsonl"
    path.write_text(lines)
    assert run(str(path), "--json") == 0
    first = capsys.readouterr().out
    monkeypatch.setattr("sys.stdin", io.StringIO(lines))
    assert run("-", "--json") == 0
    assert capsys.readouterr().out == first
    records = [json.loads(line) for line in first.splitlines()]
    assert [(r["id"], [f["code"] for f in r["flags"]]) for r in records] == [
        ("a", ["MISSING_DOSAGE.amount"]),
        ("b", []),
    ]


@pytest.mark.slow
def test_the_measurement_loads_and_counts():
    import evaluate

    from fas.integrations.evaluate_modules.location import module_path

    measurement = evaluate.load(module_path("drug_safety"))
    result = measurement.compute(
        predictions=["Take propranolol 40 mg twice daily.", "Rest."], questions=["I have asthma.", None]
    )
    assert result["flag_rate"] == 0.5
    assert result["rates"] == {"CONTRAINDICATED": 0.5}
    with pytest.raises(ValueError, match="give one question per answer"):
        measurement.compute(predictions=["Rest."], questions=["a", "b"])


def test_the_command_says_which_tables_it_looked_in_and_leaves_out_a_kind_of_flag(capsys):
    asked = ("--question", "I take warfarin.", "--text", "Take ibuprofen 400 mg three times daily.")
    assert run(*asked) == 0
    out = capsys.readouterr().out
    assert "INTERACTION" in out
    assert re.search(r"looked in rules [\d.]+: contraindications \d+, pairs \d+, interactions \d+,", out)
    assert run(*asked, "--without", "INTERACTION") == 0
    assert "1: 0 flags" in capsys.readouterr().out
