"""Which of the loosely bound candidates an answer bears out, judged by a language-inference model.

`fas.safety.loosely` says what rules would raise if a sentence allowed the drug that it speaks of. Here the embedded
NLI model reads that sentence, with the drug's name in front, against four hypotheses (the drug can be taken by these
people, is safe for them, should not be taken, can harm), and a logistic regression over what it says of each, over the
words of praise and warning of `verdicts.tsv` and over how the candidate was bound gives the probability that the
sentence does allow it. What is at or above the threshold of its kind becomes a flag, which says that it was read so.

The regressions are data (`entailed.json`), one for each NLI model that they were fitted for, made by
`python -m benchmarks.safety.entailed`.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fas.loading import once
from fas.records import Flag
from fas.safety.loosely import Candidate, Kind
from fas.safety.rules import Condition
from fas.safety.spoken_well import speaks_well, words

if TYPE_CHECKING:
    from fas.models.nli import NliModel

TABLE = Path(__file__).with_name("entailed.json")
KINDS: tuple[Kind, ...] = ("people", "patient", "dose")
_PEOPLE = {"pregnancy": "pregnant women", "breastfeeding": "breastfeeding mothers", "old_age": "older adults"}
_FARTHEST = 8.0
"""Log odds beyond which a probability of the model tells nothing more."""


@dataclass(frozen=True, slots=True)
class Regression:
    """A fitted reader.

    Attributes:
        model: Signature of the NLI model that it was fitted for.
        weights: One for each feature (`features`).
        bias: Added to their sum.
        thresholds: The probability from which a candidate of a kind becomes a flag.
    """

    model: str
    weights: tuple[float, ...]
    bias: float
    thresholds: Mapping[Kind, float]

    def probability(self, row: Sequence[float]) -> float:
        """How likely the sentence allows what the candidate says, between 0 and 1."""
        total = self.bias + sum(weight * value for weight, value in zip(self.weights, row, strict=True))
        return 1 / (1 + math.exp(-total))


class Judge:
    """Judges candidates by an embedded NLI model, which is loaded when the first one comes.

    Args:
        name: `fas-nli-mini`, which is part of the package, or `fas-nli-base`, whose weights are fetched once.

    Raises:
        ValueError: There is no regression for *name*.
    """

    def __init__(self, name: str) -> None:
        known = regressions()
        if name not in known:
            raise ValueError(f"no regression for the NLI model {name!r}; there are {', '.join(sorted(known))}")
        self._name = name
        self._regression = known[name]
        self.signature = self._regression.model

    def flags(self, found: Sequence[Candidate], conditions: Mapping[str, Condition]) -> list[Flag | None]:
        """The flag of each candidate that its sentence bears out, None for the others."""
        if not found:
            return []
        chosen: list[Flag | None] = []
        for candidate, row in zip(found, self.features(found, conditions), strict=True):
            p = self._regression.probability(row)
            message = f"{candidate.flag.message}; read by {self.signature}, {p:.2f}"
            kept = p >= self._regression.thresholds[candidate.kind]
            chosen.append(replace(candidate.flag, message=message) if kept else None)
        return chosen

    def features(self, found: Sequence[Candidate], conditions: Mapping[str, Condition]) -> list[list[float]]:
        """The features of each candidate: entailment and contradiction of the hypotheses, words, and its kind."""
        asked = [hypotheses(candidate, conditions) for candidate in found]
        pairs = [(_premise(candidate), text) for candidate, texts in zip(found, asked, strict=True) for text in texts]
        logits = self._model().logits(pairs).tolist()
        n = len(asked[0])
        return [
            features(logits[place * n : place * n + n], candidate.sentence, candidate.kind)
            for place, candidate in enumerate(found)
        ]

    def _model(self) -> NliModel:
        from fas.models.nli import load_nli

        return load_nli(self._name, precision="fp32")  # a flag must not depend on the machine


def hypotheses(candidate: Candidate, conditions: Mapping[str, Condition]) -> tuple[str, str, str, str]:
    """What is asked of a sentence: that the drug can be taken, is safe, should not be taken, can harm."""
    drug = candidate.flag.drug or ""
    named = _capital(drug)
    if candidate.kind == "dose":
        return (
            f"The patient can take {drug} at this dose.",
            f"This dose of {drug} is safe.",
            f"This dose of {drug} should not be taken.",
            f"This dose of {drug} is too high.",
        )
    whom, beside = "the patient", ""
    if candidate.kind == "people":
        whom = _people(candidate.flag, conditions)
    elif candidate.flag.flag in ("INTERACTION", "DRUG_PAIR_CONTRAINDICATED"):
        beside = f" with {candidate.flag.target}"
    return (
        f"{named} can be taken by {whom}{beside}."
        if candidate.kind == "people"
        else f"The patient can take {drug}{beside}.",
        f"{named} is safe for {whom}{beside}.",
        f"{_capital(whom)} should not take {drug}{beside}.",
        f"{named}{beside} can harm {whom}.",
    )


def features(logits: Sequence[Sequence[float]], sentence: str, kind: Kind) -> list[float]:
    """What the regression weighs, from the model's logits of each hypothesis."""
    said = [_probabilities(row) for row in logits]
    return [
        *(_log_odds(row[0]) for row in said),
        *(_log_odds(row[2]) for row in said),
        float(speaks_well(sentence)),
        *(float(words(what).search(sentence) is not None) for what in ("warns", "good", "taken back")),
        *(float(kind == each) for each in KINDS),
    ]


@once(1)
def regressions() -> dict[str, Regression]:
    """The fitted readers, by the name of their NLI model."""
    table: dict[str, dict[str, Any]] = json.loads(TABLE.read_text(encoding="utf-8"))
    return {
        name: Regression(row["model"], tuple(row["weights"]), row["bias"], row["thresholds"])
        for name, row in table.items()
    }


def _premise(candidate: Candidate) -> str:
    return f"{_capital(candidate.flag.drug or '')}: {candidate.sentence}"


def _people(flag: Flag, conditions: Mapping[str, Condition]) -> str:
    target = flag.target or ""
    if (age := re.search(r"age_years<=?([\d.]+)", target)) is not None:
        return f"children under {age[1]}"
    if flag.flag == "AGE_RESTRICTED":
        return "older adults"
    if target in _PEOPLE:
        return _PEOPLE[target]
    return f"patients with {conditions[target].label if target in conditions else target}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _probabilities(logits: Sequence[float]) -> list[float]:
    most = max(logits)
    parts = [math.exp(value - most) for value in logits]
    return [part / sum(parts) for part in parts]


def _log_odds(p: float) -> float:
    least = 1 / (1 + math.exp(_FARTHEST))
    p = min(max(p, least), 1 - least)
    return math.log(p / (1 - p))
