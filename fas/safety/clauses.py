"""Clauses of one sentence, from its spaCy parse and its conjunctions.

A cue (do not, avoid, if) governs its clause. Subordinators and semicolons always begin a
clause; whether "and" or a comma joins two nouns or two clauses is read from the parse.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

CONTRAST = frozenset({"but", "however", "although", "though", "whereas", "yet"})
CONDITION = frozenset({"if", "unless", "when", "whenever", "while", "until", "whether", "provided", "once"})
REASON = frozenset({"because", "since", "as"})
RELATIVE = frozenset({"which", "who", "whose"})
_SUBORDINATORS = CONTRAST | CONDITION | frozenset({"because", "since"}) | RELATIVE
_CLAUSE_RELATIONS = frozenset(
    {"ROOT", "root", "parataxis", "advcl", "ccomp", "acl:relcl", "conj", "csubj", "csubj:pass"}
)
_SUBJECTS = frozenset({"nsubj", "nsubj:pass", "csubj", "expl"})
_PRONOUNS = frozenset({"you", "it", "i", "we", "they", "he", "she", "this", "these", "there"})
_LIGHT = frozenset(
    {"then", "please", "also", "just", "instead", "only", "always", "simply", "not", "n't", "do", "never"}
)
_FRONTING = frozenset({"for", "in", "with", "among"})
_FINITE = ("VBZ", "VBP", "VBD", "MD")


@dataclass(frozen=True, slots=True)
class Clause:
    """A stretch of tokens that one cue governs.

    Attributes:
        tokens: Indices into the parsed sentence, ascending.
        mark: The conjunction that opens it ("if", "although", "even if"), or "".
    """

    tokens: tuple[int, ...]
    mark: str = ""


def clauses(doc: Doc, imperatives: frozenset[str]) -> list[Clause]:
    """The clauses of a parsed sentence; every token is in exactly one.

    Args:
        doc: The sentence.
        imperatives: Verbs that open an instruction when they follow a comma or "and".
    """
    if not len(doc):
        return []
    starts = _starts(doc, imperatives)
    return [Clause(tuple(range(a, b)), starts[a]) for a, b in pairwise([*sorted(starts), len(doc)])]


def _starts(doc: Doc, imperatives: frozenset[str]) -> dict[int, str]:
    starts: dict[int, str] = {0: ""}
    relative = False  # inside a relative clause that a comma may close
    opening = False  # inside a subordinate clause that opens the sentence
    fronted = doc[0].lower_ in _FRONTING  # "For somebody who is new to it, § is ..."
    for at in range(len(doc)):
        word = doc[at].lower_
        if word in _SUBORDINATORS and not _is_phrase(doc, at):
            begin = at - 1 if at and doc[at - 1].lower_ in ("even", "especially", "only", "except", "and", "or") else at
            mark = f"even {word}" if begin < at and doc[begin].lower_ == "even" else word
            starts[begin] = mark
            relative = word in RELATIVE
            opening = begin == 0 and word in CONDITION | CONTRAST | REASON
            continue
        if word in ("as", "so") and at and [t.lower_ for t in doc[at + 1 : at + 3]] == ["long", "as"]:
            starts[at] = "provided"
            continue
        if word == "as" and at and doc[at - 1].lower_ == "," and any(t.tag_ in _FINITE for t in doc[at + 2 : at + 5]):
            starts[at] = "because"  # "take §, as ¤ is out of the question"
            continue
        if at == 0:
            continue
        before = doc[at - 1].lower_
        if (
            before in (";", "--")
            or (before == "-" and doc[at - 1].whitespace_ and at > 1 and doc[at - 2].whitespace_)
            or (before == "," and (opening or (relative and fronted) or _opens_clause(doc, at, imperatives)))
        ):
            starts.setdefault(at, "")
            relative = opening = False
        elif (
            word in ("and", "then")
            and before != "and"
            and (_opens_clause(doc, at + 1, imperatives) or _joins_clause(doc, at))
        ):
            starts.setdefault(at, "")
    return starts


def _is_clause_head(token: Token) -> bool:
    if token.dep_ not in _CLAUSE_RELATIONS:
        return False
    children = list(token.children)
    subject = any(child.dep_ in _SUBJECTS for child in children)
    if any(child.lower_ == "to" and child.dep_ in ("mark", "aux") for child in children) and not subject:
        return False
    if token.tag_ == "VBG" and not subject:
        return False
    if token.dep_ == "conj" and not subject and any(c.lower_ in ("or", "nor") and c.dep_ == "cc" for c in children):
        return False
    return token.tag_.startswith("V") or any(child.dep_ in ("cop", "aux", "aux:pass") for child in children)


def _joins_clause(doc: Doc, at: int) -> bool:
    """Whether the "and" at *at* joins clauses: it hangs on a clausal conjunct."""
    head = doc[at].head
    return doc[at].dep_ == "cc" and head.i > at and head.dep_ == "conj" and _is_clause_head(head)


def _opens_clause(doc: Doc, at: int, imperatives: frozenset[str]) -> bool:
    while at < len(doc) and doc[at].lower_ in _LIGHT:
        at += 1
    if at >= len(doc):
        return False
    token = doc[at]
    if token.lower_ in _PRONOUNS:
        return at + 1 < len(doc) and (doc[at + 1].tag_ in _FINITE or doc[at + 1].lower_ in ("'ll", "'re", "'s", "'d"))
    if token.lower_ == "your" and at + 2 < len(doc):
        return doc[at + 2].tag_ in _FINITE
    return token.lower_ in imperatives and not token.tag_.startswith("NNS") and not _is_noun_use(doc, at)


def _is_noun_use(doc: Doc, at: int) -> bool:
    return at + 1 < len(doc) and doc[at + 1].lower_ in ("of", "is", "was", "are", "can", "may")


def _is_phrase(doc: Doc, at: int) -> bool:
    """Whether a word that may open a clause opens only a phrase here ("not only ... but also", "anything but")."""
    word = doc[at].lower_
    if word == "since":
        return at + 1 < len(doc) and (doc[at + 1].tag_ in ("CD", "DT") or at + 1 == len(doc) - 1)
    if word == "once":
        return at + 1 < len(doc) and doc[at + 1].lower_ not in _PRONOUNS
    if word == "though":
        return at == len(doc) - 1 or doc[at + 1].is_punct
    return False


def clause_of(found: Sequence[Clause], token: int) -> int:
    """Index of the clause that holds *token*."""
    return next(number for number, clause in enumerate(found) if token in clause.tokens)
