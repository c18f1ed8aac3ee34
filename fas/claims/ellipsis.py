"""Predicates of which only the auxiliary is left (`but ibuprofen is not`): the verb is in what was said before."""

from __future__ import annotations

from fas.claims.clause import Clause
from fas.reading.trees import FINITE, NEGATIONS

_ECHOING = NEGATIONS | {"so", "too", "also", "either", "neither", "nor"}
_INVERTING = frozenset({"so", "neither", "nor"})
_NAMING = frozenset({"NOUN", "PROPN", "ADJ", "DET", "NUM", "CCONJ"})
_AUXILIARIES = frozenset(
    "is are was were do does did has have had can could may might must shall should will would ca wo".split()
)


def is_elliptical(clause: Clause) -> bool:
    """Whether the predicate is an auxiliary whose verb stands somewhere before the clause.

    It ends in the auxiliary, words like `not` and `too` aside, and that is its root or its one finite verb (parsers
    have met few such clauses); or the auxiliary follows `so`, `neither` or `nor`, and its subject is all there is
    behind it.
    """
    tokens = [clause.sentence.tokens[place] for place in sorted(clause.keep)]
    words = [token for token in tokens if any(character.isalnum() for character in token.text)]
    finite = [n for n, token in enumerate(words) if token.tag in FINITE]
    place = next((n for n in finite if words[n].i == clause.root), finite[0] if len(finite) == 1 else 0)
    if not place or words[place].lower not in _AUXILIARIES:
        return False
    before, after = words[place - 1], words[place + 1 :]
    if all(word.lower in _ECHOING for word in after):
        return True
    # A parser may take the one word behind it for its verb (`so can codeine`).
    inverted = len(finite) == 1 and before.lower in _INVERTING
    return inverted and (len(after) == 1 or all(word.pos in _NAMING for word in after))
