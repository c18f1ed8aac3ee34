"""The command that counts faulty claims, on answers whose faults are known by hand."""

import json

from fas.cli import main


def answers_with_given_claims(tmp_path):
    """Two answers with claims of which each fault is known by hand, and one without a claim."""
    prediction = "Ibuprofen reduces fever in adults. Rest helps the immune system recover from a cold."
    rows = [
        {
            "id": "a",
            "prediction": prediction,
            "claims": ["Take ibuprofen to reduce fever in adults.", "Ibuprofen reduces fever in adults."],
        },
        {"id": "b", "prediction": prediction, "claims": ["It reduces fever in adults.", "I spoke with the doctor."]},
        {"id": "c", "prediction": "", "claims": []},
    ]
    path = tmp_path / "answers.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_the_command_names_the_faults_of_each_claim_and_counts_them(tmp_path, capsys):
    path = answers_with_given_claims(tmp_path)
    assert main(["claims", str(path), "--quality"]) == 0
    shown = capsys.readouterr().out
    assert "  - Take ibuprofen to reduce fever in adults. [incorrectly structured]\n" in shown
    assert "  - Ibuprofen reduces fever in adults. [redundant]\n" in shown
    assert "  - It reduces fever in adults. [context-dependent]\n" in shown
    rows = {line[:23].strip(): line[23:].split()[:3] for line in shown.split("interval\n")[1].splitlines()[1:9]}
    assert rows["incorrectly structured"][:2] == ["1", "4"]
    assert rows["context-dependent"] == ["1", "4", "25.0%"]
    assert rows["any of these"] == ["4", "4", "100.0%"]
    assert rows["answers without a claim"] == ["1", "3", "33.3%"]
