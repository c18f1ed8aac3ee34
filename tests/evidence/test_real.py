"""What real PubMed files and real replies showed; every test fails on 0.1.0."""

from __future__ import annotations

import gzip
import io

import pytest
from eutils_server import EUtils, Record, article_set

from fas.core.cache import Cache
from fas.core.errors import EvidenceUnavailable
from fas.core.records import Answer, Claim, Passage
from fas.evidence.build import build_index
from fas.evidence.entrez import EntrezRetriever
from fas.evidence.index import TextIndex
from fas.evidence.local import IndexRetriever
from fas.evidence.pubmed_xml import MalformedXMLError, parse_reply, read_articles

ANSWER = Answer("1", "x")
QUICK = {"backoff_s": 0.001, "backoff_cap_s": 0.002}

NBIB = """
PMID- 29915538
OWN - NLM
STAT- PubMed-not-MEDLINE
IS  - 1234-5678 (Print)
VI  - 10
DP  - 2018 Jun
TI  - Green tea and body weight: a made-up record with a title that runs over more
      than one line.
PG  - 1-9
AB  - BACKGROUND: Tea is drunk by many. RESULTS: Body weight fell (WMD -3.47
      kg) in nine trials.
FAU - Doe, Jane
AU  - Doe J
LA  - eng
PT  - Journal Article
PT  - Meta-Analysis
UIN - Some J. 2020 Mar;1(1):2. PMID: 30000001
SO  - Some J. 2018 Jun;10:1-9.

PMID- 30000002
DP  - 2019
TI  - Another study of tea.
AB  - Tea did nothing.
LA  - eng
PT  - Randomized Controlled Trial
RIN - Some J. 2021;3:4. PMID: 30000009
"""


def retriever(server, tmp_path, **options):
    options = {"rate": 1000, "email": "x@y", "client_options": QUICK} | options
    return EntrezRetriever(base_url=server.url, cache=Cache("entrez", root=tmp_path), **options)


# --- files ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["tea.nbib", "tea.txt", "tea.nbib.gz"])
def test_medline_text_is_read_as_the_same_records_in_xml_are(tmp_path, name):
    data = NBIB.encode()
    (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith("gz") else data)
    build_index(tmp_path / "i", [tmp_path / name])
    ((passage, _),) = TextIndex(tmp_path / "i").search("tea")
    assert passage == Passage(
        "BACKGROUND: Tea is drunk by many. RESULTS: Body weight fell (WMD -3.47 kg) in nine trials.",
        id="29915538",
        title="Green tea and body weight: a made-up record with a title that runs over more than one line.",
        year=2018,
        status="updated",
        design="meta-analysis",
    )
    hits = TextIndex(tmp_path / "i").search("tea", include_retracted=True)
    assert {hit.passage.id: hit.passage.status for hit in hits} == {"29915538": "updated", "30000002": "retracted"}
    assert IndexRetriever(argument=str(tmp_path / "i")).signature.endswith(",pmid]")


# --- versions -------------------------------------------------------------------------------------


OLD = Record("11", title="Aspirin trial", abstract="Aspirin relieves pain.", links=(("UpdateIn", "12"),))
NEW = Record("12", title="Aspirin trial, updated", abstract="Aspirin relieves pain still.", year=2022)
LONE = Record("13", title="Aspirin again", abstract="Aspirin relieves pain in mice.", links=(("RepublishedIn", "99"),))
# Here only the later record says which it replaces.
FIRST = Record("14", title="Aspirin in adults", abstract="Aspirin relieves pain in adults.")
SECOND = Record("15", title="Aspirin in adults", abstract=FIRST.abstract, links=(("UpdateOf", "14"),))


def test_of_two_versions_of_a_work_the_later_one_is_the_evidence_from_pubmed(tmp_path):
    with EUtils([OLD, NEW, LONE, FIRST, SECOND]) as server:
        source = retriever(server, tmp_path)
        (found,) = source.retrieve([Claim("Aspirin relieves pain.")], [ANSWER])
    assert {passage.id: passage.status for passage in found.passages} == {"12": None, "13": "republished", "15": None}
    assert "2 PubMed records were left out because a later version of the same work was found" in source.notes()


def test_a_partial_retraction_is_under_concern_and_a_replaced_retraction_is_retracted():
    records = [
        Record("1", links=(("PartialRetractionIn", "9"),)),
        Record("2", links=(("RetractedandRepublishedIn", "3"),)),
        Record("3", links=(("RetractedandRepublishedFrom", "2"),)),
    ]
    articles, _ = parse_reply(article_set(records).encode())
    assert [(a.status, a.replaced, a.later, a.earlier) for a in articles] == [
        ("concern", None, (), ()),
        ("retracted", "republished", ("3",), ()),
        (None, None, (), ("2",)),
    ]


# --- replies --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("kind", "tries"), [("bad db", 3), ("bad db, json", 3), ("html", 8)])
def test_a_fault_that_will_last_stops_the_run_after_a_few_tries(tmp_path, kind, tries):
    with EUtils([OLD], fault=lambda *_: kind) as server:
        source = retriever(server, tmp_path, threads=1)
        with pytest.raises(
            EvidenceUnavailable, match=r"cannot be used: esearch\.fcgi at .*Fix this before you try again"
        ):
            source.retrieve([Claim(f"Aspirin relieves pain{i}.") for i in range(50)], [ANSWER] * 50)
        assert len(server.log) == tries


def test_a_page_in_place_of_records_stops_the_run_though_searches_are_answered(tmp_path):
    with EUtils([OLD], fault=lambda number, endpoint, _: "html" if endpoint == "efetch.fcgi" else None) as server:
        source = retriever(server, tmp_path, threads=1)
        with pytest.raises(EvidenceUnavailable, match=r"efetch\.fcgi at .* answers with a web page instead of XML"):
            source.retrieve([Claim("Aspirin relieves pain.")], [ANSWER])
        assert sum(request.endpoint == "efetch.fcgi" for request in server.log) == 8


# --- which side of a conflict ---------------------------------------------------------------------


def medline(number, title, abstract):
    return f"PMID- {number}\nDP  - 2020 Mar\nTI  - {title}\nAB  - {abstract}\nLA  - eng\nSO  - J Test. 2020;1:1."


TWO = (medline(92000001, "Honey.", "Honey eased cough."), medline(92000002, "Mint.", "Mint did not ease pain."))


@pytest.mark.parametrize("joint", ["", "\n", "\r\n", "\n\n", "\n\n\n", "\n\ufeff", "\ufeff"])
def test_files_that_were_joined_are_two_documents_however_the_first_one_ends(tmp_path, joint):
    (tmp_path / "all.nbib").write_text(joint.join(TWO), encoding="utf-8", newline="")
    build_index(tmp_path / "i", [tmp_path / "all.nbib"])
    index = TextIndex(tmp_path / "i")
    found = [index.get(f"9200000{n}") for n in (1, 2)]
    assert [(one.title, one.text) for one in found] == [
        ("Honey.", "Honey eased cough."), ("Mint.", "Mint did not ease pain.")
    ]  # fmt: skip
    assert len(index) == 2


def test_trailing_blanks_cut_by_an_editor_lose_no_record_and_no_text(tmp_path):
    cut = TWO[0].replace("eased cough.", "eased cough.\n\n      At night.").replace("LA  - eng", "LA  -")
    (tmp_path / "all.nbib").write_text(f"{cut}\n\n{TWO[1]}\n")
    build_index(tmp_path / "i", [tmp_path / "all.nbib"])
    index = TextIndex(tmp_path / "i")
    assert [index.get(f"9200000{n}").text for n in (1, 2)] == [
        "Honey eased cough. At night.",
        "Mint did not ease pain.",
    ]


def test_a_pmid_in_the_text_of_a_record_begins_none(tmp_path):
    record = TWO[0].replace("eased cough.", "eased cough, see PMID- 12345678\n      and others.")
    (tmp_path / "all.nbib").write_text(record)
    build_index(tmp_path / "i", [tmp_path / "all.nbib"])
    assert len(TextIndex(tmp_path / "i")) == 1


@pytest.mark.parametrize("size", [7, 600, 1 << 20])
def test_replies_of_efetch_one_after_the_other_are_one_file_of_records(size):
    one, other = (article_set([Record(str(n), abstract=f"Text {n}.")]).encode() for n in (1, 2))
    for joint in (b"", b"\n", b"\n\n\xef\xbb\xbf"):
        data = one + joint + other + joint + one
        found = list(read_articles(Chunks(data, size)))
        assert [(article.pmid, article.abstract) for article in found] == [
            ("1", "Text 1."), ("2", "Text 2."), ("1", "Text 1.")
        ]  # fmt: skip
    with pytest.raises(MalformedXMLError):
        list(read_articles(Chunks(one + other[:-30], size)))


class Chunks(io.BytesIO):
    """A file that gives at most so many bytes at a time."""

    def __init__(self, data, size):
        super().__init__(data)
        self._most = size

    def read(self, size=-1):
        return super().read(min(size, self._most) if size >= 0 else self._most)
