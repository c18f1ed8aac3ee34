"""Which segments of an answer are addressed to the asker.

Models that run on after their answer write other people's questions, stories, and themselves again, and some begin with
the question. Such a text instructs nobody, so that its segment is not read. Every reason is a count that can be checked
by hand; a doubtful segment is read.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from fas.safety.segments import SafetySegment
from fas.text.reading.pattern_tables import load_patterns

Reason = Literal["another question", "loop", "the question again", "a story"]

_LOOP = 0.8  # share of a segment's four-word runs that earlier segments, or the question, had

_ENGLISH = frozenset(
    "the a an of to and in is are for with on or be it that this as you your by at from if can should not may have has "
    "will do does was were when which they their but i my we he she his her there what how so no than then also more "
    "any all into about it's don't one some such most each other these those after before".split()
)
PROSE = load_patterns(__file__)


def is_not_addressed(segments: Sequence[SafetySegment], question: str) -> dict[int, Reason]:
    """The segments that are not addressed to the asker, with the reason; doubtful ones are left out.

    Args:
        segments: The answer's segments.
        question: What was asked, or "".
    """
    reasons: dict[int, Reason] = dict.fromkeys(_find_stories(segments), "a story")
    reasons |= dict.fromkeys(_find_loops(segments), "loop")
    reasons |= dict.fromkeys(_find_echoes(segments, question), "the question again")
    begin = _find_other_questions(segments, question) if question.strip() else None
    if begin is not None:
        reasons |= dict.fromkeys(range(begin, len(segments)), "another question")
    return reasons


def _find_other_questions(segments: Sequence[SafetySegment], question: str) -> int | None:
    """The first segment that belongs to a question other than the one asked.

    A marked question ("Question 3:") that does not open the answer is another one; so are two
    questions by a first person, or three of any kind, that share no word with the question; of the last, only those
    that share none with the answer before them either.
    """
    asked = _list_stems(question)
    foreign: list[int] = []
    personal: list[int] = []
    marked: list[int] = []
    spoken: set[str] = set()
    words = 0
    for number, segment in enumerate(segments):
        text = segment.text
        if words and (PROSE.marked_question.search(text) or (PROSE.marked_answer.search(text) and words > 12)):
            marked.append(number)
        elif words and segment.kind == "sentence" and text.rstrip(" \"'*_)").endswith("?"):
            stems = _list_stems(text)
            if stems and not stems & asked:
                # A question about what was spoken of before is a heading of a kind ("Is fruit forbidden?").
                if not stems & spoken:
                    foreign.append(number)
                if PROSE.one_asks.search(text):
                    personal.append(number)
        words += len(PROSE.word.findall(text))
        spoken |= _list_stems(text)
    found = [numbers[0] for numbers, least in ((marked, 1), (personal, 2), (foreign, 3)) if len(numbers) >= least]
    return min(found, default=None)


def _list_stems(text: str) -> set[str]:
    return {word.lower()[:5] for word in PROSE.word.findall(text) if len(word) > 3 and word.lower() not in _ENGLISH}


def _find_stories(segments: Sequence[SafetySegment]) -> Iterable[int]:
    """Segments in which the writer tells what they take or took, and addresses nobody."""
    for number, segment in enumerate(segments):
        spoken = PROSE.speaks_to.search(segment.text) or PROSE.ends_asking.search(segment.text)
        if not spoken and PROSE.tells.search(segment.text):
            yield number


def _find_echoes(segments: Sequence[SafetySegment], question: str) -> Iterable[int]:
    """Segments that say the question's words again as its asker: they ask, or speak in the first person."""
    asked = _list_runs(question)
    for number, segment in enumerate(segments):
        runs = _list_runs(segment.text)
        own_voice = PROSE.ends_asking.search(segment.text) or PROSE.one_asks.search(segment.text)
        if own_voice and len(runs) >= 3 and len(runs & asked) >= _LOOP * len(runs):
            yield number


def _find_loops(segments: Sequence[SafetySegment]) -> Iterable[int]:
    """Segments of six words or more whose four-word runs stood before, nearly all of them."""
    seen: set[tuple[str, ...]] = set()
    for number, segment in enumerate(segments):
        runs = _list_runs(segment.text)
        if len(runs) >= 3 and len(runs & seen) >= _LOOP * len(runs):
            yield number
        seen |= runs


def _list_runs(text: str) -> set[tuple[str, ...]]:
    """Every four words that follow one another, in lower case."""
    words = [word.lower() for word in PROSE.word.findall(text)]
    return {tuple(words[at : at + 4]) for at in range(len(words) - 3)}
