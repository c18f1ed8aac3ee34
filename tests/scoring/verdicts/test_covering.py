"""Coverage: what of its references an answer says, every number worked out by hand or counted anew."""

from __future__ import annotations

import json
import math

import pytest
from chat_server import ChatServer
from hypothesis import given
from hypothesis import strategies as st

import fas
from fas.cli import main
from fas.core.profile import PartSpec, load_profile
from fas.core.records import Answer, Claim
from fas.core.records.statements import HARM_WEIGHTS, CoveredStatement, Harm, Statement
from fas.report.results import read_results
from fas.scoring.verdicts.covering import find_harm, harm_rows, list_statements, measure_coverage

THINS, BLEEDS = "Aspirin thins the blood.", "It can cause stomach bleeding."
LEXICAL = load_profile("mini").override(
    verify=PartSpec("lexical"), claims=PartSpec("sentences"), safety=False, precision="fp32", coverage=True,
    n_resamples=50,
)  # fmt: skip


def score(**answer):
    report = fas.score_answers([answer], profile=LEXICAL, evidence="passages")
    return report.answers[0].as_dict(5)


def test_what_the_answer_says_is_covered_and_the_rest_omitted():
    found = score(prediction=THINS, references=[f"{THINS} {BLEEDS}"], passages=[THINS])
    assert (found["coverage"], found["omitted"], found["denied"]) == (0.5, 0.5, 0.0)
    assert [one["label"] for one in found["statements"]] == ["covered", "omitted"]
    assert found["support"] == 1.0
    assert found["fas_f1"] == pytest.approx(2 * 1.0 * 0.5 / 1.5)


def test_of_several_references_each_is_taken_alone_and_the_best_counts():
    found = score(prediction=THINS, references=[f"{BLEEDS} {THINS}", THINS, BLEEDS])
    assert (found["coverage"], found["reference"], found["n_statements"]) == (1.0, 2, 1)


def test_given_statements_take_the_place_of_references_and_nice_ones_are_apart():
    statements = [THINS, {"text": BLEEDS, "severity": "severe"}, {"text": "Aspirin is cheap.", "kind": "nice"}]
    found = score(prediction=THINS, references=["Something else."], statements=statements)
    assert (found["coverage"], found["coverage_nice"], found["reference"]) == (0.5, 0.0, None)
    assert [one.get("severity") for one in found["statements"]] == [None, "severe", None]


def test_the_harm_of_omissions_is_a_figure_beside_coverage_and_moves_no_other():
    grave, plain = "Seek immediate medical attention for chest pain.", "Aspirin is cheap."
    statements = [THINS, grave, {"text": plain, "severity": "mild"}, {"text": "It is taken daily.", "kind": "nice"}]
    found = score(prediction=f"{THINS} {plain}", references=[THINS], statements=statements, passages=[THINS])
    assert [(one.get("harm"), one.get("harm_kind")) for one in found["statements"]] == [
        (None, None), ("high", "red flag"), ("low", None), (None, None)
    ]  # fmt: skip
    assert found["omitted_harm"] == pytest.approx(1 / 1.25)
    assert found["coverage"] == pytest.approx(2 / 3)
    harmless = score(
        prediction=f"{THINS} {plain}", references=[THINS], passages=[THINS], statements=[THINS, "Rest helps."]
    )
    assert harmless["omitted_harm"] is None
    assert (harmless["fas"], harmless["fas_evidence"]) == (found["fas"], found["fas_evidence"])


def test_each_row_of_the_harm_table_finds_its_example_alone_in_its_kind():
    for row in harm_rows():
        assert row.severity in HARM_WEIGHTS
        found = [other for other in harm_rows() if other.finds(row.example) and other.kind == row.kind]
        assert found == [row]
        assert find_harm(Statement(row.example)) == Harm(row.severity, row.kind), row.example


@pytest.mark.parametrize(
    "text",
    ["There are no known interactions with ibuprofen.", "An attack lasts up to 72 hours.", "Aspirin thins the blood.",
     "Most people recover without requiring care."],
)  # fmt: skip
def test_statements_that_reassure_or_describe_have_no_harm(text):
    assert find_harm(Statement(text)) is None


def test_a_severity_of_the_input_counts_before_the_table():
    assert find_harm(Statement("The maximum dose is 4 g.", severity="Mild")) == Harm("low", "dose limit")
    assert find_harm(Statement("The maximum dose is 4 g.", severity="unheard of")) == Harm("high", "dose limit")


def test_a_run_that_does_not_look_has_the_fields_and_the_signature_it_had():
    report = fas.score_answers(
        [{"prediction": THINS, "references": [THINS], "passages": [THINS]}], profile=LEXICAL.override(coverage=False)
    )
    record = report.answers[0].as_dict(5)
    assert not {"coverage", "statements", "fas_f1"} & set(record)
    assert "coverage" not in report.signature
    assert "coverage" not in report.metrics


@given(st.lists(st.tuples(st.sampled_from(["covered", "omitted", "denied", "unverified"]),
                          st.sampled_from(["must", "nice"])), max_size=12))  # fmt: skip
def test_the_three_shares_are_of_what_was_judged_and_sum_to_one(labels):
    found = measure_coverage([CoveredStatement(Statement("x", kind), label) for label, kind in labels])
    must = [label for label, kind in labels if kind == "must" and label != "unverified"]
    if must:
        assert found.coverage + found.omitted + found.denied == pytest.approx(1)
        assert found.coverage == pytest.approx(must.count("covered") / len(must))
    else:
        assert math.isnan(found.coverage)


def test_a_sentence_of_a_reference_that_could_not_be_taken_apart_is_unverified_and_in_no_share():
    answers = [Answer("1", THINS, references=(f"{THINS} {BLEEDS}",))]
    (groups,) = list_statements(
        answers, lambda texts: [[Claim(THINS), Claim(BLEEDS, failure="no reply")] for _ in texts]
    )
    assert [one.failure for one in groups[0]] == [None, "no reply"]


def test_a_language_model_judges_the_statements_with_the_answer_as_its_passage():
    with ChatServer(lambda request: "True" if THINS in request.text else "False") as server:
        profile = load_profile("mini").override(
            claims=PartSpec("sentences"), safety=False, coverage=True,
            verify=PartSpec("provided", {"model": "m", "base_url": server.url}),
        )  # fmt: skip
        answer = {"prediction": "Rest is best.", "statements": [THINS, BLEEDS], "claims": [], "passages": [BLEEDS]}
        report = fas.score_answers([answer], profile=profile)
        asked = [request.text for request in server.log]
    assert [one.label for one in report.answers[0].coverage.statements] == ["covered", "omitted"]
    assert len(asked) == 2
    assert all("Rest is best." in text for text in asked)


def test_a_verifier_that_reads_no_passages_is_refused():
    profile = load_profile("mini").override(verify=PartSpec("internal", {"model": "m"}), coverage=True, safety=False)
    with pytest.raises(ValueError, match="cannot measure coverage"):
        fas.score_answers([{"prediction": THINS, "references": [THINS]}], profile=profile, evidence="none")


def test_the_command_writes_them_and_compare_and_the_page_read_them(tmp_path, capsys):
    rows = [
        {"id": str(i), "question": f"Q{i}?", "prediction": THINS, "references": [f"{THINS} {BLEEDS}"],
         "passages": [THINS]}
        for i in range(6)
    ]  # fmt: skip
    (tmp_path / "in.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    (tmp_path / "p.toml").write_text('[claims]\nname = "sentences"\n[verify]\nname = "lexical"\n', encoding="utf-8")
    command = ["score", str(tmp_path / "in.jsonl"), "-o", str(tmp_path / "out"), "--profile", str(tmp_path / "p.toml")]
    assert main([*command, "--coverage", "--no-safety", "--precision", "fp32"]) == 0
    out = capsys.readouterr().out
    assert "fas_f1" in out
    assert "coverage:references" in out
    report = json.loads((tmp_path / "out" / "report.json").read_text(encoding="utf-8"))
    assert report["metrics"]["coverage"]["mean"] == 0.5
    assert read_results(tmp_path / "out").metrics["coverage"].tolist() == [0.5] * 6
    assert main(["results", "compare", str(tmp_path / "out"), str(tmp_path / "out"), "--metric", "coverage"]) == 0
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert BLEEDS in page
    assert '"label":"omitted"' in page.replace(" ", "")
