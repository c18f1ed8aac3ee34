"""Imperatives, and what they say as statements: `Avoid alcohol` -> `Patients should avoid alcohol`."""

from __future__ import annotations

from fas.claims.advice import is_put_in
from fas.claims.clause import Clause, Word
from fas.reading.trees import NEGATIONS

_SOFTENERS = frozenset("please just simply also kindly then do n't not never don't".split())


def is_imperative(clause: Clause) -> bool:
    """Whether the clause tells the reader to do something."""
    root = clause.predicate
    if is_put_in(clause):
        # "You should be open with your doctor" says what patients should be: a statement as it stands.
        is_state = any(kid.lower == "be" for kid in clause.children(root.i, "cop", "aux"))
        return not is_state and any(aux.lower == "should" for aux in clause.children(root.i, "aux"))
    if root.pos not in {"VERB", "AUX"} or clause.subject is not None or root.lower != root.lemma:
        return False
    if root.tag not in {"VB", "VBP", "NN", ""}:
        return False
    if root.i - 1 in clause.keep and clause.sentence.tokens[root.i - 1].pos in {"NOUN", "PROPN"}:
        return False  # "as masses are equal, their values match": its subject was not seen
    if clause.child(root.i, "mark") is not None or clause.child(root.i, "cop") is not None:
        return False
    if any(aux.lemma != "do" and aux.lower not in {"do", "don't"} for aux in clause.children(root.i, "aux")):
        return False
    if any(
        clause.child(kid.i, "cop") and not clause.child(kid.i, "nsubj") for kid in clause.children(root.i, "parataxis")
    ):
        return False  # "lie bumps, also called ..., are sores": its own verb was taken for a second sentence
    return not any(
        kid.i < root.i and kid.dep.split(":")[0] in {"obj", "iobj", "xcomp", "ccomp", "conj"}
        for kid in clause.children(root.i)
    )


def as_recommended(clause: Clause) -> list[Word]:
    """`Take it with food if you feel sick` as `patients should take it with food if you feel sick`."""
    root = clause.predicate
    if is_put_in(clause):
        if all(kid.tag not in {"VBZ", "VBP"} for kid in clause.children(root.i, "aux", "cop")):
            return clause.words()
        unit, tokens = clause.sentence.unit, clause.sentence.tokens  # "Panic attacks are ...": it was no command
        return clause.only(p for p in clause.keep if unit.span(tokens[p].start, tokens[p].end) is not None).words()
    denied = any(kid.lower in NEGATIONS and kid.i < root.i for kid in clause.children(root.i))
    softeners = {kid.i for kid in clause.children(root.i) if kid.i < root.i and kid.lower in _SOFTENERS}
    words = clause.without(softeners).words()
    place = next((n for n, word in enumerate(words) if word.at == root.i), 0)
    words[place] = Word(root.lower, root.i)
    manners = {kid.i for kid in clause.children(root.i, "advmod") if kid.i < root.i}
    while place and words[place - 1].at in manners:
        place -= 1  # "do not abruptly stop"
    return [*words[:place], Word("patients should not" if denied else "patients should"), *words[place:]]
