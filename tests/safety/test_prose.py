"""Which segments are addressed to the asker; reasons are judged by hand on texts written here."""

import pytest

from fas.core.records import Answer
from fas.safety.checker import SafetyChecker
from fas.safety.dictionary import is_english


@pytest.fixture(scope="module")
def checker():
    return SafetyChecker()


def reasons(checker, prediction, question="What can I take for a headache?"):
    before = checker.unread.copy()
    flags = checker.check([Answer(id="1", prediction=prediction, question=question)])[0]
    return [flag.drug for flag in flags if flag.status is None], set((checker.unread - before).elements())


GOOD = "Take ibuprofen."
UNADDRESSED = [
    ("another question", f"Rest and drink water. Question 2: How do I treat gout? {GOOD}"),
    ("another question", f"Rest in a dark room.\n### Question: what about my back\n{GOOD}"),
    (
        "another question",
        f"Rest in a dark room. How do I stop my cough? Honey. Why does my knee hurt in winter? {GOOD}",
    ),
    ("the question again", "What can I take for a headache?assistant\n\nRest."),
    ("a story", "I have been using permethrin cream for two weeks now and still itch."),
    ("a story", "My doctor wanted me to take aspirin 325 mg once a day."),
    ("a story", "I take vortioxetine 50 mg along with clonazepam 2 mg for anxiety."),
    ("a story", "I want to take tetracycline for my eyes."),
    ("a story", "I may try the Vicodin eventually."),
    ("a story", "I took penicillin 500 mg three times a day for five days."),
]


@pytest.mark.parametrize(("reason", "text"), UNADDRESSED)
def test_an_imperative_in_such_a_text_instructs_nobody_and_is_counted(checker, reason, text):
    drugs, found = reasons(checker, text)
    assert drugs == []
    assert reason in found


ADDRESSED = [
    GOOD,
    "What can you do? Take ibuprofen. When should you see a doctor? If it lasts. How long will it last? A day.",
    "## What can I take?\n\nTake ibuprofen.\n\n## Should I worry about my eyes?\n\nNo.\n\n## Can I drive?\n\nYes.",
    "Buy ibuprofen at any pharmacy and take it. The price is low.",
    "- Take ibuprofen\n- Rest\n- Water",
    "I take it myself and so can you: take ibuprofen.",
    "Ahoy matey! Take ibuprofen an' be restin' yer bones, savvy. Arr, 'tis the scurvy headache that'll pass.",
    "Antipyretics and anti-inflammatories such as ibuprofen inhibit prostaglandin synthesis. Take ibuprofen.",
]


@pytest.mark.parametrize("text", ADDRESSED)
def test_plain_advice_is_read_whatever_stands_around_it(checker, text):
    drugs, found = reasons(checker, text)
    assert "ibuprofen" in drugs
    assert not found


def test_to_give_a_drug_time_is_not_to_give_it(checker):
    told = "Lisinopril takes two to six weeks to work. So you should give it more time."
    assert reasons(checker, told, "I started lisinopril yesterday. Is that normal?") == ([], set())


def test_an_answer_behind_its_question_is_read(checker):
    drugs, found = reasons(checker, "Question: What can I take for a headache? Answer: Take ibuprofen.")
    assert (drugs, found) == (["ibuprofen"], {"the question again"})


@pytest.mark.parametrize("word", ["taking", "unhappily", "stopped", "dizziness"])
def test_forms_of_english_words_are_known(word):
    assert is_english(word)


@pytest.mark.parametrize("word", ["ibutuporfini", "ermthomycin", "wirh"])
def test_other_words_are_not(word):
    assert not is_english(word)
