"""UNKNOWN_DRUG: something that is advised like a drug and is in no list of names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from fas.reading.pattern_tables import patterns_of
from fas.records import Flag
from fas.safety.case import Case
from fas.safety.cues import CUES
from fas.safety.dictionary import is_english
from fas.safety.matcher import DrugMatcher, Mention
from fas.safety.offered import OFFERED
from fas.safety.reading import Statement
from fas.safety.text import Text

UNKNOWN = patterns_of(__file__)
_STEMS = UNKNOWN.part("STEMS")
_ORDINARY = frozenset(
    "vitamin vitamins tablet tablets capsule capsules water medicine medication medications calcium "
    "magnesium insulin antibiotic antibiotics iron protein "
    "omega probiotic probiotics herbal generic children childrens infant extra strength regular plus "
    "maximum multivitamin fluids electrolyte electrolytes "
    "april chamomile ginger turmeric garlic honey caution these those other either every nasal "
    "saline ibuprofen doctor approximately about around "
    "inject inhale prescribe administer swallow apply spray dissolve continue increase reduce repeat "
    "ashwagandha rhodiola valerian spirulina psyllium berberine boswellia ginkgo ginseng quercetin curcumin evening "
    "primrose echinacea collagen creatine fiber sodium potassium zinc selenium chromium".split()
)


def strangers(text: Text, matcher: DrugMatcher, known: Sequence[Mention]) -> list[Mention]:
    """Words in the place of a drug, with a dose or a drug's ending, that are no known name and not near one.

    Args:
        text: The answer.
        matcher: The names.
        known: The drugs found in it.
    """
    taken = {at for mention in known for at in range(mention.start, mention.end)}
    words: set[str] = set()
    for match in (
        m
        for form in (UNKNOWN.object, UNKNOWN.announced, UNKNOWN.ordered, UNKNOWN.subject)
        for m in form.finditer(text.plain)
    ):
        word, start = match["word"], match.start("word")
        if match.re is UNKNOWN.subject and is_english(word.lower()):
            continue  # "Inject 0.25 mg once weekly"
        stem = re.search(rf"{_STEMS}$", word, re.IGNORECASE) is not None and len(word) >= 7
        if not (match["dose"] or stem) or word.lower() in _ORDINARY or start in taken:
            continue
        # In lower case and without a drug's ending, any word of the language may stand there ("use about 5 mg").
        if word.islower() and not stem and is_english(word):
            continue
        if not matcher.knows(word) and not matcher.nearby(word):
            words.add(word.lower())
    if not words:
        return []
    every = re.compile(rf"\b(?:{'|'.join(sorted(map(re.escape, words)))})\b", re.IGNORECASE)
    return [
        Mention(match.start(), match.end(), match.group())
        for match in every.finditer(text.plain)
        if match.start() not in taken
    ]


def _is_told(case: Case, statement: Statement) -> bool:
    """Whether the reader is told to use it: an instruction, or its dose beside the name.

    Where no words of advice were found, how often must be told too, in the answer's own voice.
    """
    strength = statement.directive.strength
    if strength == "strong":
        return True
    plain = case.reading.text.plain
    if UNKNOWN.dose_beside.match(plain, statement.mention.end) is None:
        return False
    segment = case.reading.segments[statement.segment]
    before = segment.text[: statement.mention.start - segment.start]
    regimen = bool(case.reading.doses[statement.segment].frequencies)
    elsewhere = (
        segment.text.rstrip().endswith("?")
        or CUES.reported.search(segment.text)
        or OFFERED.story.search(before)
        or OFFERED.in_use.search(before)
    )
    return strength == "weak" or (regimen and not elsewhere)


def unknown(case: Case) -> Iterator[Flag]:
    """One flag for each name that is advised like a drug and is in no list of drug names."""
    seen: set[str] = set()
    for statement in case.reading.strangers:
        word = statement.mention.text
        directive = statement.directive
        if not _is_told(case, statement) or directive.polarity != "positive" or word.lower() in seen:
            continue
        seen.add(word.lower())
        first, last = case.reading.text.span(statement.mention.start, statement.mention.end)
        yield Flag(
            "UNKNOWN_DRUG", "UNKNOWN_DRUG", word.lower(), None, None, first, last, "medium", None, None, None,
            f"tells the reader to use {word!r}, which is in no list of drug names known here",
        )  # fmt: skip
