"""The script that says what an index of PubMed's size would need."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.retrieval.page import extrapolate, growth

SCRIPT = Path(__file__).resolve().parents[2] / "benchmarks" / "retrieval" / "scale.py"


def _result(records):
    """Everything grows by 2 for every thousand records, from 5."""
    return {
        "records": records,
        "build_s": 5 + 0.002 * records,
        "build_cpu_s": 5 + 0.002 * records,
        "index_mb": 5 + 0.002 * records,
        "query": {"p50_ms": 5 + 0.002 * records, "cpu_p50_ms": 5 + 0.002 * records, "source_document_in_top_5": 1.0},
        "batch_top_5": {"per_s": 100.0, "cpu_ms_per_query": 5 + 0.002 * records},
        "build_peak_mb": {"total_anonymous": 200.0, "total_resident": 300.0},
        "memory_mb": {"RssAnon": 50},
        "machine": {"date": "2026-11-25", "version": "fas 0.2.0", "processors": 2, "load_before": 1.0},
    }


def test_a_straight_line_is_continued():
    measured = [_result(1_000), _result(2_000), _result(4_000)]
    further = extrapolate(measured, 1_000_000)
    assert further == pytest.approx(dict.fromkeys(further, 2005.0))
    made = growth({str(one["records"]): one for one in measured})
    assert "| building, own memory, all processes | 200 MB | 200 MB | 200 MB |  |" in made
    assert "| build, processor time | 7 s | 9 s | 13 s | 76,005 s |" in made
    assert "38,000,000 (extrapolated)" in made


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
