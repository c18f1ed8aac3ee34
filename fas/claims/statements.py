"""The claims of one sentence: its clauses, each put so that it stands alone, with its span."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from fas.claims import context, reader, references, relational, shown
from fas.claims.attribution import unframed
from fas.claims.clause import Clause, Word, finished, spell
from fas.claims.coordination import split_predicates
from fas.claims.discourse import Discourse
from fas.claims.ellipsis import is_elliptical
from fas.claims.frames import is_question, is_talk
from fas.claims.imperatives import is_imperative
from fas.claims.impersonal import impersonal
from fas.claims.lifting import lift
from fas.claims.lists import distribute
from fas.claims.narrative import is_narrative
from fas.claims.referents import defined_topic, kinds_named, leads_away, practitioner, subject_referent
from fas.claims.unread import is_unread_statement
from fas.claims.wording import declared
from fas.reading.mapped import Span
from fas.reading.trees import Sentence
from fas.records import Claim

_FEWEST_WORDS = 3
_MOST_WORDS = 48
"""Of a claim with the one before it: longer ones say too much to be true or false as one."""


def sentence_claims(sentence: Sentence, discourse: Discourse) -> Iterator[Claim]:
    """The claims of one sentence; the discourse moves on."""
    if is_question(sentence.text) or is_talk(sentence.text):
        discourse.said = discourse.stood = None
        return
    clause = unframed(Clause.whole(sentence))
    replaced, gone, referent = references.resolve_subject(sentence, discourse)
    if clause.root == sentence.root and replaced:
        clause = clause.without(gone).reworded(references.spelled_out(sentence, replaced))
    elif not replaced:
        named, without = references.resolve_shown(sentence, discourse)
        clause = clause.without(without).reworded({**named, **references.resolve_object(sentence, discourse)})
    if discourse.topic is None:
        discourse.topic = defined_topic(sentence, discourse.question)
    parts = references.resolve_within(split_predicates(clause))
    if context.points_back(clause):
        # "this is called gastritis, which is an inflammation ...": the second half says something by itself.
        rest, *facts = lift(clause)
        clauses = [rest, *(single for fact in facts for single in distribute(fact))]
    elif any(_needs(part, parts[0]) for part in parts[1:]):
        # "it is possible, but it takes weeks": the second half needs the first.
        clauses = [clause]
    else:
        clauses = [
            single
            for part in parts
            for lifted in lift(part)
            for separate in split_predicates(lifted)
            for single in distribute(separate)
        ]
    if any(is_narrative(single) for single in clauses):
        # What a pronoun beside it stands for belongs to the same story.
        clauses = [single for single in clauses if single.subject is None or single.subject.pos != "PRON"]
    clauses = [_without_aside(single, discourse.on_behalf) for single in clauses]
    left_out = [single for single in clauses if reader.is_about_reader(single, discourse.on_behalf)]
    clauses = [single for single in clauses if single not in left_out]
    left_out += [single for single in clauses if _leans(single)]
    claims = [claim for single in clauses if (claim := _standing(single, discourse)) is not None]
    addressed = discourse.on_behalf and any(token.lower in {"your", "they"} for token in sentence.tokens)
    if not claims and not left_out and not addressed and is_unread_statement(clause, clauses):
        # The parser found no clause in it: the sentence as a whole is better than nothing.
        whole = _claim(clause, clause.words(), discourse)
        claims = [] if whole is None else [whole]
    yield from sorted(claims, key=lambda claim: (claim.start or 0, claim.end or 0))
    discourse.begun |= bool(claims)
    said = _said(clause, claims, discourse)
    # What stood by itself stays what a plural points at; `this` may mean the last sentence only.
    discourse.stood = said if not context.points_back(clause) else discourse.stood
    discourse.said = said
    discourse.subject = subject_referent(sentence, referent, clause.root)
    discourse.adviser = practitioner(sentence)
    discourse.kinds = kinds_named(sentence)
    discourse.lost = discourse.subject is None and leads_away(sentence, discourse.topic)


def _without_aside(clause: Clause, on_behalf: bool) -> Clause:
    """*clause* without an aside on the reader, if that makes a statement of it that any evidence can settle."""
    if not reader.is_about_reader(clause, on_behalf):
        return clause
    bare = reader.without_aside(clause)
    general = bare is not None and bare.is_complete and not reader.is_about_reader(bare, on_behalf)
    return bare if bare is not None and general else clause


def _needs(part: Clause, first: Clause) -> bool:
    """Whether a later part of a sentence cannot be read without the first."""
    return context.needs_more(part, part.keep & first.keep) or shown.unnamed(part) is not None


def _leans(clause: Clause) -> bool:
    """Whether the clause cannot be read without what was said before."""
    return context.points_back(clause) or shown.unnamed(clause) is not None or is_elliptical(clause)


def _said(clause: Clause, claims: Sequence[Claim], discourse: Discourse) -> str | None:
    """The sentence as one statement, if it made any."""
    if len(claims) < 2:
        return claims[0].text if claims else None
    if context.points_back(clause) or is_imperative(clause) or is_narrative(clause):
        return None
    whole = _claim(clause, clause.words(), discourse)
    return None if whole is None else whole.text


def _standing(clause: Clause, discourse: Discourse) -> Claim | None:
    """The claim of a clause, with what it points back at, or None if that is not to be had.

    In a reported clause the pronoun may stand for something in the report's own frame. What an answer begins with
    points at the question, and is kept.
    """
    if is_elliptical(clause):
        return _after_its_verb(clause, discourse)
    words, subject = declared(clause), clause.subject
    pointing = words is not None and subject is not None and any(word.at == subject.i for word in words)
    asked = not discourse.begun and not discourse.on_behalf
    if (
        not asked
        and words is not None
        and shown.unnamed(clause) is not None
        and not (pointing and context.points_back(clause))
    ):
        return _after_what_names_it(clause, words, discourse)
    if not pointing or asked or not context.points_back(clause):
        return _claim(clause, words, discourse)
    deed = context.advised(discourse.said)
    if deed is not None and subject is not None and subject.lower in {"this", "that"}:
        named = clause.reworded(references.spelled_out(clause.sentence, {subject.i: deed}))
        return _claim(named, declared(named), discourse)
    claim = _claim(clause, words, discourse)
    if claim is None:
        return None
    reported = context.is_reported(clause) or relational.is_of_another(clause, discourse)
    before = discourse.stood if context.is_of_things(clause) else discourse.said
    text = None if reported or not context.can_mean(clause, before) else context.carried(before, claim.text)
    if text is not None:
        return Claim(text, claim.start, claim.end)
    return None if context.is_bare(clause) or discourse.on_behalf else claim


def _after_what_names_it(clause: Clause, words: list[Word], discourse: Discourse) -> Claim | None:
    """The claim behind the statement that names what it shows (`..., and ibuprofen can manage these symptoms`)."""
    claim = _claim(clause, words, discourse)
    if claim is None:
        return None
    token = shown.unnamed(clause)
    several = token is not None and token.lower in {"these", "those", "both", "two", "three", "them"}
    said = discourse.said
    text = context.carried(said, claim.text) if not several or context.names_several(said) else None
    if text is not None and len(text.split()) <= _MOST_WORDS:
        return Claim(text, claim.start, claim.end)
    return None if discourse.on_behalf else claim


def _after_its_verb(clause: Clause, discourse: Discourse) -> Claim | None:
    """The claim behind the statement that its verb stands in (`flu comes in epidemics, and colds do not`).

    None where nothing was stated before, and where the sentence has no end: the text was cut off in it.
    """
    words = impersonal(clause.words(), clause)
    text, span = finished(spell(words, clause.sentence)), _span(clause, words)
    ended = clause.sentence.text.rstrip("\"')]}»”’ ")[-1:] in {".", "!", ";", "…"}
    whole = context.carried(discourse.said, text) if ended and text else None
    return None if whole is None or span is None else Claim(whole, span.start, span.end)


def _claim(clause: Clause, words: list[Word] | None, discourse: Discourse) -> Claim | None:
    if words is None:
        return None
    words = relational.specified(impersonal(words, clause), clause, discourse.topic)
    text = finished(spell(words, clause.sentence))
    if len(re.findall(r"\w+", text)) < _FEWEST_WORDS or is_talk(text):
        return None
    span = _span(clause, words)
    return None if span is None else Claim(text, span.start, span.end)


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
