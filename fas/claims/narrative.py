"""What is told of one person: the writer, the reader as a case, the reader's own doctor."""

# ruff: noqa: E501 - word lists and patterns are easier to check on one line

from __future__ import annotations

from fas.claims.clause import PRACTITIONER, Clause
from fas.reading.trees import Token

RECOMMEND = frozenset("recommend suggest advise encourage urge".split())
# What `they` do when they are the people who were asked for advice.
_DEEDS = frozenset(
    "consider recommend suggest believe think want advise discuss ask tell mention note explain emphasize offer schedule agree feel "
    "review examine refer order assess evaluate reassure clarify understand hope stress provide".split()
)
ONE_PERSON = frozenset("i me my mine myself i'm i've he she him his her hers himself herself".split())
_TOLD = frozenset("describe mention say note report share provide tell ask explain list outline".split())


def is_narrative(clause: Clause) -> bool:
    """Whether the clause tells of one person: the writer, the reader as a case, somebody else."""
    tokens = clause.sentence.tokens
    reported = _adviser(clause)
    if any(
        tokens[p].lower in ONE_PERSON
        and tokens[p].text not in {"i", "HE", "ME"}
        and p != reported
        and not _is_numeral(tokens, p)
        for p in clause.keep
    ):
        return True
    if any(_tells_what_you_did(clause, tokens[p]) for p in clause.keep if tokens[p].lower == "you"):
        return True
    subject = clause.subject
    if subject is None:
        return False
    root = clause.predicate
    if subject.i != _adviser(clause) and PRACTITIONER.search(subject.text) and _is_about_practitioner(clause, subject):
        return True
    if _goes_on(clause) and any(tokens[p].lower == "you" and tokens[p].head == clause.root for p in clause.keep):
        return True
    yours = subject.lower == "you" or any(kid.lower == "your" for kid in clause.children(subject.i))
    auxiliaries = [aux.lower for aux in clause.children(root.i, "aux")]
    modal = any(aux.tag == "MD" for aux in clause.children(root.i, "aux"))
    unnamed = subject.lower == "they" and subject.i not in clause.replaced and subject.i != _adviser(clause)
    if unnamed and (root.lemma in _DEEDS or root.lower == "able"):
        return True
    if subject.lower in {"we", "us"}:
        return root.tag == "VBD" or bool({"'ve", "had", "have"} & set(auxiliaries))
    if not yours or modal:
        return False
    past = root.tag == "VBD" or any(kid.tag == "VBD" for kid in clause.children(root.i, "aux", "cop"))
    perfect = root.tag == "VBN" and bool({"have", "has", "'ve", "had"} & set(auxiliaries))
    going_on = root.tag == "VBG" and subject.lower == "you"
    stated = (
        subject.lower == "you"
        and root.lemma in {"have", "seem", "sound", "look", "mention", "say", "describe", "feel", "be"}
        and clause.child(root.i, "advcl", "xcomp") is None
    )
    called = (
        subject.lower == "you" and clause.child(root.i, "cop") is not None and clause.child(root.i, "advcl") is None
    )
    return past or perfect or going_on or stated or called


def _is_numeral(tokens: list[Token], place: int) -> bool:
    """Whether `I` is part of a name (`TFII-I`, `type I`)."""
    if tokens[place].text != "I":
        return False
    joined = place > 0 and tokens[place - 1].text in {"-", "–", "/"} and not tokens[place - 1].space
    return joined or not tokens[place].tag.startswith("PRP")


def _tells_what_you_did(clause: Clause, you: Token) -> bool:
    """`You mentioned`, `since you had`; not `if you have had`."""
    if not you.dep.startswith("nsubj"):
        return False
    verb = clause.sentence.tokens[you.head]
    marks = {mark.lower for mark in clause.sentence.children(verb.i, "mark", "advmod")}
    if marks & {"if", "unless", "when", "whenever", "whether", "once", "after", "before", "until"}:
        return False
    auxiliaries = clause.sentence.children(verb.i, "aux", "cop")
    past = verb.tag == "VBD" or any(
        aux.tag == "VBD" and aux.lower not in {"could", "would", "should", "might"} for aux in auxiliaries
    )
    told = verb.tag == "VBN" and verb.lemma in _TOLD and any(aux.lemma in {"have", "'ve"} for aux in auxiliaries)
    return (past or told) and verb.i in clause.keep


def _goes_on(clause: Clause) -> bool:
    """Whether the predicate is in the progressive (`this is causing you distress`)."""
    return clause.predicate.tag == "VBG" and clause.child(clause.root, "aux") is not None


def _adviser(clause: Clause) -> int | None:
    """Place of the `I` or `she` that recommends something, which the statement will lose."""
    subject = clause.subject
    if clause.predicate.lemma not in RECOMMEND or subject is None:
        return None
    return subject.i


def _is_about_practitioner(clause: Clause, subject: Token) -> bool:
    """What the reader's own doctor feels, would like or did; not what doctors may do."""
    if not any(kid.lower in {"your", "the", "his", "her", "their"} for kid in clause.children(subject.i)):
        return False
    root = clause.predicate
    auxiliaries = {aux.lower for aux in clause.children(root.i, "aux")}
    feels = root.pos == "ADJ" and not auxiliaries & {"may", "might", "can", "will", "should"}
    wishes = "would" in auxiliaries or root.lemma in {
        "want",
        "need",
        "hope",
        "understand",
        "appreciate",
        "wish",
        "express",
        "acknowledge",
        "feel",
        "offer",
        "plan",
        "agree",
        "apologize",
    }
    return feels or wishes or root.tag == "VBD"
