"""The rule-based claim extractor: blocks, sentences, clauses, statements."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from fas.claims.cached import ClaimCache, rules_digest
from fas.claims.decisions import Said, decided, decision
from fas.claims.frames import on_behalf, opening
from fas.claims.passages import passages
from fas.claims.referents import DOCTOR, Discourse
from fas.claims.short_answers import repeats_words, short_claims
from fas.claims.statements import sentence_claims
from fas.claims.topics import question_person, question_topic
from fas.models.paths import EMBEDDED, VERSIONS
from fas.reading.trees import Sentence
from fas.records import Answer, Claim
from fas.records.digests import SHOWN
from fas.records.signature import PartSignature

if TYPE_CHECKING:
    from spacy.language import Language


class SpacyClauses:
    """Claims from the dependency parse of an answer, by rules; no model but the parser.

    Markdown is taken apart into blocks, blocks into sentences, sentences into clauses; lists
    and coordinations become one claim a member where each alone is still what the answer
    says; advice becomes a statement, and a bare yes or no what it says of the question, where
    that is safe; an answer of a word or a few (`fas.claims.short_answers`) what it and its question say
    together. Questions, courtesies, disclaimers, talk about documents and options, and what
    happened to one person are no claims. The same answer gives the same claims in any batch.

    Args:
        model: Name of the embedded parser, of an installed spaCy package, or the folder of one.
            It must give Universal Dependencies and Penn Treebank tags.
        nlp: A loaded pipeline to use instead of *model*.
        cache: Keep claims on disk, by text, question, parser and rules; only with an embedded parser, as
            nothing says what another one's name stands for.
    """

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
        short = short_claims(answer, self._nlp)
        if short is None:
            return self._read(answer)
        if len(short) == 1 and repeats_words(answer.prediction, answer.question or ""):
            # "Uric acid crystals cause gout.": the parser may miss the verb, the rules for short statements do not.
            stated = self._read(answer)
            if [claim.text.rstrip(".") for claim in stated] == [answer.prediction.strip().rstrip(".")]:
                return stated
        return distinct(short)

    def _read(self, answer: Answer) -> list[Claim]:
        """The claims of an answer in sentences."""
        discourse = Discourse(topic=question_topic(answer.question), person=question_person(answer.question))
        if on_behalf(answer.prediction):
            discourse.on_behalf, discourse.adviser = True, DOCTOR
        found: list[Claim] = []
        decisions: list[Claim] = []
        for passage in passages(answer.prediction, self._nlp):
            if passage.heading:
                discourse.forget()
            if passage.about is not None:
                discourse.forget()
                discourse.subject = passage.about
            for sentence in passage.sentences:
                if sentence is None:
                    continue
                if (answered := decision(sentence.text)) is not None:
                    claim = self._decided(sentence, answered, answer)
                    decisions += [claim] if claim is not None else []
                else:
                    found.extend(sentence_claims(sentence, discourse))
        if decisions:
            said = Said(claim.text for claim in found)
            found += [claim for claim in distinct(decisions) if not said.again(claim.text)]
        found.sort(key=lambda claim: (claim.start or 0, claim.end or 0))
        return distinct(found)

    def _decided(self, sentence: Sentence, answered: bool, answer: Answer) -> Claim | None:
        """What a bare decision states, with the decision as its span."""
        whole = sentence.source.span()
        span = sentence.source.slice(opening(sentence.text)).strip(" .!\"'()").span()
        if whole is None or span is None:
            return None
        # "Is it addictive? No.": decided is what the answer asks, and that is not what was asked.
        statement = decided(None if "?" in answer.prediction else answer.question, answered, self._nlp)
        return None if not statement else Claim(statement, span.start, span.end)


def distinct(claims: Iterable[Claim]) -> list[Claim]:
    """The first claim of each text, whatever its case."""
    first: dict[str, Claim] = {}
    for claim in claims:
        first.setdefault(claim.text.lower(), claim)
    return list(first.values())
