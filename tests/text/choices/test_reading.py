"""Which option an answer chooses: a table of replies as models write them, and what may never be read as a choice."""

from __future__ import annotations

import pytest

from fas.core.errors import InputError
from fas.text.choices.options import read_options
from fas.text.choices.reading import option_lines, read_choice

FIVE = {
    "A": "Splint and early motion",
    "B": "Compression sleeve",
    "C": "Rest and a second look in a week",
    "D": "Washout of the infected knee",
    "E": "Fixation of the torn meniscus",
}
NUMBERS = {"A": "4", "B": "16", "C": "8", "D": "2"}
YES_NO = {"A": "yes", "B": "no"}
MAYBE = {"A": "yes", "B": "no", "C": "maybe"}
# A form that models write: the option in bold, a heading, prose that rules the others out, the option again.
SAMPLE = """**(D) Washout of the infected knee**

**Reasoning:**

Hot joint, cloudy fluid. Pus must leave it today.

* (A) A splint does nothing for an infection.
* (B) A sleeve is for swelling after sport.
* (C) A week of pus costs the cartilage.
* (E) Nothing is torn.

Therefore I choose washout of the infected knee (option D)."""


@pytest.mark.parametrize(
    ("answer", "options", "letter"),
    [
        ("(E)", FIVE, "E"),
        ("E", FIVE, "E"),
        ("E.", FIVE, "E"),
        ("**Answer**: (B) 16", NUMBERS, "B"),
        ("(C) 8", NUMBERS, "C"),
        ("Answer: C", NUMBERS, "C"),
        ("E) Fixation of the torn meniscus", FIVE, "E"),
        ("E: fixation, since the meniscus is torn.", FIVE, "E"),
        ("Fixation of the torn meniscus.", FIVE, "E"),
        ("Answer: Fixation of the torn meniscus", FIVE, "E"),
        ("16", NUMBERS, "B"),
        ("The answer is E, not D.", FIVE, "E"),
        ("The runner is young. The correct answer is (E).", FIVE, "E"),
        ("The most likely explanation is B.", NUMBERS, "B"),
        ("Option E is correct. Option D would treat an infection.", FIVE, "E"),
        ("I would choose option E.", FIVE, "E"),
        ("A fever would speak for sepsis. The answer is A.", FIVE, "A"),
        ("**Final answer:** **(E)**", FIVE, "E"),
        ("Reasoning first.\n\nAnswer: (E) Fixation of the torn meniscus", FIVE, "E"),
        ("(E) Fixation.\n\nThe meniscus has torn.\n\nAnswer: E", FIVE, "E"),
        (SAMPLE, FIVE, "D"),
        ("Yes, it does.", YES_NO, "A"),
        ("No.", YES_NO, "B"),
        ("Answer: no", YES_NO, "B"),
        ("Maybe: the trials disagree.", MAYBE, "C"),
        ("The trials agree.\n\nAnswer: yes", MAYBE, "A"),
        ("(A) yes", YES_NO, "A"),
    ],
)
def test_the_option_that_a_reply_states_is_read(answer, options, letter):
    assert read_choice(answer, options) == (letter, None)


@pytest.mark.parametrize(
    ("answer", "options", "reason"),
    [
        ("", FIVE, "empty"),
        ("  \n", FIVE, "empty"),
        ("A fever of 39 degrees is expected here.", FIVE, "no option"),
        ("The diagnosis is a fever.", FIVE, "no option"),
        ("The correct answer is not D.", FIVE, "no option"),
        ("Vitamin D is low. Hepatitis B was ruled out.", FIVE, "no option"),
        ("The answer is (A) or (B).", FIVE, "A, B"),
        ("The answer is A and C.", FIVE, "A, C"),
        ("(A) or (B)", FIVE, "A, B"),
        ("(A) A splint.\n\nOn reflection, the answer is B.", FIVE, "A, B"),
        ("(D) Wash it out.\n\nSome words between.\n\n(E) Fix it.", FIVE, "D, E"),
        ("The answer is F.", FIVE, "no option"),
        ("(H) Something else", FIVE, "no option"),
        ("(A) is for sprains.\n(B) is for sport.\n(C) harms.", FIVE, "chooses none"),
        ("Both are possible. Yes or no depends on the dose.", YES_NO, "no option"),
        ("Yes.\n\nNo.", YES_NO, "A, B"),
    ],
)
def test_what_states_no_option_or_two_is_not_read(answer, options, reason):
    choice = read_choice(answer, options)
    assert choice.letter is None
    assert reason in choice.reason


def test_lines_that_look_like_options_have_exact_places():
    text = "Words.\n  **Answer**: (B) 16\n"
    (line,) = option_lines(text)
    assert text[line.start : line.end] == "**Answer**: (B) 16"
    assert text[line.rest : line.end] == "16"


@pytest.mark.parametrize(
    "value", [{}, {"A": "yes"}, ["yes"], "yes", {"1": "yes", "B": "no"}, {"A": "", "B": "no"}, ["no", "No"], None]
)
def test_options_that_are_none_are_refused(value):
    with pytest.raises(InputError, match="options"):
        read_options(value, "questions.jsonl, line 1")
