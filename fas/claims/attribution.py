"""Statements freed from who made them: `Your doctor explained that X` states X."""

# ruff: noqa: E501 - word lists and patterns are easier to check on one line

from __future__ import annotations

from fas.claims.clause import Clause
from fas.reading.trees import Token

REPORTING = frozenset(
    "say tell mention explain note report believe think feel state emphasize emphasise stress add point suggest indicate show find reveal "
    "demonstrate confirm know understand assure reassure remind agree conclude observe clarify acknowledge warn caution assume "
    "suspect remember mean recommend advise highlight reiterate underline hear read learn realize recognize".split()
)
_DEEPEST = 3


def unframed(clause: Clause) -> Clause:
    """The reported clause, if *clause* does no more than report it; else *clause* itself.

    A negated, questioned or conditional report (`Studies have not shown that ...`) stays whole,
    since what it reports is not stated.
    """
    for _ in range(_DEEPEST):
        content = _content(clause)
        if content is None:
            break
        keep = set(clause.part(content.i))
        keep -= {p for mark in clause.children(content.i, "mark") if mark.lower == "that" for p in clause.part(mark.i)}
        for other in clause.children(content.i, "conj"):  # "that X and that Y"
            keep -= {mark.i for mark in clause.children(other.i, "mark") if mark.lower == "that"}
        keep -= {kid.i for kid in clause.children(content.i, "punct") if kid.i == min(keep)}
        # A condition in front of the report belongs to what is reported.
        front = [kid for kid in clause.children(clause.root, "advcl") if kid.i < clause.root]
        for kid in front:
            if any(
                mark.lower in {"if", "when", "unless", "since", "because"}
                for mark in clause.children(kid.i, "mark", "advmod")
            ):
                places = clause.part(kid.i)
                keep |= set(places) | ({places[-1] + 1} & clause.keep)
        tokens = clause.sentence.tokens
        lost = [p for p in clause.keep - keep if p > min(keep) and tokens[p].pos not in {"PUNCT", "PART", "DET", "ADV"}]
        if len(lost) > 2:
            break  # the parser cut the reported clause short
        clause = clause.only(keep, content.i)
    return clause


def _content(clause: Clause) -> Token | None:
    root = clause.predicate
    if root.pos != "VERB" or root.lemma not in REPORTING or clause.sentence.negated(root.i):
        return None
    if any(
        aux.lower in {"might", "may", "could", "would", "should", "can"}
        and root.lemma not in {"say", "suggest", "recommend", "add", "think", "note", "advise"}
        for aux in clause.children(root.i, "aux")
    ):
        return None
    content = clause.child(root.i, "ccomp")
    if content is None or content.i < root.i:
        return None
    subject = clause.child(content.i, "nsubj", "csubj", "expl")
    reporter = clause.child(root.i, "nsubj")
    if subject is None or reporter is None or reporter.lower == "it" or clause.child(root.i, "aux:pass") is not None:
        return None  # "it is recommended that ..." is not reported, it is all there is
    opening = clause.sentence.tokens[clause.part(content.i)[0]].lower
    if (
        opening in {"if", "whether", "what", "how", "why", "who", "which", "where", "when"}
        and clause.child(content.i, "mark") is None
    ):
        return None
    if any(mark.lower in {"if", "whether"} for mark in clause.children(content.i, "mark")):
        return None
    if (
        root.lemma in {"recommend", "suggest", "advise"}
        and content.tag == "VB"
        and not any(aux.tag == "MD" for aux in clause.children(content.i, "aux"))
    ):
        return None  # advice, not a report
    return content
