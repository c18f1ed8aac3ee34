"""The script that compares extractors without a judge, on two answers counted by hand."""

import json
import subprocess
import sys

import pytest

pytestmark = pytest.mark.slow

ANSWERS = [
    {"id": "a", "prediction": "Rest helps the back. Take ibuprofen with food. Is that clear?"},
    {"id": "b", "prediction": "I hope this helps!"},
    {"id": "c", "prediction": "Aspirin thins the blood."},
]
CLAIMS = [
    {
        "id": "a",
        "claims": [
            {"text": "Rest helps the back.", "start": 0, "end": 20},
            {"text": "Take ibuprofen with food.", "start": 21, "end": 46},
            {"text": "Rest helps the back.", "start": 0, "end": 20},
            {"text": "It should be taken with food.", "start": 21, "end": 46, "context": "Ibuprofen."},
        ],
    },
    {"id": "b", "claims": []},
    {"id": "c", "claims": [{"text": "Aspirin thins the blood.", "start": 0, "end": 24, "failure": "medscore: empty"}]},
]

SCRIPT = (sys.executable, "-m", "benchmarks.claims.quality")


@pytest.fixture(scope="module")
def results(root, tmp_path_factory):
    folder = tmp_path_factory.mktemp("quality")
    for name, rows in (("answers", ANSWERS), ("claims", CLAIMS)):
        (folder / f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows)) + "\n", encoding="utf-8")
    arguments = [folder / "answers.jsonl", f"medscore={folder / 'claims.jsonl'}", "sentences", "--nli", "none"]
    done = subprocess.run(
        [*SCRIPT, *arguments, "--out", folder / "out.json"], cwd=root, capture_output=True, text=True, timeout=250
    )
    assert done.returncode == 0, done.stderr
    return done.stdout, json.loads((folder / "out.json").read_text(encoding="utf-8"))


def test_the_table_has_a_column_for_each_method_and_a_row_for_each_measure(results):
    lines = [line for line in results[0].splitlines() if line.startswith("|")]
    assert lines[0] == "| measure | medscore | sentences |"
    assert {line.count("|") for line in lines} == {4}
    assert any(line == "| claims per answer | 2 | 1.33 |" for line in lines)
