"""`report.show` and `run.show`: the answer that is asked for, whole, and nothing in it becomes markup."""

from __future__ import annotations

import pytest
from report_data import make_records, write_records

import fas
from fas.core.records.shown import ShownAnswer
from fas.results import Run


@pytest.fixture
def run(tmp_path):
    return Run.open(write_records(tmp_path / "run", make_records(45)))


def test_every_claim_and_sentence_of_the_evidence_is_in_text_and_page(run):
    record = run.answers[1]
    shown = run.show(record["id"])
    for view in (str(shown), shown._repr_html_()):
        assert record["claims"]
        for claim in record["claims"]:
            assert claim["text"] in view
            assert all(passage["sentence"] in view for passage in claim["evidence"])
        assert f"{record['fas']:.3f}" in view


def test_marks_leave_the_text_as_it_is(run):
    record = run.answers[2]
    html = ShownAnswer(record)._repr_html_()
    assert html.count("<mark") == len(record["claims"])
    assert all(f">{claim['text']}</mark>" in html for claim in record["claims"])


def test_text_of_an_answer_never_becomes_markup(run):
    record = dict(run.answers[1])
    bad = "<script>x</script>&"
    record |= {"id": bad, "question": bad, "prediction": bad}
    record["claims"] = [claim | {"text": bad, "start": 0, "end": 8} for claim in record["claims"]]
    record["flags"] = [{"flag": bad, "code": bad, "severity": "high", "message": bad}]
    assert "<script" not in ShownAnswer(record)._repr_html_()


def test_a_failed_answer_says_why(run):
    assert "field 'prediction': missing" in str(run.show("line:40"))


def test_an_unknown_id_is_refused_with_similar_ones(run):
    with pytest.raises(LookupError, match="did you mean 'q0041'"):
        run.show("q0041x")


def test_a_report_shows_the_answers_it_keeps():
    answers = [{"id": "7", "prediction": "Aspirin relieves pain.", "passages": ["Aspirin relieved pain."]}]
    report = fas.score_answers(answers, safety=False, verify="lexical")
    shown = report.show(7)
    assert "Aspirin relieved pain." in str(shown)
    (score,) = report.answers
    (verdict,) = score.verdicts
    explained = fas.verify_claim("Aspirin relieves <pain>.", "Aspirin relieved pain.", verify="lexical")
    for view in (shown._repr_html_(), score._repr_html_(), verdict._repr_html_()):
        assert "Aspirin relieved pain." in view
    assert "relieves &lt;pain&gt;" in explained._repr_html_()
    assert score._repr_html_() == shown._repr_html_().replace("@5", "")
