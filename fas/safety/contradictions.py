"""SELF_CONTRADICTION: a drug recommended and, under the same conditions, forbidden."""

from __future__ import annotations

import re
from collections.abc import Sequence

from fas.records import Flag
from fas.safety.case import Case
from fas.safety.facts import find_conditions
from fas.safety.reading import Statement

_FORBIDS = re.compile(
    r"\b(?:avoid\w*|stop\w*|discontinu\w+|contra-?indicated|unsafe|dangerous|stay away|refrain|"
    r"(?:not|never|cannot|nobody should)(?: \w+){0,3}? (?:take|taking|use|using|used|be|give|given|start|try|"
    r"recommend\w*|safe|suitable|appropriate|touch|an option))\b|\binstead of\b|\brather than\b|\bnever\b|"
    r"n't(?: \w+){0,3}? (?:take|use|be|give|start|try|touch|have)\b|"
    r"\bout of the question\b|\boff the table\b|\bwrong (?:drug|medicine|choice|tablet|thing)\b|\bleave it out\b|"
    r"\b(?:advise|recommend|argue|speak)s? against\b",
    re.IGNORECASE,
)


_PURPOSE = re.compile(
    r"(?:\s+(?:(?:should|must|may|can) ?(?:not|n't|never)|cannot) be (?:used|taken|given|started|tried)|"
    r"\s+(?:is|are) (?:not (?:an? )?(?:\w+ )?(?:suitable|safe|right|recommended|appropriate|option|choice)|"
    r"unsuitable|unsafe|"
    r"contra-?indicated)|\s+(?:should|must) be avoided)?"
    r"(?:\s++at all)?\s++(?P<words>(?:for|against|in|while|during|to)\b[^,.;:!?()]{2,60}?)"
    r"(?:\s*+[.!]?\s*+$|\s*,? (?:so|and (?:should|must|is|are)|as|because|since|however|"
    r"no matter|even|whatever|which|it)\b)",
    re.IGNORECASE,
)
_LIMIT = re.compile(
    r"\b(?:if|unless|until|when|only|except|longer|more than|over|days?|weeks?|months?|together|combin\w+|with|"
    r"at the same "
    r"time|alone|empty|first|other|another|too|again|instead|beyond|exceed\w*)\b",
    re.IGNORECASE,
)
_SOMEBODY_ELSE = re.compile(
    r"\b(?:your|his|her|the) (?:husband|wife|partner|son|daughter|child|children|kids?|mother|father|mum|mom|dad|baby|"
    r"sister|brother|friend|parents?|grand\w+)\b",
    re.IGNORECASE,
)
_TIME = re.compile(r"\b(?:until|once|after|as long as) (?:your|the) \w+", re.IGNORECASE)
_IF_YOU_HAVE = re.compile(
    r"(?:\s++(?:altogether|completely|entirely|at all))?\s++(?:if you (?:have|are|'re)|while you (?:have|are|'re))\s+"
    r"(?P<words>[^,.;:!?()]{3,40}?)\s*+[.!]?\s*+$",
    re.IGNORECASE,
)
_PEOPLE = re.compile(
    r"\b(?:avoid|not (?:to )?(?:take|use)) (?:in|during|while|with|"
    r"when) (?P<led>[^:.;]{3,40}): ?(?:[\w ()-]+(?:,|,? and|,? or) )*$|"
    r"\b(?:with|in|during|while|if you (?:have|are)) (?P<more>[^,.;:]{3,40}?),? (?:then )?you (?:(?:should|must|"
    r"can|may) ?"
    r"(?:not|n't|never)|cannot)(?: ever)? (?:take|use|be given|be on|have|start) $|"
    r"\b(?:people|anyone|patients?|those|adults|women|men|children|nobody|no one) (?:with|who (?:have|has|are|is)) "
    r"(?P<words>[^,.;:]{3,60}?)(?:, including you,)? (?:(?:should|must|can|may) ?(?:not|n't|never)|cannot|"
    r"should|(?:should|must) avoid)"
    r"(?: ever)?(?: (?:take|use|be given|be on|have|start|taking|using))? $|"
    r"\b(?P<other>[\w-]{5,}) (?:mothers|women|people|patients|adults|men|children) (?:(?:should|must|can|may) ?"
    r"(?:not|n't|never)|cannot)(?: ever)? (?:take|use|be given|have) $",
    re.IGNORECASE,
)
_READER = re.compile(
    r"\bin your (?:case|situation)\b|\bfor (?:you|him|her)\b|\b(?:you|he|she|they) (?:\w+ )?(?:(?:should|must|"
    r"may|can|need|"
    r"ought) ?(?:not|n't|never)|cannot|ca n't|should (?:\w+ly )?(?:avoid|stay|steer|leave|skip|stop)|"
    r"must (?:avoid|stop)|"
    r"(?:need|have|ought) to (?:avoid|stay|steer|skip|stop)|had better not)\b|\b(?:you|he|she) (?:shouldn't|"
    r"mustn't|can't|"
    r"needn't|may not)|"
    r"\bwith (?:your|his|her) (?!doctor|gp|physician|pharmacist)\w+|"
    r"\b(?:ask|want|urge|advise|tell|beg|like) (?:you|him|her) not to\b|\bnot want (?:you|him|her) to\b|"
    r"\bi (?:\w+ )?(?:advise|recommend|am|'m|would advise|'d advise) against\b",
    re.IGNORECASE,
)
_ONLY_THEN = re.compile(
    r"\b(?:if|unless|when|whenever|while taking|together|combin\w+|at the same time|alongside|instead|more than|longer|"
    r"over \d|above|exceed\w*|alone|empty|another|again|too|both|daily|tonight|today|within|before|after|driv\w+|first|"
    r"other|extra|double|abruptly|suddenly|until (?!your|you|he|she|they)|with (?!his|her|your|their))\b",
    re.IGNORECASE,
)
_EMPTY = frozenset(
    "kind kinds sort type of such have has are being who with for against while during the your you his her this that "
    "and all any an it".split()
)


def contradictions(case: Case, flags: Sequence[Flag]) -> list[Flag]:
    """One flag for each drug that the answer both advises and forbids; *flags* are those raised already."""
    taken = {flag.drug for flag in flags if flag.status == "inconsistent"}
    found = []
    for statement in case.positive:
        if statement.directive.in_entry:
            continue  # it says for whom, and tells nobody to take it
        drug = statement.mention.lead
        mention = statement.mention
        if not _is_told(case, statement) or drug in taken or mention.pronoun or mention.class_key:
            continue
        for other in case.negative:
            if (
                other.mention.lead != drug
                or other.segment == statement.segment
                or other.mention.text.lower() in ("it", "them", "this")
                or not _FORBIDS.search(
                    f"{case.reading.segments[other.segment].heading} {case.reading.text.plain[slice(*other.span)]}"
                )
            ):
                continue
            if _another(case, other) and not _another(case, statement):
                continue
            forbidden = _conditions_of(case, other)
            shared = {key for key in forbidden if statement.patient.has(key)}
            if _is_quoted(case, other):
                continue
            if (
                statement.directive.compatible
                and (not shared or _is_combination(case, other))
                and not _same_purpose(case, statement, other)
            ):
                continue
            bare = (
                other.directive.bare and not forbidden and not (_qualified(case, statement) or _qualified(case, other))
            )
            if shared or bare or _meant_for_the_reader(case, statement, other) or _same_purpose(case, statement, other):
                taken.add(drug)
                target = min(shared, default=None)
                against = case.reading.text.plain[slice(*other.span)].strip()
                message = f"tells the reader to use {drug} and elsewhere not to ({against!r})"
                found.append(case.flag("SELF_CONTRADICTION", statement, drug, target, "medium", message))
                break
    return found


def _another(case: Case, statement: Statement) -> bool:
    """Whether the sentence is about somebody else than the reader."""
    return _SOMEBODY_ELSE.search(_TIME.sub(" ", case.reading.segments[statement.segment].text)) is not None


def _same_purpose(case: Case, statement: Statement, other: Statement) -> bool:
    """Whether the drug is forbidden for what it was advised for, in the same words and without any other limit."""
    segment = case.reading.segments[other.segment]
    tail = case.reading.text.plain[other.mention.end : segment.end]
    match = _PURPOSE.match(tail)
    if match is not None and _LIMIT.search(segment.text):
        return False
    if match is None and (same := _IF_YOU_HAVE.match(tail)) is not None and not _qualified(case, statement):
        advised = {_stem(w) for w in re.findall(r"[a-z]{3,}", case.reading.segments[statement.segment].text.lower())}
        return {_stem(w) for w in re.findall(r"[a-z]{3,}", same["words"].lower())} - _EMPTY <= advised
    if match is None and (re.fullmatch(r"(?: at all| ever)?[\s.!\"')*]*", tail) or ":" in segment.text):
        # "People with an underactive thyroid should never take §."
        match = _PEOPLE.search(case.reading.text.plain[segment.start : other.mention.start])
    if match is None or _qualified(case, statement):
        return False
    words = match.groupdict()
    purpose = {
        _stem(word)
        for word in re.findall(
            r"[a-z]{3,}", (words.get("words") or words.get("more") or words.get("other") or words["led"]).lower()
        )
    } - _EMPTY
    # What the question names is what the answer advises it for.
    given = f"{case.reading.segments[statement.segment].text} {case.reading.question}".lower()
    return bool(purpose) and purpose <= {_stem(word) for word in re.findall(r"[a-z]{3,}", given)}


def _meant_for_the_reader(case: Case, statement: Statement, other: Statement) -> bool:
    """Whether the drug is forbidden to the reader for a reason ("with your heart, no X"), not on a condition."""
    if _qualified(case, statement) or statement.directive.compatible:
        return False
    text = case.reading.segments[other.segment].text
    return _READER.search(text) is not None and _ONLY_THEN.search(text) is None


def _is_told(case: Case, statement: Statement) -> bool:
    """Whether the drug is advised: in so many words, or by its amount and how often."""
    doses = case.reading.doses[statement.segment]
    return statement.directive.strength == "strong" or bool(doses.amounts and doses.frequencies)


def _is_quoted(case: Case, statement: Statement) -> bool:
    """Whether the drug stands in quotation marks: somebody else says so."""
    segment = case.reading.segments[statement.segment]
    before = case.reading.text.plain[segment.start : statement.mention.start]
    return before.count('"') % 2 == 1


def _is_combination(case: Case, statement: Statement) -> bool:
    return "combin" in case.reading.segments[statement.segment].text.lower()


def _stem(word: str) -> str:
    return re.sub(r"(?:ing|s|e)$", "", word)


def _conditions_of(case: Case, statement: Statement) -> set[str]:
    segment = case.reading.segments[statement.segment]
    return {key for key, _, _ in find_conditions(segment.text, case.book.conditions)}


def _qualified(case: Case, statement: Statement) -> bool:
    text = case.reading.segments[statement.segment].text
    return bool(re.search(r"\b(?:if|unless|when|until|only)\b", text, re.IGNORECASE))
