"""What surrounds a statement and is not part of it: openings, attributions, talk.

`opening` finds phrases at the head of a sentence (`It is important to note that`, `Document [2] mentions that`);
`is_talk` tells sentences that state nothing about medicine (greetings, sympathy, offers, disclaimers, talk about the
answer itself, its sources, answer options and steps, what happened to one person).
"""

from __future__ import annotations

from fas.reading.mapped import Mapped
from fas.reading.pattern_tables import patterns_of

FRAMES = patterns_of(__file__)
_MOST_OPENINGS = 6


def on_behalf(prediction: str) -> bool:
    """Whether the answer passes on what a doctor said about this reader (`I spoke to your doctor`)."""
    return FRAMES.on_behalf.search(prediction) is not None


def opening(text: str) -> int:
    """Length of the phrases at the head of a sentence that add nothing to what it states."""
    done = 0
    of_sources = FRAMES.mark.search(text) is not None
    for _ in range(_MOST_OPENINGS):
        rest = text[done:]
        match = FRAMES.opening.match(rest) or (FRAMES.of_sources.match(rest) if of_sources else None)
        if match is None or not match.end() or not any(map(str.isalnum, rest[match.end() :])):
            break
        done += match.end()
    return done


def passed_on(text: str) -> bool:
    """Whether a sentence that begins as talk (`I spoke to your doctor and`) goes on to pass on advice."""
    return bool(FRAMES.passed_on.match(text))


def without_asides(text: Mapped) -> Mapped:
    """The sentence without `, however,`, `(Document 2)` and the like, which hide its subject from the parser."""
    return text.sub(FRAMES.cited, lambda match: "").sub(FRAMES.aside, lambda match: " ")


def is_question(text: str) -> bool:
    """Whether the sentence asks."""
    return bool(FRAMES.question.search(text) or (FRAMES.asking.match(text) and not text.rstrip().endswith((".", "!"))))


def is_talk(text: str) -> bool:
    """Whether the sentence is a greeting, sympathy, an offer, a disclaimer or about the answer itself.

    What an opening such as `The documents suggest that` introduces is no talk about documents.
    """
    return bool(
        FRAMES.talk.search(text) or (FRAMES.mark.search(text) and FRAMES.talk_of_sources.search(text[opening(text) :]))
    )
