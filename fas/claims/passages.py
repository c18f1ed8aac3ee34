"""The sentences of an answer in order, a block at a time, fragments made into sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fas.claims import compose
from fas.claims.advice import commanding, is_imperative
from fas.claims.clause import Clause
from fas.claims.decisions import decision
from fas.claims.frames import is_question, is_talk, opening, passed_on, without_asides
from fas.claims.topics import Referent
from fas.reading.blocks import Block
from fas.reading.document import read
from fas.reading.mapped import Mapped
from fas.reading.pattern_tables import patterns_of
from fas.reading.trees import Sentence, Token, parse

if TYPE_CHECKING:
    from spacy.language import Language

PASSAGES = patterns_of(__file__)
_OF_SYMPTOMS = ("ness", "itis", "osis", "emia", "ache")


@dataclass(frozen=True, slots=True)
class Passage:
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


def passages(prediction: str, nlp: Language) -> Iterator[Passage]:
    """The sentences of an answer, in order, a block at a time."""
    blocks = read(prediction).prose
    labels = [
        compose.block_label(block) if block.kind in {"item", "paragraph"} else (None, block.text) for block in blocks
    ]
    labels = [
        (None, block.text) if label is not None and _goes_on(label.text) else (label, rest)
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
            pieces = _readable(entry, _is_lead(entry, blocks, number)) if isinstance(entry, Sentence) else [_put(entry)]
            for piece in pieces:
                if isinstance(piece, Mapped):
                    plan.append(len(pending))
                    pending.append(piece)
                else:
                    plan.append(piece)
        plans.append(plan)
    reparsed = parse(pending, nlp)
    heading = False
    for block, (label, _), plan in zip(blocks, labels, plans, strict=True):
        if block.kind == "heading" and not plan:
            heading = True
            continue
        sentences: list[Sentence | None] = []
        for item in plan:
            sentences.extend(reparsed[item] if isinstance(item, int) else [item])
        about = Referent(label.text, False) if label is not None and len(label.text.split()) <= 4 else None
        if any(sentences):
            yield Passage(sentences, block.kind in {"item", "row"}, heading, about if block.kind == "item" else None)
            heading = False


def _goes_on(label: str) -> bool:
    return compose.demands_more(label) and not (compose.allowing(label) or compose.forbidding(label))


def _put(text: Mapped) -> Mapped:
    """A sentence made of a circumstance and a command (`If eGFR is 30-44, do not start`), with the subject it lacks."""
    return (commanding(text, None) or text) if PASSAGES.circumstance.match(text.text) else text


def _readable(sentence: Sentence, lead: bool) -> list[Sentence | Mapped | None]:
    """What is read of a sentence: the sentence, texts made of it that are still to be parsed, None for nothing."""
    if decision(sentence.text) is not None:
        return [sentence]
    start = opening(sentence.text)
    # "The doctor wants to emphasize that ...": what follows may be more than talk.
    said = sentence.text[start:] if sentence.text[:start].rstrip().endswith("that") else sentence.text
    if lead or is_question(sentence.text) or (is_talk(said) and not passed_on(sentence.text)):
        return [None]
    bare = without_asides(sentence.source.slice(start))
    if re.search(r"\bthat\s*$", sentence.text[:start]):
        bare = bare.sub(PASSAGES.and_that, lambda match: ", and ")
    whole = len(bare) == len(sentence.source)
    asked = commanding(bare, Clause.whole(sentence) if whole else None)
    return [sentence if asked is None and whole else asked or bare]


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
    words = [token for token in sentences[0].tokens if token.pos != "PUNCT"]
    # "Muscle aches": with nothing else it is no sentence.
    bare = root.tag == "VBZ" and len(words) <= 3 and words[-1].i == root.i
    statement = subject and not bare and (verbal or clause.child(root.i, "cop") is not None)
    first = next((token for token in sentences[0].tokens if token.pos not in {"PUNCT", "ADV"}), root)
    return compose.Shape(
        is_statement=statement,
        is_imperative=not subject and is_imperative(clause),
        is_plural=root.tag in {"NNS", "NNPS"} or bare,
        is_nominal=(root.pos in {"NOUN", "PROPN", "ADJ", "NUM"} and not statement) or bare,
        starts_with_name=_is_name(sentences[0].tokens),
        starts_with_verb=not subject and (first.tag in {"VBZ", "MD"} or first.lower in {"are", "have"}),
    )


def _is_name(words: Sequence[Token]) -> bool:
    """Whether a text begins with a name, which parsers see in most that has a capital (`Difficulty walking`)."""
    first, after = words[0], words[1] if len(words) > 1 else None
    if first.tag not in {"NNP", "NNPS"} or first.lower.endswith(_OF_SYMPTOMS):
        return False
    if after is None or not after.text[0].islower():
        return True
    return len(words) == 2 and after.tag != "VBG"  # "Staphylococcus aureus"


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
    if block.kind == "heading":
        if decision(block.text.text) is not None:
            yield block.text  # "Yes" on a line of its own
        return
    if not sentences or PASSAGES.sources.match(block.text.text):
        return
    label, rest = labelled
    shape = _shape(sentences)
    first = sentences[0].source
    if label is not None and compose.allowing(label.text):
        yield from sentences
        return
    if label is not None and compose.forbidding(label.text):
        yield compose.forbidden(label, first, shape) or first
        yield from sentences[1:]
        return
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
        yield from sentences[made is not None :]
        return
    elif (
        block.kind == "item"
        and block.headings
        and (
            not shape.is_sentence
            or compose.forbidding(block.headings[-1].text)
            or (shape.is_imperative and compose.lists_effects(block.headings[-1].text))
        )
    ):
        made = compose.with_heading(block.headings[-1], first, shape)
        if made is not None:
            yield made
            yield from sentences[1:]
            return
    yield from sentences
