"""The claims of one sentence: its clauses, each put so that it stands alone, with its span.

A sentence is taken apart only where every part is a clause and all its words come back; else it is one claim as it
stands, its referents filled in, marked where it still holds several statements. Nothing of another sentence goes into
a claim but the name of what a pronoun stands for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from fas.claims import references
from fas.claims.advice import as_recommended, is_imperative
from fas.claims.clause import Clause, Word, finished, spell
from fas.claims.coordination import split_predicates
from fas.claims.frames import is_question, is_talk
from fas.claims.lifting import lift
from fas.claims.lists import distribute
from fas.claims.persons import impersonal, is_narrative
from fas.claims.referents import (
    DOCTOR,
    Discourse,
    kinds_named,
    leads_away,
    practitioner,
    specified,
    subject_referent,
)
from fas.reading.mapped import Span
from fas.reading.pattern_tables import patterns_of
from fas.reading.trees import FINITE, Sentence, Token
from fas.records import Claim

_FEWEST_WORDS = 3
STATEMENTS = patterns_of(__file__)


def sentence_claims(sentence: Sentence, discourse: Discourse) -> Iterator[Claim]:
    """The claims of one sentence; the discourse moves on."""
    if is_question(sentence.text) or is_talk(sentence.text):
        return
    clause = Clause.whole(sentence)
    replaced, gone, referent = references.resolve_subject(sentence, discourse)
    if replaced:
        clause = clause.without(gone).reworded(references.spelled_out(sentence, replaced))
    else:
        named, without = references.resolve_shown(sentence, discourse)
        clause = clause.without(without).reworded(named)
    yield from _claims(clause, discourse)
    discourse.subject = subject_referent(sentence, referent)
    discourse.adviser = DOCTOR if discourse.on_behalf else practitioner(sentence)
    discourse.kinds = kinds_named(sentence, referent)
    discourse.lost = discourse.subject is None and leads_away(sentence, discourse.topic)


def _claims(clause: Clause, discourse: Discourse) -> list[Claim]:
    """What *clause*, a whole sentence, claims, in the order of the text."""
    parts = references.resolve_within(split_predicates(clause))
    if any(_needs(part, parts[0]) for part in parts[1:]):
        parts = [clause]  # "it is possible, but it takes weeks": the second half needs the first
    apart = [single for part in parts for lifted in lift(part) for single in distribute(lifted)]
    told = [single for single in apart if not is_narrative(single)]
    made = [_claim(single, declared(single), discourse) for single in told]
    if told and (None in made or any(is_fragment(one.text) for one in made if one is not None)):
        made = [_whole(clause, discourse)]
    found = [one for one in made if one is not None]
    return sorted(found, key=lambda claim: (claim.start or 0, claim.end or 0))


def _whole(clause: Clause, discourse: Discourse) -> Claim | None:
    """The sentence as it stands, if it states anything: parsers go astray, and then no part of it is sure."""
    if not is_statement(clause):
        return None
    return _claim(clause, clause.words(), discourse)


def _needs(part: Clause, first: Clause) -> bool:
    """Whether a later part of a sentence cannot be read without the first."""
    return references.needs_more(part, part.keep & first.keep)


def _is_compound(clause: Clause) -> bool:
    """Whether the clause still has coordinated or juxtaposed members, or a remark set off by a comma."""
    tokens = clause.sentence.tokens
    for place in clause.keep - {clause.root}:
        relation, head = tokens[place].dep.split(":")[0], tokens[place].head
        set_off = tokens[min(clause.part(place)) - 1].text == ","
        if (relation in {"conj", "parataxis"} and head in clause.keep) or (relation in {"acl", "appos"} and set_off):
            return True
    return False


def _claim(clause: Clause, words: list[Word] | None, discourse: Discourse) -> Claim | None:
    if words is None:
        return None
    words = specified(impersonal(words, clause), clause, discourse.topic)
    text = finished(spell(words, clause.sentence))
    if len(re.findall(r"\w+", text)) < _FEWEST_WORDS or is_talk(text):
        return None
    span = _span(clause, words)
    return None if span is None else Claim(text, span.start, span.end, compound=_is_compound(clause))


def _span(clause: Clause, words: Sequence[Word]) -> Span | None:
    """Source of the claim: from its first word to its last, punctuation at the edges left out."""
    tokens = clause.sentence.tokens
    places = clause.keep | {word.at for word in words if word.at is not None}
    spoken = sorted(p for p in places if any(c.isalnum() for c in tokens[p].text))
    spans = [clause.sentence.unit.span(tokens[p].start, tokens[p].end) for p in spoken]
    known = [span for span in spans if span is not None]
    if not known:
        return None
    return Span(min(span.start for span in known), max(span.end for span in known))


def declared(clause: Clause) -> list[Word] | None:
    """The words of the clause as a statement about the matter, not about who writes or reads it.

    Imperatives become what is recommended. None for a clause that tells what happened to one person, or that has no
    subject to speak of.
    """
    if is_imperative(clause):
        return as_recommended(clause)
    if is_narrative(clause):
        return None
    if not clause.is_complete:
        return None
    return clause.words()


_NOMINAL = frozenset({"NOUN", "PROPN", "PRON", "DET", "NUM"})


def is_statement(clause: Clause) -> bool:
    """Whether a verb that can be a predicate has something before it that can be its subject.

    Without any finite verb, a participle right after a noun is taken for one: in "simvastatin reduced deaths" the past
    tense looks the same, and a parser that reads a noun phrase there has left the sentence without a verb.
    """
    tokens = [token for token in clause.sentence.tokens if token.i in clause.keep]
    if not tokens or tokens[-1].text == ":" or is_fragment(clause.text()):
        return False
    finite = [n for n, token in enumerate(tokens) if token.tag in FINITE and not _is_inner(clause, token)]
    if tokens[0].tag == "TO":
        return bool(finite)
    past = [n for n in range(1, len(tokens)) if tokens[n].tag == "VBN" and tokens[n - 1].pos in _NOMINAL]
    last = max(finite or past, default=0)
    return any(token.pos in _NOMINAL for token in tokens[:last])


def _is_inner(clause: Clause, verb: Token) -> bool:
    """Whether a finite verb is that of a relative or adverbial clause (`a balanced diet that is low in salt`)."""
    head = clause.sentence.tokens[verb.head] if verb.dep.split(":")[0] in {"aux", "cop"} else verb
    marks = clause.children(head.i, "mark", "advmod", "nsubj")
    opened = any(kid.tag in {"WDT", "WP", "WRB", "IN"} and kid.i < verb.i for kid in marks)
    return opened and head.dep.split(":")[0] in {"acl", "advcl"}


def is_fragment(text: str) -> bool:
    """Whether a text is a subordinate clause with nothing to depend on, or has an auxiliary without its verb.

    >>> is_fragment("If patients suspect an infection."), is_fragment("If it hurts, rest helps.")
    (True, False)
    >>> is_fragment("Ibuprofen is not."), is_fragment("Men die of it more often than women do.")
    (True, False)
    """
    return (
        STATEMENTS.subordinate.fullmatch(text.strip()) is not None
        or STATEMENTS.elliptical.fullmatch(text.strip()) is not None
    )
