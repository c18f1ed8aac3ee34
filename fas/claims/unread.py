"""Whether a sentence that could not be taken apart states something all the same, and whether a part does."""

from __future__ import annotations

import re

from fas.claims.clause import Clause
from fas.reading.trees import FINITE, Token

_NOMINAL = frozenset({"NOUN", "PROPN", "PRON", "DET", "NUM"})
_SUBORDINATE = re.compile(
    r"(?:as|if|unless|because|when|whenever|while|although|though|whereas|since|after|before|until|once|that|whether)\b[^,;:]*\.",
    re.IGNORECASE,
)


# "Ibuprofen is not.", "So can codeine.": the verb stands in another clause or sentence.
_AUXILIARY = (
    r"(?:is|are|was|were|do|does|did|has|have|had|can|could|may|might|must|shall|should|will|would|cannot|\w+n't)"
)
_ELLIPTICAL = re.compile(
    rf"(?:\S+ ){{1,4}}{_AUXILIARY}(?: not| too| either)?\W*|(?:\S+ ){{0,3}}(?:so|neither|nor) {_AUXILIARY} .{{1,40}}",
    re.IGNORECASE,
)


def is_statement(clause: Clause) -> bool:
    """Whether a verb that can be a predicate has something before it that can be its subject.

    Without any finite verb, a participle right after a noun is taken for one: in "simvastatin reduced deaths" the past
    tense looks the same, and a parser that reads a noun phrase there has left the sentence without a verb.
    """
    tokens = [token for token in clause.sentence.tokens if token.i in clause.keep]
    if not tokens or tokens[-1].text == ":" or is_fragment(clause.text()):
        return False
    finite = [n for n, token in enumerate(tokens) if token.tag in FINITE and not _is_inner(clause, token)]
    if tokens[0].tag == "TO":
        return bool(finite)
    past = [n for n in range(1, len(tokens)) if tokens[n].tag == "VBN" and tokens[n - 1].pos in _NOMINAL]
    last = max(finite or past, default=0)
    return any(token.pos in _NOMINAL for token in tokens[:last])


def _is_inner(clause: Clause, verb: Token) -> bool:
    """Whether a finite verb is that of a relative or adverbial clause (`a balanced diet that is low in salt`)."""
    head = clause.sentence.tokens[verb.head] if verb.dep.split(":")[0] in {"aux", "cop"} else verb
    marks = clause.children(head.i, "mark", "advmod", "nsubj")
    opened = any(kid.tag in {"WDT", "WP", "WRB", "IN"} and kid.i < verb.i for kid in marks)
    return opened and head.dep.split(":")[0] in {"acl", "advcl"}


def is_fragment(text: str) -> bool:
    """Whether a text is a subordinate clause with nothing to depend on, or has an auxiliary without its verb.

    >>> is_fragment("If patients suspect an infection."), is_fragment("If it hurts, rest helps.")
    (True, False)
    >>> is_fragment("Ibuprofen is not."), is_fragment("Men die of it more often than women do.")
    (True, False)
    """
    return _SUBORDINATE.fullmatch(text.strip()) is not None or _ELLIPTICAL.fullmatch(text.strip()) is not None
