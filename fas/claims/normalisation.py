"""Advice as statements: a command is given the subject it lacks, and what somebody recommends is said of patients.

Parsers are trained on few imperatives and read `Drink plenty of fluids` as a noun phrase; with `you should` in front
the same words parse well.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from fas.claims.clauses import Clause, is_finite, subject_of
from fas.text.reading.commands import command_at
from fas.text.reading.mapped import Mapped
from fas.text.reading.pattern_tables import load_patterns
from fas.text.reading.trees import NEGATIONS, Sentence, Token

NORMALISATION = load_patterns(__file__)


def complete_command(text: Mapped, parsed: Sentence | None) -> Mapped | None:
    """*text* with `you should` before the verb that has no subject; None if it tells nobody to do anything.

    Args:
        text: A sentence, its opening phrases taken off.
        parsed: How the parser reads it as it stands, if it did.
    """
    advised = NORMALISATION.advised.match(text.text)
    if advised is not None:
        return _add_subject(text, advised.end(1), advised.start(3), negated=advised[2] is not None)
    place = command_at(text.text, 0, None if parsed is None else lambda _: _declares(parsed))
    if place is None and parsed is not None and len(parsed.text) == len(text):
        place = _find_bare_verb(parsed)
    if place is not None:
        return _add_subject(text, 0, place[0], negated=place[1])
    for front in NORMALISATION.circumstance.finditer(text.text):
        place = command_at(text.text, front.end(), None)
        if place is not None:
            return _add_subject(text, front.end(), place[0], negated=place[1])
    return None


def _find_bare_verb(sentence: Sentence) -> tuple[int, bool] | None:
    """Where a bare verb, or its adverb, stands that nothing but `do not` comes before, and whether it is denied."""
    tokens, root = sentence.tokens, sentence.tokens[sentence.root]
    before = tokens[: root.i]
    asking = [token for token in before if token.lower in {"please", "do", "not", "n't", "never"}]
    how = [token for token in before if token not in asking]
    first = how[0] if how else root
    if root.tag != "VB" or any(token.tag != "RB" for token in how):
        return None
    return first.start - tokens[0].start, any(token.lower in NEGATIONS for token in asking)


def add_command_subject(text: Mapped) -> Mapped:
    """*text*, which is known to be a command, with the subject it lacks."""
    return complete_command(text, None) or _add_subject(text, 0, 0, negated=False)


def _declares(sentence: Sentence) -> bool:
    """Whether the parser finds a finite predicate whose subject begins the sentence."""
    subject = subject_of(sentence, sentence.root)
    return subject is not None and min(sentence.subtree(subject.i)) <= 1 and is_finite(sentence, sentence.root)


def _add_subject(text: Mapped, start: int, verb: int, *, negated: bool) -> Mapped:
    word = text.slice(verb)
    word = Mapped(word.text[:1].lower() + word.text[1:], word.starts, word.ends)
    # "not " stands for the words of the prohibition, which keeps them within the claim's span.
    denied = text.slice(start, verb).standing_for("not ") if negated else Mapped.inserted("")
    subject = "you should " if re.search(r"\w", text.text[:start]) else "You should "
    return Mapped.join([text.slice(0, start), subject, denied, word])


_PARTICIPLES = {"recommend": "recommended", "advise": "advised", "suggest": "suggested"}
_BELIEFS = frozenset("think believe suspect feel".split())


def rewrite_report(clause: Clause) -> Clause:
    """What somebody recommends or believes, without who: it `is recommended` or `is likely`; any other clause as it is.

    `A doctor recommends rest` becomes `Rest is recommended`, `A doctor recommends resting` `It is recommended to
    rest`, `A doctor believes that it heals` `It is likely that it heals`, `A doctor does not think that it heals` `It
    is unlikely that it heals`; a belief that is hedged by itself keeps its words.
    """
    root, tokens = clause.predicate, clause.sentence.tokens
    said = _PARTICIPLES.get(root.lemma)
    if clause.subject is None or (said is None and root.lemma not in _BELIEFS):
        return clause
    denials = [kid.i for kid in clause.children(root.i) if kid.lower.replace("’", "'") in NEGATIONS]
    if any(kid.lemma not in {"do", "have"} for kid in clause.helping()) or (denials and said is not None):
        return clause
    if clause.children(root.i, "conj"):
        return clause  # what else somebody does
    somebody, advised = tokens[clause.subject], _find_advised(clause)
    known = NORMALISATION.adviser.search(clause.replaced.get(somebody.i, somebody.text)) is not None
    if advised is None or not known:
        return clause
    said_by = {root.i, *denials, *(kid.i for kid in clause.helping())}
    gone = (clause.sentence.subtree(somebody.i) | said_by) & clause.keep
    gone |= {kid.i for kid in clause.children(root.i, "advmod") if somebody.i < kid.i < root.i}
    places = clause.sentence.subtree(advised.i) & clause.keep
    first, marks = min(places), clause.children(advised.i, "mark")
    if advised.dep == "ccomp" and subject_of(clause.sentence, advised.i) is not None:
        if clause.children(advised.i, "conj"):
            return clause  # whose: what is believed, or what somebody else does?
        that = "" if marks else " that"
        if said is not None:
            return _introduce(clause, gone, first, f"it is {said}{that}")
        if not denials and NORMALISATION.hedged.search(" ".join(tokens[place].text for place in sorted(places))):
            return _introduce(clause, gone | {mark.i for mark in marks}, first, "")
        return _introduce(clause, gone, first, f"it is {'unlikely' if denials else 'likely'}{that}")
    if said is None or marks or clause.children(advised.i, "nsubj", "case"):
        return clause
    if advised.tag == "VBG":
        verbs = [advised, *clause.children(advised.i, "conj")]
        return _introduce(clause, gone, first, f"it is {said} to").reworded({verb.i: verb.lemma for verb in verbs})
    after = min((place for place in clause.keep if place > max(places)), default=None)
    if advised.tag not in {"NN", "NNS", "VBG"} or after is None:
        return clause
    verb = "are" if advised.tag == "NNS" else "is"
    return replace(
        clause, keep=clause.keep - gone, before={**clause.before, after: f"{verb} {said}"}, subject=advised.i
    )


def _find_advised(clause: Clause) -> Token | None:
    """What is advised or believed; of a later member of a list (`rest and fluids`), whose head is gone, that member."""
    for place in sorted(place for place in clause.keep if place > clause.root):
        token = clause.sentence.tokens[place]
        if token.head == clause.root or token.head not in clause.keep:
            return token
    return None


def _introduce(clause: Clause, gone: Iterable[int], place: int, words: str) -> Clause:
    before = {**clause.before, place: words} if words else clause.before
    return replace(clause, keep=clause.keep - frozenset(gone), before=before)
