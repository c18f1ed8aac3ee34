"""What reviewers have decided on the page of a run: files that the page saves, held against the run.

A line is `{"id": "q1", "claim": 3, "text": ..., "verdict": "contradicted", "label": "supported", "flag": "wrong"}`
and more; a flag on no claim has `flag_number` instead of `claim`, counted from 1. Claims that somebody went looking for
are no sample (`"chosen": "queue"`): what is said of them is counted, and nothing is estimated from it. Those that were
decided in the page's random order (`"chosen": "sample"`) can be one (`fas.labels.exchange`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fas.core.errors import InputError
from fas.core.files.plain import json_lines
from fas.results import read_records

_LABELS = ("supported", "contradicted", "unsupported", "bad")
_FLAGS = ("right", "wrong")
_TEXTS = ("note", "reviewer", "at", "chosen")


@dataclass(frozen=True, slots=True)
class Reviewed:
    """Decisions on a run, at most one a claim, the newest.

    Attributes:
        counts: Verdict, or `flag`, to the number of decisions that say the same and that say otherwise.
    """

    lines: tuple[dict[str, Any], ...]
    counts: Mapping[str, tuple[int, int]]

    def __str__(self) -> str:
        """One line: `contradicted: 3 of 5 decided otherwise; ...`."""
        shares = [f"{name}: {other} of {same + other} decided otherwise" for name, (same, other) in self.counts.items()]
        return "; ".join(shares) or "no decision"


def read_decisions(scores: Path, files: Sequence[Path]) -> Reviewed:
    """The decisions in *files* on the run whose `scores.jsonl` is *scores*.

    Of two decisions on one claim the one made later counts, whoever made it.

    Raises:
        InputError: A line cannot be used, or is of no claim of the run.
    """
    found: dict[tuple[str, str, int], dict[str, Any]] = {}
    lines: dict[tuple[str, str, int], str] = {}
    for path in files:
        for number, record in json_lines(path):
            where = f"{path}, line {number}"
            name, line = _check_decision(record, where)
            if name not in found or found[name].get("at", "") <= line.get("at", ""):
                found[name], lines[name] = line, where
    counts = {name: [0, 0] for name in (*_LABELS[:3], "flag")}
    unseen = dict(lines)
    for _, answer in read_records(scores):
        items_of: tuple[tuple[str, Sequence[Mapping[str, Any]], str], ...] = (
            ("claim", answer["claims"], "text"),
            ("flag_number", answer["flags"], "message"),
        )
        for kind, items, text in items_of:
            for i, item in enumerate(items, start=1):
                name = (answer["id"], kind, i)
                line = found.get(name, {})
                if name not in unseen or line["text"] != item[text]:
                    continue
                del unseen[name]
                if line.get("label") and kind == "claim" and item["label"] in counts:
                    counts[item["label"]][line["label"] != item["label"]] += 1
                if line.get("flag"):
                    counts["flag"][line["flag"] == "wrong"] += 1
    if unseen:
        (identifier, kind, number), where = next(iter(unseen.items()))
        what = "claim" if kind == "claim" else "flag"
        raise InputError(
            f"{where}: there is no {what} {number} of {identifier!r} with this text in {scores}; "
            "decisions are of one run",
            kind="other_run",
        )
    return Reviewed(tuple(found.values()), {name: (n[0], n[1]) for name, n in counts.items() if sum(n)})


def _check_decision(record: Mapping[str, Any], where: str) -> tuple[tuple[str, str, int], dict[str, Any]]:
    """Which claim or flag a line is of, and what the page needs of it."""
    kind = "flag_number" if "flag_number" in record else "claim"
    answer, number, text = record.get("id"), record.get(kind), record.get("text")
    if not isinstance(answer, str) or not isinstance(text, str):
        raise InputError(f"{where}: expected `id` and `text` as the page saves them", kind="type")
    if isinstance(number, bool) or not isinstance(number, int) or number < 1:
        raise InputError(f"{where}: field {kind!r}: expected a number counted from 1, got {number!r}", kind="type")
    line: dict[str, Any] = {"id": answer, kind: number, "text": text}
    for field, allowed in (("label", _LABELS), ("flag", _FLAGS)):
        value = record.get(field)
        if value is None:
            continue
        if value not in allowed:
            raise InputError(
                f"{where}: field {field!r}: expected one of {', '.join(allowed)}, got {value!r}", kind="type"
            )
        line[field] = value
    line |= {field: record[field] for field in _TEXTS if isinstance(record.get(field), str)}
    return (answer, kind, number), line
