"""UNKNOWN_DRUG: something that is advised like a drug and is in no list of names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from fas.records import Flag
from fas.safety.case import Case
from fas.safety.dictionary import is_english
from fas.safety.matcher import DrugMatcher, Mention
from fas.safety.reading import Statement
from fas.safety.text import Text

_STEMS = (
    r"(?:mab|nib|pril|sartan|statin|gliptin|floxacin|azole|cillin|gliflozin|olol|dipine|triptan|prazole|"
    r"oxetine|mycin|glutide|parin|xaban|vir|pram|azepam)"
)
_OBJECT = re.compile(
    r"\b(?i:take|taking|try|trying|use|using|start|starting|give|giving|prescribe|administer|begin|add|recommend|"
    r"suggest|consider|switch to|start with|need)[:\s*_]+"
    r"(?:(?:a|an|the|your|some|oral|daily|generic|with|on|to|dose|of|low-dose|once-daily|one|two|"
    r"tablets?|capsules?|course|\d+(?:\.\d+)?\s?(?:mg|mcg|g|ml|units?))\s+){0,6}"
    rf"(?P<word>[A-Z][a-z]{{4,}}[a-z]*|"
    rf"[A-Za-z]{{4,}}{_STEMS}|"
    r"[a-z]{6,}(?=[:,]?\s*\(?\d[\d,.]*\s?(?:mg|mcg|μg|g|units?|iu|ml)\b))\b"
    r"(?P<dose>[:,]?\s*\(?\d[\d,.]*\s?(?:-\s?\d+\s?)?(?:mg|mcg|μg|g|units?|iu|"
    r"ml)\b)?"
)
# "My pick: X", "Next in line: X"
_ANNOUNCED = re.compile(
    rf"\b(?i:pick|choice|option|answer|recommendation|suggestion|in line|next|tablet|medicine|drug|rx)\s*:[\s*_]*"
    rf"(?P<word>[A-Za-z]{{4,}}{_STEMS})\b(?P<dose>)"
)
# "* X 300 mg once daily": an order in a list.
_ORDERED = re.compile(
    rf"^(?:(?!\n)[\s*•·\-–])*+(?:\d{{1,2}}[.)]\s*)?[*_]*(?P<word>[A-Za-z]{{4,}}{_STEMS})[*_]*(?P<dose>\s*\(?\d[\d,.]*\s?(?:mg|mcg|g|units?)\b)",
    re.MULTILINE,
)
# "Yes, X 20 mg once daily is fine", "X 500 mg twice daily is the best option": a sentence that begins with the drug.
_SUBJECT = re.compile(
    r"(?<![\w-])(?P<word>[A-Z][a-z]{4,})[*_]*"
    r"(?P<dose>\s*\(?\d[\d,.]*\s?(?:mg|mcg|μg|g|units?|iu|ml)\b)"
    r"(?=[^.;?!]{0,40}\b(?i:once|twice|daily|nightly|weekly|every|times|a day|per day|each|at night|bedtime|"
    r"bd|bid|od|tds|tid|qid)\b)",
    re.MULTILINE,
)
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
    for match in (m for form in (_OBJECT, _ANNOUNCED, _ORDERED, _SUBJECT) for m in form.finditer(text.plain)):
        word, start = match["word"], match.start("word")
        if match.re is _SUBJECT and is_english(word.lower()):
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
    """Whether the reader is told to use it: an instruction, or a permission with the dose beside the name."""
    if statement.directive.strength == "strong":
        return True
    plain = case.reading.text.plain
    after = plain[statement.mention.end : statement.mention.end + 30]
    return statement.directive.strength == "weak" and re.match(r"[*_]*\s*\(?\d", after) is not None


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
