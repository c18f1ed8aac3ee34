"""The reference metrics by the published packages, and a finished run checked against them."""

from __future__ import annotations

import json

import pytest

from fas.cli import main
from fas.core.records import Answer
from fas.reference.bertscore import default_layer
from fas.reference.packages import PackageScorer
from fas.reference.scorer import ReferenceScorer

ROWS = [
    {"id": "a", "prediction": "Aspirin lowers the risk of stroke (by 20%), doesn't it?",
     "references": ["Aspirin reduces the risk of stroke.", "The risk of stroke falls with aspirin."]},
    {"id": "b", "prediction": "", "references": ["Rest."]},
    {"id": "c", "prediction": "Rest helps.", "references": ["", "Rest helps."]},
    {"id": "d", "prediction": "No reference."},
]  # fmt: skip


def answers():
    return [Answer(row["id"], row["prediction"], references=tuple(row.get("references", ()))) for row in ROWS]


def test_the_packages_give_the_same_scores(fresh_cache):
    given = [answer for answer in answers() if answer.references]
    packages = PackageScorer(layer=default_layer("fas-encoder-mini"))
    for one, answer in zip(ReferenceScorer(precision="fp32", cache=False).score(given), given, strict=True):
        other = packages.score(answer.prediction, answer.references)
        for name in ("rouge1", "rouge2", "rougeL", "bleu4", "bertscore_f1"):
            assert getattr(one, name) == pytest.approx(getattr(other, name), abs=1e-5, nan_ok=True), name


def test_a_finished_run_is_checked_and_a_changed_number_is_found(tmp_path, fresh_cache, capsys):
    source = tmp_path / "a.jsonl"
    source.write_text("".join(json.dumps({**row, "passages": []}) + "\n" for row in ROWS))
    out = tmp_path / "out"
    assert main(["score", str(source), "-o", str(out), "--quiet", "--precision", "fp32", "--no-safety",
                 "--n-resamples", "20"]) == 0  # fmt: skip
    assert main(["results", "check-reference", str(out)]) == 0
    assert "3 answers: the packages agree" in capsys.readouterr().out
    scores = out / "scores.jsonl"
    lines = [json.loads(line) for line in scores.read_text().splitlines()]
    lines[2]["rouge2"] += 0.01
    scores.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert main(["results", "check-reference", str(out), "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert found["largest"]["rouge2"] == pytest.approx(0.01)
    assert found["where"]["rouge2"] == "c"


def test_an_answer_of_special_tokens_alone_has_the_bertscore_of_the_package(tmp_path, fresh_cache, capsys):
    source, out = tmp_path / "a.jsonl", tmp_path / "out"
    texts = {"a": "[SEP]", "b": "", "c": "Zinc shortens colds.", "d": "[CLS] [SEP]"}
    rows = [
        {"id": name, "prediction": text, "references": [texts["c"]], "passages": []} for name, text in texts.items()
    ]
    source.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert main(["score", str(source), "-o", str(out), "--quiet", "--precision", "fp32", "--no-safety",
                 "--n-resamples", "20"]) == 0  # fmt: skip
    scores = out / "scores.jsonl"
    lines = [json.loads(line) for line in scores.read_text().splitlines()]
    assert [line["bertscore_f1"] for line in lines] == [0.0, 0.0, pytest.approx(1.0, abs=1e-5), 0.0]
    assert main(["results", "check-reference", str(out)]) == 0
    # A score that the packages have and the run lacks is a disagreement, and not passed over.
    lines[0]["bertscore_f1"] = None
    scores.write_text("".join(json.dumps(line) + "\n" for line in lines))
    capsys.readouterr()
    assert main(["results", "check-reference", str(out), "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert (found["largest"]["bertscore_f1"], found["where"]["bertscore_f1"]) == (None, "a")
