"""One answer under judgement: what it says, the rules, and how a flag is made from them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal

from fas.records import Flag
from fas.safety.facts import find_conditions
from fas.safety.matcher import Mention
from fas.safety.reading import Reading, Statement
from fas.safety.rules import Rule, RuleBook
from fas.safety.vocabulary import DrugClass

Severity = Literal["high", "medium", "low", "info"]

_SECTION_NAMES = {
    "contraindication": "Contraindications",
    "boxed_warning": "Boxed Warning",
    "warning": "Warnings",
    "interactions": "Drug Interactions",
    "populations": "Use in Specific Populations",
    "list": "",
}


class Case:
    """An answer's reading beside the rules.

    Attributes:
        reading: What the answer says.
        book: The rules.
        vocabulary: The names of the rules.
        positive: Statements that advise or allow a drug, continuation included.
        negative: Statements that advise against one.
    """

    def __init__(self, reading: Reading, book: RuleBook) -> None:
        self.reading = reading
        self.book = book
        self.vocabulary = book.vocabulary
        self.positive = [
            s for s in reading.statements if s.directive.strength != "none" and s.directive.polarity != "negative"
        ]
        self.negative = [
            s for s in reading.statements if s.directive.strength != "none" and s.directive.polarity == "negative"
        ]

    def flag(
        self, code: str, statement: Statement, drug: str | None, target: str | None, severity: Severity, message: str,
        *, rule: Rule | None = None, status: str | None = None,
    ) -> Flag:  # fmt: skip
        """A flag on the clause of *statement*; its offsets are those of the original text."""
        start, end = self.reading.text.span(*statement.span)
        return Flag(
            flag=code.split(".")[0],
            code=code,
            drug=drug,
            rxcui=self.vocabulary.rxcui(drug),
            target=target,
            start=start,
            end=end,
            severity=severity,
            status=status,
            rule=rule.id if rule else None,
            source=rule.source if rule else None,
            message=message,
        )

    def strongest(self) -> list[Statement]:
        """Statements that rules are held against, instructions before options.

        A weak "go on" is none, unless the sentence names whom it is for ("pregnant women may continue to take X").
        """
        order = {"strong": 0, "weak": 1}
        usable = [
            s
            for s in self.positive
            if s.directive.strength == "strong"
            or (
                (s.directive.polarity == "positive" or s.patient is not self.reading.patient)
                and not self._taken_back(s)
                and not self.reading.patient.asks_what_to_avoid
            )
        ]
        return sorted(usable, key=lambda s: (order[s.directive.strength], s.span))

    def _taken_back(self, statement: Statement) -> bool:
        """Whether the sentence goes on to forbid the drug ("is the usual choice, but it is not an option for you")."""
        return any(
            other.segment == statement.segment
            and other.mention.lead == statement.mention.lead
            and other.mention.start > statement.mention.start
            for other in self.negative
        )

    def applicable(self, statement: Statement, rules: Iterable[Rule]) -> Iterator[tuple[str, Rule]]:
        """The rules on the drug of *statement*, each with the name the flag gives the drug."""
        mention = statement.mention
        group = self.group(mention)
        if group is not None:
            # What is said of a class is held against a rule only if the rule covers every member.
            yield from ((group.label, rule) for rule in rules if group.members <= rule.drugs)
            return
        found = list(rules)
        for drug in mention.ingredients:
            yield from ((drug, rule) for rule in found if drug in rule.drugs)

    def group(self, mention: Mention) -> DrugClass | None:
        """The class that *mention* names, or None for an ingredient."""
        return self.vocabulary.classes.get(mention.class_key) if mention.class_key else None

    def warns(self, drug: str, target: str) -> bool:
        """Whether the answer itself speaks against the drug in that condition."""
        for statement in self.negative:
            if drug not in (*statement.mention.ingredients, statement.mention.class_key):
                continue
            segment = self.reading.segments[statement.segment]
            named = {key for key, _, _ in find_conditions(segment.text, self.book.conditions)}
            closed = set(named)
            for key in named:
                closed |= set(self.book.conditions[key].implies)
            if target in closed:
                return True
        return False


def says(statement: Statement, drug: str) -> str:
    """How a message begins: what the answer does with *drug*, up to the patient."""
    directive = statement.directive
    if directive.polarity == "continuation":
        return f"advises to go on with {drug} in"
    if directive.permissive:
        return f"calls {drug} acceptable for"
    return f"recommends {drug} to" if directive.strength == "strong" else f"offers {drug} as an option to"


def cite(rule: Rule) -> str:
    """How a message ends: the document behind *rule*, its section, and the rule in words."""
    name = _SECTION_NAMES.get(rule.section, "")
    document = rule.source.split(":")[0]
    if not rule.confirmed:
        document += " (not confirmed)"
    return f"{document}{', ' + name if name else ''}: {rule.statement}"
