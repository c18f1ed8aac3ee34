"""UNKNOWN_DRUG: something with a dose or a drug's ending that is in no list of names."""

from __future__ import annotations

import re
from collections.abc import Iterator

from fas.records import Flag
from fas.safety.case import Case
from fas.safety.matcher import DrugMatcher

_STEMS = (
    r"(?:mab|nib|pril|sartan|statin|gliptin|floxacin|azole|cillin|gliflozin|olol|dipine|triptan|prazole|"
    r"oxetine|mycin|glutide|parin|xaban|vir|pram|azepam)"
)
_OBJECT = re.compile(
    r"\b(?i:take|taking|try|trying|use|using|start|starting|give|giving|prescribe|begin|add|recommend|"
    r"suggest|consider|switch to|start with|need)\s+"
    r"(?:(?:a|an|the|your|some|oral|daily|generic|with|on|to|dose|of|low-dose|once-daily|one|two|"
    r"tablets?|capsules?|course|\d+(?:\.\d+)?\s?(?:mg|mcg|g|ml|units?))\s+){0,6}"
    rf"(?P<word>[A-Z][a-z]{{4,}}[a-z]*|"
    rf"[A-Za-z]{{4,}}{_STEMS})\b(?P<dose>\s*\(?\d[\d,.]*\s?(?:-\s?\d+\s?)?(?:mg|mcg|μg|g|units?|iu|"
    r"ml)\b)?"
)
_ORDINARY = frozenset(
    "vitamin vitamins tablet tablets capsule capsules water medicine medication medications calcium "
    "magnesium insulin antibiotic antibiotics iron protein "
    "omega probiotic probiotics herbal generic children childrens infant extra strength regular plus "
    "maximum multivitamin fluids electrolyte electrolytes "
    "april chamomile ginger turmeric garlic honey caution these those other either every nasal "
    "saline ibuprofen doctor approximately about around "
    "evening primrose echinacea collagen creatine fiber sodium potassium zinc selenium chromium".split()
)


def unknown(case: Case, matcher: DrugMatcher) -> Iterator[Flag]:
    """One flag for each name that is advised like a drug and is in no list of drug names."""
    seen: set[str] = set()
    text = case.reading.text.plain
    for segment in case.reading.segments:
        for match in _OBJECT.finditer(text, segment.start, segment.end):
            word = match["word"]
            stem = re.search(rf"{_STEMS}$", word, re.IGNORECASE) is not None and len(word) >= 7
            if not (match["dose"] or stem) or word.lower() in seen or word.lower() in _ORDINARY or matcher.knows(word):
                continue
            start, end = match.span("word")
            if any(s.mention.start < end and start < s.mention.end for s in case.reading.statements) or matcher.nearby(
                word
            ):
                continue
            if re.search(
                r"\b(?:not|n't|never|avoid)\b[^.;]{0,20}$", text[segment.start : match.start()], re.IGNORECASE
            ):
                continue
            seen.add(word.lower())
            first, last = case.reading.text.span(start, end)
            yield Flag(
                "UNKNOWN_DRUG", "UNKNOWN_DRUG", word.lower(), None, None, first, last, "medium", None, None, None,
                f"tells the reader to use {word!r}, which is in no list of drug names known here",
            )  # fmt: skip
