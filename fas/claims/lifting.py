"""Facts in relative clauses, appositions and participles, lifted out as clauses of their own.

Only what a comma sets off is lifted: a restrictive clause is part of what the sentence is about.
"""

from __future__ import annotations

from dataclasses import replace

from fas.claims.clause import CLAUSE, Clause
from fas.claims.seams import broken
from fas.reading.trees import Token

_NOMINAL = frozenset({"NOUN", "PROPN"})
_SET_OFF_BY = frozenset({",", "–", "—", "-"})
_PEOPLE = frozenset(
    "people patient person child adult man woman individual infant baby parent expert scientist researcher".split()
)


def lift(clause: Clause) -> list[Clause]:
    """*clause* without what could be lifted out of it, and the facts lifted out."""
    rest, facts = clause, list[Clause]()
    for place in sorted(clause.keep):
        fact = _fact(rest, clause.sentence.tokens[place]) if place in rest.keep else None
        if fact is None or not fact.is_complete:
            continue
        gone = set(rest.part(place))
        without = rest.without(gone | _set_off(rest, gone))
        if not broken(without) and not broken(fact):
            rest = without
            facts.append(fact)
    return [rest, *facts]


def _fact(clause: Clause, head: Token) -> Clause | None:
    """What the words around *head* say of the noun before them, as a clause; None where that is unsure."""
    noun, places = clause.sentence.tokens[head.head], _insides(clause, head)
    if not places or places[0] < noun.i or not _after_comma(clause, places) or not _may_be_lifted_from(clause, noun):
        return None
    if head.dep == "acl:relcl" and _is_relative(clause, head, noun, places):
        said, added = set(places[1:]), {}
    elif (head.dep == "acl" and _is_participle(clause, head, noun, places)) or (
        head.dep == "appos" and _is_apposition(clause, head, noun, places)
    ):
        said, added = set(places), {places[0]: "are" if _is_plural(noun) else "is"}
    else:
        return None
    fact = clause.only(_noun_phrase(clause, noun, set(places)) | said, head.i).reworded({}, added)
    return replace(fact, subject_at=noun.i)


def _set_off(clause: Clause, gone: set[int]) -> set[int]:
    """Commas left on both sides of a gap: the one after it goes too, if the one before it does not stay."""
    tokens = clause.sentence.tokens
    before, after = min(gone) - 1, max(gone) + 1
    commas: set[int] = set()
    if before >= 0 and tokens[before].text == ",":
        commas.add(before)
    if after < len(tokens) and tokens[after].text == "," and _is_inner(clause, gone):
        commas.add(after)
    return commas


def _is_inner(clause: Clause, gone: set[int]) -> bool:
    """Whether the gap lies between the subject and its verb (elsewhere the comma after it has its own work)."""
    tokens = clause.sentence.tokens
    after = max(gone) + 2
    return (
        after < len(tokens)
        and min(gone) < clause.root
        and tokens[after].dep != "conj"
        and tokens[after].lower not in {"and", "or"}
    )


def _insides(clause: Clause, head: Token) -> list[int]:
    """The token and its dependents without the punctuation that sets them off."""
    places = clause.part(head.i)
    tokens = clause.sentence.tokens
    while places and tokens[places[0]].text in _SET_OFF_BY:
        places.pop(0)
    while places and tokens[places[-1]].text in _SET_OFF_BY:
        places.pop()
    return places


def _after_comma(clause: Clause, places: list[int]) -> bool:
    before = places[0] - 1
    return before in clause.keep and clause.sentence.tokens[before].text in {",", "–", "—"}


def _noun_phrase(clause: Clause, noun: Token, without: set[int]) -> set[int]:
    """The noun with what specifies it: what stands to its left, and `of ...` to its right."""
    places = {noun.i}
    for kid in clause.children(noun.i):
        base = kid.dep.split(":")[0]
        if (
            kid.i < noun.i
            and base in {"det", "amod", "nummod", "compound", "nmod", "flat", "punct", "advmod"}
            and kid.lower not in {"no", "not"}
            and not (base == "advmod" and noun.i == clause.root)
        ):
            places |= set(clause.part(kid.i))
        elif (
            kid.i > noun.i
            and base in {"nmod", "flat", "fixed", "nummod", "acl"}
            and not _after_comma(clause, _insides(clause, kid))
        ):
            places |= set(_insides(clause, kid))
    return places - without


def _may_be_lifted_from(clause: Clause, noun: Token) -> bool:
    """Whether the noun is one that what follows it can only refer to."""
    base = noun.dep.split(":")[0]
    if noun.pos not in _NOMINAL or clause.negated:
        return False
    if any(
        kid.lower in {"no", "any", "each", "every", "your", "my", "few"}
        for kid in clause.children(noun.i, "det", "nmod", "amod")
    ):
        return False
    inside = noun
    # A noun in a condition or in reported speech is not asserted. A shared subject does not hang
    # on the clause's own predicate: the way up then ends at the root of the sentence.
    while inside.i != clause.root and inside.head != inside.i:
        if inside.dep.split(":")[0] in {"advcl", "acl", "ccomp", "csubj"}:
            return False
        inside = clause.sentence.tokens[inside.head]
    return base in {"nsubj", "obj", "obl", "conj"} or noun.i == clause.root


def _is_relative(clause: Clause, verb: Token, noun: Token, places: list[int]) -> bool:
    """Whether `which` or `who` is the subject of *verb* and stands for *noun*."""
    opening = clause.sentence.tokens[places[0]]
    if opening.lower not in {"which", "who"} or not opening.dep.startswith("nsubj") or opening.head != verb.i:
        return False
    somebody = CLAUSE.practitioner.search(noun.text) or noun.lemma in _PEOPLE or noun.pos == "PROPN"
    if opening.lower == "who" and not somebody:
        return False
    finite = [kid for kid in clause.children(verb.i, "aux", "cop") if kid.tag in {"VBZ", "VBP"}] or [verb]
    if finite[0].tag in {"VBZ", "VBP"} and (finite[0].tag == "VBP") != _is_plural(noun):
        return False
    if verb.lemma == "mean":
        return False  # "..., which means that it thins the blood": the sentence as a whole does
    if noun.dep == "conj" and _is_plural(noun):
        return False  # "warfarin and pills, which raise ...": of the last, or of both?
    return not _may_be_of_another(clause, noun, places)


def _is_plural(noun: Token) -> bool:
    return noun.tag in {"NNS", "NNPS"}


def _may_be_of_another(clause: Clause, noun: Token, places: list[int]) -> bool:
    """Whether a relative clause may belong to a noun that stands nearer, or to what the sentence tells as a whole."""
    between = _between(clause, noun, places)
    if "(" not in [token.text for token in between[:1]] and any(
        token.pos in _NOMINAL and _is_plural(token) == _is_plural(noun) and token.dep not in {"flat", "compound"}
        for token in between
    ):
        return True  # "a common cause of cephalgia, which is ...": which of the two?
    # "eliminates plaque in the aorta, which ...": the aorta, the plaque or the eliminating?
    return noun.dep.split(":")[0] == "obl" and clause.child(noun.head, "obj") is not None


def _between(clause: Clause, noun: Token, places: list[int]) -> list[Token]:
    return [clause.sentence.tokens[p] for p in range(noun.i + 1, places[0]) if p in clause.keep]


def _stands_next(clause: Clause, noun: Token, places: list[int]) -> bool:
    """Whether nothing but a remark in brackets stands between the noun and the comma after it."""
    between = _between(clause, noun, places)
    return not any(token.pos in _NOMINAL for token in between) or between[0].text == "("


def _is_participle(clause: Clause, verb: Token, noun: Token, places: list[int]) -> bool:
    """`Myalgia, also known as muscle pain, ...`."""
    bare = verb.tag == "VBN" and clause.child(verb.i, "mark", "aux") is None
    return bare and len(places) >= 3 and _stands_next(clause, noun, places)


def _is_apposition(clause: Clause, name: Token, noun: Token, places: list[int]) -> bool:
    """`Avelumab, a PD-L1 inhibitor, ...`; what stands behind another noun is of that one."""
    determiner = clause.child(name.i, "det")
    exemplary = clause.sentence.tokens[places[0]].lower in {"such", "like", "including"}
    if clause.child(name.i, "case") is not None or exemplary or noun.dep == "conj":
        return False
    named = determiner is not None and determiner.lower in {"a", "an", "the"} and name.pos in _NOMINAL
    return named and _is_plural(name) == _is_plural(noun) and _stands_next(clause, noun, places)
