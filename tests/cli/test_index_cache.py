"""The commands `fas index` and `fas setup cache`."""

from __future__ import annotations

import json

import pytest

from fas.cli import main
from fas.core.cache import Cache


@pytest.fixture
def built(tmp_path, capsys):
    lines = [
        {"id": "a", "title": "Fever", "text": "Aspirin lowers fever.", "year": 2015},
        {"id": "b", "text": "Aspirin thins the blood.", "year": 2020},
        {"id": "c", "text": "Zinc shortens colds."},
    ]
    (tmp_path / "notes.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert main(["index", "build", str(tmp_path / "i"), str(tmp_path / "notes.jsonl")]) == 0
    assert "1 file indexed in " in capsys.readouterr().err
    return tmp_path


def test_searching_prints_what_was_found_best_first(built, capsys):
    assert main(["index", "search", str(built / "i"), "aspirin and fever", "-k", "2", "--json"]) == 0
    hits = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [hit["id"] for hit in hits] == ["a", "b"]
    assert set(hits[0]) == {"rank", "score", "id", "title", "year", "status", "text"}
    assert main(["index", "search", str(built / "i"), "aspirin", "--years", "2018-2024"]) == 0
    assert capsys.readouterr().out.startswith("1. b (2020) ")


def test_building_counts_the_files_of_a_folder_and_says_when_nothing_is_new(tmp_path, capsys):
    notes = tmp_path / "notes"
    notes.mkdir()
    for name in ("a", "b"):
        (notes / f"{name}.txt").write_text(f"Aspirin {name} lowers fever in adults.")
    for said in ("2 files indexed in", "no new or changed file indexed in"):
        assert main(["index", "build", str(tmp_path / "i"), str(notes)]) == 0
        assert said in capsys.readouterr().err


def test_info_describes_the_index(built, capsys):
    assert main(["index", "info", str(built / "i"), "--json"]) == 0
    info = json.loads(capsys.readouterr().out)
    assert (info["documents"], info["years"]) == (3, {"2015": 1, "2020": 1, "unknown": 1})
    assert info["sources"][0]["documents"] == 3
    assert len(info["content_hash"]) == 64
    assert info["size"] > 0
    assert main(["index", "info", str(built / "i")]) == 0
    text = capsys.readouterr().out
    assert "years          2015-2020 (1 without a year)" in text
    assert info["content_hash"] in text


def test_cache_info_and_clear(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("FAS_CACHE_DIR", str(tmp_path))
    assert main(["setup", "cache", "info"]) == 0
    assert "(nothing is kept)" in capsys.readouterr().out
    Cache("nli").put_many([("a", b"1"), ("b", b"2")])
    Cache("entrez").put("a", b"1")
    assert main(["setup", "cache", "info", "--json"]) == 0
    info = json.loads(capsys.readouterr().out)
    assert info["folder"] == str(tmp_path)
    assert {entry["name"]: entry["entries"] for entry in info["caches"]} == {"entrez": 1, "nli": 2}
    assert main(["setup", "cache", "clear", "nli", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"nli": 2}
    assert main(["setup", "cache", "clear", "--all"]) == 0
    assert capsys.readouterr().err.splitlines() == ["entrez: 1 entries removed", "nli: 0 entries removed"]
    assert main(["setup", "cache", "clear"]) == 2
    assert main(["setup", "cache", "clear", "nli", "--all"]) == 2
    assert main(["setup", "cache", "clear", "nil"]) == 2
    assert "no cache named 'nil'; available: entrez, nli" in capsys.readouterr().err
