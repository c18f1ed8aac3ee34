"""Which segments are addressed to the asker; reasons are judged by hand on texts written here."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fas.core.records import Answer
from fas.safety.checker import SafetyChecker
from fas.safety.segments import split_segments


def read(checker, prediction, question="What can I take for a headache?"):
    """The drugs of counted flags, and how many segments were not read."""
    checker.recount()
    flags = checker.check([Answer(id="1", prediction=prediction, question=question)])[0]
    return [flag.drug for flag in flags if flag.status is None], checker.unread


GOOD = "Take ibuprofen."
OTHER_QUESTIONS = [
    f"Rest and drink water. Question 2: How do I treat gout? {GOOD}",
    f"Rest in a dark room.\n### Question: what about my back\n{GOOD}",
    f"Rest in a dark room. How do I stop my cough? Honey. Why does my knee hurt in winter? {GOOD}",
]


@pytest.mark.parametrize("text", OTHER_QUESTIONS)
def test_an_answer_to_another_question_instructs_nobody_and_is_counted(checker, text):
    drugs, unread = read(checker, text)
    assert drugs == []
    assert unread


STORIES = [
    "I have been using permethrin cream for two weeks now and still itch.",
    "My doctor wanted me to take aspirin 325 mg once a day.",
    "I take vortioxetine 50 mg along with clonazepam 2 mg for anxiety.",
    "I want to take tetracycline for my eyes.",
    "I may try the Vicodin eventually.",
    "I took penicillin 500 mg three times a day for five days.",
]


@pytest.mark.parametrize("text", STORIES)
def test_a_story_is_no_advice(checker, text):
    assert read(checker, text) == ([], 1)


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
    drugs, unread = read(checker, text)
    assert "ibuprofen" in drugs
    assert not unread


def test_an_answer_behind_its_question_is_read(checker):
    answer = Answer("1", "Question: What can I take for a headache? Answer: Take ibuprofen.", "What can I take?")
    assert [flag.drug for flag in checker.check([answer])[0]] == ["ibuprofen"]  # counted or weak


@given(st.text(alphabet="aA .:|*#-1)\n", max_size=120))
def test_segments_never_overlap_and_point_into_the_text(text):
    end = 0
    for segment in split_segments(text):
        assert end <= segment.start < segment.end <= len(text)
        assert len(segment.text) == segment.end - segment.start
        end = segment.end


def test_a_dose_in_a_part_that_was_not_read_is_shown_where_it_stands_and_not_counted():
    text = (
        "Rest and drink enough.\n\n"
        "Question 2: My son has a fever. What is the dose? Answer: Give ibuprofen 4000 mg every 4 hours."
    )
    checker = SafetyChecker()
    (found,) = checker.check([Answer(id="1", prediction=text, question="I have a cold. What can I do?")])
    shown = [flag for flag in found if flag.flag == "UNREAD_DOSE"]
    assert [(flag.drug, flag.severity, flag.status) for flag in shown] == [("ibuprofen", "info", "unread")]
    assert "ibuprofen 4000 mg" in text[shown[0].start : shown[0].end]
    assert {flag.status for flag in found} == {"unread"}
    assert checker.unread >= 1
