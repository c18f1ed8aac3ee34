"""Fragments made into sentences: list items with their lead-in or heading, labels, table rows.

Words that a sentence borrows from a lead-in, a heading or a table's header are marked as put in,
so that the span of a claim is the item, the row's cell or the labelled text itself.
"""

# ruff: noqa: E501 - word lists and patterns are easier to check on one line

from __future__ import annotations

import re
from dataclasses import dataclass

from fas.claims.frames import is_talk, opening
from fas.reading.blocks import Block, Cell
from fas.reading.commands import is_command
from fas.reading.mapped import Mapped
from fas.reading.pattern_tables import patterns_of

# A lead-in that ends in one of these words needs its item to be a sentence at all.
_DEMANDING = frozenset(
    "include includes including are is was were be as by with of for to from if when unless that cause causes should may can could "
    "might must not have has contain contains either in on at because and or involve involves like require requires need needs "
    "avoid mean means treat treats prevent prevents than who whose which while until before after experience notice develop do "
    "recommend recommends suggest suggests comprise comprises feel called against between also become becomes you e.g. via".split()
)
COMPOSE = patterns_of(__file__)


@dataclass(frozen=True, slots=True)
class Shape:
    """What the parser says of a text that stands alone.

    Attributes:
        is_statement: It has a subject and a predicate.
        is_imperative: It tells the reader to do something.
        is_plural: It is a noun phrase in the plural.
        is_nominal: It is a noun phrase.
        starts_with_verb: It begins with a finite verb that lacks its subject.
        starts_with_name: Its first word is a name, and keeps its capital.
    """

    is_statement: bool
    is_imperative: bool
    is_plural: bool
    is_nominal: bool
    starts_with_verb: bool
    starts_with_name: bool = False

    @property
    def is_sentence(self) -> bool:
        """It can be read without what stands above it."""
        return self.is_statement or self.is_imperative


def split_label(text: Mapped, bold: int = 0) -> tuple[Mapped | None, Mapped]:
    """A label such as `Dosage:` (or the bold start of an item) and what it labels."""
    match = COMPOSE.label.match(text.text)
    if match and ":" not in match.group(2) and is_command(match.group(1)):
        return None, text  # "Use acetaminophen — up to 3 g a day"
    if match and len(match.group(1).split()) <= 7 and match.group(1)[:1].isupper():
        return text.slice(0, match.end(1)), text.slice(match.end())
    if bold:
        label = text.slice(0, bold).strip(" :.–—-")
        rest = text.slice(bold).strip(" :–—-")
        if (
            rest.text
            and len(label.text.split()) <= 7
            and text.text[bold : bold + 2].strip()[:1] in {":", "–", "—", "-"}
        ) or text.text[:bold].rstrip().endswith(":"):
            return label, rest
    return None, text


def forbidding(above: str) -> bool:
    """Whether a label, lead-in or heading forbids what comes after it (`Don't:`, `What not to do`)."""
    return COMPOSE.do_not.search(above.strip(" :.!").replace("’", "'")) is not None


def forbidden(above: Mapped | None, item: Mapped, item_shape: Shape) -> Mapped | None:
    """An item behind what forbids it, as a prohibition; None if it is one, or a statement, as it stands.

    Args:
        above: A label, which then belongs to the span; None for a lead-in or heading, which does not.
        item: `Give aspirin`, `Giving aspirin` or `Aspirin`.
        item_shape: What the parser says of it.
    """
    commands = is_command(item.text)
    if COMPOSE.forbids.match(item.text) or (item_shape.is_statement and not commands):
        return None
    words = "Do not " if item_shape.is_imperative or commands else "Avoid "
    return Mapped.join([words if above is None else above.standing_for(words), _within(item, item_shape)])


def lists_effects(heading: str) -> bool:
    """Whether what stands under the heading is what something does, however much it reads like a command (`Benefits`)."""
    return COMPOSE.effects.search(heading.strip(" :.")) is not None


def allowing(label: str) -> bool:
    """Whether a label only says that what comes after it should be done (`Do:`)."""
    return re.fullmatch(r"(?:the )?do(?:'?s)?", label.strip(" :.!").replace("’", "'"), re.IGNORECASE) is not None


def demands_more(lead: str) -> bool:
    """Whether a lead-in is no sentence without its items."""
    words = re.findall(r"[\w.'-]+", lead.rstrip(" :"))
    return bool(words) and (words[-1].lower() in _DEMANDING or bool(COMPOSE.following.search(lead.rstrip(" :"))))


def with_lead(lead: Mapped, lead_shape: Shape, item: Mapped, item_shape: Shape) -> Mapped | None:
    """The item as the sentence that the lead-in begins; None if they make no sentence."""
    item = _within(item, item_shape)
    text = lead.text[opening(lead.text) :].rstrip(" :")
    if forbidding(text):
        return forbidden(None, item, item_shape)
    presented = COMPOSE.presented.match(text)
    if presented:
        text = text[presented.end() :]
        if COMPOSE.tips.search(text) or not text:
            return None
        return _listed(text, _is_plural_text(text), item)
    may = COMPOSE.the_following_may.match(text)
    if may and not item_shape.is_sentence:
        return _listed(f"{may.group(1).strip()} that {may.group(2)}", True, item)
    words = text.split()
    if not words:
        return None
    if words[-1].lower() in _DEMANDING:
        return _joined(f"{text} ", item)
    following = COMPOSE.following.search(text)
    if following and COMPOSE.tips.search(following.group()):
        return None
    if following and not item_shape.is_sentence:
        before = text[: following.start()].rstrip()
        return _joined(f"{before} ", item) if before else None
    conditional = COMPOSE.conditional.match(text) and "," not in text
    if conditional or (COMPOSE.circumstance.match(text) and not lead_shape.is_statement):
        return _joined(f"{text}, ", item) if item_shape.is_sentence else None
    if item_shape.is_sentence or is_talk(lead.text):
        return None
    if (
        lead_shape.is_nominal
        and not lead_shape.is_sentence
        and COMPOSE.lists.search(text.split(" of ")[0].split(" for ")[0].split(" in ")[0])
    ):
        if COMPOSE.verb_like_a_noun.search(text):  # "four groups of drugs lower mortality": the verb was not seen
            return _joined(f"{text}, including ", item)
        return _listed(text, lead_shape.is_plural, item)
    if lead_shape.is_statement and COMPOSE.plural_object.search(text) and not COMPOSE.tips.search(words[-1]):
        return _joined(f"{text} including ", item)
    return None


def with_heading(heading: Mapped, item: Mapped, item_shape: Shape) -> Mapped | None:
    """A fragment under a heading that names what is listed (`Symptoms`, `Treatment`), or that forbids it."""
    if forbidding(heading.text):
        return forbidden(None, item, item_shape)
    text = heading.text.rstrip(" :")
    core = re.split(r"\s(?:of|for|in|with)\s", text)[0]
    if COMPOSE.unhelpful_heading.match(text) or not COMPOSE.lists.search(core) or COMPOSE.tips.search(core):
        return None
    return _listed(
        _lowered(text) if not text.isupper() else text.lower(), _is_plural_text(core), _within(item, item_shape)
    )


def with_label(label: Mapped, rest: Mapped, rest_shape: Shape) -> Mapped | None:
    """A labelled fragment (`Type 1: an autoimmune disease`) as a sentence."""
    name = label.text.strip(" :")
    if COMPOSE.range.match(name) and rest_shape.is_sentence and len(name.split()) <= 4:
        at = "" if COMPOSE.bound.match(name) else "At "
        return Mapped.join([at, label.strip(" :"), ", ", _within(rest, rest_shape)])  # "Under 3 months: call a doctor"
    if rest_shape.is_imperative and rest.text[:1].islower() and _is_plural_text(name) and not is_command(name):
        return Mapped.join([label, " ", rest])  # "ACE inhibitors: relax blood vessels"
    if rest_shape.is_sentence and not rest_shape.starts_with_verb:
        return None
    if COMPOSE.unhelpful_heading.match(name) or opening(f"{name}: x"):
        return None
    if rest_shape.starts_with_verb:
        return Mapped.join([label, " ", _within(rest, rest_shape)])
    if re.match(r"(?:to|for|in|with|without|by|if|when|from|on|at|not|up)\b", rest.text, re.IGNORECASE):
        return None
    if rest.text.lower().startswith(f"{name.lower()} "):
        return None  # "Research: Research online": a step whose command the parser took for a noun
    plural = _is_plural_text(name)
    if re.match(r"(?:an?|the)\s", rest.text, re.IGNORECASE) or re.match(r"[\d.,]+\s?\S", rest.text):
        verb = "are" if plural else "is"
    elif plural or COMPOSE.singular_list.search(name):
        verb = "include" if plural else "includes"
    else:
        verb = "is"
    return Mapped.join([label, f" {verb} ", _within(rest, rest_shape)])


def row_sentences(cells: tuple[Cell, ...]) -> list[Mapped]:
    """A table row as sentences: each cell is said of the first one, under its header (`The dose of Metformin is 500 mg`)."""
    if len(cells) < 2 or not _has_word(cells[0].text):
        return []
    subject, measured = cells[0].text.strip(" .:"), cells[0].header.strip(" :.?")
    of = "of"
    if measured and COMPOSE.range.match(subject.text):
        subject, of = Mapped.join([f"{measured} ", subject]), "for"  # "eGFR < 30"
    found: list[Mapped] = []
    for cell in cells[1:]:
        value, header = cell.text.strip(" .;"), cell.header.strip(" :.")
        if not _has_word(value) or value.text.lower() in {"n/a", "na"}:
            continue
        if is_command(value.text):
            found.append(Mapped.join(["For ", subject, ", ", _lower_first(value)]))
        elif len(value.text.split()) > 5 and value.text[0].isupper() and cell.text.text.rstrip().endswith("."):
            found.append(value)
        elif COMPOSE.no_noun.search(header):
            found.append(Mapped.join([subject, ' has "', _lower_first(value), f'" under "{header.rstrip(" ?")}"']))
        elif header:
            verb = "are" if _is_plural_text(header) else "is"
            found.append(Mapped.join([f"The {_lowered(header)} {of} ", subject, f" {verb} ", _lower_first(value)]))
        else:
            found.append(Mapped.join([subject, ": ", value]))
    return found


def _has_word(text: Mapped) -> bool:
    return any(character.isalnum() for character in text.text)


def _listed(text: str, plural: bool, item: Mapped) -> Mapped:
    return _joined(f"{text} {'include' if plural else 'includes'} ", item)


def _joined(before: str, item: Mapped) -> Mapped:
    return Mapped.join([before, item])


def _within(text: Mapped, shape: Shape) -> Mapped:
    """*text* as it is written within a sentence."""
    return text if shape.starts_with_name else _lower_first(text)


def _is_plural_text(text: str) -> bool:
    bare = re.sub(r"\s*\([^()]*\)", "", text)
    head = re.split(r"\s(?:of|for|in|with|that|to|from|associated|caused|related)\s", bare.strip())[0].split()
    word = head[-1].lower() if head else ""
    return (word.endswith("s") and not word.endswith(("ss", "us", "is"))) or word in {
        "people",
        "children",
        "women",
        "men",
        "criteria",
    }


def _lowered(text: str) -> str:
    word = re.match(r"\S+", text)
    if word is None or any(c.isupper() or c.isdigit() for c in word.group()[1:]):
        return text
    return text[:1].lower() + text[1:]


def _lower_first(text: Mapped) -> Mapped:
    lowered = _lowered(text.text)
    if lowered == text.text or len(lowered) != len(text.text) or text.text.startswith("I "):
        return text
    return Mapped(lowered, text.starts, text.ends)


def block_label(block: Block) -> tuple[Mapped | None, Mapped]:
    """Label and rest of a block's text."""
    return split_label(block.text, block.bold)
