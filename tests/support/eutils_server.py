"""A small PubMed on 127.0.0.1: real reply shapes, real faults, and a log of every request.

Searches are evaluated as PubMed does: words are joined by AND, OR and parentheses, unknown
words are reported as not found and left out.
"""

from __future__ import annotations

import random
import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from html import escape
from http.server import BaseHTTPRequestHandler
from urllib.parse import parse_qs

from local_server import LocalServer, hang_up, reset, send

DOCTYPE = (
    '<!DOCTYPE PubmedArticleSet PUBLIC "-//NLM//DTD PubMedArticle, 1st January 2025//EN" '
    '"https://dtd.nlm.nih.gov/ncbi/pubmed/out/pubmed_250101.dtd">'
)
FAULTS = (
    "429", "400", "414", "500", "502", "timeout", "reset", "closed", "error body", "json error", "exception body",
    "html", "truncated", "short", "empty",
)  # fmt: skip


PAGE = b"<!DOCTYPE html><html><head><title>NCBI - WWW Error</title></head><body>Error blocked?</body></html>"
REPLIES = {
    "429": (429, b'{"error":"API rate limit exceeded","count":"4","limit":"3"}', "application/json"),
    **{status: (int(status), PAGE, "text/html") for status in ("400", "414", "500", "502", "503")},
    "bad key": (400, b'{"error":"API key invalid","api-key":"x"}', "application/json"),
    "error body": (200, b"<eSearchResult><ERROR>Search Backend failed: timed out</ERROR></eSearchResult>", "text/xml"),
    "exception body": (200, b"NCBI C++ Exception:\n    Error: CORELIB(CException) Read failed: EOF", "text/plain"),
    "json error": (200, b'{"error":"API rate limit exceeded"}', "application/json"),
    "html": (200, PAGE, "text/html"),
    "bad db": (200, b"<eSearchResult><ERROR>Invalid db name specified: pubmd</ERROR></eSearchResult>", "text/xml"),
    "bad db, json": (200, b'{"error":"Invalid db name specified: pubmd"}', "application/json"),
    "empty": (200, b"", "text/xml"),
}  # fmt: skip


@dataclass
class Record:
    """One article; `xml` replaces what would be built from the other fields."""

    pmid: str
    title: str = "A study"
    abstract: str = "Text of the abstract."
    year: int | None = 2020
    types: tuple[str, ...] = ("Journal Article",)
    links: tuple[tuple[str, str], ...] = ()  # (RefType, PMID)
    version: int = 1
    xml: str | None = None

    def searchable(self) -> set[str]:
        text = self.xml if self.xml is not None else f"{self.title} {self.abstract}"
        return set(_words(re.sub(r"<[^>]*>", " ", text)))

    def as_xml(self) -> str:
        if self.xml is not None:
            return self.xml
        date = f"<PubDate><Year>{self.year}</Year></PubDate>" if self.year else "<PubDate/>"
        abstract = f"<Abstract><AbstractText>{escape(self.abstract)}</AbstractText></Abstract>" if self.abstract else ""
        types = "".join(f'<PublicationType UI="D000000">{escape(kind)}</PublicationType>' for kind in self.types)
        links = "".join(
            f'<CommentsCorrections RefType="{kind}"><RefSource>J. 2021</RefSource>'
            f'<PMID Version="1">{pmid}</PMID></CommentsCorrections>'
            for kind, pmid in self.links
        )
        links = f"<CommentsCorrectionsList>{links}</CommentsCorrectionsList>" if links else ""
        return (
            '<PubmedArticle><MedlineCitation Status="MEDLINE" Owner="NLM">'
            f'<PMID Version="{self.version}">{self.pmid}</PMID>'
            f"<Article><Journal><JournalIssue>{date}</JournalIssue><Title>J</Title></Journal>"
            f"<ArticleTitle>{escape(self.title)}</ArticleTitle>{abstract}<Language>eng</Language>"
            f"<PublicationTypeList>{types}</PublicationTypeList></Article>{links}</MedlineCitation>"
            f'<PubmedData><ArticleIdList><ArticleId IdType="pubmed">{self.pmid}</ArticleId></ArticleIdList>'
            "</PubmedData></PubmedArticle>"
        )


def article_set(records: list[Record], *, deleted: tuple[str, ...] = ()) -> str:
    """A whole document, as efetch and the yearly files have it."""
    gone = "".join(f'<PMID Version="1">{pmid}</PMID>' for pmid in deleted)
    gone = f"<DeleteCitation>{gone}</DeleteCitation>" if gone else ""
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n{DOCTYPE}\n<PubmedArticleSet>\n'
        + "\n".join(record.as_xml() for record in records)
        + f"\n{gone}</PubmedArticleSet>\n"
    )


@dataclass
class Request:
    """One logged request; `begun` is when the server read its first line."""

    begun: float
    endpoint: str
    parameters: dict[str, str]
    fault: str | None


@dataclass
class EUtils(LocalServer):
    """The server; use as a context manager.

    Attributes:
        records: What can be found and fetched.
        fault: Decides for each request whether and how it fails.
        slow_s: How long the fault `timeout` keeps silent.
        spelling: Corrections that espell knows.
    """

    records: list[Record]
    fault: Callable[[int, str, dict[str, str]], str | None] = lambda number, endpoint, parameters: None
    slow_s: float = 1.0
    spelling: dict[str, str] = field(default_factory=dict)
    log: list[Request] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()
        self.by_pmid = {record.pmid: record for record in self.records}
        self._vocabulary = {record.pmid: record.searchable() for record in self.records}
        self._all_words = set().union(*self._vocabulary.values()) if self._vocabulary else set()

    @property
    def url(self) -> str:
        return f"{self.address}/entrez/eutils"

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        begun = time.monotonic()
        length = int(handler.headers.get("Content-Length") or 0)
        body = handler.rfile.read(length).decode()
        query = body if handler.command == "POST" else handler.path.partition("?")[2]
        parameters = {name: values[-1] for name, values in parse_qs(query, keep_blank_values=True).items()}
        endpoint = handler.path.partition("?")[0].rpartition("/")[2]
        with self.lock:
            fault = self.fault(len(self.log), endpoint, parameters)
            self.log.append(Request(begun, endpoint, {"method": handler.command, **parameters}, fault))
        good = {"esearch.fcgi": self._search, "efetch.fcgi": self._fetch, "espell.fcgi": self._spell}.get(endpoint)
        if good is None:
            send(handler, 404, b"<html>not found</html>", "text/html")
            return
        reply = good(parameters).encode()
        if fault is None:
            send(handler, 200, reply, "text/xml")
        else:
            self._fail(handler, fault, reply)

    def _fail(self, handler: BaseHTTPRequestHandler, fault: str, reply: bytes) -> None:
        if fault in REPLIES:
            send(handler, *REPLIES[fault])
        elif fault == "timeout":
            self.closing.wait(self.slow_s)
            handler.close_connection = True
        elif fault == "reset":
            reset(handler)
        elif fault == "closed":
            hang_up(handler)
        elif fault == "truncated":
            send(handler, 200, reply[: len(reply) * 2 // 3], "text/xml")
        elif fault == "short":
            send(handler, 200, reply, "text/xml", only=len(reply) // 2)
            handler.close_connection = True
        else:
            raise ValueError(fault)

    def _search(self, parameters: dict[str, str]) -> str:
        unknown: list[str] = []
        matching = _evaluate(parameters.get("term", ""), self._vocabulary, self._all_words, unknown)
        if "mindate" in parameters:
            first, last = int(parameters["mindate"]), int(parameters["maxdate"])
            matching = {i for i in matching if self.by_pmid[i].year is None or first <= self.by_pmid[i].year <= last}
        ids = sorted(matching, key=int)
        shown = ids[: int(parameters.get("retmax", "20"))]
        listed = "".join(f"<Id>{i}</Id>" for i in shown)
        missing = "".join(f"<PhraseNotFound>{escape(word)}</PhraseNotFound>" for word in unknown)
        errors = f"<ErrorList>{missing}</ErrorList>" if missing else ""
        warnings = "" if ids else "<WarningList><OutputMessage>No items found.</OutputMessage></WarningList>"
        return (
            '<?xml version="1.0" encoding="UTF-8" ?>\n'
            '<!DOCTYPE eSearchResult PUBLIC "-//NLM//DTD esearch 20060628//EN" '
            '"https://eutils.ncbi.nlm.nih.gov/eutils/dtd/20060628/esearch.dtd">\n'
            f"<eSearchResult><Count>{len(ids)}</Count><RetMax>{len(shown)}</RetMax><RetStart>0</RetStart>"
            f"<IdList>{listed}</IdList><TranslationSet/>"
            f"<QueryTranslation>{escape(parameters.get('term', ''))}</QueryTranslation>"
            f"{errors}{warnings}</eSearchResult>"
        )

    def _fetch(self, parameters: dict[str, str]) -> str:
        ids = [i for i in parameters.get("id", "").split(",") if i]
        return article_set([self.by_pmid[i] for i in ids if i in self.by_pmid])

    def _spell(self, parameters: dict[str, str]) -> str:
        term = parameters.get("term", "")
        return (
            '<?xml version="1.0" encoding="UTF-8" ?>\n<!DOCTYPE eSpellResult PUBLIC "-//NLM//DTD espell 20090406//EN" '
            '"https://eutils.ncbi.nlm.nih.gov/eutils/dtd/20090406/espell.dtd">\n'
            f"<eSpellResult><Database>pubmed</Database><Query>{escape(term)}</Query>"
            f"<CorrectedQuery>{escape(self.spelling.get(term, ''))}</CorrectedQuery>"
            "<SpelledQuery/><ERROR/></eSpellResult>"
        )


def random_faults(
    rate: float, seed: int, kinds: tuple[str, ...] = FAULTS
) -> Callable[[int, str, dict[str, str]], str | None]:
    """Independent faults at *rate*, every kind alike."""
    generator = random.Random(seed)
    return lambda number, endpoint, parameters: generator.choice(kinds) if generator.random() < rate else None


def _words(text: str) -> list[str]:
    return re.findall(r"[a-z0-9]+", text.lower())


def _evaluate(term: str, vocabulary: dict[str, set[str]], known: set[str], unknown: list[str]) -> set[str]:
    """Records that match; `AND` binds as PubMed reads it, from left to right."""
    tokens = re.findall(r"\(|\)|[^\s()]+", term)
    position = 0

    def matches(word: str) -> set[str] | None:
        parts = _words(re.sub(r"\[[^\]]*\]", "", word))
        if any(part not in known for part in parts):
            unknown.append(word)
            return None  # PubMed leaves the word out
        return {pmid for pmid, words in vocabulary.items() if all(part in words for part in parts)}

    def group() -> set[str] | None:
        nonlocal position
        result: set[str] | None = None
        operator = "AND"
        while position < len(tokens) and tokens[position] != ")":
            token = tokens[position]
            position += 1
            if token in ("AND", "OR"):
                operator = token
                continue
            if token == "(":
                value = group()
                position += 1
            else:
                value = matches(token)
            if value is not None:
                result = value if result is None else result & value if operator == "AND" else result | value
            operator = "AND"
        return result

    return group() or set()
