"""`This drug`, `these symptoms` inside a sentence: what only an earlier sentence names."""

from __future__ import annotations

from fas.claims.clause import PRACTITIONER, Clause
from fas.claims.referents import KIND
from fas.reading.trees import FINITE, Token

_SHOWING = frozenset({"this", "these", "that", "those"})
# "At this time", "this year" point at now, not at a thing.
_NO_THING = frozenset(
    "time moment day year age week month stage point article section way reason season morning evening".split()
)
_NAMING = frozenset({"NOUN", "PROPN"})
_PEOPLE = frozenset(
    "people person patient child parent man woman user friend partner family individual adult kid".split()
)


def unnamed(clause: Clause) -> Token | None:
    """The first word of the clause, beside its subject, that shows something it does not name; None if there is none.

    `Ibuprofen can manage these symptoms` has one, `patients with cough or fever should report these symptoms` has none.
    """
    tokens = clause.sentence.tokens
    subject = clause.subject
    for place in sorted(clause.keep):
        token = tokens[place]
        if place in clause.replaced or (subject is not None and place == subject.i):
            continue
        if token.lower == "both" and token.dep in {"obj", "obl"} and not clause.children(place, "nmod"):
            if not _named_before(clause, place, token):
                return token
            continue
        if _counted(clause, token) or _is_object(token, "them"):
            if not _names_several(clause, place) or (token.dep == "obl" and not _names_somebody(clause, place)):
                return token
            continue
        if _is_object(token, "it"):
            if not any(tokens[p].pos in _NAMING for p in clause.keep if p < place) and not clause.replaced:
                return token
            continue
        if token.lower not in _SHOWING or token.tag in {"IN", "WDT"}:
            continue
        if token.lower == "that" and (place == 0 or tokens[place - 1].tag not in {"IN", "WRB"}):
            continue  # a conjunction, taken for an article
        noun = tokens[token.head] if token.dep.startswith("det") else token
        base = token.dep.split(":")[0]
        if noun is token and base == "nsubj" and place < clause.root != token.head and token.tag == "DT":
            pass  # "if this happens, ..."
        elif noun is token and (token.lower == "that" or base not in {"obj", "obl", "nmod"}):
            continue
        if subject is not None and noun.i == subject.i:
            continue  # what the subject shows is asked of it elsewhere
        if noun.i not in clause.keep or noun.lemma in _NO_THING or _is_restricted(clause, noun):
            continue
        if not _named_before(clause, place, noun):
            return token
    return None


def _is_object(token: Token, word: str) -> bool:
    return token.lower == word and token.dep.split(":")[0] in {"obj", "obl", "iobj"}


def _names_somebody(clause: Clause, place: int) -> bool:
    """Whether people stand before the word at *place*, who may be talked to."""
    before = [clause.sentence.tokens[p] for p in clause.keep if p < place]
    return any(PRACTITIONER.search(token.text.removesuffix("s")) or token.lemma in _PEOPLE for token in before)


def _counted(clause: Clause, token: Token) -> bool:
    """Whether it is `the two` of `the two conditions`, without what says which two."""
    if token.lower not in {"two", "three"} or not token.dep.startswith("nummod"):
        return False
    noun = clause.sentence.tokens[token.head]
    definite = any(kid.lower == "the" for kid in clause.children(noun.i, "det"))
    return definite and noun.i in clause.keep and not _is_restricted(clause, noun)


def _names_several(clause: Clause, place: int) -> bool:
    """Whether a plural or a list of things stands before the word at *place*."""
    before = [clause.sentence.tokens[p] for p in clause.keep if p < place]
    return any(
        token.tag in {"NNS", "NNPS"} or (token.pos in _NAMING and clause.child(token.i, "conj") is not None)
        for token in before
    )


def _is_restricted(clause: Clause, noun: Token) -> bool:
    """Whether what follows says which are meant (`those with asthma`, `these two kinds of cells that ...`)."""
    return any(kid.i > noun.i and kid.dep.startswith(("acl", "nmod")) for kid in clause.children(noun.i))


def _named_before(clause: Clause, place: int, noun: Token) -> bool:
    """Whether the clause itself names what is shown, in front of it."""
    tokens = clause.sentence.tokens
    before = [tokens[p] for p in sorted(clause.keep) if p < place and tokens[p].pos in {"NOUN", "PROPN"}]
    if any(other.lemma == noun.lemma for other in before):
        return True
    plural = noun.tag == "NNS" or noun.lower in {"these", "those", "both"}
    if plural and any(clause.child(other.i, "conj") is not None for other in before):
        return True
    if not plural and noun.lemma in KIND and any(other.tag in {"NN", "NNP"} for other in before):
        return True
    # "If you have a fever, report this to a doctor": said in a clause of its own.
    spoken = [p for p in clause.keep if p < place and tokens[p].tag in FINITE]
    return (
        bool(before) and len(spoken) > 1 and any(tokens[p].text == "," for p in clause.keep if min(spoken) < p < place)
    )
