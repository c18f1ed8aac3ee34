"""What a sentence says of a drug behind its name, also where the verb is left out or stands in another clause.

All of them return lower-case words joined by blanks, as `fas.safety.directive.Item` holds them, in which other drugs
are ¤; "" where nothing is said.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
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


def predicate_after_insertion(doc: Doc, items: Sequence[Item], at: int, end: int) -> str:
    """What is said behind an inserted clause ("§, although it works, | is off limits"); *end* ends the name."""
    if [item.text for item in items[at + 1 :]] != [","]:
        return ""
    inserted = PREDICATES.inserted.match(doc.text, end)
    if inserted is None:
        return ""
    return " ".join(token.lower_ for token in doc if token.idx >= inserted.end() and not token.is_space)


def shared_predicate(
    doc: Doc, clauses: Sequence[Clause], number: int, items: Sequence[Item], names: Mapping[int, int]
) -> str:
    """What is said of the drug that § is joined to, where § stands in a clause alone ("§ | and ¤ are unsafe").

    Args:
        doc: The sentence.
        clauses: Its clauses.
        number: Index of the clause of §.
        items: That clause.
        names: By the index of a token that belongs to a drug name, which name that is.
    """
    if len(items) != 1 or number + 1 >= len(clauses) or clauses[number + 1].mark:
        return ""
    words = [doc[index] for index in clauses[number + 1].tokens if not doc[index].is_space]
    if len(words) < 3 or words[0].lower_ not in ("and", "or", "&", "/", ",") or words[1].i not in names:
        return ""
    last = max(word.i for word in words if names.get(word.i) == names[words[1].i])
    return " ".join(word.lower_ for word in words if word.i > last)


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
