"""Options and marks of signatures that several evidence sources share."""

from __future__ import annotations

import re
from typing import NamedTuple

from fas.core.checks import is_whole, whole_number
from fas.core.records.signature import PartSignature

PMID = "pmid"
"""Says in the signature of an index of PubMed's files, or of a snapshot of PubMed, that ids are PMIDs."""


class Years(NamedTuple):
    """Years of publication, both ends included."""

    first: int
    last: int

    def __str__(self) -> str:
        return f"{self.first}-{self.last}"

    def __contains__(self, year: object) -> bool:
        return isinstance(year, int) and self.first <= year <= self.last


def check_k(k: int) -> int:
    """*k*, the number of passages per claim.

    Raises:
        ValueError: It is not a whole number of at least 1.
    """
    return whole_number("k", k)


def check_years(years: str | tuple[int, int] | list[int] | None) -> Years | None:
    """The years of `"2014-2024"`, `"2024"` or `(2014, 2024)`; None for no limit.

    Raises:
        ValueError: It has another form, or the first year is after the last.

    >>> str(check_years("2014-2024"))
    '2014-2024'
    """
    if years is None:
        return None
    if isinstance(years, str):
        match = re.fullmatch(r"\s*(\d{4})(?:\s*[-–:]\s*(\d{4}))?\s*", years)
        bounds = None if match is None else (int(match[1]), int(match[2] or match[1]))
    else:
        whole = len(years) == 2 and all(is_whole(year) for year in years)
        bounds = (years[0], years[1]) if whole else None
    if bounds is None or not 1000 <= bounds[0] <= bounds[1] <= 9999:
        raise ValueError(f"`years` must be like '2014-2024', '2024' or (2014, 2024), got {years!r}")
    return Years(*bounds)


def has_pmids(evidence: str) -> bool:
    """Whether a source with the signature *evidence* gives PMIDs for ids, so that a reader can be led to the article.

    >>> [has_pmids(evidence) for evidence in ("entrez[all,k=5,q1]", "index[3f0c9a21b7de,k=5,pmid]", "passages[k=5]")]
    [True, True, False]
    """
    source = PartSignature.of(evidence)
    return source.name == "entrez" or PMID in source.settings
