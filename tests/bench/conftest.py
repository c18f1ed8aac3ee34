"""A folder with the files of several benchmarks."""

from __future__ import annotations

import bench_trees as trees
import pytest
from bench_runs import PROFILE


@pytest.fixture
def workplace(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    (tmp_path / "quick.toml").write_text(PROFILE)
    trees.kqa(tmp_path / "data" / "kqa")
    trees.medlfqa(tmp_path / "data" / "medlfqa")
    for path in (tmp_path / "data" / "medlfqa" / "MedLFQA").iterdir():
        path.rename(tmp_path / "data" / "medlfqa" / path.name)
    trees.pubmedqa(tmp_path / "data" / "pubmedqa")
    return tmp_path
