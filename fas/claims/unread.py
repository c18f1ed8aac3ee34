"""Whether a sentence that could not be taken apart states something all the same, and whether a part does."""

from __future__ import annotations

import re

from fas.claims.clause import Clause
from fas.reading.trees import FINITE

_NOMINAL = frozenset({"NOUN", "PROPN", "PRON", "DET", "NUM"})
_SUBORDINATE = re.compile(
    r"(?:if|unless|because|when|whenever|while|although|though|whereas|since|after|before|until|once|that|whether)\b[^,;:]*\.",
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
    finite = [n for n, token in enumerate(tokens) if token.tag in FINITE]
    past = [n for n in range(1, len(tokens)) if tokens[n].tag == "VBN" and tokens[n - 1].pos in _NOMINAL]
    last = max(finite or past, default=0)
    return any(token.pos in _NOMINAL for token in tokens[:last])


def is_fragment(text: str) -> bool:
    """Whether a text is a subordinate clause with nothing to depend on.

    >>> is_fragment("If patients suspect an infection."), is_fragment("If it hurts, rest helps.")
    (True, False)
    """
    return _SUBORDINATE.fullmatch(text.strip()) is not None
