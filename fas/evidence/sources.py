"""Files an index is built from, read in constant memory into a spool of operations.

A spool is a text file with one operation a line, fields separated by tabs:

    A  id  version  JSON      the document of that id is now this one
    D  id  version            the document of that id is gone
    M  id  status             a notice marks the document of that id
    #  id                     a record that could not be read

It exists so that each file can be parsed by a process of its own, and so that nothing of a
file that turns out to be broken or cut off reaches the index.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import logging
import re
import unicodedata
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO, Literal, NamedTuple, cast

from fas.core.answers.formats import read_objects
from fas.core.checks import is_whole, plain_number, plain_record, whole_value
from fas.core.errors import InputError
from fas.core.guards.characters import check_text, collapse_to_line
from fas.evidence.documents import DOCUMENTS, is_medline, read_document
from fas.evidence.medline import read_medline
from fas.evidence.pubmed import EXCLUDED, Article, BadRecord, Deletion
from fas.evidence.pubmed_xml import MalformedXMLError, WrongDocumentError, read_articles
from fas.evidence.terms import fold

logger = logging.getLogger(__name__)

OnError = Literal["skip", "stop"]

FORMATS = (
    ".jsonl, .csv, .tsv, .parquet, .xml, .nbib or .txt (MEDLINE text), each also .gz (not .parquet), "
    f"and documents: .txt, {', '.join(DOCUMENTS)}"
)

_PUBMED_NAME = re.compile(r"pubmed(\d\d)n(\d+)\.xml(?:\.gz)?")
_ORIGIN = "a text to be indexed"
# The first that a row has is the document's id.
_IDS = ("id", "pmid", "doi", "url")
_COLUMNS = (*_IDS, "title", "text", "year")
_KINDS = {
    ".jsonl": "jsonl", ".ndjson": "jsonl", ".csv": "csv", ".tsv": "tsv", ".parquet": "parquet", ".xml": "xml",
    ".nbib": "medline", ".txt": "medline", **DOCUMENTS,
}  # fmt: skip


class RetrievalTally(NamedTuple):
    """What a source file held.

    Attributes:
        documents: Documents to index.
        deletions: Records it withdraws.
        without_text: Records with nothing to read (no abstract); they replace what was there by nothing.
        notices: Retraction, concern and erratum notices, which are no evidence.
        marks: Articles that those notices mark.
        unreadable: Records that could not be read.
        digest: SHA-256 of all operations.
    """

    documents: int
    deletions: int
    without_text: int
    notices: int
    marks: int
    unreadable: int
    digest: str


class PubMedNumber(NamedTuple):
    """Place of a file in PubMed's yearly series: baseline first, then the updates."""

    year: int
    number: int


def pubmed_number(path: Path) -> PubMedNumber | None:
    """The number of a PubMed baseline or update file, from its name; None for other files."""
    match = _PUBMED_NAME.fullmatch(path.name)
    return PubMedNumber(int(match[1]), int(match[2])) if match else None


def source_kind(path: Path) -> str:
    """`"jsonl"`, `"csv"`, `"tsv"`, `"parquet"`, `"xml"`, `"medline"`, or a kind of `fas.evidence.documents`.

    A `.txt` file is MEDLINE text by its name; whether it is plain text shows when it is read.

    Raises:
        InputError: The name has another ending.
    """
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes and suffixes[-1] == ".gz":
        suffixes.pop()
    kind = _KINDS.get(suffixes[-1] if suffixes else "")
    plain = ("parquet", *DOCUMENTS.values())
    if kind is None or (kind in plain and path.suffix.lower() == ".gz"):
        raise InputError(f"{path}: unsupported file type; supported: {FORMATS}", kind="format")
    return kind


def is_known(path: Path) -> bool:
    """Whether `source_kind` knows what *path* holds."""
    try:
        source_kind(path)
    except InputError:
        return False
    return True


def spool(path: Path, target: Path, *, on_error: OnError = "skip", name: str = "") -> RetrievalTally:
    """Read *path* and write its operations to *target*.

    *on_error* `skip` leaves out a PubMed record or document that cannot be used, with a warning; `stop` refuses the
    file. The ids of a document's passages begin with *name*, by default the file's name.

    Raises:
        InputError: The file cannot be read, is cut off, or a line (with `stop`, a record) of it cannot be used.
    """
    counts = dict.fromkeys(("documents", "deletions", "without_text", "notices", "marks", "unreadable"), 0)
    digest = hashlib.sha256()
    _check_md5(path)
    try:
        with target.open("wb") as output:
            for operation, counted in _read_operations(path, on_error, name):
                counts[counted] += 1
                line = operation.encode("utf-8")
                digest.update(line)
                output.write(line)
    except WrongDocumentError as error:
        raise InputError(f"{path}: {error}", kind="broken") from error
    except (EOFError, gzip.BadGzipFile, zlib.error, MalformedXMLError) as error:
        raise InputError(f"{path}: {error}. If it was downloaded, download it again", kind="broken") from error
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror or error})", kind="unreadable") from error
    if not any(counts.values()):
        # Made visible here: in a process of its own nothing else stands before the terminal.
        logger.warning("%s: holds no document", collapse_to_line(str(path)))
    return RetrievalTally(**counts, digest=digest.hexdigest())


def _read_operations(path: Path, on_error: OnError, name: str) -> Iterator[tuple[str, str]]:
    kind = source_kind(path)
    if kind == "medline" and path.suffix.lower() == ".txt" and not begins_as_medline(path):
        kind = "text"
    if kind in ("xml", "medline"):
        yield from _read_pubmed(path, read_articles if kind == "xml" else read_medline, on_error)
        return
    if kind in ("text", *DOCUMENTS.values()):
        try:
            passages = list(read_document(path, kind, name))
        except InputError as error:
            if on_error == "stop" or error.kind == "format":  # a list of addresses says what to do
                raise
            logger.warning("document left out: %s", collapse_to_line(str(error)))
            yield f"#\t{collapse_to_line(path.name)}\n", "unreadable"
            return
        yield from ((_format_document(**_check_row(path, number, row)), "documents") for number, row in passages)
        return
    ignored: dict[str, None] = {}
    for line, row in _read_table(path):
        ignored.update((name, None) for name in row if name not in _COLUMNS)
        yield _format_document(**_check_row(path, line, row)), "documents"
    if ignored:
        names = collapse_to_line(", ".join(ignored))
        logger.warning("%s: ignored columns: %s", collapse_to_line(str(path)), names)


def _read_pubmed(
    path: Path, read: Callable[[BinaryIO], Iterator[Article | Deletion | BadRecord]], on_error: OnError
) -> Iterator[tuple[str, str]]:
    with _open_file(path) as stream:
        for item in read(stream):
            if isinstance(item, Deletion):
                yield f"D\t{item.pmid}\t{item.version}\n", "deletions"
            elif isinstance(item, BadRecord):
                pmid, reason = collapse_to_line(item.pmid or "?"), collapse_to_line(item.reason)
                if on_error == "stop":
                    raise InputError(f"{path}: record {pmid}: {reason}; --on-error skip leaves it out", kind="record")
                # Made visible here: in a process of its own nothing else stands before the terminal.
                logger.warning("%s: record %s left out: %s", collapse_to_line(str(path)), pmid, reason)
                yield f"#\t{pmid}\n", "unreadable"
            else:
                yield from _write_article(item)


def _write_article(article: Article) -> Iterator[tuple[str, str]]:
    for pmid, status in article.marks:
        yield f"M\t{pmid}\t{status}\n", "marks"
    if article.is_notice or not article.abstract:
        # A revision that lost its abstract must not leave the old one behind.
        yield f"D\t{article.pmid}\t{article.version}\n", "notices" if article.is_notice else "without_text"
        return
    yield (
        _format_document(
            article.pmid,
            title=article.title,
            text=article.abstract,
            year=article.year,
            status=article.status or article.replaced,
            version=article.version,
            design=article.design,
            versions=[*article.earlier, *(f">{pmid}" for pmid in article.later)],
        ),
        "documents",
    )


def _format_document(
    identifier: str,
    *,
    title: str | None,
    text: str,
    year: int | None,
    status: str | None = None,
    version: int = 1,
    design: str | None = None,
    versions: Sequence[str] = (),
) -> str:
    passage: dict[str, Any] = {"id": identifier, "title": title or None, "text": text, "year": year, "status": status}
    if design is not None:
        passage["design"] = design
    if versions:
        passage["versions"] = list(versions)
    stored = json.dumps(passage, ensure_ascii=False).encode("utf-8")
    document: dict[str, Any] = {
        "id": identifier,
        "body": fold(f"{title}\n{text}" if title else text),
        "passage": base64.b64encode(stored).decode("ascii"),
    }
    if year is not None:
        document["year"] = year
    if status in EXCLUDED:
        document["status"] = status
    return f"A\t{identifier}\t{version}\t{json.dumps(document, ensure_ascii=False)}\n"


def _read_table(path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    for row in read_objects(path, required="text"):
        if isinstance(row.record, InputError):
            raise row.record
        yield row.line, row.record


def _check_row(path: Path, line: int, row: Mapping[str, Any]) -> dict[str, Any]:
    def refuse(field: str, problem: str) -> InputError:
        return InputError(f"{path}, line {line}: field `{field}` {problem}", kind="field", line=line, field=field)

    row = plain_record(row)
    text = row.get("text")
    if not isinstance(text, str) or not text.strip():
        raise refuse("text", f"must be a non-empty text, got {text!r}")
    title, year = row.get("title"), whole_value(row.get("year"))
    if title is not None and not isinstance(title, str):
        raise refuse("title", f"must be a text, got {title!r}")
    if isinstance(year, str) and re.fullmatch(r"\s*\d{4}\s*", year):
        year = int(year)
    if year is not None and (not is_whole(year) or not 1000 <= year <= 9999):
        raise refuse("year", f"must be a year of four digits, got {year!r}")
    named = next((name for name in _IDS if row.get(name) is not None), "id")
    identifier = (whole_value if named == "pmid" else plain_number)(row.get(named))
    if is_whole(identifier):
        identifier = str(identifier)
    text, title = check_text(text, _ORIGIN), title and check_text(title, _ORIGIN)
    if identifier is None:
        identifier = hashlib.sha256(f"{title}\n{text}".encode()).hexdigest()[:16]
    if not isinstance(identifier, str) or not identifier.strip():
        raise refuse(named, f"must be a text or a whole number, got {identifier!r}")
    if any(unicodedata.category(character) == "Cc" for character in identifier):
        raise refuse(named, f"must not hold control characters, got {identifier!r}")
    return {"identifier": check_text(identifier, _ORIGIN), "title": title, "text": text, "year": year}


def begins_as_medline(path: Path) -> bool:
    """Whether the first line of a file that is not blank is a field of MEDLINE text."""
    with path.open("rb") as stream:
        return is_medline(next((line for line in stream if line.strip()), b"").decode("utf-8-sig", "replace"))


def _open_file(path: Path) -> BinaryIO:
    if path.suffix.lower() == ".gz":
        return cast(BinaryIO, gzip.open(path))
    return path.open("rb")


def _check_md5(path: Path) -> None:
    """Compare with the checksum that PubMed lays beside each file, if it is there."""
    beside = path.with_name(path.name + ".md5")
    if not beside.is_file():
        return
    match = re.search(r"\b[0-9a-f]{32}\b", beside.read_text(encoding="utf-8", errors="replace").lower())
    if match is None:
        raise InputError(f"{beside}: holds no MD5 checksum", kind="md5")
    with path.open("rb") as stream:
        actual = hashlib.file_digest(stream, lambda: hashlib.md5(usedforsecurity=False)).hexdigest()
    if actual != match[0]:
        raise InputError(
            f"{path}: MD5 checksum {actual} is not {match[0]} of {beside.name}; download the file again", kind="md5"
        )
