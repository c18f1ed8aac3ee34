"""Rules that turn a true statement into a false one: negation, number, drug, direction.

Each rule offers edits of one sentence, read with the embedded parser, of expert answers, whose statements may be taken
as true: the negation, another quantity, a drug of another class or the opposite direction is then false. No rule
touches a conditional clause ("if the pain is severe"): another condition need not be false. A rule offers nothing
rather than break the grammar.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from importlib.resources import files
from random import Random
from typing import TYPE_CHECKING, NamedTuple

from fas.bench.negate import KINDS, Edit, Kind, end_of, match_case, negations
from fas.core.loading import load_once
from fas.models.parser import parse_text
from fas.text.sentences import sentence_spans

__all__ = ["KINDS", "Edit", "Kind", "draw_edit", "edits", "read_statements"]

if TYPE_CHECKING:
    from spacy.tokens import Token


def edits(kind: Kind, sentence: Sequence[Token], text: str, rng: Random) -> list[Edit]:
    """The edits of one kind that *sentence* allows, in the order of the text; *rng* draws new numbers and drugs."""
    heads = [t.head for t in sentence if t.lower_ in _CONDITIONS and t.head != t]
    frozen = {t.i for head in heads if head.dep_ != "ROOT" for t in head.subtree}  # conditional clauses
    tokens = [token for token in sentence if token.i not in frozen]
    if kind == "negation":
        return list(negations(tokens, text))
    if kind == "direction":
        return list(_turn_directions(tokens, text))
    return list(_change_numbers(tokens, text, rng) if kind == "number" else _swap_drugs(tokens, text, rng))


def read_statements(text: str) -> Iterator[tuple[str, list[Token]]]:
    """The sentences of *text* that say something: with a verb and at least three words, and no question mark."""
    doc = parse_text(text)
    for start, end in sentence_spans(text):
        tokens = [token for token in doc if start <= token.idx < end and not token.is_space]
        if tokens and _is_statement(tokens):
            yield text[start:end], tokens


def draw_edit(kinds: Sequence[Kind], sentence: Sequence[Token], text: str, rng: Random) -> Edit | None:
    """An edit of one of *kinds*, each of those that *sentence* allows as likely; None where it allows none."""
    offers = [found for kind in kinds if (found := edits(kind, sentence, text, rng))]
    return rng.choice(rng.choice(offers)) if offers else None


def _is_statement(sentence: Sequence[Token]) -> bool:
    words = [token for token in sentence if token.text[0].isalnum()]
    verbs = any(token.tag_.startswith("VB") or token.tag_ == "MD" for token in sentence)
    return len(words) >= 3 and verbs and not sentence[-1].text.endswith("?")


# --- numbers ----------------------------------------------------------------------------------

_UNITS = (
    r"(?:%|percent\b|(?:mg|mcg|µg|kg|g|ml|mL|cm|mm|IU|units?|hours?|days?|weeks?|months?|years?|minutes?|times|"
    r"patients|women|men|children|people|adults|doses|tablets|cups|glasses|pounds|calories|mmHg)\b)"
)
_NUMBER = re.compile(
    r"(?<![\w.,/$+–—-])(?P<low>\d{1,4}(?:\.\d+)?)(?:\s?(?:-|–|to)\s?(?P<high>\d{1,4}(?:\.\d+)?))?(?=[\s-]?"
    + _UNITS
    + ")"
)
_WORDS = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "twelve")
_NUMBER_WORD = re.compile(rf"\b(?P<low>{'|'.join(_WORDS)})(?=[\s-]{_UNITS})", re.IGNORECASE)
_FACTORS = (2, 3, 4, 5, 0.5, 0.25)
# Part of a name, or after an article that another number may not fit ("an 8-hour fast").
_UNFIT = re.compile(r"\b(?:type|types|phase|grade|stage|vitamin|omega|group|class|covid|year|an?)\W*$", re.IGNORECASE)


def _change_numbers(tokens: Sequence[Token], text: str, rng: Random) -> Iterator[Edit]:
    covered = [range(token.idx, end_of(token)) for token in tokens]
    for match in _NUMBER.finditer(text, covered[0].start if covered else 0, covered[-1].stop if covered else 0):
        if not any(match.start() in part for part in covered) or _UNFIT.search(text[: match.start()][-20:]):
            continue
        # Nobody is 130 years old, and nothing is 130 percent of a whole.
        most = 99 if re.match(r"[\s-]?(?:%|percent|years?)", text[match.end() :]) else 999
        factors = [f for f in _FACTORS if _scale_range(match["low"], match["high"], f, most=most)]
        if factors:
            low, high = _scale_range(match["low"], match["high"], rng.choice(factors), most=most) or ("", "")
            after = low if not high else match[0].replace(match["low"], "\0", 1).replace(match["high"], high, 1)
            yield Edit("number", match.start(), match.end(), after.replace("\0", low))
    for match in _NUMBER_WORD.finditer(text):
        if any(match.start() in part for part in covered) and not _UNFIT.search(text[: match.start()][-20:]):
            word = match[0].lower()
            others = [other for other in _WORDS if abs(_WORDS.index(other) - _WORDS.index(word)) >= 3]
            yield Edit("number", match.start(), match.end(), match_case(match[0], rng.choice(others)))


def _scale_range(low: str, high: str | None, factor: float, *, most: int) -> tuple[str, str] | None:
    """Both ends times *factor*, written as they were; None where that is no sensible other number."""
    written = []
    for number in filter(None, (low, high)):
        value = float(number) * factor
        written.append(f"{value:.{len(number.partition('.')[2])}f}")
        # One of a thing would be singular, and four digits read as a year.
        if float(number) in (0.0, 1.0) or float(written[-1]) != value or not 1 < value <= most or float(number) > 999:
            return None
    return written[0], written[-1] if high else ""


# --- drugs and directions ---------------------------------------------------------------------


class _Drug(NamedTuple):
    name: str
    group: str
    form: str


def _swap_drugs(tokens: Sequence[Token], text: str, rng: Random) -> Iterator[Edit]:
    table = _load_drugs()
    present = {token.lower_ for token in tokens[0].doc} if tokens else set()
    for token in tokens:
        drug = table.get(token.lower_)
        # A name in brackets after it would give the change away, and one that comes twice would stay.
        once = sum(other.lower_ == token.lower_ for other in tokens) == 1
        if drug is None or not once or _is_compound(token, text) or text[end_of(token) :].lstrip().startswith("("):
            continue
        others = [
            other.name
            for other in table.values()
            if other.form == drug.form
            and other.group != drug.group
            and other.name.lower() not in present
            and (other.name[0].lower() in "aeiou") == (drug.name[0].lower() in "aeiou")
        ]
        yield Edit("drug", token.idx, end_of(token), match_case(token.text, rng.choice(others)))


_COMPARED = frozenset("no any more less most least".split())


def _turn_directions(tokens: Sequence[Token], text: str) -> Iterator[Edit]:
    table = _load_directions()
    for token in tokens:
        before = text[: token.idx].lower().split()[-1:]
        # "No longer" is no comparison, and of "less common" the comparison is turned, not the adjective.
        if _is_compound(token, text) or (before and before[0] in _COMPARED):
            continue
        # "Prevents it from spreading" has no opposite with "causes".
        if token.lower_.startswith("prevent") and any(t.lower_ == "from" and t.i > token.i for t in tokens):
            continue
        following = token.nbor().tag_ if token.i + 1 < len(token.doc) else ""
        for opposite, tags, then in table.get(token.lower_, ()):
            if (not tags or token.tag_ in tags) and following.startswith(then):
                yield _fit_article(token, match_case(token.text, opposite), text)
                break


def _fit_article(token: Token, after: str, text: str) -> Edit:
    """The edit, with "a" or "an" before it put right."""
    before = token.doc[token.i - 1] if token.i else None
    if before is not None and before.lower_ in ("a", "an") and text[end_of(before) : token.idx] == " ":
        article = "an" if after[0].lower() in "aeiou" else "a"
        return Edit("direction", before.idx, end_of(token), f"{match_case(before.text, article)} {after}")
    return Edit("direction", token.idx, end_of(token), after)


@load_once()
def _load_drugs() -> dict[str, _Drug]:
    return {row[0].lower(): _Drug(*row) for row in _read_rows("corrupt_drugs.tsv")}


@load_once()
def _load_directions() -> dict[str, list[tuple[str, tuple[str, ...], str]]]:
    table: dict[str, list[tuple[str, tuple[str, ...], str]]] = {}
    for word, opposite, *rest in _read_rows("corrupt_directions.tsv"):
        tags, then = [*rest, "", ""][:2]
        table.setdefault(word, []).append((opposite, tuple(tags.split()), then))
    return table


def _read_rows(name: str) -> list[list[str]]:
    lines = (files("fas.bench") / name).read_text(encoding="utf-8").splitlines()
    return [line.split("\t") for line in lines if line and not line.startswith("#")]


# --- what the rules share ---------------------------------------------------------------------

_CONDITIONS = frozenset(("if", "unless", "whether", "when", "whenever"))


def _is_compound(token: Token, text: str) -> bool:
    """Part of a compound: high-risk, non-benign."""
    return text[: token.idx].endswith(("-", "/")) or text[end_of(token) :].startswith(("-", "/"))
