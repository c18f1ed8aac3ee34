"""A clause: the words of one sentence that together make one statement, and the check that every claim passes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from fas.text.reading.mapped import TextSpan
from fas.text.reading.pattern_tables import load_patterns
from fas.text.reading.trees import FINITE, NEGATIONS, Sentence, Token

CLAUSES = load_patterns(__file__)
# Relations of the words that cannot stand without their head.
_DEPENDENT = frozenset("case det mark cop aux cc nummod amod compound fixed flat".split())
_AUXILIARIES = frozenset(
    "is are was were do does did has have had can could may might must shall should will would cannot".split()
)
_NO_SUBJECT = frozenset("which who what whatever whoever whom so neither nor".split())


class Word(NamedTuple):
    """A word of a claim: as it is written, and the token it stands for (None if put in)."""

    text: str
    at: int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Clause:
    """Words of a sentence in their order, around one predicate.

    Attributes:
        sentence: The sentence.
        keep: Places of the tokens that belong to the clause.
        root: Place of its predicate.
        subject: Place of its subject; None without one.
        replaced: Other wording for a token; an empty one drops it.
        before: Words put in before a token.
        shared: Words that hang on another predicate of the sentence and belong to this one, too.
    """

    sentence: Sentence
    keep: frozenset[int]
    root: int
    subject: int | None
    replaced: dict[int, str] = field(default_factory=dict)
    before: dict[int, str] = field(default_factory=dict)
    shared: frozenset[int] = frozenset()

    @classmethod
    def whole(cls, sentence: Sentence) -> Clause:
        """All of *sentence*."""
        subject = subject_of(sentence, sentence.root)
        return cls(
            sentence, frozenset(range(len(sentence.tokens))), sentence.root, None if subject is None else subject.i
        )

    @property
    def predicate(self) -> Token:
        """The token at the root."""
        return self.sentence.tokens[self.root]

    def reworded(self, replaced: dict[int, str]) -> Clause:
        """The clause with other wording for some tokens."""
        return replace(self, replaced={**self.replaced, **replaced})

    def children(self, place: int, *deps: str) -> list[Token]:
        """Dependents of a token that belong to the clause, in order."""
        return [kid for kid in self.sentence.children(place, *deps) if kid.i in self.keep]

    def helping(self) -> list[Token]:
        """The auxiliaries and copulas of the predicate, shared ones included."""
        own = {kid.i for kid in self.children(self.root, "aux", "cop")}
        lent = {p for p in self.shared & self.keep if self.sentence.tokens[p].dep.split(":")[0] in {"aux", "cop"}}
        return [self.sentence.tokens[place] for place in sorted(own | lent)]

    def words(self) -> list[Word]:
        """The words in the order of the text."""
        found: list[Word] = []
        for place in sorted(self.keep):
            if place in self.before:
                found.append(Word(self.before[place]))
            text = self.replaced.get(place, self.sentence.tokens[place].text)
            if text:
                found.append(Word(text, place))
        return found

    def span(self) -> TextSpan | None:
        """Where it stands in the answer, from its first word to its last; None if all of it was put in."""
        tokens, unit = self.sentence.tokens, self.sentence.unit
        spoken = [tokens[place] for place in self.keep if any(map(str.isalnum, tokens[place].text))]
        spans = [span for token in spoken if (span := unit.span(token.start, token.end)) is not None]
        return TextSpan(min(s.start for s in spans), max(s.end for s in spans)) if spans else None


def subject_of(sentence: Sentence, place: int) -> Token | None:
    """The subject of the predicate at *place*, clausal subjects and dummies included."""
    return next(iter(sentence.children(place, "nsubj", "csubj", "expl")), None)


def is_predicate(sentence: Sentence, place: int) -> bool:
    """Whether the token is a verb, or has a copula or a subject."""
    return sentence.tokens[place].pos in {"VERB", "AUX"} or bool(sentence.children(place, "cop", "nsubj", "csubj"))


def is_finite(sentence: Sentence, place: int) -> bool:
    """Whether the predicate at *place* has a finite form, by itself or by an auxiliary."""
    return any(kid.tag in FINITE for kid in [sentence.tokens[place], *sentence.children(place, "aux", "cop")])


def is_sound(clause: Clause) -> bool:
    """Whether the clause is a sentence by itself and has lost nothing that its words need.

    It has a subject and a finite predicate, and no word that stayed has lost its head, its negation or what places it.
    """
    tokens = clause.sentence.tokens
    if clause.subject is None or clause.subject not in clause.keep or tokens[clause.subject].lower in _NO_SUBJECT:
        return False
    root = clause.predicate
    finite = any(kid.tag in FINITE for kid in [root, *clause.helping()])
    if not finite and not (root.tag == "VB" and tokens[clause.subject].tag == "NNS"):
        return False  # the tagger takes a plural verb for an infinitive at times: "Statins lower cholesterol"
    if any(kid.lower in {"so", "neither", "nor"} for kid in clause.children(root.i, "advmod", "cc")):
        return False
    if clause.children(root.i, "mark") or is_cut_off(clause):
        return False
    plural = any(token.lower == "are" and token.i not in clause.replaced for token in [root, *clause.helping()])
    if plural and tokens[clause.subject].tag == "NN" and not clause.children(clause.subject, "conj"):
        return False  # where subject and verb do not agree, the parser went astray
    if root.dep == "acl:relcl" and any(kid.lower in {"a", "an"} for kid in clause.children(clause.subject, "det")):
        return False  # "a friend, who ...": alone, any friend
    for place in clause.keep:
        token = tokens[place]
        kids = [kid for kid in clause.sentence.children(place) if kid.i not in clause.keep]
        if any(kid.lower in NEGATIONS for kid in kids) and place not in clause.shared:
            return False
        if token.head not in clause.keep and place not in clause.shared:
            placed = token.dep == "conj" and tokens[token.head].dep in {"nmod", "obl"}
            if token.dep.split(":")[0] in _DEPENDENT or (placed and not clause.children(token.head, "case")):
                return False  # "activities jumping", of "activities such as running and jumping"
    return True


def is_cut_off(clause: Clause) -> bool:
    """Whether the last word is an auxiliary whose verb stands elsewhere (`but ibuprofen is not`)."""
    tokens = clause.sentence.tokens
    kept = [tokens[place] for place in sorted(clause.keep) if tokens[place].pos != "PUNCT"]
    spoken = [token for token in kept if token.lower not in NEGATIONS]
    return bool(spoken) and spoken[-1].lower in _AUXILIARIES


def is_statement(sentence: Sentence) -> bool:
    """Whether a whole sentence states something: a word that can be its subject stands before a verb that is finite.

    A participle right behind a noun counts, as the past tense looks the same ("simvastatin reduced deaths"). So does a
    word between a subject and an object, whatever its tag ("Warfarin and aspirin increase bleeding").
    """
    tokens = sentence.tokens
    text = sentence.text
    if text.rstrip().endswith(":") or CLAUSES.subordinate.fullmatch(text.strip()) is not None:
        return False
    if is_cut_off(Clause.whole(sentence)) and sum(token.tag in FINITE for token in tokens) == 1:
        return False
    kinds = {token.dep for token in tokens if token.head == sentence.root}
    if {"nsubj", "obj"} <= kinds:
        return True
    named = False
    for token in tokens:
        past = token.tag == "VBN" and tokens[token.i - 1].pos in {"NOUN", "PROPN"}
        plain = token.tag == "VB" and subject_of(sentence, sentence.root) is not None
        if named and (token.tag in FINITE or past or plain):
            return True
        named = named or token.pos in {"NOUN", "PROPN", "PRON", "DET", "NUM"}
    return False


def numbers_and_negations(texts: Iterable[str]) -> set[str]:
    """The numbers in *texts*, and `not` where one of them denies."""
    joined = " ".join(texts).lower()
    return set(re.findall(r"\d+(?:[.,]\d+)*", joined)) | ({"not"} if CLAUSES.denial.search(joined) else set())


def join_words(words: Sequence[Word], sentence: Sentence) -> str:
    """Running text from words, spaced as the source is where neighbours stayed neighbours."""
    parts: list[str] = []
    for number, word in enumerate(words):
        if number:
            before = words[number - 1]
            if before.at is not None and word.at == before.at + 1:
                token = sentence.tokens[word.at]
                glue = not sentence.tokens[before.at].space and token.text == word.text
            else:
                glue = bool(CLAUSES.close_before.match(word.text)) or before.text[-1:] in "([{"
            parts.append("" if glue else " ")
        parts.append(word.text)
    return "".join(parts)


def finish_sentence(text: str) -> str:
    """*text* as a sentence: trimmed, brackets balanced, capitalised, with a full stop; empty if it was cut off."""
    for opening, closing in (("(", ")"), ("[", "]")):
        if text.count(opening) != text.count(closing):
            text = text.replace(opening, "").replace(closing, "")
    if text.count('"') % 2:
        text = text.replace('"', "")
    text = CLAUSES.double_comma.sub(r"\1", CLAUSES.empty.sub("", text))
    text = CLAUSES.leading.sub("", text).rstrip(" \t\n,;:.!?([{<*#/|~=–—…-")
    text = " ".join(text.split())
    if not re.search(r"\w", text) or CLAUSES.unfinished.search(text) or CLAUSES.no_start.match(text):
        return ""
    return f"{capitalise(text)}."


def capitalise(text: str) -> str:
    """First letter in upper case, unless the word is written like `pH` or `mRNA`."""
    match = re.match(r"[\W_]*(\w+)", text)
    if match is None or any(map(str.isupper, match[1])):
        return text
    place = match.start(1)
    return text[:place] + text[place].upper() + text[place + 1 :]


def lower_first(text: str) -> str:
    """First letter in lower case, unless the word is a name by its spelling (`DNA`, `B12`) or `I`."""
    word = re.match(r"\S+", text)
    if word is None or any(c.isupper() or c.isdigit() for c in word[0][1:]) or word[0] == "I":
        return text
    return text[:1].lower() + text[1:]


def inflect_third_person(lemma: str) -> str:
    """The third person singular of a verb, e.g. `carry` -> `carries`."""
    irregular = {"be": "is", "have": "has", "do": "does", "go": "goes"}.get(lemma)
    if irregular:
        return irregular
    if lemma.endswith(("s", "x", "z", "ch", "sh")):
        return lemma + "es"
    if lemma.endswith("y") and lemma[-2:-1] not in "aeiou":
        return lemma[:-1] + "ies"
    return lemma + "s"
