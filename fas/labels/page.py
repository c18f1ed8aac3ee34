"""`fas labels`: one self-contained HTML page on which claims are labelled, by keyboard, without a server.

The page opens no connection (its content security policy forbids it), keeps its labels in the browser and saves them
as a file. Text reaches it as JSON in a block that no text can end, never as markup.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from fas.core.errors import InputError
from fas.core.files.own import REPORT, SCORES, check_no_input, replace_file
from fas.labels.drawing import DrawnSample
from fas.labels.files import COVERED, Of
from fas.labels.judged import JudgedRun
from fas.labels.verifier import find_disagreements, measure_precision
from fas.report.decisions import Reviewed, read_decisions
from fas.report.embed import ENCODER, count_utf16_offsets, hash_script, write_script_block
from fas.report.html import write_html
from fas.results.report import read_report


def collect_items(
    run: JudgedRun, drawn: Iterable[DrawnSample], said: Mapping[tuple[str, int], Sequence[str]] | None = None
) -> list[dict[str, Any]]:
    """The page's item for each claim, offsets in UTF-16 units, as JavaScript counts; *said* of disputed claims."""
    items = []
    for one in drawn:
        record = run.records[one.claim.id]
        claim = record[run.field][one.claim.claim - 1]
        prediction = record["prediction"] or ""
        offset = count_utf16_offsets(prediction)
        items.append(
            {
                "id": one.claim.id,
                run.noun: one.claim.claim,
                "text": one.claim.text,
                "pi": one.pi,
                "stratum": one.stratum,
                "question": record["question"],
                "prediction": prediction,
                "start": offset(claim.get("start")),
                "end": offset(claim.get("end")),
                "verdict": COVERED[one.claim.verdict] if run.of == "statements" else one.claim.verdict,
                "ps": claim["p_support"],
                "pc": claim["p_contradict"],
                "evidence": _list_evidence(claim, run.of),
                "said": list((said or {}).get(one.claim.key, ())),
            }
        )
    return items


def _list_evidence(claim: Mapping[str, Any], of: Of) -> list[dict[str, Any]]:
    """The pieces of evidence of a claim, or the part of the answer that counted most for a statement."""
    if of == "statements":
        return [{"sentence": claim["sentence"]}] if claim["sentence"] else []
    return [{name: piece[name] for name in ("id", "title", "year", "sentence")} for piece in claim["evidence"]]


def write_page(path: Path, items: Sequence[Mapping[str, Any]], *, title: str, of: Of = "claims") -> None:
    """Write the page; the file appears when it is complete. *items*: see `collect_items`; *of*: what they are."""
    here = Path(__file__).parent
    script = (here / "annotate.js").read_text(encoding="utf-8")
    number = "claim" if of == "faults" else of[:-1]
    text = json.dumps([title, *([one["id"], one[number], one["text"]] for one in items)])
    key = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    page = (here / "annotate.html").read_text(encoding="utf-8").replace("{{script_hash}}", hash_script(script))
    page = page.replace("{{css}}", (here / "annotate.css").read_text(encoding="utf-8")).replace("{{script}}", script)
    head, _, tail = page.partition("<!--data-->")
    data = {"key": key, "title": title, "of": of[:-1], "items": list(items)}
    with replace_file(path, errors="replace") as out:
        out.write(head)
        out.writelines(write_script_block("data", [ENCODER.encode(data)]))
        out.write(tail)


def write_page_again(folder: Path, out: Path, *, labels: Path | None, decisions: Sequence[Path]) -> Reviewed:
    """Write the page of a stored run to *out*; the reviewers' decisions.

    The error rates that *labels* give stand in the page's first lines; *decisions* are files that the page has saved.
    """
    report = read_report(folder)
    scores = folder / SCORES
    if not scores.is_file():
        raise InputError(f"{scores}: no such file; expected a folder of `fas score`", kind="missing_file")
    check_no_input([scores, folder / REPORT, *filter(None, [labels]), *decisions], [out])
    precision = None if labels is None else measure_precision(folder, labels)
    reviewed = read_decisions(scores, decisions)
    write_html(out, report, scores, precision=precision, decisions=reviewed.lines)
    return reviewed


def write_disagreements(folder: Path, labels: Path, out: Path) -> None:
    """Write a page of the claims on which people and the verifier of a run disagree."""
    labelled, drawn, said = find_disagreements(folder, labels)
    items = collect_items(labelled.run, drawn, said)
    write_page(out, items, title="Where people and the verifier disagree", of=labelled.run.of)
