"""What is told of the writer, of the reader's own past, or of a doctor's wishes: nothing that evidence could settle."""

# ruff: noqa: E501 - word lists and patterns are easier to check on one line

from __future__ import annotations

from fas.claims.clause import CLAUSE, Clause
from fas.reading.trees import Token

_RECOMMEND = frozenset("recommend suggest advise encourage urge".split())
_CARRIED_OUT = frozenset(
    "want hope wish appreciate apologize express acknowledge offer plan schedule discuss ask review examine refer order agree reassure clarify need "
    "understand".split()
)
_STATES = frozenset("have seem sound look mention say describe feel be".split())
_CONDITIONS = frozenset("if unless when whenever whether once after before until".split())


def is_narrative(clause: Clause) -> bool:
    """Whether the clause tells of the writer, of what the reader did or has, or of what a doctor wants.

    What a doctor thinks of the reader's case (`your symptoms may come from a virus`) is a claim.
    """
    subject = clause.subject
    if subject is None or clause.predicate.lemma in _RECOMMEND:
        return False
    root = clause.predicate
    kids = {kid.lower for kid in clause.children(subject.i)}
    tags = {aux.tag for aux in clause.children(root.i, "aux", "cop")} | {root.tag}
    past = "VBD" in tags
    perfect = root.tag == "VBN" and any(aux.lemma in {"have", "'ve"} for aux in clause.children(root.i, "aux"))
    if subject.text in {"I", "i"} or "my" in kids:
        return not _is_numeral(clause.sentence.tokens, subject.i)
    if _treats(clause, subject, kids):
        if any(
            aux.lower in {"may", "can", "might", "could", "should", "must"} for aux in clause.children(root.i, "aux")
        ):
            return False  # what doctors may do
        return root.lemma in _CARRIED_OUT or any(aux.lower == "would" for aux in clause.children(root.i, "aux"))
    yours = subject.lower == "you" or "your" in kids
    if not yours or "MD" in tags or _is_conditional(clause):
        return False
    called = subject.lower == "you" and (clause.child(root.i, "cop") is not None or root.lemma in _STATES)
    going_on = subject.lower == "you" and root.tag == "VBG"
    return past or perfect or going_on or (called and clause.child(root.i, "advcl", "xcomp") is None)


def _treats(clause: Clause, subject: Token, kids: set[str]) -> bool:
    """Whether the subject is the reader's own doctor, or somebody unnamed."""
    if subject.lower in {"they", "he", "she"}:
        return CLAUSE.practitioner.search(clause.replaced.get(subject.i, "doctor")) is not None
    return CLAUSE.practitioner.search(subject.text) is not None and bool(kids & {"your", "the", "his", "her", "their"})


def _is_conditional(clause: Clause) -> bool:
    return any(mark.lower in _CONDITIONS for mark in clause.children(clause.root, "mark", "advmod"))


def _is_numeral(tokens: list[Token], place: int) -> bool:
    """Whether `I` is part of a name (`TFII-I`, `type I`)."""
    if tokens[place].text != "I":
        return False
    joined = place > 0 and tokens[place - 1].text in {"-", "–", "/"} and not tokens[place - 1].space
    return joined or not tokens[place].tag.startswith("PRP")
