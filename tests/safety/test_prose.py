"""Which segments are addressed to the asker; reasons are judged by hand on texts written here."""

import pytest

from fas.records import Answer
from fas.safety.checker import SafetyChecker
from fas.safety.dictionary import is_english
from fas.safety.prose import not_addressed
from fas.safety.segments import segments


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
    "Question: What can I take for a headache? Answer: Take ibuprofen.",
    "Ahoy matey! Take ibuprofen an' be restin' yer bones, savvy. Arr, 'tis the scurvy headache that'll pass.",
    "Antipyretics and anti-inflammatories such as ibuprofen inhibit prostaglandin synthesis. Take ibuprofen.",
]


@pytest.mark.parametrize("text", ADDRESSED)
def test_plain_advice_is_read_whatever_stands_around_it(checker, text):
    drugs, found = reasons(checker, text)
    assert "ibuprofen" in drugs
    assert not found


def test_the_repetition_of_a_sentence_is_not_read_and_its_first_time_is(checker):
    drugs, found = reasons(checker, "For the pain you should take ibuprofen now. " * 4)
    assert drugs == ["ibuprofen"]
    assert found == {"loop"}


def test_other_questions_are_told_from_the_one_asked_only_if_one_was_asked(checker):
    text = f"Rest and drink water. Question 2: How do I treat gout? {GOOD}"
    assert reasons(checker, text, question=None) == (["ibuprofen"], set())


@pytest.mark.parametrize("word", ["taking", "unhappily", "stopped", "dizziness"])
def test_forms_of_english_words_are_known(word):
    assert is_english(word)


@pytest.mark.parametrize("word", ["ibutuporfini", "ermthomycin", "wirh"])
def test_other_words_are_not(word):
    assert not is_english(word)


def test_a_brand_is_no_word_of_general_english():
    assert not is_english("advil")
    assert is_english("headaches")


def test_an_empty_answer_has_no_segment_to_leave_out():
    assert not_addressed(segments(""), "Headache?") == {}
