"""A clause: the words of one sentence that together make one statement."""

# ruff: noqa: E501 - word lists and patterns are easier to check on one line

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from fas.reading.pattern_tables import patterns_of
from fas.reading.trees import NEGATIONS, Sentence, Token


class Word(NamedTuple):
    """A word of a claim: as it is written, and the token it stands for (None if put in)."""

    text: str
    at: int | None = None


CLAUSE = patterns_of(__file__)
SUBORDINATORS = frozenset(
    "if unless when whenever while until till before after once because since as where whereas although though whether that so than".split()
)


@dataclass(frozen=True, slots=True, eq=False)
class Clause:
    """Words of a sentence in their order, with what was changed in them.

    Attributes:
        sentence: The sentence.
        keep: Places of the tokens that belong to the clause.
        root: Place of its predicate.
        replaced: Other wording for a token.
        inserted: Words put in before a token.
        adopted: Dependents of other words that the predicate shares (the subject and the
            auxiliaries of the verb it is coordinated with).
        subject_at: Place of the subject, if the tree has it elsewhere.
    """

    sentence: Sentence
    keep: frozenset[int]
    root: int
    replaced: dict[int, str] = field(default_factory=dict)
    inserted: dict[int, str] = field(default_factory=dict)
    adopted: frozenset[int] = frozenset()
    subject_at: int | None = None

    @classmethod
    def whole(cls, sentence: Sentence) -> Clause:
        """All of *sentence*."""
        return cls(sentence, frozenset(range(len(sentence.tokens))), sentence.root)

    @property
    def predicate(self) -> Token:
        """The token at the root."""
        return self.sentence.tokens[self.root]

    def only(self, keep: Iterable[int], root: int | None = None) -> Clause:
        """The clause with those of its words that are in *keep*, around another predicate if *root* is given."""
        kept = self.keep & frozenset(keep)
        if root is None or root == self.root:
            return replace(self, keep=kept)
        return replace(self, keep=kept, root=root, adopted=frozenset(), subject_at=None)

    def without(self, places: Iterable[int]) -> Clause:
        """The clause without the words at *places*."""
        return replace(self, keep=self.keep - frozenset(places))

    def reworded(self, replaced: dict[int, str], inserted: dict[int, str] | None = None) -> Clause:
        """The clause with other wording for some tokens."""
        return replace(self, replaced={**self.replaced, **replaced}, inserted={**self.inserted, **(inserted or {})})

    def children(self, place: int, *deps: str) -> list[Token]:
        """Dependents of a token that belong to the clause, in order."""
        found = [kid for kid in self.sentence.children(place, *deps) if kid.i in self.keep]
        if place == self.root and self.adopted:
            adopted = [self.sentence.tokens[other] for other in self.adopted & self.keep]
            found += [kid for kid in adopted if not deps or kid.dep in deps or kid.dep.split(":")[0] in deps]
            found.sort(key=lambda kid: kid.i)
        return found

    def child(self, place: int, *deps: str) -> Token | None:
        """The first of `children`, or None."""
        return next(iter(self.children(place, *deps)), None)

    def part(self, place: int) -> list[int]:
        """Places of the token and all that depends on it, within the clause, in order."""
        return sorted(self.sentence.subtree(place) & self.keep)

    @property
    def subject(self) -> Token | None:
        """The subject of the predicate, clausal subjects and dummies included."""
        if self.subject_at is not None and self.subject_at in self.keep:
            return self.sentence.tokens[self.subject_at]
        return self.child(self.root, "nsubj", "csubj", "expl")

    @property
    def negated(self) -> bool:
        """Whether the predicate is negated."""
        return any(kid.lower in NEGATIONS for kid in self.children(self.root))

    @property
    def is_complete(self) -> bool:
        """Whether the clause has a subject and a finite predicate of its own, and is no subordinate clause."""
        root, subject = self.predicate, self.subject
        if subject is None or subject.lower in {"which", "who", "what", "whatever", "whoever"}:
            return False
        if subject.lower == "that" and subject.tag == "WDT":
            return False
        opening = self.children(root.i, "mark", "advmod")
        if any(word.lower in SUBORDINATORS and word.tag != "RB" and word.i < subject.i for word in opening):
            return False
        if any(word.lower == "to" for word in opening):
            return False
        if root.i in self.replaced or any(place in self.keep for place in self.inserted):
            return True  # the rules have given it a finite verb
        helped = any(kid.tag in {"MD", "VBZ", "VBP", "VBD", "VB"} for kid in self.children(root.i, "aux", "cop"))
        if root.tag == "VB" and root.pos == "VERB" and not self.children(root.i, "aux"):
            # "Symptoms, such as fever, vary": the tagger took the plural verb for an infinitive, and one joined to it too.
            # In "cells need to grow, avoid ..." the verb with the subject is no such.
            own = self.sentence.tokens[subject.head]
            plain = own.tag == "VBP" and not self.sentence.children(own.i, "xcomp", "ccomp", "aux")
            return subject.tag in {"NNS", "NNPS"} and subject.i < root.i and (own.tag == "VB" or plain)
        return helped or (root.pos in {"VERB", "AUX"} and root.tag in {"VBZ", "VBP", "VBD", "MD"})

    def words(self, places: Iterable[int] | None = None) -> list[Word]:
        """The words at *places* (default: all of the clause) in the order of the text."""
        found: list[Word] = []
        for place in sorted(self.keep if places is None else set(places) & self.keep):
            if place in self.inserted:
                found.append(Word(self.inserted[place]))
            text = self.replaced.get(place, self.sentence.tokens[place].text)
            if text:
                found.append(Word(text, place))
        return found

    def text(self, places: Iterable[int] | None = None) -> str:
        """The words as running text."""
        return spell(self.words(places), self.sentence)


def spell(words: Sequence[Word], sentence: Sentence) -> str:
    """Running text from words, spaced as the source is where neighbours stayed neighbours."""
    parts: list[str] = []
    for number, word in enumerate(words):
        if number:
            before = words[number - 1]
            adjacent = before.at is not None and word.at == before.at + 1
            if adjacent and before.at is not None:
                joined = sentence.tokens[before.at + 1].text
                contracted = (joined[:1] in "'’" and word.text[:1].isalpha()) or (joined != word.text == "not")
                glue = not sentence.tokens[before.at].space and not contracted
            else:
                glue = bool(CLAUSE.close_before.match(word.text) or CLAUSE.open_after.search(before.text))
            parts.append("" if glue else " ")
        parts.append(word.text)
    return "".join(parts)


_PAIRS = (("(", ")"), ("[", "]"))


def finished(text: str) -> str:
    """*text* as a sentence: trimmed, brackets balanced, capitalised, with a full stop.

    Empty if nothing is left, or if what is left was cut off (`... and the`).
    """
    text = CLAUSE.empty.sub("", text)
    for opening, closing in _PAIRS:
        if text.count(opening) != text.count(closing):
            text = text.replace(opening, "").replace(closing, "")
    if text.count('"') % 2:
        text = text.replace('"', "")
    text = CLAUSE.space_comma.sub("", CLAUSE.double_comma.sub(r"\1", text))
    previous = None
    while previous != text:
        previous = text
        text = CLAUSE.trailing.sub("", CLAUSE.leading.sub("", text)).strip()
    text = re.sub(r"\s{2,}", " ", text)
    if not re.search(r"\w", text) or CLAUSE.unfinished.search(text) or CLAUSE.no_start.match(text):
        return ""
    return f"{capitalised(text)}."


def capitalised(text: str) -> str:
    """First letter in upper case, unless the word is written like `pH` or `mRNA`."""
    for place, character in enumerate(text):
        if character.isalpha():
            word = re.match(r"\w*", text[place:])
            if word and any(c.isupper() for c in word.group()[1:]):
                return text
            upper = character.upper()
            return text[:place] + (upper if len(upper) == 1 else character) + text[place + 1 :]
        if character.isdigit():
            return text
    return text


def third_person(lemma: str) -> str:
    """The third person singular of a verb, e.g. `carry` -> `carries`."""
    irregular = {"be": "is", "have": "has", "do": "does", "go": "goes"}.get(lemma)
    if irregular:
        return irregular
    if lemma.endswith(("s", "x", "z", "ch", "sh")):
        return lemma + "es"
    if lemma.endswith("y") and lemma[-2:-1] not in "aeiou":
        return lemma[:-1] + "ies"
    return lemma + "s"
