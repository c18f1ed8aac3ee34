"""PubMed files, tables and pages as hostile or damaged sources make them."""

from __future__ import annotations

import csv
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fas.bench.files import read_csv
from fas.cli import main
from fas.core.answers.csv_rows import CsvRows
from fas.core.answers.files import read_answers
from fas.core.errors import InputError
from fas.evidence.build import build_index
from fas.evidence.index import TextIndex
from fas.evidence.pubmed import BadRecord, Deletion
from fas.evidence.pubmed_xml import read_articles
from fas.evidence.sources import spool
from fas.report.embed import hash_script


def article(pmid: str, abstract: str = "Aspirin helps.", *, version: str = "1", more: str = "") -> str:
    return (
        f'<PubmedArticle><MedlineCitation><PMID Version="{version}">{pmid}</PMID><Article><Journal><JournalIssue>'
        "<PubDate><Year>2020</Year></PubDate></JournalIssue></Journal><ArticleTitle>T</ArticleTitle><Abstract>"
        f"<AbstractText>{abstract}</AbstractText></Abstract></Article>{more}</MedlineCitation></PubmedArticle>"
    )


def pubmed(folder: Path, *records: str, name: str = "pubmed26n0001.xml") -> Path:
    path = folder / name
    path.write_text(f"<PubmedArticleSet>{''.join(records)}</PubmedArticleSet>", encoding="utf-8")
    return path


def found(index: Path) -> list[str]:
    return sorted(str(passage.id) for passage, _ in TextIndex(index).search("aspirin", limit=50))


@pytest.mark.parametrize("depth", [900, 20_000])
def test_inline_tags_nested_without_end_are_read(tmp_path, depth):
    inside = "<i>" * depth + "Aspirin helps" + "</i> much" * depth
    build_index(tmp_path / "i", [pubmed(tmp_path, article("1", inside), article("2"))])
    assert found(tmp_path / "i") == ["1", "2"]


FORGED = '5\nA\t666\t1\t{"id": "666", "body": "aspirin forged", "passage": "e30="}'


@pytest.mark.parametrize(
    ("record", "told"),
    [
        (f"<DeleteCitation><PMID>{FORGED.replace(chr(9), '&#9;')}</PMID></DeleteCitation>", "DeleteCitation"),
        ("<DeleteCitation><PMID>²</PMID></DeleteCitation>", "not a PMID"),
        ('<DeleteCitation><PMID Version="99999999999999999999">1</PMID></DeleteCitation>', "its version is"),
        (article("3", version="9" * 20), "its version is"),
        (article("3", version="9" * 5000), "its version is"),
        (article("3", version="²"), "its version is"),
        (article("3\n4"), "without a PMID"),
        (article("٣"), "without a PMID"),
        ("<PubmedArticle><MedlineCitation><PMID>3</PMID></MedlineCitation></PubmedArticle>", "no <Article>"),
    ],
)
@pytest.mark.parametrize("how", ["here", "process"])
def test_a_bad_record_is_told_and_left_out_and_the_build_goes_on(
    tmp_path, capfd, caplog, monkeypatch, record, told, how
):
    if how == "process":
        monkeypatch.setattr("fas.evidence.spools._SMALL", 0)
    path = pubmed(tmp_path, article("1"), record, article("2"))
    assert main(["index", "build", str(tmp_path / "i"), str(path)]) == 0
    message = capfd.readouterr().err + caplog.text
    assert re.search(rf"pubmed26n0001\.xml: record .* left out: .*{told}", message)
    assert "Traceback" not in message
    assert found(tmp_path / "i") == ["1", "2"]
    (source,) = TextIndex(tmp_path / "i").info().sources
    assert source.tally.unreadable == 1
    assert main(["index", "build", str(tmp_path / "j"), str(path), "--on-error", "stop"]) == 2
    assert told in capfd.readouterr().err


def test_a_reader_whose_builder_was_killed_ends_without_a_word(tmp_path):
    paths = [str(pubmed(tmp_path, article("1"))), str(tmp_path / "spool")]
    command = [sys.executable, "-m", "fas.evidence.sources", *paths]
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, text=True)
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_hash_in_a_report_is_that_of_the_script_in_it(tmp_path):
    from report_data import make_records, make_report, write_records

    from fas.report.html import write_html

    records = make_records(3)
    write_html(tmp_path / "r.html", make_report(records), write_records(tmp_path, records))
    page = (tmp_path / "r.html").read_bytes().decode("utf-8")
    (script,) = re.findall(r"<script>(.*?)</script>", page, flags=re.DOTALL)
    assert f"script-src '{hash_script(script)}';" in page
    assert "\r" not in script


def test_a_notice_cannot_forge_an_operation(tmp_path):
    notice = (
        '<CommentsCorrectionsList><CommentsCorrections RefType="RetractionOf">'
        f"<PMID>{FORGED.replace(chr(9), '&#9;')}</PMID></CommentsCorrections></CommentsCorrectionsList>"
    )
    kind = "<PublicationTypeList><PublicationType>Retraction of Publication</PublicationType></PublicationTypeList>"
    record = article("9", more=notice).replace("</Article>", f"{kind}</Article>")
    spool(pubmed(tmp_path, record), tmp_path / "spool")
    assert "666" not in (tmp_path / "spool").read_text()


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"], include_characters="\n\t"), max_size=20))
def test_every_operation_of_a_deletion_is_one_line_of_three_fields(text):
    escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace("\t", "&#9;")
    document = f"<PubmedArticleSet><DeleteCitation><PMID>{escaped}</PMID></DeleteCitation></PubmedArticleSet>"
    import io

    (item,) = read_articles(io.BytesIO(document.encode()))
    assert isinstance(item, BadRecord) or (isinstance(item, Deletion) and re.fullmatch("[0-9]{1,10}", item.pmid))


SWALLOWED = 'id,prediction\n1,Rest helps.\n2,"Water helps.\n3,Zinc helps.\n4,Iron helps.\n'


CLOSED_BY_ANOTHER = 'id,prediction\n1,"Rest helps.\n2,"Water helps."\n3,Zinc helps.\n'


@pytest.mark.parametrize(
    ("text", "line"),
    [(SWALLOWED, 3), (CLOSED_BY_ANOTHER, 2), ('"id,prediction\n1,Rest.\n', 1), ('id,prediction\n1,x\n2,"', 3)],
)
def test_an_unclosed_quotation_mark_is_an_error_with_the_line_where_it_opened(tmp_path, capsys, text, line):
    path = tmp_path / "a.csv"
    path.write_text(text)
    for reader in (read_answers, read_csv):
        with pytest.raises(InputError, match=rf"a\.csv, line {line}: the row that begins here is not CSV") as caught:
            list(reader(path))
        assert caught.value.line == line
    assert main(["score", str(path), "-o", str(tmp_path / "out")]) == 2
    assert f"line {line}: the row that begins here is not CSV" in capsys.readouterr().err
    path.write_text(text.replace("prediction", "text"))
    with pytest.raises(InputError, match=rf"a\.csv, line {line}: the row that begins here is not CSV"):
        build_index(tmp_path / "i", [path])


@given(st.lists(st.tuples(st.text('a\n", é'), st.text('b\n",')), max_size=6))
def test_what_the_csv_module_writes_is_read_back(rows):
    import io

    out = io.StringIO(newline="")
    csv.writer(out).writerows([("one", "two"), *rows])
    read = list(CsvRows(io.StringIO(out.getvalue(), newline=""), Path("x.csv")))
    assert [(row["one"], row["two"]) for row in read] == [row for row in rows if any(row)]  # empty rows are no answers
