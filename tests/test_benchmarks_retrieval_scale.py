"""The script that says what an index of PubMed's size would need."""

import json
import shutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[1] / "benchmarks" / "retrieval" / "scale.py"


@pytest.fixture(scope="module")
def scale():
    pytest.importorskip("psutil")
    return import_module("benchmarks.retrieval.scale")


def _result(records):
    """Everything grows by 2 for every thousand records, from 5."""
    return {
        "records": records,
        "build_s": 5 + 0.002 * records,
        "build_cpu_s": 5 + 0.002 * records,
        "index_mb": 5 + 0.002 * records,
        "query": {"p50_ms": 5 + 0.002 * records, "cpu_p50_ms": 5 + 0.002 * records},
        "batch_top_5": {"per_s": 100.0, "cpu_ms_per_query": 5 + 0.002 * records},
        "build_peak_mb": {"total_anonymous": 200.0, "total_resident": 300.0},
        "memory_mb": {"RssAnon": 50},
    }


def test_a_straight_line_is_continued(scale, capsys):
    measured = [_result(1_000), _result(2_000), _result(4_000)]
    further = scale.extrapolate(measured, 1_000_000)
    assert further.pop("records") == 1_000_000
    assert further == pytest.approx(dict.fromkeys(further, 2005.0))
    scale.print_growth(measured, {**further, "records": 1_000_000})
    table = capsys.readouterr().out
    assert "| building, own memory, all processes | 200 MB | 200 MB | 200 MB | |" in table
    assert "1,000,000 (extrapolated)" in table


@pytest.mark.slow
def test_the_whole_script_at_a_small_size(scale, tmp_path):
    copy = tmp_path / "tree" / "benchmarks" / "retrieval" / "scale.py"
    copy.parent.mkdir(parents=True)
    for script in (SCRIPT, SCRIPT.with_name("synthetic_pubmed.py")):
        shutil.copy(script, copy.with_name(script.name))
    found = subprocess.run(
        [sys.executable, "-m", "benchmarks.retrieval.scale", str(tmp_path / "work"), "300", "600"],
        cwd=tmp_path / "tree",
        capture_output=True,
        text=True,
        timeout=280,
    )
    assert found.returncode == 0, found.stderr
    results = json.loads(copy.with_name("scale.json").read_text(encoding="utf-8"))
    assert set(results) == {"300", "600", "extrapolation"}
    assert results["600"]["query"]["source_document_in_top_5"] > 0.9
    assert results["600"]["build_peak_mb"]["total_anonymous"] < 1000
    assert "38,000,000 (extrapolated)" in found.stdout
