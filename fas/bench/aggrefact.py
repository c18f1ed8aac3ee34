"""LLM-AggreFact: sentences of language models with the document they should rest on, and people's labels.

Tang, Laban and Durrett (2024), https://huggingface.co/datasets/lytang/LLM-AggreFact. DnDScore takes its set LFQA. Its
owners allow evaluation alone, no training.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

from fas.bench.dataset import Benchmark, Candidate, Item
from fas.bench.files import DataSource, Fields, find_all, read_lines
from fas.core.errors import InputError
from fas.core.records import Passage

_SOURCE = DataSource(
    "LLM-AggreFact",
    "https://huggingface.co/datasets/lytang/LLM-AggreFact (data/, after its owners' conditions)",
    ("aggrefact", "LLM-AggreFact/data", "LLM-AggreFact"),
)
_PATTERNS = ("test*.parquet", "test*.jsonl")


class AggreFact(Benchmark):
    """The benchmark: each sentence is an answer, its document the only passage, its label gold."""

    name = "aggrefact"
    title = "LLM-AggreFact: sentences of language models with documents and people's labels, eleven sets"
    subsets = ("LFQA",)
    subset_rule = "The test split of LFQA, as DnDScore takes it; --subset all takes every set."

    def items(self, folder: Path) -> Iterator[Item]:
        """Each document of each set once, without a question."""
        seen: set[str] = set()
        for name, identifier, fields in _read_rows(folder):
            if identifier not in seen:
                seen.add(identifier)
                passage = Passage(fields.text("doc"), id=identifier)
                yield Item(identifier, "", (), (passage,), meta={"subset": name})

    def candidates(self, folder: Path) -> Iterator[Candidate]:
        """The sentences on a document, as the samples of one model; gold is 1 for one that it supports, else 0."""
        seen: Counter[str] = Counter()
        for _, identifier, fields in _read_rows(folder):
            label = fields.whole("label")
            if label > 1:
                fields.fail("label", f"expected 0 or 1, got {label}")
            meta = {"judged_by": "people"}
            yield Candidate(identifier, "sentences", seen[identifier], fields.text("claim"), float(label), meta)
            seen[identifier] += 1


def _read_rows(folder: Path) -> Iterator[tuple[str, str, Fields]]:
    """Set, id of the document, and the row itself."""
    paths = [path for pattern in _PATTERNS for path in find_all(folder, _SOURCE, pattern)]
    if not paths:
        raise InputError(
            f"{folder}: no file test*.parquet or test*.jsonl of {_SOURCE.owner}; get it from {_SOURCE.url} and put it "
            f"into {folder / _SOURCE.folders[0]}",
            kind="missing_file",
        )
    for path in paths:
        for fields in _read_parquet(path) if path.suffix == ".parquet" else read_lines(path):
            name = fields.text("dataset")
            yield name, f"{name}/{sha256(fields.text('doc').encode()).hexdigest()[:12]}", fields


def _read_parquet(path: Path) -> Iterator[Fields]:
    import pandas as pd

    try:
        rows: list[dict[str, Any]] = pd.read_parquet(path).to_dict("records")
    except Exception as error:  # pyarrow's own errors, of many classes
        raise InputError(f"{path}: cannot be read as Parquet ({error})", kind="unreadable") from error
    for number, row in enumerate(rows, start=1):
        yield Fields(row, f"{path}, row {number}")
