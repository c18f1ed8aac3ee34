"""PubMed files, tables and pages as hostile or damaged sources make them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from fas.cli import main
from fas.evidence.build import build_index
from fas.evidence.index import TextIndex
from fas.report.embed import script_hash


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
        ("<DeleteCitation><PMID>²</PMID></DeleteCitation>", "no PMID"),
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
    assert f"script-src '{script_hash(script)}';" in page
    assert "\r" not in script
