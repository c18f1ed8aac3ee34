"""A combination as a folder (findings.jsonl, run.json, report.json): flagged, written, and its rules measured."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from fas._version import __version__
from fas.core.errors import InputError
from fas.core.files.own import FINDINGS, REPORT, RUN, SCORES, another_folder, exists_any, replace_file, write_json
from fas.detectors.combine_folders import Combination, combine
from fas.detectors.evaluate import EvaluationOptions, EvaluationTable, answer_table
from fas.detectors.gold import GoldFindings, Material, load_material
from fas.detectors.member import FolderPlace, find_places, member_records, read_member
from fas.detectors.records import Findings, Member, answer_score, count_findings
from fas.detectors.rules import CombinationRule, apply_rules, deletions
from fas.detectors.threshold import check_threshold, cross_validate_threshold
from fas.results import read_settings


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


@dataclass(frozen=True, slots=True)
class Ablation:
    """The effect of rules on a combination.

    Attributes:
        table: A row without rules, one with each rule alone, one with the set.
        deleted: Row to the number of deleted findings.
    """

    table: EvaluationTable
    deleted: Mapping[str, int]


def combine_folders(
    folders: Sequence[str | Path],
    out: Path,
    *,
    gold: Mapping[str, GoldFindings] | None,
    settings: EvaluationOptions,
    ablate_rules: bool = False,
    explain: bool = False,
    cluster_by: str | None = None,
    **more: Any,
) -> tuple[dict[str, Any], Ablation | None]:
    """Write the combination of *folders* to *out*; its report, and the ablation of its rules if there is one.

    Args:
        folders: As for `fas.detectors.member.find_places`.
        out: The new folder; one that holds another kind of run is refused.
        gold: Answer to gold; it chooses the threshold unless *settings* has one.
        settings: How measurements are made.
        ablate_rules: Also measure the effect of every rule; needs rules and gold.
        explain: Add the evidence against a false claim to its explanation.
        cluster_by: Field whose equal values form one unit.
        more: As for `fas.combine`.

    Raises:
        InputError: A folder cannot be read or written.
        ValueError: An option is out of range, or an ablation lacks rules or gold.
    """
    from fas.detectors.detection import write_page
    from fas.detectors.detection_text import ablation_dict

    if ablate_rules and (gold is None or more.get("rules") is None):
        raise ValueError("--ablate-rules needs --rules and --gold")
    sources = find_places(folders)
    combination = combine([read_member(place, explain=explain) for place in sources], name=out.name, **more)
    material = None if gold is None else load_material(sources, gold, cluster_by=cluster_by)[0]
    decision = _decide(combination, material, settings)
    _check_folder(out)
    try:
        out.mkdir(parents=True, exist_ok=True)
        with replace_file(out / FINDINGS, errors="surrogatepass") as file:
            for record in _records(combination, sources, decision):
                file.write(json.dumps(record, ensure_ascii=False, allow_nan=False) + "\n")
        own = {"detect": combination.member.signature, "signature": combination.signature}
        write_json(out / RUN, {"made_by": "fas", **own, "v": __version__})
        report = report_of(combination, decision)
        write_json(out / REPORT, report)
    except OSError as error:
        raise InputError(f"{out}: cannot be written: {error.strerror or error}", kind="unwritable") from error
    write_page(out)
    if not ablate_rules or material is None:
        return {**report, "ablation": None}, None
    ablation = measure_rules(combination, material, settings)
    write_json(out / "ablation.json", ablation_dict(ablation), indent=1)
    return {**report, "ablation": ablation_dict(ablation)}, ablation


def measure_rules(combination: Combination, material: Material, options: EvaluationOptions) -> Ablation:
    """The combination without rules, with each rule of its file alone, and with the file's set.

    Thresholds are chosen anew after the rules in every row.

    Raises:
        ValueError: The combination has no rules.
    """
    rules = combination.rules
    if rules is None:
        raise ValueError("an ablation of rules needs rules: name them with --rules")
    rows: list[tuple[str, Sequence[CombinationRule]]] = [("no rule", ())]
    rows += [(rule.name, (rule,)) for rule in rules.rules]
    rows += [(f"set {rules.signature}", rules.applied())]
    whole = {name: _restore_deleted(line) for name, line in combination.member.answers.items()}
    members, deleted = [], {}
    for name, chosen in rows:
        answers = {key: replace(apply_rules(line, chosen), baselines={}) for key, line in whole.items()}
        members.append(Member(name, name, 0, combination.member.signature, answers))
        deleted[name] = sum(deletions(list(answers.values())).values())
    return Ablation(answer_table(members, material, options), deleted)


def _restore_deleted(line: Findings) -> Findings:
    if line.failure is not None or not line.deleted:
        return line
    back = [replace(one, deleted_by=None) for one in line.deleted]
    findings = tuple(sorted([*line.findings, *back], key=lambda one: -one.confidence))
    return replace(line, findings=findings, deleted=(), score=answer_score(Findings(line.id, findings)))


def _decide(combination: Combination, material: Material | None, options: EvaluationOptions) -> Decision | None:
    """Flag answers with the given threshold, or with the one that is best on the other folds' questions.

    Raises:
        ValueError: The threshold is outside (0, 1], or the gold cannot choose one.
    """
    scores = {name: line.score for name, line in combination.member.answers.items() if line.score is not None}
    if options.threshold is not None:
        check_threshold(options.threshold)
        flagged = {name: score >= options.threshold for name, score in scores.items()}
        return Decision(flagged, (options.threshold,), f"t:{options.threshold:g}")
    if material is None:
        return None
    known = [i for i, name in enumerate(material.ids) if name in scores]
    of = material.only(known)
    chosen = cross_validate_threshold(
        [scores[name] for name in of.ids],
        [one.hallucination for one in of.gold],
        of.questions,
        folds=options.folds,
        seed=options.seed,
    )
    flagged = dict(zip(of.ids, map(bool, chosen.flagged), strict=True))
    return Decision(flagged, chosen.thresholds, f"t:cv{options.folds}", chosen.in_sample.value)


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
            own = {field: record[field] for field in ("question", "prediction", "meta")}
            yield {**line.as_dict(), **own, "flagged": flagged}


def _check_folder(out: Path) -> None:
    """Refuse a folder that holds another kind of run, or files that no run is known to have made."""
    kind = str(read_settings(out).get("detect", ""))
    names = (SCORES, FINDINGS, RUN, REPORT, "report.html", "ablation.json")
    if exists_any(out / name for name in names) is not None and not kind.startswith("combined["):
        raise InputError(f"{out}: holds results of another command; {another_folder()}", kind="other_run")
