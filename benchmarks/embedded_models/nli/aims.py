"""Pairs that tell what a study set out to do, supposed or could not tell from what it found.

Every abstract names its question before its answer, often in the very words of a claim. "We aimed to determine whether
zinc shortens colds" neither supports nor contradicts "zinc shortens colds"; "we found that zinc shortens colds" does. A
claim of an abstract is put behind words of either kind, or behind both in turn, so that it is those words that decide.
Beside them stand real sentences: clauses behind "whether", and what an abstract says of its aims beside a claim from its
results, and titles that name a topic. (Sentences that are labelled OBJECTIVE or hold one of `_AIM` say what is asked.)
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path

from benchmarks.embedded_models.nli import claim_forms as forms
from benchmarks.embedded_models.nli import perturb_rules as rules
from benchmarks.embedded_models.nli.abstracts import Document, documents
from benchmarks.embedded_models.nli.data import Pair, usable
from benchmarks.embedded_models.nli.perturb import CONTRADICTION, ENTAILMENT, NEUTRAL, Source, claims_of
from benchmarks.embedded_models.nli.phrases import read

WORDS = read("aims")
_AIM = re.compile(
    r"\b(?:aim(?:ed|s)? (?:of|to|was|were)|(?:objective|purpose|goal)s? (?:of|was|were|is)|we (?:hypothesi[sz]ed|investigated whether|asked whether|"
    r"sought to|examined whether|tested whether|set out)|(?:unclear|unknown|uncertain|not known|not clear|controversial|debated) (?:whether|if)|"
    r"remains? (?:unclear|unknown|controversial|uncertain|elusive)|to (?:determine|investigate|assess|examine|evaluate|test|establish) (?:whether|if|the (?:effect|"
    r"efficacy|safety|association|role|impact|relationship)))\b|^(?:OBJECTIVES?|PURPOSE|AIMS?|To (?:determine|investigate|assess|examine|evaluate|compare|test))\b",
    re.I,
)
# A title that names what was looked at, and not what was found.
_TOPIC = re.compile(
    r"(?:The )?(?:Clinical |Long-term |Possible |Therapeutic )*(?:Effects?|Efficacy|Effectiveness|Impact|Roles?|Associations?|Influence|Relationships?|"
    r"Relation|Correlations?|Safety|Use|Comparison|Evaluation|Treatment|Risks?|Benefits?|Prevalence|Prognostic|Assessment|Analysis|Links?)\b"
    r"[^?!]*? (?:of|between|on|for|in|with|as)\b[^?!]*",
    re.I,
)
_WHETHER = re.compile(
    r"\bwhether (?P<clause>[^,;:?()]{25,220}?)(?=[.,;]| (?:remains?|is|are|was|were) (?:still )?(?:un|not|contro|elusive|debat))"
)
_SAYS = re.compile(
    r"\b(?:results?|found|showed|shown|demonstrat\w+|suggest\w*|indicat\w+|conclu\w+|reveal\w*|confirm\w*)\b", re.I
)


def _inside(claim: str) -> str:
    """*claim* as it stands behind "whether"."""
    return rules.lower_first(claim.rstrip("."))


def _said(kind: str, claim: str, rng: random.Random) -> str:
    return rng.choice(WORDS[kind]).format(c=_inside(claim), C=forms.upper_first(claim.rstrip(".")))


def changed_claim(claim: str, rng: random.Random) -> str | None:
    """*claim* with its direction turned or negated, or None where no rule fits."""
    turns = [rules.direction, rules.negation_in, rules.negation_out]
    rng.shuffle(turns)
    return next((changed for turn in turns if (changed := turn(claim, rng)) and changed != claim), None)


def question(claim: str) -> str | None:
    """*claim* as the question that asks it ("Zinc shortens colds." - "Does zinc shorten colds?"), or None.

    >>> question("Smoking is associated with gout.")
    'Is smoking associated with gout?'
    """
    verb = forms.main_verb(claim)
    if verb is None or claim.count(",") or len(claim) > 160:
        return None
    kind, start, end, base = verb
    subject, rest = rules.lower_first(claim[:start].strip()), claim[end:].strip().rstrip(".")
    if kind == "aux":
        return f"{forms.upper_first(base)} {subject} {rest}?"
    return f"{'Did' if kind == 'past' else 'Does'} {subject} {base} {rest}?"


def _framed(source: Source, others: list[Source], rng: random.Random) -> Iterator[Pair]:
    claim = source.claim
    changed = changed_claim(claim, rng)
    asked, found = _said("asked", claim, rng), _said("found", claim, rng)
    reworded = rules.paraphrase(claim, rng) or claim
    way = rng.random()
    if way < 0.08:
        title = question(claim)
        if title is not None:
            yield Pair(title, reworded, NEUTRAL)
    elif way < 0.34 or changed is None:
        yield Pair(asked, rng.choice((claim, reworded)), NEUTRAL)
        if changed is None and way >= 0.34:
            yield Pair(f"{asked} {found}" if rng.random() < 0.4 else found, reworded, ENTAILMENT)
    elif way < 0.5:
        yield Pair(asked, changed, NEUTRAL)
    elif way < 0.57:
        yield Pair(f"{asked} {rng.choice(others).claim}", rng.choice((claim, changed)), NEUTRAL)
    elif way < 0.68:
        yield Pair(found, reworded, ENTAILMENT)
    elif way < 0.78:
        yield Pair(found, changed, CONTRADICTION)
    elif way < 0.86:
        yield Pair(f"{asked} {found}", reworded, ENTAILMENT)
    else:
        yield Pair(f"{asked} {_said('found', changed, rng)}", claim, CONTRADICTION)


def asked_clauses(sentence: str) -> Iterator[str]:
    """The claims that *sentence* asks after: its clauses behind "whether"."""
    for match in _WHETHER.finditer(sentence):
        claim = forms.tidy(match["clause"])
        if forms.is_claim(claim):
            yield claim


def _titled(document: Document, sources: list[Source], rng: random.Random) -> Iterator[Pair]:
    """A title that names a topic beside what the abstract found, and its contrary."""
    if document.sentences and is_topic(document.title):
        for source in [s for s in sources if not s.design][-2:]:
            yield Pair(document.title, changed_claim(source.claim, rng) or source.claim, NEUTRAL)
            yield Pair(document.title, source.claim, NEUTRAL)


def is_topic(title: str) -> bool:
    """Whether *title* names what was looked at and says nothing of it."""
    return _TOPIC.fullmatch(title.strip()) is not None and forms.main_verb(title) is None and len(title) < 250


def _real(document: Document, sources: list[Source], rng: random.Random) -> Iterator[Pair]:
    for index, sentence in enumerate(document.sentences):
        if len(sentence) > 450 or not _AIM.search(sentence):
            continue
        premise = sentence if index == 0 or rng.random() < 0.6 else f"{document.sentences[index - 1]} {sentence}"
        for claim in asked_clauses(sentence):
            yield Pair(premise, claim, NEUTRAL)
            changed = changed_claim(claim, rng)
            if changed is not None:
                yield Pair(premise, changed, NEUTRAL)
        results = [s for s in sources if s.index > index + 1 and not s.design]
        if results and not _SAYS.search(sentence):
            yield Pair(premise, rng.choice(results).claim, NEUTRAL)


def aim_pairs(root: Path, n: int, *, seed: int, split: str = "train") -> list[Pair]:
    """At most *n* pairs of the documents of *split*; a third, where there are so many, of real sentences about aims."""
    rng = random.Random(f"aims:{seed}")
    real: list[Pair] = []
    framed: list[Pair] = []
    pool = documents(root, split)
    sources = {document.id: claims_of(document) for document in pool}
    others = [s for own in sources.values() for s in own if not s.design]
    for document in pool:
        real.extend(_real(document, sources[document.id], rng))
        real.extend(_titled(document, sources[document.id], rng))
        for source in sources[document.id]:
            if not source.design and len(source.claim) < 220:
                framed.extend(_framed(source, others, rng))
    found = []
    for pairs, share in ((real, n // 3), (framed, n)):
        distinct = usable(pairs)
        rng.shuffle(distinct)
        found += distinct[: min(share, n - len(found))]
    rng.shuffle(found)
    return found
