"""Abstracts for the rules of `perturb.py`, cut into sentences and split by document.

Left out: abstracts that SciFact's training claims cite (they are kept for measuring), and
Check-COVID and CliniFact documents that occur in a split other than train.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.embedded_models.nli.data import read_jsonl

SPLITS = ("train", "dev", "test")


@dataclass(frozen=True, slots=True)
class Document:
    """An abstract: its identifier, its title and its sentences in order."""

    id: str
    title: str
    sentences: tuple[str, ...]


_BOUNDARY = re.compile(r"(?<=[.?!])[\"”')]?\s+(?=[A-Z\[(“\"])")
_ABBREVIATION = re.compile(r"(?:\b(?:vs|e\.g|i\.e|et al|cf|approx|ca|Fig|No|Dr|St|resp|[A-Z])\.)$")
_SECTION = re.compile(r"(?:^|\s)[A-Z][A-Z ,/&-]{3,}:\s+")


def sentences_of(text: str) -> list[str]:
    """*text* cut at sentence ends; section labels are dropped.

    Abbreviations ("vs.", "et al.", initials) do not end a sentence.
    """
    found: list[str] = []
    for section in _SECTION.split(text.replace("ABSTRACT.", " ")):
        pending = ""
        for piece in _BOUNDARY.split(" ".join(section.split())):
            pending = f"{pending} {piece}".strip()
            if not _ABBREVIATION.search(pending):
                found.append(pending)
                pending = ""
        if pending:
            found.append(pending)
    return [sentence for sentence in found if sentence]


def _rejoined(pieces: list[str]) -> list[str]:
    """Sentences of a list that was cut too often: a piece without an end takes the next one in."""
    joined: list[str] = []
    for piece in pieces:
        if joined and (joined[-1][-1:] not in ".?!" or not piece[:1].isupper()):
            joined[-1] += " " + piece
        elif piece:
            joined.append(piece)
    return joined


def split_of(document_id: str) -> str:
    """The split a document belongs to: train 80%, dev 10%, test 10%, by a hash of its id."""
    bucket = int(hashlib.sha256(document_id.encode()).hexdigest(), 16) % 10
    return "test" if bucket == 9 else "dev" if bucket == 8 else "train"


def documents(root: Path, split: str) -> list[Document]:
    """The documents of *split*, in the order of the files.

    Args:
        root: The training-data folder.
        split: One of `SPLITS`.

    Raises:
        ValueError: There is no such split.
    """
    if split not in SPLITS:
        raise ValueError(f"no split {split!r}; there are {', '.join(SPLITS)}")
    return [document for document in _all(root) if split_of(document.id) == split and document.sentences]


def _all(root: Path) -> Iterator[Document]:
    cited = {row["doc_id"] for row in read_jsonl(root / "scifact/claims_train_pairs.jsonl.gz")}
    for row in read_jsonl(root / "scifact/corpus.jsonl.gz"):
        if row["doc_id"] not in cited:
            pieces = [" ".join(str(piece).replace("\\n", " ").split()) for piece in row["abstract"]]  # type: ignore[attr-defined]
            yield Document(f"scifact:{row['doc_id']}", str(row["title"]), tuple(_rejoined(pieces)))
    for row in read_jsonl(root / "evidence_inference/abstracts.jsonl.gz"):
        title, _, body = str(row["abstract"]).partition("ABSTRACT")
        title = " ".join(title.removeprefix("TITLE:").split())
        yield Document(f"ei:{row['pmcid']}", title, tuple(sentences_of("ABSTRACT" + body)))
    yield from _premises(root / "check_covid/check_covid.jsonl.gz", "covid", level="abstract")
    yield from _premises(root / "clinifact/clinifact_pairs.jsonl.gz", "clinifact", level=None)


def _premises(path: Path, name: str, *, level: str | None) -> Iterator[Document]:
    rows = [row for row in read_jsonl(path) if level is None or row["level"] == level]
    kept_out = {str(row["premise"]) for row in rows if row["split"] != "train"}
    for premise in dict.fromkeys(str(row["premise"]) for row in rows if row["split"] == "train"):
        if premise in kept_out:
            continue
        title, *body = sentences_of(re.sub(r"(?<=\. )Abstract (?=[A-Z])", "", premise))
        yield Document(f"{name}:{hashlib.sha256(premise.encode()).hexdigest()[:12]}", title, tuple(body))
