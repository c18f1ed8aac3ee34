"""The sentences of an answer in order, a block at a time, with fragments put into the sentence that they are part of.

A list item goes behind its lead-in (`Symptoms include:`), its label (`Dose: 5 mg`) or its heading; a table row becomes
`The HEADER of ROW is CELL`. Words borrowed from there are marked as put in, so that a claim's span is the item, the
cell or the labelled text itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fas.claims.checkworthiness import is_placeholder, is_question, is_talk, opening, strip_asides
from fas.claims.clauses import is_finite, lower_first, subject_of
from fas.claims.normalisation import add_command_subject, complete_command
from fas.claims.qa2d import read_decision
from fas.text.reading.blocks import Block, Cell
from fas.text.reading.commands import is_command
from fas.text.reading.document import read
from fas.text.reading.mapped import Mapped
from fas.text.reading.pattern_tables import load_patterns
from fas.text.reading.trees import FINITE, NEGATIONS, Sentence, Token, parse

if TYPE_CHECKING:
    from spacy.language import Language

SEGMENTATION = load_patterns(__file__)
_MOST_WORDS_OF_A_LABEL = 7
_MOST_WORDS_OF_A_NAME = 4
_NOMINAL = frozenset({"NOUN", "PROPN", "NUM"})
_OF_SYMPTOMS = ("ness", "itis", "osis", "emia", "ache")


@dataclass(frozen=True, slots=True)
class AnswerSegment:
    """Sentences of one block to take claims from.

    Attributes:
        sentences: They, made whole where they were fragments.
        heading: What stands above them, outermost first, joined; empty without.
        about: What a label names, for the pronouns of the labelled text; empty without.
        alone: Whether it is a list item or table row, which does not point at the one before.
    """

    sentences: list[Sentence]
    heading: str
    about: str
    alone: bool


@dataclass(frozen=True, slots=True)
class _Shape:
    """What the parser says of a text that stands alone."""

    states: bool = False
    commands: bool = False
    nominal: bool = False
    plural: bool = False
    open: bool = False
    name: bool = False


def split_into_segments(prediction: str, nlp: Language) -> Iterator[AnswerSegment]:
    """The segments of an answer, in order; questions, talk and lead-ins that say nothing by themselves are left out."""
    prose = read(prediction).prose
    stating = _find_stating_headings([block for block in prose if block.kind == "heading"], nlp)
    blocks = [
        b for b in prose if b.kind != "heading" or b.text.text in stating or read_decision(b.text.text) is not None
    ]
    labelled = [_split_label(block) for block in blocks]
    leads = {block.lead.text: block.lead for block in blocks if block.lead is not None}
    texts = [
        Mapped.whole("") if block.kind == "row" else rest for block, (_, rest) in zip(blocks, labelled, strict=True)
    ]
    labels = {label.text: label for label, _ in labelled if label is not None}
    parsed = parse([*texts, *leads.values(), *labels.values()], nlp)
    shapes = {text: _read_shape(one) for text, one in zip([*leads, *labels], parsed[len(texts) :], strict=True)}
    waiting: list[Mapped] = []
    plans: list[list[Sentence | int]] = []
    for number, (block, (label, _)) in enumerate(zip(blocks, labelled, strict=True)):
        listed = number + 1 < len(blocks) and blocks[number + 1].kind == "item"
        plan: list[Sentence | int] = []
        for piece in _join_pieces(block, label, parsed[number], shapes):
            ready = _prepare(piece, listed)
            if isinstance(ready, Mapped):
                plan.append(len(waiting))
                waiting.append(ready)
            elif ready is not None:
                plan.append(ready)
        plans.append(plan)
    again = parse(waiting, nlp)
    for block, (label, _), plan in zip(blocks, labelled, plans, strict=True):
        sentences = [one for item in plan for one in (again[item] if isinstance(item, int) else [item])]
        if sentences:
            yield AnswerSegment(
                sentences,
                " ".join(h.text for h in block.headings),
                _name_by_label(label, shapes),
                block.kind != "paragraph",
            )


def _find_stating_headings(lines: list[Block], nlp: Language) -> set[str]:
    """Texts of headings and lines in bold alone that state or advise something (`Avoid ibuprofen in pregnancy`).

    A verb in title case is a title's, one behind a question word or before its subject a question's (`How metformin
    works`). Advice names its matter with a noun in lower case, unless it forbids, and does not point (`these foods`).
    """
    lines = [line for line in lines if not line.text.text.rstrip().endswith((":", "?"))]
    stating = set()
    for line, sentences in zip(lines, parse([_split_label(line)[1] for line in lines], nlp), strict=True):
        shape = _read_shape(sentences)
        if len(sentences) != 1 or not (shape.states or shape.commands):
            continue
        tokens, root = sentences[0].tokens, sentences[0].tokens[sentences[0].root]
        asks = tokens[0].tag.startswith("W") or tokens[0].tag in FINITE or tokens[0].dep == "mark"
        denied = any(token.lower in NEGATIONS for token in tokens[:3])  # "Do Not Take Warfarin"
        named = any(token.pos in _NOMINAL and (denied or token.text.islower()) for token in tokens[1:])
        points = any(token.lower in {"these", "this", "following"} for token in tokens)
        if (named and not points) if shape.commands else (root.text.islower() and not asks):
            stating.add(line.text.text)
    return stating


def _name_by_label(label: Mapped | None, shapes: dict[str, _Shape]) -> str:
    """What a label names; empty without one, and of one that states something (`It lowers blood sugar:`)."""
    if label is None or len(label.text.split()) > _MOST_WORDS_OF_A_NAME or shapes[label.text].states:
        return ""
    return label.text.strip(" :")


def _prepare(piece: Sentence | Mapped, listed: bool) -> Sentence | Mapped | None:
    """What is read of a piece: the sentence, a text still to be parsed, None for nothing."""
    source = piece.source if isinstance(piece, Sentence) else piece
    text = source.text
    if read_decision(text) is not None:
        return piece
    start = opening(text)
    rest = text[start:]
    # "The doctor wants to emphasize that ...": what follows may be more than talk.
    if is_question(text) or is_talk(rest if start else text):
        return None
    if text.rstrip().endswith(":") and (listed or SEGMENTATION.open_end.search(text.rstrip(" :"))):
        return None
    bare = strip_asides(source.slice(start))
    if text[:start].rstrip().endswith("that"):
        bare = bare.sub(SEGMENTATION.and_that, lambda match: ", and ")
    ordered = complete_command(bare, piece if isinstance(piece, Sentence) and not start else None)
    if ordered is not None:
        return ordered
    return piece if len(bare) == len(source) else bare


def _join_pieces(
    block: Block, label: Mapped | None, sentences: list[Sentence], shapes: dict[str, _Shape]
) -> Iterator[Sentence | Mapped]:
    """Sentences of a block as they stand, and texts still to be parsed."""
    if block.kind == "row":
        yield from row_sentences(block.cells)
        return
    if not sentences:
        return
    first, shape = sentences[0].source, _read_shape(sentences)
    made = None
    if label is not None:
        made = join_label(label, first, shape)
    elif block.kind == "item" and block.lead is not None:
        made = join_lead(block.lead, shapes[block.lead.text], first, shape)
    if made is None and label is None and block.kind == "item" and block.headings:
        made = join_heading(block.headings[-1], first, shape)
    if made is not None:
        yield made
    elif label is not None and shapes[label.text].states:
        yield label  # "Metformin lowers blood sugar: It acts on the liver."
    yield from sentences[made is not None :]


def _split_label(block: Block) -> tuple[Mapped | None, Mapped]:
    """A label such as `Dosage:` (or the bold start of an item) and what it labels."""
    text = block.text
    match = SEGMENTATION.label.match(text.text)
    if match is not None and match[1][:1].isupper() and len(match[1].split()) <= _MOST_WORDS_OF_A_LABEL:
        goes_on = SEGMENTATION.open_end.search(match[1]) is not None and not forbids(match[1])
        if not goes_on and not (is_command(match[1]) and ":" not in match[0]):
            return text.slice(0, match.end(1)), text.slice(match.end())
    if block.bold and text.text[block.bold :].strip() and text.text[: block.bold].rstrip().endswith(":"):
        return text.slice(0, block.bold).strip(" :"), text.slice(block.bold).strip(" :–—-")
    return None, text


def _read_shape(sentences: list[Sentence]) -> _Shape:
    """What the first sentence of a text is."""
    if not sentences:
        return _Shape()
    sentence = sentences[0]
    tokens, root = sentence.tokens, sentence.tokens[sentence.root]
    subject = subject_of(sentence, root.i)
    words = [token for token in tokens if token.pos != "PUNCT"]
    bare = root.tag == "VBZ" and len(words) <= 3 and bool(words) and words[-1].i == root.i  # "Muscle aches"
    states = subject is not None and is_finite(sentence, root.i) and not bare
    return _Shape(
        states=states,
        commands=not states and (complete_command(sentence.source, sentence) is not None or is_command(sentence.text)),
        nominal=(root.pos in _NOMINAL or root.tag == "VBG" or bare) and not states,
        plural=root.tag in {"NNS", "NNPS"} or bare,
        open=subject is None and bool(words) and (words[0].tag in FINITE),
        name=not states and _begins_with_name(words),
    )


def _begins_with_name(words: list[Token]) -> bool:
    """Whether a fragment begins with a name, which parsers see in most that has a capital (`Difficulty walking`)."""
    if not words or words[0].tag not in {"NNP", "NNPS"} or words[0].lower.endswith(_OF_SYMPTOMS):
        return False
    after = words[1] if len(words) > 1 else None
    return after is None or not after.text[0].islower() or (len(words) == 2 and after.tag != "VBG")


def join_lead(lead: Mapped, lead_shape: _Shape, item: Mapped, shape: _Shape) -> Mapped | None:
    """The item as the sentence that its lead-in begins; None if they make none."""
    named = SEGMENTATION.label.match(lead.text)
    bare = lead.text[named.end() if named is not None else 0 :]
    text = bare[opening(bare) :].rstrip(" :")
    if forbids(text):
        return _forbid_item(item, shape)
    if not text or is_talk(lead.text):
        return None
    effect = SEGMENTATION.effects.search(_cut_head(text)) or SEGMENTATION.listing.search(text)
    if shape.states or (shape.commands and not effect):
        return None  # "Dry mouth" is no command under `Side effects include`
    if SEGMENTATION.open_end.search(text):
        return Mapped.join([f"{text} ", _write_item(item, shape)])
    following = SEGMENTATION.following.search(text)
    if following is not None:
        before = text[: following.start()].rstrip()
        return Mapped.join([f"{before} ", _write_item(item, shape)]) if before else None
    if lead_shape.nominal and not lead_shape.states:
        return Mapped.join([f"{text} {'include' if lead_shape.plural else 'includes'} ", _write_item(item, shape)])
    return None


def join_heading(heading: Mapped, item: Mapped, shape: _Shape) -> Mapped | None:
    """A fragment under a heading that names what is listed (`Symptoms of gout`), or that forbids it."""
    if forbids(heading.text):
        return _forbid_item(item, shape)
    name = heading.text.rstrip(" :")
    if not SEGMENTATION.lists.search(_cut_head(name)):
        return None
    if (
        shape.states
        or not (shape.nominal or shape.commands)
        or (shape.commands and not SEGMENTATION.effects.search(_cut_head(name)))
    ):
        return None
    verb = "include" if is_plural_name(name) else "includes"
    return Mapped.join([f"{lower_first(name.lower() if name.isupper() else name)} {verb} ", _write_item(item, shape)])


def join_label(label: Mapped, rest: Mapped, shape: _Shape) -> Mapped | None:
    """A labelled fragment (`Type 1: an autoimmune disease`) as a sentence; None where the rest is one."""
    name = label.text.strip(" :")
    if forbids(name):
        return _forbid_item(rest, shape)
    if re.match(rf"{re.escape(name)}\b", rest.text, re.IGNORECASE):
        return None  # "Shortlist: Shortlist three clinics"
    if (shape.states or shape.commands) and SEGMENTATION.circumstance.match(name):
        at = "At " if name[0].isdigit() else ""
        said = _write_within(add_command_subject(rest) if shape.commands else rest)
        return Mapped.join([at, label.strip(" :"), ", ", said])  # "Under 3 months: call a doctor"
    does = shape.commands and rest.text[:1].islower() and is_plural_name(name) and not is_command(name)
    if shape.open or does:
        return Mapped.join([label, " ", _write_within(rest)])  # "ACE inhibitors: relax blood vessels"
    if shape.states or shape.commands or not shape.nominal or opening(f"{name}: x"):
        return None
    plural = is_plural_name(name)
    defined = re.match(r"(?:an?|the)\s|[\d.,<>≥≤]+\s?\S", rest.text, re.IGNORECASE) is not None
    verb = ("are" if plural else "is") if defined or not plural else "include"
    return Mapped.join([label, f" {verb} ", _write_within(rest)])


def row_sentences(cells: tuple[Cell, ...]) -> list[Mapped]:
    """A table row as sentences: each cell is said of the first one (`The dose of Metformin is 500 mg`)."""
    if len(cells) < 2 or not re.search(r"\w", cells[0].text.text):
        return []
    row, measured, of = cells[0].text.strip(" .:"), cells[0].header.strip(" :.?"), "of"
    if measured and re.match(r"[<>≤≥]?\s?\d", row.text):
        row, of = Mapped.join([f"{measured} ", row]), "for"  # "eGFR < 30"
    found: list[Mapped] = []
    for cell in cells[1:]:
        value, header = cell.text.strip(" .;"), cell.header.strip(" :.")
        if is_placeholder(value.text) or value.text.lower() in {"n/a", "na"}:
            continue
        if is_command(value.text):
            found.append(Mapped.join(["For ", row, ", ", _write_within(add_command_subject(value))]))
        elif len(value.text.split()) > 5 and value.text[0].isupper() and cell.text.text.rstrip().endswith("."):
            found.append(value)
        elif SEGMENTATION.no_noun.search(header):
            found.append(Mapped.join([row, ' has "', _write_within(value), f'" under "{header.rstrip(" ?")}"']))
        elif header:
            verb = "are" if is_plural_name(header) else "is"
            found.append(Mapped.join([f"The {lower_first(header)} {of} ", row, f" {verb} ", _write_within(value)]))
        else:
            found.append(Mapped.join([row, ": ", value]))
    return found


def forbids(above: str) -> bool:
    """Whether a label, lead-in or heading forbids what comes after it (`Don't:`, `What not to do`)."""
    return SEGMENTATION.forbids.search(above.strip(" :.!").replace("’", "'")) is not None


def _forbid_item(item: Mapped, shape: _Shape) -> Mapped | None:
    if SEGMENTATION.forbidden.match(item.text) or (shape.states and not shape.commands):
        return None
    return Mapped.join(["Do not " if shape.commands else "Avoid ", _write_within(item)])


def is_plural_name(name: str) -> bool:
    """Whether a plural verb goes with a name, by the ending of its head."""
    head = _cut_head(re.sub(r"\s*\([^()]*\)", "", name)).lower().split()
    word = head[-1] if head else ""
    return (word.endswith("s") and not word.endswith(("ss", "us", "is"))) or word in {"people", "children", "criteria"}


def _cut_head(name: str) -> str:
    return re.split(r"\s(?:of|for|in|with|that|to|from|associated|caused|related|and)\s", name.strip())[0]


def _write_item(item: Mapped, shape: _Shape) -> Mapped:
    return item if shape.name else _write_within(item)


def _write_within(text: Mapped) -> Mapped:
    """*text* as it is written within a sentence."""
    made = lower_first(text.text)
    return Mapped(made, text.starts, text.ends) if len(made) == len(text.text) else text
