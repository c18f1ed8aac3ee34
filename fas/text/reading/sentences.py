"""Where a sentence may and may not end.

The rules decide the clear cases (never after `e.g.`, never within `0.5 mg/kg q8h`, always after a question mark), which
constrain the parser, and leave the others to it.
"""

# ruff: noqa: E501 - word lists and patterns are easier to check on one line

from __future__ import annotations

import re
from collections.abc import Sequence

from fas.text.reading.mapped import Mapped

# A full stop after one of these does not end a sentence.
NEVER_END = frozenset(
    "e.g i.e dr mr mrs ms prof vs viz cf al fig figs eq no nos vol pp ed eds st ref refs approx ca incl resp sec "
    "dept est max min wt temp tab tabs cap caps inj susp soln conc eg ie jan feb mar apr jun jul aug sept oct nov dec".split()
)
# After one of these it may: the parser decides, if the next word could open a sentence.
MAY_END = frozenset(
    "etc mg mcg kg ml dl lb lbs oz hr hrs wk wks yr yrs mo tsp tbsp in ft cm mm a.m p.m am pm u.s u.k u.s.a d.c m.d ph.d r.n b.i.d "
    "t.i.d q.i.d q.d b.d o.d p.o p.r.n i.v i.m s.c h.s inc ltd co corp jr sr".split()
)
# A letter after one of these is part of a name (`vitamin D`), no initial.
LETTERED = frozenset(
    "vitamin vitamins hepatitis influenza type types group groups grade class stage phase category schedule factor protein "
    "immunoglobulin apolipoprotein complement part plan option arm strep streptococcus".split()
)
_CLOSERS = "\"')]}»”’"
_STARTS = re.compile(r"[\"'(\[“‘«]?[A-Z0-9À-ÞΑ-Ω]")
_INITIAL = re.compile(r"[A-Z]")
_SPECIES = re.compile(r"[a-z]{3,}")


def boundaries(words: Sequence[str], spaces: Sequence[bool]) -> list[bool | None]:
    """Whether a sentence starts at each token: True, False, or None where the parser decides.

    Args:
        words: Tokens of one block; the first one always starts a sentence.
        spaces: Whether white space follows each token.
    """
    starts: list[bool | None] = [False] * len(words)
    if starts:
        starts[0] = True
    for place in range(1, len(words)):
        stop = _find_closing_stop(words, spaces, place)
        if stop is not None:
            starts[place] = _judge_stop(words, spaces, place, stop)
    return starts


def _find_closing_stop(words: Sequence[str], spaces: Sequence[bool], place: int) -> int | None:
    """Index of the stop that ends just before *place*, closing quotes and brackets skipped."""
    stop = place - 1
    while stop > 0 and words[stop] in _CLOSERS and not spaces[stop - 1]:
        stop -= 1
    return stop if words[stop][-1:] in ".!?…;" else None


def _judge_stop(words: Sequence[str], spaces: Sequence[bool], place: int, stop: int) -> bool | None:
    word, following = words[stop], words[place]
    opens = bool(_STARTS.match(following)) or (following in "\"'([“‘«" and place + 1 < len(words))
    if following in _CLOSERS and following not in "\"'":
        return False
    if following[0] in ".!?…;,":
        return False
    if word.endswith(";"):
        return False
    if word[-1] in "!?":
        return True if opens else None
    if not spaces[place - 1]:  # "therapy.It": a missing space, or part of a name
        glued = stop > 0 and word == "." and words[stop - 1].isalpha() and len(words[stop - 1]) > 2
        return None if glued and following[:1].isupper() else False
    if word == ".":
        before = words[stop - 1].lower() if stop and not spaces[stop - 1] else ""
    else:
        before = word.rstrip(".…").lower()
    if word.endswith(("…", "..")):
        return None if opens else False
    return _judge_full_stop(before, words, stop, following, opens)


def _judge_full_stop(before: str, words: Sequence[str], stop: int, following: str, opens: bool) -> bool | None:
    if before in NEVER_END:
        if before == "st" and not (stop > 1 and words[stop - 2][:1].isupper()):
            return False  # "St. John's wort", but "Main St. The clinic"
        # "No." may be an answer; "no. 5" is a number.
        return None if before in {"no", "max", "min", "st"} and opens and not following[0].isdigit() else False
    if not opens:  # "dexamethasone. everybody ..." is left to the parser
        return None if before.isalpha() and len(before) > 3 and following.isalpha() and before not in MAY_END else False
    cased = words[stop][:-1] if words[stop] != "." else words[stop - 1] if stop else ""
    if len(cased) == 1 and _INITIAL.match(cased) and cased != "I":
        place = stop - (words[stop] == ".")  # of the letter
        if place and words[place - 1].lower() in LETTERED and not _SPECIES.match(following):
            return True  # "vitamin D. Aspirin ..."
        return False if _SPECIES.match(following) else None
    if before in MAY_END or "." in before:
        return None
    is_marker = before.isdigit() and (stop < 2 or words[stop - 2][-1:] in ".?!:")  # "1. Take ..."
    return not is_marker


_WORDS = re.compile(r"\w++(?:[.'’/-]\w++)*+\.?+(?=\s|$)|\w+(?:['’/-]\w+)*|[^\w\s]")
_ABBREVIATION = re.compile(r"(?:\w\.)+\w?\.?$")


def place_opens(character: str) -> bool:
    """Whether a sentence may begin with *character* where no rule decides."""
    return not character.islower()


def rough_sentences(text: Mapped) -> list[Mapped]:
    """Sentences by the rules alone; each place that is left to the parser counts as a boundary."""
    places: list[tuple[int, int]] = []
    for match in _WORDS.finditer(text.text):
        start, end = match.span()
        # As a tokenizer does: a final stop is a word of its own, unless it belongs to an abbreviation.
        bare = match.group().rstrip(".").lower()
        if (
            match.group().endswith(".")
            and len(match.group()) > 1
            and bare not in NEVER_END
            and not _ABBREVIATION.match(match.group())
        ):
            places.append((start, end - 1))
            start = end - 1
        places.append((start, end))
    words = [text.text[start:end] for start, end in places]
    spaces = [text.text[end : end + 1].isspace() for _, end in places]
    begins = [
        place[0]
        for place, start in zip(places, boundaries(words, spaces), strict=True)
        if start or (start is None and place_opens(text.text[place[0]]))
    ]
    return [text.slice(begin, end).strip() for begin, end in zip(begins, [*begins[1:], len(text)], strict=True)]
