"""A log beside evidence, its judge asked again, and its mean corrected by labels: each against a hand computation."""

import json
import math
import re
from pathlib import Path

import numpy as np
import pytest
from chat_server import ChatServer

from fas.cli import main
from fas.core.errors import InputError
from fas.core.profile import load_profile
from fas.integrations.logs.audit import audit_logs
from fas.integrations.logs.judge import ask_again, follow_features
from fas.integrations.logs.reading import Log
from fas.integrations.logs.records import LoggedAnswer, make_score
from fas.integrations.logs.scores import correct_score, read_labels
from fas.llm import chat_model

MADE = Path(__file__).parent / "made"


def make_log(values, texts=None, **fields):
    return Log(
        (Path("log.jsonl"),),
        "table",
        tuple(
            LoggedAnswer(
                str(n), str(n), prediction="One." if texts is None else texts[n], question="Why?",
                scores={"score": make_score(value, "score by judge")}, **fields,
            )
            for n, value in enumerate(values)
        ),
    )  # fmt: skip


@pytest.fixture(scope="module")
def audited(tmp_path_factory):
    out = tmp_path_factory.mktemp("audit")
    return audit_logs([MADE / "inspect.eval"], out, profile=load_profile("mini")), out


def test_the_answer_that_the_judge_praised_and_its_passage_contradicts_comes_first(audited):
    found, out = audited
    worst = found.apart[0]
    assert (worst.answer.unit, worst.logged, found.main) == ("q3", 1.0, "model_graded_qa")
    assert worst.checked.counts.n_contradicted == 1
    written = json.loads((out / "audit.json").read_text())
    assert [row["id"] for row in written["answers"]][:2] == ["q3", "q3#2"]
    assert len(written["answers"]) == 8  # the four failed judgements are compared with nothing
    assert (out / "claims" / "report.html").is_file()


def test_the_page_shows_the_contradicted_claim_beside_its_sentence_and_escapes_text(audited, tmp_path):
    page = (audited[1] / "audit.html").read_text()
    assert "Statins reduced LDL cholesterol by 38%" in page
    rows = [{"prediction": "<script>alert(1)</script> Aspirin relieves pain.", "score": 1, "passages": ["Pain."]}]
    path = tmp_path / "log.jsonl"
    path.write_text(json.dumps(rows[0]) + "\n")
    audit_logs([path], tmp_path / "out", profile=load_profile("mini"))
    assert "<script" not in (tmp_path / "out" / "audit.html").read_text()


def test_a_judge_that_likes_length_is_seen_in_ranks():
    texts = ["word " * n for n in range(1, 31)]
    rows = follow_features(make_log(np.arange(30) / 30, texts), "score", {str(n): n % 3 for n in range(30)})
    length = next(row for row in rows if row["feature"].startswith("length"))
    assert length["spearman"] == pytest.approx(1.0)
    assert length["given_evidence"] == pytest.approx(1.0)


def test_at_equal_evidence_nothing_is_left_of_a_score_that_is_the_evidence():
    rng = np.random.default_rng(1)
    ours = rng.random(200)
    texts = ["word " * int(1 + 50 * one) for one in ours]
    noisy = ours + rng.normal(0, 0.2, 200)
    rows = follow_features(make_log(noisy, texts), "score", {str(n): ours[n] for n in range(200)})
    length = next(row for row in rows if row["feature"].startswith("length"))
    assert length["spearman"] > 0.6
    assert abs(length["given_evidence"]) < 0.15


def ask(log, reply):
    with ChatServer(reply) as server:
        return ask_again(log, "score", chat_model("judge", base_url=server.url, cache="off"))


def test_scores_that_a_judge_does_not_repeat_do_not_survive():
    # Logged 1, 1, 0, 0 and always 1 when asked again: two of four lie a whole scale apart.
    found, rows = ask(make_log([1, 1, 0, 0]), lambda request: '{"score": 1}')
    assert found["not_survived"]["mean"] == pytest.approx(0.5)
    assert (found["n"], found["n_requests"], found["n_unread"], found["n_logged_prompts"]) == (4, 16, 0, 0)
    assert found["moved_by_form"] == 0.0
    assert [row["again"] for row in rows] == [1.0] * 4


def test_a_judge_that_prefers_lists_and_references_first_is_measured():
    def judge(request):
        text = request.text
        listed = bool(re.search(r"^- ", text, re.MULTILINE))
        first = "Reference" in text and text.index("Reference") < text.index("Answer to be graded")
        return json.dumps({"score": 0.2 + 0.3 * listed + 0.6 * first})

    found, _ = ask(make_log([0.2] * 6, references=("Because.",)), judge)
    changes = {name: one["mean"] for name, one in found["changes"].items()}
    assert changes == pytest.approx(
        {"list instead of sentences": 0.3, "longer, with nothing stated": 0.0, "reference first": 0.6}
    )
    assert found["moved_by_form"] == 1.0


def test_what_the_log_says_its_judge_was_sent_is_sent_again():
    sent = []

    def judge(request):
        sent.append(request.text)
        return "Well. GRADE: I"

    log = make_log([1.0])
    prompt = "Grade this: One. Reply with GRADE: C or GRADE: I."
    log.answers[0].scores["score"] = make_score("C", "score by judge", prompt=prompt)
    found, _ = ask(log, judge)
    assert prompt in sent
    assert (found["n_logged_prompts"], found["not_survived"]["mean"]) == (1, 1.0)


def test_a_reply_without_a_number_is_counted_and_is_no_score():
    found, _ = ask(make_log([1, 1]), lambda request: "I cannot say.")
    assert (found["n_unread"], found["not_survived"]["n"]) == (8, 0)


def test_labels_correct_a_judge_that_is_too_kind():
    # The judge says 1 of everything; people say 1 of half of a random half.
    gold = {str(n): (float(n % 4 < 2), None) for n in range(0, 200, 1) if n % 8 < 4}
    row = correct_score(make_log([1.0] * 200), "score", gold)
    assert row["raw"] == 1.0
    assert row["mean"] == pytest.approx(0.5)
    assert row["low"] < 0.5 < row["high"]


def test_labels_of_all_answers_give_their_own_mean_and_a_good_judge_narrows_the_interval():
    rng = np.random.default_rng(2)
    truth = (rng.random(400) < 0.6).astype(float)
    judge = np.where(rng.random(400) < 0.15, 1 - truth, truth)  # errs in more than 5 of 100, so that it is used
    log = make_log(judge)
    whole = correct_score(log, "score", {str(n): (truth[n], None) for n in range(400)})
    assert whole["mean"] == pytest.approx(truth.mean())
    some = correct_score(log, "score", {str(n): (truth[n], None) for n in rng.choice(400, 100, replace=False)})
    assert some["high"] - some["low"] < 2 * 1.96 * math.sqrt(0.24 / 100)  # than that of 100 labels alone
    # The answers are themselves a sample: with all 400 labelled the interval would still be 2 * 1.96 * 0.0245 = 0.096.
    assert some["least_width"] == pytest.approx(0.096, abs=0.01)
    assert (some["labels_to_halve"] is None) == (some["least_width"] > some["width"] / 2)


def test_a_label_of_no_answer_names_file_line_and_what_there_is(tmp_path):
    path = tmp_path / "labels.jsonl"
    path.write_text('{"id": "x", "value": 1}\n')
    with pytest.raises(InputError, match=r"labels.jsonl, line 1: field 'id': the log has no answer 'x'"):
        read_labels(path, ["0"])


def test_the_command_writes_what_it_prints(tmp_path, capsys):
    argv = ["audit", str(MADE / "promptfoo.json"), "-o", str(tmp_path / "out"), "--no-claims", "--json"]
    assert main([*argv, "--metric", "llm-rubric"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed == json.loads((tmp_path / "out" / "audit.json").read_text())
    assert [one["name"] for one in printed["scores"]] == ["llm-rubric"]
    assert main([*argv, "--metric", "nothing"]) == 2
    assert "llm-rubric" in capsys.readouterr().err
