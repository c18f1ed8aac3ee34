"""Sentences in which the parser found no clause: whether they state something all the same."""

from __future__ import annotations

from collections.abc import Sequence

from fas.claims.clause import SUBORDINATORS, Clause
from fas.claims.narrative import is_narrative
from fas.reading.trees import FINITE, Token

_NOMINAL = frozenset({"NOUN", "PROPN", "PRON"})


def is_unread_statement(clause: Clause, clauses: Sequence[Clause]) -> bool:
    """Whether a sentence of which no clause came out has a subject before a finite verb all the same."""
    if any(is_narrative(part) for part in [clause, *clauses]):
        return False
    tokens = [token for token in clause.sentence.tokens if token.i in clause.keep]
    if clause.sentence.tokens[clause.root].lower in SUBORDINATORS or (
        tokens[0].lower in SUBORDINATORS and not clause.text().count(",")
    ):
        return False
    finite = _finite_verb(tokens)
    # "In the trial, aspirin reduced strokes": the subject stands after the comma.
    opened = next((n + 1 for n in range(finite) if tokens[n].text == ","), 0) if tokens[0].tag == "IN" else 0
    if tokens[0].lower in SUBORDINATORS and not opened:
        return _has_main_clause(tokens)
    if tokens[0].tag == "IN" and not opened:
        return False
    nominal = any(token.pos in _NOMINAL for token in tokens[opened:finite])
    return nominal and tokens[0].tag not in {"WDT", "WP", "WRB"} and tokens[-1].text != ":"


def _has_main_clause(tokens: Sequence[Token]) -> bool:
    """Whether a subject and a finite verb follow a comma (`if it spreads, a doctor should be seen`)."""
    commas = [n for n, token in enumerate(tokens) if token.text == ","]
    for comma in commas:
        finite = next((n for n in range(comma + 1, len(tokens)) if tokens[n].tag in FINITE), None)
        if finite is not None and any(token.pos in _NOMINAL for token in tokens[comma + 1 : finite]):
            return tokens[comma + 1].lower not in SUBORDINATORS and tokens[comma + 1].tag not in {"CC", "WDT", "WP"}
    return False


def _finite_verb(tokens: Sequence[Token]) -> int:
    """Position of the first finite verb, 0 for none.

    Without any, a participle right after a noun is taken for one: in "simvastatin reduced deaths" the past tense
    looks the same, and a parser that reads a noun phrase there has left the sentence without a verb.
    """
    places = (n for n, token in enumerate(tokens) if token.tag in FINITE)
    after_noun = (n for n in range(1, len(tokens)) if tokens[n].tag == "VBN" and tokens[n - 1].pos in _NOMINAL)
    return next(places, next(after_noun, 0))
