"""UNKNOWN_DRUG: a name that an answer advises like a drug and that no list of names contains."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from fas.safety.case import SafetyCase, SafetyFinding
from fas.safety.dictionary import is_english
from fas.safety.matcher import DrugMatcher, Mention
from fas.safety.text import Text
from fas.text.reading.pattern_tables import load_patterns

UNKNOWN_DRUGS = load_patterns(__file__)
_STEMS = UNKNOWN_DRUGS.part("STEMS")
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


def find_unknown_drugs(text: Text, matcher: DrugMatcher, known: Sequence[Mention]) -> list[Mention]:
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
        for form in (UNKNOWN_DRUGS.object, UNKNOWN_DRUGS.announced, UNKNOWN_DRUGS.ordered, UNKNOWN_DRUGS.subject)
        for m in form.finditer(text.plain)
    ):
        word, start = match["word"], match.start("word")
        if match.re is UNKNOWN_DRUGS.subject and is_english(word.lower()):
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


def find_unknown_names(case: SafetyCase) -> Iterator[SafetyFinding]:
    """UNKNOWN_DRUG: a word in the place of a drug that is in no list of names."""
    for drug in case.reading.unknown:
        word, code = drug.mention.text.lower(), "UNKNOWN_DRUG"
        yield SafetyFinding(
            "unknown", code, word, None, drug, drug.features, "medium", words=drug.mention.text, lead=word
        )
