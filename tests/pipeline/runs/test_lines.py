"""Files of JSON lines that grow by appending: read by id, and whole after a process was killed."""

from __future__ import annotations

import resource

import pytest

from fas.core.errors import InputError
from fas.pipeline.runs.lines import Lines


def test_records_are_read_by_id_and_of_two_with_one_id_the_first_holds(tmp_path):
    lines = Lines(tmp_path / "new" / "lines.jsonl")
    assert (len(lines), lines.get("a")) == (0, None)
    lines.append([{"id": "a", "n": 1}, {"id": "ü\u2028", "n": 2}])
    lines.append([{"id": "a", "n": 3}])
    for read in (lines, Lines(lines.path)):
        assert [record["n"] for record in read] == [1, 2]
        assert read.get("ü\u2028") == {"id": "ü\u2028", "n": 2}
        assert "a" in read
        assert "b" not in read


def test_an_end_of_something_else_is_not_cut_off(tmp_path):
    (tmp_path / "lines.jsonl").write_text('{"id": "a"}\nnotes of mine')
    with pytest.raises(InputError, match="not a record of this run"):
        Lines(tmp_path / "lines.jsonl").trim_partial_line()
    assert (tmp_path / "lines.jsonl").read_text().endswith("mine")


def test_records_that_do_not_count_stay_and_may_come_again(tmp_path):
    lines = Lines(tmp_path / "lines.jsonl", key="item")
    lines.append([{"item": "a", "of": "old"}, {"item": "b", "of": "new"}])
    lines = Lines(lines.path, key="item", holds=lambda record: record["of"] == "new")
    assert list(lines.finished) == ["b"]
    lines.append([{"item": "a", "of": "new"}])
    assert lines.get("a") == {"item": "a", "of": "new"}
    assert lines.path.read_text().count("old") == 1


def test_a_line_of_something_else_is_refused_with_its_number(tmp_path):
    (tmp_path / "lines.jsonl").write_text('{"id": "a"}\n[1]\n')
    with pytest.raises(InputError, match=r"lines\.jsonl, line 2: not a record of this run"):
        len(Lines(tmp_path / "lines.jsonl"))


def test_what_does_not_fit_on_the_disk_is_not_written_at_all(tmp_path):
    lines = Lines(tmp_path / "lines.jsonl")
    lines.append([{"id": "a"}])
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, hard))
    try:
        with pytest.raises(InputError, match=r"lines\.jsonl: cannot be written: File too large"):
            lines.append([{"id": f"b{i}"} for i in range(50)])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert set(Lines(lines.path).finished) == set(lines.finished) == {"a"}
