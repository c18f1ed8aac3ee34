"""A local index on disk, searched with BM25: from a few notes to all of PubMed."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from fas.core.errors import InputError
from fas.core.records import Passage
from fas.evidence.build import LEDGER, TEXTS, explain_damage, open_texts
from fas.evidence.index_catalog import CatalogSource, IndexCatalog
from fas.evidence.manifest import check_manifest, read_manifest
from fas.evidence.options import Years
from fas.evidence.pubmed import EXCLUDED
from fas.evidence.sources import source_kind
from fas.evidence.terms import fold, terms
from fas.evidence.top_k import text_key

if TYPE_CHECKING:
    import tantivy

# What tantivy locks while it looks up which files an index consists of.
_LOCKS = (".tantivy-meta.lock", ".tantivy-writer.lock")

_MOST_TIED = 10_000


class SearchHit(NamedTuple):
    """A document found, with its BM25 score."""

    passage: Passage
    score: float


class _Found(NamedTuple):
    """A hit with the ids of earlier versions of the same work; `>ID` for later ones."""

    hit: SearchHit
    versions: frozenset[str]


@dataclass(frozen=True, slots=True)
class IndexInfo:
    """What an index holds.

    Attributes:
        directory: Its folder.
        documents: Documents that can be found.
        years: Year to number of documents; the key None counts those without a year.
        retracted: Documents that their record or a notice marks as retracted.
        concern: Documents under an expression of concern.
        size: Bytes on disk.
        sources: Files it was built from, in order.
        content_hash: SHA-256 over what the files held, in order; equal hashes, equal content.
        pending: Files of a build that did not finish.
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
        return {
            "directory": str(self.directory),
            "documents": self.documents,
            "years": {"unknown" if year is None else str(year): count for year, count in self.years.items()},
            "retracted": self.retracted,
            "concern": self.concern,
            "size": self.size,
            "sources": [
                {"path": source.path, "size": source.size, **source.tally.as_dict()} for source in self.sources
            ],
            "content_hash": self.content_hash,
            "pending": list(self.pending),
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
            parts = [f"{tally.documents:,} documents", *(f"{n:,} {name}" for name, n in counts.items() if n)]
            lines.append(f"  {source.path}: {', '.join(parts)}")
        if self.pending:
            names = ", ".join([Path(path).name for path in self.pending[:3]] + ["..."] * (len(self.pending) > 3))
            lines.append(
                f"INCOMPLETE: {len(self.pending)} file(s) of the last build are missing: {names}; the same command "
                "resumes with them; omit a file that cannot be read"
            )
        return "\n".join(lines)


class TextIndex:
    """An index opened for searching; the state at the time of opening, also while it is being updated.

    Safe to use from several threads and processes at once.

    Args:
        directory: Folder that `build_index` wrote.

    Raises:
        InputError: There is no index, its first build has not finished, or it is not what its last build left
            (`fas.evidence.manifest`).
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        # First: what is changed by a build later on is not held against the index.
        manifest = read_manifest(directory)
        ledger = IndexCatalog(directory / LEDGER)
        try:
            with explain_damage(directory):
                self._sources = tuple(ledger.sources())
                self.content_hash = ledger.content_hash()
                self._marks: dict[str, str] = ledger.marks()
                self._pending = tuple(ledger.pending())
        finally:
            ledger.close()
        if not self._sources:
            raise InputError(
                f"{directory}: nothing is indexed here yet; finish `fas index build {directory} FILE...`",
                kind="index",
            )
        if not (directory / TEXTS / "meta.json").is_file():
            raise InputError(f"{directory}: the folder {TEXTS} is missing; build the index again", kind="index")
        with explain_damage(directory):
            index, self._links = open_to_read(directory)
            self._schema = index.schema
            self._searcher = index.searcher()
        check_manifest(directory, TEXTS, manifest, content_hash=self.content_hash, documents=len(self))

    @property
    def pending(self) -> tuple[str, ...]:
        """Files that a build announced and has not applied; empty if the index is complete."""
        return self._pending

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

        Of two versions of one work that are both among them, only the later one is returned.

        Scores are equal if they agree to four decimals. Where more than 10,000 documents tie for the last place,
        only the 10,000 that lie first in the index are compared.

        Args:
            query: Any text; its terms are alternatives, each counting once.
            limit: Most documents to return.
            years: Only documents published then; documents without a year are left out.
            include_retracted: Also return retracted documents and those under concern, marked.
            different: Of documents whose title and text are equal up to white space only the first, by score and id.
        """
        room = 0
        while True:
            with explain_damage(self.directory):
                found = self._search(query, limit + room, years, include_retracted, different)
            kept = _drop_earlier_versions(found)
            if len(kept) >= limit or len(found) < limit + room:
                return [one.hit for one in kept[:limit]]
            room = max(2 * room, len(found) - len(kept))

    def _search(
        self, query: str, limit: int, years: Years | None, include_retracted: bool, different: bool
    ) -> list[_Found]:
        words = list(dict.fromkeys(terms(query)))
        if not words or limit < 1:
            return []
        # Room for equal scores at the end and for documents that a notice excludes.
        wanted = limit + 10
        while True:
            found = self._searcher.search(self._query(words, years), wanted, count=False).hits
            kept: list[_Found] = []
            places: dict[str, float] = {}
            decided = False
            for score, address in found:
                # Reading a document costs more than finding it: read no further than the last place demands.
                if len(places) >= limit:
                    lower = round(score, 4) < round(next(reversed(places.values())), 4)
                    decided = lower or len(kept) >= limit + _MOST_TIED
                    if decided:
                        break
                passage, versions = self._passage(address)
                if include_retracted or passage.status not in EXCLUDED:
                    kept.append(_Found(SearchHit(passage, float(score)), versions))
                    if len(places) < limit:
                        places.setdefault(text_key(passage) if different else str(len(kept)), float(score))
            # Not decided by the last one found: others that tie with it may come after it.
            if decided or len(found) < wanted:
                kept.sort(key=lambda one: (-round(one.hit.score, 4), one.hit.passage.id or ""))
                return (_drop_repeated(kept) if different else kept)[:limit]
            wanted *= 4

    def get(self, identifier: str) -> Passage | None:
        """The document with this id, marked if it is retracted; None if there is none."""
        found = self._get(identifier)
        return None if found is None else found[0]

    def _get(self, identifier: str) -> tuple[Passage, frozenset[str]] | None:
        import tantivy

        query = tantivy.Query.term_query(self._schema, "id", identifier, index_option="basic")
        with explain_damage(self.directory):
            hits = self._searcher.search(query, 1, count=False).hits
            return self._passage(hits[0][1]) if hits else None

    def passages(self) -> Iterator[Passage]:
        """Every document, in the order of the index; retracted ones too, marked."""
        import tantivy

        with explain_damage(self.directory):
            hits = self._searcher.search(tantivy.Query.all_query(), max(1, len(self)), count=False).hits
            for _, address in hits:
                yield self._passage(address)[0]

    def find_by_title(self, title: str, *, most: int = 10_000) -> list[Passage]:
        """The documents of exactly this title (but for case, accents and white space), at most *most*, by id.

        Looked for among the 200,000 documents that hold all its words and match them best.
        """
        from tantivy import Occur, Query

        words = list(dict.fromkeys(terms(title)))
        if not words:
            return []
        parts = [Query.term_query(self._schema, "body", word, index_option="basic") for word in words]
        query = Query.boolean_query([(Occur.Must, part) for part in parts])
        with explain_damage(self.directory):
            found = self._searcher.search(query, max(1, min(len(self), 200_000)), count=False).hits
            kept = [self._passage(address)[0] for _, address in found]
        wanted = _fold(title)
        return sorted((one for one in kept if _fold(one.title or "") == wanted), key=lambda one: one.id or "")[:most]

    def usable(
        self, ranked: Sequence[tuple[str, float]], *, limit: int, years: Years | None, include_retracted: bool
    ) -> list[SearchHit]:
        """The best *limit* of documents ranked by something else than BM25: as `search` leaves out and joins them.

        Args:
            ranked: Ids with their scores, best first.
            limit: Most documents to return.
            years: As for `search`.
            include_retracted: As for `search`.
        """
        found: list[_Found] = []
        for identifier, score in ranked:
            document = self._get(identifier)
            if document is None:
                continue
            passage, versions = document
            if (include_retracted or passage.status not in EXCLUDED) and (years is None or passage.year in years):
                found.append(_Found(SearchHit(passage, score), versions))
        return [one.hit for one in _drop_earlier_versions(_drop_repeated(found))][:limit]

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
            return self._info()

    def _info(self) -> IndexInfo:
        import tantivy

        everything = tantivy.Query.all_query()
        request = {"years": {"terms": {"field": "year", "size": 10_000}}}
        buckets = self._searcher.aggregate(everything, request)["years"]["buckets"]
        years: dict[int | None, int] = {int(b["key"]): b["doc_count"] for b in sorted(buckets, key=lambda b: b["key"])}
        without = len(self) - sum(years.values())
        if without:
            years[None] = without
        marked = self._read_marked_documents()
        files = [path for path in self.directory.rglob("*") if path.is_file()]
        return IndexInfo(
            directory=self.directory,
            documents=len(self),
            years=years,
            retracted=sum(status == "retracted" for status in marked.values()),
            concern=sum(status == "concern" for status in marked.values()),
            size=sum(path.stat().st_size for path in files),
            sources=self._sources,
            content_hash=self.content_hash,
            pending=self._pending,
        )

    def _read_marked_documents(self) -> dict[str, str]:
        """Documents in the index that their own record or a notice marks."""
        import tantivy

        marked: dict[str, str] = {}
        for status in ("concern", "retracted"):
            query = tantivy.Query.term_query(self._schema, "status", status, index_option="basic")
            total = self._searcher.search(query, 1, count=True).count
            if total:
                for _, address in self._searcher.search(query, total, count=False).hits:
                    marked[str(self._passage(address)[0].id)] = status
        for identifier, status in self._marks.items():
            if marked.get(identifier) != "retracted":
                query = tantivy.Query.term_query(self._schema, "id", identifier, index_option="basic")
                if self._searcher.search(query, 1, count=True).count:
                    marked[identifier] = status
        return marked

    def _query(self, words: Sequence[str], years: Years | None) -> Any:
        # Retracted documents are few: passing over them in the result costs less than a clause for every query.
        import tantivy
        from tantivy import Occur, Query

        terms_of = [Query.term_query(self._schema, "body", word, index_option="freq") for word in words]
        found = Query.boolean_query([(Occur.Should, term) for term in terms_of])
        if years is None:
            return found
        within = Query.range_query(self._schema, "year", tantivy.FieldType.Integer, years.first, years.last)
        # Boosted by nothing: a filter must not change the scores.
        return Query.boolean_query([(Occur.Must, found), (Occur.Must, Query.boost_query(within, 0.0))])

    def _passage(self, address: Any) -> tuple[Passage, frozenset[str]]:
        fields = json.loads(bytes(self._searcher.doc(address)["passage"][0]))
        versions = frozenset(fields.pop("versions", ()))
        mark = self._marks.get(fields["id"])
        if mark is not None and fields["status"] != "retracted":
            fields["status"] = mark
        return Passage(**fields), versions


def _drop_earlier_versions(found: list[_Found]) -> list[_Found]:
    if not any(one.versions for one in found):
        return found
    there = {one.hit.passage.id for one in found}
    replaced = {identifier for one in found for identifier in one.versions}
    replaced |= {str(one.hit.passage.id) for one in found if any(f">{i}" in one.versions for i in there)}
    return [one for one in found if one.hit.passage.id not in replaced] or found[:1]


def _fold(title: str) -> str:
    return " ".join(fold(title).casefold().split())


def _drop_repeated(hits: Sequence[_Found]) -> list[_Found]:
    found: dict[str, _Found] = {}
    for one in hits:
        found.setdefault(text_key(one.hit.passage), one)
    return list(found.values())


def open_to_read(directory: Path) -> tuple[tantivy.Index, tempfile.TemporaryDirectory[str] | None]:
    """The tantivy index of *directory*, opened without permission to write there, and what must be kept as long as it.

    tantivy makes a lock file beside the index's files before it opens them. Where it may not, it is shown a private
    folder of links to the files, with a lock of its own; the folder goes with the object that is returned beside the
    index. A build on another machine does not see that lock, and must wait until the searching is over.

    Raises:
        ValueError, OSError: The files cannot be read; what tantivy says.
    """
    try:
        return open_texts(directory), None
    except (ValueError, OSError):
        if not _is_locked_out(directory / TEXTS):
            raise
    private = tempfile.TemporaryDirectory(prefix="fas-index-")
    links = Path(private.name) / TEXTS
    links.mkdir()
    for file in (directory / TEXTS).resolve().iterdir():
        if file.name not in _LOCKS:
            (links / file.name).symlink_to(file)
    return open_texts(Path(private.name)), private


def _is_locked_out(folder: Path) -> bool:
    """Whether a lock file cannot be opened for writing in *folder*."""
    lock = folder / _LOCKS[0]
    if lock.exists():
        return not os.access(lock, os.W_OK)
    return not os.access(folder, os.W_OK)
