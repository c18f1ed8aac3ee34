"""PubMed XML: every kind of record, and documents that must be refused."""

from __future__ import annotations

import io

import pytest
from eutils_server import Record, article_set

from fas.evidence.pubmed import Article, BadRecord, Deletion
from fas.evidence.pubmed_xml import ForbiddenXMLError, MalformedXMLError, parse_reply, read_articles


def wrapped(inner: str, *, pmid: str = "1", outer: str = "") -> str:
    """An article set of one article with *inner* inside <Article> and *outer* beside it."""
    return article_set(
        [
            Record(
                pmid,
                xml=f'<PubmedArticle><MedlineCitation><PMID Version="1">{pmid}</PMID><Article>{inner}</Article>'
                f"{outer}</MedlineCitation></PubmedArticle>",
            )
        ]
    )


def parsed(document: str) -> Article:
    articles, bad = parse_reply(document.encode())
    assert bad == []
    (article,) = articles
    return article


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("Role of <i>BRCA1</i> in <b>rats</b> (<i>in <sub>vivo</sub></i>) now", "Role of BRCA1 in rats (in vivo) now"),
        ("H<sub>2</sub>O and Ca<sup>2+</sup>", "H2O and Ca2+"),
        ("10<sup>6</sup> cells, 10<sup>-3</sup> M, 10<sup>−3</sup> M", "10^6 cells, 10^-3 M, 10^−3 M"),
        ("14,000&#x2009;IU\n  daily", "14,000 IU daily"),
        ("p &lt; 0.05 &amp; r&#178; &gt; 0", "p < 0.05 & r² > 0"),
        ("TNF-α, β<sub>2</sub> and &#956;g", "TNF-α, β2 and μg"),
        ("&alpha;-tocopherol &nbsp;&le; 5", "α-tocopherol ≤ 5"),
        ("e&#769;tude", "étude"),
        ("<mml:math xmlns:mml='http://www.w3.org/1998/Math/MathML'><mml:mi>x</mml:mi></mml:math> = 1", "x = 1"),
    ],
)  # fmt: skip
def test_markup_entities_and_letters_become_plain_text(markup, text):
    article = parsed(
        wrapped(f"<ArticleTitle>{markup}</ArticleTitle><Abstract><AbstractText>{markup}</AbstractText></Abstract>")
    )
    assert article.title == article.abstract == text


@pytest.mark.parametrize(
    ("record", "status"),
    [
        (Record("1"), None),
        (Record("1", types=("Journal Article", "Retracted Publication")), "retracted"),
        (Record("1", links=(("RetractionIn", "9"),)), "retracted"),
        (Record("1", links=(("ExpressionOfConcernIn", "9"),)), "concern"),
        (Record("1", links=(("ExpressionOfConcernIn", "8"), ("RetractionIn", "9"))), "retracted"),
        (Record("1", title="RETRACTED: A study"), "retracted"),
        (Record("1", title="Retracted Article: A study"), "retracted"),
        (Record("1", title="Retracted papers: a survey"), None),
        (Record("1", links=(("ErratumIn", "9"), ("CommentIn", "8"))), None),
        (Record("1", links=(("PartialRetractionIn", "7"),)), "concern"),
        (Record("1", links=(("RetractedandRepublishedIn", "7"),)), "retracted"),
    ],
)
def test_retractions_and_concerns_are_seen_however_they_are_marked(record, status):
    assert parsed(article_set([record])).status == status


@pytest.mark.parametrize(
    ("kind", "link", "status"),
    [
        ("Retraction of Publication", "RetractionOf", "retracted"),
        ("Expression of Concern", "ExpressionOfConcernFor", "concern"),
        ("Published Erratum", "ErratumFor", None),
    ],
)
def test_a_notice_marks_the_article_it_speaks_of(kind, link, status):
    notice = Record("2", types=(kind,), links=((link, "1"),))
    articles, _ = parse_reply(article_set([Record("1"), notice]).encode())
    assert [article.status for article in articles] == [status, None]
    assert [article.is_notice for article in articles] == [False, True]


def test_deletions_and_versions_are_read_from_files():
    document = article_set([Record("1", version=2), Record("3")], deleted=("3", "4"))
    items = list(read_articles(io.BytesIO(document.encode())))
    assert [item.pmid for item in items] == ["1", "3", "3", "4"]
    assert items[0].version == 2
    assert items[2:] == [Deletion("3", 1), Deletion("4", 1)]


BOMB = "<!ENTITY a 'aaaaaaaaaa'><!ENTITY b '&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;'>"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
@pytest.mark.parametrize(
    "subset", [BOMB, "<!ENTITY x SYSTEM 'file:///etc/passwd'>", "<!ENTITY % p SYSTEM 'http://127.0.0.1:9/p.dtd'>%p;"]
)
def test_documents_that_declare_entities_are_refused_before_anything_is_expanded(subset, encoding):
    document = f'<?xml version="1.0" encoding="{encoding}"?><!DOCTYPE PubmedArticleSet [{subset}]><PubmedArticleSet/>'
    with pytest.raises(ForbiddenXMLError, match=r"declares the entity '.', which is not allowed"):
        parse_reply(document.encode(encoding))


def test_long_files_are_read_in_constant_memory():
    import tracemalloc

    def peak(n: int) -> int:
        chunk = "".join(Record(str(i), abstract="word " * 200).as_xml() for i in range(100)).encode()
        parts = [b"<PubmedArticleSet>", *[chunk] * n, b"</PubmedArticleSet>"]

        class Stream(io.RawIOBase):
            def read(self, size=-1):
                return parts.pop(0) if parts else b""

        tracemalloc.start()
        assert sum(1 for _ in read_articles(Stream())) == 100 * n
        highest = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return highest

    assert peak(40) < 1.5 * peak(10)


def test_titles_and_abstracts_agree_with_biopython():
    from Bio import Entrez

    records = [
        Record("11", title="Aspirin & fever", abstract="Fever < 39 °C fell by 5 μg/mL α.", year=2015),
        Record("12", title="Of mice", abstract="", year=None),
        Record("13", title="Third", abstract="Plain text.", types=("Retracted Publication",)),
    ]
    document = article_set(records).encode()
    ours, _ = parse_reply(document)
    theirs = Entrez.read(io.BytesIO(document), validate=False)["PubmedArticle"]
    for article, record in zip(ours, theirs, strict=True):
        citation = record["MedlineCitation"]
        assert article.pmid == str(citation["PMID"])
        assert article.title == str(citation["Article"]["ArticleTitle"])
        abstract = citation["Article"].get("Abstract", {"AbstractText": []})["AbstractText"]
        assert article.abstract == " ".join(map(str, abstract))
        assert str(article.year or "") == citation["Article"]["Journal"]["JournalIssue"]["PubDate"].get("Year", "")


def test_a_structured_abstract_keeps_its_labels():
    article = parsed(
        wrapped(
            "<ArticleTitle>T.</ArticleTitle><Abstract>"
            '<AbstractText Label="BACKGROUND" NlmCategory="BACKGROUND">Why.</AbstractText>'
            '<AbstractText Label="Findings:" NlmCategory="RESULTS">What.</AbstractText>'
            '<AbstractText Label="UNLABELLED">Plain.</AbstractText><AbstractText Label="EMPTY"/>'
            "<CopyrightInformation>© Somebody</CopyrightInformation></Abstract>"
        )
    )
    assert article.abstract == "BACKGROUND: Why. Findings: What. Plain."


@pytest.mark.parametrize(
    ("date", "years"),
    [
        ("<PubDate><Year>2019</Year><Month>Nov</Month></PubDate>", (2019,)),
        ("<PubDate><MedlineDate>1998 Dec-1999 Jan</MedlineDate></PubDate>", (1998,)),
        ("<PubDate><MedlineDate>Spring 2000</MedlineDate></PubDate>", (2000,)),
        ("<PubDate><Season>Fall</Season></PubDate>", ()),
        ("<PubDate/>", ()),
    ],
)
def test_the_year_is_found_where_it_stands(date, years):
    assert parsed(wrapped(f"<Journal><JournalIssue>{date}</JournalIssue></Journal>")).years == years


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("<ArticleTitle>[Über Fieber].</ArticleTitle>", "Über Fieber"),
        ("<ArticleTitle>[18F]FDG in [11C] work.</ArticleTitle>", "[18F]FDG in [11C] work."),
        ("<ArticleTitle>[Not Available].</ArticleTitle><VernacularTitle>Fieber.</VernacularTitle>", "Fieber."),
        ("<VernacularTitle>Fieber.</VernacularTitle>", "Fieber."),
    ],
)
def test_titles_in_other_languages(title, expected):
    article = parsed(wrapped(f"{title}<Language>ger</Language>"))
    assert (article.title, article.languages) == (expected, ("ger",))


def test_one_bad_record_does_not_spoil_the_others():
    nameless = Record("x", xml="<PubmedArticle><MedlineCitation><Article/></MedlineCitation></PubmedArticle>")
    empty = Record("x", xml="<PubmedArticle><MedlineCitation><PMID>5</PMID></MedlineCitation></PubmedArticle>")
    articles, bad = parse_reply(article_set([Record("1"), nameless, empty, Record("2")]).encode())
    assert [article.pmid for article in articles] == ["1", "2"]
    assert bad == [BadRecord(None, "a <PubmedArticle> without a PMID"), BadRecord("5", "ValueError: no <Article>")]


WHOLE = article_set([Record("1"), Record("2")])


@pytest.mark.parametrize("length", [0, 20, 100, len(WHOLE) // 2, len(WHOLE) - 5])
def test_a_document_that_is_cut_off_is_refused(length):
    with pytest.raises(MalformedXMLError):
        parse_reply(WHOLE[:length].encode())
