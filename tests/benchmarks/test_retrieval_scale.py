"""The script that says what an index of PubMed's size would need."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "benchmarks" / "retrieval" / "scale.py"


@pytest.mark.slow
def test_the_whole_script_at_a_small_size(tmp_path):
    pytest.importorskip("psutil")
    copy = tmp_path / "tree" / "benchmarks" / "retrieval" / "scale.py"
    copy.parent.mkdir(parents=True)
    for name in ("scale.py", "synthetic_pubmed.py", "page.py", "scifact.json", "README.md"):
        shutil.copy(SCRIPT.with_name(name), copy.with_name(name))
    for name in ("tables.py", "stored.py"):
        shutil.copy(SCRIPT.parents[1] / name, copy.parents[1] / name)
    found = subprocess.run(
        [sys.executable, "-m", "benchmarks.retrieval.scale", str(tmp_path / "work"), "300", "600"],
        cwd=tmp_path / "tree",
        capture_output=True,
        text=True,
        timeout=280,
    )
    assert found.returncode == 0, found.stderr
    results = json.loads(copy.with_name("scale.json").read_text(encoding="utf-8"))
    assert set(results) == {"300", "600"}
    assert results["600"]["query"]["source_document_in_top_5"] > 0.9
    assert results["600"]["build_peak_mb"]["total_anonymous"] < 1000
    assert "| 300 | 600 | 38,000,000 (extrapolated) |" in copy.with_name("README.md").read_text(encoding="utf-8")
