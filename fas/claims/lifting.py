"""Facts in relative clauses, appositions and participles, lifted out as clauses of their own.

Only what a comma sets off is lifted: a restrictive clause is part of what the sentence is about.
"""

from __future__ import annotations

from dataclasses import replace

from fas.claims.clause import CLAUSE, Clause
from fas.claims.morphology import third_person
from fas.claims.references import resolve_within, spelled_out
from fas.claims.seams import broken
from fas.reading.trees import Token

_NOMINAL = frozenset({"NOUN", "PROPN"})
_SET_OFF_BY = frozenset({",", "–", "—", "-"})
_PEOPLE = frozenset(
    "people patient person child adult man woman individual infant baby parent expert scientist researcher".split()
)
_OF_THE_WHOLE = frozenset("lead result allow mean suggest indicate imply".split())
_CONCESSIVE = frozenset("although though whereas albeit".split())


def lift(clause: Clause) -> list[Clause]:
    """*clause* without what could be lifted out of it, and the facts lifted out."""
    rest, facts = clause, list[Clause]()
    for place in sorted(clause.keep):
        if place not in rest.keep:
            continue
        token = clause.sentence.tokens[place]
        fact: Clause | None = None
        gone: set[int] = set()
        if token.dep == "acl:relcl":
            fact, gone = _relative(rest, token)
        elif token.dep == "acl":
            fact, gone = _participle(rest, token)
        elif token.dep == "appos":
            fact, gone = _apposition(rest, token)
        elif token.dep == "advcl" and token in rest.children(rest.root):
            fact, gone = _adverbial(rest, token)
        if fact is not None and not fact.is_complete:
            continue
        without = rest.without(gone | _set_off(rest, gone)) if gone else rest
        if fact is not None and (broken(without) or broken(fact)):
            continue
        rest = without
        if fact is not None:
            facts.append(fact)
    return [rest, *facts]


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


def _relative(clause: Clause, verb: Token) -> tuple[Clause | None, set[int]]:
    noun = clause.sentence.tokens[verb.head]
    places = _insides(clause, verb)
    if not places or not _after_comma(clause, places) or not _may_be_lifted_from(clause, noun) or places[0] < noun.i:
        return None, set()
    opening = clause.sentence.tokens[places[0]]
    if opening.lower not in {"which", "who"} or not opening.dep.startswith("nsubj") or opening.head != verb.i:
        return None, set()
    somebody = CLAUSE.practitioner.search(noun.text) or noun.lemma in _PEOPLE or noun.pos == "PROPN"
    if opening.lower == "who" and not somebody:
        return None, set()
    finite = [kid for kid in clause.children(verb.i, "aux", "cop") if kid.tag in {"VBZ", "VBP"}] or [verb]
    if finite[0].tag in {"VBZ", "VBP"} and not _agrees(finite[0], noun):
        return None, set()
    if opening.lower == "which" and verb.lemma == "mean":
        return _meant(clause, verb)
    if noun.dep == "conj" and noun.tag in {"NNS", "NNPS"}:
        return None, set()  # "warfarin and pills, which raise ...": of the last, or of both?
    if _may_be_of_another(clause, noun, places):
        return None, set()
    if (subject := _of_that_kind(clause, noun)) is not None:
        # "Furosemide is a loop diuretic, which acts on ...": furosemide does.
        fact = clause.only(set(clause.part(subject.i)) | set(places) - {opening.i}, verb.i)
        return replace(fact, subject_at=subject.i), set(clause.part(verb.i))
    phrase = _noun_phrase(clause, noun, set(places))
    fact = clause.only(phrase | set(places) - {opening.i}, verb.i)
    fact = replace(fact, subject_at=noun.i)
    return fact, set(clause.part(verb.i))


def _meant(clause: Clause, verb: Token) -> tuple[Clause | None, set[int]]:
    """`..., which means that it thins the blood`: what is meant, if it is said of what the clause is about."""
    inner = clause.child(verb.i, "ccomp")
    about = clause.subject
    if inner is None or about is None or clause.child(verb.i, "aux") is not None or clause.sentence.negated(verb.i):
        return None, set()
    subject = clause.child(inner.i, "nsubj")
    if subject is None or subject.lower != ("they" if about.tag in {"NNS", "NNPS"} else "it"):
        return None, set()
    places = set(clause.part(inner.i)) - {p for kid in clause.children(inner.i, "mark") for p in clause.part(kid.i)}
    if any(clause.sentence.tokens[p].lower in {"it", "them", "they", "this", "that"} for p in places - {subject.i}):
        return None, set()
    fact = clause.only(places, inner.i)
    if about.i in clause.replaced:
        fact = fact.reworded(spelled_out(clause.sentence, {subject.i: clause.replaced[about.i]}))
    else:
        (_, fact) = resolve_within([clause, fact])
    return (fact, set(clause.part(verb.i))) if subject.i in fact.replaced else (None, set())


def _of_that_kind(clause: Clause, noun: Token) -> Token | None:
    """What the clause says to be a *noun* (`furosemide` in `furosemide is a loop diuretic`)."""
    subject = clause.subject
    determiner = clause.child(noun.i, "det")
    if noun.i != clause.root or subject is None or subject.i > noun.i or subject.dep == "expl":
        return None
    if determiner is None or determiner.lower not in {"a", "an"} or clause.child(noun.i, "cop") is None:
        return None
    return subject if subject.tag in {"NN", "NNP", "VBG", "PRP"} else None


def _may_be_of_another(clause: Clause, noun: Token, places: list[int]) -> bool:
    """Whether a relative clause may belong to a noun that stands nearer, or to what the sentence tells as a whole."""
    plural = noun.tag in {"NNS", "NNPS"}
    between = [clause.sentence.tokens[p] for p in range(noun.i + 1, places[0]) if p in clause.keep]
    if "(" not in [token.text for token in between[:1]] and any(
        token.pos in _NOMINAL and (token.tag in {"NNS", "NNPS"}) == plural and token.dep not in {"flat", "compound"}
        for token in between
    ):
        return True  # "a common cause of cephalgia, which is ...": which of the two?
    # "eliminates plaque in the aorta, which ...": the aorta, the plaque or the eliminating?
    return noun.dep.split(":")[0] == "obl" and clause.child(noun.head, "obj") is not None


def _agrees(verb: Token, noun: Token) -> bool:
    plural = noun.tag in {"NNS", "NNPS"}
    return (verb.tag == "VBP") == plural


def _stands_next(clause: Clause, noun: Token, places: list[int]) -> bool:
    """Whether nothing but a remark in brackets stands between the noun and the comma after it."""
    between = [clause.sentence.tokens[p] for p in range(noun.i + 1, places[0]) if p in clause.keep]
    return not any(token.pos in _NOMINAL for token in between) or any(token.text == "(" for token in between[:1])


def _participle(clause: Clause, verb: Token) -> tuple[Clause | None, set[int]]:
    noun = clause.sentence.tokens[verb.head]
    places = _insides(clause, verb)
    if (
        verb.tag != "VBN"
        or not places
        or places[0] < noun.i
        or not _after_comma(clause, places)
        or not _may_be_lifted_from(clause, noun)
    ):
        return None, set()
    if clause.child(verb.i, "mark", "aux") is not None or len(places) < 3 or not _stands_next(clause, noun, places):
        return None, set()
    phrase = _noun_phrase(clause, noun, set(places))
    fact = clause.only(phrase | set(places), verb.i).reworded({}, {places[0]: _be(noun)})
    fact = replace(fact, subject_at=noun.i)
    return fact, set(clause.part(verb.i))


def _be(noun: Token) -> str:
    return "are" if noun.tag in {"NNS", "NNPS"} else "is"


def _apposition(clause: Clause, name: Token) -> tuple[Clause | None, set[int]]:
    noun = clause.sentence.tokens[name.head]
    places = _insides(clause, name)
    if not places or places[0] < noun.i or not _after_comma(clause, places) or not _may_be_lifted_from(clause, noun):
        return None, set()
    if not _stands_next(clause, noun, places):
        return None, set()  # "an infection of the conjunctiva, the tissue that ...": of the nearer noun
    if clause.child(name.i, "case") is not None or clause.sentence.tokens[places[0]].lower in {
        "such",
        "like",
        "including",
    }:
        return None, set()
    determiner = clause.child(name.i, "det")
    if (
        determiner is None
        or determiner.lower not in {"a", "an", "the"}
        or name.pos not in _NOMINAL
        or noun.dep == "conj"
    ):
        return None, set()
    if (name.tag in {"NNS", "NNPS"}) != (noun.tag in {"NNS", "NNPS"}):
        return None, set()
    phrase = _noun_phrase(clause, noun, set(places))
    fact = clause.only(phrase | set(places), name.i).reworded({}, {places[0]: _be(noun)})
    fact = replace(fact, subject_at=noun.i)
    return fact, set(clause.part(name.i))


def _adverbial(clause: Clause, verb: Token) -> tuple[Clause | None, set[int]]:
    places = _insides(clause, verb)
    subject = clause.subject
    marks = [mark for mark in clause.children(verb.i, "mark", "advmod") if mark.lower in _CONCESSIVE]
    if (
        marks
        and subject is not None
        and subject.lower in {"it", "they", "this", "these"}
        and subject.i not in clause.replaced
    ):
        return None, set()  # "although stones may pass, it depends ...": the pronoun needs the first half
    if marks and clause.child(verb.i, "nsubj", "expl") is not None:
        gone = set(places)
        return clause.only(gone - {p for mark in marks for p in clause.part(mark.i)}, verb.i), gone
    if verb.tag != "VBG" or verb.i < clause.root or not _after_comma(clause, places) or places[0] != verb.i:
        return None, set()
    if subject is None or subject.pos not in _NOMINAL or clause.child(clause.root, "obj") is None:
        return None, set()
    if verb.lemma in _OF_THE_WHOLE or (subject.lemma in _PEOPLE and verb.lemma in {"cause", "make"}):
        return None, set()  # "people lose blood, leading to anemia": the loss does
    if clause.negated or clause.sentence.negated(verb.i) or clause.child(verb.i, "obj", "obl") is None:
        return None, set()
    if clause.child(verb.i, "conj") is not None:
        return None, set()  # "overuse, clenching or grinding": members of a list
    modal = [aux for aux in clause.children(clause.root, "aux") if aux.tag == "MD"]
    plural = subject.tag in {"NNS", "NNPS"} or clause.child(subject.i, "conj") is not None
    if modal:
        word = verb.lemma
    elif clause.predicate.tag in {"VBZ", "VBP", "VB"}:
        word = verb.lemma if plural else third_person(verb.lemma)
    else:
        return None, set()
    keep = set(clause.part(subject.i)) | set(places) | {aux.i for aux in modal}
    fact = replace(clause.only(keep, verb.i).reworded({verb.i: word}), subject_at=subject.i)
    return fact, set(clause.part(verb.i))
