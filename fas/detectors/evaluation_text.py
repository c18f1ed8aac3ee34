"""From folders and gold to tables and combinations: which answers are compared, on which level, in which groups."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from fas.core.errors import InputError
from fas.core.files.own import write_json
from fas.detectors.combine_folders import Combination, combine
from fas.detectors.evaluate import EvaluationOptions, EvaluationTable, Material, answer_table, sentence_table
from fas.detectors.folder import Decision, make_fixed_decision, write_combination
from fas.detectors.gold import GoldFindings
from fas.detectors.member import FolderPlace, check_texts, find_places, member_records, read_member
from fas.detectors.records import Findings, Member, answer_score
from fas.detectors.rules import CombinationRule, apply_rules, deletions
from fas.detectors.threshold import cross_validate_threshold
from fas.scoring.aggregate import question_key


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The tables of one set of answers.

    Attributes:
        groups: Value of the field that was grouped by, to the table of its answers.
        false_alarms: Findings on answers without a hallucination by the gold, by category: a tag, or `untagged` for one
            that only a reader can place. One with two tags counts in both, and once in `findings`.
        notes: What a reader must know.
    """

    members: tuple[Member, ...]
    answers: EvaluationTable
    sentences: EvaluationTable
    groups: Mapping[str, EvaluationTable]
    false_alarms: Mapping[str, int]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Ablation:
    """What rules do to a combination.

    Attributes:
        table: A row without rules, one with each rule alone, one with the set.
        deleted: Row to how many findings were deleted.
    """

    table: EvaluationTable
    deleted: Mapping[str, int]


def evaluate(
    folders: Sequence[str | Path],
    gold: Mapping[str, GoldFindings],
    *,
    by: str | None = None,
    cluster_by: str | None = None,
    explain: bool = False,
    options: EvaluationOptions = EvaluationOptions(),  # noqa: B008  (frozen)
) -> Evaluation:
    """Members against gold; no language model is asked.

    *folders*: as for `fas.detectors.combine_folders.combine`, combinations among them. *by*: also make a table for each
    value of this field of `meta`. *cluster_by*: field of `meta` (or `question`) whose values are resampled and split
    into folds; by default the question, by its identifier or its text. *explain*: as for `read_member`.

    Raises:
        InputError: A folder cannot be read, or no answer has gold.
        ValueError: An option is out of range.
    """
    found = find_places(folders)
    members = [read_member(place, explain=explain) for place in found]
    notes = check_texts(members)
    material, fields = load_material(found, gold, cluster_by=cluster_by, by=by)
    groups: dict[str, EvaluationTable] = {}
    for value in sorted(set(fields)) if by else ():
        kept = [i for i, one in enumerate(fields) if one == value]
        groups[value] = answer_table(members, material.only(kept), options)
    return Evaluation(
        tuple(members),
        answer_table(members, material, options),
        sentence_table(members, material, options),
        groups,
        count_false_alarms(members, material),
        tuple(notes),
    )


def count_false_alarms(members: Sequence[Member], material: Material) -> dict[str, int]:
    """False findings by category, the commonest first: figure 1 of Lasko et al., as far as a program can tell.

    A combination repeats what its members found; only members that are none are counted, if there are any.
    """
    single = [one for one in members if all(line.score is None for line in one.answers.values())] or members
    sound = [name for name, gold in zip(material.ids, material.gold, strict=True) if not gold.hallucination]
    found = [
        one
        for member in single
        for name in sound
        for one in (member.answers[name].findings if name in member.answers else ())
    ]
    counts = Counter(tag for one in found for tag in (one.tags or ("untagged",)))
    return {"findings": len(found), **dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))}


def load_material(
    found: Sequence[FolderPlace],
    gold: Mapping[str, GoldFindings],
    *,
    cluster_by: str | None = None,
    by: str | None = None,
) -> tuple[Material, list[str]]:
    """The answers of the members that have gold, in the order of the files; and the value of *by* of each.

    Raises:
        InputError: None has gold, or a field does not occur.
    """
    rows: dict[str, tuple[GoldFindings, str, str, str]] = {}
    without = 0
    seen: set[str] = set()
    for place in found:
        for record in member_records(place.folder):
            name = record["id"]
            if name in seen:
                continue
            seen.add(name)
            if name not in gold:
                without += 1
                continue
            group = "" if by is None else str(_value(record, by, "--by", place))
            rows[name] = gold[name], _question(record, cluster_by, place), record["prediction"] or "", group
    if not rows:
        raise InputError(
            f"no answer has gold ({len(seen)} answers, {len(gold)} ids in the gold); they are joined on `id`",
            kind="nothing_in_common",
        )
    columns = list(zip(*rows.values(), strict=True))
    return Material(tuple(rows), columns[0], columns[1], columns[2], without), list(columns[3])


def choose_by_gold(combination: Combination, material: Material, options: EvaluationOptions) -> Decision:
    """Flag every answer of *material* with the threshold that is best on the other folds' questions.

    Raises:
        ValueError: There are fewer than 10 answers with a hallucination, or a fold leaves none.
    """
    scores = [combination.scores().get(name) for name in material.ids]
    known = [i for i, score in enumerate(scores) if score is not None]
    chosen = cross_validate_threshold(
        [score for score in scores if score is not None],
        [material.gold[i].hallucination for i in known],
        [material.questions[i] for i in known],
        folds=options.folds,
        seed=options.seed,
    )
    flagged = {material.ids[i]: bool(yes) for i, yes in zip(known, chosen.flagged, strict=True)}
    return Decision(flagged, chosen.thresholds, f"t:cv{options.folds}", chosen.in_sample.value)


def measure_rules(combination: Combination, material: Material, options: EvaluationOptions) -> Ablation:
    """The combination without rules, with each rule of its file alone, and with the file's set.

    Thresholds are chosen anew after the rules in every row.

    Raises:
        ValueError: The combination has no rules, or they were applied already.
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
        answers = {key: apply_rules(line, chosen) for key, line in whole.items()}
        bare = {key: replace(line, baselines={}) for key, line in answers.items()}
        members.append(Member(name, name, 0, combination.member.signature, bare))
        deleted[name] = sum(deletions(list(answers.values())).values())
    table = answer_table(members, material, options)
    return Ablation(table, deleted)


def _restore_deleted(line: Findings) -> Findings:
    """The line with what rules deleted put back."""
    if line.failure is not None or not line.deleted:
        return line
    back = [replace(one, deleted_by=None) for one in line.deleted]
    findings = tuple(sorted([*line.findings, *back], key=lambda one: -one.confidence))
    return replace(
        line, findings=findings, deleted=(), score=answer_score(replace(line, findings=findings, score=None))
    )


def _question(record: Mapping[str, Any], cluster_by: str | None, place: FolderPlace) -> str:
    if cluster_by is None or cluster_by == "question":
        return question_key(record) or f"answer {record['id']}"
    return str(_value(record, cluster_by, "--cluster-by", place))


def _value(record: Mapping[str, Any], name: str, option: str, place: FolderPlace) -> Any:
    meta = record["meta"]
    if name not in meta:
        there = ", ".join(map(str, meta)) or "none"
        raise InputError(
            f"{place.folder}: {option} {name}: the answer {record['id']!r} has no such field; it has {there}"
        )
    return meta[name]


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
    """Write the combination of *folders* to *out*; its report, with the ablation of rules if there is one.

    Args:
        folders: The members, as `fas.detectors.member.find_places` reads them.
        out: Folder of the combination.
        gold: Answer to gold; it chooses the threshold where *settings* has none.
        settings: How measurements are made.
        ablate_rules: Also measure every rule's effect alone and together; needs rules and gold.
        explain: Explain false claims with what the evidence says against them.
        cluster_by: Field of the answers that are one unit.
        more: As for `fas.detectors.combine_folders.combine`.

    Raises:
        InputError: A folder cannot be read.
        ValueError: An option is out of range, or an ablation lacks rules or gold.
    """
    from fas.detectors.detection import write_page
    from fas.detectors.detection_text import ablation_dict

    if ablate_rules and (gold is None or more.get("rules") is None):
        raise ValueError("--ablate-rules needs --rules and --gold")
    sources = find_places(folders)
    combination = combine([read_member(place, explain=explain) for place in sources], name=out.name, **more)
    material = None if gold is None else load_material(sources, gold, cluster_by=cluster_by)[0]
    decision = None
    if settings.threshold is not None:
        decision = make_fixed_decision(combination, settings.threshold)
    elif material is not None:
        decision = choose_by_gold(combination, material, settings)
    report = write_combination(combination, out, sources, decision=decision)
    write_page(out)
    if not ablate_rules or material is None:
        return {**report, "ablation": None}, None
    ablation = measure_rules(combination, material, settings)
    write_json(out / "ablation.json", ablation_dict(ablation), indent=1)
    return {**report, "ablation": ablation_dict(ablation)}, ablation
