"""Whether what is left of a sentence still hangs together where something was taken out of it.

A parse that went astray shows where words meet that never stood side by side: a preposition
before a preposition, a conjunction without its neighbour, a verb in the wrong number. Rules
that take sentences apart ask here before they do; a sentence kept whole loses nothing.
"""

from __future__ import annotations

import itertools

from fas.claims.clause import Clause
from fas.reading.trees import Token

_NAMING = frozenset({"NOUN", "PROPN"})
_OPEN = frozenset({"IN", "TO", "DT", "PRP$", "PDT", "WDT", "WP$"})
_CANNOT_FOLLOW = frozenset({"IN", "VBZ", "VBD", "VBP", "MD", "CC", ".", ":", ",", "-LRB-", "-RRB-"})


def broken(part: Clause) -> bool:
    """Whether *part* cannot be what its sentence says, by the words that meet in it."""
    tokens = part.sentence.tokens
    places = sorted(part.keep)
    if places and places[0] and tokens[places[0]].text in {"(", "["} and places[0] - 1 not in part.keep:
        return True
    if any(_gaping(tokens[a], tokens[b]) for a, b in itertools.pairwise(places) if b != a + 1):
        return True
    if any(_orphaned(part, tokens[place]) for place in places[1:] if tokens[place].tag == "CC"):
        return True
    return _disagrees(part)


def _gaping(left: Token, right: Token) -> bool:
    """Whether two words that did not stand side by side cannot."""
    if left.tag in _OPEN and left.lower not in {"that", "this", "these", "those", "all", "both", "some"}:
        return right.tag in _CANNOT_FOLLOW
    if _meeting(left, right):
        return True
    if (left.tag == "PRP" and right.tag == "TO") or (left.dep.startswith("nsubj") and right.dep == "mark"):
        return True  # "it | to identify", "some cysts | while others are not"
    if right.text in {"(", "["}:
        return True  # a remark that stood behind another word
    # "such as swelling, | in opening the mouth": the rest of another member.
    return left.text == "," and right.tag == "IN" and right.dep == "case"


def _meeting(left: Token, right: Token) -> bool:
    """Whether two nouns meet of which neither is the other's (`in disorders | carcinoma`, `a count | 150,000`)."""
    if left.pos not in _NAMING or left.dep in {"compound", "amod", "flat"} or left.i == right.head:
        return False
    if right.tag == "CD":
        return True
    begins = right.pos in _NAMING or right.dep == "amod"
    return begins and not right.dep.startswith(("nsubj", "conj")) and left.head != right.i


def _orphaned(part: Clause, conjunction: Token) -> bool:
    """Whether a conjunction has lost what it joins."""
    tokens = part.sentence.tokens
    before = conjunction.i - 1
    while before > 0 and tokens[before].pos == "PUNCT":
        before -= 1
    if before >= 0 and before not in part.keep:
        return True
    return conjunction.dep.startswith("cc") and conjunction.head not in part.keep


def _disagrees(part: Clause) -> bool:
    """Whether a subject lent by another verb is in the wrong number for this one."""
    subject = part.subject
    if subject is None or subject.head == part.root or subject.pos not in {"NOUN", "PROPN"}:
        return False
    finite = next((kid for kid in part.children(part.root, "aux", "cop") if kid.i not in part.replaced), None)
    verb = finite or part.predicate
    if verb.i in part.replaced:
        return False
    if finite is None and verb.tag in {"VB", "VBP"} and subject.tag in {"NN", "NNP"}:
        return part.child(subject.i, "conj") is None
    several = subject.tag in {"NNS", "NNPS"} or part.child(subject.i, "conj") is not None
    return verb.lower in {"is", "was", "has"} if several else verb.lower in {"are", "were"}
