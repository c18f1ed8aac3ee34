"""What a sentence says of a drug behind its name, also where the verb is left out or stands in another clause.

All of them return lower-case words joined by blanks, as `fas.safety.directive.Item` holds them, in which other drugs
are ¤; "" where nothing is said.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from fas.reading.pattern_tables import patterns_of
from fas.safety.clauses import Clause
from fas.safety.cues import CUES
from fas.safety.directive import Item

if TYPE_CHECKING:
    from spacy.tokens import Doc

_SHORT = {"'s": "is", "'re": "are"}
PREDICATES = patterns_of(__file__)


def own_predicate(items: Sequence[Item], at: int) -> str:
    """What follows the drug, item *at*, in its clause; a verb that is left out of "§: safe in pregnancy" is added."""
    words = [item.text for item in items[at + 1 :]]
    if words and items[at + 1].tag.startswith("V") and words[0] in _SHORT:
        words[0] = _SHORT[words[0]]  # "it's fine" as "it is fine"
    right = " ".join(words)
    if any(item.text[0].isalnum() for item in items[:at]):
        return right
    return PREDICATES.left_out.sub("is ", right)


def joined_predicate(doc: Doc, clauses: Sequence[Clause], number: int, names: Collection[int]) -> str:
    """What a predicate joined to the drug's own says to the reader ("§ is an old drug | and is fine for you").

    Args:
        doc: The sentence.
        clauses: Its clauses.
        number: Index of the drug's clause.
        names: Indices of the tokens that belong to drug names.
    """
    if number + 1 >= len(clauses):
        return ""
    clause = clauses[number + 1]
    words = [doc[index] for index in clause.tokens]
    if (
        clause.mark not in ("", "but")
        or len(words) < 3
        or words[0].lower_ not in ("and", "but")
        or words[1].tag_ not in ("VBZ", "VBP", "MD")
        or any(index in names for index in clause.tokens)
    ):
        return ""
    said = " ".join(word.lower_ for word in words[1:])
    # Without the reader in it: the first predicate has told what kind of sentence it is.
    return said if CUES.for_you.search(said) else ""


def without_coordination(right: str) -> str:
    """*right*, what follows the drug, without other drugs joined to it, brand names and doses in brackets."""
    right = re.sub(r"\( [^)]{0,60}\)", " ", right)
    return re.sub(r"^(?:\s*(?:,|and|or|and/or|/|\+|plus) (?:also |even )?¤)+", " ", right).strip()
