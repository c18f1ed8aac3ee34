"""Labels from elsewhere: Label Studio's and Argilla's JSON, to and fro, and decisions on the page of a run.

Formats: Label Studio, "Import data" and "Export annotations" (JSON); Argilla 2, `Dataset.records.to_json`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import Any, Literal

from fas.core.errors import InputError
from fas.core.files.plain import read_json
from fas.labels.files import LABELS, Key, parse_claim_label
from fas.labels.judged import read_judged
from fas.report.decisions import read_decisions
from fas.report.review import draw_key

Tool = Literal["label-studio", "argilla"]
_KEPT = ("id", "claim", "statement", "pi", "stratum", "text")


def export(items: Sequence[Mapping[str, Any]], tool: Tool) -> list[dict[str, Any]]:
    """The claims of a page (`fas.labels.page.collect_items`) as tasks of Label Studio or records of Argilla.

    Label Studio needs a `Choices` control called `label`, Argilla a label question of that name, with the labels
    supported, contradicted, unsupported and bad.
    """
    found: list[dict[str, Any]] = []
    for item in items:
        evidence = "\n".join(piece["sentence"] or "" for piece in item["evidence"])
        shown = {"question": item["question"] or "", "answer": item["prediction"], "text": item["text"]}
        shown["evidence"] = evidence
        kept = {name: item[name] for name in _KEPT if name in item}
        if tool == "label-studio":
            found.append({"data": {**shown, **kept}})
        else:
            name = f"{item['id']}#{item.get('claim', item.get('statement'))}"
            found.append({"id": name, "fields": shown, "metadata": {k: v for k, v in kept.items() if k != "text"}})
    return found


def import_tasks(path: Path, tool: Tool) -> list[dict[str, Any]]:
    """Lines of files of labels from an export of *tool*; a claim with labels of several people has a line for each."""
    tasks = read_json(path)
    if not isinstance(tasks, list):
        raise InputError(f"{path}: expected a list, as {tool} writes it, got {type(tasks).__name__}", kind="json")
    rows: list[dict[str, Any]] = []
    for number, task in enumerate(tasks, start=1):
        where = f"{path}, item {number}"
        if not isinstance(task, dict):
            raise InputError(f"{where}: expected an object, got {type(task).__name__}", kind="type")
        base = _read_item(task, tool, where)
        given = _read_label_studio(task) if tool == "label-studio" else _read_argilla(task)
        if not given:
            rows.append({**base, "label": None})
        for person, value in given:
            label = parse_claim_label(value, "claims" if "claim" in base else "statements")
            if label is None:
                raise InputError(f"{where}: expected one of {', '.join(LABELS)}, got {value!r}", kind="type")
            rows.append({**base, "label": label, **({"annotator": person} if person else {})})
    return rows


def _read_item(task: Mapping[str, Any], tool: Tool, where: str) -> dict[str, Any]:
    fields, metadata = task.get("fields") or {}, task.get("metadata") or {}
    data = task.get("data") if tool == "label-studio" else {**fields, **metadata}
    if not isinstance(data, dict) or "id" not in data or not {"claim", "statement"} & data.keys():
        raise InputError(f"{where}: no `id` and `claim` of `fas labels draw --to {tool}` in it", kind="type")
    return {name: data[name] for name in _KEPT if data.get(name) is not None}


def _read_label_studio(task: Mapping[str, Any]) -> list[tuple[str, Any]]:
    found = []
    for annotation in task.get("annotations") or ():
        if annotation.get("was_cancelled"):
            continue
        by = annotation.get("completed_by")
        person = by.get("email") or str(by.get("id")) if isinstance(by, dict) else "" if by is None else str(by)
        for result in annotation.get("result") or ():
            if result.get("type") == "choices" and result.get("from_name") == "label":
                found += [(person, value) for value in (result.get("value") or {}).get("choices") or ()][:1]
    return found


def _read_argilla(task: Mapping[str, Any]) -> list[tuple[str, Any]]:
    given = (task.get("responses") or {}).get("label") or ()
    return [
        (str(one.get("user_id") or ""), one.get("value")) for one in given if one.get("status") in (None, "submitted")
    ]


@dataclass(frozen=True, slots=True)
class DecidedSample:
    """Labels that reviewers gave on the page of a run, those of several reviewers on one claim behind each other.

    *n_all* counts the claims of the run that have a verdict, *n_left_out* decided claims that are not of the sample.
    """

    rows: tuple[dict[str, Any], ...]
    n_claims: int
    n_all: int
    n_left_out: int

    def __str__(self) -> str:
        """The claims taken, and those left out."""
        said = f"{self.n_claims} of {self.n_all} claims are a sample, decided without a gap in the page's random order"
        if self.n_left_out:
            said += f"; {self.n_left_out} other decided claims were looked for and are left out"
        return said


def sample_decisions(folder: Path, files: Sequence[Path]) -> DecidedSample:
    """The decisions in *files*, one for each reviewer, on claims from the beginning of the random order of a run.

    The sample ends with the last claim that was decided in that order and has no undecided one before it: claims behind
    it that were looked for and decided elsewhere would favour the verdicts that people look for. Every label carries
    the probability that its claim was in the sample.

    Raises:
        InputError: A file cannot be used or is of another run, one reviewer has two files, or the first claim of the
            random order was not decided in that order.
    """
    run = read_judged(folder)
    said: dict[Key, dict[str, str]] = {}
    in_order: set[Key] = set()
    for path in files:
        for line in read_decisions(run.results.path, [path]).lines:
            if "claim" not in line or "label" not in line:
                continue
            key = line["id"], line["claim"]
            own, name = said.setdefault(key, {}), line.get("reviewer") or path.stem
            if name in own:
                raise InputError(
                    f"{path}: {name!r} has decided claim {line['claim']} of {line['id']!r} in another file already",
                    kind="duplicate",
                )
            own[name] = line["label"]
            if line.get("chosen") == "sample":
                in_order.add(key)
    order = sorted(run.claims, key=lambda one: draw_key(*one.key))
    drawn = list(takewhile(lambda claim: claim.key in said, order))
    while drawn and drawn[-1].key not in in_order:
        drawn.pop()
    if not drawn:
        raise InputError(
            f"{', '.join(map(str, files))}: no decided claim is of the random sample; on the page choose the claims "
            "`random sample` and decide them in their order",
            kind="no_sample",
        )
    pi = len(drawn) / len(run.claims)
    rows = tuple(
        {"id": claim.id, "claim": claim.claim, "label": label, "pi": pi, "text": claim.text, "annotator": name}
        for claim in drawn
        for name, label in said[claim.key].items()
    )
    return DecidedSample(rows, len(drawn), len(run.claims), len(said) - len(drawn))
