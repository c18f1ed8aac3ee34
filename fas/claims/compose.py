"""Fragments made into sentences: list items with their lead-in or heading, labels, table rows.

Words that a sentence borrows from a lead-in, a heading or a table's header are marked as put in,
so that the span of a claim is the item, the row's cell or the labelled text itself.
"""

# ruff: noqa: E501 - word lists and patterns are easier to check on one line

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass

from fas.claims.frames import is_talk, opening
from fas.claims.headers import SUBJECT, VALUE, sentence_under
from fas.reading.blocks import Block, Cell
from fas.reading.commands import is_command
from fas.reading.mapped import Mapped

# A lead-in that ends in one of these words needs its item to be a sentence at all.
_DEMANDING = frozenset(
    "include includes including are is was were be as by with of for to from if when unless that cause causes should may can could "
    "might must not have has contain contains either in on at because and or involve involves like require requires need needs "
    "avoid mean means treat treats prevent prevents than who whose which while until before after experience notice develop do "
    "recommend recommends suggest suggests comprise comprises feel called against between also become becomes you e.g. via".split()
)
_LISTS = re.compile(
    r"\b(?:symptoms?|signs?|(?:side |adverse |common )?effects?|causes?|treatments?|therap(?:y|ies)|risk factors?|risks?|complications?|options?|"
    r"benefits?|uses?|types?|kinds?|forms?|examples?|triggers?|indications?|contraindications?|interactions?|precautions?|remed(?:y|ies)|"
    r"medications?|medicines?|drugs?|management|prevention|diagnosis|tests?|features?|ingredients?|sources?|reactions?|measures?|conditions?|"
    r"pros|cons|advantages|disadvantages|drawbacks|downsides|upsides|diseases?|disorders?|foods?|factors?|reasons?|changes|warnings|alternatives|brand names|exercises|techniques|methods|populations|groups|"
    r"patients|people|stages?|phases?|procedures?|criteria|consequences|manifestations|findings|problems)$",
    re.IGNORECASE,
)
_FOLLOWING = re.compile(
    r"(?<!\s)\s*+\b(?:(?:any|one|some|all|one or more|at least one|either|several|a few|any one)(?: or more)? of )?(?:the following|these|those)(?: \w+){0,3}$",
    re.IGNORECASE,
)
_THE_FOLLOWING_MAY = re.compile(
    r"^(?:the following|these)((?: (?!may\b|can\b|are\b|should\b|could\b|might\b|have\b|will\b|must\b|help\b)\w+){1,4}) ((?:may|can|could|might|should|must|will|are|have|help)\b.*)$",
    re.IGNORECASE,
)
_PRESENTED = re.compile(
    r"^(?:here are|here is|these are|below are|the following are|there are|there is|we have|you can find)\s+"
    r"(?:(?:some|a few|a couple|several|many|the|a number|various|a variety|multiple|certain|different|numerous|two|three|four|five|six|seven|eight|nine|ten|\d{1,2}|of|a list|main|most|a)\s+)*",
    re.IGNORECASE,
)
_TIPS = re.compile(
    r"\b(?:tips?|steps?|things?|ways?|suggestions?|ideas?|advice|guidelines?|points?|answers?|facts?|information|recommendations?|strategies|resources|questions?|instructions?|details|notes?)\b",
    re.IGNORECASE,
)
_CIRCUMSTANCE = re.compile(
    r"^(?:to|if|when|for|in|before|after|during|while|unless|with|at|on|once|as)\b", re.IGNORECASE
)
_CONDITIONAL = re.compile(r"^(?:if|when|whenever|unless|once)\b", re.IGNORECASE)
_LABEL = re.compile(r"^((?:[^:.!?;,–—()]|\([^()]{1,60}\)){2,70}?)(\s?:\s+|\s[–—-]{1,2}\s)(?=\S)")
_PLURAL_OBJECT = re.compile(
    r"\b(?:several|many|some|various|multiple|certain|different|other|numerous|following|common|serious|mild|severe|possible|potential|these|two|three|four|five|\w+) \w*(?:[^s']s|ia)$",
    re.IGNORECASE,
)
_UNHELPFUL_HEADING = re.compile(
    r"^(?:introduction|overview|summary|conclusion|background|notes?|references|sources|disclaimer|more|details|answer|results?|discussion|abstract|key points|takeaways?|description|general|general information|information|q|a|step \d+|option \d+|other|others|dos|don'ts|.*\?)$",
    re.IGNORECASE,
)
_VERB_LIKE_A_NOUN = re.compile(r"\w (?:lower|reduce|increase|prevent|improve|raise|help|affect) \w", re.IGNORECASE)
_SINGULAR_LIST = re.compile(r"(?:treatment|therapy|management|prevention|diagnosis|care|testing)$", re.IGNORECASE)
_STATE = re.compile(
    r"(?:(?:not|also|usually|generally|often|rarely) )*(?:safe|unsafe|contraindicated|recommended|effective|ineffective|available|approved|indicated|well tolerated|"
    r"useful|preferred|suitable|first[- ]line)\b(?! (?:is|are|was|were|can|may|should|dose|doses|options?|choice)\b)",
    re.IGNORECASE,
)
_EFFECTS = re.compile(
    r"\b(?:pros|cons|benefits?|advantages|disadvantages|drawbacks|downsides|upsides|effects?|risks?)$", re.IGNORECASE
)
_DO_NOT = re.compile(
    r"^(?:the )?(?:don'?ts?|do not|never|avoid)$|\b(?:what|things|mistakes) (?:not to do|to avoid)\b|\b(?:do|should|must|shall|can) not$"
    r"|(?:don't|shouldn't|mustn't|can't)$|\b(?:should|must) never$",
    re.IGNORECASE,
)
_FORBIDS = re.compile(r"(?:do not|don't|don’t|never|avoid|no|not)\b", re.IGNORECASE)
_BOUND = re.compile(r"[<>≤≥]|under|over|below|above|up to|at least|less|more|greater", re.IGNORECASE)
# "≥ 45", "30-44", "under 30", "65 years or older".
_RANGE = re.compile(
    r"(?:[<>≤≥=~]|at least|up to|less than|more than|greater than|under|over|below|above)\s*\d|\d[\d.,]*(?:\s*(?:[-–—+%<>≤≥]|to\b|or\b|and\b)|\s*$|\s+years?\b)",
    re.IGNORECASE,
)
# "Week 1-4": a row of a course of events measures nothing.
_OF_TIME = re.compile(
    r"\b(?:week|day|month|year|hour|minute|trimester|stage|step|phase|grade|time|date|no|number|rank|option|question)s?\b|#",
    re.IGNORECASE,
)


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
    match = _LABEL.match(text.text)
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
    return _DO_NOT.search(above.strip(" :.!").replace("’", "'")) is not None


def forbidden(above: Mapped | None, item: Mapped, item_shape: Shape) -> Mapped | None:
    """An item behind what forbids it, as a prohibition; None if it is one, or a statement, as it stands.

    Args:
        above: A label, which then belongs to the span; None for a lead-in or heading, which does not.
        item: `Give aspirin`, `Giving aspirin` or `Aspirin`.
        item_shape: What the parser says of it.
    """
    commands = is_command(item.text)
    if _FORBIDS.match(item.text) or (item_shape.is_statement and not commands):
        return None
    words = "Do not " if item_shape.is_imperative or commands else "Avoid "
    return Mapped.join([words if above is None else above.standing_for(words), _within(item, item_shape)])


def lists_effects(heading: str) -> bool:
    """Whether what stands under the heading is what something does, however much it reads like a command (`Benefits`)."""
    return _EFFECTS.search(heading.strip(" :.")) is not None


def allowing(label: str) -> bool:
    """Whether a label only says that what comes after it should be done (`Do:`)."""
    return re.fullmatch(r"(?:the )?do(?:'?s)?", label.strip(" :.!").replace("’", "'"), re.IGNORECASE) is not None


def demands_more(lead: str) -> bool:
    """Whether a lead-in is no sentence without its items."""
    words = re.findall(r"[\w.'-]+", lead.rstrip(" :"))
    return bool(words) and (words[-1].lower() in _DEMANDING or bool(_FOLLOWING.search(lead.rstrip(" :"))))


def with_lead(lead: Mapped, lead_shape: Shape, item: Mapped, item_shape: Shape) -> Mapped | None:
    """The item as the sentence that the lead-in begins; None if they make no sentence."""
    item = _within(item, item_shape)
    text = lead.text[opening(lead.text) :].rstrip(" :")
    if forbidding(text):
        return forbidden(None, item, item_shape)
    presented = _PRESENTED.match(text)
    if presented:
        text = text[presented.end() :]
        if _TIPS.search(text) or not text:
            return None
        return _listed(text, _is_plural_text(text), item)
    may = _THE_FOLLOWING_MAY.match(text)
    if may and not item_shape.is_sentence:
        return _listed(f"{may.group(1).strip()} that {may.group(2)}", True, item)
    words = text.split()
    if not words:
        return None
    if words[-1].lower() in _DEMANDING:
        return _joined(f"{text} ", item)
    following = _FOLLOWING.search(text)
    if following and _TIPS.search(following.group()):
        return None
    if following and not item_shape.is_sentence:
        before = text[: following.start()].rstrip()
        return _joined(f"{before} ", item) if before else None
    conditional = _CONDITIONAL.match(text) and "," not in text
    if conditional or (_CIRCUMSTANCE.match(text) and not lead_shape.is_statement):
        return _joined(f"{text}, ", item) if item_shape.is_sentence else None
    if item_shape.is_sentence or is_talk(lead.text):
        return None
    if (
        lead_shape.is_nominal
        and not lead_shape.is_sentence
        and _LISTS.search(text.split(" of ")[0].split(" for ")[0].split(" in ")[0])
    ):
        if _VERB_LIKE_A_NOUN.search(text):  # "four groups of drugs lower mortality": the verb was not seen
            return _joined(f"{text}, including ", item)
        return _listed(text, lead_shape.is_plural, item)
    if lead_shape.is_statement and _PLURAL_OBJECT.search(text) and not _TIPS.search(words[-1]):
        return _joined(f"{text} including ", item)
    return None


def with_heading(heading: Mapped, item: Mapped, item_shape: Shape) -> Mapped | None:
    """A fragment under a heading that names what is listed (`Symptoms`, `Treatment`), or that forbids it."""
    if forbidding(heading.text):
        return forbidden(None, item, item_shape)
    text = heading.text.rstrip(" :")
    core = re.split(r"\s(?:of|for|in|with)\s", text)[0]
    if _UNHELPFUL_HEADING.match(text) or not _LISTS.search(core) or _TIPS.search(core):
        return None
    return _listed(
        _lowered(text) if not text.isupper() else text.lower(), _is_plural_text(core), _within(item, item_shape)
    )


def with_label(label: Mapped, rest: Mapped, rest_shape: Shape) -> Mapped | None:
    """A labelled fragment (`Type 1: an autoimmune disease`) as a sentence."""
    name = label.text.strip(" :")
    if _RANGE.match(name) and rest_shape.is_sentence and len(name.split()) <= 4:
        at = "" if _BOUND.match(name) else "At "
        return Mapped.join([at, label.strip(" :"), ", ", _within(rest, rest_shape)])  # "Under 3 months: call a doctor"
    if rest_shape.is_imperative and rest.text[:1].islower() and _is_plural_text(name) and not is_command(name):
        return Mapped.join([label, " ", rest])  # "ACE inhibitors: relax blood vessels"
    if rest_shape.is_sentence and not rest_shape.starts_with_verb:
        return None
    if _UNHELPFUL_HEADING.match(name) or opening(f"{name}: x"):
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
    elif plural or _SINGULAR_LIST.search(name):
        verb = "include" if plural else "includes"
    else:
        verb = "is"
    return Mapped.join([label, f" {verb} ", _within(rest, rest_shape)])


def said_of_label(label: Mapped, fragment: Mapped) -> Mapped | None:
    """A fragment behind a labelled text (`Not safe in pregnancy.`), said of what the label names; None if it is no such."""
    name = label.text.strip(" :")
    if not _STATE.match(fragment.text) or is_command(name) or _UNHELPFUL_HEADING.match(name):
        return None
    return Mapped.join([label, " are " if _is_plural_text(name) else " is ", _lower_first(fragment)])


def row_sentences(cells: tuple[Cell, ...]) -> list[Mapped]:
    """A table row as sentences: the first cell is what the others speak of, under their headers."""
    if len(cells) < 2 or not re.search(r"\w", cells[0].text.text):
        return []
    measured = _measured(cells[0])
    subject = measured or cells[0].text.strip(" .:")
    found: list[Mapped] = []
    for cell in cells[1:]:
        value = cell.text.strip(" .;")
        header = cell.header.strip(" :.")
        if not re.search(r"\w", value.text) or (
            value.text.lower() in {"n/a", "na", "none", "-", "yes", "no", "unknown"} and not header
        ):
            continue
        if value.text.lower() in {"n/a", "na"}:
            continue
        condition = _measured(cells[0], " is")
        if condition is not None and is_command(value.text):
            found += [Mapped.join(["If ", condition, ", ", _lower_first(part)]) for part in _parts(value)]
        elif len(value.text.split()) > 5 and re.match(r"[A-Z]", value.text) and value.text.endswith("."):
            found.append(value)
        elif (pieces := sentence_under(header, value.text, plural=_is_plural_text(subject.text))) is not None:
            stated = {SUBJECT: subject, VALUE: _lower_first(value)}
            if pieces and VALUE not in pieces:  # "Yes" and "No" are in the verb
                stated[pieces[-1]] = value.said_as(pieces[-1])
            own = [stated.get(piece, piece) for piece in pieces]
            found.append(Mapped.join(own or [subject, f", {_lowered(header).rstrip(' ?')}: ", value]))
        elif header:
            header = header.rstrip(" ?")
            verb = "are" if _is_plural_text(header) else "is"
            of = " of " if measured is None else " for "
            found.append(Mapped.join([_the(header), of, subject, f" {verb} ", _lower_first(value)]))
        else:
            found.append(Mapped.join([subject, ": ", value]))
    return found


def _parts(text: Mapped) -> list[Mapped]:
    """What semicolons separate."""
    places = [0, *(match.end() for match in re.finditer(r";\s+", text.text)), len(text)]
    return [text.slice(start, end).strip(" ;") for start, end in itertools.pairwise(places)]


def _measured(cell: Cell, verb: str = "") -> Mapped | None:
    """A cell that holds a range, with what it measures: `eGFR < 30 mL/min` for `< 30` under `eGFR (mL/min)`."""
    header = re.fullmatch(r"([^()]+?)(?: ?\(([^()]+)\))?", cell.header.strip(" :."))
    value = cell.text.strip(" .:")
    if header is None or not _RANGE.match(value.text) or _OF_TIME.search(header.group(1)):
        return None
    unit = header.group(2) or ""
    return Mapped.join([f"{_lowered(header.group(1))}{verb} ", value, f" {unit}" if unit else ""])


def _the(header: str) -> str:
    return f"The {_lowered(header)}"


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
