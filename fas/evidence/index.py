"""A local index on disk, searched with BM25: from a few notes to all of PubMed."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

import tantivy
from tantivy import Occur, Query

from fas.core.errors import InputError
from fas.core.records import Passage
from fas.evidence.build import LEDGER, TEXTS, explain_damage, open_to_read
from fas.evidence.index_catalog import BuiltFiles, CatalogSource, IndexCatalog
from fas.evidence.options import Years
from fas.evidence.pubmed import EXCLUDED
from fas.evidence.sources import source_kind
from fas.evidence.terms import fold, terms
from fas.evidence.top_k import drop_repeated

_MOST_TIED = 10_000


class SearchHit(NamedTuple):
    """A document found, with its BM25 score."""

    passage: Passage
    score: float


class _Found(NamedTuple):
    """A hit with the ids of earlier versions of the same work; `>ID` for later ones."""

    hit: SearchHit
    versions: frozenset[str]


class IndexInfo(NamedTuple):
    """The contents of an index.

    *years* counts documents by year, those without a year under None; *retracted* and *concern* count documents that
    their record or a notice marks. *size* is in bytes on disk. Equal SHA-256 *content_hash*, equal content. *pending*
    are files of a build that did not finish.
    """

    directory: Path
    documents: int
    years: dict[int | None, int]
    retracted: int
    concern: int
    size: int
    sources: tuple[CatalogSource, ...]
    content_hash: str
    pending: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """The info as `fas index info --json` prints it."""
        return self._asdict() | {
            "directory": str(self.directory),
            "years": {"unknown" if year is None else str(year): count for year, count in self.years.items()},
            "sources": [{"path": one.path, "size": one.size, **one.tally._asdict()} for one in self.sources],
        }

    def as_text(self) -> str:
        """For people: the last twenty sources."""
        known = [year for year in self.years if year is not None]
        years = f"{min(known)}-{max(known)}" if known else "unknown"
        undated = f" ({self.years[None]:,} without a year)" if None in self.years else ""
        lines = [
            f"folder         {self.directory}",
            f"documents      {self.documents:,}",
            f"years          {years}{undated}",
            f"retracted      {self.retracted:,} (and {self.concern:,} under an expression of concern)",
            f"size           {self.size / 1e6:,.1f} MB",
            f"content hash   {self.content_hash}",
            f"sources        {len(self.sources):,}",
        ]
        shown = self.sources[-20:]
        if len(shown) < len(self.sources):
            lines.append(f"               (the last {len(shown)}; all with --json)")
        for source in shown:
            tally = source.tally
            counts = {
                "deletions": tally.deletions,
                "without abstract": tally.without_text,
                "notices": tally.notices,
                "unreadable": tally.unreadable,
            }
            others = "".join(f", {n:,} {name}" for name, n in counts.items() if n)
            lines.append(f"  {source.path}: {tally.documents:,} documents{others}")
        if self.pending:
            names = ", ".join([Path(path).name for path in self.pending[:3]] + ["..."] * (len(self.pending) > 3))
            lines.append(
                f"INCOMPLETE: {len(self.pending)} file(s) of the last build are missing: {names}; the same command "
                "resumes with them; omit a file that cannot be read"
            )
        return "\n".join(lines)


class TextIndex:
    """An index opened for searching, in its state at the time of opening, even if it is updated meanwhile.

    Safe to use from several threads and processes at once.

    Raises:
        InputError: There is no index, its first build has not finished, or its files are not those that its last build
            left: a copy in part, or a mix of two indexes. Files are compared by size; tantivy's checksums cover bytes.
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        with closing(IndexCatalog(directory / LEDGER)) as catalog, explain_damage(directory):
            built = catalog.built()
            self._sources = tuple(catalog.sources())
            self.content_hash = catalog.content_hash()
            self._marks = catalog.marks()
            self.pending = tuple(catalog.pending())
            """Files that a build announced and has not applied; empty if the index is complete."""
            if not self._sources:
                raise InputError(
                    f"{directory}: nothing is indexed here yet; finish `fas index build {directory} FILE...`",
                    kind="index",
                )
            if not (directory / TEXTS / "meta.json").is_file():
                raise InputError(f"{directory}: the folder {TEXTS} is missing; build the index again", kind="index")
            index, self._links = open_to_read(directory)
            self._schema = index.schema
            self._searcher = index.searcher()
            problem = None if built is None else _find_difference(directory / TEXTS, built, len(self))
            # A build that has begun meanwhile is no fault.
            if problem is not None and catalog.built() == built:
                raise InputError(
                    f"{directory}: is not the index that `fas index build` wrote: {problem}; copy the whole folder "
                    "again, or build it again",
                    kind="index",
                )

    @property
    def is_pubmed(self) -> bool:
        """Whether every file it was built from is one of PubMed's, so that ids are PMIDs."""
        return all(source_kind(Path(source.path)) in ("xml", "medline") for source in self._sources)

    def __len__(self) -> int:
        return int(self._searcher.num_docs)

    def search(
        self,
        query: str,
        *,
        limit: int = 10,
        years: Years | None = None,
        include_retracted: bool = False,
        different: bool = False,
    ) -> list[SearchHit]:
        """The best documents for *query*, by BM25 over title and text; equal scores in order of id.

        The terms of *query* are alternatives, each counting once. Documents without a year are left out if *years* are
        given, retracted ones and those under concern unless *include_retracted* marks them. Of two versions of one work
        that are both among the best, only the later one is returned; with *different* only the first of documents whose
        title and text are equal up to white space.

        Scores are equal if they agree to four decimals. Where more than 10,000 documents tie for the last place, only
        the 10,000 that lie first in the index are compared.
        """
        words = list(dict.fromkeys(terms(query)))
        if not words or limit < 1:
            return []
        # Room for equal scores at the end and for documents that are left out.
        wanted = limit + 10
        with explain_damage(self.directory):
            while True:
                hits = self._searcher.search(self._query(words, years), wanted, count=False).hits
                found = self._select_best(hits, limit, include_retracted, different, is_all=len(hits) < wanted)
                if found is not None:
                    return found
                wanted *= 4

    def _select_best(
        self, hits: Sequence[tuple[float, Any]], limit: int, include_retracted: bool, different: bool, *, is_all: bool
    ) -> list[SearchHit] | None:
        """The best *limit* of *hits*; None where documents that follow these (not *is_all*) may be among them.

        Reading a document costs more than finding it: none is read that scores less than the last place.
        """
        found: list[_Found] = []
        kept: list[_Found] = []
        n_seen = 0
        for _, group in groupby(hits, key=lambda hit: round(hit[0], 4)):
            tied = list(group)
            n_seen += len(tied)
            if n_seen == len(hits) and not is_all and len(tied) < _MOST_TIED:
                return None
            read = [self._read(address, score) for score, address in tied[:_MOST_TIED]]
            usable = [one for one in read if include_retracted or one.hit.passage.status not in EXCLUDED]
            found += sorted(usable, key=lambda one: one.hit.passage.id or "")
            if len(found) >= limit or n_seen == len(hits):
                kept = _drop_earlier_versions(drop_repeated(found, lambda one: one.hit.passage) if different else found)
                if len(kept) >= limit:
                    break
        return [one.hit for one in kept[:limit]] if is_all or len(kept) >= limit else None

    def get(self, identifier: str) -> Passage | None:
        """The document with this id, marked if it is retracted; None if there is none."""
        found = self._find(identifier)
        return None if found is None else found.hit.passage

    def _find(self, identifier: str, score: float = 0.0) -> _Found | None:
        query = Query.term_query(self._schema, "id", identifier, index_option="basic")
        with explain_damage(self.directory):
            hits = self._searcher.search(query, 1, count=False).hits
            return self._read(hits[0][1], score) if hits else None

    def passages(self) -> Iterator[Passage]:
        """Every document, in the order of the index; retracted ones too, marked."""
        with explain_damage(self.directory):
            hits = self._searcher.search(Query.all_query(), max(1, len(self)), count=False).hits
            for _, address in hits:
                yield self._read(address).hit.passage

    def find_by_title(self, title: str, *, most: int = 10_000) -> list[Passage]:
        """The documents of exactly this title (but for case, accents and white space), at most *most*, by id.

        Looked for among the 200,000 documents that hold all its words and match them best.
        """
        words = list(dict.fromkeys(terms(title)))
        if not words:
            return []
        parts = [Query.term_query(self._schema, "body", word, index_option="basic") for word in words]
        query = Query.boolean_query([(Occur.Must, part) for part in parts])
        with explain_damage(self.directory):
            found = self._searcher.search(query, max(1, min(len(self), 200_000)), count=False).hits
            kept = [self._read(address).hit.passage for _, address in found]
        wanted = _fold(title)
        return sorted((one for one in kept if _fold(one.title or "") == wanted), key=lambda one: one.id or "")[:most]

    def usable(
        self, ranked: Sequence[tuple[str, float]], *, limit: int, years: Years | None, include_retracted: bool
    ) -> list[SearchHit]:
        """The best *limit* of documents ranked by another search than BM25, filtered and joined as by `search`.

        *ranked* has ids with their scores, best first.
        """
        found = [
            one
            for identifier, score in ranked
            if (one := self._find(identifier, score)) is not None
            and (include_retracted or one.hit.passage.status not in EXCLUDED)
            and (years is None or one.hit.passage.year in years)
        ]
        return [one.hit for one in _drop_earlier_versions(drop_repeated(found, lambda one: one.hit.passage))][:limit]

    def frequencies(self, words: Sequence[str]) -> dict[str, int]:
        """How many documents hold each of these search terms."""
        with explain_damage(self.directory):
            return {word: int(self._searcher.doc_freq("body", word)) for word in words}

    def search_many(self, queries: Sequence[str], **options: Any) -> list[list[SearchHit]]:
        """`search` for each of *queries*, on all processors."""
        if len(queries) < 2:
            return [self.search(query, **options) for query in queries]
        with ThreadPoolExecutor(max_workers=os.cpu_count() or 1) as pool:
            return list(pool.map(lambda query: self.search(query, **options), queries))

    def info(self) -> IndexInfo:
        """Counts, years, size, sources and content hash."""
        with explain_damage(self.directory):
            request = {"years": {"terms": {"field": "year", "size": 10_000}}}
            buckets = self._searcher.aggregate(Query.all_query(), request)["years"]["buckets"]
            years: dict[int | None, int] = dict(sorted((int(one["key"]), one["doc_count"]) for one in buckets))
            if without := len(self) - sum(years.values()):
                years[None] = without
            marked = list(self._read_marks().values())
        return IndexInfo(
            directory=self.directory,
            documents=len(self),
            years=years,
            retracted=marked.count("retracted"),
            concern=marked.count("concern"),
            size=sum(path.stat().st_size for path in self.directory.rglob("*") if path.is_file()),
            sources=self._sources,
            content_hash=self.content_hash,
            pending=self.pending,
        )

    def _read_marks(self) -> dict[str, str | None]:
        """Status of the documents that their own record or a notice marks, by id."""
        marked: list[Passage] = []
        for status in EXCLUDED:
            query = Query.term_query(self._schema, "status", status, index_option="basic")
            if total := self._searcher.search(query, 1, count=True).count:
                hits = self._searcher.search(query, total, count=False).hits
                marked += [self._read(address).hit.passage for _, address in hits]
        marked += [passage for identifier in self._marks if (passage := self.get(identifier)) is not None]
        return {str(passage.id): passage.status for passage in marked}

    def _query(self, words: Sequence[str], years: Years | None) -> Any:
        # Retracted documents are few: passing over them in the result costs less than a clause for every query.
        terms_of = [Query.term_query(self._schema, "body", word, index_option="freq") for word in words]
        found = Query.boolean_query([(Occur.Should, term) for term in terms_of])
        if years is None:
            return found
        within = Query.range_query(self._schema, "year", tantivy.FieldType.Integer, years.first, years.last)
        # Boosted by nothing: a filter must not change the scores.
        return Query.boolean_query([(Occur.Must, found), (Occur.Must, Query.boost_query(within, 0.0))])

    def _read(self, address: Any, score: float = 0.0) -> _Found:
        fields = json.loads(bytes(self._searcher.doc(address)["passage"][0]))
        versions = frozenset(fields.pop("versions", ()))
        mark = self._marks.get(fields["id"])
        if mark is not None and fields["status"] != "retracted":
            fields["status"] = mark
        return _Found(SearchHit(Passage(**fields), float(score)), versions)


def _find_difference(texts: Path, built: BuiltFiles, documents: int) -> str | None:
    """How the files in *texts* differ from what the last build left, or None."""
    if built.documents != documents:
        return f"it holds {documents:,} documents, the build wrote {built.documents:,}"
    for name, size in built.sizes.items():
        path = texts / name
        if not path.is_file():
            return f"{name} is missing"
        if path.stat().st_size != size:
            return f"{name} has {path.stat().st_size:,} bytes, the build wrote {size:,}"
    return None


def _drop_earlier_versions(found: list[_Found]) -> list[_Found]:
    if not any(one.versions for one in found):
        return found
    there = {one.hit.passage.id for one in found}
    replaced = {identifier for one in found for identifier in one.versions}
    replaced |= {str(one.hit.passage.id) for one in found if any(f">{i}" in one.versions for i in there)}
    return [one for one in found if one.hit.passage.id not in replaced] or found[:1]


def _fold(title: str) -> str:
    return " ".join(fold(title).casefold().split())
