"""The study's scripts: draws, budgets and pages; and what follows from its printed numbers."""

from __future__ import annotations

import json
from importlib import import_module
from types import SimpleNamespace

import pytest


@pytest.fixture(scope="module")
def study():
    names = ("experiments", "common", "report", "run_all", "disagreements")
    return SimpleNamespace(**{name: import_module(f"benchmarks.study.{name}") for name in names})


RHO = [["data set", "text"], ["gold", "text"], ["metric", "text"], ["Spearman ρ", "signed"]]


def result(name, **tables):
    return {
        "experiment": name,
        "subset": {
            "n_questions": 4,
            "n_available": 9,
            "n_answers": 8,
            "kinds": {},
            "samples": 2,
            "seed": 1,
            "limit": 4,
        },
        "signatures": ["n:8|verify:nli[x,t=0.70]|boot:10"],
        "date": "2026-11-21",
        "processor": "a processor, 2 cores",
        "version": "0.1.0",
        "seconds": 12.3,
        "tables": tables,
    }


@pytest.fixture
def results(tmp_path):
    none = [None, None, None, 0]
    rows = [("ROUGE-L", 0.3), ("FAS", 0.6), ("Support@5", 0.5)]
    correlation = {
        "title": "Correlation with gold",
        "columns": [*RHO, *([n, "number"] for n in ("same question", "AUROC", "systems ρ")), ["answers", "count"]],
        "rows": [["medlfqa", "gold", m, [v, v - 0.1, v + 0.1, 8], none, none, none, 8] for m, v in rows],
        "notes": [],
    }  # fmt: skip
    differences = {
        "title": "d",
        "columns": [["gold", "text"], ["metric", "text"], ["difference", "signed"]],
        "rows": [["gold", "FAS", [0.3, 0.1, 0.5, 8]], ["gold", "Support@5", [-0.2, -0.4, 0.1, 8]]],
        "notes": [],
    }
    models = {
        "title": "Metrics by data set and model",
        "columns": [["data set", "text"], ["model", "text"], *([n, "number"] for n in ("ROUGE-L", "BERTScore", "FAS"))],
        "rows": [["medlfqa", "a", [0.2, 0.1, 0.3, 6], [0.7, 0.6, 0.8, 6], [0.5, 0.4, 0.6, 6]],
                 ["medlfqa", "b|c", [0.3, 0.2, 0.4, 2], [0.9, 0.8, 1.0, 2], [None, None, None, 0]]],
        "notes": ["A note."],
    }  # fmt: skip
    name = "medlfqa-kqa_golden"
    (tmp_path / "out" / name).mkdir(parents=True)
    found = result(name, correlation=correlation, differences=differences, models=models)
    (tmp_path / "out" / name / "results.json").write_text(json.dumps(found))
    return tmp_path


def test_pages_are_generated_from_the_results(study, results):
    paths = study.report.write_pages(results / "out", results / "docs")
    page = (results / "docs" / "README.md").read_text()
    assert "- Part: 8 answers to 4 of 9 questions (seed 1, the first 2 samples of a model at most)" in page
    assert "      n:8|verify:nli[x,t=0.70]|boot:10" in page
    assert "2026-11-21 on a processor, 2 cores" in page
    assert "| FAS | +0.600 [+0.500, +0.700] | 8 | +0.300 [+0.100, +0.500] |" in page
    assert "| ROUGE-L | +0.300 [+0.200, +0.400] | 8 | – |" in page
    assert "same question" not in page.split("#### Correlation")[1].split("Brackets")[0]  # no value, no column
    assert r"| b\|c | 0.300 [0.200, 0.400] | 0.900 [0.800, 1.000] | – |" in page
    assert all(path.is_file() for path in paths)
    kept = results / "docs" / "study" / "results" / "medlfqa-kqa_golden.json"
    assert json.loads(kept.read_text())["seconds"] == 12.3
