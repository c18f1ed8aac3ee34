"""Whether a sentence that could not be taken apart states something all the same, and whether a part does."""

from __future__ import annotations

from fas.claims.clause import Clause
from fas.reading.pattern_tables import patterns_of
from fas.reading.trees import FINITE, Token

_NOMINAL = frozenset({"NOUN", "PROPN", "PRON", "DET", "NUM"})
UNREAD = patterns_of(__file__)


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
    return (
        UNREAD.subordinate.fullmatch(text.strip()) is not None or UNREAD.elliptical.fullmatch(text.strip()) is not None
    )
