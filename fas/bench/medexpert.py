"""MedExpert's annotation export (John Snow Labs' format): answers of chatbots with experts' spans.

https://github.com/JHU-CLSP/MedExpert, `sample_data/sample_data_export_from_JSL.json`. A task is one answer annotated by
one expert; its title is `DOMAIN-MODEL-QUESTION`, with `-iaa` where a second expert annotated an answer to measure their
agreement. Factuality spans have a label, the severity, and a correction under the same id. Other judgements
(completeness, certainty, omissions) are choices in mathematical bold letters, which NFKC folds.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from fas.bench.files import Fields, read_json
from fas.core.errors import InputError
from fas.detectors.gold import SEVERITIES, GoldFindings, GoldSpan, keep_severe, read_gold

_TITLE = re.compile(r"(?P<domain>[^-]+)-(?P<model>.+)-(?P<question>q\d+)(?P<double>-iaa)?")
_CHOICES = {"llmcertainty_opts": "certainty", "completeness_opts": "omission"}


class Task(NamedTuple):
    """One answer as one expert annotated it.

    Attributes:
        id: The title without `-iaa`.
        answer: The answer's line of an input file.
        gold: The factuality spans, all of them counted.
        annotation: The answer's line of a gold file: the spans with the expert's corrections ("" where there is none),
            other judgements (`certainty`, `omission`) as the first word of the choice, and whether it is marked as
            annotated for agreement (`-iaa`), as `double`.
    """

    id: str
    answer: dict[str, Any]
    gold: GoldFindings
    annotation: dict[str, Any]


class Doubles(NamedTuple):
    """How many answers two experts annotated, and on how many they agree whether it holds a hallucination."""

    n: int
    agreeing: int


def read_gold_file(path: Path, *, min_severity: str | None = None) -> dict[str, GoldFindings]:
    """Answer to gold: of MedExpert's export (.json), or of a gold file (.jsonl).

    An InputError where the file cannot be used, a ValueError where there is no such severity.
    """
    least = next((one for one in SEVERITIES if one == min_severity), None)
    if least != min_severity:
        raise ValueError(f"--min-severity must be one of {', '.join(SEVERITIES)}, got {min_severity!r}")
    if path.suffix != ".json":
        return read_gold(path, min_severity=least)
    gold = {task.id: task.gold for task in read_export(path)}
    return gold if least is None else keep_severe(gold, least, str(path))


def read_export(path: Path, *, doubles: bool = False) -> list[Task]:
    """The tasks of an export (.json, plain or gzipped), in its order; of an answer annotated twice the first one.

    An InputError where it does not have the export's shape, or two annotations of one answer have other texts.
    """
    every = list(_read_tasks(path))
    by_id = _group(every)
    for first, *others in by_id:
        if any(first.answer["prediction"] != task.answer["prediction"] for task in others):
            raise InputError(f"{path}: two tasks are called {first.id!r} and have different answers", kind="export")
    return every if doubles else [first for first, *_ in by_id]


def write_files(source: Path, out: Path) -> Doubles:
    """Write the export's answers (`answers.jsonl`) and their gold (`gold.jsonl`) into the folder *out*.

    Of an answer that two experts annotated the first annotation is the gold; the others stand in its line under
    `others`. Returns how far they agree.
    """
    by_id = _group(read_export(source, doubles=True))
    answers = [first.answer for first, *_ in by_id]
    gold = [{**first.annotation, "others": [one.annotation for one in others]} for first, *others in by_id]
    out.mkdir(parents=True, exist_ok=True)
    for name, records in (("answers.jsonl", answers), ("gold.jsonl", gold)):
        text = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
        (out / name).write_text(text, encoding="utf-8")
    pairs = [found for found in by_id if len(found) > 1]
    return Doubles(len(pairs), sum(len({task.gold.hallucination for task in found}) == 1 for found in pairs))


def _group(tasks: Sequence[Task]) -> list[list[Task]]:
    """The tasks on each answer."""
    by_id: dict[str, list[Task]] = {}
    for task in tasks:
        by_id.setdefault(task.id, []).append(task)
    return list(by_id.values())


def _read_tasks(path: Path) -> Iterator[Task]:
    raw = read_json(path)
    if not isinstance(raw, list):
        raise InputError(f"{path}: expected a list of tasks, got {type(raw).__name__}", kind="export")
    for number, entry in enumerate(raw, start=1):
        task = Fields(entry, f"{path}, task {number}")
        data = Fields(entry.get("data"), f"{path}, task {number}, data")
        title = data.text("title")
        found = _TITLE.fullmatch(title)
        if found is None:
            raise InputError(f"{data.where}: field 'title': expected DOMAIN-MODEL-qN, got {title!r}", kind="export")
        for completion in task.objects("completions"):
            yield _read_task(found, data, completion)


def _read_task(title: re.Match[str], data: Fields, completion: Fields) -> Task:
    answer = data.text("response")
    spans: list[tuple[str, GoldSpan]] = []
    corrections: dict[str, str] = {}
    choices: dict[str, str] = {}
    for result in completion.objects("result"):
        name, value = str(result.record.get("from_name")), result.record.get("value") or {}
        if name == "factuality_label":
            spans.append((str(result.record.get("id")), _read_span(value, answer, result.where)))
        elif name == "answer_factuality":
            corrections[str(result.record.get("id"))] = " ".join(map(str, value.get("text") or ())).strip()
        elif name in _CHOICES:
            choices[_CHOICES[name]] = _read_first_word(value.get("choices"))
    spans.sort(key=lambda item: item[1])
    worst = max((span.severity for _, span in spans), key=lambda one: SEVERITIES.index(one or "mild"), default=None)
    name, domain = title.group().removesuffix("-iaa"), title["domain"]
    record = {"id": name, "question": data.text("question"), "prediction": answer}
    record |= {"domain": domain, "model": title["model"], "question_id": f"{domain}-{title['question']}"}
    corrected = [{**span._asdict(), "correction": corrections.get(key, "")} for key, span in spans]
    annotation = {"id": name, "double": title["double"] is not None, "hallucination": bool(spans), "severity": worst}
    gold = GoldFindings(bool(spans), tuple(span for _, span in spans), worst)
    return Task(name, record, gold, {**annotation, "spans": corrected, **choices})


def _read_span(value: dict[str, Any], answer: str, where: str) -> GoldSpan:
    start, end, text = value.get("start"), value.get("end"), value.get("text")
    if not isinstance(start, int) or not isinstance(end, int) or not 0 <= start < end <= len(answer):
        raise InputError(f"{where}: a span must lie in the answer, got {start!r} to {end!r}", kind="export")
    if isinstance(text, str) and answer[start:end].strip() != text.strip():
        raise InputError(f"{where}: the span {start} to {end} is not the text {text!r} of the export", kind="export")
    labels = value.get("labels")
    for severity in SEVERITIES:
        if _read_first_word(labels) == severity.partition("-")[0]:
            return GoldSpan(start, end, severity)
    raise InputError(f"{where}: the label must be one of {', '.join(SEVERITIES)}, got {labels!r}", kind="export")


def _read_first_word(values: Any) -> str:
    text = unicodedata.normalize("NFKC", str(values[0])) if isinstance(values, list) and values else ""
    found = re.match(r"[A-Za-z]+", text.strip())
    return found.group().lower() if found else ""
