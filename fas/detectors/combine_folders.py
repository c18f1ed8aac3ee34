"""`fas.combine`: several members made into one, with notes for the reader."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

from fas.core.arguments import suggest_arguments
from fas.core.cache import content_key
from fas.core.checks import count_of
from fas.core.records.stored import Harm
from fas.detectors.align import MIN_SIMILARITY, TextEmbedder, explanation_vectors
from fas.detectors.combine import Opinion, combine_findings, count_changed_pairs, run_weights, tidy_opinion
from fas.detectors.combine import weigh_harm as _weigh
from fas.detectors.member import check_texts, find_places, read_member
from fas.detectors.records import DetectedFinding, Findings, Member, filter_by_harm
from fas.detectors.rules import RuleSet, apply_rules, load_rules, rule_notes

Weights = Literal["run", "family"] | Mapping[str, float]
_AT_ONCE = 64  # answers whose explanations are embedded together


@dataclass(frozen=True, slots=True)
class Combination:
    """Several members combined.

    Attributes:
        member: The combination; a member again, which can be shown, evaluated and combined.
        parts: The members, in the order of (family, run).
        notes: What a reader must know, each with its count.
        rules: The applied rules, or None.
    """

    member: Member
    parts: tuple[Member, ...]
    weights: Mapping[str, float]
    signature: str
    notes: tuple[str, ...]
    rules: RuleSet | None = None

    def scores(self) -> dict[str, float | None]:
        """Answer to score; None where every member abstains."""
        return {name: found.score for name, found in self.member.answers.items()}


class NamedEmbedder(NamedTuple):
    """An embedder, its name in the signature, and how to count the texts that it cuts."""

    embedder: TextEmbedder
    name: str
    count_cut: Any = None


@suggest_arguments
def combine(
    members: Sequence[str | Path | Member],
    *,
    weights: Weights = "run",
    min_similarity: float = MIN_SIMILARITY,
    min_harm: Harm | None = None,
    weigh_harm: bool = False,
    rules: str | RuleSet | None = None,
    embedder: TextEmbedder | None = None,
    name: str = "combination",
) -> Combination:
    """Combine detectors' findings answer by answer; no language model is asked.

    Args:
        members: Folders of `fas detect` or `fas score` (`FOLDER#flags` for its safety flags), or `Member`s.
        weights: `run`: every member 1. `family`: the runs of one detector share 1. A mapping: member or detector to
            its weight, above 0; a detector's runs share it, and one that is not named has 1.
        min_similarity: Least cosine of two explanations that may be aligned, in (0, 1].
        min_harm: Leave out findings below this level of harm; one that names none stays.
        weigh_harm: Multiply each confidence by the level of harm, 0 for `none` up to 1 for `high`.
        rules: Built-in rules (`mental-health`, `prenatal`), a TOML file, or a `RuleSet`, applied to what is combined.
        embedder: Maps explanations to unit vectors; the embedded encoder by default.
        name: Name of the result.

    Raises:
        InputError: A folder cannot be read, is named twice, or members read different texts.
        ProfileError: The rules cannot be used.
        ValueError: An option is impossible, or there is no member.
    """
    if not members:
        raise ValueError("nothing to combine: name at least one folder of `fas detect` or `fas score`")
    if not 0.0 < min_similarity <= 1.0:
        raise ValueError(f"`min_similarity` must be in (0, 1], got {min_similarity!r}")
    chosen = load_rules(rules) if isinstance(rules, str) else rules
    read = _sorted(members)
    notes = check_texts(read)
    shares = run_weights({member.name: member.family for member in read}, by=weights)
    own_name = str(getattr(embedder, "signature", type(embedder).__name__.lower()))
    encoder = default_embedder() if embedder is None else NamedEmbedder(embedder, own_name)
    tally: Counter[str] = Counter()
    answers = {
        found.id: found
        for found in _combine_answers(
            read, shares, encoder, tally, min_similarity=min_similarity, min_harm=min_harm, by_harm=weigh_harm
        )
    }
    if chosen is not None:
        answers = {key: apply_rules(found, chosen.applied()) for key, found in answers.items()}
        notes += rule_notes(list(answers.values()), chosen)
    abstained = Counter(name for found in answers.values() for name in found.abstained)
    notes += [f"{name} abstains on {count_of(n, 'answer')}" for name, n in abstained.items()]
    notes += _notes(read, tally, encoder)
    named = weights if isinstance(weights, str) else "+".join(f"{name}={weights[name]:g}" for name in sorted(weights))
    settings = [encoder.name, f"s={min_similarity:.2f}", f"w={named}", *(["harm=weighed"] if weigh_harm else [])]
    settings += [f"harm={min_harm.replace(' ', '-')}"] if min_harm else []
    signature = f"detect:{'+'.join(member.signature for member in read)}|combine:hungarian[{','.join(settings)}]"
    signature += f"|rules:{chosen.signature if chosen else 'none'}"
    texts = {key: digest for member in read for key, digest in member.texts.items()}
    own = Member(name, name, 0, f"combined[{content_key(signature)[:8]}]", answers, texts)
    return Combination(own, tuple(read), shares, signature, tuple(notes), chosen)


def _sorted(members: Sequence[str | Path | Member]) -> list[Member]:
    """The members in the order of (family, run), so that the order they were named in changes nothing."""
    named = [item for item in members if not isinstance(item, Member)]
    read = [item for item in members if isinstance(item, Member)]
    read += [read_member(place) for place in find_places(named)]
    names = [member.name for member in read]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"two members are called {twice!r}")
    return sorted(read, key=lambda member: (member.family, member.run, member.name))


def _combine_answers(
    members: Sequence[Member],
    shares: Mapping[str, float],
    encoder: NamedEmbedder,
    tally: Counter[str],
    *,
    min_similarity: float,
    min_harm: Harm | None,
    by_harm: bool,
) -> Iterator[Findings]:
    names = list(dict.fromkeys(name for member in members for name in member.answers))
    for start in range(0, len(names), _AT_ONCE):
        some = names[start : start + _AT_ONCE]
        found: dict[tuple[str, str], tuple[DetectedFinding, ...]] = {}
        for member in members:
            for name in some:
                line = member.answers.get(name)
                if line is not None and line.failure is None:
                    kept = filter_by_harm(line.findings, min_harm)
                    found[name, member.name] = tuple(map(_weigh, kept)) if by_harm else kept
        texts = list(dict.fromkeys(one.explanation for findings in found.values() for one in findings))
        vectors = explanation_vectors(texts, encoder.embedder)
        row = {text: i for i, text in enumerate(texts)}
        for name in some:
            opinions, abstained = [], []
            for member in members:
                findings = found.get((name, member.name))
                if findings is None:
                    abstained.append(member.name)
                    continue
                places_of = np.array([row[one.explanation] for one in findings], dtype=np.intp)
                opinion = Opinion(member.name, shares[member.name], findings, vectors[places_of])
                single, doubles = tidy_opinion(opinion)
                tally["doubles"] += doubles
                opinions.append(single)
            changed, pairs = count_changed_pairs(opinions, min_similarity=min_similarity)
            tally.update(changed=changed, pairs=pairs, silent=not opinions)
            yield combine_findings(name, opinions, abstained=abstained, min_similarity=min_similarity)


def _notes(members: Sequence[Member], tally: Mapping[str, int], encoder: NamedEmbedder) -> Iterator[str]:
    if n := tally["silent"]:
        yield f"{n} answers have no score, because every member abstains"
    if n := tally["doubles"]:
        yield f"{n} findings said the same of the same place as another one of their member; merged"
    changed, pairs = tally["changed"], tally["pairs"]
    yield f"the reverse order of the members would change {changed} of {pairs} aligned pairs of findings"
    if encoder.count_cut is not None:
        texts = {one.explanation for m in members for line in m.answers.values() for one in line.findings}
        if n := encoder.count_cut(sorted(texts)):
            yield f"{n} explanations are longer than the encoder reads and were cut"


@lru_cache(maxsize=1)
def default_embedder() -> NamedEmbedder:
    """The embedded encoder in fp32, its vectors kept on disk; loaded once."""
    from fas.evidence.vectors import KeptVectors
    from fas.models.encoder import MAX_LENGTH, load_encoder, printable

    encoder = load_encoder(precision="fp32")

    def count_cut(texts: Sequence[str]) -> int:
        read = encoder.tokenizer([printable(text) for text in texts])["input_ids"] if texts else []
        return sum(len(ids) > MAX_LENGTH for ids in read)

    return NamedEmbedder(KeptVectors(encoder, "fp32"), encoder.signature, count_cut)
