"""One reading of a text, for claims and for safety flags."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from fas.claims.segmentation import split_into_segments as claim_segments
from fas.core.records import Answer
from fas.models.parser import load_parser
from fas.safety.checker import SafetyChecker
from fas.text.reading.document import read, sentences

ANSWER = """## Pain

For a headache:

1. Take ibuprofen. Do not lie down.
   - With food
2. Rest

| Drug | Dose |
|---|---|
| paracetamol | 1 g |

```
Take acetaminophen 5000 mg twice a day.
```
Drink water.
"""


def test_the_same_text_is_read_once():
    assert read(ANSWER) is read("".join(list(ANSWER)))


def test_a_dose_in_a_fence_of_code_is_checked_and_is_no_claim():
    flags = SafetyChecker().check([Answer("1", ANSWER)])[0]
    at = ANSWER.index("Take acetaminophen")
    assert ("DOSE_ABOVE_MAX", "acetaminophen") in {(flag.flag, flag.drug) for flag in flags if flag.start >= at}
    found = [s.text for segment in claim_segments(ANSWER, load_parser()) for s in segment.sentences]
    assert found
    assert not any("acetaminophen" in text for text in found)


PIECES = [
    *("Take 5 mg. ", "Rest", "**bold** ", "- item\n", "1. one\n", "| a | b |\n", "|---|---|\n", "\n\n", "\n", "# H\n"),
    *("```\n", "❌ Take it. ", "“q” ", "[x](http://y) "),
]


@given(st.lists(st.sampled_from(PIECES), max_size=14).map("".join))
def test_every_character_of_a_block_comes_from_its_place_in_the_text(text):
    for block in read(text).blocks:
        for character, start, end in zip(block.text.text, block.text.starts, block.text.ends, strict=True):
            if start >= 0:
                assert 0 <= start < end <= len(text)
                assert character == text[start] or character in " .\"'" or text[start] == "❌"
        whole = block.text.span()
        spans = [one.span() for one in sentences(block)]
        assert all(
            span is None or (whole is not None and whole.start <= span.start < span.end <= whole.end) for span in spans
        )
