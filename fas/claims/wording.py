"""Clauses as statements about the matter, not about who writes or reads them."""

from __future__ import annotations

from fas.claims.clause import Clause, Word
from fas.claims.imperatives import as_recommended, is_imperative
from fas.claims.narrative import is_narrative


def declared(clause: Clause) -> list[Word] | None:
    """The words of the clause as a statement about the matter, not about who writes or reads it.

    Imperatives become what is recommended. None for a clause that tells what happened to one person, or that has no
    subject to speak of.
    """
    if is_imperative(clause):
        return as_recommended(clause)
    if is_narrative(clause):
        return None
    if not clause.is_complete:
        return None
    return clause.words()
