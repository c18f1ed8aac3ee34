"""The rule-based claim extractor: segments, clauses, statements.

An answer is read in segments (`segmentation`); each sentence gets the names that its pronouns stand for (`coreference`)
and is taken apart (`decomposition`); each part is said of the matter, not of its reader. One check, `clauses.is_sound`,
is made over every part: where one fails, or a number or a denial was lost, the whole sentence stands as the claim,
which is always faithful. A short answer is read with its question (`qa2d`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from fas.claims.cached import ClaimCache, rules_digest
from fas.claims.checkworthiness import is_of_one_person, is_passed_on, is_worth_checking, states_nothing
from fas.claims.clauses import Clause, finish_sentence, is_sound, is_statement, join_words, numbers_and_negations
from fas.claims.coreference import (
    Discourse,
    Referent,
    needs_first,
    question_topic,
    replace_persons,
    resolve,
    resolve_within,
)
from fas.claims.decomposition import decompose
from fas.claims.normalisation import rewrite_report
from fas.claims.qa2d import short_claims, state_decision
from fas.claims.questions import asks_for_thing
from fas.claims.segmentation import split_into_segments
from fas.core.records import Answer, Claim
from fas.core.records.digests import SHOWN
from fas.core.records.signature import PartSignature
from fas.models.paths import EMBEDDED, VERSIONS
from fas.text.language import UNREADABLE, is_english, is_foreign, is_mixed
from fas.text.reading.trees import Sentence

if TYPE_CHECKING:
    from spacy.language import Language


class SpacyClauses:
    """Claims from the dependency parse of an answer, by rules; no model but the parser.

    Lists and coordinations become one claim a member where each alone is still what the answer says; advice becomes a
    statement, and a bare yes or no what it says of the question. Questions, courtesies, talk about documents and
    options, and what happened to one person are no claims; an answer that refuses, is a placeholder or only repeats
    words of its question has none, nor has one that is not in English. The same answer gives the same claims in any
    batch.

    Args:
        model: Name of the embedded parser, of an installed spaCy package, or the folder of one.
            It must give Universal Dependencies and Penn Treebank tags.
        nlp: A loaded pipeline to use instead of *model*.
        cache: Keep claims on disk, by text, question, parser and rules; only with an embedded parser, as
            nothing says what another one's name stands for.
    """

    reads_english_only = True
    """Of an answer in another language the parser says nothing."""

    def __init__(self, *, model: str = "fas-en-mini", nlp: Language | None = None, cache: bool = True) -> None:
        self.model = model
        self._given = nlp
        self._cache = ClaimCache(model) if cache and nlp is None and model in EMBEDDED else None

    @cached_property
    def _nlp(self) -> Language:
        if self._given is not None:
            return self._given
        from fas.models.parser import load_parser

        return load_parser(self.model)

    @cached_property
    def signature(self) -> str:
        """`spacy[NAME@VERSION,rules=DIGEST]`: the parser, and the digest of the code that makes claims, cut.

        What a signature may not hold is put as `_`.
        """
        rules = f"rules={rules_digest()[:SHOWN]}"
        if self._given is None and self.model in EMBEDDED:
            return PartSignature("spacy", f"{self.model}@{VERSIONS[self.model]}", rules)
        meta = self._nlp.meta
        name = meta["name"] if str(meta["name"]).startswith("fas-") else f"{meta['lang']}_{meta['name']}"
        return PartSignature("spacy", re.sub(r"[|:,\s]", "_", f"{name}@{meta['version']}"), rules)

    def extract(self, answers: Sequence[Answer]) -> list[list[Claim]]:
        """The claims of each answer, in the order of the text.

        Two claims of one answer never have the same text. A claim that was put together from
        a lead-in, heading or table header and an item has the item as its span.
        """
        return self._extract(answers) if self._cache is None else self._cache.extract(answers, self._extract)

    def _extract(self, answers: Sequence[Answer]) -> list[list[Claim]]:
        return [self._claims(answer) for answer in answers]

    def _claims(self, answer: Answer) -> list[Claim]:
        if not is_english(answer.prediction):
            return []
        short = short_claims(answer, self._nlp)
        nothing = states_nothing(answer.prediction, answer.question or "")
        if short is not None:
            return [] if nothing else drop_repeated(short)
        # A sentence of the words of a yes-no question affirms it.
        echoed = nothing == "repeats the question" and asks_for_thing(answer.question or "")
        return [] if echoed else drop_repeated(self._read(answer))

    def _read(self, answer: Answer) -> list[Claim]:
        """The claims of an answer in sentences."""
        passed_on = is_passed_on(answer.prediction)
        discourse = Discourse(topic=question_topic(answer.question), doctor=passed_on, on_behalf=passed_on)
        found: list[Claim] = []
        decisions: dict[str, Claim] = {}
        said_before: dict[str, str | None] = {}
        heading, mixed = "", is_mixed(answer.prediction)
        for segment in split_into_segments(answer.prediction, self._nlp):
            if segment.heading != heading or segment.alone:
                heading, discourse.subject = segment.heading, None
            if segment.about:
                discourse.subject = Referent(segment.about, plural=segment.about.endswith("s"))
                discourse.labelled = True
            for sentence in segment.sentences:
                if is_foreign(sentence.text, mixed=mixed):
                    found += _keep_unread(sentence)
                    continue
                if sentence.text not in said_before:  # an answer may say yes a thousand times
                    said_before[sentence.text] = state_decision(answer.question, sentence.text, self._nlp)
                said = said_before[sentence.text]
                if said is None:
                    found += extract_sentence(sentence, discourse)
                elif said and (span := sentence.source.span()) is not None:
                    decisions.setdefault(said, Claim(said, span.start, span.end))
        told = [(_split_words(claim.text), _is_denied(claim.text)) for claim in found] if decisions else []
        for said, claim in decisions.items():
            words, denied = _split_words(said), _is_denied(said)
            found += [] if any(words <= own and denied == other for own, other in told) else [claim]
        return sorted(found, key=lambda claim: (claim.start or 0, claim.end or 0))


def _keep_unread(sentence: Sentence) -> list[Claim]:
    """The sentence as a claim that is not verified."""
    span = sentence.source.span()
    return [] if span is None else [Claim(sentence.text, span.start, span.end, failure=UNREADABLE)]


def extract_sentence(sentence: Sentence, discourse: Discourse) -> list[Claim]:
    """The claims of one sentence, in the order of the text; the discourse moves on."""
    clause, referent = resolve(Clause.whole(sentence), discourse)
    parts = decompose(clause)
    if any(needs_first(part, parts[0]) for part in resolve_within(parts)[1:]):
        parts = [clause]
    told = [part for part in resolve_within(parts) if not is_of_one_person(join_words(part.words(), sentence))]
    made = [_write_claim(part) for part in told if is_sound(part)]
    if len(made) < len(told) or (len(told) == len(parts) and _has_lost(made, clause)):
        made = [_write_claim(clause)] if is_statement(sentence) else []
    discourse.hear(clause, referent)
    told_of = discourse.on_behalf
    return [claim for claim in made if claim is not None and is_worth_checking(claim.text, on_behalf=told_of)]


def _has_lost(made: Iterable[Claim | None], clause: Clause) -> bool:
    """Whether a number or a denial of the sentence is in no claim, or a claim could not be written."""
    claims = list(made)
    said = numbers_and_negations(claim.text for claim in claims if claim is not None)
    return None in claims or not numbers_and_negations([clause.sentence.text]) <= said


def _write_claim(clause: Clause) -> Claim | None:
    clause = rewrite_report(clause)
    words = replace_persons(clause.words(), clause)
    text, span = finish_sentence(join_words(words, clause.sentence)), clause.span()
    return Claim(text, span.start, span.end, compound=_is_compound(clause)) if text and span is not None else None


def _is_compound(clause: Clause) -> bool:
    """Whether the clause still has coordinated or juxtaposed members, or a remark set off by a comma."""
    tokens = clause.sentence.tokens
    for place in clause.keep - {clause.root}:
        token = tokens[place]
        relation = token.dep.split(":")[0]
        if relation in {"conj", "parataxis"} and token.head in clause.keep:
            return True
        if relation in {"acl", "appos"} and tokens[min(clause.sentence.subtree(place)) - 1].text == ",":
            return True
    return False


def _split_words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", text.lower()))


def _is_denied(text: str) -> bool:
    return "not" in numbers_and_negations([text])


def drop_repeated(claims: Iterable[Claim]) -> list[Claim]:
    """The first claim of each text, whatever its case."""
    first: dict[str, Claim] = {}
    for claim in claims:
        first.setdefault(claim.text.lower(), claim)
    return list(first.values())
