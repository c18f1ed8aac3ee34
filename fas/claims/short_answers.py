"""What an answer of a word or two says: a decision, items, or nothing that could be checked."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from fas.claims.clause import capitalised
from fas.claims.decisions import Decision, bare_decision
from fas.claims.frames import is_question, is_talk
from fas.claims.qa2d import Decided, Frame
from fas.claims.question_shapes import read_question
from fas.reading.mapped import Mapped, Span
from fas.reading.pattern_tables import patterns_of
from fas.reading.trees import FINITE, Sentence, parse
from fas.records import Answer, Claim
from fas.text.abstention import says_nothing

if TYPE_CHECKING:
    from spacy.language import Language

SHORT_ANSWERS = patterns_of(__file__)
_MOST_WORDS_AN_ITEM = 30
MOST_WORDS = 120
"""An answer of more words is no short one, whatever it looks like."""


_UNNAMED = frozenset("it this that these those they he she".split())


def repeats_words(text: str, question: str) -> bool:
    """Whether *text* of four words or more has one of at least four letters that stands in *question*, too."""
    words = set(re.findall(r"[^\W_]{4,}", text.lower()))
    return len(text.split()) >= 4 and bool(words & set(re.findall(r"[^\W_]{4,}", question.lower())))


def items(text: str, *, several: bool) -> list[Span]:
    """The spans of what *text* lists, without marks and joining words; one span where it is one thing.

    Lines and bullets are items, else what semicolons part, else what commas part outside of brackets and numbers:
    always where *several* are asked for, otherwise only from three on.

    >>> [tuple(span) for span in items("dementia, gait (slow, broad), and incontinence", several=True)]
    [(0, 8), (10, 28), (34, 46)]
    >>> [tuple(span) for span in items("type A and type B", several=False)]
    [(0, 17)]
    """
    lines = [Span(start, end) for start, end in _split(text, 0, len(text), "\n")]
    lines = [line for line in (_trimmed(text, span) for span in lines) if line is not None]
    if len(lines) > 1:
        return lines
    found: list[Span] = []
    for line in lines:
        for mark in (";", ","):
            parts = list(_split(text, line.start, line.end, mark))
            if len(parts) > (1 if several or mark == ";" else 2):
                break
        else:
            parts = [(line.start, line.end)]
        if len(parts) > 1 or several:
            last = parts.pop()
            parts += _joined(text, last)
        found += [span for span in (_trimmed(text, Span(*part)) for part in parts) if span is not None]
    return found


def _may_be_phrase(text: str) -> bool:
    """Whether nothing that is cheap to see makes *text*, an item or a line of items, a sentence, talk or a question."""
    words = text.split()
    most = _MOST_WORDS_AN_ITEM * (1 + text.count(",") + text.count(";"))
    if not 0 < len(words) <= most or not re.search(r"\w", text) or SHORT_ANSWERS.boundary.search(text):
        return False
    if is_talk(text) or (len(words) > 1 and SHORT_ANSWERS.addressed.search(text)):
        return False
    # What ends with a colon is the lead of a list, which is read with its items.
    return not is_question(text) and not text.rstrip().endswith((":", "?"))


def _is_phrase(text: str, parsed: Sequence[Sentence]) -> bool:
    """Whether *text* is a phrase that can fill a gap, no sentence and no command."""
    words = text.split()
    if len(words) > 1 and parsed and parsed[0].root == 0 and parsed[0].tokens[0].tag == "VB":
        return False
    return len(words) <= 2 or not any(_is_sentence(sentence) for sentence in parsed)


def _is_sentence(sentence: Sentence) -> bool:
    """Whether a finite verb has a subject before it, outside of relative clauses."""
    for token in sentence.tokens:
        if token.tag not in FINITE or token.dep.split(":")[0] in {"acl", "amod", "compound"}:
            continue
        verb = sentence.tokens[token.head] if token.dep.split(":")[0] in {"aux", "cop"} else token
        if verb.dep.startswith("acl"):
            continue
        subject = sentence.child(verb.i, "nsubj", "csubj", "expl")
        if subject is not None and subject.i < token.i and subject.lower not in {"which", "that", "who"}:
            return True
    return False


def _split(text: str, start: int, end: int, mark: str) -> Iterator[tuple[int, int]]:
    """The parts of the range between the *mark*s that stand outside of brackets and numbers."""
    depth, begin = 0, start
    for place in range(start, end):
        character = text[place]
        if character in "([{":
            depth += 1
        elif character in ")]}":
            depth = max(0, depth - 1)
        elif character == mark and (depth == 0 or mark == "\n") and not _within_number(text, place):
            yield begin, place
            begin = place + 1
    yield begin, end


def _within_number(text: str, place: int) -> bool:
    """`1,000` and `5,6-EET` are one."""
    return text[place] == "," and text[place - 1 : place].isdigit() and text[place + 1 : place + 2].isdigit()


def _joined(text: str, part: tuple[int, int]) -> list[tuple[int, int]]:
    """The two sides of the last `and`, if each can stand alone; *part* itself otherwise."""
    start, end = part
    piece = text[start:end]
    matches = [match for match in SHORT_ANSWERS.joining.finditer(piece) if _outside(piece, match.start())]
    if len(matches) != 1:
        return [part]
    before, after = piece[: matches[0].start()].strip(), piece[matches[0].end() :].strip()
    # "poly- and dermatomyositis", "5 and 10 mg": what is said of the first stands behind the second.
    if not before or not after or before.endswith("-") or re.fullmatch(r"[\d.]+", before) or len(after.split()) > 8:
        return [part]
    return [(start, start + matches[0].start()), (start + matches[0].end(), end)]


def _outside(text: str, place: int) -> bool:
    before = text[:place]
    return sum(before.count(mark) for mark in "([{") <= sum(before.count(mark) for mark in ")]}")


def _trimmed(text: str, span: Span) -> Span | None:
    """Without white space, list marks, a joining word, and the stop at the end."""
    start, end = span
    piece = text[start:end]
    for pattern in (SHORT_ANSWERS.mark, SHORT_ANSWERS.edge):
        match = pattern.match(piece)
        if match is not None:
            start += match.end()
            piece = text[start:end]
    kept = piece.rstrip(" \t\r\n.,;!")
    kept = kept.strip('*_`"') if kept[:1] in '*_`"' else kept
    start += piece.find(kept) if kept else 0
    return Span(start, start + len(kept)) if re.search(r"\w", kept) else None


def short_claims(answer: Answer, nlp: Language) -> list[Claim] | None:
    """What *answer* says together with its question; None where it is no short answer, [] where it says nothing.

    A decision states the question or its denial, each item fills the question's gap. A question of none of the
    shapes that `fas.claims.question_shapes` reads is put before the answer as it stands.
    """
    text, question = answer.prediction, " ".join((answer.question or "").split())
    # What is cheap to see comes first: most answers are sentences, and are not parsed for this.
    if not question or len(text.split()) > MOST_WORDS or "?" in text or says_nothing(text):
        return None
    whole, decision = _trimmed(text, Span(0, len(text))), bare_decision(text)
    if whole is None:
        return None
    if decision is not None:
        return _decided(question, decision, text[whole.start : whole.end], whole, nlp)
    lines = [line for line in text.splitlines() if line.strip()]
    if not all(map(_may_be_phrase, lines)):
        return None
    if not all(map(_is_phrase, lines, parse([Mapped.whole(line) for line in lines], nlp))):
        return None
    return _filled(question, text, nlp)


def _decided(question: str, decision: Decision, said: str, span: Span, nlp: Language) -> list[Claim]:
    asked = read_question(question, nlp)
    if isinstance(asked, Frame) or (asked is None and SHORT_ANSWERS.asking.match(question)):
        return []  # "Which gene?" "Yes.": says nothing that could be checked
    if isinstance(asked, Decided) and asked.subject.lower() in _UNNAMED and not SHORT_ANSWERS.clause.search(asked.rest):
        return []  # "Is it safe?" "Yes.": of what?
    stated = asked.stated(yes=decision.yes) if asked is not None else ""
    return [_claim(f"{decision.hedge} {stated}" if stated else _pair(question, said), span)]


def _filled(question: str, text: str, nlp: Language) -> list[Claim] | None:
    frame = read_question(question, nlp)
    if isinstance(frame, Decided):
        frame = None  # "Are there any tools?" "AlphaFold.": the pair says it
    spans = items(text, several=frame is not None and frame.several)
    pieces = [text[span.start : span.end] for span in spans]
    if frame is None and max(len(piece.split()) for piece in pieces) > _MOST_WORDS_AN_ITEM:
        return None
    found: list[Claim] = []
    parsed = parse([Mapped.whole(piece) for piece in pieces], nlp)
    for piece, span, sentences in zip(pieces, spans, parsed, strict=True):
        if _may_be_phrase(piece) and _is_phrase(piece, sentences):
            found.append(_claim(_pair(question, piece) if frame is None else frame.filled(piece), span))
        elif not is_question(piece) and not is_talk(piece):
            found.append(_claim(piece, span))  # one of several items says it in a sentence of its own
    return found


def _pair(question: str, said: str) -> str:
    return f"{question.rstrip(' ?.!:')}? {said}"


def _claim(statement: str, span: Span) -> Claim:
    text = " ".join(statement.split()).rstrip(" .")
    return Claim(f"{capitalised(text)}.", span.start, span.end)
