"""Tables of detectors as text and as JSON."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

from fas.core.checks import count_of
from fas.detectors.evaluate import Evaluation, EvaluationRow, EvaluationTable
from fas.detectors.folder import Ablation
from fas.detectors.records import Member
from fas.report.tables import interval, json_ready, number, p_value, signed, text_table, wrap_paragraph
from fas.stats.binary import MEASURES, PairTest, spread
from fas.stats.intervals import explain_missing

_LEVEL = 0.05
Halves = Mapping[tuple[int, int], float]


def table_text(table: EvaluationTable) -> str:
    """A table for people, with the square of p values."""
    what = "answers" if table.level == "answers" else f"sentences of {table.n} answers"
    title = f"{table.level}: {table.n} answers with gold, {table.positives} {what} with a hallucination"
    header = ["#", "row", "F1", "95%", "P", "95%", "R", "95%", "flagged", "hits", "undecided"]
    rows = []
    for i, row in enumerate(table.rows, start=1):
        f1, precision, recall = (row.measures[name] for name in ("f1", "precision", "recall"))
        cells = [cell for one in (f1, precision, recall) for cell in (number(one.mean), interval(one.low, one.high))]
        rows.append([str(i), row.name, *cells, str(row.flagged), str(row.hits), str(row.undecided)])
    width = max(len(row[1]) for row in [header, *rows])  # names stand to the left
    lines = [title, "", text_table(header, [[row[0], row[1].ljust(width), *row[2:]] for row in rows]), ""]
    notes = [*_note_missing(table.rows), *_threshold_notes(table.rows), *table.notes]
    if table.without_gold:
        notes.append(f"{table.without_gold} answers have no gold and are left out")
    lines += [wrap_paragraph(note, bullet="! ") for note in notes]
    if len(table.rows) > 1:
        lines += ["", pairs_text(table.rows, table.pairs)]
    return "\n".join(lines)


def pairs_text(rows: Sequence[EvaluationRow], pairs: Sequence[PairTest]) -> str:
    """The square of p values: raw above the diagonal, Holm's below."""
    raw, strict, discovery = (halves(pairs, field) for field in ("p", "p_holm", "p_bh"))
    counts = ", ".join(
        f"{count_significant(values)} {name}" for name, values in (("raw", raw), ("Holm", strict), ("BH", discovery))
    )
    names = "; ".join(f"{i} {row.name}" for i, row in enumerate(rows, start=1))
    return "\n".join(
        [
            f"F1, all pairs: p above the diagonal, Holm's p below; * at most {_LEVEL}",
            _square(len(rows), raw, strict),
            wrap_paragraph(f"{len(pairs)} pairs, at most {_LEVEL}: {counts}"),
            wrap_paragraph(names),
        ]
    )


def halves(pairs: Sequence[PairTest], field: str) -> dict[tuple[int, int], float]:
    """Pair of positions to *field* of its test; the tests are in the order of `itertools.combinations`."""
    n = round((1 + math.sqrt(1 + 8 * len(pairs))) / 2)
    return {place: float(getattr(one, field)) for place, one in zip(combinations(range(n), 2), pairs, strict=True)}


def family_rows(members: Sequence[Member], table: EvaluationTable) -> list[dict[str, Any]]:
    """For every family with several runs, the mean of its runs' measures, and their lowest and highest F1."""
    found = []
    for family in dict.fromkeys(member.family for member in members):
        names = [member.name for member in members if member.family == family]
        rows = [row for row in table.rows if row.name in names]
        if len(rows) < 2:
            continue
        values = {name: [v for row in rows if not math.isnan(v := row.measures[name].mean)] for name in MEASURES}
        means = {name: sum(known) / len(known) if known else math.nan for name, known in values.items()}
        low, high = spread([row.measures["f1"].mean for row in rows])
        found.append({"family": family, "runs": len(rows), **means, "f1_lowest": low, "f1_highest": high})
    return found


def evaluation_text(found: Evaluation) -> str:
    """Both tables, the means over runs, and the groups."""
    parts = [table_text(found.answers)]
    families = family_rows(found.members, found.answers)
    if families:
        rows = [
            [
                one["family"],
                str(one["runs"]),
                *(number(one[name]) for name in ("f1", "precision", "recall")),
                f"{number(one['f1_lowest'])} to {number(one['f1_highest'])}",
            ]
            for one in families
        ]
        parts.append(text_table(["mean over runs", "runs", "F1", "P", "R", "F1 of the runs"], rows))
    parts.append(table_text(found.sentences))
    parts += [f"{value}\n{table_text(table)}" for value, table in found.groups.items()]
    if len(found.groups) == 2:
        (a, first), (b, second) = found.groups.items()
        if [row.name for row in first.rows] == [row.name for row in second.rows]:
            square = _square(len(first.rows), halves(first.pairs, "p"), halves(second.pairs, "p"))
            parts.append(f"p above the diagonal: {a}; below: {b}\n{square}")
    false = dict(found.false_alarms)
    if n := false.pop("findings"):
        rows = [[name, str(count), number(count / n)] for name, count in false.items()]
        parts.append(text_table([f"{n} findings on answers without a hallucination", "n", "share"], rows))
    parts += [wrap_paragraph(note, bullet="! ") for note in found.notes]
    return "\n\n".join(parts)


def evaluation_dict(found: Evaluation) -> dict[str, Any]:
    """JSON-ready; NaN becomes None."""
    made: dict[str, Any] = json_ready(
        {
            "answers": table_dict(found.answers),
            "families": {one["family"]: one for one in family_rows(found.members, found.answers)},
            "sentences": table_dict(found.sentences),
            "groups": {value: table_dict(table) for value, table in found.groups.items()},
            "members": {member.name: member.signature for member in found.members},
            "false_alarms": dict(found.false_alarms),
            "notes": list(found.notes),
        }
    )
    return made


def table_dict(table: EvaluationTable) -> dict[str, Any]:
    """A table as JSON has it; rows by name, pairs as a list."""
    made: dict[str, Any] = json_ready(
        {
            "level": table.level,
            "n": table.n,
            "positives": table.positives,
            "without_gold": table.without_gold,
            "rows": {
                row.name: {
                    **row.measures,
                    **{name: getattr(row, name) for name in ("flagged", "hits", "undecided", "thresholds")},
                    "in_sample_f1": row.in_sample,
                }
                for row in table.rows
            },
            "notes": list(table.notes),
        }
    )
    made["pairs"] = [json_ready(one.as_dict()) for one in table.pairs]
    return made


def ablation_text(found: Ablation) -> str:
    """Every rule's effect on F1, alone and together, with the interval of the difference."""
    header = ["rules", "deleted", "F1", "95%", "less no rule", "95%", "p", "P", "R"]
    tests = {one.b: one for one in found.table.pairs if one.a == "no rule"}
    rows = []
    for row in found.table.rows:
        f1, against = row.measures["f1"], ["", "", ""]
        if test := tests.get(row.name):
            limits = interval(0.0 - test.high, 0.0 - test.low, form="signed")
            against = [signed(0.0 - test.difference), limits, p_value(test.p)]
        others = [number(row.measures[name].mean) for name in ("precision", "recall")]
        deleted = str(found.deleted.get(row.name, ""))
        rows.append([row.name, deleted, number(f1.mean), interval(f1.low, f1.high), *against, *others])
    notes = [wrap_paragraph(note, bullet="! ") for note in (*_note_missing(found.table.rows), *found.table.notes)]
    return "\n".join([text_table(header, rows), "", "p: paired bootstrap against no rule, not adjusted.", *notes])


def ablation_dict(found: Ablation) -> dict[str, Any]:
    """JSON-ready."""
    return {**table_dict(found.table), "deleted": dict(found.deleted)}


def _note_missing(rows: Sequence[EvaluationRow]) -> list[str]:
    """Which measures have no interval, and why."""
    why: dict[str, dict[str, None]] = {}
    for row in rows:
        for name, one in row.measures.items():
            if math.isnan(one.low) and not math.isnan(one.mean):
                why.setdefault(explain_missing(one.how), {})[{"f1": "F1"}.get(name, name)] = None
    return [f"no interval of {' and '.join(names)}: {reason}" for reason, names in why.items()]


def _threshold_notes(rows: Sequence[EvaluationRow]) -> list[str]:
    return [
        f"{row.name}: thresholds of the {len(row.thresholds)} folds {_thresholds(row.thresholds)}; the best one on "
        f"these same answers would give F1 {number(row.in_sample)} (in sample)"
        for row in rows
        if len(row.thresholds) > 1
    ]


def _thresholds(values: Sequence[float]) -> str:
    return ", ".join(f"{one:.3f}" for one in values)


def _square(n: int, upper: Halves, lower: Halves) -> str:
    """*n* systems with the values of *upper* above the diagonal, those of *lower* below it, `*` behind small ones."""

    def cell(i: int, j: int) -> str:
        value = upper[i, j] if i < j else lower[j, i]
        return "?" if math.isnan(value) else f"{value:.4f}" + ("*" if value <= _LEVEL else " ")

    rows = [[str(i + 1), *("-" if i == j else cell(i, j) for j in range(n))] for i in range(n)]
    return text_table(["", *(str(j + 1) for j in range(n))], rows)


def count_significant(pairs: Halves) -> int:
    """How many values are at most 0.05."""
    return sum(value <= _LEVEL for value in pairs.values())


def report_text(report: Mapping[str, Any]) -> str:
    """The report of one detector's run."""
    done = report["n"] - report["n_failed"]
    lines = [
        report["signature"],
        f"{count_of(report['n_findings'], 'finding')} on {report['n_with_findings']} of {count_of(done, 'answer')}",
    ]
    if report["n_unconverged"]:
        lines.append(f"{report['n_unconverged']} talks ended without agreement")
    if report["n_not_in_answer"]:
        lines.append(f"{count_of(report['n_not_in_answer'], 'finding')} with a quote that is not in the answer")
    return "\n".join([*lines, *(f"! {note}" for note in report["notes"])])


def combination_text(report: Mapping[str, Any]) -> str:
    """The report of a combination."""
    lines = [
        report["signature"],
        f"{count_of(report['n_findings'], 'finding')} on {report['n_scored']} of {count_of(report['n'], 'answer')}",
    ]
    if report["n_flagged"] is not None:
        flagged = count_of(report["n_flagged"], "answer")
        lines.append(f"{flagged} flagged (threshold {_thresholds(report['thresholds'])})")
    header = ["member", "weight", "answers", "failed", "with findings", "findings"]
    rows = [
        [
            one["name"],
            f"{one['weight']:.2f}",
            *(str(one[key]) for key in ("n", "n_failed", "n_with_findings", "n_findings")),
        ]
        for one in report["members"]
    ]
    return "\n".join([*lines, *(f"! {note}" for note in report["notes"]), "", text_table(header, rows)])
