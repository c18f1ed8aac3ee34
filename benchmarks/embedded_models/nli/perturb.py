"""Premise-hypothesis pairs made by rules from scientific abstracts: hard negatives and their twins.

A premise is a window of one or two sentences (one in ten: the whole abstract), a hypothesis
a claim-like form of one sentence. Every rule that changes a claim is used three ways, so
that the wording of a hypothesis alone does not give the label away: on the hypothesis, on
the premise with the hypothesis left as it was, and on both (which makes an entailment).
Documents are split by a hash of their id, and one seed gives one set.
"""

from __future__ import annotations

import math
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from benchmarks.embedded_models.nli import claim_forms as forms
from benchmarks.embedded_models.nli import perturb_rules as rules
from benchmarks.embedded_models.nli.abstracts import Document, documents
from benchmarks.embedded_models.nli.data import LABELS, Pair

ENTAILMENT, NEUTRAL, CONTRADICTION, NOT_ENTAILMENT = range(len(LABELS))
SHARES = {ENTAILMENT: 0.35, NEUTRAL: 0.35, CONTRADICTION: 0.30}
TARGET = {"train": 32000, "dev": 4000, "test": 4000}


class PerturbedPair(NamedTuple):
    """A pair and the kind of change that made it."""

    pair: Pair
    kind: str


@dataclass(frozen=True, slots=True)
class Source:
    """A sentence that can become a claim: its document, place, lead-in and body.

    One about a study's `design` serves for numbers only.
    """

    document: Document
    index: int
    lead: str
    body: str
    claim: str
    design: bool


def claims_of(document: Document) -> list[Source]:
    found = []
    for index, sentence in enumerate(document.sentences):
        if len(sentence) > 500 or not sentence.endswith("."):
            continue
        lead, body = forms.strip_lead(sentence)
        claim = forms.tidy(body)
        if forms.is_claim(claim):
            found.append(Source(document, index, lead, body, claim, design=False))
        elif forms.is_claim(claim, design=True) and rules.number(claim, random.Random(0)):
            found.append(Source(document, index, lead, body, claim, design=True))
    return found


def _premise(source: Source, rng: random.Random, *, body: str | None = None, whole: bool = True) -> str:
    """A window around the source sentence, whose body may be exchanged for another."""
    sentences = list(source.document.sentences)
    if body is not None:
        sentences[source.index] = source.lead + (body if source.lead else forms.upper_first(body))
    draw = rng.random()
    if whole and draw < 0.1:
        return " ".join([source.document.title.rstrip(".") + "."] * (rng.random() < 0.5) + sentences)
    first, last = source.index, source.index
    if draw > 0.55:
        if rng.random() < 0.5:
            first = max(0, first - 1)
        else:
            last = min(len(sentences) - 1, last + 1)
    return " ".join(sentences[first : last + 1])


def _content(text: str) -> set[str]:
    return {word[:7] for word in re.findall(r"[a-z0-9α-ω]+", text.lower()) if word not in forms.WORDS["stop"]}


def _restated(claim: str, premise: str) -> float:
    """Share of the claim's content words that the premise has."""
    words = _content(claim)
    return len(words & _content(premise)) / len(words) if words else 1.0


def _neighbours(pool: list[Document], sources: dict[str, list[Source]]) -> dict[str, list[str]]:
    """For each document with claims, the documents that share most of its weighty words, nearest first."""
    texts = {d.id: _content(d.title + " " + " ".join(s.claim for s in sources[d.id])) for d in pool if sources[d.id]}
    seen = Counter(word for words in texts.values() for word in words)
    weight = {word: math.log(len(texts) / n) for word, n in seen.items() if n > 1}
    index = defaultdict(list)
    keys = {name: sorted((w for w in words if w in weight), key=lambda w: (-weight[w], w))[:25] for name, words in texts.items()}
    for name, words in keys.items():
        for word in words:
            index[word].append(name)
    nearest = {}
    for name, words in keys.items():
        scores: Counter[str] = Counter()
        for word in words:
            for other in index[word]:
                scores[other] += weight[word]
        del scores[name]
        nearest[name] = [other for other, _ in sorted(scores.items(), key=lambda item: (-item[1], item[0]))[:6]]
    return nearest


def _changes(source: Source, text: str, premise: str, rng: random.Random) -> Iterator[tuple[str, int, str]]:
    """Every change the rules can make to *text*, as (kind, label, changed text)."""
    numbered = rules.number(text, rng)
    if numbered:
        yield numbered[1], NOT_ENTAILMENT if numbered[1] == "number_unclear" else CONTRADICTION, numbered[0]
    if source.design:
        return
    for kind, rule in (("direction", rules.direction), ("superlative", rules.superlative), ("negation_out", rules.negation_out)):
        changed = rule(text, rng)
        if changed:
            yield kind, CONTRADICTION, changed
    changed = rules.negation_in(text, rng)
    if changed:
        association = re.search(r"\b(?:associat|correlat|linked|related)", text)
        yield "association" if association else "negation_in", CONTRADICTION, changed
    abstract = " ".join(source.document.sentences)
    swaps = {
        "population": rules.population(text, premise, rng),
        "entity": rules.entity(text, premise, rng),
        "outcome": rules.outcome(text, premise, abstract, rng),
    }
    for kind, swap in swaps.items():
        if swap:
            yield kind, NEUTRAL, rules.replace(text, *swap)


def _reworded(claim: str, rng: random.Random) -> str:
    """The claim, perhaps in slightly other words."""
    return (rules.paraphrase(claim, rng) if rng.random() < 0.7 else None) or claim


_MEASURED = re.compile(r"\s+[(\[][^()\[\]]*\d[^()\[\]]*[)\]]")


def _rule_pairs(source: Source, rng: random.Random) -> Iterator[PerturbedPair]:
    claim = source.claim
    window = _premise(source, rng)
    # Numbers in parentheses would go on saying what the changed words no longer say.
    body = _MEASURED.sub("", source.body)
    for kind, label, changed in _changes(source, claim, window, rng):
        if changed == claim:
            continue
        way = rng.random()
        if way < 0.35:
            yield PerturbedPair(Pair(window, _reworded(changed, rng), label), kind)
            continue
        # The same change in the premise: taken over only where the claim it gives is the one above.
        if forms.tidy(body) != claim or forms.tidy(changed) != changed:
            continue
        inside = changed[0].lower() + changed[1:] if source.body[0].islower() else changed
        altered = _premise(source, rng, body=inside, whole=False)
        if way < 0.77:
            yield PerturbedPair(Pair(altered, _reworded(claim, rng), label), kind)
        else:
            yield PerturbedPair(Pair(altered, _reworded(changed, rng), ENTAILMENT), "kept_change")
    if source.design:
        return
    turned = rules.comparison(claim)
    if turned:
        yield PerturbedPair(Pair(window, turned[0], ENTAILMENT), "comparison")
        yield PerturbedPair(Pair(window, turned[1], CONTRADICTION), "comparison")
    effect = rules.ratio(source.body)
    if effect:
        same, other = (f"{claim[:-1]} ({value})." for value in effect)
        yield PerturbedPair(Pair(window, same, ENTAILMENT), "ratio")
        yield PerturbedPair(Pair(window, other, CONTRADICTION), "ratio")


def _plain_pairs(source: Source, rng: random.Random) -> Iterator[PerturbedPair]:
    premise = _premise(source, rng)
    short = forms.tidy(source.body, cut_tail=True)
    reworded = rules.paraphrase(short, rng)
    turned = rules.passive(short)
    if turned:
        yield PerturbedPair(Pair(premise, turned, ENTAILMENT), "passive")
    elif reworded and rng.random() < 0.75:
        yield PerturbedPair(Pair(premise, reworded, ENTAILMENT), "paraphrase")
    elif short.rstrip(".") != source.document.sentences[source.index].rstrip(".") or premise != source.document.sentences[source.index]:
        yield PerturbedPair(Pair(premise, short, ENTAILMENT), "claim")


def _other_pairs(
    source: Source, sources: dict[str, list[Source]], nearest: dict[str, list[str]], everything: list[Source], rng: random.Random
) -> Iterator[PerturbedPair]:
    near = [s for name in nearest[source.document.id] for s in sources[name]]
    candidates = {
        "same_abstract": [s for s in sources[source.document.id] if abs(s.index - source.index) > 1],
        "near_document": near,
        "random_document": [rng.choice(everything)],
    }
    for kind, others in candidates.items():
        if not others:
            continue
        other = rng.choice(others)
        premise = _premise(source, rng, whole=kind != "same_abstract")
        hypothesis = forms.tidy(other.body, cut_tail=True)
        if other is source or _restated(hypothesis, premise) > (0.4 if kind == "same_abstract" else 0.5):
            continue
        if rng.random() < 0.45:
            # So that a changed wording is no sign of a contradiction.
            changed = [text for _, _, text in _changes(other, hypothesis, premise, rng)]
            hypothesis = rng.choice(changed) if changed else hypothesis
        yield PerturbedPair(Pair(premise, _reworded(hypothesis, rng), NEUTRAL), kind)


def perturbed_with_kinds(root: Path, *, split: str, seed: int) -> list[PerturbedPair]:
    """The pairs of *split* with their kinds, in a seeded random order.

    At most `TARGET[split]` pairs, 35% entailment, 35% neutral, 30% contradiction, plus
    up to 3% "not entailment" (kind "number_unclear"). Within a label the rare kinds
    are taken whole and the common ones share the rest.

    Args:
        root: The training-data folder.
        split: "train", "dev" or "test": 80, 10 and 10% of the documents.
        seed: Decides every random choice.
    """
    rng = random.Random(f"{seed}:{split}")
    pool = documents(root, split)
    sources = {document.id: claims_of(document) for document in pool}
    everything = [source for document in pool for source in sources[document.id]]
    nearest = _neighbours(pool, sources)
    by_label: dict[int, dict[str, list[PerturbedPair]]] = defaultdict(lambda: defaultdict(list))
    seen: set[tuple[str, str]] = set()
    for source in everything:
        made = [*_rule_pairs(source, rng), *_plain_pairs(source, rng), *_other_pairs(source, sources, nearest, everything, rng)]
        for item in made:
            key = (item.pair.premise, item.pair.hypothesis)
            if key not in seen and len(item.pair.hypothesis.split()) >= 4:
                seen.add(key)
                by_label[item.pair.label][item.kind].append(item)
    chosen: list[PerturbedPair] = []
    sizes = {label: sum(map(len, kinds.values())) for label, kinds in by_label.items()}
    total = min([TARGET[split], *(int(sizes[label] / share) for label, share in SHARES.items())])
    quotas = {label: int(share * total) for label, share in SHARES.items()} | {NOT_ENTAILMENT: int(0.03 * total)}
    for label, quota in quotas.items():
        left = quota
        kinds = sorted(by_label[label].items(), key=lambda item: (len(item[1]), item[0]))
        for done, (_, items) in enumerate(kinds):
            rng.shuffle(items)
            taken = items[: left // (len(kinds) - done)]
            left -= len(taken)
            chosen.extend(taken)
    rng.shuffle(chosen)
    return chosen


def perturbed_pairs(root: Path, *, split: str, seed: int) -> list[Pair]:
    """The pairs of `perturbed_with_kinds` without their kinds."""
    return [item.pair for item in perturbed_with_kinds(root, split=split, seed=seed)]
