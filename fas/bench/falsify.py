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
from typing import TYPE_CHECKING, Literal, NamedTuple

from fas.core.loading import load_once
from fas.models.parser import parse_text
from fas.text.sentences import sentence_spans

if TYPE_CHECKING:
    from spacy.tokens import Token

Kind = Literal["negation", "number", "drug", "direction"]
KINDS: tuple[Kind, ...] = ("negation", "number", "drug", "direction")


class Edit(NamedTuple):
    """Replace `text[start:end]` by `after`; offsets are code points of the whole answer."""

    kind: Kind
    start: int
    end: int
    after: str


def edits(kind: Kind, sentence: Sequence[Token], text: str, rng: Random) -> list[Edit]:
    """The edits of one kind that *sentence* allows, in the order of the text; *rng* draws new numbers and drugs."""
    heads = [t.head for t in sentence if t.lower_ in _CONDITIONS and t.head != t]
    frozen = {t.i for head in heads if head.dep_ != "ROOT" for t in head.subtree}  # conditional clauses
    tokens = [token for token in sentence if token.i not in frozen]
    if kind == "negation":
        return list(_negate(tokens, text))
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


# --- negation: the verb and its auxiliaries are found in the parse ------------------------------

_NEGATORS = frozenset("not n't never no none nothing nobody neither nor cannot hardly rarely seldom without".split())
# "Some are not" does not contradict "some are".
_PARTIAL = frozenset("some few several many certain any either both each another other others".split())
_WEAK_MODALS = frozenset(("may", "might", "could"))
_FINITE = frozenset("is are was were has have had does do did can should must will would shall".split())
_UNMOVED = frozenset("sometimes only both either still already ever just not".split())
# "Not only", "not necessarily": taking the negation away changes nothing, or breaks the sentence.
_SCOPED = frozenset("only necessarily just always all every yet usually typically enough so too merely".split())
_IRREGULAR = {"has": "have", "goes": "go", "does": "do", "had": "have", "found": "find", "led": "lead", "gave": "give"}
_IRREGULAR |= {"became": "become", "began": "begin", "took": "take", "made": "make", "came": "come", "got": "get"}


def _negate(tokens: Sequence[Token], text: str) -> Iterator[Edit]:
    """Edits that turn what *tokens*, a sentence without its conditional clauses, say into the opposite; at most one."""
    root = _find_root(tokens)
    if root is None:
        return
    inside = {token.i: token for token in tokens}
    subjects = [child for child in root.children if child.dep_.startswith(("nsubj", "csubj"))]
    if any(child.dep_ == "expl" for child in root.children):
        return
    if any(token.lower_ in _PARTIAL for subject in subjects for token in subject.subtree):
        return
    negators = [inside[t.i] for t in root.subtree if t.lower_ in _NEGATORS and t.i in inside]
    # The word that carries tense: the first auxiliary, else the copula, else the verb itself.
    helpers = (child for child in root.children if child.dep_.startswith(("aux", "cop")) and child.i < root.i)
    finite = next(helpers, root)
    if finite.i not in inside:
        return
    if negators:
        if len(negators) == 1 and negators[0].lower_ == "not":
            yield from _remove_negation(finite, negators[0], text)
    elif finite.lower_ in _WEAK_MODALS:
        yield Edit("negation", finite.idx, _end_of(finite), _match_case(finite.text, "cannot"))
    elif finite.lower_ in _FINITE and (finite != root or root.lower_ in ("is", "are", "was", "were")):
        after = finite.nbor() if finite.i + 1 < len(finite.doc) else None
        if after is None or after.lower_ in _UNMOVED:
            return
        # "is also used" becomes "is also not used".
        last = after if after.lower_ == "also" else finite
        joined = "not" if finite.lower_ == "can" and last == finite else " not"
        yield Edit("negation", finite.idx, _end_of(last), text[finite.idx : _end_of(last)] + joined)
    else:
        before = [subject.right_edge for subject in subjects if subject.i < root.i]
        # A comma in between: the verb is probably a participle ("warts, also called condylomas").
        apart = any("," in text[_end_of(edge) : root.idx] for edge in before)
        yield from _negate_with_do(root, tokens, has_subject=bool(before) and not apart)


def _find_root(tokens: Sequence[Token]) -> Token | None:
    inside = {token.i for token in tokens}
    first = next((token for token in tokens if token.head == token or token.head.i not in inside), None)
    return first if first is not None and first.head == first else None


def _remove_negation(finite: Token, negator: Token, text: str) -> Iterator[Edit]:
    """Take "not" away."""
    after = negator.nbor() if negator.i + 1 < len(negator.doc) else None
    if negator.i != finite.i + 1 or after is None or after.lower_ in _SCOPED or "," in text[finite.idx : after.idx]:
        return
    if finite.lower_ in ("do", "does") and after.tag_ in ("VB", "VBP") and after.text.isalpha():
        plain = after.lower_ if finite.lower_ == "do" else _inflect(after.lower_)
        yield Edit("negation", finite.idx, _end_of(after), _match_case(finite.text, plain))
    elif finite.lower_ in _FINITE:
        yield Edit("negation", finite.idx, _end_of(negator), finite.text)


def _negate_with_do(root: Token, tokens: Sequence[Token], *, has_subject: bool) -> Iterator[Edit]:
    """Negate a verb that stands alone."""
    word = root.lower_
    if not word.isalpha():
        return
    if root.tag_ == "VB" and not has_subject and root == tokens[0]:
        yield Edit("negation", root.idx, _end_of(root), _match_case(root.text, f"do not {word}"))
    elif has_subject and root.tag_ == "VBP" and root.lemma_.lower() == word:
        yield Edit("negation", root.idx, _end_of(root), f"do not {word}")
    elif has_subject and root.tag_ in ("VBZ", "VBD"):
        lemma = _IRREGULAR.get(word) or _uninflect(word, root.lemma_.lower(), past=root.tag_ == "VBD")
        if lemma:
            yield Edit("negation", root.idx, _end_of(root), f"{'does' if root.tag_ == 'VBZ' else 'did'} not {lemma}")


def _uninflect(word: str, lemma: str, *, past: bool) -> str | None:
    """The lemma, if *word* is a regular form of it."""
    forms = {lemma + "ed", lemma + "d", lemma[:-1] + "ied", lemma + lemma[-1:] + "ed"} if past else set()
    return lemma if word in (forms or {_inflect(lemma)}) else None


def _inflect(verb: str) -> str:
    """The form after he, she, it.

    >>> [_inflect(verb) for verb in ("cause", "carry", "pass", "have")]
    ['causes', 'carries', 'passes', 'has']
    """
    if verb in ("have", "be"):
        return {"have": "has", "be": "is"}[verb]
    if verb.endswith(("s", "x", "z", "ch", "sh", "o")):
        return verb + "es"
    return verb[:-1] + "ies" if verb.endswith("y") and verb[-2:-1] not in "aeiou" else verb + "s"


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
    covered = [range(token.idx, _end_of(token)) for token in tokens]
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
            yield Edit("number", match.start(), match.end(), _match_case(match[0], rng.choice(others)))


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
        if drug is None or not once or _is_compound(token, text) or text[_end_of(token) :].lstrip().startswith("("):
            continue
        others = [
            other.name
            for other in table.values()
            if other.form == drug.form
            and other.group != drug.group
            and other.name.lower() not in present
            and (other.name[0].lower() in "aeiou") == (drug.name[0].lower() in "aeiou")
        ]
        yield Edit("drug", token.idx, _end_of(token), _match_case(token.text, rng.choice(others)))


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
                yield _fit_article(token, _match_case(token.text, opposite), text)
                break


def _fit_article(token: Token, after: str, text: str) -> Edit:
    """The edit, with "a" or "an" before it put right."""
    before = token.doc[token.i - 1] if token.i else None
    if before is not None and before.lower_ in ("a", "an") and text[_end_of(before) : token.idx] == " ":
        article = "an" if after[0].lower() in "aeiou" else "a"
        return Edit("direction", before.idx, _end_of(token), f"{_match_case(before.text, article)} {after}")
    return Edit("direction", token.idx, _end_of(token), after)


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
    return text[: token.idx].endswith(("-", "/")) or text[_end_of(token) :].startswith(("-", "/"))


def _end_of(token: Token) -> int:
    """One past the token's last character."""
    return int(token.idx + len(token.text))


def _match_case(model: str, word: str) -> str:
    """*word* with the capitals of *model*.

    >>> _match_case("Take", "do not take"), _match_case("IBUPROFEN", "codeine"), _match_case("aspirin", "NSAIDs")
    ('Do not take', 'CODEINE', 'NSAIDs')
    """
    if len(model) > 1 and model.isupper():
        return word.upper()
    return word[0].upper() + word[1:] if model[0].isupper() else word
