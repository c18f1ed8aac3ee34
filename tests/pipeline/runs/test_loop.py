"""The loop of every run: what is finished stays, what is not is done, wherever a process is killed."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from dataclasses import dataclass

import pytest

from fas.core.answers.files import BadLine
from fas.core.errors import FolderInUse, InputError, RunStopped
from fas.pipeline.runs.folder import RunFolder
from fas.pipeline.runs.lines import Lines
from fas.pipeline.runs.loop import RunLoop, Store, run_each_alone


@dataclass
class Unit:
    id: str


UNITS = [Unit(f"u{i}") for i in range(20)]


class Kept(Store):
    """What was kept, in memory."""

    def __init__(self, finished=(), unverified=()):
        self.finished, self.unverified = finished, unverified
        self.calls = []

    def append(self, records, *, tally=None):
        self.calls.append(("new", [one["id"] for one in records]))

    def redo(self, records, *, tally=None):
        self.calls.append(("again", [one["id"] for one in records]))

    def settle(self):
        self.calls.append(("settled", []))


def named(chunks):
    return ([{"id": unit.id} for unit in chunk] for chunk in chunks)


def test_new_units_come_first_and_units_with_unsettled_records_after_them():
    kept, told = Kept({"u0", "u2"}, {"u1", "u5"}), []
    RunLoop(kept, size=2, progress=told.append).run(lambda: UNITS[:7], named)
    assert kept.calls == [("new", ["u3", "u4"]), ("new", ["u6"]), ("again", ["u1", "u5"]), ("settled", [])]
    assert told == [2, 1, 2]


def test_work_that_takes_several_chunks_before_it_gives_one_is_counted_right():
    def ahead(chunks):
        return iter(list(named(chunks)))

    told = []
    RunLoop(Kept(), size=3, progress=told.append).run(lambda: UNITS[:7], ahead)
    assert told == [3, 3, 1]


@pytest.mark.parametrize("error", [RunStopped("the budget is spent"), KeyboardInterrupt()])
def test_what_stops_a_run_costs_the_chunk_it_is_at(tmp_path, error):
    def stops(chunks):
        for number, chunk in enumerate(chunks):
            if number == 2:
                raise error
            yield [{"id": unit.id} for unit in chunk]

    with RunFolder(tmp_path) as folder:
        folder.resume({"input": "abc"})
        with pytest.raises(type(error)):
            RunLoop(folder, size=4).run(lambda: UNITS, stops)
    with RunFolder(tmp_path) as folder:
        assert folder.resume({"input": "abc"}) == {f"u{i}" for i in range(8)}


def test_a_unit_without_a_record_is_tried_by_the_next_run(tmp_path):
    lines = Lines(tmp_path / "lines.jsonl")
    RunLoop(lines, size=4).run(
        lambda: UNITS, lambda chunks: ([{"id": u.id} for u in chunk if u.id != "u6"] for chunk in chunks)
    )
    asked = []

    def all_of(chunks):
        for chunk in chunks:
            asked.extend(unit.id for unit in chunk)
            yield [{"id": unit.id} for unit in chunk]

    RunLoop(Lines(tmp_path / "lines.jsonl")).run(lambda: UNITS, all_of)
    assert asked == ["u6"]


def test_a_bad_line_or_a_unit_that_fails_ruins_nothing_else():
    def stage(units):
        if any(unit.id == "u1" for unit in units):
            raise ValueError("no")
        return [unit.id.upper() for unit in units]

    bad = BadLine(InputError("missing", kind="json", line=3))
    done = run_each_alone(stage, lambda unit, found: (unit.id, found), lambda item, error: (item.id, str(error)))
    assert done([UNITS[0], bad, UNITS[1], UNITS[2]]) == [
        ("u0", "U0"),
        ("line:3", "missing"),
        ("u1", "no"),
        ("u2", "U2"),
    ]


def test_an_error_that_is_no_units_fault_stops_the_run():
    def stage(units):
        raise RunStopped("the quota is spent")

    with pytest.raises(RunStopped, match="quota"):
        run_each_alone(stage, lambda *_: None, lambda *_: None)(UNITS)


KILLED = """
import os, signal, sys
from pathlib import Path
from types import SimpleNamespace
from fas.pipeline.runs.folder import RunFolder
from fas.pipeline.runs.loop import RunLoop

out, where = Path(sys.argv[1]), sys.argv[2]
down = sys.argv[3].split()
asked = []

def die(here):
    if where == here:
        os.kill(os.getpid(), signal.SIGKILL)

def work(chunks):
    for chunk in chunks:
        asked.extend(unit.id for unit in chunk)
        die(f"work on {chunk[-1].id}")
        yield [
            {"id": one.id, "claims": [{"label": "unverified" if one.id in down else "supported"}]} for one in chunk
        ]

def progress(n):
    die(f"kept {asked[-1]}")

with RunFolder(out) as folder:
    folder.resume({"input": "abc"})
    units = [SimpleNamespace(id=f"u{i}") for i in range(20)]
    RunLoop(folder, size=4, progress=progress).run(lambda: units, work)
    print(" ".join(asked))
"""


def test_a_run_killed_at_every_kind_of_place_ends_with_the_bytes_of_one_unbroken(tmp_path):
    def run(name, where="nowhere", down=""):
        command = [sys.executable, "-c", KILLED, str(tmp_path / name), where, down]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    assert run("whole").returncode == 0
    # Searches fail for two units; the first process dies within a chunk, the next when a chunk is just kept.
    for where, down in (("work on u7", "u1 u3"), ("kept u11", ""), ("work on u19", ""), ("kept u3", "")):
        found = run("out", where, down)
        assert found.returncode == -signal.SIGKILL, (where, found.stderr)
    assert [json.loads(line)["id"] for line in (tmp_path / "out" / "scores.jsonl").read_text().splitlines()] == [
        f"u{i}" for i in range(20)
    ]
    last = run("out")
    assert (last.returncode, last.stdout.split()) == (0, []), last.stderr
    assert (tmp_path / "out" / "scores.jsonl").read_bytes() == (tmp_path / "whole" / "scores.jsonl").read_bytes()
    assert not (tmp_path / "out" / "redone.jsonl").exists()


def test_a_second_run_is_kept_out_until_the_first_is_killed(tmp_path):
    held = (
        "import sys; from pathlib import Path; from fas.pipeline.runs.folder import RunFolder\n"
        "with RunFolder(Path(sys.argv[1])):\n    print('held', flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-c", held, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(FolderInUse, match="another run is writing this folder; wait for it, or give another"):
            RunFolder(tmp_path).__enter__()
        holder.kill()
        holder.wait(10)
    with RunFolder(tmp_path) as folder, pytest.raises(FolderInUse):
        # The lock of a killed process is free; now it is held here.
        RunFolder(folder.path).__enter__()
