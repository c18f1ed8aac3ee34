"""`report.html` of `fas detect`: answers with their findings marked, and the words of each member.

One file without network access, like the report of a run (`fas.report.html`): answers are JSON in blocks, which the
page's script reads when it shows them; text reaches the page as JSON or through an escaping template.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from fas.core.files.own import FINDINGS, REPORT
from fas.core.records.stored import FindingRecord, FindingsRecord
from fas.detectors.records import HARMS
from fas.report.embed import (
    BLOCK,
    MARK,
    count_utf16_offsets,
    hash_script,
    read_parts,
    render,
    write_around_blocks,
    write_json_blocks,
)
from fas.results import read_findings, read_object


def write_page(folder: Path) -> Path:
    """Write the page of a folder of findings, from its `findings.jsonl` and `report.json`; the page's path.

    Raises:
        InputError: A line of the findings cannot be read.
        OSError: The page cannot be written.
    """
    from markupsafe import Markup

    report = read_object(folder / REPORT)
    own = folder.resolve().name
    members = [member["name"] for member in report.get("members", [{"name": own}])]
    # What the page's script needs of every answer to filter and sort.
    index: dict[str, list[Any]] = {"scores": [], "flagged": [], "findings": []}

    def bit(member: str) -> int:
        if member not in members:
            members.append(member)
        return 1 << members.index(member)

    def read_answers() -> Iterator[dict[str, Any]]:
        for _, record in read_findings(folder / FINDINGS) if (folder / FINDINGS).exists() else ():
            answer = _compact(record, own)
            index["scores"].append(answer["score"])
            index["flagged"].append(None if answer["flagged"] is None else int(answer["flagged"]))
            # Of every finding: a bit for each of its members, the level of harm (-1: none given), the score.
            index["findings"].append(
                [(sum({bit(part["m"]) for part in one["by"]}), one["harm"], one["score"]) for one in answer["findings"]]
            )
            yield answer

    script = read_parts("detection.js")
    with tempfile.TemporaryFile("w+", encoding="utf-8", dir=folder, errors="replace") as blocks:
        write_json_blocks(blocks, read_answers())
        page = render(
            "detection.html",
            title=own,
            report=report,
            rows=report.get("members") or [{"name": own, "weight": None, **report}],
            combination="members" in report,
            harms=HARMS,
            names=members,
            signature=[part.partition(":")[::2] for part in report["signature"].split("|") if part],
            css=Markup(read_parts("page.css", "detection.css")),
            js=Markup(script),
            script_hash=hash_script(script),
            data=Markup(MARK),
        )
        data = {"n": len(index["scores"]), "block": BLOCK, "members": members, "harms": list(HARMS), **index}
        write_around_blocks(folder / "report.html", page, blocks, {"index": data})
    return folder / "report.html"


def _compact(record: FindingsRecord, own: str) -> dict[str, Any]:
    """An answer as the page's script reads it; offsets in UTF-16 units, as JavaScript counts."""
    text = record["prediction"] or ""
    offset = count_utf16_offsets(text)
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
    places = [(part["start"], part["end"]) for part in (one, *one["by"])]
    return {
        **_words(one),
        "tags": one["tags"],
        "rule": one["deleted_by"],
        "spans": list(dict.fromkeys((offset(a), offset(b)) for a, b in places if a is not None and b is not None)),
        "by": [{"m": part["member"], **_words(part)} for part in parts],
    }


def _words(one: FindingRecord) -> dict[str, Any]:
    return {
        "snippet": one["snippet"],
        "text": one["explanation"],
        "harm": -1 if one["harm"] is None else HARMS.index(one["harm"]),
        "score": round(one["confidence"], 4),
    }
