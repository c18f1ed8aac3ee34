"""What the numbers of a text say, put behind them in words, for a model that reads words better than numbers.

A cross-encoder of this size hardly learns which of two numbers is larger, and soon reads "lower with A than with B"
(`recipes/README.md`). So the comparison is written into the text: "9.2% (lower) with A and 11.3% (higher) with B". Only
models that were trained on such texts get them: their `config.json` names the version (`CONFIG_KEY`).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from fas.models.readout.records import is_record, record_notes
from fas.models.readout.sentences import Note, sentence_notes

VERSION = 1
"""Raised whenever a text is read out otherwise; weights go with the version they were trained on."""

CONFIG_KEY = "fas_read_out"
"""Where a model's `config.json` names the version its premises were read out with; absent or 0 for none."""


def read_out(text: str) -> str:
    """*text* with words behind its numbers; unchanged where there is nothing to say.

    >>> read_out("Bleeding occurred in 9.2% with apixaban and 11.3% with warfarin (P = 0.02).")
    'Bleeding occurred in 9.2% (lower) with apixaban and 11.3% (higher) with warfarin (P = 0.02, significant).'
    >>> read_out("The hazard ratio was 0.97 (95% CI 0.88-1.07).")
    'The hazard ratio was 0.97 (95% CI 0.88-1.07, no significant difference).'
    >>> read_out("Sodium rose from 131 to 138 mmol/L.")
    'Sodium rose from 131 to 138 (higher) mmol/L.'
    >>> read_out("Adverse Events 1: Nausea 0/62 (0.00%) Adverse Events 2: Nausea 3/64 (4.69%)")
    'Adverse Events 1: Nausea 0/62 (0.00%) (none, lower) Adverse Events 2: Nausea 3/64 (4.69%) (higher)'
    """
    return read_out_part(text, notes_on(text), 0, len(text))


def notes_on(text: str) -> list[Note]:
    """What `read_out` puts into *text*, in its order."""
    return sorted(record_notes(text) if is_record(text) else sentence_notes(text))


def read_out_part(text: str, notes: Sequence[Note], start: int, end: int) -> str:
    """The characters from *start* to *end* of *text* with those of its *notes* (in order) that belong to them.

    A part of a record says of its counts how they compare with the group that stands in another part.
    """
    first = bisect_right(notes, start, key=lambda note: note.place)
    parts, done = [], start
    for place, words in notes[first : bisect_right(notes, end, key=lambda note: note.place)]:
        parts += [text[done:place], words]
        done = place
    return "".join([*parts, text[done:end]])
