"""PubMed records in MEDLINE text (.nbib, .txt), read by Biopython's `Bio.Medline`.

What Biopython takes wrongly is mended before it reads: records joined without an empty line, of which it makes one or
none (case `nbib_joined`), and fields whose blanks an editor trimmed, at which it ends (`nbib_trimmed`).
It is what PubMed's page saves as "PubMed" format and what reference managers exchange.
Fields: https://pubmed.ncbi.nlm.nih.gov/help/#pubmed-format
"""

from __future__ import annotations

import io
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, pairwise
from typing import BinaryIO, cast

from fas.core.loading import import_extra
from fas.evidence.pubmed import Article, BadRecord, Deletion, is_pmid, parse_article
from fas.evidence.pubmed_xml import WrongDocumentError

# The mark of each field as the XML's RefType names it.
_LINKS = {
    "RIN": "RetractionIn", "ROF": "RetractionOf", "PRIN": "PartialRetractionIn", "PROF": "PartialRetractionOf",
    "ECI": "ExpressionOfConcernIn", "ECF": "ExpressionOfConcernFor", "RPI": "RepublishedIn", "RPF": "RepublishedFrom",
    "CRI": "CorrectedandRepublishedIn", "CRF": "CorrectedandRepublishedFrom", "RRI": "RetractedandRepublishedIn",
    "RRF": "RetractedandRepublishedFrom", "UIN": "UpdateIn", "UOF": "UpdateOf",
}  # fmt: skip
_PMID = re.compile(r"\bPMID:?\s*(\d+)", re.IGNORECASE)
_YEAR = re.compile(r"(?<!\d)(1[5-9]\d\d|20\d\d)(?!\d)")
_FIELD = re.compile(r"[A-Z]{2,4} {0,2}-(?: |$)")
_RECORD = "PMID-"
_CONTINUED = " " * 6
# Where files are joined that end without a newline, a record begins behind the last field of the one before.
_GLUED = re.compile(r"(?<=\S)\ufeff?(?=PMID- *\d{1,9}\s*$)")


def read_medline(stream: BinaryIO) -> Iterator[Article | Deletion | BadRecord]:
    """The records of a file in MEDLINE text, in order, one at a time.

    Raises:
        WrongDocumentError: It is not MEDLINE text.
    """
    medline = import_extra("Bio.Medline", "medline")
    text = io.TextIOWrapper(stream, encoding="utf-8-sig", errors="strict", newline=None)
    try:
        records = cast(Iterable[Mapping[str, object]], medline.parse(_check_lines(text)))
        for record in records:
            yield _read_record(record)
    except UnicodeDecodeError as error:
        raise WrongDocumentError(f"not MEDLINE text in UTF-8 (byte {error.start})") from error
    finally:
        text.detach()


def _check_lines(lines: Iterable[str]) -> Iterator[str]:
    """The lines, with one blank line between records and none within them.

    A record ends before a blank line or before the next `PMID- `: files that PubMed saves end without a blank line,
    and without one they are joined. A blank line before a continued one is what an editor made of trailing blanks.
    The first line must be a field: anything at all would else be read as empty records.
    """
    begun = blank = named = False
    for line in _split_joined(lines):
        if not line.strip():
            blank = True
            continue
        if not begun and not _FIELD.match(line):
            raise WrongDocumentError(f"not MEDLINE text: it begins with {line.strip()[:40]!r}, not with `PMID- `")
        names = line.startswith(_RECORD)
        if begun and ((blank and not line.startswith(_CONTINUED)) or (named and names)):
            yield "\n"
            named = False
        begun, blank, named = True, False, named or names
        yield line
    if not begun:
        raise WrongDocumentError("the document is empty")


def _split_joined(lines: Iterable[str]) -> Iterator[str]:
    """The lines, cut where a record begins within one; the line behind it is then a field."""
    for line, following in pairwise(chain(lines, ("",))):
        line = line.removeprefix("\ufeff")
        parts = _GLUED.split(line, maxsplit=1) if _RECORD in line and _FIELD.match(following) else [line]
        yield from parts


def _read_record(record: Mapping[str, object]) -> Article | BadRecord:
    pmid = _read_text(record, "PMID")
    if not is_pmid(pmid):
        return BadRecord(pmid or None, "a record without a PMID")
    dates = [*_read_list(record, "DP"), *_read_list(record, "DEP")]
    years = [match[1] for date in dates if (match := _YEAR.search(date) or re.match(r"(\d{4})\d{4}$", date.strip()))]
    return parse_article(
        pmid=pmid,
        version=1,
        title=_read_text(record, "TI") or _read_text(record, "BTI") or _read_text(record, "TT"),
        abstract=_read_text(record, "AB") or _read_text(record, "OAB"),
        years=[int(year) for year in years],
        languages=_read_list(record, "LA"),
        types=_read_list(record, "PT"),
        links=[
            (kind, match[1])
            for field, kind in _LINKS.items()
            for reference in _read_list(record, field)
            if (match := _PMID.search(reference))
        ],
        marks_only=[kind for field, kind in _LINKS.items() if _read_list(record, field)],
    )


def _read_list(record: Mapping[str, object], field: str) -> list[str]:
    value = record.get(field)
    if isinstance(value, str):
        return [value]
    return [str(item) for item in value] if isinstance(value, list) else []


def _read_text(record: Mapping[str, object], field: str) -> str:
    return " ".join(unicodedata.normalize("NFC", " ".join(_read_list(record, field))).split())
