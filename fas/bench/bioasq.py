"""BioASQ Task B: questions of biomedical experts with ideal and exact answers, snippets and documents.

https://participants-area.bioasq.org/datasets/ (registration); golden files are named 10B1_golden.json and so on,
the edition first.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from fas.bench.dataset import Benchmark, Item
from fas.bench.files import DataSource, Fields, find_all, plain_name, read_json
from fas.core.errors import InputError
from fas.core.records import Passage

_KINDS = ("factoid", "list", "summary", "yesno")
_FOLDERS = ("bioasq", "BioASQ", "mirage_bioasq_pubmedqa")
_SOURCE = DataSource("BioASQ", "https://participants-area.bioasq.org/datasets/ (golden files of Task B)", _FOLDERS)
_NAME = re.compile(r"(\d+)B(\d+)_golden\.json")
_PMID = re.compile(r"/pubmed/(\d+)")


class BioASQ(Benchmark):
    """The golden files of every edition that is there; an item's `subset` is its edition, e.g. `10B`."""

    name = "bioasq"
    title = "BioASQ Task B: questions of biomedical experts with ideal answers, exact answers and snippets"
    subsets = ("10B",)
    kinds = ("factoid", "list", "summary")
    subset_rule = (
        "Every factoid, list and summary question of the golden files of the tenth edition (10B1-10B6: 166 + 85 + 112 "
        "= 363). The study reports 492 = 157 factoid, 138 list, 197 summary, which this edition cannot give: it has "
        "85 list and 112 summary questions. Other editions by --subset, e.g. --subset 9B,10B,11B."
    )

    def items(self, folder: Path) -> Iterator[Item]:
        """Every question of every golden file, by edition and batch."""
        if not _find_golden_files(folder, _SOURCE):
            raise InputError(
                f"{folder}: no golden file of BioASQ Task B (10B1_golden.json and so on) is there; get them from "
                f"{_SOURCE.url} and put them into {folder / 'bioasq'} (plain or gzipped, also in folders as published)",
                kind="missing_file",
            )
        yield from read_golden_items(folder, _SOURCE)


def read_golden_items(folder: Path, source: DataSource) -> Iterator[Item]:
    """The questions of the golden files that *source* has in *folder*, by edition and batch.

    An InputError where a file does not have BioASQ's shape, or an id occurs twice.
    """
    seen: dict[str, Path] = {}
    for (edition, _), path in sorted(_find_golden_files(folder, source).items()):
        for fields in Fields(read_json(path), str(path)).objects("questions"):
            item = _read_item(fields, f"{edition}B")
            if item.id in seen:
                raise InputError(
                    f"{fields.where}: field 'id': {item.id!r} is already in {seen[item.id]}", kind="duplicate_id"
                )
            seen[item.id] = path
            yield item


def _find_golden_files(folder: Path, source: DataSource) -> dict[tuple[int, int], Path]:
    """Edition and batch to file; archives are published as Task10BGoldenEnriched/10B1_golden.json."""
    files: dict[tuple[int, int], Path] = {}
    for inside in ("", "Task*BGoldenEnriched/", "bioasq/Task*BGoldenEnriched/", "rawdata/bioasq/Task*BGoldenEnriched/"):
        for path in find_all(folder, source, f"{inside}*_golden.json"):
            name = _NAME.fullmatch(plain_name(path))
            if name is not None:
                files.setdefault((int(name[1]), int(name[2])), path)
    return files


def _read_item(fields: Fields, edition: str) -> Item:
    kind = fields.choice("type", _KINDS)
    # Early editions have one ideal answer as a string, later ones a list.
    ideal = fields.record.get("ideal_answer")
    answers = [ideal] if isinstance(ideal, str) else fields.strings("ideal_answer")
    snippets = ((one.string("text").strip(), one.string("document")) for one in fields.objects("snippets"))
    return Item(
        id=fields.text("id"),
        question=fields.text("body"),
        references=tuple(dict.fromkeys(answer for answer in answers if answer.strip())),
        passages=tuple(dict.fromkeys(Passage(text, id=_find_pmid(url)) for text, url in snippets if text)),
        kind=kind,
        meta={
            "subset": edition,
            "exact": _read_exact(fields, kind),
            "documents": [_find_pmid(url) or url for url in fields.strings("documents")],
        },
    )


def _read_exact(fields: Fields, kind: str) -> Any:
    """The one word yes or no; a list of entries, each a list of synonyms; None for a summary question."""
    value = fields.record.get("exact_answer")
    if kind == "summary" or value is None:
        return None
    if kind == "yesno":
        answer = value[0] if isinstance(value, list) and len(value) == 1 else value
        return Fields({"exact_answer": answer}, fields.where).choice("exact_answer", ("yes", "no"))
    entries = [value] if isinstance(value, str) else value
    if isinstance(entries, list):
        # A factoid may be given as one list of synonyms, a list question as a list of entries.
        entries = [[entry] if isinstance(entry, str) else entry for entry in entries]
        if all(isinstance(entry, list) and all(isinstance(name, str) for name in entry) for entry in entries):
            return entries
    return fields.fail("exact_answer", "expected a string, a list of strings or a list of lists of strings")


def _find_pmid(url: str) -> str | None:
    match = _PMID.search(url)
    return match[1] if match else None
