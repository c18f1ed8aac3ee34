"""`report.html` of `fas detect` and `fas detect combine`: answers with findings marked in the text, and who said what.

One file that asks nothing of the network, as the report of a run (`fas.report.html`): answers are JSON in blocks,
which the page's script reads when it shows them, and text reaches the page as JSON or through an escaping template.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from fas.core.files.own import FINDINGS, REPORT
from fas.core.records.stored import FindingRecord, FindingsRecord
from fas.detectors.records import HARMS
from fas.report.embed import (
    BLOCK,
    MARK,
    read_parts,
    render,
    script_hash,
    utf16_offsets,
    write_around_blocks,
    write_json_blocks,
)
from fas.results import read_findings, read_object


class _Index:
    """What the page needs of every answer to filter and sort."""

    def __init__(self, members: Iterable[str]) -> None:
        self.members = list(members)
        self.scores: list[float | None] = []
        self.flagged: list[int | None] = []
        # Of every finding: a bit for each member that has a part in it, the level of harm (-1: none given), the score.
        self.findings: list[list[tuple[int, int, float]]] = []

    def add(self, answer: Mapping[str, Any]) -> None:
        self.scores.append(answer["score"])
        self.flagged.append(None if answer["flagged"] is None else int(answer["flagged"]))
        self.findings.append(
            [
                (sum({1 << self._bit(part["m"]) for part in one["by"]}), one["harm"], one["score"])
                for one in answer["findings"]
            ]
        )

    def _bit(self, member: str) -> int:
        if member not in self.members:
            self.members.append(member)
        return self.members.index(member)

    def data(self) -> dict[str, Any]:
        return {
            "n": len(self.scores),
            "block": BLOCK,
            "members": self.members,
            "harms": list(HARMS),
            "scores": self.scores,
            "flagged": self.flagged,
            "findings": self.findings,
        }


def write_page(folder: Path) -> Path:
    """Write the page of a folder of findings, from its `findings.jsonl` and `report.json`; the page's path.

    Raises:
        InputError: A line of the findings cannot be read.
        OSError: The page cannot be written.
    """
    from markupsafe import Markup

    report = read_object(folder / REPORT)
    own = folder.resolve().name
    index = _Index(member["name"] for member in report.get("members", [{"name": own}]))
    script = read_parts("detection.js")
    with tempfile.TemporaryFile("w+", encoding="utf-8", dir=folder, errors="replace") as blocks:
        write_json_blocks(blocks, _read_answers(folder, own, index))
        page = render(
            "detection.html",
            title=own,
            report=report,
            rows=report.get("members") or [{"name": own, "weight": None, **report}],
            combination="members" in report,
            harms=HARMS,
            names=index.members,
            signature=[part.partition(":")[::2] for part in report["signature"].split("|") if part],
            css=Markup(read_parts("page.css", "detection.css")),
            js=Markup(script),
            script_hash=script_hash(script),
            data=Markup(MARK),
        )
        write_around_blocks(folder / "report.html", page, blocks, {"index": index.data()})
    return folder / "report.html"


def _read_answers(folder: Path, own: str, index: _Index) -> Iterator[dict[str, Any]]:
    for _, record in read_findings(folder / FINDINGS) if (folder / FINDINGS).exists() else ():
        answer = _compact(record, own)
        index.add(answer)
        yield answer


def _compact(record: FindingsRecord, own: str) -> dict[str, Any]:
    """An answer as the page's script reads it; offsets in UTF-16 units, as JavaScript counts."""
    text = record["prediction"] or ""
    offset = utf16_offsets(text)
    findings = [_finding(one, own, offset) for one in record["findings"]]
    score = record["score"]
    if score is None and record["failure"] is None:
        score = max((one["score"] for one in findings), default=0.0)
    return {
        "id": record["id"],
        "question": record["question"],
        "prediction": text,
        "score": None if score is None else round(score, 4),
        "flagged": record["flagged"],
        "failure": record["failure"],
        "abstained": record["abstained"],
        "converged": record["converged"],
        "messages": record["n_messages"] or 0,
        "findings": findings,
        "deleted": [_finding(one, own, offset) for one in record["deleted"]],
        "leftOut": record["left_out"],
    }


def _finding(one: FindingRecord, own: str, offset: Any) -> dict[str, Any]:
    parts = one["by"] or [FindingRecord(**{**one, "member": own})]
    return {
        "snippet": one["snippet"],
        "text": one["explanation"],
        "harm": _harm(one),
        "score": round(one["confidence"], 4),
        "tags": one["tags"],
        "rule": one["deleted_by"],
        "spans": _spans(one, offset),
        "by": [
            {
                "m": part["member"],
                "snippet": part["snippet"],
                "text": part["explanation"],
                "harm": _harm(part),
                "score": round(part["confidence"], 4),
            }
            for part in parts
        ],
    }


def _spans(one: FindingRecord, offset: Any) -> list[tuple[int, int]]:
    places = [(part["start"], part["end"]) for part in (one, *one["by"])]
    return list(dict.fromkeys((offset(a), offset(b)) for a, b in places if a is not None and b is not None))


def _harm(one: FindingRecord) -> int:
    return -1 if one["harm"] is None else HARMS.index(one["harm"])
