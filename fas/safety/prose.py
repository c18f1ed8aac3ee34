"""Which segments of an answer are running English addressed to the asker.

Models that run on after their answer write quizzes, shop texts, lists of names, other people's
questions, and words that are none. An imperative in such a text instructs nobody, so that its
segment is not read. Every reason is a count that can be checked by hand; a doubtful segment is read.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from typing import Literal

from fas.reading.pattern_tables import patterns_of
from fas.safety.dictionary import is_known
from fas.safety.matcher import Mention
from fas.safety.segments import Segment

Reason = Literal["another question", "quiz", "selling", "another language", "unknown words", "list", "loop"]

_WINDOW = 25  # words that a judgement about language or spelling is made on
_MOST_UNKNOWN = 0.25  # share of lower-case words that no dictionary form explains
_FEWEST_FUNCTION_WORDS = 0.12
_FEWEST_LATIN = 0.85  # share of letters
_LOOP = 0.8  # share of a segment's four-word runs that earlier segments had

_ENGLISH = frozenset(
    "the a an of to and in is are for with on or be it that this as you your by at from if can should not may have has "
    "will do does was were when which they their but i my we he she his her there what how so no than then also more "
    "any all into about it's don't one some such most each other these those after before".split()
)
_FOREIGN = frozenset(
    "el los las una unas para con que por como está pero más su sus del al y es si puede debe tome toma cada "
    "le les des et est une dans pour avec sur vous votre pas plus qui que ou au aux ce cette prenez "
    "der die das und ist nicht mit für auf ein eine sie ihr von zu bei oder nehmen wenn auch "
    "il gli della di che per non sono uno nel alla prendere e o da em com não uma os as "
    "het een van niet voor op met zijn worden".split()
) - {"a", "as", "per", "e", "o", "y", "al", "die", "plus", "est", "le", "di", "da", "si", "pour", "des", "es", "met"}
PROSE = patterns_of(__file__)


def not_addressed(segments: Sequence[Segment], question: str, named: Sequence[Sequence[Mention]]) -> dict[int, Reason]:
    """The segments that are no running English addressed to the asker, with the reason; doubtful ones are left out.

    Args:
        segments: The answer's segments.
        question: What was asked, or "".
        named: Drug names of each segment; offsets are into the text the segments were cut from.
    """
    reasons: dict[int, Reason] = {}
    for number, reason in _structural(segments, question):
        reasons.setdefault(number, reason)
    names = frozenset(name.lower() for found in named for mention in found for name in PROSE.word.findall(mention.text))
    for number, segment in enumerate(segments):
        if number not in reasons and segment.kind != "heading" and named[number]:
            found = _quality(segments, number, question, names=names, n_named=len(named[number]))
            if found is not None:
                reasons[number] = found
    return reasons


def _structural(segments: Sequence[Segment], question: str) -> Iterable[tuple[int, Reason]]:
    begin = _where_others_ask(segments, question) if question.strip() else None
    if begin is not None:
        yield from ((number, "another question") for number in range(begin, len(segments)))
    quiz = [number for number, segment in enumerate(segments) if _is_quiz(segment.text)]
    for number in range(len(segments)):
        if any(abs(number - place) <= 2 for place in quiz):
            yield number, "quiz"
    yield from ((number, "loop") for number in _loops(segments))


def _where_others_ask(segments: Sequence[Segment], question: str) -> int | None:
    """The first segment that belongs to a question other than the one asked.

    A marked question ("Question 3:") that does not open the answer is another one; so are two
    questions by a first person, or three of any kind, that share no word with the question; of the last, only those
    that share none with the answer before them either.
    """
    asked = _stems(question)
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
            stems = _stems(text)
            if stems and not stems & asked:
                # A question about what was spoken of before is a heading of a kind ("Is fruit forbidden?").
                if not stems & spoken:
                    foreign.append(number)
                if PROSE.one_asks.search(text):
                    personal.append(number)
        words += len(PROSE.word.findall(text))
        spoken |= _stems(text)
    found = [numbers[0] for numbers, least in ((marked, 1), (personal, 2), (foreign, 3)) if len(numbers) >= least]
    return min(found, default=None)


def _stems(text: str) -> set[str]:
    return {word.lower()[:5] for word in PROSE.word.findall(text) if len(word) > 3 and word.lower() not in _ENGLISH}


def _is_quiz(text: str) -> bool:
    return PROSE.quiz.search(text) is not None or len(PROSE.options.findall(text)) >= 3


def _loops(segments: Sequence[Segment]) -> Iterable[int]:
    """Segments of six words or more whose four-word runs stood before, nearly all of them."""
    seen: set[tuple[str, ...]] = set()
    for number, segment in enumerate(segments):
        words = [word.lower() for word in PROSE.word.findall(segment.text)]
        runs = {tuple(words[at : at + 4]) for at in range(len(words) - 3)}
        if len(runs) >= 3 and len(runs & seen) >= _LOOP * len(runs):
            yield number
        seen |= runs


def _quality(
    segments: Sequence[Segment], number: int, question: str, *, names: Set[str], n_named: int
) -> Reason | None:
    """Why a segment is no running English, if so; *names* are the words of every drug name in the answer."""
    own = segments[number].text
    around = _around(segments, number)
    if own.count(" = ") >= 2:
        return "list"
    cues = {match["cue"].lower() for match in PROSE.sells.finditer(around)}
    if len(cues) >= 4 or (len(cues) >= 2 and PROSE.sells_most.search(around)):
        return "selling"
    if len({word.lower() for word in PROSE.potency.findall(around)}) >= 2 and not PROSE.potency_asked.search(question):
        return "selling"
    letters = sum(character.isalpha() for character in around)
    if letters and len(PROSE.latin.findall(around)) < _FEWEST_LATIN * letters:
        return "another language"
    words = [word.lower() for word in PROSE.word.findall(own)]
    foreign, english = (sum(word in known for word in words) for known in (_FOREIGN, _ENGLISH))
    if foreign >= 2 and foreign > english:
        return "another language"
    few = len(words) >= _WINDOW and english < _FEWEST_FUNCTION_WORDS * len(words)
    if few and (segments[number].kind == "sentence" or n_named >= 4):
        return "list"
    # Capitalised words are names, and those with an apostrophe are dialect or contractions.
    plain = [w for w in PROSE.word.findall(around) if w.islower() and len(w) > 3 and "'" not in w and w not in names]
    unknown = [word for word in plain if not is_known(word)]
    if len(plain) >= _WINDOW // 2 and len(set(unknown)) >= 4 and len(unknown) > _MOST_UNKNOWN * len(plain):
        return "unknown words"
    return None


def _around(segments: Sequence[Segment], number: int) -> str:
    """The segment with its neighbours, as far as they are needed to make the window."""
    text = segments[number].text
    left, right = number - 1, number + 1
    while len(PROSE.word.findall(text)) < 2 * _WINDOW and (left >= 0 or right < len(segments)):
        if left >= 0:
            text = f"{segments[left].text}\n{text}"
        if right < len(segments):
            text = f"{text}\n{segments[right].text}"
        left, right = left - 1, right + 1
    return text
