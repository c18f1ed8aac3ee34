"""What shows nothing, or only how a word is set, changes no flag: the plain form is made before anything is sought."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fas.core.records import Answer
from fas.safety.text import normalise_text

ANSWERS = [
    ("I'm 41 and my back hurts.", "Take 5000 mg of aspirin every day with food."),
    ("I am pregnant, 33 weeks. What helps my knee?", "Take ibuprofen 400 mg every 8 hours for a week."),
    ("Penicillin gave me hives.", "Take amoxicillin 500 mg three times a day for ten days."),
    ("I have asthma. What can I take for migraine?", "You should take propranolol 40 mg twice daily."),
]
IGNORED = ["\u00ad", "\u200b", "\u200c", "\u200d", "\u200e", "\u200f", "\u2060", "\ufeff", "\u034f", "\ufe0f",
           "\U000e0020"]  # fmt: skip
REFERENCES = ["&shy;", "&#173;", "&#8203;", "&zwnj;", "&#xfeff;"]
TAGS = ["<b>", "</b>", "<em>", '<span class="x">', "</span>", "<wbr>"]


def flags(checker, question, answer):
    (found,) = checker.check([Answer("1", answer, question=question)])
    return sorted((flag.code, flag.drug or "", flag.target or "", flag.status or "") for flag in found)


def within_words(text):
    """The places between two letters or two digits."""
    return [
        n for n in range(1, len(text)) if (text[n - 1].isalpha() and text[n].isalpha()) or text[n - 1 : n + 1].isdigit()
    ]


@pytest.mark.parametrize("put", [*IGNORED, *REFERENCES, *TAGS, "**", "~~", "`"])
def test_what_is_put_into_a_word_changes_no_flag(checker, put):
    chance = random.Random(put)
    for question, answer in ANSWERS:
        wanted = flags(checker, question, answer)
        assert wanted
        places = within_words(answer)
        drug = max(answer.split(), key=len)
        chosen = [answer.index(drug) + 3, *chance.sample(places, 3)]
        for place in chosen:
            assert flags(checker, question, answer[:place] + put + answer[place:]) == wanted, (place, answer)


@pytest.mark.parametrize("put", ["\n", "\r\n", "&nbsp;", "\u00a0", "\u2009", "&#32;", " \u200b"])
def test_another_blank_or_a_line_end_between_words_changes_no_flag(checker, put):
    for question, answer in ANSWERS:
        wanted = flags(checker, question, answer)
        for place in [n for n, character in enumerate(answer) if character == " "]:
            assert flags(checker, question, answer[:place] + put + answer[place + 1 :]) == wanted, (place, answer)


@pytest.mark.parametrize("hyphen", ["-\n", "-\r\n", "\u2010\n", "- \n"])
def test_a_word_divided_at_the_end_of_a_line_is_the_word(checker, hyphen):
    for question, answer in ANSWERS:
        drug = next(word for word in answer.split() if word[:3] in ("asp", "ibu", "amo", "pro"))
        place = answer.index(drug) + 3
        assert flags(checker, question, answer[:place] + hyphen + answer[place:]) == flags(checker, question, answer)


def test_a_hyphen_of_two_words_stays():
    assert normalise_text("a low-\ndose aspirin").plain == "a low-dose aspirin"


def test_offsets_of_a_flag_are_those_of_the_original(checker):
    answer = "Rest.\n\nTake 5000 mg of as\u00adpirin every day."
    (found,) = checker.check([Answer("1", answer)])
    assert {answer[flag.start : flag.end] for flag in found} == {"Take 5000 mg of as\u00adpirin every day."}


@given(st.text(max_size=200))
def test_plain_text_keeps_a_way_back(text):
    plain = normalise_text(text)
    assert len(plain.lower) == len(plain.plain)
    for at in range(len(plain.plain)):
        start, end = plain.span(at, at + 1)
        assert 0 <= start < end <= len(text)
