"""Evidence written down, so that a score can be computed again from it, offline, years later.

A snapshot is JSON Lines: a header, then each passage once and each claim with the keys of its
passages, best first. Of several lines for one claim of one answer the last holds, because a
run that is continued may search again for what had failed.
"""

from __future__ import annotations

import hashlib
import json
import os
from array import array
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from datetime import UTC, datetime
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from fas.core.errors import FasError, InputError
from fas.core.files.plain import parse_json
from fas.core.guards.characters import check_text
from fas.core.guards.redaction import redact_value
from fas.core.parts import Retriever, count_again
from fas.core.records import Answer, Claim, Passage, Retrieval
from fas.core.records.signature import PartSignature
from fas.evidence.options import PMID, check_k, has_pmids

FORMAT = 1
_REMEMBERED = 50_000
_LATER_FIELDS = ("design", "corpus")


_OF_CLAIM: dict[str, Any] = {
    "answer": str, "claim": str, "passages": list, "n_cut": int, "failure": str | None, "query": str | None
}  # fmt: skip


class EvidenceRecorder:
    """Passes on what another retriever finds and writes it to a snapshot, new or of the same evidence source.

    Raises:
        InputError: The file holds something else, or was recorded from another source.
        FasError: The file cannot be written.
    """

    def __init__(self, retriever: Retriever, path: Path) -> None:
        self._retriever = retriever
        self._path = path
        # Passages written lately; an older one may be written twice, which costs only room.
        self._written: OrderedDict[str, None] = OrderedDict()
        header = {"fas_snapshot": FORMAT, "source": retriever.signature, "created": _now()}
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            if path.exists() and path.stat().st_size:
                self._check(header)
                self._cut_half_line()
            self._file = path.open("ab")
            if not path.stat().st_size:
                self._write([header])
        except OSError as error:
            raise FasError(f"{path}: cannot be written ({error.strerror or error})") from error

    @property
    def signature(self) -> str:
        """That of the recorded source."""
        return self._retriever.signature

    def notes(self) -> tuple[str, ...]:
        """Those of the recorded source."""
        notes = getattr(self._retriever, "notes", None)
        return tuple(notes()) if notes is not None else ()

    def recount(self) -> bool:
        """Let the recorded source forget what it counted."""
        return count_again(self._retriever)

    def retrieve(self, claims: Sequence[Claim], answers: Sequence[Answer]) -> list[Retrieval]:
        """What the source finds; on disk when this returns."""
        retrievals = redact_value(self._retriever.retrieve(claims, answers))
        retrieved = _now()
        lines: list[dict[str, Any]] = []
        for claim, answer, retrieval in zip(claims, answers, retrievals, strict=True):
            keys = []
            for passage in retrieval.passages:
                key = _hash_passage(passage)
                keys.append(key)
                if key not in self._written:
                    lines.append({"passage": key, **asdict(passage)})
                    if len(self._written) >= _REMEMBERED:
                        self._written.popitem(last=False)
                self._written[key] = None
                self._written.move_to_end(key)
            lines.append(
                {
                    "answer": answer.id,
                    "claim": claim.text,
                    "query": retrieval.query,
                    "retrieved": retrieved,
                    "passages": keys,
                    "n_cut": retrieval.n_cut,
                    "failure": retrieval.failure,
                }
            )
        try:
            self._write(lines)
        except OSError as error:
            raise FasError(f"{self._path}: cannot be written ({error.strerror or error})") from error
        return retrievals

    def close(self) -> None:
        """Close the file and the source."""
        if not self._file.closed:
            self._file.flush()
            os.fsync(self._file.fileno())
            self._file.close()
        close = getattr(self._retriever, "close", None)
        if close is not None:
            close()

    def _check(self, header: dict[str, Any]) -> None:
        with self._path.open("rb") as stream:
            found = _parse_header(self._path, stream.readline())
        if found["source"] != header["source"]:
            raise InputError(
                f"{self._path}: was recorded from {found['source']}, this run uses {header['source']}; "
                "name another file",
                kind="snapshot",
            )

    def _cut_half_line(self) -> None:
        with self._path.open("rb+") as stream, mmap(stream.fileno(), 0) as content:
            whole = content.rfind(b"\n") + 1
        os.truncate(self._path, whole)

    def _write(self, lines: Sequence[dict[str, Any]]) -> None:
        self._file.write(b"".join(_encode_line(line) for line in lines))
        self._file.flush()


class SnapshotRetriever:
    """Evidence from the snapshot *argument*; a claim that is not in it is a failure, never an empty result.

    *k* passages per claim, at most as many as were recorded. Keeps 40 bytes a claim in memory and reads passages from
    the file on demand.

    Raises:
        InputError: The file is missing, not a snapshot, or was changed.
        ValueError: No file was named.
    """

    def __init__(self, *, argument: str | None = None, k: int = 5) -> None:
        if not argument:
            raise ValueError("evidence `snapshot` needs a file: snapshot:FILE")
        self.k = check_k(k)
        self._path = Path(argument)
        try:
            self._file = self._path.open("rb")
        except OSError as error:
            raise InputError(f"{self._path}: cannot be read ({error.strerror or error})", kind="snapshot") from error
        self.source = str(_parse_header(self._path, self._file.readline())["source"])
        self._content = mmap(self._file.fileno(), 0, access=ACCESS_READ)  # threads share it, with no position to move
        self._scan()

    @property
    def signature(self) -> str:
        """E.g. `snapshot[91c1f0aa52de,k=5,pmid]`; the first part is the beginning of the content hash.

        `pmid` is there if the source that was recorded gives PMIDs for ids.
        """
        pmid = (PMID,) if has_pmids(self.source) else ()
        return PartSignature("snapshot", self.content_hash[:12], f"k={self.k}", *pmid)

    def __len__(self) -> int:
        return len(self._claims.keys)

    def retrieve(self, claims: Sequence[Claim], answers: Sequence[Answer]) -> list[Retrieval]:
        """What each claim of each answer got when the snapshot was recorded, cut to k."""
        return [self._find(claim, answer) for claim, answer in zip(claims, answers, strict=True)]

    def close(self) -> None:
        """Close the file."""
        self._content.close()
        self._file.close()

    def _find(self, claim: Claim, answer: Answer) -> Retrieval:
        offset = self._claims.find(_hash(answer.id, claim.text))
        line = None if offset is None else self._read(offset)
        if line is None or (line["answer"], line["claim"]) != (answer.id, claim.text):
            return Retrieval(failure=f"the claim is not in the snapshot {self._path.name}")
        passages = tuple(self._read_passage(key) for key in line["passages"])
        return Retrieval(
            passages[: self.k],
            failure=line["failure"],
            n_cut=line["n_cut"] + max(0, len(passages) - self.k),
            query=line["query"],
        )

    def _read_passage(self, key: str) -> Passage:
        offset = self._passages.find(int(key, 16))
        if offset is None:
            raise InputError(f"{self._path}: passage {key} is missing", kind="snapshot")
        line = self._read(offset)
        passage = Passage(**{name: line[name] for name in Passage.__slots__ if name in line})
        if _hash_passage(passage) != key:
            raise InputError(f"{self._path}: passage {key} was changed after it was recorded", kind="snapshot")
        origin = f"the snapshot {self._path}"
        return replace(
            passage,
            text=check_text(passage.text, origin),
            title=passage.title and check_text(passage.title, origin),
            id=passage.id and check_text(passage.id, origin),
        )

    def _read(self, offset: int) -> dict[str, Any]:
        end = self._content.find(b"\n", offset)
        line: dict[str, Any] = json.loads(self._content[offset : end if end >= 0 else None])
        return line

    def _scan(self) -> None:
        self._claims, self._passages = _Places(), _Places()
        digests = bytearray()
        for number, offset, raw in _iterate_lines(self._file):
            try:
                line = parse_json(raw)
                if "passage" in line:
                    self._passages.add(int(line["passage"], 16), offset)
                else:
                    self._claims.add(_hash(line["answer"], line["claim"]), offset)
                    _check_claim(line)
                    kept = [line[name] for name in ("answer", "claim", "passages", "n_cut", "failure")]
                    digests += hashlib.sha256(_encode_line(kept)).digest()[:16]
            except (ValueError, KeyError, TypeError) as error:
                raise InputError(
                    f"{self._path}, line {number}: not a line of a snapshot ({type(error).__name__}: {error})",
                    kind="snapshot",
                    line=number,
                ) from error
        self._passages.sort()
        rows = np.frombuffer(bytes(digests), dtype="S16") if digests else np.zeros(0, dtype="S16")
        # Sorted, so that the order in which answers were finished does not matter.
        self.content_hash = hashlib.sha256(np.sort(rows[self._claims.sort()]).tobytes()).hexdigest()


class _Places:
    """Where the lines of a file begin, by 64-bit keys; of several lines of one key the last."""

    def __init__(self) -> None:
        self.keys: Any = array("Q")
        self.offsets: Any = array("Q")

    def add(self, key: int, offset: int) -> None:
        self.keys.append(key)
        self.offsets.append(offset)

    def sort(self) -> Any:
        """Make the places ready for `find`; returns the numbers of the lines that were kept."""
        key, offset = np.array(self.keys, dtype=np.uint64), np.array(self.offsets, dtype=np.uint64)
        order = np.lexsort((offset, key))
        last = np.ones(len(order), dtype=bool)
        last[:-1] = key[order][1:] != key[order][:-1]
        rows = order[last]
        self.keys, self.offsets = key[rows], offset[rows]
        return rows

    def find(self, key: int) -> int | None:
        position = int(np.searchsorted(self.keys, np.uint64(key)))
        found = position < len(self.keys) and int(self.keys[position]) == key
        return int(self.offsets[position]) if found else None


def _iterate_lines(file: BinaryIO) -> Iterator[tuple[int, int, bytes]]:
    """Number, offset and content of each whole line after the header."""
    offset = file.tell()
    for number, raw in enumerate(file, 2):
        # What a killed run wrote half of was never used.
        if raw.endswith(b"\n"):
            yield number, offset, raw
        offset += len(raw)


def _check_claim(line: dict[str, Any]) -> None:
    """Refuse a line on a claim whose fields are of other kinds than were written.

    Raises:
        KeyError, TypeError: They are, or one is missing.
    """
    for field, kind in _OF_CLAIM.items():
        if not isinstance(line[field], kind) or isinstance(line[field], bool):
            raise TypeError(f"field {field!r}: unexpected {type(line[field]).__name__}")
    if not all(isinstance(key, str) for key in line["passages"]):
        raise TypeError("field 'passages': expected keys of passages")


def _parse_header(path: Path, raw: bytes) -> dict[str, Any]:
    try:
        header: dict[str, Any] = parse_json(raw)
    except ValueError:
        header = {}
    if not isinstance(header, dict) or header.get("fas_snapshot") != FORMAT or "source" not in header:
        raise InputError(f"{path}, line 1: not a snapshot of format {FORMAT}", kind="snapshot", line=1)
    return header


def _hash_passage(passage: Passage) -> str:
    fields = list(asdict(passage).items())
    # What passages did not have at first is part of the key only where it says something: old files stay readable.
    kept: list[Any] = [value for name, value in fields if name not in _LATER_FIELDS]
    kept += [[name, value] for name, value in fields if name in _LATER_FIELDS and value is not None]
    return hashlib.sha256(_encode_line(kept)).hexdigest()[:16]


def _hash(answer: str, claim: str) -> int:
    return int.from_bytes(hashlib.sha256(_encode_line([answer, claim])).digest()[:8], "big")


def _encode_line(value: Any) -> bytes:
    # Not UTF-8 for other letters: lone surrogates in answers must survive.
    return (json.dumps(value, ensure_ascii=True) + "\n").encode("ascii")


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
