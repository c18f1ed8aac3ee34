"""Markdown to blocks: structure, cleaning and exact offsets, against cases written by hand."""

import html

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fas.text.reading.document import read
from fas.text.reading.inline import clean
from fas.text.reading.mapped import Mapped


def prose(text):
    return read(text).prose


def blocks(text):
    return [(block.kind, block.text.text) for block in prose(text)]


def cleaned(text):
    return clean(Mapped.whole(text)).text


def test_headings_bullets_and_steps_are_different_blocks():
    text = "# Treatment\n\nRest helps.\n\n- one thing\n* another\n1. first step\n2) second step\n"
    assert blocks(text) == [
        ("heading", "Treatment"),
        ("paragraph", "Rest helps."),
        ("item", "one thing"),
        ("item", "another"),
        ("item", "first step"),
        ("item", "second step"),
    ]


def test_an_answer_behind_the_marks_of_a_heading_is_an_answer():
    text = "### Answer: Buspirone helps in anxiety. It may cause dizziness.\n"
    text += "## Side effects: Nausea is common. It soon passes."
    assert blocks(text) == [
        ("paragraph", "Buspirone helps in anxiety. It may cause dizziness."),
        ("heading", "Side effects:"),
        ("paragraph", "Nausea is common. It soon passes."),
    ]
    sentence = (
        "Cefdinir is a cephalosporin for infections of the ear, the throat, the nose, the chest, the skin and much else"
    )
    sentence += " in adults"
    assert blocks(f"# {sentence}") == [("paragraph", sentence)]
    assert [kind for kind, _ in blocks("### 2. What is St. John's wort good for?")] == ["heading"]


@pytest.mark.parametrize("mark", "-=_*.~#")
@pytest.mark.parametrize("length", [3, 50, 200, 2_000, 20_000])
def test_a_row_of_marks_of_any_length_swallows_no_line(mark, length):
    row, follows = mark * length, "Take it with food."
    for first in (f"{row} Summary", row, f"Summary {row}", f"{row} Summary {row}", f"{row}  {row}"):
        kinds = blocks(f"{first}\n{follows}")
        assert kinds[-1] == ("paragraph", follows), (first[-20:], kinds[-1][1][-60:])
    if mark in "-=_*" or (mark == "." and length > 3):  # "~~~ word" opens a fence
        assert blocks(f"{row} Summary\n{follows}")[0] == ("heading", "Summary")


def test_fenced_code_is_left_out_but_fenced_prose_is_read():
    assert blocks("Before.\n```python\nprint('x')\n```\nAfter it.") == [
        ("paragraph", "Before."),
        ("paragraph", "After it."),
    ]
    assert blocks("```markdown\nRest helps.\n```") == [("paragraph", "Rest helps.")]


def test_a_fence_that_never_closes_swallows_nothing():
    assert ("paragraph", "Rest helps.") in blocks("Before.\n```\nRest helps.\n")


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("Take **two** tablets", "Take two tablets"),
        ("***very*** _important_ and `code`", "very important and code"),
        ("see [the label](https://example.org/a_(b)) first", "see the label first"),
        ("It helps [1].", "It helps."),
        ("It helps [1, 2-4] and lasts【5†source】.", "It helps and lasts."),
        ("It helps (Smith et al., 2019).", "It helps."),
        ("It helps (Smith & Jones, 2019; Lee, 2020a).", "It helps."),
        ("It helps (https://example.org/x).", "It helps."),
        ("Read https://example.org/x?y=1, then rest.", "Read, then rest."),
        ("It helps (PMID: 12345678).", "It helps."),
        ("Use &lt;5 mg &amp; rest", "Use <5 mg & rest"),
        ("don\u2019t \u201cstop\u201d", 'don\'t "stop"'),
        ("a\u200bb and \u00adsoft", "ab and soft"),
        ("dose:  5\u00a0mg", "dose: 5 mg"),
        ("It works.It helps.", "It works. It helps."),
        ("2*3*4 is 24 and p < 0.05", "2*3*4 is 24 and p < 0.05"),
        ("snake_case_name stays", "snake_case_name stays"),
        ("\U0001f600 Drink water \u2705", "Drink water"),
        ("alpha \u03b1 and \u03b2-blockers", "alpha \u03b1 and \u03b2-blockers"),
    ],
)
def test_what_is_no_part_of_the_text_is_cleaned_away(raw, expected):
    assert cleaned(raw) == expected


def test_nul_and_lone_surrogates_leave_the_text_but_not_the_offsets():
    text = "Rest\x00helps \ud800now"
    found = clean(Mapped.whole(text))
    assert found.text == "Rest helps now"
    span = found.span(len("Rest helps "))
    assert text[span.start : span.end] == "now"


@given(st.text(max_size=300))
def test_every_kept_character_has_its_place_in_the_text(text):
    found = clean(Mapped.whole(text))
    for character, start, end in zip(found.text, found.starts, found.ends, strict=True):
        source = text[start:end]
        assert source
        straight = source.translate(
            str.maketrans("\u2018\u2019\u201a\u201b\u02bc\u201c\u201d\u201e\u201f", "'''''\"\"\"\"")
        )
        assert character == " " or character in straight or character in html.unescape(source)


@given(st.text(max_size=400))
def test_no_text_makes_the_reader_fail(text):
    prose(text)


def test_a_heading_needs_no_space_behind_its_marks_and_a_hashtag_in_a_sentence_is_none():
    assert blocks("#Side effects\nNausea.\n##Dose\n5 mg.") == [
        ("heading", "Side effects"),
        ("paragraph", "Nausea."),
        ("heading", "Dose"),
        ("paragraph", "5 mg."),
    ]
    assert blocks("#Zinc is a metal.") == [("paragraph", "#Zinc is a metal.")]
