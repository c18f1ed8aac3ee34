"""A combination as a folder: findings.jsonl, run.json, report.json. It can be evaluated, shown and combined again."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from fas._version import __version__
from fas.core.errors import InputError
from fas.core.files.own import FINDINGS, REPORT, RUN, SCORES, another_folder, exists_any, replace_file, write_json
from fas.detectors.combine_folders import Combination
from fas.detectors.member import FolderPlace, member_records
from fas.detectors.records import Findings
from fas.detectors.rules import deletions
from fas.detectors.threshold import check_threshold
from fas.results import read_settings

OWN_FIELDS = ("question", "prediction", "meta")


class Decision(NamedTuple):
    """How the answers of a combination are flagged.

    Attributes:
        flagged: Answer to whether it is; an answer without a score is not among them.
        thresholds: The thresholds used: one, or one a fold.
        chosen: `t:0.31` or `t:cv5`, as the signature says it.
        in_sample: The best threshold on the same answers, marked as such wherever it is shown; None if one was given.
    """

    flagged: Mapping[str, bool]
    thresholds: tuple[float, ...]
    chosen: str
    in_sample: float | None = None


def make_fixed_decision(combination: Combination, threshold: float) -> Decision:
    """Flag the answers with a score of at least *threshold*.

    Raises:
        ValueError: It is outside (0, 1].
    """
    check_threshold(threshold)
    scores = combination.scores()
    flagged = {name: score >= threshold for name, score in scores.items() if score is not None}
    return Decision(flagged, (threshold,), f"t:{threshold:g}")


def write_combination(
    combination: Combination, out: Path, sources: Sequence[FolderPlace], *, decision: Decision | None = None
) -> dict[str, Any]:
    """Write the folder of a combination; files appear when they are complete.

    Args:
        combination: What to write.
        out: The folder. One that holds another kind of run is refused.
        sources: Where the members' answers are read again for their texts.
        decision: How the answers are flagged, if that is decided.

    Returns:
        The content of `report.json`.

    Raises:
        InputError: The folder holds something else or cannot be written.
    """
    _check_folder(out)
    try:
        out.mkdir(parents=True, exist_ok=True)
        with replace_file(out / FINDINGS, errors="surrogatepass") as file:
            for record in _records(combination, sources, decision):
                file.write(json.dumps(record, ensure_ascii=False, allow_nan=False) + "\n")
        run = {
            "made_by": "fas",
            "detect": combination.member.signature,
            "signature": combination.signature,
            "v": __version__,
        }
        write_json(out / RUN, run)
        report = report_of(combination, decision)
        write_json(out / REPORT, report)
    except OSError as error:
        raise InputError(f"{out}: cannot be written: {error.strerror or error}", kind="unwritable") from error
    return report


def report_of(combination: Combination, decision: Decision | None) -> dict[str, Any]:
    """What `report.json` says of a combination."""
    lines = list(combination.member.answers.values())
    scored = [line for line in lines if line.failure is None]
    signature = combination.signature + (f"|{decision.chosen}" if decision else "")
    return {
        "signature": signature,
        "n": len(lines),
        "n_scored": len(scored),
        "n_failed": len(lines) - len(scored),
        "n_flagged": sum(decision.flagged.values()) if decision else None,
        "thresholds": list(decision.thresholds) if decision else [],
        "in_sample_threshold": decision.in_sample if decision else None,
        "n_findings": sum(len(line.findings) for line in lines),
        "n_deleted": sum(len(line.deleted) for line in lines),
        "deleted_by": deletions(lines),
        "members": [
            {
                "name": member.name,
                "family": member.family,
                "run": member.run,
                "weight": combination.weights[member.name],
                "signature": member.signature,
                **count_findings(list(member.answers.values())),
            }
            for member in combination.parts
        ],
        "notes": list(combination.notes),
    }


def count_findings(lines: Sequence[Findings]) -> dict[str, int]:
    """What a member's lines add up to."""
    known = [line for line in lines if line.failure is None]
    return {
        "n": len(lines),
        "n_failed": len(lines) - len(known),
        "n_with_findings": sum(bool(line.findings) for line in known),
        "n_findings": sum(len(line.findings) for line in known),
        "n_left_out": sum(len(line.left_out) for line in known),
        "n_not_in_answer": sum(one.start is None for line in known for one in line.findings),
        "n_unconverged": sum(line.converged is False for line in known),
        "n_messages": sum(line.n_messages for line in lines),
    }


def select_own_fields(record: Mapping[str, Any]) -> dict[str, Any]:
    """The answer's own fields of a line, which every folder repeats so that it can be read alone."""
    return {name: record[name] for name in OWN_FIELDS}


def _records(
    combination: Combination, sources: Sequence[FolderPlace], decision: Decision | None
) -> Iterator[dict[str, Any]]:
    done: set[str] = set()
    for source in sources:
        for record in member_records(source.folder):
            name = record["id"]
            line = combination.member.answers.get(name)
            if line is None or name in done:
                continue
            done.add(name)
            flagged = decision.flagged.get(name) if decision else None
            yield {**line.as_dict(), **select_own_fields(record), "flagged": flagged}


def _check_folder(out: Path) -> None:
    """Refuse a folder that holds another kind of run, or files that no run is known to have made."""
    kind = str(read_settings(out).get("detect", ""))
    names = (SCORES, FINDINGS, RUN, REPORT, "report.html", "ablation.json")
    if exists_any(out / name for name in names) is not None and not kind.startswith("combined["):
        raise InputError(f"{out}: holds results of another command; {another_folder()}", kind="other_run")
