"""Statements about this one reader's case, which no evidence can settle."""

# ruff: noqa: E501 - word lists and patterns are easier to check on one line

from __future__ import annotations

import itertools
import re

from fas.claims.clause import PRACTITIONER, Clause
from fas.reading.trees import Token

_ON_BEHALF = re.compile(
    r"\b(?:i|we)(?:'ve| have)? (?:just |also |already )?(?:spoke|spoken|talked|consulted|checked|discussed (?:this|it|your \w+)|reviewed (?:this|it|your \w+)) (?:to|with) (?:your|the) (?:\w+ )?"
    r"(?:doctor|physician|provider|specialist|team|surgeon|\w+ologist|dentist|pharmacist|gp)\b",
    re.IGNORECASE,
)
_BODY = frozenset(
    "body heart liver kidney brain skin blood lung stomach gut bowel bladder muscle bone joint spine eye ear nose throat mouth tongue gum "
    "immune system hormone nerve vein artery cell tissue metabolism pancreas thyroid intestine colon hair nail foot hand".split()
)
_KIN = frozenset(
    "mother father mom dad son daughter child baby wife husband partner brother sister grandmother grandfather girlfriend boyfriend "
    "dog cat friend parent fiancé fiancée fiance fiancee spouse roommate boss coworker".split()
)
_ADVISING = frozenset("recommend suggest advise encourage urge".split())
_TELLING = frozenset("possible likely unlikely probable plausible conceivable reassuring good great concerning".split())
_STATES = frozenset("have be experience suffer feel develop get deal".split())


def on_behalf(prediction: str) -> bool:
    """Whether the answer passes on what a doctor said about this reader (`I spoke to your doctor`)."""
    return _ON_BEHALF.search(prediction) is not None


def is_about_reader(clause: Clause, on_behalf: bool) -> bool:
    """Whether the clause judges this reader's own case, which no evidence can settle.

    `It is possible that you have an infection` always does; in an answer that passes on what a doctor said, so does
    what the doctor can or cannot do, what `your` symptoms come from, and what was done.
    """
    root = clause.predicate
    unreal = [kid.lower for kid in clause.children(root.i, "aux")]
    if on_behalf and "would" in unreal and "have" in unreal:
        return True  # what would have happened in this one case
    if on_behalf and _goes_on(clause):
        return True
    words = {clause.sentence.tokens[place].lower for place in clause.keep}
    if on_behalf and words & {"now", "tonight", "today", "tomorrow", "yesterday", "currently"}:
        return True
    if _if(clause):
        return False
    if any(a == "your" and b in {"case", "situation"} for a, b in _pairs(clause)) and not words & {
        "should",
        "depends",
        "depend",
    }:
        return True
    if (
        on_behalf
        and words & {"you", "your"}
        and (words & {"likely", "probably"} or root.lemma in {"clear", "unclear", "certain", "uncertain"})
    ):
        return True
    if root.lemma in _TELLING and clause.child(root.i, "cop") is not None:
        content = clause.child(root.i, "ccomp", "csubj", "advcl")
        whom = clause.child(content.i, "nsubj") if content is not None else None
        if content is not None and whom is not None and whom.lower == "you" and content.lemma in _STATES:
            return True
        finite = content is not None and clause.child(content.i, "mark", "nsubj") is not None and content.tag != "VB"
        if on_behalf and finite and root.lemma in {"possible", "likely", "unlikely", "probable"}:
            return True
    subject = clause.subject
    if on_behalf and {("the", "patient"), ("given", "your"), ("because", "your")} & set(_pairs(clause)):
        return True
    if on_behalf and (_tells_what_you_have(clause) or (_names_kin(clause) and "your" in words)):
        return True
    if not on_behalf or subject is None:
        return False
    phrase = clause.part(subject.i)
    if any(PRACTITIONER.search(clause.sentence.tokens[p].text) for p in phrase if p < subject.i) and any(
        clause.sentence.tokens[p].lower in {"your", "the", "'s"} for p in phrase
    ):
        return True  # "your doctor's recommendation"
    if subject.lower in {"they", "he", "she", "we"} and root.lemma not in _ADVISING:
        return True  # whoever was asked
    if any(kid.lower in {"their", "his", "her"} for kid in clause.children(subject.i)):
        return True
    if root.lemma in {"sound", "seem", "look", "appear"} and any(
        clause.sentence.tokens[place].lower in {"you", "your"} for place in clause.keep
    ):
        return True
    if PRACTITIONER.search(subject.text) and any(kid.lower in {"your", "the"} for kid in clause.children(subject.i)):
        return True
    if _is_own(clause, subject):
        return True
    if subject.lower == "you" and "will" in unreal:
        return True
    if subject.lower == "you" and root.lemma in _STATES:
        return not any(aux.lower in {"should", "must"} for aux in clause.children(root.i, "aux"))
    modal = any(kid.tag == "MD" for kid in clause.children(root.i, "aux"))
    if subject.lower == "you" and not modal and root.lemma != "need" and subject.i not in clause.replaced:
        return True  # "you are not defined by your diagnosis"
    definite = bool(phrase) and any(
        clause.sentence.tokens[p].lower in {"the", "your", "this", "these"} for p in phrase[:2]
    )
    past = root.tag == "VBD" or any(kid.tag == "VBD" for kid in clause.children(root.i, "aux", "cop"))
    perfect = any(kid.lower in {"has", "have"} and kid.dep.startswith("aux") for kid in clause.children(root.i))
    return definite and (past or perfect)


def _is_own(clause: Clause, noun: Token) -> bool:
    """Whether the noun is this reader's own, and not what every reader has (`your immune system`)."""
    owned = any(kid.lower == "your" for kid in clause.children(noun.i))
    return owned and noun.lemma not in _BODY and noun.lemma.rstrip("s") not in _BODY


def _goes_on(clause: Clause) -> bool:
    """Whether it says what something definite is doing or may be doing now (`the hospital may be referring to ...`)."""
    subject, root = clause.subject, clause.predicate
    if subject is None or root.tag != "VBG":
        return False
    be = any(aux.lemma == "be" for aux in clause.children(root.i, "aux"))
    return be and any(kid.lower in {"the", "your", "this"} for kid in clause.children(subject.i))


def _names_kin(clause: Clause) -> bool:
    """Whether somebody close to the reader is named."""
    tokens = [clause.sentence.tokens[place] for place in clause.keep]
    return any(token.lemma in _KIN or token.lower.removesuffix("s") in _KIN for token in tokens)


def _tells_what_you_have(clause: Clause) -> bool:
    """Whether it speaks of what the reader goes through (`the pain you're experiencing`), not of any such thing."""
    tokens = clause.sentence.tokens
    for place in clause.keep:
        you = tokens[place]
        if you.tag == "VBD" and you.dep.startswith("acl"):
            return True  # "the doctor who ordered the test"
        if you.lower != "you" or not you.dep.startswith("nsubj"):
            continue
        verb = tokens[you.head]
        perfect = verb.tag == "VBN" and any(aux.lemma in {"have", "'ve"} for aux in clause.children(verb.i, "aux"))
        if perfect and not any(aux.tag == "MD" for aux in clause.children(verb.i, "aux")):
            return True  # "beyond what you've already done"
        going_on = verb.tag == "VBG" and any(aux.lemma in {"be", "'re"} for aux in clause.children(verb.i, "aux"))
        inner = verb.dep.startswith("acl") and not any(
            kid.lower in {"any", "whatever", "all"} for kid in clause.sentence.children(verb.head, "det")
        )
        had = verb.lemma in _STATES | {"describe", "mention"} and verb.tag != "VB"
        if inner and verb.i in clause.keep and (going_on or had):
            return True
    return False


def _pairs(clause: Clause) -> list[tuple[str, str]]:
    words = [clause.sentence.tokens[place].lower for place in sorted(clause.keep)]
    # "your specific case": the word between may be missing.
    return [*itertools.pairwise(words), *zip(words, words[2:], strict=False)]


def _if(clause: Clause) -> bool:
    tokens = [clause.sentence.tokens[place] for place in clause.keep]
    # "It is too early to tell if it works": no condition.
    asked = {token.i for token in tokens if token.lower == "if" and clause.sentence.tokens[token.head].dep == "ccomp"}
    return any(token.lower in {"if", "unless", "when"} and token.i not in asked for token in tokens)


def without_aside(clause: Clause) -> Clause | None:
    """*clause* without what is said of the reader after a comma (`..., which you have had`); None if there is none."""
    tokens = clause.sentence.tokens
    gone: set[int] = set()
    for place in sorted(clause.keep - {clause.root}):
        token = tokens[place]
        if place in gone or token.dep not in {"acl:relcl", "advcl"}:
            continue
        part = [p for p in clause.part(place) if tokens[p].pos != "PUNCT"]
        first = min(part)
        set_off = first - 1 in clause.keep and tokens[first - 1].text == "," and first > clause.root
        if set_off and any(tokens[p].lower in {"you", "your"} for p in part):
            gone |= {*part, first - 1}
    return clause.without(gone) if gone else None
