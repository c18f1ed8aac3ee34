"""A language model reads an answer; the tables and the arithmetic of the rules decide on its flags.

One request an answer. The model names people with their states, drugs with what the answer does with each, and amounts.
What it quotes must stand in the answer, of people in the question or the answer; other quotes are dropped and counted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

from fas.core.errors import FasError
from fas.core.records import Answer
from fas.llm import Prompt, Reply, chat_model, parse_reply
from fas.llm.messages import ChatModel
from fas.llm.prompt_files import load_prompt_file
from fas.safety.allergies import check_allergens
from fas.safety.amounts import Owned
from fas.safety.case import SafetyCase, SafetyFinding
from fas.safety.contradictions import make_contradiction
from fas.safety.dictionary import is_english
from fas.safety.dosage import find_missing_doses
from fas.safety.excess import find_excess
from fas.safety.frequencies import Frequency
from fas.safety.matcher import DrugMatcher, Mention
from fas.safety.pairs import find_pairs_with
from fas.safety.patient import Fact, Patient
from fas.safety.persons import Person, check_person
from fas.safety.relations import RelationReading
from fas.safety.rules import RuleBook
from fas.safety.segments import SafetySegment
from fas.safety.stance import STANCES
from fas.safety.states import find_states
from fas.safety.text import normalise_text
from fas.safety.unknown_drugs import find_unknown_names

_MAX_TOKENS = 4096
_MOST_A_DAY = 96
_USED = frozenset({"advise", "allow"})


def _object(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def _list(items: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": items}


_TEXT = {"type": "string"}
_STATES, _TEXTS = _list(_object({"quote": _TEXT, "name": _TEXT})), _list(_TEXT)
_AMOUNTS = _list(_object({"quote": _TEXT, "per_day": {"type": ["number", "null"]}}))
_STANCE = {"type": "string", "enum": list(STANCES)}
_PERSON = _object({"who": _TEXT, "states": _STATES, "takes": _TEXTS, "allergies": _TEXTS})
_OF_DRUG = {"sentence": _TEXT, "name": _TEXT, "stance": _STANCE, "for": _TEXTS, "amounts": _AMOUNTS}
SCHEMA = _object({"people": _list(_PERSON), "drugs": _list(_object({**_OF_DRUG, "together_with": _TEXTS}))})


class ModelReadingError(FasError):
    """A language model's reading of an answer cannot be used: no reply, a refusal, or a reply of another shape."""


@dataclass(frozen=True)
class ModelReading(RelationReading):
    """An answer as a language model reads it; what the model does not name is not there.

    Attributes:
        named: Its amounts, each with the drug that the model gives it to.
        per_day: How often a day by the model, for segment and start of an amount.
    """

    named: Sequence[Owned] = ()
    per_day: Mapping[tuple[int, int], float] = field(default_factory=dict)

    @cached_property
    def amounts(self) -> list[Owned]:
        """The amounts that the model names."""
        return sorted(self.named, key=lambda owned: (owned.segment, owned.amount.start))

    def frequencies_of(self, number: int, start: int, end: int) -> Frequency | None:
        """How often an amount is taken: by the words around it, else by the model."""
        found, named = super().frequencies_of(number, start, end), self.per_day.get((number, start))
        return found if found is not None or named is None else Frequency(start, end, named, "model")


class _Said(NamedTuple):
    """What a reply says of one mention of a drug."""

    mention: Mention
    stance: str
    people: Sequence[str]
    together: Sequence[Mention]


class ModelReader:
    """Reads answers with a language model.

    Args:
        model: A name for `fas.llm.chat_model`, or a model.
        options: Settings of the model, where its name is given.

    Attributes:
        dropped: How many quotes of the replies read so far do not stand where they were quoted from.

    Raises:
        ValueError: An option is impossible.
    """

    def __init__(self, model: str | ChatModel, **options: Any) -> None:
        self._model = chat_model(model, **options) if isinstance(model, str) else model
        given = ("question", "answer")
        self._prompt = load_prompt_file("reading", package="fas.safety.prompts", placeholders=given, required=given[1:])
        self.dropped = 0

    @property
    def signature(self) -> str:
        """The model and the prompt."""
        return f"{self._model.signature},prompt={self._prompt.signature}"

    def ask(self, answers: Sequence[Answer]) -> list[Reply]:
        """One reply for each answer.

        Raises:
            RunStopped: The model cannot be reached at all, or the budget is spent.
        """
        values = [{"question": answer.question, "answer": answer.prediction} for answer in answers]
        return list(self._model.complete([Prompt(self._prompt.messages(v), SCHEMA, _MAX_TOKENS) for v in values]))

    def find(
        self, reply: Reply, read: RelationReading, matcher: DrugMatcher, book: RuleBook
    ) -> tuple[SafetyCase, list[SafetyFinding]]:
        """The answer as *reply* reads it, and what the tables say against it.

        Args:
            reply: What the model wrote.
            read: Text and segments of the answer.
            matcher: The names of drugs.
            book: The tables.

        Raises:
            ModelReadingError: There is no reply, or it is none to this prompt.
        """
        parsed = parse_reply(reply, SCHEMA)
        if not parsed.ok:
            raise ModelReadingError(f"the language model's reading cannot be used: {parsed.reason}")
        entities = _Entities(parsed.value, read, matcher)
        self.dropped += entities.dropped
        case = entities.build_case(book)
        return case, list(entities.find(case))


class _Entities:
    """What a reply names that stands in its answer."""

    def __init__(self, value: Mapping[str, Any], read: RelationReading, matcher: DrugMatcher) -> None:
        self._read, self._matcher, self.dropped = read, matcher, 0
        self._everything = f"{read.question}\n{read.text.plain}"
        self._amounts: list[Owned] = []
        self._per_day: dict[tuple[int, int], float] = {}
        self._people = {_key(person["who"]): self._person(person) for person in value["people"]}
        self._drugs = sorted(filter(None, map(self._drug, value["drugs"])), key=lambda said: said.mention.start)

    def _place(self, quote: str, text: str, first: int = 0, last: int | None = None) -> tuple[int, int] | None:
        """Where *quote* stands in *text*, blanks and case aside; counted as dropped if it does not."""
        form = r"\s+".join(map(re.escape, normalise_text(quote).plain.split()))
        found = re.compile(form, re.IGNORECASE).search(text, first, len(text) if last is None else last)
        self.dropped += not (form and found)
        return found.span() if form and found else None

    def _named(self, quotes: Sequence[str]) -> tuple[Mention, ...]:
        """The drugs and classes that *quotes* name, of those that stand in question or answer."""
        there = [quote for quote in quotes if self._place(quote, self._everything) is not None]
        return tuple(m for quote in there for m in self._matcher.find(normalise_text(quote))[:1])

    def _person(self, person: Mapping[str, Any]) -> Patient:
        facts: list[Fact] = []
        measures: dict[str, tuple[float, str]] = {}
        for quote, name in ((state["quote"], state["name"]) for state in person["states"]):
            there = self._place(quote, self._everything) is not None
            for text in (normalise_text(name).plain, normalise_text(quote).plain) if there else ():
                for found in find_states(text, [SafetySegment(0, len(text), text, "sentence")], self._read.conditions):
                    if found.value is None:
                        facts.append(Fact(found.key, quote))
                    else:
                        measures.setdefault(found.key, (found.value, quote))
        known = Patient().with_facts(self._read.conditions, facts, measures)
        return replace(known, drugs=self._named(person["takes"]), allergies=self._named(person["allergies"]))

    def _drug(self, drug: Mapping[str, Any]) -> _Said | None:
        plain = self._read.text.plain
        sentence = self._place(drug["sentence"], plain)
        place = sentence and self._place(drug["name"], plain, *sentence)
        if not sentence or not place:
            return None
        known = next(iter(self._matcher.find(normalise_text(drug["name"]))), Mention(*place, ""))
        mention = replace(known, start=place[0], end=place[1], text=plain[slice(*place)])
        for amount in drug["amounts"] if drug["stance"] in _USED else ():
            if (at := self._place(amount["quote"], plain, *sentence)) is not None:
                self._take_amount(at, mention, amount["per_day"])
        return _Said(mention, drug["stance"], list(map(_key, drug["for"])), self._named(drug["together_with"]))

    def _take_amount(self, place: tuple[int, int], mention: Mention, per_day: float | None) -> None:
        """Take the amounts of the text that overlap *place* as those of *mention*."""
        for number, segment in enumerate(self._read.segments):
            for amount in self._read.doses[number].amounts:
                if segment.start + amount.start < place[1] and place[0] < segment.start + amount.end:
                    self._amounts.append(Owned(amount, number, frozenset(mention.ingredients)))
                    if per_day is not None and 0 < per_day <= _MOST_A_DAY:
                        self._per_day[number, amount.start] = per_day

    def build_case(self, book: RuleBook) -> SafetyCase:
        """The answer with the entities and stances of the reply."""
        old, mentions, odd = self._read, [], []
        for segment in old.segments:
            inside = [said for said in self._drugs if segment.start <= said.mention.start < segment.end]
            mentions.append([said.mention for said in inside if _is_known(said.mention)])
            odd.append([said.mention for said in inside if self._is_strange(said)])
        self._drugs = [said for said in self._drugs if any(said.mention in named for named in mentions)]
        patient = self._people.get("reader", Patient())
        told = (patient, old.question, patient.drugs, old.conditions, frozenset[int](), odd)
        reading = ModelReading(old.text, old.segments, mentions, *told, named=self._amounts, per_day=self._per_day)
        return SafetyCase(reading, book, [{s: float(s == said.stance) for s in STANCES} for said in self._drugs])

    def _is_strange(self, said: _Said) -> bool:
        word = said.mention.text.lower()
        return said.stance in _USED and not (_is_known(said.mention) or self._matcher.nearby(word) or is_english(word))

    def find(self, case: SafetyCase) -> Iterator[SafetyFinding]:
        """What the tables say against the drugs that are advised or allowed."""
        stances = {drug.start: said.stance for drug, said in zip(case.reading.drugs, self._drugs, strict=True)}
        stopped = {said.mention.lead for said in self._drugs if said.stance in ("stop", "discourage")}
        for n, (mention, stance, people, together) in enumerate(self._drugs):
            if stance not in _USED:
                continue
            drug, own = case.reading.drugs[n], {"s:advise": float(stance == "advise")}
            for patient in (self._people.get(who, Patient()) for who in people or ["reader"]):
                yield from check_person(case, drug, own, Person(patient, "question", {}))
                yield from check_allergens(case, drug, own, [(m, {"b:question": 1.0}) for m in patient.allergies])
                for other in (*(m for m in patient.drugs if m.lead not in stopped), *together):
                    yield from find_pairs_with(case, n, other) if other.lead != mention.lead else ()
            for m, other_said in enumerate(self._drugs) if stance == "advise" else ():
                if other_said.stance == "discourage" and other_said.mention.lead == mention.lead:
                    yield make_contradiction(case, mention.lead, n, m)
        for finding in find_missing_doses(case):
            if (stance := stances[finding.place.start]) in _USED:
                yield replace(finding, status=finding.status or (None if stance == "advise" else "weak"))
        yield from find_excess(case)
        yield from find_unknown_names(case)


def _is_known(mention: Mention) -> bool:
    return bool(mention.ingredients or mention.class_key)


def _key(who: str) -> str:
    return " ".join(who.lower().split())
