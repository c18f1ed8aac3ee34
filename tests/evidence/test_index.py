"""The index on disk: ranking, updates, order, crashes, concurrent readers."""

from __future__ import annotations

import gzip
import hashlib
import json
import math
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from eutils_server import Record, article_set
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fas.errors import FolderInUse, InputError
from fas.evidence.build import build_index
from fas.evidence.index import TextIndex
from fas.evidence.local import IndexRetriever
from fas.evidence.options import Years
from fas.records import Answer, Claim, Passage, Retrieval


def notes(path: Path, *rows: dict) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def pubmed_file(
    folder: Path, number: int, records: list[Record], *, deleted: tuple[str, ...] = (), year: int = 26
) -> Path:
    path = folder / f"pubmed{year}n{number:04d}.xml.gz"
    with gzip.open(path, "wt", encoding="utf-8", compresslevel=1) as stream:
        stream.write(article_set(records, deleted=deleted))
    return path


def found(directory: Path, query: str, **options) -> list[str | None]:
    return [hit.passage.id for hit in TextIndex(directory).search(query, **options)]


WORDS = [f"zq{letter}x" for letter in "abcdefghij"]
DOCUMENTS = st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=20), min_size=1, max_size=12)


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(DOCUMENTS, st.lists(st.sampled_from(WORDS), min_size=1, max_size=5))
def test_ranking_and_scores_agree_with_the_formula_written_out(tmp_path_factory, documents, query):
    folder = tmp_path_factory.mktemp("naive")
    rows = [{"id": f"{i:02d}", "text": " ".join(words)} for i, words in enumerate(documents)]
    build_index(folder / "index", [notes(folder / "n.jsonl", *rows)])
    average = sum(map(len, documents)) / len(documents)
    scores = {}
    for row, words in zip(rows, documents, strict=True):
        score = 0.0
        for term in set(query):
            n = sum(term in other for other in documents)
            tf = words.count(term)
            idf = math.log(1 + (len(documents) - n + 0.5) / (n + 0.5))
            # Lengths of up to 39 terms are stored exactly.
            score += idf * tf * 2.2 / (tf + 1.2 * (0.25 + 0.75 * len(words) / average))
        if score > 0:
            scores[row["id"]] = score
    hits = TextIndex(folder / "index").search(" ".join(query), limit=20)
    assert {hit.passage.id: hit.score for hit in hits} == pytest.approx(scores, rel=1e-4)
    assert [hit.passage.id for hit in hits] == sorted(scores, key=lambda i: (-round(scores[i], 4), i)) or len(
        {round(score, 3) for score in scores.values()}
    ) < len(scores)


def test_equal_scores_come_in_the_order_of_their_ids(tmp_path):
    rows = [{"id": f"{i:03d}", "text": "aspirin"} for i in range(100)]
    build_index(tmp_path / "index", [notes(tmp_path / "n.jsonl", *rows[::-1])])
    assert len(set(found(tmp_path / "index", "aspirin", limit=5))) == 5
    assert found(tmp_path / "index", "aspirin", limit=100) == [row["id"] for row in rows]


def test_equal_scores_at_the_last_place_are_decided_by_id_however_many_there_are(tmp_path):
    rows = [{"id": f"{i:04d}", "text": "Metformin lowers glucose."} for i in range(200)]
    best = [{"id": f"x{i}", "text": "Metformin"} for i in range(2)]
    for name, order in (("up", [*rows, *best]), ("down", [*rows, *best][::-1])):
        build_index(tmp_path / name, [notes(tmp_path / f"{name}.jsonl", *order)])
        assert found(tmp_path / name, "metformin", limit=5) == ["x0", "x1", "0000", "0001", "0002"]
        assert found(tmp_path / name, "metformin", limit=2) == ["x0", "x1"]


def test_of_very_many_equal_scores_only_so_many_are_compared(tmp_path, monkeypatch):
    monkeypatch.setattr("fas.evidence.index._MOST_TIED", 30)
    rows = [{"id": f"{i * 7919 % 200:04d}", "text": "aspirin"} for i in range(200)]
    build_index(tmp_path / "i", [notes(tmp_path / "n.jsonl", *rows)])
    index = TextIndex(tmp_path / "i")
    first = index._searcher.search(index._query(["aspirin"], None), 35, count=False).hits
    assert found(tmp_path / "i", "aspirin", limit=5) == sorted(str(index._passage(a)[0].id) for _, a in first)[:5]


def test_what_goes_in_comes_out(tmp_path):
    row = {"id": "A 1", "title": "Tïtle", "text": "Fever α\n fell \u2009by 5 µg.", "year": 2015}
    build_index(tmp_path / "index", [notes(tmp_path / "n.jsonl", row)])
    (hit,) = TextIndex(tmp_path / "index").search("alpha")
    assert hit.passage == Passage(id="A 1", title="Tïtle", text="Fever α\n fell \u2009by 5 µg.", year=2015)


@pytest.mark.parametrize("query", ["", "the of and", "zzzz", "\x00", "[]()*?:\"'AND OR NOT", "\ud800", "💊"])
def test_a_query_that_matches_nothing_or_is_strange_finds_nothing(tmp_path_factory, query):
    folder = tmp_path_factory.mktemp("strange")
    build_index(folder / "index", [notes(folder / "n.jsonl", {"text": "aspirin"})])
    assert found(folder / "index", query) == []


def test_csv_parquet_and_jsonl_hold_the_same(tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = [
        {"id": "1", "title": "A", "text": 'Quoted "aspirin", yes', "year": 2001},
        {"id": "2", "title": None, "text": "Two\nlines of aspirin", "year": None},
    ]
    (tmp_path / "n.csv").write_text(
        'id,title,text,year,other\n1,A,"Quoted ""aspirin"", yes",2001,x\n2,,"Two\nlines of aspirin",,y\n'
    )
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "n.parquet")
    with gzip.open(tmp_path / "n.jsonl.gz", "wt") as stream:
        stream.writelines(json.dumps(row) + "\n\n" for row in rows)
    hits, hashes = [], set()
    for name in ("n.csv", "n.parquet", "n.jsonl.gz"):
        build_index(tmp_path / name.replace(".", "_"), [tmp_path / name])
        index = TextIndex(tmp_path / name.replace(".", "_"))
        hits.append(index.search("aspirin"))
        hashes.add(index.content_hash)
    assert hits[0] == hits[1] == hits[2]
    assert len(hits[0]) == 2
    assert len(hashes) == 1


def test_passages_without_an_id_get_one_from_their_content(tmp_path):
    build_index(
        tmp_path / "i", [notes(tmp_path / "n.jsonl", {"text": "aspirin"}, {"text": "aspirin"}, {"text": "aspirin x"})]
    )
    expected = hashlib.sha256(b"None\naspirin").hexdigest()[:16]
    assert found(tmp_path / "i", "aspirin")[0] == expected
    assert len(TextIndex(tmp_path / "i")) == 2


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"id": "1"}', "n.jsonl, line 2: field `text` must be a text that is not empty, got None"),
        ('{"text": " "}', "field `text` must be a text that is not empty, got ' '"),
        ('{"text": ["a"]}', r"field `text` must be a text that is not empty, got \['a'\]"),
        ('{"text": "a", "year": "soon"}', "field `year` must be a year of four digits, got 'soon'"),
        ('{"text": "a", "year": true}', "field `year` must be a year of four digits, got True"),
        ('{"text": "a", "id": ["x"]}', r"field `id` must be a text or a whole number, got \['x'\]"),
        ('{"text": "a", "id": "x\\ty"}', r"field `id` must not hold control characters, got 'x\\ty'"),
        ('{"text": "a", "title": 3}', "field `title` must be a text, got 3"),
        ("{broken", "n.jsonl, line 2: not JSON"),
        ('{"text": "a", "text": "b"}', "n.jsonl, line 2: field 'text': given more than once"),
        ("[1]", "line 2: expected a JSON object, got list"),
    ],
)
def test_a_bad_line_is_named_and_nothing_of_its_file_is_indexed(tmp_path, line, message):
    (tmp_path / "n.jsonl").write_text('{"text": "good"}\n' + line + "\n")
    with pytest.raises(InputError, match=message):
        build_index(tmp_path / "i", [tmp_path / "n.jsonl"])
    with pytest.raises(InputError, match="no index here"):
        TextIndex(tmp_path / "i")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("id,text\n1,Aspirin, and more\n", r"n\.csv, line 2: more cells than the header has columns"),
        ("text,year,text\na,2020,b\n", r"n\.csv: field 'text': more than one column has this name"),
    ],
)
def test_a_table_that_would_lose_text_is_refused(tmp_path, text, message):
    (tmp_path / "n.csv").write_text(text)
    with pytest.raises(InputError, match=message):
        build_index(tmp_path / "i", [tmp_path / "n.csv"])


def test_missing_and_unknown_files_are_refused_before_anything_is_written(tmp_path):
    with pytest.raises(InputError, match=r"no\.jsonl: no such file"):
        build_index(tmp_path / "i", [tmp_path / "no.jsonl"])
    (tmp_path / "n.doc").write_text("x")
    with pytest.raises(InputError, match=r"n\.doc: unknown kind of file; allowed: \.jsonl, \.csv"):
        build_index(tmp_path / "i", [tmp_path / "n.doc"])
    with pytest.raises(InputError, match="no files to index"):
        build_index(tmp_path / "i", [])
    assert not (tmp_path / "i").exists()


def test_a_folder_without_an_index_says_how_to_build_one(tmp_path):
    with pytest.raises(InputError, match="no index here; build one with `fas index build"):
        IndexRetriever(argument=str(tmp_path))
    with pytest.raises(ValueError, match="needs the folder of an index: index:DIR"):
        IndexRetriever()


def test_an_index_built_by_other_rules_is_refused(tmp_path):
    import sqlite3

    build_index(tmp_path / "i", [notes(tmp_path / "n.jsonl", {"text": "a1"})])
    with sqlite3.connect(tmp_path / "i" / "ledger.sqlite") as connection:
        connection.execute("UPDATE settings SET value = 'old' WHERE name = 'analyzer'")
    connection.close()
    with pytest.raises(InputError, match=r"built with analyzer 'old', this version needs '.+'; build the index again"):
        TextIndex(tmp_path / "i")


def test_years_filter_and_documents_without_a_year(tmp_path):
    rows = [{"id": str(year), "text": "aspirin", "year": year} for year in (2013, 2014, 2020, 2024, 2025)]
    build_index(tmp_path / "i", [notes(tmp_path / "n.jsonl", *rows, {"id": "none", "text": "aspirin"})])
    index = TextIndex(tmp_path / "i")
    filtered = index.search("aspirin", years=Years(2014, 2024))
    assert [hit.passage.year for hit in filtered] == [2014, 2020, 2024]
    assert len(index.search("aspirin")) == 6
    assert {hit.score for hit in filtered} == {hit.score for hit in index.search("aspirin")}
    assert index.info().years == {2013: 1, 2014: 1, 2020: 1, 2024: 1, 2025: 1, None: 1}


def test_updates_revise_add_and_delete_in_the_order_of_their_numbers(tmp_path):
    files = [
        pubmed_file(tmp_path, 3, [Record("1", abstract="aspirin third")], deleted=("2",)),
        pubmed_file(tmp_path, 1, [Record("1", abstract="aspirin first"), Record("2", abstract="aspirin two")]),
        pubmed_file(tmp_path, 2, [Record("1", abstract="aspirin second"), Record("4", abstract="aspirin four")]),
    ]
    assert build_index(tmp_path / "i", files) == 3
    hits = TextIndex(tmp_path / "i").search("aspirin")
    assert sorted((hit.passage.id, hit.passage.text) for hit in hits) == [
        ("1", "aspirin third"),
        ("4", "aspirin four"),
    ]
    info = TextIndex(tmp_path / "i").info()
    assert [Path(source.path).name[-11:-7] for source in info.sources] == ["0001", "0002", "0003"]
    assert (info.documents, info.pending) == (2, ())


def test_updating_step_by_step_gives_the_same_index_as_building_at_once(tmp_path):
    files = [
        pubmed_file(tmp_path, 1, [Record(str(i), abstract=f"aspirin {i}") for i in range(1, 30)]),
        pubmed_file(
            tmp_path, 2, [Record(str(i), abstract=f"aspirin again {i}") for i in range(5, 15)], deleted=("20",)
        ),
        pubmed_file(tmp_path, 3, [Record("20", abstract="aspirin back"), Record("21", abstract="")]),
    ]
    build_index(tmp_path / "once", files)
    for file in files:
        build_index(tmp_path / "steps", [file])
    once, steps = TextIndex(tmp_path / "once"), TextIndex(tmp_path / "steps")
    assert once.content_hash == steps.content_hash
    assert len(once) == len(steps) == 28
    # Superseded documents count in the statistics until tantivy merges them away, so only the texts are compared.
    texts = [{hit.passage for hit in index.search("aspirin", limit=50)} for index in (once, steps)]
    assert texts[0] == texts[1]
    assert Passage("aspirin back", "20", "A study", 2020) in texts[0]


def test_the_same_command_again_does_nothing(tmp_path):
    file = pubmed_file(tmp_path, 1, [Record("1")])
    assert build_index(tmp_path / "i", [file]) == 1
    before = TextIndex(tmp_path / "i").content_hash
    assert build_index(tmp_path / "i", [file, file]) == 0
    assert TextIndex(tmp_path / "i").content_hash == before


def test_an_earlier_file_of_the_series_is_refused_and_so_is_another_year(tmp_path):
    build_index(tmp_path / "i", [pubmed_file(tmp_path, 5, [Record("1")])])
    with pytest.raises(InputError, match="comes before file 5, which is in the index already"):
        build_index(tmp_path / "i", [pubmed_file(tmp_path, 4, [Record("1")])])
    with pytest.raises(InputError, match="PubMed files of 2026, 2027 do not go into one index"):
        build_index(tmp_path / "i", [pubmed_file(tmp_path, 6, [Record("1")], year=27)])


def test_a_changed_passage_file_replaces_what_it_brought_before(tmp_path):
    file = notes(tmp_path / "n.jsonl", {"id": "1", "text": "aspirin"}, {"id": "2", "text": "aspirin too"})
    other = notes(tmp_path / "m.jsonl", {"id": "3", "text": "aspirin three"})
    build_index(tmp_path / "i", [file, other])
    notes(file, {"id": "2", "text": "aspirin changed"})
    assert build_index(tmp_path / "i", [file, other]) == 1
    hits = TextIndex(tmp_path / "i").search("aspirin")
    assert {hit.passage.id: hit.passage.text for hit in hits} == {"2": "aspirin changed", "3": "aspirin three"}


def test_a_changed_pubmed_file_is_refused_before_anything_else_is_applied(tmp_path):
    files = [pubmed_file(tmp_path, number, [Record(str(number), abstract="aspirin old")]) for number in (1, 2)]
    build_index(tmp_path / "i", files)
    before = TextIndex(tmp_path / "i").content_hash
    pubmed_file(tmp_path, 1, [Record("1", abstract="aspirin corrected")])
    files.append(pubmed_file(tmp_path, 3, [Record("3", abstract="aspirin new")]))
    with pytest.raises(InputError, match=r"n0001\.xml\.gz: has changed since .*build a new folder from all"):
        build_index(tmp_path / "i", files)
    assert TextIndex(tmp_path / "i").content_hash == before
    assert not (tmp_path / "i" / "spool").exists()
    build_index(tmp_path / "new", files)
    texts = {hit.passage.text for hit in TextIndex(tmp_path / "new").search("aspirin")}
    assert texts == {"aspirin corrected", "aspirin old", "aspirin new"}


def test_a_pubmed_file_packed_again_in_another_place_is_read_once_and_not_applied_again(tmp_path):
    files = [pubmed_file(tmp_path, number, [Record(str(number), abstract="aspirin")]) for number in (1, 2)]
    build_index(tmp_path / "i", files)
    before = TextIndex(tmp_path / "i").content_hash
    moved = []
    for file in files:
        moved.append(tmp_path / "moved" / file.stem)
        moved[-1].parent.mkdir(exist_ok=True)
        moved[-1].write_bytes(gzip.decompress(file.read_bytes()))
    read = []
    assert build_index(tmp_path / "i", moved, progress=lambda progress: read.append(progress.path)) == 0
    assert read == moved
    info = TextIndex(tmp_path / "i").info()
    assert (info.content_hash, [source.path for source in info.sources]) == (before, [str(p.resolve()) for p in moved])
    assert build_index(tmp_path / "i", moved, progress=lambda progress: read.append(progress.path)) == 0
    assert read == moved


def test_versions_replace_lower_ones_and_a_withdrawn_version_leaves_the_next(tmp_path):
    build_index(
        tmp_path / "i",
        [
            pubmed_file(
                tmp_path, 1, [Record("1", abstract="aspirin v1"), Record("1", abstract="aspirin v2", version=2)]
            ),
            pubmed_file(tmp_path, 2, [Record("1", abstract="aspirin v1 again")], deleted=("1",)),
        ],
    )
    (hit,) = TextIndex(tmp_path / "i").search("aspirin")
    assert hit.passage.text == "aspirin v2"


def test_retracted_documents_are_left_out_unless_asked_for_however_they_are_marked(tmp_path):
    file = pubmed_file(
        tmp_path,
        1,
        [
            Record("1", abstract="aspirin fine"),
            Record("2", abstract="aspirin by type", types=("Retracted Publication",)),
            Record("3", abstract="aspirin by link", links=(("ExpressionOfConcernIn", "9"),)),
            Record("4", abstract="aspirin by notice"),
        ],
    )
    notice = Record(
        "9", abstract="aspirin notice", types=("Retraction of Publication",), links=(("RetractionOf", "4"),)
    )
    build_index(tmp_path / "i", [file, pubmed_file(tmp_path, 2, [notice])])
    index = TextIndex(tmp_path / "i")
    assert [hit.passage.id for hit in index.search("aspirin")] == ["1"]
    marked = {hit.passage.id: hit.passage.status for hit in index.search("aspirin", include_retracted=True)}
    assert marked == {"1": None, "2": "retracted", "3": "concern", "4": "retracted"}
    assert (index.info().retracted, index.info().concern) == (2, 1)
    retriever = IndexRetriever(argument=str(tmp_path / "i"), include_retracted=True)
    assert ",retracted" in retriever.signature


def test_many_excluded_documents_do_not_crowd_out_the_others(tmp_path):
    records = [Record(str(i), abstract="aspirin aspirin aspirin") for i in range(1, 60)]
    records.append(Record("99", abstract="aspirin among many other words"))
    links = tuple(("RetractionOf", str(i)) for i in range(1, 60))
    notice = Record("100", types=("Retraction of Publication",), links=links)
    build_index(tmp_path / "i", [pubmed_file(tmp_path, 1, [*records, notice])])
    assert found(tmp_path / "i", "aspirin", limit=5) == ["99"]


def test_a_cut_off_file_stops_the_build_and_what_came_before_it_is_kept(tmp_path):
    files = [pubmed_file(tmp_path, number, [Record(str(number), abstract="aspirin")]) for number in (1, 2, 3)]
    whole = files[1].read_bytes()
    files[1].write_bytes(whole[:-30])
    with pytest.raises(InputError, match=r"pubmed26n0002\.xml\.gz: .* download it again"):
        build_index(tmp_path / "i", files)
    assert found(tmp_path / "i", "aspirin") == ["1"]
    index = TextIndex(tmp_path / "i")
    assert [Path(path).name for path in index.pending] == ["pubmed26n0002.xml.gz", "pubmed26n0003.xml.gz"]
    (note,) = IndexRetriever(argument=str(tmp_path / "i")).notes()
    assert "is incomplete: pubmed26n0002.xml.gz, pubmed26n0003.xml.gz had not been applied" in note
    files[1].write_bytes(whole)
    assert build_index(tmp_path / "i", files) == 2
    assert sorted(map(str, found(tmp_path / "i", "aspirin"))) == ["1", "2", "3"]
    assert IndexRetriever(argument=str(tmp_path / "i")).notes() == ()


@pytest.mark.parametrize("name", ["n.jsonl.gz", "n.csv.gz", "pubmed26n0001.xml.gz"])
def test_a_file_damaged_in_its_middle_is_named(tmp_path, name):
    # The first byte after the header says what kind of block follows; there is no kind 3.
    (tmp_path / name).write_bytes(gzip.compress(b"")[:10] + b"\x07")
    with pytest.raises(InputError, match=rf"{name}: .*invalid block type.*download it again"):
        build_index(tmp_path / "i", [tmp_path / name])


def test_a_checksum_beside_the_file_is_compared(tmp_path):
    file = pubmed_file(tmp_path, 1, [Record("1")])
    checksum = Path(f"{file}.md5")
    checksum.write_text(f"MD5({file.name})= {hashlib.md5(file.read_bytes()).hexdigest()}\n")
    assert build_index(tmp_path / "good", [file]) == 1
    checksum.write_text(f"MD5({file.name})= {'0' * 32}\n")
    with pytest.raises(InputError, match=f"is not {'0' * 32} of .*md5; download the file again"):
        build_index(tmp_path / "bad", [file])


def test_records_without_abstracts_and_unreadable_ones_are_counted(tmp_path):
    bad = Record("5", xml="<PubmedArticle><MedlineCitation><PMID>5</PMID></MedlineCitation></PubmedArticle>")
    build_index(tmp_path / "i", [pubmed_file(tmp_path, 1, [Record("1"), Record("2", abstract=""), bad])])
    (source,) = TextIndex(tmp_path / "i").info().sources
    tally = source.tally
    assert (tally.documents, tally.without_text, tally.unreadable, tally.deletions) == (1, 1, 1, 0)


def test_a_second_build_at_the_same_time_is_refused(tmp_path):
    from filelock import FileLock

    (tmp_path / "i").mkdir()
    with (
        FileLock(tmp_path / "i" / ".build.lock"),
        pytest.raises(FolderInUse, match="another build is writing this index"),
    ):
        build_index(tmp_path / "i", [notes(tmp_path / "n.jsonl", {"text": "a1"})])


BUILD = """
import sys
from pathlib import Path
from fas.evidence import build
build._COMMIT_DOCUMENTS = 300
build.build_index(Path(sys.argv[1]), [Path(name) for name in sys.argv[2:]], jobs=2,
                  progress=lambda progress: print(progress.documents, flush=True))
"""


def test_a_killed_build_goes_on_and_ends_as_if_it_had_not_been_killed(tmp_path, monkeypatch):
    monkeypatch.setattr("fas.evidence.build._COMMIT_DOCUMENTS", 300)
    files = []
    for number in range(1, 6):
        # Each file revises half of the one before.
        first = (number - 1) * 100
        records = [Record(str(i), abstract=f"aspirin word{i} file{number}") for i in range(first + 1, first + 201)]
        files.append(pubmed_file(tmp_path, number, records))
    build_index(tmp_path / "whole", files)
    command = [sys.executable, "-c", BUILD, str(tmp_path / "killed"), *map(str, files)]
    kills = 0
    for stop_at in (150, 350, 10):
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        for line in process.stdout:
            if int(line) >= stop_at:
                break
        os.kill(process.pid, signal.SIGKILL)
        kills += process.wait() == -signal.SIGKILL
        process.stdout.close()
    build_index(tmp_path / "killed", files)
    assert kills >= 2
    whole, killed = TextIndex(tmp_path / "whole"), TextIndex(tmp_path / "killed")
    assert whole.content_hash == killed.content_hash
    assert len(whole) == len(killed) == 600
    assert killed.pending == ()
    for query in ("word150", "file3", "word333 file4"):
        texts = [sorted(hit.passage.text for hit in index.search(query, limit=300)) for index in (whole, killed)]
        assert texts[0] == texts[1]
    assert not (tmp_path / "killed" / "spool").exists()


@pytest.mark.slow
@pytest.mark.parametrize("at", range(5))
def test_a_build_killed_while_it_applies_any_of_its_files_goes_on(tmp_path, monkeypatch, at):
    """Each file is committed by itself; the process ends in the middle of number *at*."""
    files = [
        pubmed_file(tmp_path, n, [Record(str(i), abstract=f"aspirin word{i}") for i in range(100 * n, 100 * n + 100)])
        for n in range(1, 6)
    ]
    script = (
        "import os, signal, sys; from pathlib import Path; from fas.evidence import build\n"
        "build._COMMIT_DOCUMENTS = 1; build._REPORT_EVERY = 50; at = Path(sys.argv[2])\n"
        "def stop(progress):\n"
        "    if progress.path == at and progress.documents % 100 == 51:\n"
        "        os.kill(os.getpid(), signal.SIGKILL)\n"
        "build.build_index(Path(sys.argv[1]), [Path(name) for name in sys.argv[3:]], jobs=1, progress=stop)"
    )
    command = [sys.executable, "-c", script, str(tmp_path / "killed"), str(files[at]), *map(str, files)]
    assert subprocess.run(command, timeout=200, check=False).returncode == -signal.SIGKILL
    if at:
        stopped = TextIndex(tmp_path / "killed")
        assert len(stopped) == 100 * at
        assert len(stopped.pending) == 5 - at
    assert build_index(tmp_path / "killed", files) == 5 - at
    build_index(tmp_path / "whole", files)
    whole, killed = TextIndex(tmp_path / "whole"), TextIndex(tmp_path / "killed")
    assert (killed.content_hash, len(killed), killed.pending) == (whole.content_hash, 500, ())
    assert (tmp_path / "killed" / "manifest.json").is_file()


READ = """
import sys
from pathlib import Path
from fas.evidence.index import TextIndex
seen = set()
while not Path(sys.argv[2]).exists():
    index = TextIndex(Path(sys.argv[1]))
    hits = index.search("aspirin", limit=500)
    # Every document is from one generation or a newer one, never gone.
    assert len(hits) == len(index) == 100, (len(hits), len(index))
    if index.content_hash not in seen:
        seen.add(index.content_hash)
        print(index.content_hash, flush=True)
"""


def test_readers_in_other_processes_see_whole_states_while_the_index_is_updated(tmp_path):
    def generation(number: int) -> Path:
        return pubmed_file(tmp_path, number, [Record(str(i), abstract=f"aspirin {number}") for i in range(1, 101)])

    build_index(tmp_path / "i", [generation(1)])
    done = tmp_path / "done"
    readers = [
        subprocess.Popen(
            [sys.executable, "-c", READ, str(tmp_path / "i"), str(done)], stdout=subprocess.PIPE, text=True
        )
        for _ in range(2)
    ]
    try:
        assert all(reader.stdout.readline() for reader in readers)
        for number in range(2, 9):
            build_index(tmp_path / "i", [generation(number)])
        newest = TextIndex(tmp_path / "i").content_hash
        assert all(any(line.strip() == newest for line in reader.stdout) for reader in readers)
    finally:
        done.touch()
    assert [reader.wait(timeout=60) for reader in readers] == [0, 0]


def test_threads_share_an_index(tmp_path):
    rows = [{"id": str(i), "text": f"aspirin word{i % 17} word{i % 13}"} for i in range(300)]
    build_index(tmp_path / "i", [notes(tmp_path / "n.jsonl", *rows)])
    index = TextIndex(tmp_path / "i")
    queries = [f"word{i % 17} aspirin" for i in range(200)]
    assert index.search_many(queries, limit=5) == [index.search(query, limit=5) for query in queries]


def test_an_index_of_nothing_but_pubmed_files_says_that_its_ids_are_pmids(tmp_path):
    own, pubmed = notes(tmp_path / "n.jsonl", {"text": "aspirin"}), pubmed_file(tmp_path, 1, [Record("1")])
    build_index(tmp_path / "pubmed", [pubmed])
    build_index(tmp_path / "both", [own, pubmed])
    assert IndexRetriever(argument=str(tmp_path / "pubmed")).signature.endswith(",k=5,pmid]")
    assert IndexRetriever(argument=str(tmp_path / "both")).signature.endswith(",k=5]")


def test_the_retriever_returns_k_passages_and_pins_content_and_settings(tmp_path):
    rows = [{"id": str(i), "text": "aspirin " * (i + 1), "year": 2015 + i} for i in range(4)]
    build_index(tmp_path / "i", [notes(tmp_path / "n.jsonl", *rows)])
    retriever = IndexRetriever(argument=str(tmp_path / "i"), k=2, years="2016-2018")
    results = retriever.retrieve([Claim("aspirin"), Claim("unknown"), Claim("")], [Answer("1", "")] * 3)
    assert len(results[0].passages) == 2
    assert results[1:] == [Retrieval(), Retrieval()]
    assert retriever.signature == f"index[{TextIndex(tmp_path / 'i').content_hash[:12]},2016-2018,k=2]"


def test_the_reranker_decides_among_the_candidates(tmp_path):
    class Longest:
        signature = "longest"

        def scores(self, queries, candidates, first):
            import numpy as np

            return [np.array([1000.0 * len(passage.text) for passage in found]) for found in candidates]

    rows = [{"id": "short", "text": "aspirin"}, {"id": "long", "text": "aspirin and a good deal more of everything"}]
    build_index(tmp_path / "i", [notes(tmp_path / "n.jsonl", *rows)])
    retriever = IndexRetriever(argument=str(tmp_path / "i"), k=1, rerank=Longest())
    assert retriever.signature.endswith(",k=1,rerank=longest,n=40]")
    (result,) = retriever.retrieve([Claim("aspirin everything")], [Answer("1", "")])
    assert result.passages[0].id == "long"
