"""The sentences of an answer as its claims, without a model: what LEAF checks one by one.

A sentence is verified as it stands, so a verifier that reads only the claim (`nli`) sees its pronouns unresolved; one
that reads the question, too (`rafe`), does not need them resolved. Markdown is taken apart as for every other
extractor: list items and table rows are sentences of their own, headings and code are none.

In the answer to a multiple-choice question the line that names the option states something, too: `(C) 8` and
`**Answer**: (B) 16` are one statement each, as written, with their letter. A letter alone states nothing that could
be read by itself, and neither does a number.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, get_args

from fas.claims.llm.units import Unit, answer_units
from fas.core.records import Answer, Claim
from fas.text.choices.reading import OptionLine, option_lines
from fas.text.reading.pattern_tables import load_patterns
from fas.text.sentences import sentence_spans

Headings = Literal["keep", "drop"]
_VERSION = 1
WHOLE = load_patterns(__file__)


class WholeSentences:
    """One claim a sentence.

    Args:
        headings: `drop` leaves headings out, `keep` makes a claim of each.

    Raises:
        ValueError: The option is neither.
    """

    def __init__(self, *, headings: Headings = "drop") -> None:
        if headings not in get_args(Headings):
            raise ValueError(f"claim extractor 'sentences': `headings` must be 'keep' or 'drop', got {headings!r}")
        self.headings = headings

    @property
    def signature(self) -> str:
        """E.g. `sentences[1]`."""
        return f"sentences[{_VERSION}{',headings=keep' if self.headings == 'keep' else ''}]"

    def extract(self, answers: Sequence[Answer]) -> list[list[Claim]]:
        """The sentences of each answer, in the order of the text, each with its place."""
        return [
            [Claim(unit.text, unit.start, unit.end) for unit in self._find_units(answer.prediction)]
            for answer in answers
        ]

    def _find_units(self, prediction: str) -> list[Unit]:
        units = [unit for unit in answer_units(prediction) if not _is_bare(unit.text)]
        # A list of all options is prose about them: its items are sentences without their letters, as in any list.
        added = [_state_option(prediction, line) for line in option_lines(prediction) if not line.listed]
        if self.headings == "keep":
            added += _find_headings(prediction)
        for one in added:
            if one is not None:
                units = [unit for unit in units if unit.end <= one.start or one.end <= unit.start]
                units.append(one)
        return sorted(units, key=lambda unit: unit.start)


class GivenClaims:
    """For runs in which all claims are given; asks no model, and an answer without claims is an error.

    The pipeline never asks it about an answer that brings its claims.
    """

    signature = "given"

    def extract(self, answers: Sequence[Answer]) -> list[list[Claim]]:
        """Nothing for no answer.

        Raises:
            ValueError: There is an answer, which then has no claims of its own.
        """
        if answers:
            raise ValueError("the answer brings no `claims`, and the claim extractor 'given' finds none")
        return []


def _state_option(prediction: str, line: OptionLine) -> Unit | None:
    """The statement of an option line: the letter with its first sentence; None for a letter alone."""
    rest = prediction[line.rest : line.end]
    if not any(character.isalnum() for character in rest):
        head = _clean(prediction[line.start : line.end])
        return Unit(head, line.start, line.end) if not _is_bare(head) else None
    spans = list(sentence_spans(rest))
    end = line.rest + spans[0][1] if spans else line.end
    return Unit(_clean(prediction[line.start : end]), line.start, end)


def _find_headings(prediction: str) -> list[Unit | None]:
    found: list[Unit | None] = []
    start = 0
    for raw in prediction.splitlines(keepends=True):
        line = raw.strip()
        match = WHOLE.title.match(line)
        if match and any(character.isalpha() for character in line):
            begin = start + raw.index(line)
            found.append(Unit(_clean(line).rstrip(":"), begin, begin + len(line)))
        start += len(raw)
    return found


def _clean(text: str) -> str:
    return " ".join(WHOLE.marks.sub("", text).split())


def _is_bare(text: str) -> bool:
    """Whether a text is a letter by itself, with or without brackets, or holds no letter at all."""
    words = re.findall(r"\w+", text)
    return not any(character.isalpha() for character in text) or (
        len(words) == 1 and bool(re.fullmatch("[A-Ja-j]", words[0]))
    )
