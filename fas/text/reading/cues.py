"""Cues as data: what the words around something say of it, one row of `cues.tsv` each.

A row is a cue in ConText's form (Harkema et al., 2009): the words, whether they stand before or after what they speak
of, how many words may stand between, and what ends their reach. spaCy's `Matcher` finds the words, in the tokens of
English without a parse; the distance is counted here. What a value means is said by who asks for its axis.

A cue is written as tokens with a space between: `word`, `a|b` (one of them), `word*` (begins so), `word?` (may be
missing), `*` (any word), `*{0,3}` (up to three), `/[A-Z]+/` (a regular expression over one token, case kept). Words
that the tokenizer divides are divided here too (`cannot` is `can not`, `don't` is `do n't`).
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fas.core.loading import loading

if TYPE_CHECKING:
    from spacy.matcher import Matcher
    from spacy.tokens import Doc

    Tokenizer = Callable[[str], Doc]

TABLE = Path(__file__).with_name("cues.tsv")
COLUMNS = ("axis", "value", "where", "words", "reach", "ends", "cue", "example")
FARTHEST = 1000
"""Characters that a cue reaches over at most, so that work grows with the length of a text and not with its square."""
_ENDS = {"clause": ".?!\n;", "sentence": ".?!\n", "text": ""}
_MARKS = ",.;:?!()[]'\"-/–—+&*_#=>|"


@dataclass(frozen=True, slots=True)
class Cue:
    """One row.

    Attributes:
        line: Its line in the table, which names it.
        axis: What it decides.
        value: What it decides there.
        where: `before` what it speaks of, `after` it, or `beside` it (either).
        words: How many words may stand between; None for any number.
        reach: How far at most: within the clause (no `; . ? !` between), the sentence, or the text.
        ends: Words and marks that end its reach.
        cue: Its tokens as written.
        example: A text with what it speaks of in square brackets.
    """

    line: int
    axis: str
    value: str
    where: str
    words: int | None
    reach: str
    ends: frozenset[str]
    cue: str
    example: str

    def crosses(self, between: str) -> bool:
        """Whether the cue reaches over *between*, which stands between it and what it speaks of."""
        if any(mark in between for mark in (*_ENDS[self.reach], *self.ends) if not mark.isalnum()):
            return False
        words = [word.strip(_MARKS).lower() for word in between.split() if word.strip(_MARKS)]
        if any(not any(map(str.isalnum, word)) for word in words):
            return False  # an emoji stands between
        return (self.words is None or len(words) <= self.words) and self.ends.isdisjoint(words)


@dataclass(frozen=True, slots=True)
class CueHit:
    """A cue found in a text, with its characters."""

    cue: Cue
    start: int
    end: int

    def speaks_of(self, text: str, start: int, end: int) -> bool:
        """Whether what stands at *start* to *end* is within reach."""
        if self.end <= start and self.cue.where != "after":
            return self.cue.crosses(text[self.end : start])
        if end <= self.start and self.cue.where != "before":
            return self.cue.crosses(text[end : self.start])
        return False


class Cues:
    """Cues of every axis; a text is tokenized and searched once for all.

    Args:
        rows: The cues.
    """

    def __init__(self, rows: Sequence[Cue]) -> None:
        with loading():
            from spacy.lang.en import English
            from spacy.matcher import Matcher

        language = English()
        self._tokenizer: Tokenizer = language.make_doc
        self._rows: list[tuple[Cue, Matcher]] = []
        self._by_word: dict[str, list[int]] = {}
        self._by_prefix: list[tuple[str, int]] = []
        for number, row in enumerate(rows):
            matcher = Matcher(language.vocab)
            matcher.add("cue", _patterns(row, self._tokenizer))
            self._rows.append((row, matcher))
            for word in _anchor(row, self._tokenizer):
                if word.endswith("*"):
                    self._by_prefix.append((word[:-1], number))
                else:
                    self._by_word.setdefault(word, []).append(number)
        self._with_word = lru_cache(maxsize=20_000)(self._having)
        self.hits = lru_cache(maxsize=256)(self._found)

    def _found(self, text: str) -> tuple[CueHit, ...]:
        """Every cue in *text* in its order."""
        doc = self._tokenizer(text)
        # Most rows have a word that is not in the text; only the others are matched, which is ten times as fast.
        worth = {number for token in doc for number in self._with_word(token.lower_)}
        hits = []
        for number in sorted(worth):
            row, matcher = self._rows[number]
            for _, first, last in matcher(doc):
                span = doc[first:last]
                hits.append(CueHit(row, span.start_char, span.end_char))
        return tuple(sorted(hits, key=lambda hit: (hit.start, hit.end, hit.cue.line)))

    def _having(self, word: str) -> tuple[int, ...]:
        """The rows that *word* makes worth looking for."""
        begun = [number for prefix, number in self._by_prefix if word.startswith(prefix)]
        return (*self._by_word.get(word, ()), *begun)

    def about(
        self, axis: str, text: str, start: int, end: int, *, first: int = 0, last: int | None = None
    ) -> Mapping[str, CueHit]:
        """What the cues of *axis* in *text* say of the words at *start* to *end*: value to cue.

        Args:
            axis: Which rows are asked.
            text: All of it; it is searched once.
            start: First character of what is asked about.
            end: One past its last.
            first: Where the earliest cue may begin.
            last: Where the latest may end; the end of the text if None.
        """
        close = len(text) if last is None else last
        hits = self.hits(text)
        low = bisect_left(hits, max(first, start - FARTHEST), key=lambda hit: hit.start)
        high = bisect_right(hits, min(close, end + FARTHEST), key=lambda hit: hit.start)
        return {
            hit.cue.value: hit
            for hit in hits[low:high]
            if hit.cue.axis == axis and hit.end <= close and hit.speaks_of(text, start, end)
        }


@cache
def load_cues() -> Cues:
    """The cues of `cues.tsv`, compiled once."""
    return Cues(read_cues(TABLE))


def read_cues(path: Path) -> list[Cue]:
    """The rows of a table of cues.

    Raises:
        ValueError: A row is not what its columns ask for; the message names the line.
    """
    rows = []
    for number, cells in _lines(path):
        given = dict(zip(COLUMNS, cells, strict=False))
        problem = _problem(cells, given)
        if problem:
            raise ValueError(f"{path.name}, line {number}: {problem}")
        rows.append(
            Cue(
                number,
                given["axis"],
                given["value"],
                given["where"],
                int(given["words"]) if given["words"] else None,
                given["reach"],
                frozenset(given["ends"].split()),
                given["cue"],
                given["example"],
            )
        )
    return rows


def _lines(path: Path) -> Iterator[tuple[int, list[str]]]:
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if number > 1 and line.strip() and not line.startswith("#"):
            yield number, line.split("\t")


def _problem(cells: Sequence[str], given: Mapping[str, str]) -> str | None:
    if len(cells) != len(COLUMNS):
        return f"{len(cells)} cells, expected {len(COLUMNS)}: {', '.join(COLUMNS)}"
    if given["where"] not in ("before", "after", "beside"):
        return f"where is {given['where']!r}, expected before, after or beside"
    if given["words"] and not given["words"].isdigit():
        return f"words is {given['words']!r}, expected a number or nothing"
    if given["reach"] not in _ENDS:
        return f"reach is {given['reach']!r}, expected {', '.join(_ENDS)}"
    if not given["cue"] or "[" not in given["example"]:
        return "a cue and an example with [what it speaks of] are needed"
    return None


def _specs(row: Cue) -> list[tuple[str, str | None]]:
    """The tokens of a cue as written, each with how often it may stand (None: once)."""
    found: list[tuple[str, str | None]] = []
    for written in row.cue.split():
        spec, brace, times = written.partition("{")
        if brace:
            found.append((spec, brace + times))
        elif len(written) > 1 and written.endswith("?"):
            found.append((written[:-1], "?"))
        else:
            found.append((written, None))
    return found


def _anchor(row: Cue, tokenizer: Tokenizer) -> list[str]:
    """Words one of which stands in every text that has the cue: those of the token with the longest.

    Raises:
        ValueError: The cue has no token that must stand and is made of words.
    """
    must = [
        [_tokens(word, tokenizer)[-1] for word in spec.split("|")]
        for spec, times in _specs(row)
        if times is None and spec != "*" and not _is_expression(spec) and any(map(str.isalnum, spec))
    ]
    if not must:
        raise ValueError(f"line {row.line}: a cue needs a word that cannot be left out")
    return max(must, key=lambda words: min(map(len, words)))


def _patterns(row: Cue, tokenizer: Tokenizer) -> list[list[dict[str, Any]]]:
    """The token patterns of a row, as `Matcher` takes them; several where one of its words is several tokens."""
    choices: list[list[list[dict[str, Any]]]] = []
    for spec, times in _specs(row):
        if spec == "*":
            found: list[list[dict[str, Any]]] = [[{"TEXT": {"REGEX": r"^\w"}}]]
        elif _is_expression(spec):
            found = [[{"TEXT": {"REGEX": f"^(?:{spec[1:-1]})$"}}]]
        else:
            divided = [_tokens(word, tokenizer) for word in spec.split("|")]
            single = [tokens[0] for tokens in divided if len(tokens) == 1]
            found = [[{"LOWER": token} for token in tokens] for tokens in divided if len(tokens) > 1]
            if any("*" in word for word in single):
                each = "|".join(re.escape(word).replace(r"\*", r"\w*") for word in single)
                found.append([{"LOWER": {"REGEX": f"^(?:{each})$"}}])
            elif single:
                found.append([{"LOWER": {"IN": single}}])
        if times:
            found = [[{**token, "OP": times} for token in tokens] for tokens in found]
        choices.append(found)
    return [[token for tokens in chosen for token in tokens] for chosen in product(*choices)]


def _is_expression(spec: str) -> bool:
    return len(spec) > 2 and spec.startswith("/") and spec.endswith("/")


def _tokens(word: str, tokenizer: Tokenizer) -> list[str]:
    """The tokens of one word of a cue; what stands for a part of one ("n't", "'ve") or for many ("caus*") is kept."""
    if "*" in word or word == "n't" or word.startswith("'"):
        return [word]
    return [token.lower_ for token in tokenizer(word)]
