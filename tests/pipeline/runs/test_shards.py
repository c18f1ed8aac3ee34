"""A run in shards, joined again: the bytes of one process; what does not belong together is refused."""

from __future__ import annotations

import json
import shutil

import pytest
from scale_world import write_world

from fas.api import score_file
from fas.cli import main
from fas.core.errors import InputError
from fas.core.profile import load_profile
from fas.pipeline.runs.merging import merge_shards
from fas.pipeline.runs.shards import Shard

COUNT = 4


def score(folder, out, shard=None, **changes):
    profile = load_profile(folder / "profile.toml").override(**changes)
    return score_file(folder / "answers.jsonl", folder / out, profile=profile, on_error="record", shard=shard)


def stored_report(out):
    report = json.loads((out / "report.json").read_text())
    del report["timing"]
    return report


@pytest.fixture
def shards(tmp_path):
    """The four shards of a run over 150 answers, with bad lines and answers that fail."""
    write_world(tmp_path, 150, {5: "BAD", 17: "RAISE", 140: "RAISE", 150: "BAD"})
    folders = []
    for number in range(1, COUNT + 1):
        score(tmp_path, f"out-{number}", Shard(number, COUNT))
        folders.append(tmp_path / f"out-{number}")
    return folders


@pytest.mark.parametrize("n", [0, 1, 15, 16, 17, 64, 65, 1000])
@pytest.mark.parametrize("count", [1, 3, 40])
def test_every_answer_is_in_one_shard_and_sizes_are_what_is_said(n, count):
    found = [list(Shard(i, count).of(range(n))) for i in range(1, count + 1)]
    assert sorted(x for shard in found for x in shard) == list(range(n))
    assert [len(shard) for shard in found] == [Shard(i, count).size(n) for i in range(1, count + 1)]
    assert all(shard == sorted(shard) for shard in found)


def test_merged_shards_are_the_bytes_and_the_report_of_one_process(tmp_path, shards, capsys):
    score(tmp_path, "one")
    code = main(["results", "merge", *map(str, reversed(shards)), "-o", str(tmp_path / "merged"), "--by", "kind"])
    assert code == 0
    capsys.readouterr()
    assert (tmp_path / "merged" / "scores.jsonl").read_bytes() == (tmp_path / "one" / "scores.jsonl").read_bytes()
    merged, one = stored_report(tmp_path / "merged"), stored_report(tmp_path / "one")
    assert set(merged.pop("groups")["kind"]) == {"even", "odd"}
    one.pop("groups")
    assert merged == one
    # What was merged is a run like any other: the same command over the whole input has nothing left to do.
    seen = []
    profile = load_profile(tmp_path / "profile.toml")
    score_file(
        tmp_path / "answers.jsonl",
        tmp_path / "merged",
        profile=profile,
        on_error="record",
        started=lambda found, done: seen.append((found.n, done)),
    )
    assert seen == [(150, 150)]
    with pytest.raises(InputError, match="holds results"):
        merge_shards(shards, tmp_path / "merged")
    with pytest.raises(InputError, match=r"cannot group by 'kid': no answer has this field; available: .*\bkind\b"):
        merge_shards(shards, tmp_path / "merged", by=["kid"], overwrite=True)
    merge_shards(shards, tmp_path / "merged", overwrite=True)


def test_shards_that_are_missing_twice_there_unfinished_or_of_another_run_are_refused(tmp_path, shards):
    def refused(folders, match):
        with pytest.raises(InputError, match=match):
            merge_shards(folders, tmp_path / "merged")
        assert not (tmp_path / "merged" / "scores.jsonl").exists()

    refused(shards[:2], "of 4 shards 2 are missing: 3, 4")
    shutil.copytree(shards[0], tmp_path / "copy")
    refused([*shards, tmp_path / "copy"], r"copy: is shard 1/4, as .*out-1 is")
    refused([*shards, tmp_path], "no run here")
    score(tmp_path, "whole")
    refused([*shards, tmp_path / "whole"], "is not a shard")
    score(tmp_path, "other", Shard(2, COUNT), threshold=0.8)
    refused([shards[0], tmp_path / "other", *shards[2:]], r"'verify' is .*t=0\.80.* there and .*t=0\.70")
    score(tmp_path, "seeded", Shard(2, COUNT), seed=7)
    refused([shards[0], tmp_path / "seeded", *shards[2:]], "'seed' is '7' there and '12345' here")
    score(tmp_path, "third", Shard(2, 3))
    refused([shards[0], tmp_path / "third", *shards[2:]], "'shards' is '3' there and '4' here")
    lines = (shards[2] / "scores.jsonl").read_bytes().splitlines(keepends=True)
    (shards[2] / "scores.jsonl").write_bytes(b"".join(lines[:-1]) + lines[-1][:20])
    refused(shards, "31 of 32 answers are there; run the command of shard 3/4 again")
    score(tmp_path, "out-3", Shard(3, COUNT))
    merge_shards(shards, tmp_path / "merged")
