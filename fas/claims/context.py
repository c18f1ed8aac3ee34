"""Statements that point at what was said before: another sentence put in front of one would have its verdict."""

from __future__ import annotations

from fas.claims.clause import Clause
from fas.claims.references import stands_for_what_follows
from fas.reading.trees import Token

_POINTING = frozenset({"this", "that", "these", "those", "it", "they", "he", "she", "both", "neither"})
_ORDERED = frozenset("first second third latter former other others rest same".split())
_DEMONSTRATIVE = frozenset({"this", "these", "that", "those", "such", "both"})
# "This means" and "this time" do not point at a thing.
_SORTS = frozenset("type kind form sort class".split())
_NO_THING = frozenset("time case point reason way stage moment day year age article section".split())


def points_back(clause: Clause) -> bool:
    """Whether the subject can only be known from an earlier sentence."""
    subject = clause.subject
    if subject is None or subject.i in clause.replaced or subject.dep == "expl":
        return False
    if subject.lower in _POINTING and _named_before(clause, subject):
        return False
    if subject.lower in _POINTING:
        # "It is safe to ...", "it takes a week until ...": the pronoun points forward.
        return not (
            subject.lower == "it" and stands_for_what_follows(clause.sentence, clause.root)
        ) and subject.tag not in {"WDT", "EX"}
    kids = clause.children(subject.i)
    alone = all(kid.lower in {"the", "a", "an"} or kid.dep in {"punct", "cc"} for kid in kids)
    if subject.lower in _ORDERED:
        return alone and (subject.lower == "others" or any(kid.lower == "the" for kid in kids))
    if subject.lemma in _NO_THING:
        return False
    if subject.lemma in _SORTS and any(kid.lower in {"this", "these"} for kid in kids):
        return True  # "this type of stool softener": which one?
    shown = any(kid.lower in _DEMONSTRATIVE and kid.dep.startswith("det") for kid in kids)
    ordered = subject.lemma in {"possibility", "option", "reason", "step", "factor", "cause"} and any(
        kid.lower in _ORDERED for kid in kids
    )
    return (shown or ordered) and not any(
        kid.dep.startswith(("acl", "nmod", "conj")) and kid.i > subject.i for kid in kids
    )


def _named_before(clause: Clause, pronoun: Token) -> bool:
    """Whether a clause in front names something that the pronoun may stand for (`if the rash spreads, it ...`)."""
    fronted = [kid for kid in clause.children(clause.root, "advcl") if kid.i < pronoun.i]
    return any(inner.pos in {"NOUN", "PROPN"} for kid in fronted for inner in clause.children(kid.i, "nsubj"))


def needs_more(part: Clause, shared: frozenset[int] = frozenset()) -> bool:
    """Whether a later part of a sentence has a pronoun that only an earlier part explains.

    Args:
        part: The later part.
        shared: Places of words that it has from the earlier part; none of them is what the pronoun stands for.
    """
    if points_back(part) and part.subject is not None and part.subject.i not in shared:
        return True
    for place in sorted(part.keep - shared):
        token = part.sentence.tokens[place]
        if token.pos in {"NOUN", "PROPN"} or place in part.replaced:
            return False
        if token.lower in {"it", "them"} and token.dep.split(":")[0] in {"obj", "obl", "iobj"}:
            return True
    return False
