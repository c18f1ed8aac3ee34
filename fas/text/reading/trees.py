"""Sentences as plain trees: Universal Dependencies from the parser, offsets from the text."""

# ruff: noqa: E501 - word lists and patterns are easier to check on one line

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from fas.models.parser import parsing
from fas.text.reading.mapped import Mapped
from fas.text.reading.sentences import LETTERED, boundaries

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

_TOKENS_PER_DOC = 600
_TOKENS_PER_SENTENCE = 200
"""A sentence of more tokens is cut after a comma or, failing that, where it is: no tree of a
run-on text means anything, and work must not grow with the square of its length."""
_LONGEST_WORD = 200


@dataclass(slots=True, eq=False)
class Token:
    """One word of a sentence.

    Attributes:
        i: Its place in the sentence.
        text: The word as written.
        lemma: Its dictionary form, in lower case.
        tag: Penn Treebank tag.
        pos: Universal part of speech.
        dep: Universal dependency relation to its head.
        head: Place of its head; its own place for the root.
        start: Its first character in the text of the unit.
        end: One past its last character.
        space: Whether white space follows.
        kids: Places of its dependents, in order.
    """

    i: int
    text: str
    lemma: str
    tag: str
    pos: str
    dep: str
    head: int
    start: int
    end: int
    space: bool
    kids: list[int] = field(default_factory=list)

    @property
    def lower(self) -> str:
        """The word in lower case."""
        return self.text.lower()


@dataclass(slots=True, eq=False)
class Sentence:
    """A parsed sentence of a unit.

    Attributes:
        unit: The text it is part of.
        tokens: Its words.
        root: Place of its root.
    """

    unit: Mapped
    tokens: list[Token]
    root: int

    @property
    def text(self) -> str:
        """The sentence as written."""
        return self.unit.text[self.tokens[0].start : self.tokens[-1].end]

    @property
    def source(self) -> Mapped:
        """The sentence with the origin of its characters."""
        return self.unit.slice(self.tokens[0].start, self.tokens[-1].end)

    def children(self, place: int, *deps: str) -> list[Token]:
        """Dependents of the token at *place* whose relation (without subtype, or with) is one of *deps*."""
        found = (self.tokens[kid] for kid in self.tokens[place].kids)
        return [kid for kid in found if not deps or kid.dep in deps or kid.dep.split(":")[0] in deps]

    def child(self, place: int, *deps: str) -> Token | None:
        """The first of `children`, or None."""
        return next(iter(self.children(place, *deps)), None)

    def subtree(self, place: int) -> set[int]:
        """Places of the token and all that depends on it."""
        found: set[int] = set()
        waiting = [place]
        while waiting:
            current = waiting.pop()
            found.add(current)
            waiting.extend(self.tokens[current].kids)
        return found

    def negated(self, place: int) -> bool:
        """Whether the predicate at *place* carries a negation."""
        return any(kid.lower in NEGATIONS for kid in self.children(place))


FINITE = frozenset({"VBZ", "VBP", "VBD", "MD"})
"""Tags of verbs that can be the predicate of a sentence."""
NEGATIONS = frozenset({"not", "n't", "never", "no", "neither", "nor", "hardly", "rarely", "cannot", "nt"})


def parse(units: Sequence[Mapped], nlp: Language) -> list[list[Sentence]]:
    """The sentences of each unit.

    Units are read in documents of a few hundred tokens, one document a call, which depend on the units alone, so that
    the rest of the batch does not change the trees of a text.
    """
    found: list[list[Sentence]] = [[] for _ in units]
    # The zone frees the memory of words seen once; only one at a time may be open.
    with parsing, nlp.memory_zone():
        for group in _group_units(units, nlp):
            _parse_group(group, units, nlp, found)
    return found


class _Tokenised(NamedTuple):
    """Tokens of a unit, or of a part of a very long one."""

    unit: int
    words: Sequence[str]
    places: Sequence[int]
    spaces: Sequence[bool]


def _group_units(units: Sequence[Mapped], nlp: Language) -> Iterator[list[_Tokenised]]:
    group: list[_Tokenised] = []
    size = 0
    for number, unit in enumerate(units):
        for part in _tokenise(number, unit.text, nlp):
            if group and size + len(part.words) > _TOKENS_PER_DOC:
                yield group
                group, size = [], 0
            group.append(part)
            size += len(part.words)
    if group:
        yield group


def _tokenise(number: int, text: str, nlp: Language) -> Iterator[_Tokenised]:
    """Tokens of one unit, in parts of at most `_TOKENS_PER_DOC`."""
    pieces = (_split_full_stops(_read_tokens(start, piece, nlp)) for start, piece in _cut_pieces(text))
    tokens = [token for piece in pieces for token in piece if token[0].strip()]
    for first in range(0, len(tokens), _TOKENS_PER_DOC):
        yield _Tokenised(number, *zip(*tokens[first : first + _TOKENS_PER_DOC], strict=True))


def _read_tokens(start: int, piece: str, nlp: Language) -> list[tuple[str, int, bool]]:
    """Text, place and following space of each token; a very long word is one token."""
    if len(piece) > _LONGEST_WORD and " " not in piece.strip():
        return [(piece.strip(), start, piece.endswith(" "))]
    return [(token.text, start + token.idx, bool(token.whitespace_)) for token in nlp.tokenizer(piece)]


def _split_full_stops(tokens: Iterable[tuple[str, int, bool]]) -> Iterator[tuple[str, int, bool]]:
    """*tokens*, with the full stop after `vitamin D.` as its own token; the tokenizer takes the letter for an initial."""
    before = ""
    for word, place, space in tokens:
        if len(word) == 2 and word[0].isupper() and word[1] == "." and before in LETTERED:
            yield word[0], place, False
            yield ".", place + 1, space
        else:
            yield word, place, space
        before = word.lower()


def _cut_pieces(text: str) -> Iterator[tuple[int, str]]:
    """The text in pieces of some thousand characters, each very long word on its own."""
    start = 0
    while start < len(text):
        end = min(len(text), start + 4000)
        if end < len(text):
            cut = text.rfind(" ", start, end)
            end = cut + 1 if cut > start else text.find(" ", end) + 1 or len(text)
        piece = text[start:end]
        if max(map(len, piece.split(" "))) <= _LONGEST_WORD:
            yield start, piece
        else:
            yield from ((start + word.start(), word.group()) for word in re.finditer("[^ ]+ ?", piece))
        start = end


_PARTS_OF_SPEECH = {
    "NN": "NOUN", "NNS": "NOUN", "NNP": "PROPN", "NNPS": "PROPN", "JJ": "ADJ", "JJR": "ADJ", "JJS": "ADJ", "AFX": "ADJ",
    "RB": "ADV", "RBR": "ADV", "RBS": "ADV", "WRB": "ADV", "VB": "VERB", "VBD": "VERB", "VBG": "VERB", "VBN": "VERB",
    "VBP": "VERB", "VBZ": "VERB", "MD": "AUX", "PRP": "PRON", "PRP$": "PRON", "WP": "PRON", "WP$": "PRON", "EX": "PRON",
    "DT": "DET", "PDT": "DET", "WDT": "PRON", "CD": "NUM", "IN": "ADP", "TO": "PART", "RP": "ADP", "CC": "CCONJ", "UH": "INTJ",
    "POS": "PART", "SYM": "SYM", "$": "SYM", "FW": "X", "LS": "X", "ADD": "X", "GW": "X", "XX": "X",
}  # fmt: skip


def part_of_speech(tag: str, dep: str) -> str:
    """Universal part of speech, so that a pipeline needs no component for it."""
    if dep == "cop" or dep.startswith("aux"):
        return "AUX"
    return _PARTS_OF_SPEECH.get(tag, "PUNCT" if dep == "punct" else "X")


def _parse_group(group: list[_Tokenised], units: Sequence[Mapped], nlp: Language, found: list[list[Sentence]]) -> None:
    from spacy.tokens import Doc

    words = [word for part in group for word in part.words]
    spaces = [space for part in group for space in [*part.spaces[:-1], True]]
    starts = [start for part in group for start in _limit_length([*boundaries(part.words, part.spaces)], part.words)]
    doc = nlp(Doc(nlp.vocab, words=words, spaces=spaces, sent_starts=starts))
    first = 0
    for part in group:
        last = first + len(part.words)
        found[part.unit].extend(_make_sentences(doc, first, last, part, units[part.unit]))
        first = last


def _limit_length(starts: list[bool | int | None], words: Sequence[str]) -> list[bool | int | None]:
    length = 0
    for place, start in enumerate(starts):
        length = 0 if start else length + 1
        comma = length > _TOKENS_PER_SENTENCE - 60 and words[place - 1] in {",", ";", ":"}
        if comma or length >= _TOKENS_PER_SENTENCE:
            starts[place] = True
            length = 0
    return starts


def _make_sentences(doc: Doc, first: int, last: int, part: _Tokenised, unit: Mapped) -> Iterator[Sentence]:
    strings = doc.vocab.strings
    rows = doc.to_array(["LEMMA", "TAG", "DEP", "HEAD", "SENT_START"])[first:last]
    lemmas, tags, deps = ([strings[int(value)] for value in rows[:, column]] for column in range(3))
    # Heads are stored as unsigned offsets.
    heads = array("q", (value - (1 << 64) if value >= 1 << 63 else value for value in map(int, rows[:, 3])))
    begins = [n for n in range(last - first) if n == 0 or int(rows[n, 4]) == 1]
    for begin, end in zip(begins, [*begins[1:], last - first], strict=True):
        tokens = []
        root = 0
        for n in range(begin, end):
            head = n + heads[n] - begin
            inside = 0 <= head < end - begin
            if not heads[n] or not inside:
                root = n - begin if not heads[n] else root
                head = n - begin
            word = part.words[n]
            tokens.append(
                Token(
                    i=n - begin,
                    text=word,
                    lemma=(lemmas[n] or word).lower(),
                    tag=tags[n],
                    pos=part_of_speech(tags[n], deps[n]),
                    dep=deps[n],
                    head=head,
                    start=part.places[n],
                    end=part.places[n] + len(word),
                    space=part.spaces[n],
                )
            )
        for token in tokens:
            if token.head != token.i:
                tokens[token.head].kids.append(token.i)
        yield Sentence(unit, tokens, root)
