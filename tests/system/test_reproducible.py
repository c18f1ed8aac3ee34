"""A score is the same again: whatever the order, the batches, the cache and the number of processes.

The parts are those that ship; nothing stands in for a model.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fas.api import score_file
from fas.core.profile import load_profile

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples" / "answers.jsonl"
TOLERANCE = 1e-6

Record = dict[str, Any]


def _examples() -> list[Record]:
    return [json.loads(line) for line in EXAMPLES.read_text(encoding="utf-8").splitlines()]


def _short(n: int) -> list[Record]:
    """The *n* shortest examples that have everything there is to compute."""
    whole = [each for each in _examples() if all(each.get(name) for name in ("prediction", "passages", "references"))]
    chosen = sorted(whole, key=lambda each: len(each["prediction"]))[:n]
    return [{**each, "passages": each["passages"][:2]} for each in chosen]


def _write(path: Path, records: Iterable[Mapping[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(each) + "\n" for each in records), encoding="utf-8")
    return path


def _score(source: Path, out: Path, *, batch_size: int = 32, precision: str = "fp32") -> dict[str, Record]:
    """The records of a run by id, and its files in *out*."""
    profile = load_profile("mini").override(precision=precision, n_resamples=10)
    profile = replace(
        profile,
        verify=replace(profile.verify, options={**profile.verify.options, "batch_size": batch_size}),
        reference={**profile.reference, "batch_size": batch_size},
    )
    score_file(source, out, profile=profile)
    return {each["id"]: each for each in map(json.loads, _lines(out))}


def _lines(out: Path) -> list[str]:
    return sorted((out / "scores.jsonl").read_text(encoding="utf-8").splitlines())


def _differences(first: Any, second: Any, where: str = "") -> list[str]:
    """Where two records differ by more than the tolerance."""
    if isinstance(first, dict) and isinstance(second, dict) and first.keys() == second.keys():
        return [found for key in first for found in _differences(first[key], second[key], f"{where}.{key}")]
    if isinstance(first, list) and isinstance(second, list) and len(first) == len(second):
        pairs = enumerate(zip(first, second, strict=True))
        return [found for i, pair in pairs for found in _differences(*pair, f"{where}[{i}]")]
    if isinstance(first, float) and isinstance(second, float):
        return [] if abs(first - second) <= TOLERANCE else [f"{where}: {first} and {second}"]
    return [] if first == second else [f"{where}: {first!r} and {second!r}"]


def _same(records: list[Record], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAS_CACHE_DIR", str(tmp_path / "cache"))
    source = _write(tmp_path / "answers.jsonl", records)
    cold = _score(source, tmp_path / "cold")
    assert any(each["fas"] is not None for each in cold.values())
    warm = _score(source, tmp_path / "warm")
    monkeypatch.setenv("FAS_CACHE_DIR", str(tmp_path / "another-cache"))
    again = _score(source, tmp_path / "again")
    assert _lines(tmp_path / "cold") == _lines(tmp_path / "warm") == _lines(tmp_path / "again")
    assert cold == warm == again
    shuffled = _write(tmp_path / "shuffled.jsonl", random.Random(1).sample(records, len(records)))
    monkeypatch.setenv("FAS_CACHE_DIR", str(tmp_path / "third-cache"))
    other = _score(shuffled, tmp_path / "shuffled", batch_size=3)
    assert other.keys() == cold.keys()
    assert [found for name in cold for found in _differences(cold[name], other[name], name)] == []


def test_order_batches_and_cache_do_not_change_a_score(tmp_path, monkeypatch):
    _same(_short(3), tmp_path, monkeypatch)


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_order_batches_and_cache_do_not_change_the_scores_of_the_examples(tmp_path, monkeypatch):
    _same(_examples(), tmp_path, monkeypatch)


@pytest.mark.slow
def test_a_snapshot_gives_the_same_file_byte_for_byte_from_the_command_line(tmp_path, monkeypatch):
    monkeypatch.setenv("FAS_CACHE_DIR", str(tmp_path / "cache"))
    (tmp_path / "quick.toml").write_text('[verify]\nname = "lexical"\n[run]\nn_resamples = 10\n', encoding="utf-8")
    notes = [{"id": str(i), "text": each["passages"][0]["text"], "year": 2020} for i, each in enumerate(_short(6))]
    _write(tmp_path / "notes.jsonl", notes)
    # Without a reference no encoder is loaded; what is tested is the evidence.
    bare = [{**each, "passages": None, "references": []} for each in _short(4)]
    _write(tmp_path / "answers.jsonl", bare)

    def fas(*arguments: str) -> None:
        found = subprocess.run(
            [sys.executable, "-m", "fas", *arguments], cwd=tmp_path, capture_output=True, text=True, timeout=280
        )
        assert found.returncode == 0, found.stderr

    score = ("score", "answers.jsonl", "--profile", "quick.toml", "--quiet")
    fas("index", "build", "notes", "notes.jsonl")
    fas(*score, "-o", "first", "--evidence", "index:notes", "--save-evidence", "kept.jsonl")
    (tmp_path / "notes").rename(tmp_path / "gone")
    fas(*score, "-o", "again", "--evidence", "snapshot:kept.jsonl", "--offline")
    first, again = ((tmp_path / name / "scores.jsonl").read_bytes() for name in ("first", "again"))
    assert first == again
    assert any(claim["evidence"] for line in first.splitlines() for claim in json.loads(line)["claims"])
    signature = json.loads((tmp_path / "again" / "report.json").read_text(encoding="utf-8"))["signature"]
    assert "|evidence:snapshot[" in signature
