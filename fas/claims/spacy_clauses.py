"""The rule-based claim extractor: blocks, sentences, clauses, statements."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from fas.claims import compose, context, references
from fas.claims.advice import commanding
from fas.claims.attribution import unframed
from fas.claims.blocks import Block, read_blocks
from fas.claims.clause import SUBORDINATORS, Clause, Word, finished, spell
from fas.claims.coordination import split_predicates
from fas.claims.frames import is_question, is_talk, opening, passed_on, without_asides
from fas.claims.lifting import lift
from fas.claims.lists import distribute
from fas.claims.mapped import Mapped, Span
from fas.claims.parsed import Sentence, Token, parse
from fas.claims.topics import Referent, question_topic
from fas.claims.wording import declared, impersonal, is_imperative, is_narrative
from fas.models.paths import EMBEDDED, VERSIONS
from fas.records import Answer, Claim

if TYPE_CHECKING:
    from spacy.language import Language

_FEWEST_WORDS = 3
_SOURCES = re.compile(
    r"^(?:ref(?:erence)?s?|sources?|citations?|bibliography|further reading|see also)\s?[:.–-]", re.IGNORECASE
)


class SpacyClauses:
    """Claims from the dependency parse of an answer, by rules; no model but the parser.

    Markdown is taken apart into blocks, blocks into sentences, sentences into clauses; lists
    and coordinations become one claim a member where each alone is still what the answer
    says; advice becomes a statement. Questions, courtesies, disclaimers and what happened to
    one person are no claims. The same answer gives the same claims in any batch.

    Args:
        model: Name of the embedded parser, of an installed spaCy package, or the folder of one.
            It must give Universal Dependencies and Penn Treebank tags.
        nlp: A loaded pipeline to use instead of *model*.
    """

    def __init__(self, *, model: str = "fas-en-mini", nlp: Language | None = None) -> None:
        self.model = model
        self._given = nlp

    @cached_property
    def _nlp(self) -> Language:
        if self._given is not None:
            return self._given
        from fas.models.parser import load_parser

        return load_parser(self.model)

    @cached_property
    def signature(self) -> str:
        """`spacy[NAME@VERSION]` of the parser, with what a signature may not hold put as `_`."""
        if self._given is None and self.model in EMBEDDED:
            return f"spacy[{self.model}@{VERSIONS[self.model]}]"
        meta = self._nlp.meta
        name = meta["name"] if str(meta["name"]).startswith("fas-") else f"{meta['lang']}_{meta['name']}"
        return "spacy[" + re.sub(r"[|:\s]", "_", f"{name}@{meta['version']}") + "]"

    def extract(self, answers: Sequence[Answer]) -> list[list[Claim]]:
        """The claims of each answer, in the order of the text.

        Two claims of one answer never have the same text. A claim that was put together from
        a lead-in, heading or table header and an item has the item as its span.
        """
        return [self._claims(answer) for answer in answers]

    def _claims(self, answer: Answer) -> list[Claim]:
        topic = question_topic(answer.question)
        on_behalf = context.on_behalf(answer.prediction)
        discourse = references.Discourse(topic=topic, question=answer.question, on_behalf=on_behalf)
        found: list[Claim] = []
        for passage in _passages(answer.prediction, self._nlp):
            if passage.heading:
                discourse.forget()
            if passage.about is not None:
                discourse.forget()
                discourse.subject = passage.about
            if passage.item:
                discourse.said = discourse.stood = None
            for sentence in passage.sentences:
                if sentence is None:
                    discourse.said = discourse.stood = None
                else:
                    found.extend(sentence_claims(sentence, discourse))
        found.sort(key=lambda claim: (claim.start or 0, claim.end or 0))
        first: dict[str, Claim] = {}
        for claim in found:
            first.setdefault(claim.text.lower(), claim)
        return list(first.values())


@dataclass(frozen=True, slots=True)
class _Passage:
    """Sentences to take claims from.

    Attributes:
        sentences: The sentences of one block, composed where need be; None where one was left out.
        item: It is a list item or a table row, which does not point at the one before.
        heading: A heading stood before it: pronouns do not reach across.
        about: What a label names, for the pronouns of the labelled text.
    """

    sentences: list[Sentence | None]
    item: bool = False
    heading: bool = False
    about: Referent | None = None


def _passages(prediction: str, nlp: Language) -> Iterator[_Passage]:
    """The sentences of an answer, in order, a block at a time."""
    blocks = read_blocks(prediction)
    labels = [
        compose.block_label(block) if block.kind in {"item", "paragraph"} else (None, block.text) for block in blocks
    ]
    labels = [
        (None, block.text) if label is not None and compose.demands_more(label.text) else (label, rest)
        for block, (label, rest) in zip(blocks, labels, strict=True)
    ]
    leads = {block.lead.text: block.lead for block in blocks if block.lead is not None}
    units = [
        rest if block.kind in {"item", "paragraph"} else Mapped.whole("")
        for block, (_, rest) in zip(blocks, labels, strict=True)
    ]
    parsed = parse([*units, *leads.values()], nlp)
    shapes = {text: _shape(sentences) for text, sentences in zip(leads, parsed[len(units) :], strict=True)}
    pending: list[Mapped] = []
    plans: list[list[Sentence | int | None]] = []
    for number, block in enumerate(blocks):
        plan: list[Sentence | int | None] = []
        for entry in _composed(block, labels[number], parsed[number], shapes):
            if isinstance(entry, Sentence):
                skip = is_question(entry.text) or _is_lead(entry, blocks, number)
                if skip or (is_talk(entry.text) and not passed_on(entry.text)):
                    plan.append(None)
                    continue
                bare = without_asides(entry.source.slice(opening(entry.text)))
                asked = commanding(bare, Clause.whole(entry) if len(bare) == len(entry.source) else None)
                if asked is None and len(bare) == len(entry.source):
                    plan.append(entry)
                    continue
                entry = asked or bare
            plan.append(len(pending))
            pending.append(entry)
        plans.append(plan)
    reparsed = parse(pending, nlp)
    heading = False
    for block, (label, _), plan in zip(blocks, labels, plans, strict=True):
        if block.kind == "heading":
            heading = True
            continue
        sentences: list[Sentence | None] = []
        for item in plan:
            sentences.extend(reparsed[item] if isinstance(item, int) else [item])
        about = Referent(label.text, False) if label is not None and len(label.text.split()) <= 4 else None
        if any(sentences):
            yield _Passage(sentences, block.kind in {"item", "row"}, heading, about if block.kind == "item" else None)
            heading = False


def _is_lead(sentence: Sentence, blocks: Sequence[Block], number: int) -> bool:
    """Whether the sentence introduces the list after it and says nothing without it."""
    if not sentence.text.rstrip().endswith(":"):
        return False
    listed = number + 1 < len(blocks) and blocks[number + 1].kind == "item"
    return listed or compose.demands_more(sentence.text)


def _shape(sentences: Sequence[Sentence]) -> compose.Shape:
    """What the first sentence of a text is."""
    if not sentences:
        return compose.Shape(False, False, False, False, False)
    clause = Clause.whole(sentences[0])
    root = clause.predicate
    verbal = root.pos in {"VERB", "AUX"}
    subject = clause.subject is not None
    statement = subject and (verbal or clause.child(root.i, "cop") is not None)
    first = next((token for token in sentences[0].tokens if token.pos not in {"PUNCT", "ADV"}), root)
    return compose.Shape(
        is_statement=statement,
        is_imperative=not subject and is_imperative(clause),
        is_plural=root.tag in {"NNS", "NNPS"},
        is_nominal=root.pos in {"NOUN", "PROPN", "ADJ", "NUM"} and not statement,
        starts_with_verb=not subject and (first.tag in {"VBZ", "MD"} or first.lower in {"are", "have"}),
    )


def _composed(
    block: Block,
    labelled: tuple[Mapped | None, Mapped],
    sentences: Sequence[Sentence],
    shapes: dict[str, compose.Shape],
) -> Iterator[Sentence | Mapped]:
    """Sentences of a block as they stand, and texts still to be parsed."""
    if block.kind == "row":
        yield from compose.row_sentences(block.cells)
        return
    if block.kind == "heading" or not sentences or _SOURCES.match(block.text.text):
        return
    label, rest = labelled
    shape = _shape(sentences)
    first = sentences[0].source
    if block.kind == "item" and block.lead is not None and not (label is not None and shape.is_sentence):
        item = first if label is None else rest
        made = compose.with_lead(block.lead, shapes[block.lead.text], item, shape)
        if made is not None and (label is None or compose.demands_more(block.lead.text)) and label is None:
            yield made
            yield from sentences[1:]
            return
    if label is not None:
        made = compose.with_label(label, first, shape)
        if made is not None:
            yield made
            yield from sentences[1:]
            return
    elif block.kind == "item" and not shape.is_sentence and block.headings:
        made = compose.with_heading(block.headings[-1], first)
        if made is not None:
            yield made
            yield from sentences[1:]
            return
    yield from sentences


def sentence_claims(sentence: Sentence, discourse: references.Discourse) -> Iterator[Claim]:
    """The claims of one sentence; the discourse moves on."""
    if is_question(sentence.text) or is_talk(sentence.text):
        discourse.said = discourse.stood = None
        return
    clause = unframed(Clause.whole(sentence))
    replaced, gone, referent = references.resolve_subject(sentence, discourse)
    if clause.root == sentence.root and replaced:
        clause = clause.without(gone).reworded(references.spelled_out(sentence, replaced))
    elif not replaced:
        clause = clause.reworded(references.resolve_object(sentence, discourse))
    if discourse.topic is None:
        discourse.topic = references.defined_topic(sentence, discourse.question)
    parts = references.resolve_within(split_predicates(clause))
    if context.points_back(clause) or any(context.needs_more(part) for part in parts[1:]):
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
    left_out = [single for single in clauses if context.is_about_reader(single, discourse.on_behalf)]
    clauses = [single for single in clauses if single not in left_out]
    left_out += [single for single in clauses if context.points_back(single)]
    claims = [claim for single in clauses if (claim := _standing(single, discourse)) is not None]
    addressed = discourse.on_behalf and any(token.lower in {"your", "they"} for token in sentence.tokens)
    if not claims and not left_out and not addressed and _is_unread_statement(clause, clauses):
        # The parser found no clause in it: the sentence as a whole is better than nothing.
        whole = _claim(clause, clause.words(), discourse)
        claims = [] if whole is None else [whole]
    yield from sorted(claims, key=lambda claim: (claim.start or 0, claim.end or 0))
    discourse.begun |= bool(claims)
    said = _said(clause, claims, discourse)
    # What stood by itself stays what a plural points at; `this` may mean the last sentence only.
    discourse.stood = said if not context.points_back(clause) else discourse.stood
    discourse.said = said
    discourse.subject = references.subject_referent(sentence, referent, clause.root)
    discourse.adviser = references.practitioner(sentence)
    discourse.lost = discourse.subject is None and references.leads_away(sentence, discourse.topic)


def _said(clause: Clause, claims: Sequence[Claim], discourse: references.Discourse) -> str | None:
    """The sentence as one statement, if it made any."""
    if len(claims) < 2:
        return claims[0].text if claims else None
    if context.points_back(clause) or is_imperative(clause) or is_narrative(clause):
        return None
    whole = _claim(clause, clause.words(), discourse)
    return None if whole is None else whole.text


def _standing(clause: Clause, discourse: references.Discourse) -> Claim | None:
    """The claim of a clause, with what it points back at, or None if that is not to be had.

    In a reported clause the pronoun may stand for something in the report's own frame. What an answer begins with
    points at the question, and is kept.
    """
    words, subject = declared(clause), clause.subject
    pointing = words is not None and subject is not None and any(word.at == subject.i for word in words)
    asked = not discourse.begun and not discourse.on_behalf
    if not pointing or asked or not context.points_back(clause):
        return _claim(clause, words, discourse)
    deed = context.advised(discourse.said)
    if deed is not None and subject is not None and subject.lower in {"this", "that"}:
        named = clause.reworded(references.spelled_out(clause.sentence, {subject.i: deed}))
        return _claim(named, declared(named), discourse)
    claim = _claim(clause, words, discourse)
    if claim is None:
        return None
    reported = context.is_reported(clause) or references.is_of_another(clause, discourse)
    before = discourse.stood if context.is_of_things(clause) else discourse.said
    text = None if reported or not context.can_mean(clause, before) else context.carried(before, claim.text)
    if text is not None:
        return Claim(text, claim.start, claim.end)
    return None if context.is_bare(clause) or discourse.on_behalf else claim


def _is_unread_statement(clause: Clause, clauses: Sequence[Clause]) -> bool:
    """Whether a sentence of which no clause came out has a subject before a finite verb all the same."""
    if any(is_narrative(part) for part in [clause, *clauses]):
        return False
    tokens = [token for token in clause.sentence.tokens if token.i in clause.keep]
    if clause.sentence.tokens[clause.root].lower in SUBORDINATORS or (
        tokens[0].lower in SUBORDINATORS and not clause.text().count(",")
    ):
        return False
    finite = _finite_verb(tokens)
    # "In the trial, aspirin reduced strokes": the subject stands after the comma.
    opened = next((n + 1 for n in range(finite) if tokens[n].text == ","), 0) if tokens[0].tag == "IN" else 0
    if tokens[0].lower in SUBORDINATORS and not opened:
        return _has_main_clause(tokens)
    if tokens[0].tag == "IN" and not opened:
        return False
    nominal = any(token.pos in _NOMINAL for token in tokens[opened:finite])
    return nominal and tokens[0].tag not in {"WDT", "WP", "WRB"} and tokens[-1].text != ":"


def _has_main_clause(tokens: Sequence[Token]) -> bool:
    """Whether a subject and a finite verb follow a comma (`if it spreads, a doctor should be seen`)."""
    commas = [n for n, token in enumerate(tokens) if token.text == ","]
    for comma in commas:
        finite = next((n for n in range(comma + 1, len(tokens)) if tokens[n].tag in _FINITE), None)
        if finite is not None and any(token.pos in _NOMINAL for token in tokens[comma + 1 : finite]):
            return tokens[comma + 1].lower not in SUBORDINATORS and tokens[comma + 1].tag not in {"CC", "WDT", "WP"}
    return False


_FINITE = frozenset({"VBZ", "VBP", "VBD", "MD"})
_NOMINAL = frozenset({"NOUN", "PROPN", "PRON"})


def _finite_verb(tokens: Sequence[Token]) -> int:
    """Position of the first finite verb, 0 for none.

    Without any, a participle right after a noun is taken for one: in "simvastatin reduced deaths" the past tense
    looks the same, and a parser that reads a noun phrase there has left the sentence without a verb.
    """
    places = (n for n, token in enumerate(tokens) if token.tag in _FINITE)
    after_noun = (n for n in range(1, len(tokens)) if tokens[n].tag == "VBN" and tokens[n - 1].pos in _NOMINAL)
    return next(places, next(after_noun, 0))


def _claim(clause: Clause, words: list[Word] | None, discourse: references.Discourse) -> Claim | None:
    if words is None:
        return None
    words = references.specified(impersonal(words, clause), clause, discourse.topic)
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
