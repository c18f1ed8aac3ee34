"""What a question asks of a drug: whether it may be taken, how, or which one; and whether it asks for one at all."""

from __future__ import annotations

from collections.abc import Sequence

from fas.safety.facts import clause_start
from fas.safety.matcher import Mention
from fas.text.reading.pattern_tables import load_patterns

ASKS = load_patterns(__file__)


def asks_permission(plain: str) -> bool:
    """Whether the question asks if something may be taken."""
    return ASKS.permission.search(plain) is not None


def asks_beside(plain: str, n_mentions: int, n_drugs: int) -> bool:
    """Whether it asks so of a drug beside another one, or in a circumstance ("with food", "while nursing").

    Args:
        plain: The question.
        n_mentions: Drug names in it.
        n_drugs: Different drugs that it asks about or names as in use.
    """
    if not asks_permission(plain):
        return False
    return (
        (n_mentions > 0 and ASKS.somebody.search(plain) is None) or n_drugs > 1 or ASKS.beside.search(plain) is not None
    )


def asks_for_drug(plain: str) -> bool:
    """Whether it asks what to take or how to treat."""
    return bool(ASKS.care.search(plain)) and not ASKS.describing.search(plain) and not ASKS.avoiding.search(plain)


def asks_what_to_avoid(plain: str) -> bool:
    """Whether it asks which drugs are not to be taken."""
    return ASKS.avoiding.search(plain) is not None


def asks_how_given(plain: str) -> bool:
    """Whether it asks in what way a drug that is in use is given ("how is X administered?")."""
    return ASKS.how_given.search(plain) is not None


def find_presupposed(plain: str, mentions: Sequence[Mention]) -> frozenset[str]:
    """Names whose use the question takes for granted: it asks when, how or with what effect, not whether or what."""
    found: set[str] = set()
    for mention in mentions:
        opening = clause_start(plain, mention.start)
        if ASKS.presupposing.search(plain[opening : mention.start]) or (
            ASKS.timing.search(plain) and not ASKS.asks.search(plain)
        ):
            found |= {*mention.ingredients, str(mention.class_key)}
    return frozenset(found)
