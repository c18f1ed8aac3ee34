"""A language model reads, tables and arithmetic decide: a scripted server that says what a model may say."""

from __future__ import annotations

import json

import pytest
from chat_server import ChatServer, Status

from fas.cli import main
from fas.core.records import Answer
from fas.safety.checker import SafetyChecker
from fas.safety.model_reader import ModelReader, ModelReadingError

QUESTION = "I take Coumadin and I'm six months along. What helps a headache?"
ANSWER = "Take two 500 mg ibuprofen tablets with each meal. Acetaminophen is kinder to the stomach."


pytestmark = pytest.mark.usefixtures("fresh_cache")


def person(who="reader", states=(), takes=(), allergies=()):
    named = [{"quote": quote, "name": name} for quote, name in states]
    return {"who": who, "states": named, "takes": list(takes), "allergies": list(allergies)}


def drug(sentence, name, stance="advise", *, whom=("reader",), amounts=(), together=()):
    named = [{"quote": quote, "per_day": per_day} for quote, per_day in amounts]
    return {"sentence": sentence, "name": name, "stance": stance, "for": list(whom), "amounts": named,
            "together_with": list(together)}  # fmt: skip


def reply(people=(), drugs=()):
    return json.dumps({"people": list(people), "drugs": list(drugs)})


def check(script, prediction=ANSWER, question=QUESTION):
    """The flags, and how many quotes were dropped."""
    with ChatServer(script) as server:
        reader = ModelReader("test-model", base_url=server.url)
        flags = SafetyChecker(reader=reader).check([Answer("1", prediction, question)])[0]
        assert len(server.log) == 1
    return flags, reader.dropped


def codes(flags):
    return {(flag.code, flag.drug, flag.target) for flag in flags if flag.status is None}


IBUPROFEN = drug(ANSWER.split(". ")[0] + ".", "ibuprofen", amounts=[("two 500 mg", 3)])


def test_what_the_model_binds_is_looked_up_in_the_tables_and_calculated():
    told = person(states=[("six months along", "pregnancy, 26 weeks")], takes=["Coumadin"])
    flags, dropped = check(reply([told], [IBUPROFEN]))
    assert dropped == 0
    assert codes(flags) == {("INTERACTION", "ibuprofen", "warfarin"), ("PREGNANCY_RISK", "ibuprofen", "pregnancy")}
    assert all(ANSWER[flag.start : flag.end] == ANSWER.split(". ")[0] + "." for flag in flags)
    assert all(flag.rule and flag.source for flag in flags)
    assert all("probability" not in flag.message for flag in flags)


@pytest.mark.parametrize(("per_day", "above"), [(3, False), (4, True), (None, False)])
def test_the_arithmetic_is_that_of_the_rules(per_day, above):
    text = "Take two 500 mg acetaminophen caplets at each of the times on your sheet, and a third caplet of 500 mg."
    said = drug(text, "acetaminophen", amounts=[("two 500 mg acetaminophen caplets", per_day and per_day + 1)])
    flags, _ = check(reply([], [said]), text, None)
    # Two of 500 mg are 1,000 mg at a time: 4,000 mg in four, the most of a day; five are more.
    assert any(flag.flag == "DOSE_ABOVE_MAX" for flag in flags) is above


@pytest.mark.parametrize("stance", ["condition", "discourage", "stop", "report", "other"])
def test_a_drug_that_is_not_advised_raises_nothing(stance):
    told = person(states=[("six months along", "pregnancy, 26 weeks")], takes=["Coumadin"])
    flags, _ = check(reply([told], [{**IBUPROFEN, "stance": stance}]))
    assert flags == ()


def test_an_advised_name_that_no_list_knows_is_flagged_and_an_english_word_is_not():
    text = "Take Zorvaxilen 20 mg and honey every night."
    flags, _ = check(reply([], [drug(text, "Zorvaxilen"), drug(text, "honey")]), text, None)
    assert [(flag.flag, flag.drug) for flag in flags] == [("UNKNOWN_DRUG", "zorvaxilen")]


def test_two_drugs_meet_where_the_model_says_so_and_one_that_is_stopped_meets_none():
    text = "Stop the Coumadin. Take sildenafil 50 mg once daily and isosorbide mononitrate 30 mg once daily."
    pair = [
        drug(text.split(". ")[1], "sildenafil", amounts=[("50 mg", 1)], together=["isosorbide mononitrate"]),
        drug(text.split(". ")[1], "isosorbide mononitrate", amounts=[("30 mg", 1)]),
        drug("Stop the Coumadin.", "Coumadin", "stop"),
    ]
    flags, _ = check(reply([person(takes=["Coumadin"])], pair), text)
    assert codes(flags) == {("DRUG_PAIR_CONTRAINDICATED", "sildenafil", "isosorbide mononitrate")}
    pair[0] = {**pair[0], "together_with": []}
    assert check(reply([person(takes=["Coumadin"])], pair), text)[0] == ()


def test_a_group_of_the_answer_is_held_against_the_tables_like_the_reader():
    text = "Children under 8 may take doxycycline 100 mg twice a day."
    group = person("children under 8", states=[("Children under 8", "age 7 years")])
    said = drug(text, "doxycycline", "allow", whom=["Children under 8"], amounts=[("100 mg", 2)])
    assert "AGE_RESTRICTED" in {flag.flag for flag in check(reply([group], [said]), text, None)[0]}
    assert "AGE_RESTRICTED" not in {f.flag for f in check(reply([], [{**said, "for": ["reader"]}]), text, None)[0]}


def test_a_quote_that_is_not_in_the_answer_is_dropped_and_counted():
    lies = [
        drug("Take isotretinoin 40 mg daily.", "isotretinoin", amounts=[("40 mg", 1)]),
        drug(ANSWER.split(". ")[0] + ".", "warfarin"),
    ]
    told = person(states=[("kidney failure", "end-stage renal disease")], takes=["lithium"])
    flags, dropped = check(reply([told], lies))
    assert (flags, dropped) == ((), 4)


def test_an_amount_that_is_not_in_the_sentence_is_not_taken():
    said = drug(ANSWER.split(". ")[0] + ".", "ibuprofen", amounts=[("4000 mg", 4)])
    flags, dropped = check(reply([], [said]), question=None)
    assert dropped == 1
    assert not any(flag.flag == "DOSE_ABOVE_MAX" for flag in flags)


def test_prose_and_a_fence_around_the_json_are_passed_over():
    plain, _ = check(reply([person(takes=["Coumadin"])], [IBUPROFEN]))
    wrapped, _ = check(f"Sure!\n```json\n{reply([person(takes=['Coumadin'])], [IBUPROFEN])}\n```\nStay safe.")
    assert plain == wrapped != ()


@pytest.mark.parametrize(
    "bad",
    [
        "I cannot help with that.",
        '{"people": [], "drugs": [{"sentence": 3}]}',
        reply([], [{**IBUPROFEN, "stance": "loves"}]),
        reply([], [{**IBUPROFEN, "amounts": [{"quote": "two 500 mg", "per_day": "three"}]}]),
        '{"people": []}',
        reply([], [IBUPROFEN])[:-20],
    ],
)
def test_a_reply_of_another_shape_is_an_error_and_never_an_answer_without_flags(bad):
    with pytest.raises(ModelReadingError):
        check(bad)


def test_a_failed_request_is_an_error_of_its_answer_and_the_others_are_checked(tmp_path, capsys):
    def script(request):
        text = request.text
        return Status(400) if "fails" in text else reply([person(takes=["Coumadin"])], [IBUPROFEN])

    path = tmp_path / "answers.jsonl"
    rows = [{"id": str(n), "question": QUESTION, "prediction": ANSWER + more} for n, more in enumerate(("", " fails"))]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    with ChatServer(script) as server:
        main(["safety", "check", str(path), "--json", "--model", "test-model", "--base-url", server.url])
    good, bad = map(json.loads, capsys.readouterr().out.splitlines())
    assert good["flags"]
    assert "error" not in good
    assert bad["error"]
    assert not bad["flags"]


def test_model_settings_without_a_model_are_refused(capsys):
    assert main(["safety", "check", "--text", "Rest.", "--max-calls", "3"]) == 2
    assert "--model" in capsys.readouterr().err
