"""Imperatives: found by their words, given the subject they lack before they are parsed, and said as statements.

Parsers are trained on few imperatives and read `Drink plenty of fluids` as a noun phrase; with
`You should` in front, the same words parse well. What is put in has no source, which is how
`is_imperative` knows an imperative from advice that was written out.
"""

from __future__ import annotations

import re

from fas.claims.clause import Clause, Word
from fas.reading.command_words import NOUNS_TOO
from fas.reading.commands import command_at
from fas.reading.mapped import Mapped
from fas.reading.pattern_tables import patterns_of
from fas.reading.trees import NEGATIONS

ADVICE = patterns_of(__file__)
_NO_ADVICE = frozenset("are is may might can could will would have has had were was do did does to that".split())


def commanding(text: Mapped, first: Clause | None) -> Mapped | None:
    """*text* with `you should` put before the verb that has no subject; None if it is no imperative.

    Args:
        text: A sentence, its opening phrases taken off.
        first: How the parser reads it as it stands, if it did.
    """
    advised = ADVICE.advised.match(text.text)
    unsure = advised is not None and re.search(r"\b(?:likely|probably)\s", advised.group()) is not None
    if advised is not None and not unsure and advised.group(3).lower() not in _NO_ADVICE:
        front = advised.end(1)
        return _with_subject(
            text, front, (advised.start(3), advised.group(2) is not None), "you should " if front else "You should "
        )
    place = _command(text.text, 0, first)
    if place is not None:
        return _with_subject(text, 0, place, "You should ")
    for fronted in ADVICE.after_circumstance.finditer(text.text):
        place = _command(text.text, fronted.end(), None)
        if place is not None and re.search(r"\bwho \w+,\s*$", fronted.group()):
            break  # "for people who live, work or ...": a list, not a command
        if place is not None and first is not None and _has_later_subject(first, text, place[0]):
            break
        if place is not None:
            return _with_subject(text, fronted.end(), place, "you should ")
    return None


def _has_later_subject(first: Clause, text: Mapped, place: int) -> bool:
    """Whether the sentence has its own subject after the verb (`when they cough, cover or talk, masks help`)."""
    subject = first.subject
    if subject is None or subject.pos not in {"NOUN", "PROPN"} or subject.dep.startswith("csubj"):
        return False
    start = first.sentence.tokens[0].start
    return subject.start - start > place and subject.i < first.root and first.is_complete


def _command(text: str, start: int, first: Clause | None) -> tuple[int, bool] | None:
    """Where the command's verb starts and whether it is negated."""
    return command_at(text, start, None if first is None else lambda verb: _is_declarative(first, verb))


def _is_declarative(first: Clause, verb: str) -> bool:
    """Whether the parser finds a finite predicate whose subject begins the sentence."""
    root = first.predicate
    subject = first.child(root.i, "nsubj", "csubj")
    if subject is None or not first.part(subject.i) or first.part(subject.i)[0] > 1:
        return False
    finite = root.tag in {"VBZ", "VBD"} or any(
        kid.tag in {"MD", "VBZ", "VBP", "VBD"} for kid in first.children(root.i, "aux", "cop")
    )
    return finite or (root.tag == "VBP" and verb in NOUNS_TOO)


def _with_subject(text: Mapped, start: int, place: tuple[int, bool], subject: str) -> Mapped:
    verb, negated = place
    word = text.slice(verb)
    lowered = Mapped(word.text[:1].lower() + word.text[1:], word.starts, word.ends)
    # "not " stands for the words of the prohibition, which keeps them within the claim's span.
    prohibition = text.slice(start, verb).standing_for("not ") if negated else Mapped.inserted("")
    return Mapped.join([text.slice(0, start), subject, prohibition, lowered])


def is_put_in(clause: Clause) -> bool:
    """Whether the subject of the clause is one that `commanding` put in."""
    subject = clause.subject
    if subject is None or subject.lower != "you":
        return False
    return clause.sentence.unit.span(subject.start, subject.end) is None


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
