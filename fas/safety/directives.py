"""Whether a sentence tells someone to use a drug, not to use it, or neither.

The record is `fas.safety.directive.Directive`; a drug is judged by the verb that governs it
(`governed`), or as subject or bare name (`subjects`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from fas.reading.pattern_tables import patterns_of
from fas.safety.clauses import CONDITION, RELATIVE, Clause, clause_of, clauses
from fas.safety.cues import CUES, IMPERATIVES
from fas.safety.directive import Context, Directive, Item
from fas.safety.doses import Doses
from fas.safety.governed import as_object, governor
from fas.safety.offered import is_offered
from fas.safety.phrases import set_phrase
from fas.safety.predicates import joined_predicate, own_predicate, without_coordination
from fas.safety.subjects import Surroundings
from fas.safety.weakening import (
    is_added_to,
    is_compared,
    is_compatibility,
    is_hearsay,
    is_manner,
    is_permission,
    is_told,
    only_obtains,
)

if TYPE_CHECKING:
    from spacy.tokens import Doc


DIRECTIVES = patterns_of(__file__)


_OF_A_CONDITION = frozenset("need needs have has want wants must are is take takes use uses".split())


class SentenceReader:
    """Reads the directives of one parsed sentence.

    Args:
        doc: The parse; its text is the sentence.
        spans: Character spans of the drug names in the sentence, ascending.
        doses: Doses found in the sentence.
        context: What it stands in.
    """

    def __init__(self, doc: Doc, spans: Sequence[tuple[int, int]], doses: Doses, context: Context) -> None:
        self.doc = doc
        self._text: str = doc.text  # spaCy puts it together anew each time
        self.spans = spans
        self.doses = doses
        self.context = context
        self._around = Surroundings(doc, doses, context)
        self.clauses = clauses(doc, IMPERATIVES)
        self._tokens = [_token_at(doc, start) for start, _ in spans]
        self._covered: dict[int, int] = {}
        for number, (start, end) in enumerate(spans):
            for token in doc:
                if token.idx < end and start < token.idx + len(token):
                    self._covered.setdefault(token.i, number)

    def clause_number(self, number: int) -> int:
        """Index of the clause that holds drug name *number*."""
        return clause_of(self.clauses, self._tokens[number])

    def clause_span(self, clause: Clause) -> tuple[int, int]:
        """Characters of the sentence that *clause* covers."""
        first, last = self.doc[clause.tokens[0]], self.doc[clause.tokens[-1]]
        return first.idx, last.idx + len(last)

    def read(self, number: int) -> Directive:
        """The directive about drug name *number*."""
        clause = self.clauses[self.clause_number(number)]
        items, at = self._items(clause, number)
        left = " ".join(item.text for item in items[:at])
        right = own_predicate(items, at)
        # "as she coughed on §, ¤ is ..." says nothing of §.
        elsewhere = right.startswith(", ¤") and DIRECTIVES.governed_before.search(left)
        right = "" if elsewhere else without_coordination(right)
        span = self.clause_span(clause)
        whole = self._text[span[0] : span[1]]
        before = self._text[: self.spans[number][0]].lower()
        made = self._judge(clause, items, at, left, right, before, number)
        if made.strength == "none" and made.polarity == "positive" and not clause.mark and at <= 3:
            made = self._second_predicate(number, items, at, left, before) or made
        if made.strength == "none" and made.polarity == "positive" and self.context.heading:
            made = self._around.from_heading(items, at, made)
        offered = (
            made.strength == "none"
            and made.polarity == "positive"
            and clause.mark not in RELATIVE
            and clause.mark.removeprefix("even ") not in CONDITION
            and not self._is_dismissed(left, before)
            and is_offered(self._text, *self.spans[number], self.doses, self.context.heading, self.spans)
        )
        if offered:
            made = Directive("weak")
        tail = self._text[self.spans[number][0] :]
        # "with your levothyroxine": the reader has it already.
        owned = DIRECTIVES.owned.search(f"{left} ") is not None and not made.relative
        return Directive(
            made.strength,
            made.polarity,
            made.permissive,
            compatible=made.polarity == "positive" and is_compatibility(left, self._following(items, at, span[1])),
            allowed=is_permission(left) or made.permissive,
            manner=is_manner(own_predicate(items, at)),
            example=made.example,
            deferred=bool(CUES.deferred.search(tail) or CUES.deferred.search(whole)),
            as_prescribed=owned or bool(CUES.as_prescribed.search(tail) or CUES.as_prescribed.search(whole)),
            relative=made.relative,
            offered=offered,
            bare=made.polarity == "negative"
            and not clause.mark
            and CUES.unqualified.fullmatch(self._text[self.spans[number][1] :]) is not None,
            clause=span,
        )

    def _goes_on_with_condition(self, clause: Clause, items: Sequence[Item]) -> bool:
        """Whether the drug stands in the second half of a condition ("if you are ill | and need to take §, | ask")."""
        number = self.clauses.index(clause)
        return (
            0 < number < len(self.clauses) - 1
            and self.clauses[number - 1].mark in ("if", "when", "unless")
            and not clause.mark
            and len(items) > 2
            and items[0].text in ("and", "or")
            and items[1].tag in ("VB", "VBP", "VBZ")
            and items[1].text in _OF_A_CONDITION
        )

    def _is_dismissed(self, left: str, before: str) -> bool:
        """Whether something else than the lack of words of advice speaks against reading an offer."""
        return bool(
            self._around.is_report() or CUES.label.search(self._text) or is_compared(left) or is_hearsay(before)
        )

    def _second_predicate(self, number: int, items: list[Item], at: int, left: str, before: str) -> Directive | None:
        """What a predicate joined to the drug's own says of it ("§ is an old drug | and is fine for you")."""
        if any(item.tag.startswith("V") for item in items[:at]):
            return None
        right = joined_predicate(self.doc, self.clauses, self.clause_number(number), self._covered)
        if not right:
            return None
        found = self._around.as_subject(items, at, left, right, before, hypothetical=False)
        return found if found.strength != "none" else None

    def _following(self, items: Sequence[Item], at: int, end: int) -> str:
        """The clause after the drug, and the rest of the sentence if that goes on with another drug ("and ¤ ...")."""
        rest, shift = self._text[end:], end
        for start, stop in reversed([span for span in self.spans if span[0] >= end]):
            rest = f"{rest[: start - shift]}¤{rest[stop - shift :]}"
        return own_predicate(items, at) + (rest if DIRECTIVES.goes_on.match(rest) else "")

    def _items(self, clause: Clause, number: int) -> tuple[list[Item], int]:
        items: list[Item] = []
        at = 0
        last: int | None = None
        for index in clause.tokens:
            token = self.doc[index]
            name = self._covered.get(index)
            if name is not None:
                if name != last:
                    if name == number:
                        at = len(items)
                    items.append(Item("§" if name == number else "¤", "NN", index))
                last = name
                continue
            last = None
            if not token.is_space:
                items.append(Item(token.lower_, token.tag_, index))
        return items, at

    def _judge(
        self, clause: Clause, items: list[Item], at: int, left: str, right: str, before: str, number: int
    ) -> Directive:
        none = Directive()
        if self._text.rstrip(" *_\"')").endswith("?") or "?" in self._text[self.spans[0][0] :]:
            return none
        if CUES.animal.search(self._text) or CUES.compound.match(self._text[self.doc[items[at].token].idx :]):
            return none
        if CUES.missed_dose.search(self._text):
            return none  # what to do about a missed dose is said to those who take it
        if CUES.label.search(self._text):
            return none
        if is_added_to(left, self._text[self.spans[number][1] :]):
            return none
        phrase = set_phrase(left, own_predicate(items, at), self._text)
        if self.context.in_row and at == 0 and DIRECTIVES.cell_of_use.search(self._text[self.spans[number][1] :]):
            return Directive("strong")
        relative = clause.mark in RELATIVE and (
            DIRECTIVES.main_after_who.search(left) is None
            or DIRECTIVES.nobody.search(self._text[: self.clause_span(clause)[0]]) is not None
        )
        hypothetical = self._goes_on_with_condition(clause, items) or (
            clause.mark.removeprefix("even ") in CONDITION
            and DIRECTIVES.step.match(left) is None  # "if that is not enough: take §" is the next step
            and DIRECTIVES.main_after_all.search(left) is None
        )
        if phrase is not None:
            return Directive() if hypothetical or relative or is_hearsay(left) else phrase
        if not (hypothetical or relative) and (
            self._around.after_colon(items, at) or self._around.is_verdict(left, right, before, items)
        ):
            return Directive("strong")
        found = governor(items, at)
        if found is not None and ":" in found[2].split():
            found = None  # "as she won't inject: § 5 mg": the verb stands in another sentence, so to speak
        if found is None:
            if is_compared(left) or is_hearsay(left):
                return none
            return self._around.as_subject(items, at, left, right, before, hypothetical or relative)
        verb, index, gap = found
        context = " ".join(item.text for item in items[:index])
        opening = self._text[: self.doc[items[index].token].idx]
        if (self.context.in_row and DIRECTIVES.next_cell.search(opening)) or DIRECTIVES.label.fullmatch(opening):
            context = ""  # "| Medicine | Take §", "**Medication** – take §"
        made = as_object(verb, items[index], context, gap, before)
        if made is None:
            return self._around.as_subject(items, at, left, right, before, hypothetical, governed=True)
        if made.polarity == "negative":
            return Directive("none" if hypothetical or is_hearsay(before) else made.strength, "negative")
        if made.strength != "none" and (is_hearsay(context) or is_told(before)):
            return none
        if made.strength == "strong" and made.polarity == "positive":
            tail = self._text[self.doc[items[at].token].idx :]
            if only_obtains(verb, tail):
                made = Directive("weak", relative=made.relative)
        reserved = relative or hypothetical or self._around.is_report() or CUES.ask.search(before)
        return none if reserved else made


def _token_at(doc: Doc, start: int) -> int:
    for token in doc:
        if token.idx + len(token) > start:
            return token.i
    return len(doc) - 1
