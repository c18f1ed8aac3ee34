"""Drugs, amounts and states of an answer: the context of each, and which may belong together.

Everything is bound loosely here: a drug is bound to every state in its sentence, in what governs it and in the
sentences beside it, an amount to the drug that it most likely is of. What a binding is worth is learned
(`fas.safety.stance`, `fas.safety.flags`): it comes with features, which are named, so that a weight can be read.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice, pairwise
from operator import attrgetter

from fas.safety.amounts import Owned, find_owners
from fas.safety.context import Context
from fas.safety.doses import NO_DOSES, Doses, find_doses
from fas.safety.frequencies import Frequency
from fas.safety.matcher import Mention
from fas.safety.patient import Features, Patient, find_question_states
from fas.safety.rules import Condition
from fas.safety.segments import SafetySegment
from fas.safety.states import State, find_states
from fas.safety.structure import Structure
from fas.safety.text import Text

_TOKEN = re.compile(r"[A-Za-z]+(?:['’][a-z]+)?|\d[\d.,]*|[?!:;()]")
_QUOTES = re.compile(r'"')
_YES = re.compile(
    r"\W*(?:yes|yeah|yep|sure|absolutely|definitely|certainly|of course|you can|it is fine|"
    r"it's fine|that's fine|no problem)\b",
    re.IGNORECASE,
)
_NO = re.compile(r"\W*(?:no|nope|please don'?t|don'?t|never|not|better not|unfortunately)\b", re.IGNORECASE)
_REFUSES = re.compile(
    r"[\s*_]*(?:$|[?❌✗✘🚫-]|(?:no|not|never|avoid\w*|contra\w*|unsafe|stop|do|don't|only|with|caution|ask|unknown|limited|"
    r"n/a|rarely|depends|maybe|discuss|consult|if|unless|under|after|until)\b)",
    re.IGNORECASE,
)
_LEFT, _RIGHT = 8, 10
_FREQUENCY = 200
"""Longest distance in characters between an amount and the end of its frequency."""
_start = attrgetter("start")
BINDINGS = ("same", "label", "column", "row", "heading", "lead", "before", "after")


@dataclass(frozen=True, slots=True)
class MentionPlace:
    """The place of a drug, an amount or a state in an answer, and features of its context.

    Attributes:
        start: First character, in the plain answer.
        end: One past the last.
        segment: The segment that it stands in.
        features: What stands around it, by name.
    """

    start: int
    end: int
    segment: int
    features: Features


@dataclass(frozen=True, slots=True)
class Drug(MentionPlace):
    """A drug mention with features of its context."""

    mention: Mention


@dataclass(frozen=True)
class RelationReading:
    """An answer as entities and what binds them.

    Attributes:
        text: The answer.
        segments: Its segments.
        structure: What governs what.
        mentions: Drugs of each segment.
        patient: What the question says of the patient.
        question: The question.
        question_drugs: Drugs named in the question.
        conditions: Conditions that can be found.
        unread: Segments that address somebody else.
        strangers: Words of each segment that stand where a drug would and are none that is known.
    """

    text: Text
    segments: Sequence[SafetySegment]
    mentions: Sequence[Sequence[Mention]]
    patient: Patient
    question: str
    question_drugs: Sequence[Mention]
    conditions: Mapping[str, Condition]
    unread: frozenset[int] = frozenset()
    strangers: Sequence[Sequence[Mention]] = ()
    _tokens: dict[int, list[tuple[str, int, int]]] = field(default_factory=dict)
    _contexts: dict[int, tuple[Context, list[tuple[int, int, int]]]] = field(default_factory=dict)
    _bags: dict[tuple[int, int], frozenset[str]] = field(default_factory=dict)
    _routes: dict[str, frozenset[str]] = field(default_factory=dict)

    @cached_property
    def structure(self) -> Structure:
        """What governs each place."""
        return Structure(self.text.plain, self.segments)

    @cached_property
    def doses(self) -> list[Doses]:
        """Doses of each segment; offsets are into it."""
        return [NO_DOSES if n in self.unread else find_doses(s.text) for n, s in enumerate(self.segments)]

    @cached_property
    def states(self) -> list[State]:
        """States that the answer names."""
        found = find_states(self.text.plain, self.segments, self.conditions)
        return [state for state in found if state.segment not in self.unread]

    @cached_property
    def question_states(self) -> list[State]:
        """States that the question names."""
        return find_question_states(self.question, self.conditions)

    @cached_property
    def states_of(self) -> list[list[State]]:
        """The states of each segment."""
        found: list[list[State]] = [[] for _ in self.segments]
        for state in self.states:
            found[state.segment].append(state)
        return found

    @cached_property
    def drugs(self) -> list[Drug]:
        """Every drug mention."""
        return [
            Drug(m.start, m.end, number, self.drug_features(number, m), m)
            for number, named in enumerate(self.mentions)
            for m in named
        ]

    @cached_property
    def unknown(self) -> list[Drug]:
        """Every unknown name in the place of a drug."""
        return [
            Drug(m.start, m.end, number, self.drug_features(number, m), m)
            for number, named in enumerate(self.strangers)
            for m in named
        ]

    def drug_features(self, number: int, mention: Mention) -> Features:
        """Features of a drug mention of segment *number*: its context, and what the question says about the drug."""
        return self.around(number, mention.start, mention.end) | self._as_drug(number, mention)

    def around(self, number: int, start: int, end: int) -> Features:
        """Features of the context of the characters from *start* to *end* of segment *number*."""
        segment = self.segments[number]
        context, places = self._context(number)
        at = next((s - p + start for s, p, n in places if p <= start < p + n), None)
        made: Features = {}
        if at is not None:
            made |= {f"c:{name}": near for name, near in context.said(at, at + end - start).items()}
        for governor in self.structure.governors(number, start):
            kind = "heading" if governor.kind == "lead" else governor.kind
            for name in self.bag(governor.start, governor.end):
                made[f"{kind}:{name}"] = 1.0
            made[f"has {kind}"] = 1.0
            if governor.kind != "before":
                for word in self.words(governor.start, governor.end)[:12]:
                    made[f"h={word}"] = 1.0
        if number + 1 < len(self.segments) and self.segments[number + 1].kind == segment.kind == "sentence":
            after = self.segments[number + 1]
            for name in self.bag(after.start, after.end):
                made[f"next:{name}"] = 1.0
        made |= self._ngrams(number, start, end)
        text = segment.text
        made[f"is {segment.kind}"] = 1.0
        made["asks"] = float(text.rstrip(" *_\"')").endswith("?"))
        made["first"] = float(number == self._first)
        made["quoted"] = float(len(_QUOTES.findall(self.text.plain, segment.start, start)) % 2 == 1)
        made["block quote"] = float(self.text.plain.rfind(">", self._line_start(start), start) >= 0)
        return {name: value for name, value in made.items() if value}

    def _as_drug(self, number: int, mention: Mention) -> Features:
        """What the question, the doses and the form of a drug mention say of it."""
        segment, doses = self.segments[number], self.doses[number]
        at, close = mention.start - segment.start, mention.end - segment.start
        made: Features = {"pronoun": float(mention.pronoun), "class": float(mention.class_key is not None)}
        amounts = [a for a in doses.amounts if a.unit != "%"]
        made["dose right"] = float(any(-2 <= a.start - close <= 40 for a in amounts))
        made["dose left"] = float(any(-2 <= at - a.end <= 15 for a in amounts))
        made["timed"] = float(any(-60 <= f.start - close <= 90 for f in doses.frequencies))
        made["dosed and timed"] = (made["dose right"] or made["dose left"]) * made["timed"]
        made["opens"] = float(not segment.text[:at].strip(" *_-\"'"))
        lead = mention.lead
        for name, said in self._told.items():
            made[f"q {name}"] = float(lead in said)
        if made["q named"] and self._answer_opens:
            made[f"q named, answer says {self._answer_opens}"] = 1.0
        made["q asks permission"] = float(self.patient.asks_permission)
        made["no question"] = float(not self.question)
        return {name: value for name, value in made.items() if value}

    @cached_property
    def _told(self) -> dict[str, frozenset[str]]:
        """The drugs of the question by the part that they play in it."""
        patient = self.patient
        parts = {"asked": patient.asked, "current": patient.drugs, "allergen": patient.allergies}
        return {name: frozenset(m.lead for m in own) for name, own in (parts | {"named": self.question_drugs}).items()}

    @cached_property
    def _first(self) -> int:
        return next((n for n, s in enumerate(self.segments) if s.kind != "heading"), 0)

    @cached_property
    def _answer_opens(self) -> str:
        if not self.segments or not self.patient.asks_permission:
            return ""
        text = self.segments[self._first].text
        return "yes" if _YES.match(text) else "no" if _NO.match(text) else ""

    def _line_start(self, at: int) -> int:
        return self.text.plain.rfind("\n", 0, at) + 1

    def _context(self, number: int) -> tuple[Context, list[tuple[int, int, int]]]:
        if number not in self._contexts:
            text, places = self.structure.read_out(number)
            self._contexts[number] = Context(text), places
        return self._contexts[number]

    def bag(self, start: int, end: int) -> frozenset[str]:
        """The modifiers whose words occur from *start* to *end* of the answer."""
        if (start, end) not in self._bags:
            self._bags[start, end] = Context(self.text.plain[start : min(end, start + 400)]).anywhere()
        return self._bags[start, end]

    def words(self, start: int, end: int) -> list[str]:
        """The words from *start* to *end* of the answer, in lower case."""
        return [m.group().lower() for m in _TOKEN.finditer(self.text.plain, start, min(end, start + 160))]

    def tokens(self, number: int) -> list[tuple[str, int, int]]:
        """The words of a segment, entities replaced by what they are; offsets are into the plain answer."""
        if number not in self._tokens:
            segment = self.segments[number]
            marks = [(m.start, m.end, "DRUG") for m in self.mentions[number] if not m.pronoun]
            marks += [(s.start, s.end, "AGE" if s.value is not None else "COND") for s in self.states_of[number]]
            marks.sort()
            found: list[tuple[str, int, int]] = []
            at = 0
            for match in _TOKEN.finditer(self.text.plain, segment.start, segment.end):
                while at < len(marks) and marks[at][1] <= match.start():
                    at += 1
                if at < len(marks) and marks[at][0] <= match.start() < marks[at][1]:
                    kind = marks[at][2]
                    if not (found and found[-1][0] == kind and found[-1][1] == marks[at][0]):
                        found.append((kind, marks[at][0], marks[at][1]))
                    continue
                word = match.group().lower().replace("’", "'")
                parts = (word[:-3], "not") if word.endswith("n't") else ("NUM" if word[0].isdigit() else word,)
                found += [(part, match.start(), match.end()) for part in parts]
            self._tokens[number] = found
        return self._tokens[number]

    def _ngrams(self, number: int, start: int, end: int) -> Features:
        tokens = self.tokens(number)
        low, high = 0, len(tokens)
        while low < high:  # the first token that ends behind the start of the place
            middle = (low + high) // 2
            low, high = (middle + 1, high) if tokens[middle][2] <= start else (low, middle)
        left = [word for word, _, _ in tokens[max(0, low - _LEFT) : low]][::-1]
        rest = low
        while rest < len(tokens) and tokens[rest][1] < end:
            rest += 1
        right = [word for word, _, _ in tokens[rest : rest + _RIGHT]]
        made: Features = {}
        for side, words in (("l", left), ("r", right)):
            for n, word in enumerate(words):
                made[f"{side}={word}"] = 1.0
                if n < 2:
                    made[f"{side}{n + 1}={word}"] = 1.0
            for one, other in pairwise(words[:7]):
                pair = f"{other} {one}" if side == "l" else f"{one} {other}"
                made[f"{side}={pair}"] = 1.0
        for word, _, _ in tokens[:3]:
            made[f"o={word}"] = 1.0
        return made

    def bound_states(self, number: int, start: int) -> dict[str, list[State]]:
        """The states that may belong to the words at *start* of segment *number*, by kind of binding."""
        segment = self.segments[number]
        found: dict[str, list[State]] = {}
        own, column = self.states_of[number], self.structure.cell(number, start)
        if column is None:
            found["same"] = own
        else:
            cells = self.structure.cells(number)
            found["same"] = [s for s in own if self.structure.cell(number, s.start) == column]
            found["row"] = [s for s in own if s not in found["same"]]
            top = self.structure.top(number)
            if top != number:
                heads = self.structure.cells(top)
                # The head of the drug's own column, or, for a drug that opens its row, of any other.
                for n, (left, right) in enumerate(heads):
                    answered = column == 0 and n < len(cells) and not self._refuses(cells[n])
                    if n == column or answered:
                        inside = [s for s in self.states_of[top] if left <= s.start < right]
                        found["column"] = [*found.get("column", []), *inside]
        for governor in self.structure.governors(number, start):
            if governor.kind in ("heading", "lead", "label"):
                inside = [s for s in self.states_of[governor.segment] if governor.start <= s.start < governor.end]
                found[governor.kind] = [*found.get(governor.kind, []), *inside]
        if segment.kind in ("sentence", "item"):
            for name, other in (("before", number - 1), ("after", number + 1)):
                if 0 <= other < len(self.segments) and self.segments[other].kind in ("sentence", "item"):
                    apart = self.segments[other].kind != segment.kind or segment.kind == "item"
                    if not (apart and self.segments[other].kind == "item"):
                        found[name] = self.states_of[other]
        return {name: states for name, states in found.items() if states}

    def _refuses(self, cell: tuple[int, int]) -> bool:
        """Whether a cell answers its head with no, with a limit or with nothing."""
        return _REFUSES.match(self.text.plain, *cell) is not None

    @cached_property
    def amounts(self) -> list[Owned]:
        """Every amount with the drug that it is most likely of."""
        return find_owners(self)

    def routes_of(self, drug: str) -> frozenset[str]:
        """The routes stated in the segments with amounts of *drug*."""
        if drug not in self._routes:
            places = {owned.segment for owned in self.amounts if drug in owned.drugs}
            self._routes[drug] = frozenset(name for place in places for name in self.doses[place].routes)
        return self._routes[drug]

    def frequencies_of(self, number: int, start: int, end: int) -> Frequency | None:
        """How often the amount from *start* to *end* of a segment is taken, by the words around it; None if unsaid."""
        doses = self.doses[number]
        # What only says an amount again ("450 mg or about 14 mL, every four hours") does not end its reach.
        later = islice(doses.amounts, bisect_left(doses.amounts, max(end, start + 1), key=_start), None)
        limit = next((a.start for a in later if not (a.unit == "ml" and a.start < end + 25)), end + 80)
        first = bisect_left(doses.frequencies, start - _FREQUENCY, key=_start)
        near = doses.frequencies[first : bisect_left(doses.frequencies, end + 80, key=_start)]
        after = [f for f in near if end <= f.start < limit or f.start < end <= f.end]
        inside = [f for f in near if f.start < end and start < f.end]
        timed = [f for f in (*inside, *after) if f.per_day is not None]
        if timed:
            return timed[0]
        before = [f for f in near if start - 60 <= f.end <= start and f.per_day is not None]
        return before[-1] if before and not after else None
