"""Sentence boundaries by rule, with offsets; for evidence, where a parse would cost too much.

Scientific abstracts are regular enough for rules: a boundary is a full stop, question or
exclamation mark before white space and something that can begin a sentence, unless it closes
an abbreviation, an initial or a number in a list. Line breaks end a sentence when a blank line
or a list marker follows.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_ABBREVIATIONS = frozenset(
    """
    al approx art assoc ave ca cf ch co col corp dept diff dr ed eds eg e.g eq eqs esp est etc ext fig figs
    gen i.e ie incl inc inj jr lab lat ltd max med min mr mrs ms mt no nos nr op p par pp pref prof ref refs
    resp rev sec sect seq sg sp spp sq sr st subsp suppl tab tbl temp univ var viz vol vs wk wt yr yrs
    i.v i.m s.c p.o b.i.d t.i.d q.i.d q.d a.m p.m u.s u.k e.u ph.d m.d w.r.t
    """.split()
)
# May also end a sentence, so they join only before a lower-case letter or a digit.
_WEAK = frozenset(
    """
    al etc a.m p.m u.s u.k e.u b.i.d t.i.d q.i.d q.d i.v i.m s.c p.o ph.d m.d inc ltd co corp jr sr
    ext lab max min no nos ref refs resp sec sp spp subsp temp univ var vol wk wt yr yrs
    """.split()
)

# A run of marks is tried once, from its beginning, so that a thousand dots are not tried a thousand times.
_END = re.compile(r"(?<![.!?])[.!?]++[\"'”’)\]]*+(?=\s|$)|\n\s*\n|\n(?=\s*(?:[-*•‣–]|\d{1,2}[.)])\s)")
_OPENER = re.compile(r"\s*[\"'“‘(\[]*([^\W_]|[<>≥≤±~+-])", re.UNICODE)
# No abbreviation is longer, so that a long text without a boundary is not searched from its beginning each time.
_LOOK_BACK = 64
_LAST_WORD = re.compile(r"([^\s(\[\"'“‘]+)$")
_GREEK = frozenset("αβγδεζηθικλμνξοπρσςτυφχψω")  # begin the names of drugs and receptors, in any position
_INITIAL = re.compile(r"^(?:[A-Z]\.)*[A-Z]$")


class SentenceSpan(NamedTuple):
    """A half-open range of code points."""

    start: int
    end: int


def sentence_spans(text: str) -> list[SentenceSpan]:
    """The sentences of *text*, trimmed, in order; empty for blank text.

    >>> text = "Dose was 0.5 mg/kg (vs. placebo). It worked."
    >>> [text[start:end] for start, end in sentence_spans(text)]
    ['Dose was 0.5 mg/kg (vs. placebo).', 'It worked.']
    """
    spans: list[SentenceSpan] = []
    start = 0
    for match in _END.finditer(text):
        if match.group()[0] in ".!?" and not _is_boundary(text, start, match):
            continue
        _append(spans, text, start, match.end())
        start = match.end()
    _append(spans, text, start, len(text))
    return spans


def _is_boundary(text: str, start: int, match: re.Match[str]) -> bool:
    opener = _OPENER.match(text, match.end())
    if opener is None:
        return True
    following = opener.group(1)
    if match.group()[0] in "!?":
        return not following.islower() or following in _GREEK
    near = max(start, match.start() - _LOOK_BACK)
    word_match = _LAST_WORD.search(text, near, match.start())
    word = word_match.group(1) if word_match else ""
    bare = word.lower().strip(".,;")
    if following.islower() and following not in _GREEK:
        # "E. coli", "approx. half", and drug names such as "pH": no sentence begins so, except
        # after an ordinary word, where the writer forgot the capital or names a gene.
        return len(bare) > 3 and bare.isalpha() and bare not in _ABBREVIATIONS
    if bare in _WEAK:
        return not following.isdigit()
    if bare in _ABBREVIATIONS:
        return False
    if _INITIAL.match(word.rstrip(".")) and len(word) <= 2:
        # An initial ("J. Smith") unless it ends a name of its own ("vitamin D. It", "hepatitis B. We").
        before = text[near : match.start() - len(word)].rstrip().rsplit(None, 1)
        previous = before[-1].lower() if before else ""
        return previous in {"vitamin", "hepatitis", "type", "group", "class", "grade", "influenza", "factor", "arm"}
    # "1. Introduction" is a list number, "in group 2. We" is not.
    return not (bare.isdigit() and len(bare) <= 2 and not text[start : match.start() - len(word)].strip())


def _append(spans: list[SentenceSpan], text: str, start: int, end: int) -> None:
    piece = text[start:end]
    left = len(piece) - len(piece.lstrip())
    stripped = piece.strip()
    if stripped:
        spans.append(SentenceSpan(start + left, start + left + len(stripped)))
