"""What the engine saw in one answer, as tables: entities, modifiers, relations, stances, and each finding's worth."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from fas.core.records import Answer
from fas.safety.checker import SafetyChecker
from fas.safety.flags import build_case, judge
from fas.safety.patient import Features
from fas.safety.regimen import find_intakes
from fas.safety.relations import RelationReading
from fas.safety.stance import load_models, load_thresholds

_MOST_REASONS = 5


class ExplainedTable(NamedTuple):
    """A table with a title, the names of its columns and its rows."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]


def explain(checker: SafetyChecker, answer: Answer) -> list[ExplainedTable]:
    """What was read of an answer, and why its findings are flags or none.

    Places are offsets into the prediction, half open. A reason is a feature of the regression with what it added to the
    log odds.
    """
    reading, _ = checker.read(answer)
    case = build_case(reading, checker.book)
    drugs = []
    for n, drug in enumerate(reading.drugs):
        ranked = sorted(case.stances[n].items(), key=lambda item: -item[1])[:2]
        stance = ", ".join(f"{name} {p:.2f}" for name, p in ranked)
        drugs.append(
            (
                _format_place(reading, drug.start, drug.end),
                drug.mention.text,
                drug.mention.lead,
                stance,
                _list_modifiers(drug.features),
            )
        )
    states = []
    for state in reading.states:
        around = reading.around(state.segment, state.start, state.end)
        value = "" if state.value is None else f" = {state.value:g}"
        text = reading.text.plain[state.start : state.end]
        place = _format_place(reading, state.start, state.end)
        states.append((place, text, state.key + value, _list_modifiers(around)))
    doses = []
    for intake in find_intakes(reading):
        segment = reading.segments[intake.segment]
        place = _format_place(reading, segment.start + intake.start, segment.start + intake.end)
        often = "not said" if intake.per_day is None else f"{intake.per_day:g} a day"
        daily = "" if intake.daily is None else f"{intake.daily:g} mg"
        doses.append(
            (place, intake.drug, f"{intake.mg:g} mg", often, daily, intake.how + (", most" if intake.is_max else ""))
        )
    found = []
    for item in sorted(judge(case), key=lambda item: -item.probability):
        own = item.finding
        reasons = load_models()[own.family].reasons(own.features, most=_MOST_REASONS)
        told = "flag" if item.counts else f"below {load_thresholds()[own.severity]:.2f}"
        why = ", ".join(f"{name} {added:+.1f}" for name, added in reasons)
        found.append((f"{item.probability:.2f}", told, own.code, own.drug, own.target or "", why))
    return [
        ExplainedTable("Patient of the question", ("what", "value"), _list_patient(reading)),
        ExplainedTable("Drugs", ("place", "text", "drug", "stance", "modifiers"), drugs),
        ExplainedTable("States", ("place", "text", "state", "modifiers"), states),
        ExplainedTable("Doses", ("place", "drug", "amount", "how often", "a day", "how"), doses),
        ExplainedTable("Findings", ("probability", "told", "code", "drug", "target", "reasons"), found),
    ]


def format_table(tables: Sequence[ExplainedTable]) -> str:
    """Tables as lines of aligned columns; a table without rows is one line."""
    lines = []
    for table in tables:
        if not table.rows:
            lines.append(f"{table.title}: none\n")
            continue
        rows = [table.columns, *([" ".join(cell.split()) for cell in row] for row in table.rows)]
        widths = [max(len(row[n]) for row in rows) for n in range(len(table.columns))]
        lines.append(table.title)
        lines += [
            "  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
            for row in rows
        ]
        lines.append("")
    return "\n".join(lines)


def _format_place(reading: RelationReading, start: int, end: int) -> str:
    first, last = reading.text.span(start, end)
    return f"{first}-{last}"


def _list_modifiers(features: Features) -> str:
    return ", ".join(sorted(name[2:] for name in features if name.startswith("c:")))


def _list_patient(reading: RelationReading) -> list[tuple[str, str]]:
    patient = reading.patient
    rows = [
        ("has" if not fact.family else "in the family", f"{key} ({fact.text})") for key, fact in patient.facts.items()
    ]
    rows += [(name, f"{value:g}") for name, value in patient.measures.items()]
    rows += [("takes", mention.text) for mention in patient.drugs]
    rows += [("reacts to", mention.text) for mention in patient.allergies]
    rows += [("asked about", mention.text) for mention in patient.asked]
    return rows
