"""CORE: the faithful, non-redundant claims of greatest weight, behind any extractor.

After Zhengping Jiang et al., "CORE: Robust factual precision with informative sub-claim
identification" (2024), which shows that a factuality score can be raised by repeating itself and by
saying what is trivially true. For each answer:

1. Of claims with exactly the same text the first is kept.
2. A claim is kept if its sentence entails it, P(entailment) > threshold; a claim without a place in
   the answer has no sentence and is kept.
3. Two claims exclude each other if either entails the other. Of what is left, the subset is chosen
   that holds no such pair and whose weights w_i sum to the most:

       maximise sum_i w_i x_i   subject to   x_i + x_j <= 1 for each such pair,   x_i in {0, 1}

   solved exactly by mixed-integer programming (`scipy.optimize.milp`). Of several such subsets, it
   is the one that keeps the earliest claims. A claim of weight 0 is never chosen.

Weights are `uniform`, w_i = 1, which keeps as many claims as possible (several specific ones rather
than the general one that follows from each), or `informativeness`:

       w_i = -log max_t P(t entails claim_i)

over bleached statements t, which are true and say next to nothing (`prompts/bleached.v1.txt`); a
claim that one of them entails outright (P > threshold) weighs 0. Jiang et al. take P from a model of
ordinal inference (UNLI), their t speak of persons, and P = 0 gives an infinite weight; here P is
the entailment of the same NLI model as above, the t are about medicine, and P is at least 1e-6.

Claims that failed before pass through. A claim that the model cannot read (longer than its window)
is marked as failed, not dropped.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib.resources import files
from typing import Any, Final, Literal, get_args

from fas.claims.entailment import ClaimEntailment, NliEntailment
from fas.claims.llm.units import source_sentences
from fas.claims.subset import heaviest_subset
from fas.core.loading import load_once
from fas.core.parts import ClaimExtractor, count_again
from fas.core.records import Answer, Claim
from fas.core.records.signature import PartSignature

Weights = Literal["uniform", "informativeness"]
_LEAST: Final = 1e-6
_MOST: Final = 1000
_BLEACHED: Final = "bleached.v1.txt"
FILTERS: Final = ("none", "core")


def apply_filter(extractor: ClaimExtractor, choice: str | Mapping[str, Any]) -> ClaimExtractor:
    """*extractor* behind the filter that *choice* names: the option `filter` of every extractor.

    Args:
        extractor: Any extractor.
        choice: `"none"`, `"core"`, or a table such as
            `{name = "core", weights = "informativeness", threshold = 0.5, model = "fas-nli-mini"}`.

    Raises:
        ValueError: There is no such filter or option, or the option's value is impossible.
    """
    options: dict[str, Any] = (
        {"name": choice} if isinstance(choice, str) else dict(choice) if isinstance(choice, Mapping) else {}
    )
    name = options.pop("name", None)
    if name not in FILTERS:
        raise ValueError(
            f"`filter` must be one of {', '.join(map(repr, FILTERS))} or a table with a `name`, got {choice!r}"
        )
    allowed = ("weights", "threshold", "model", "labels", "precision") if name == "core" else ()
    unknown = sorted(set(options) - set(allowed))
    if unknown:
        raise ValueError(f"filter {name!r} has no option {unknown[0]!r}; allowed: {', '.join(allowed) or '(none)'}")
    if name == "none":
        return extractor
    of_model = {key: options.pop(key) for key in ("model", "labels", "precision") if key in options}
    return CoreFilter(extractor, NliEntailment(**of_model), **options)


class CoreFilter:
    """An extractor whose claims are the core of another's.

    Args:
        extractor: Where the claims come from.
        entailment: What says whether one text entails another; the embedded NLI model by default.
        weights: `uniform` or `informativeness`.
        threshold: P(entailment) above which a text counts as entailed, in [0, 1).

    Raises:
        ValueError: An option is out of range.
    """

    text_alone = False
    """A model says what is entailed; its time is no fault of the text."""

    def __init__(
        self,
        extractor: ClaimExtractor,
        entailment: ClaimEntailment | None = None,
        *,
        weights: Weights = "uniform",
        threshold: float = 0.5,
    ) -> None:
        if weights not in get_args(Weights):
            raise ValueError(f"filter 'core': `weights` must be one of {', '.join(get_args(Weights))}, got {weights!r}")
        if not isinstance(threshold, int | float) or isinstance(threshold, bool) or not 0.0 <= threshold < 1.0:
            raise ValueError(f"filter 'core': `threshold` must be in [0, 1), got {threshold!r}")
        self.extractor = extractor
        self.entailment: ClaimEntailment = entailment or NliEntailment()
        self.weights: Weights = weights
        self.threshold = float(threshold)

    @property
    def reads_english_only(self) -> bool:
        """Whether a model that reads English only says what claims there are, or what is entailed."""
        return any(getattr(part, "reads_english_only", False) for part in (self.extractor, self.entailment))

    @property
    def signature(self) -> str:
        """That of the extractor, and `+core[MODEL,t=0.5,w=uniform]`."""
        weights: str = self.weights
        if self.weights == "informativeness":
            weights += "-" + hashlib.sha256("\n".join(bleached_statements()).encode()).hexdigest()[:8]
        settings = (self.entailment.signature, f"t={self.threshold:g}", f"w={weights}")
        return PartSignature(f"{self.extractor.signature}+core", *settings)

    def extract(self, answers: Sequence[Answer]) -> list[list[Claim]]:
        """The core of the claims of each answer, in the order of the extractor.

        Raises:
            ValueError: An answer has more than 1,000 different claims, of which each is compared with each.
        """
        return self.refine(self.extractor.extract(answers), answers)

    def refine(self, found: Sequence[Sequence[Claim]], answers: Sequence[Answer]) -> list[list[Claim]]:
        """The core of claims that *answers* brought with them, or that were extracted before.

        Args:
            found: The claims of each answer.
            answers: The answers, as many.

        Raises:
            ValueError: As for `extract`.
        """
        claims = [drop_duplicates(several) for several in found]
        most = max(map(len, claims), default=0)
        if most > _MOST:
            raise ValueError(f"filter 'core' compares each claim with each, and {most} are too many; at most {_MOST}")
        claims = self._keep_faithful(claims, answers)
        asked = [(a, b) for several in claims for a in _list_texts(several) for b in _list_texts(several) if a != b]
        entailed = self._ask_entailment(asked)
        weights = self._weigh([text for several in claims for text in _list_texts(several)])
        return [self._choose_core(several, entailed, weights) for several in claims]

    def notes(self) -> list[str]:
        """Those of the extractor."""
        return list(getattr(self.extractor, "notes", list)())

    def recount(self) -> bool:
        """Let the extractor forget what it counted."""
        return count_again(self.extractor)

    def _keep_faithful(self, claims: Sequence[Sequence[Claim]], answers: Sequence[Answer]) -> list[list[Claim]]:
        """The claims that their sentences entail; failures pass."""
        premises = [source_sentences(answer, several) for answer, several in zip(answers, claims, strict=True)]
        pairs = [
            (premise, claim.text)
            for several, own in zip(claims, premises, strict=True)
            for claim, premise in zip(several, own, strict=True)
            if premise is not None and claim.failure is None
        ]
        entailed = self._ask_entailment(pairs)
        kept: list[list[Claim]] = []
        for several, own in zip(claims, premises, strict=True):
            kept.append([])
            for claim, premise in zip(several, own, strict=True):
                if premise is None or claim.failure is not None:
                    kept[-1].append(claim)
                elif entailed[premise, claim.text] is not False:
                    kept[-1].append(_mark_unread(claim, entailed[premise, claim.text]))
        return kept

    def _choose_core(
        self, claims: list[Claim], entailed: Mapping[tuple[str, str], bool | None], weights: Mapping[str, float]
    ) -> list[Claim]:
        texts = _list_texts(claims)
        unread = {b for a in texts for b in texts if a != b and entailed[a, b] is None}
        unread |= {text for text in texts if math.isnan(weights[text])}
        usable = [text for text in texts if text not in unread]
        conflicts = [
            (i, j) for j, b in enumerate(usable) for i, a in enumerate(usable[:j]) if entailed[a, b] or entailed[b, a]
        ]
        chosen = {usable[i] for i in heaviest_subset([weights[text] for text in usable], conflicts)}
        return [
            claim if claim.failure is not None else _mark_unread(claim, None if claim.text in unread else True)
            for claim in claims
            if claim.failure is not None or claim.text in chosen or claim.text in unread
        ]

    def _ask_entailment(self, pairs: Sequence[tuple[str, str]]) -> dict[tuple[str, str], bool | None]:
        """Whether the first entails the second; None where the model cannot read it."""
        distinct = list(dict.fromkeys(pairs))
        found = self.entailment.probabilities(distinct)
        return {pair: None if math.isnan(p) else p > self.threshold for pair, p in zip(distinct, found, strict=True)}

    def _weigh(self, texts: Sequence[str]) -> dict[str, float]:
        if self.weights == "uniform":
            return dict.fromkeys(texts, 1.0)
        return informativeness(texts, self.entailment, threshold=self.threshold)


def drop_duplicates(claims: Sequence[Claim]) -> list[Claim]:
    """The first of claims with exactly the same text; failures all stay."""
    first: dict[str, Claim] = {}
    for claim in claims:
        if claim.failure is None:
            first.setdefault(claim.text, claim)
    return [claim for claim in claims if claim.failure is not None or first[claim.text] is claim]


def informativeness(texts: Sequence[str], entailment: ClaimEntailment, *, threshold: float = 0.5) -> dict[str, float]:
    """-log of the highest P(t entails text) over the bleached statements t; 0 where that is above *threshold*.

    In [0, 13.8]; NaN for a text that the model cannot read.
    """
    statements = bleached_statements()
    distinct = list(dict.fromkeys(texts))
    found = iter(entailment.probabilities([(statement, text) for text in distinct for statement in statements]))
    weights = {}
    for text in distinct:
        own = [next(found) for _ in statements]
        highest = math.nan if any(map(math.isnan, own)) else max(own)
        weights[text] = 0.0 if highest > threshold else -math.log(max(highest, _LEAST))
    return weights


@load_once()
def bleached_statements() -> tuple[str, ...]:
    """True statements that say next to nothing."""
    text = (files("fas.claims.prompts") / _BLEACHED).read_text(encoding="utf-8")
    return tuple(line for line in text.splitlines() if line.strip() and not line.startswith("#"))


def _list_texts(claims: Sequence[Claim]) -> list[str]:
    return [claim.text for claim in claims if claim.failure is None]


def _mark_unread(claim: Claim, entailed: bool | None) -> Claim:
    """*claim*, or its failure where the model could not say whether it is entailed."""
    if entailed is None:
        return replace(claim, failure="core: the claim is too long for the entailment model")
    return claim
