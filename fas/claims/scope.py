"""Circumstances in front of a sentence that hold for all of its clauses.

`During pregnancy, ibuprofen should be avoided, but paracetamol is safe`: without what stands in front, the second
clause would say more than the sentence does. Dates, places of a process and `in some cases` hold for the first clause
alone, or one cannot tell.
"""

# ruff: noqa: E501 - word lists are easier to check on one line

from __future__ import annotations

import re

from fas.claims.clause import Clause
from fas.reading.trees import Token

_LIMITING = frozenset("in during for among amongst with without after before under throughout".split())
# "In general", "in addition", "for example": of the text, not of the matter.
_OF_THE_TEXT = frozenset(
    "addition general fact example instance particular contrast comparison conclusion summary short brief case cases time hand result rule part "
    "end meantime term terms light order opinion view experience knowledge course reason reasons other turn practice theory principle total average".split()
)
_OF_TIME = frozenset(
    "year month week day decade century past present recent history today yesterday january february march april may june july august september "
    "october november december spring summer autumn winter now then".split()
)
_QUANTIFIED = frozenset(
    "some most many few several rare certain severe mild serious extreme other one half majority minority rarely occasional more less".split()
)
_PEOPLE = frozenset(
    "people person patient child adult man woman infant baby newborn individual teenager adolescent boy girl mother elderly senior toddler those everyone others".split()
)
_YEAR = re.compile(r"(?:1[89]|20)\d\d(?:s|$)")


def holds_for(clause: Clause, circumstance: Token, member: Token) -> bool:
    """Whether what stands in front of the first clause limits the clause of *member* too.

    Args:
        clause: The whole, with its predicate as root.
        circumstance: A phrase in front of it (`during pregnancy`).
        member: Predicate of a later clause with a subject of its own.
    """
    case = clause.child(circumstance.i, "case")
    if circumstance.dep.split(":")[0] != "obl" or case is None or case.lower not in _LIMITING:
        return False
    words = [clause.sentence.tokens[place] for place in clause.part(circumstance.i)]
    if any(word.lemma in _OF_TIME or word.lower in _QUANTIFIED or _YEAR.match(word.text) for word in words):
        return False
    counted = circumstance.tag == "NNS" and clause.child(circumstance.i, "nummod") is not None
    if counted or any(word.text in {"%", "percent"} for word in words):
        return False  # "in 12 patients", "in 5% of patients"
    if circumstance.lower in _OF_THE_TEXT or circumstance.lemma in _OF_THE_TEXT:
        return False
    own = [clause.sentence.tokens[place] for place in clause.part(member.i)]
    if any(word.lower == case.lower for word in own):
        return False  # "in adults it is safe, and in children it is not": a circumstance of its own
    subject = clause.child(member.i, "nsubj", "csubj", "expl")
    if subject is None or _past(clause, clause.root) != _past(clause, member.i):
        return False
    if any(kid.i < subject.i for kid in clause.children(member.i, "advcl", "obl")):
        return False
    named = {clause.sentence.tokens[place].lemma for place in clause.part(subject.i)}
    return not (named & _PEOPLE and any(word.lemma in _PEOPLE for word in words))


def _past(clause: Clause, place: int) -> bool:
    token = clause.sentence.tokens[place]
    tags = {kid.tag for kid in clause.children(place, "aux", "cop")} | {token.tag}
    return "VBD" in tags and not tags & {"VBZ", "VBP", "MD"}
