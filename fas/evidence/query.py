"""From a claim to PubMed queries: key concepts, and a ladder of ever wider searches.

PubMed joins the words of a sentence with AND, so a whole claim finds nothing, and it leaves
out in silence what it does not know. So this module extracts a claim's concepts; numbers, units,
verbs and words that every abstract contains are left to the verifier.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from importlib.resources import files
from itertools import combinations

from fas.core.loading import load_once
from fas.evidence.terms import fold

MOST_CONCEPTS = 4
_LONGEST_CONCEPT = 3

_TOKEN = re.compile(r"[A-Za-z0-9]+(?:['’-][A-Za-z0-9]+)*|[^\sA-Za-z0-9]")
_NUMBER = re.compile(r"\d[\d'-]*|\d+(?:mg|g|kg|ml|mcg|ug|iu|st|nd|rd|th|x|h|hr|days?|weeks?|months?|years?)")
# "type 2 diabetes", "vitamin D", "grade 3": the number or letter belongs to the name.
_NUMBERED = frozenset(
    "type types stage grade phase class factor vitamin omega covid hepatitis interleukin category tier group".split()
)
# Words that narrow nothing alone but belong to the name before them.
_HEADS = frozenset("disease diseases disorder disorders agent agents function drugs".split())
# Endings of drug, enzyme and disease names.
_NAMED = re.compile(
    r"\w{2,}(?:mab|nib|pril|sartan|statin|olol|azole|cillin|mycin|cycline|floxacin|gliptin|gliflozin|glutide|prazole"
    r"|dipine|thiazide|parin|xaban|gatran|triptan|setron|oxetine|pram|zepam|zolam|caine|profen|formin|vir|tide"
    r"|itis|osis|emia|aemia|oma|pathy|algia|uria|ectomy|plasty|ase|virus|coccus|ine|iasis|penia|trophy|plegia)s?",
    re.IGNORECASE,
)


def concepts(claim: str) -> list[str]:
    """At most four search concepts of *claim*, the most telling first.

    A concept is a run of words between stop words, verbs, numbers and punctuation, at most
    three words long. Everything that PubMed reads as a command (brackets, quotes, `*`, `:`,
    `/`, `#`, field tags, Boolean operators) is gone, Greek letters are spelled out.

    >>> concepts("Metformin reduces HbA1c by 1.5% in adults with type 2 diabetes.")
    ['metformin', 'type 2 diabetes', 'hba1c']
    """
    weighed: dict[str, float] = {}
    for position, run in enumerate(_split_runs(claim)):
        phrase = " ".join(word.lower() for word in run)
        if phrase not in weighed:
            # The subject comes first in most claims.
            weighed[phrase] = _weigh(run) - 0.25 * position
    # A concept inside another one adds nothing to an AND. (Not each compared with each: a claim may be a long list.)
    inside = {part for phrase in weighed for part in _list_parts(phrase)}
    best = sorted(weighed, key=lambda phrase: -weighed[phrase])
    return [phrase for phrase in best if phrase not in inside][:MOST_CONCEPTS]


def relax_query(named: Sequence[str]) -> Iterator[str]:
    """Queries from narrow to wide for concepts in order of importance; each differs from those before it.

    All concepts; all but one, in every way; the first with any other; any two; the first alone.

    >>> list(relax_query(["metformin", "hba1c"]))
    ['metformin AND hba1c', 'metformin', 'metformin OR hba1c']
    """
    several = [f"({concept})" if " " in concept else concept for concept in named]
    if not several:
        return
    first, rest = several[0], several[1:]
    rungs = [" AND ".join(several)]
    if len(several) > 2:
        # Leaving out the last, least telling concept comes first.
        subsets = [" AND ".join(subset) for subset in combinations(several, len(several) - 1)]
        rungs.append(" OR ".join(f"({subset})" for subset in subsets))
        rungs.append(f"{first} AND ({' OR '.join(rest)})")
        rungs.append(" OR ".join(f"({' AND '.join(pair)})" for pair in combinations(several, 2)))
    rungs.append(first)
    if rest:
        rungs.append(" OR ".join(several))
    yield from dict.fromkeys(rungs)


def tag_term(query: str) -> str:
    """*query* with every concept looked for in titles and abstracts only, as it is written.

    For queries that PubMed translated into an author or a journal.
    """
    return re.sub(
        r"\(([^()]+)\)|([\w'-]+)",
        lambda match: (
            match[0] if match[0] in ("AND", "OR") else _tag(match[1] or match[2], grouped=match[1] is not None)
        ),
        query,
    )


def _tag(text: str, *, grouped: bool) -> str:
    if not grouped:
        return f"{text}[tiab]"
    if re.search(r"\b(?:AND|OR)\b", text):
        return "(" + tag_term(text) + ")"
    return "(" + " AND ".join(f"{word}[tiab]" for word in text.split()) + ")"


@load_once()
def _load_words(name: str) -> frozenset[str]:
    text = files("fas.evidence").joinpath(f"words_{name}.txt").read_text(encoding="utf-8")
    return frozenset(word for line in text.splitlines() if not line.startswith("#") for word in line.split())


@load_once()
def _inflect_verbs() -> frozenset[str]:
    """All forms of the listed verbs."""
    forms = set()
    for verb in _load_words("verbs"):
        stem = verb[:-1] if verb.endswith("e") else verb
        past = stem[:-1] + "ied" if verb.endswith("y") and verb[-2] not in "aeiou" else stem + "ed"
        third = verb + ("es" if verb.endswith(("s", "sh", "ch", "x")) else "s")
        if past.endswith("ied"):
            third = stem[:-1] + "ies"
        forms |= {verb, past, third, stem + "ing"}
        if re.search(r"[^aeiou][aeiou][bdgmnprt]$", verb):
            forms |= {verb + verb[-1] + "ed", verb + verb[-1] + "ing"}
    return frozenset(forms)


def _split_runs(claim: str) -> Iterator[list[str]]:
    run: list[str] = []
    before = ""
    # "TNF-α" folds to "TNF- alpha ", which is one word.
    text = re.sub(r"(?<=[A-Za-z0-9])-\s+(?=[a-z])", "-", fold(claim))
    for token in [*_TOKEN.findall(text), "."]:
        word = token.replace("’", "'").removesuffix("'s")
        lower = word.lower()
        belongs = before.lower() in _NUMBERED and (word.isdigit() or (len(word) == 1 and word.isalpha()))
        if belongs and run:
            run.append(word)
        elif _is_break(lower):
            yield from _trim_run(run)
            run = []
        else:
            run.append(word)
        before = word
    yield from _trim_run(run)


def _is_break(lower: str) -> bool:
    lists = (_load_words("stopwords"), _load_words("units"), _inflect_verbs())
    if not lower[:1].isalnum() or any(lower in words for words in lists):
        return True
    # Numbers, and numbers with a unit such as 500mg or 2nd.
    return _NUMBER.fullmatch(lower) is not None


def _trim_run(run: list[str]) -> Iterator[list[str]]:
    """*run* without words of every abstract at its ends, cut to its last words, which name the thing."""
    generic = _load_words("generic")
    start, end = 0, len(run)
    while start < end and run[start].lower() in generic:
        start += 1
    while start < end and run[end - 1].lower() in generic and not (end - start > 1 and run[end - 1].lower() in _HEADS):
        end -= 1
    run = run[max(start, end - _LONGEST_CONCEPT) : end]
    if run and not (len(run) == 1 and len(run[0]) == 1):
        yield run


def _list_parts(phrase: str) -> Iterator[str]:
    """The shorter runs of words in *phrase*, which is at most three words long."""
    words = phrase.split(" ")
    for length in range(1, len(words)):
        for start in range(len(words) - length + 1):
            yield " ".join(words[start : start + length])


def _weigh(run: Sequence[str]) -> float:
    """How telling a concept is: names of substances and diseases before plain words."""
    names = any(_NAMED.fullmatch(word) for word in run)
    coined = any(re.search(r"\d|[a-z][A-Z]|[A-Z]{2}", word) for word in run)
    longest = max(len(word) for word in run)
    return 3.0 * names + 2.0 * coined + 0.6 * (len(run) - 1) + 0.1 * min(longest, 12)
