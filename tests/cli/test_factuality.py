"""`fas results factuality` on result folders written here, with every number worked out by hand."""

from __future__ import annotations

import json
import math
import re
import statistics

import pytest

from fas.cli import main
from fas.report.factuality import factuality_report

FAST = {"n_resamples": 200}


def claim(text, label="supported", start=None, end=None, **more):
    return {"text": text, "start": start, "end": end, "label": label, "evidence": [], **more}


def record(name, prediction, claims, question=None, error=None, **meta):
    return {
        "id": name,
        "question": question,
        "prediction": prediction,
        "meta": meta,
        "claims": claims,
        "error": error,
    }


@pytest.fixture
def folder(tmp_path):
    def write(name, records):
        path = tmp_path / name
        path.mkdir()
        (path / "scores.jsonl").write_text("".join(json.dumps(one) + "\n" for one in records))
        return path

    return write


def means(report, run=0):
    return {name: summary.mean for name, summary in report.runs[run].metrics.items()}


def two_answers():
    return [
        record("a", "One two. Three four.", [claim("One two."), claim("Three four five.", "unsupported")], kind="x"),
        record("b", "Six. Seven. Eight.", [], kind="y"),
        record("c", "Nine.", [claim("Nine."), claim("Ten.", "contradicted"), claim("Eleven.", "unverified")], kind="x"),
        record("line:4", "", [], error={"type": "json", "line": 4, "field": None, "message": "bad"}),
    ]


def test_claims_a_sentence_vary_over_sentences_by_hand(folder):
    text = "One two. Three four. Five."
    claims = [{**claim(words), "start": start, "end": start + 5} for words, start in (("A.", 0), ("B.", 4), ("C.", 21))]
    other = [{**claim("D."), "start": 0, "end": 4}]
    placeless = [{**claim("E."), "start": None, "end": None}]
    found = factuality_report(
        [folder("out", [record("a", text, claims), record("b", "Six.", other), record("c", "Six.", placeless)])], **FAST
    )
    # Sentences have 2, 0, 1 and 1 claims; where the claim of the third answer comes from is not known.
    assert found.runs[0].spread["claims_per_sentence"]["sd"] == pytest.approx(statistics.stdev([2, 0, 1, 1]))


def test_the_scores_of_a_folder_by_hand(folder):
    report = factuality_report([folder("out", two_answers())], **FAST)
    assert report.k == 2  # the upper median of 2, 0, 3
    found = means(report)
    penalty = (math.exp(1 - 10 / 2), math.exp(1 - 10 / 3))
    assert found["factuality"] == 0.5
    assert found["length_penalty"] == pytest.approx(sum(penalty) / 2)
    assert found["factuality_penalised"] == pytest.approx(0.5 * sum(penalty) / 2)
    # One true claim each for a and c, K = 2: recall 1/2, precision 1/2; b has none.
    assert found["f1@2"] == pytest.approx((0.5 + 0 + 0.5) / 3)
    assert found["zero_claim_rate"] == pytest.approx(1 / 3)
    assert found["claims_per_answer"] == pytest.approx(5 / 3)
    assert found["claims_per_sentence"] == pytest.approx(5 / 6)
    # Penn Treebank tokens with the full stop: 3 + 4 + 2 + 2 + 2.
    assert found["tokens_per_claim"] == pytest.approx(13 / 5)
    (run,) = report.runs
    assert (run.n, run.n_failed, run.n_claims, run.n_unverified, run.n_unread) == (3, 1, 5, 1, 0)
    assert report.notes() == [
        "1 answer ended in an error record, in no score",
        "1 of 5 claims are unverified and in no share",
    ]


def test_decompscore_and_the_verifiable_rate_by_a_verifier(folder, tmp_path):
    (tmp_path / "words.toml").write_text('[verify]\nname = "lexical"\nthreshold = 0.9\n')
    prediction = "Ibuprofen lowers fever. Honey soothes cough."
    claims = [
        claim("Ibuprofen lowers fever.", start=0, end=23),
        claim("Zinc shortens colds.", start=24, end=len(prediction)),
        claim("Honey soothes cough.", start=None),
    ]
    path = folder(
        "out",
        [
            record("a", prediction, claims, spans=["Ibuprofen lowers fever.", "Honey soothes cough."]),
            record("b", "Nothing.", [], spans=["Nothing."]),
            record("c", "Fine.", [claim("Fine.")], spans=[]),
        ],
    )
    report = factuality_report([path], entailment=str(tmp_path / "words.toml"), verifiable="spans", **FAST)
    found = report.runs[0].metrics
    # One of a's two claims with a place is entailed by its sentence; b and c have none with a place.
    assert found["decompscore"].mean == pytest.approx(1 / 3)
    assert (found["decompscore_share"].mean, found["decompscore_share"].n) == (0.5, 1)
    # Two of a's three claims follow from its verifiable parts; b is verifiable and empty; c is not verifiable.
    assert (found["verifiable_rate"].mean, found["verifiable_rate"].n) == (pytest.approx(2 / 3), 1)
    assert (found["adjusted_verifiable_rate"].mean, found["adjusted_verifiable_rate"].n) == (
        pytest.approx((2 / 3 - 1) / 2),
        2,
    )
    assert report.entailment == "lexical[1], t=0.9"


def test_two_runs_give_differences_and_changes(folder):
    def run(labels, **context):
        return [
            record(f"{i}", "She coughs.", [claim("She coughs.", label, 0, 11, context="The patient coughs.")], f"q{i}")
            for i, label in enumerate(labels)
        ]

    a = folder("a", run(["unsupported", "unsupported", "supported", "supported"]))
    b = folder("b", run(["supported", "supported", "supported", "unverified"]))
    report = factuality_report([a, b], **FAST)
    assert (report.n_common, report.n_aligned, report.n_unaligned) == (4, 3, 1)
    difference = report.differences["factuality"]
    # Only the three answers with a score in both: 1/3 against 1.
    assert (difference.mean_a, difference.mean_b, difference.n) == (pytest.approx(1 / 3), 1.0, 3)
    assert difference.difference == pytest.approx(-2 / 3)
    found = {name: summary.mean for name, summary in report.changes.items()}
    assert found == {
        "changed": pytest.approx(2 / 3),
        "false_to_true": pytest.approx(2 / 3),
        "false_to_true_replaced": 1.0,
        "true_to_false": 0.0,
    }
    same = factuality_report([a, a], **FAST)
    assert {d.difference for d in same.differences.values()} == {0.0}
    assert same.changes["changed"].mean == 0.0


def test_the_command_prints_a_table_and_json(folder, capsys):
    path = str(folder("out", two_answers()))
    assert main(["results", "factuality", path, "--n-resamples", "100"]) == 0
    shown = capsys.readouterr().out
    assert re.search(r"^factuality +0\.500 +0\.\d+ +too few \(2\) +2$", shown, re.MULTILINE)
    assert re.search(r"^f1@2 +0\.333", shown, re.MULTILINE)
    assert "! 1 of 5 claims are unverified" in shown
    assert main(["results", "factuality", path, "--n-resamples", "100", "--json", "--at", "3", "--gamma", "2"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["k"], found["gamma"]) == (3, 2.0)
    assert found["runs"][0]["metrics"]["length_penalty"]["mean"] == 1.0
    other = str(folder("out2", two_answers()))
    assert main(["results", "factuality", path, other, "--n-resamples", "100"]) == 0
    shown = capsys.readouterr().out
    assert re.search(r"^factuality +0\.500 +0\.500 +\+0\.000", shown, re.MULTILINE)
    assert "judgements of 4 claims that both runs judged" in shown
