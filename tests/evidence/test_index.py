"""The index on disk: ranking, updates, order, crashes, concurrent readers."""

from __future__ import annotations

import gzip
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

from fas.core.errors import InputError
from fas.core.records import Answer, Claim, Retrieval
from fas.evidence.build import build_index
from fas.evidence.index import TextIndex
from fas.evidence.local import IndexRetriever


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


@pytest.mark.parametrize("query", ["", "the of and", "zzzz", "\x00", "[]()*?:\"'AND OR NOT", "\ud800", "💊"])
def test_a_query_that_matches_nothing_or_is_strange_finds_nothing(tmp_path_factory, query):
    folder = tmp_path_factory.mktemp("strange")
    build_index(folder / "index", [notes(folder / "n.jsonl", {"text": "aspirin"})])
    assert found(folder / "index", query) == []


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"id": "1"}', "n.jsonl, line 2: field `text` must be a non-empty text, got None"),
        ('{"text": " "}', "field `text` must be a non-empty text, got ' '"),
        ('{"text": ["a"]}', r"field `text` must be a non-empty text, got \['a'\]"),
        ('{"text": "a", "year": "soon"}', "field `year` must be a year of four digits, got 'soon'"),
        ('{"text": "a", "year": true}', "field `year` must be a year of four digits, got True"),
        ('{"text": "a", "id": ["x"]}', r"field `id` must be a text or a whole number, got \['x'\]"),
        ('{"text": "a", "id": "x\\ty"}', r"field `id` must not hold control characters, got 'x\\ty'"),
        ('{"text": "a", "title": 3}', "field `title` must be a text, got 3"),
        ("{broken", "n.jsonl, line 2: not JSON"),
        ('{"text": "a", "text": "b"}', "n.jsonl, line 2: field 'text': given more than once"),
        ("[1]", "line 2: expected a JSON object, got"),
    ],
)
def test_a_bad_line_is_named_and_nothing_of_its_file_is_indexed(tmp_path, line, message):
    (tmp_path / "n.jsonl").write_text('{"text": "good"}\n' + line + "\n")
    with pytest.raises(InputError, match=message):
        build_index(tmp_path / "i", [tmp_path / "n.jsonl"])
    with pytest.raises(InputError, match="nothing is indexed here yet"):
        TextIndex(tmp_path / "i")


def test_updates_revise_add_and_delete_in_the_order_of_their_numbers(tmp_path):
    files = [
        pubmed_file(tmp_path, 3, [Record("1", abstract="aspirin third")], deleted=("2",)),
        pubmed_file(tmp_path, 1, [Record("1", abstract="aspirin first"), Record("2", abstract="aspirin two")]),
        pubmed_file(tmp_path, 2, [Record("1", abstract="aspirin second"), Record("4", abstract="aspirin four")]),
    ]
    assert build_index(tmp_path / "i", files) == 3
    hits = TextIndex(tmp_path / "i").search("aspirin")
    assert sorted((hit.passage.id, hit.passage.text) for hit in hits) == [("1", "aspirin third"), ("4", "aspirin four")]
    info = TextIndex(tmp_path / "i").info()
    assert [Path(source.path).name[-11:-7] for source in info.sources] == ["0001", "0002", "0003"]
    assert (info.documents, info.pending) == (2, ())


def test_the_same_command_again_does_nothing(tmp_path):
    file = pubmed_file(tmp_path, 1, [Record("1")])
    assert build_index(tmp_path / "i", [file]) == 1
    before = TextIndex(tmp_path / "i").content_hash
    assert build_index(tmp_path / "i", [file, file]) == 0
    assert TextIndex(tmp_path / "i").content_hash == before


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


def test_a_moved_pubmed_file_is_known_by_its_number_and_size_and_named_as_not_read(tmp_path, caplog):
    file = pubmed_file(tmp_path, 1, [Record("1", abstract="aspirin")])
    assert build_index(tmp_path / "i", [file]) == 1
    (tmp_path / "elsewhere").mkdir()
    caplog.clear()
    assert build_index(tmp_path / "i", [file.rename(tmp_path / "elsewhere" / file.name)]) == 0
    assert "not read again" in caplog.text
    assert file.name in caplog.text


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


BUILD = """
import sys
from pathlib import Path
from fas.evidence import build
build._COMMIT_DOCUMENTS = 300
build.build_index(Path(sys.argv[1]), [Path(name) for name in sys.argv[2:]], jobs=2,
                  progress=lambda progress: print(progress.documents, flush=True))
"""


@pytest.mark.slow
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


def test_the_retriever_returns_k_passages_and_pins_content_and_settings(tmp_path):
    rows = [{"id": str(i), "text": "aspirin " * (i + 1), "year": 2015 + i} for i in range(4)]
    build_index(tmp_path / "i", [notes(tmp_path / "n.jsonl", *rows)])
    retriever = IndexRetriever(argument=str(tmp_path / "i"), k=2, years="2016-2018")
    results = retriever.retrieve([Claim("aspirin"), Claim("unknown"), Claim("")], [Answer("1", "")] * 3)
    assert len(results[0].passages) == 2
    assert results[1:] == [Retrieval(), Retrieval()]
    assert retriever.signature == f"index[{TextIndex(tmp_path / 'i').content_hash[:12]},2016-2018,k=2]"


def test_equal_scores_at_the_last_place_are_decided_by_id_however_many_there_are(tmp_path):
    rows = [{"id": f"{i:04d}", "text": "Metformin lowers glucose."} for i in range(200)]
    best = [{"id": f"x{i}", "text": "Metformin"} for i in range(2)]
    for name, order in (("up", [*rows, *best]), ("down", [*rows, *best][::-1])):
        build_index(tmp_path / name, [notes(tmp_path / f"{name}.jsonl", *order)])
        assert found(tmp_path / name, "metformin", limit=5) == ["x0", "x1", "0000", "0001", "0002"]
        assert found(tmp_path / name, "metformin", limit=2) == ["x0", "x1"]


def test_an_earlier_file_of_the_series_is_refused_and_so_is_another_year(tmp_path):
    build_index(tmp_path / "i", [pubmed_file(tmp_path, 5, [Record("1")])])
    with pytest.raises(InputError, match="comes before file 5, which the index already holds"):
        build_index(tmp_path / "i", [pubmed_file(tmp_path, 4, [Record("1")])])
    with pytest.raises(InputError, match="PubMed files of 2026, 2027 do not go into one index"):
        build_index(tmp_path / "i", [pubmed_file(tmp_path, 6, [Record("1")], year=27)])


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


@pytest.mark.parametrize("name", ["n.jsonl.gz", "n.csv.gz", "pubmed26n0001.xml.gz"])
def test_a_file_damaged_in_its_middle_is_named(tmp_path, name):
    # The first byte after the header says what kind of block follows; there is no kind 3.
    (tmp_path / name).write_bytes(gzip.compress(b"")[:10] + b"\x07")
    with pytest.raises(InputError, match=rf"{name}: .*invalid block type.*download it again"):
        build_index(tmp_path / "i", [tmp_path / name])


def test_a_table_without_a_column_of_text_is_refused_with_the_columns_that_it_has(tmp_path):
    path = tmp_path / "notes.csv"
    path.write_text("id|text\n1|Honey eased a cough.\n")
    with pytest.raises(InputError, match=r"notes\.csv, line 1: no column `text`; found: 'id\|text'"):
        build_index(tmp_path / "index", [path])


def test_evidence_of_equal_scores_keeps_the_order_of_the_index(tmp_path):
    rows = [{"id": f"{i:03d}", "text": f"pain {i} {'rest ' * (24 - i % 2)}"} for i in range(800)]
    build_index(tmp_path / "i", [notes(tmp_path / "n.jsonl", *rows[::-1])])
    hits = TextIndex(tmp_path / "i").search("pain", limit=5, different=True)
    (retrieval,) = IndexRetriever(argument=str(tmp_path / "i")).retrieve([Claim("pain")], [Answer("1", "")])
    assert [one.id for one in retrieval.passages] == [hit.passage.id for hit in hits]
    assert retrieval.scores != tuple(sorted(retrieval.scores, reverse=True))  # to five decimals they differ
