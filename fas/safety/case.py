"""The state of one answer while it is checked, and the candidate flags (findings) found in it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from fas.safety.matcher import Mention
from fas.safety.patient import Features
from fas.safety.relations import MentionPlace, RelationReading
from fas.safety.rules import RuleBook, SafetyRule
from fas.safety.stance import Model
from fas.safety.vocabulary import DrugClass

FAR = 6
"""Segments between two drugs beyond which they are not compared."""
MOST_PLACES = 6
"""Mentions of one drug that a finding is looked for at."""


@dataclass(frozen=True, slots=True)
class SafetyFinding:
    """A candidate for a flag.

    Attributes:
        family: The regression that judges it.
        code: The flag's name, with its sub-code behind a dot.
        drug: The ingredient or class it is about.
        target: The condition, partner or excess.
        place: The mention or amount that it stands on.
        features: Evidence for and against it.
        severity: high, medium or low.
        rule: The row of a table, or None.
        status: None for an ordinary flag.
        words: What the message says between the stance of the answer and the source.
        lead: The leading ingredient of the mention.
    """

    family: str
    code: str
    drug: str
    target: str | None
    place: MentionPlace
    features: Features
    severity: str
    rule: SafetyRule | None = None
    status: str | None = None
    words: str = ""
    lead: str = ""

    @property
    def flag(self) -> str:
        """The flag's name without its sub-code."""
        return self.code.partition(".")[0]


@dataclass
class SafetyCase:
    """One answer while it is checked.

    Attributes:
        reading: The answer.
        book: The tables.
        stances: For each drug mention of the reading, the probability of each stance.
        state: The model that classifies states.
    """

    reading: RelationReading
    book: RuleBook
    stances: Sequence[Mapping[str, float]] = ()
    state: Model | None = None
    by_lead: dict[str, list[int]] = field(default_factory=dict)
    made: dict[int, Features] = field(default_factory=dict)
    most: dict[str, Features] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for n, drug in enumerate(self.reading.drugs):
            self.by_lead.setdefault(drug.mention.lead, []).append(n)

    def state_stance(self, features: Features) -> dict[str, float]:
        """The probability of each class of a state: the reader's, a group's, denied, past, another person's, ..."""
        return self.state.probabilities(features) if self.state is not None else {}

    def use(self, n: int) -> float:
        """The probability that mention *n* advises or allows its drug."""
        if not self.stances:
            return 0.5
        own = self.stances[n]
        return own["advise"] + own["allow"] + 0.5 * own["condition"]

    def mention_features(self, n: int) -> Features:
        """The features of mention *n*, of its stance and of the other mentions of the same drug."""
        if n not in self.made:
            self.made[n] = self._mention_features(n)
        return self.made[n]

    def _mention_features(self, n: int) -> Features:
        drug = self.reading.drugs[n]
        made = dict(drug.features)
        if self.stances:
            made |= {f"s:{name}": p for name, p in self.stances[n].items()}
            made["s:use"] = self.use(n)
            others = [m for m in self.by_lead[drug.mention.lead] if m != n]
            if others:
                made["s:others use"] = max(self.use(m) for m in others)
                made["s:others discourage"] = max(self.stances[m]["discourage"] for m in others)
                made["s:others stop"] = max(self.stances[m]["stop"] for m in others)
        made["many mentions"] = math.log(len(self.by_lead[drug.mention.lead]))
        made["only drug"] = float(len(self.by_lead) == 1)
        made["many drugs"] = float(len(self.by_lead) > 3)
        return {name: value for name, value in made.items() if value}

    def strongest(self, lead: str) -> Features:
        """How far the mention of a drug that does most stops, discourages or allows it, as features of another drug."""
        if lead not in self.most:
            own = self.by_lead[lead]
            self.most[lead] = {
                f"P s:{name}": max(self.stances[n][name] for n in own) for name in ("stop", "discourage")
            }
            self.most[lead]["P s:use"] = max(map(self.use, own))
        return self.most[lead]

    def places(self, lead: str) -> list[int]:
        """The mentions of a drug that findings are looked for at: those most likely to advise it."""
        return sorted(self.by_lead[lead], key=lambda n: (-self.use(n), n))[:MOST_PLACES]

    def group(self, mention: Mention) -> DrugClass | None:
        """The class that *mention* names, or None."""
        return self.book.vocabulary.classes.get(mention.class_key) if mention.class_key else None

    def names(self, mention: Mention) -> tuple[str, ...]:
        """What flags call the drugs of *mention*: its ingredients, or the label of its class."""
        group = self.group(mention)
        return (group.label,) if group is not None else mention.ingredients

    def applicable(self, mention: Mention, table: str) -> Iterator[tuple[str, SafetyRule]]:
        """The rules of a table on *mention*, each with the name the flag gives the drug."""
        group = self.group(mention)
        if group is not None:
            # What is said of a class is held against a rule only if the rule covers every member.
            yield from ((group.label, rule) for rule in getattr(self.book, table) if group.members <= rule.drugs)
            return
        for drug in mention.ingredients:
            yield from ((drug, rule) for rule in self.book.by_drug[table].get(drug, ()))
