"""The study's scripts: draws, budgets and pages; and what follows from its printed numbers."""

from __future__ import annotations

import json
from importlib import import_module
from itertools import pairwise
from types import SimpleNamespace

import pytest

from fas.bench.dataset import Item
from fas.bench.study import checks, implied_bertscore, implied_bertscores, printed, remarks


@pytest.fixture(scope="module")
def study():
    names = ("experiments", "common", "report", "run_all", "disagreements")
    return SimpleNamespace(**{name: import_module(f"benchmarks.study.{name}") for name in names})


def items(**kinds):
    return [Item(f"{kind}/{i}", "q?", (), None, kind) for kind, n in kinds.items() for i in range(n)]


def test_a_larger_draw_contains_a_smaller_one_with_the_same_seed(study):
    every = items(a=30, b=20, c=7)
    draws = [{item.id for item in study.experiments.draw(every, n, 5)} for n in (1, 4, 11, 30, 57)]
    assert all(small < large for small, large in pairwise(draws))
    assert [len(draw) for draw in draws] == [1, 4, 11, 30, 57]
    assert draws[2] != {item.id for item in study.experiments.draw(every, 11, 6)}


def test_a_draw_holds_the_kinds_in_proportion(study):
    drawn = study.experiments.draw(items(a=60, b=30, c=10), 20, 1)
    assert [sum(item.kind == kind for item in drawn) for kind in "abc"] == [12, 6, 2]


def test_a_draw_without_a_limit_is_everything_in_order(study):
    every = items(a=3, b=2)
    assert study.experiments.draw(every, None, 1) == every
    assert study.experiments.draw(every, 9, 1) == every


def test_the_margin_of_votes_against_a_hand_count(study):
    votes = {"x": ("a", "a", "tie"), "y": ("b", "tie", "tie"), "z": ("b", "b", "b")}
    assert study.experiments._margin(votes, ("x", "y")) == pytest.approx((2 - 1) / 6)
    assert study.experiments._margin(votes, ("z",)) == -1


def test_every_experiment_says_what_gold_and_evidence_share(study):
    found = study.experiments.EXPERIMENTS
    assert {experiment.part for experiment in found} == set("abcd")
    assert len({experiment.name for experiment in found}) == len(found)
    for experiment in found:
        assert experiment.caution
        assert experiment.evidence
        assert experiment.golds
    assert sum(experiment.weight for experiment in found) == pytest.approx(1)


def test_a_second_call_with_other_options_is_refused(study, tmp_path):
    options = SimpleNamespace(seed=1, samples=2, limit=None, profile="mini", gold_profile=None)
    path = tmp_path / "plan.json"
    path.write_text(json.dumps(study.run_all._plan(path, options)))
    assert study.run_all._plan(path, options)["limits"] == {}
    options.samples = 3
    with pytest.raises(SystemExit, match="give another folder with --out"):
        study.run_all._plan(path, options)


@pytest.mark.parametrize(
    ("left", "share", "seconds", "questions"), [(240, 0.25, 2, 30), (240, 0.25, 7, 8), (5, 0.1, 9, 1), (-60, 0.5, 2, 1)]
)
def test_a_share_of_the_time_left_buys_so_many_questions(study, left, share, seconds, questions):
    assert study.run_all.affordable(left, share, seconds) == questions


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


def test_pages_say_where_fas_is_worse_than_rouge_and_how_sure_that_is(study, results):
    study.report.write_pages(results / "out", results / "docs")
    page = (results / "docs" / "README.md").read_text()
    assert "FAS better than ROUGE-L, +0.300 [+0.100, +0.500] (the interval excludes 0; 8 answers)" in page
    assert "Support@5 **worse than** ROUGE-L, -0.200 [-0.400, +0.100] (the interval includes 0; 8 answers)" in page


def test_what_stands_around_the_results_is_kept(study, results):
    page = results / "docs" / "README.md"
    page.parent.mkdir()
    page.write_text("# Ours\n\nWritten by hand.\n")
    study.report.write_pages(results / "out", results / "docs")
    page.write_text(page.read_text() + "\nAnd below.\n")
    study.report.write_pages(results / "out", results / "docs")
    text = page.read_text()
    assert text.startswith("# Ours\n\nWritten by hand.\n")
    assert text.endswith("\nAnd below.\n")
    assert text.count("<!-- results: begin ") == text.count("<!-- results: end -->") == 1


def test_the_studys_numbers_stand_beside_ours(study, results):
    study.report.write_pages(results / "out", results / "docs")
    page = (results / "docs" / "study" / "README.md").read_text()
    assert "| FAS | +0.680 | +0.600 [+0.500, +0.700] |" in page
    assert "| ROUGE-L | +0.410 | +0.300 [+0.200, +0.400] |" in page
    assert "| BLEU-4 | +0.360 | – |" in page
    assert "| Llama-2-13B | 0.584 [0.568, 0.600] | – |" in page
    assert "mean BERTScore F1 lies between 0.75 and 0.75" in page  # (6 * 0.7 + 2 * 0.9) / 8


def test_a_folder_without_results_says_what_makes_them(study, tmp_path):
    with pytest.raises(SystemExit, match=r"run benchmarks/study/run_all\.py first"):
        study.report.write_pages(tmp_path, tmp_path / "docs")


def scored(number, gold, fas, rouge, question="q"):
    return {
        "id": str(number), "question": question, "prediction": "An answer.", "error": None, "meta": {"gold": gold},
        "fas": fas, "fas_evidence": 0.5, "rougeL": rouge,
        "claims": [{"label": "supported", "text": "A claim.", "evidence": [
            {"p_support": 0.9, "p_contradict": 0.0, "sentence": "A sentence."}]}],
    }  # fmt: skip


def test_disagreements_are_pairs_of_one_question_where_only_rouge_follows_gold(study):
    records = [
        scored("right", 1.0, 0.4, 0.5), scored("wrong", 0.0, 0.6, 0.3),  # ROUGE-L right, FAS wrong
        scored("both", 1.0, 0.9, 0.9),  # both right against "wrong"; gold says nothing against "right"
        scored("other", 0.0, 0.95, 0.1, question="another"),
        scored("lower", 0.5, 0.99, 0.4),  # above "right" in FAS by more
    ]  # fmt: skip
    pairs = study.disagreements.disagreements(records, "gold")
    assert [(p.better["id"], p.worse["id"]) for p in pairs] == [
        ("right", "lower"),
        ("right", "wrong"),
        ("both", "lower"),
    ]
    text = "\n".join(study.disagreements.lines(pairs[0], "gold"))
    assert "p_support 0.90: A sentence." in text


def test_implied_bertscore_undoes_the_formula():
    assert implied_bertscore(0.3 * 0.8 + 0.4 * 0.5 + 0.3 * 0.9, 0.5, 0.1) == pytest.approx(0.8)
    # (0.612 - 0.4 * 0.712 - 0.3 * 0.866) / 0.3 = (0.612 - 0.2848 - 0.2598) / 0.3
    assert implied_bertscore(0.612, 0.712, 0.134) == pytest.approx(0.0674 / 0.3)


def test_implied_bertscores_against_a_hand_count():
    rows = {(row[0], row[1]): row[5:] for row in implied_bertscores().rows}
    assert rows["BioASQ", "Llama-2-13B"] == ("0.225", "0.222 to 0.227")
    # Contra@5 from 0 to 0.216: (0.7025 - 0.4 * 0.7845 - 0.3) / 0.3 to (0.7035 - 0.4 * 0.7835 - 0.3 * 0.784) / 0.3
    assert rows["PubMedQA", "Llama-2-13B"] == ("–", "0.296 to 0.516")


def test_the_checks_find_what_fits_and_what_does_not():
    found = {check.text.split(" (")[0][:40]: check.fits for check in checks()}
    assert list(found.values()) == [False, False, True, False, False, True, True, False]
    assert len(remarks()) == 6


def test_the_printed_intervals_hold_their_values():
    p = printed()
    for metric in ("rougeL", "support", "contra", "fas"):
        for models in p[metric].values():
            assert set(models) == set(p["models"])
            assert all(low < value < high for value, low, high in models.values())
    assert sum(kind["n"] for kind in p["types"].values()) == p["counts"]["BioASQ"]


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_corruption_run_goes_from_data_to_pages(study, shared_data, tmp_path):
    arguments = ["--only", "corruption", "--limit", "2", "--n-resamples", "50", "--data", str(shared_data)]
    arguments += ["--out", str(tmp_path / "out"), "--docs", str(tmp_path / "docs")]
    study.run_all.main(arguments)
    found = json.loads((tmp_path / "out" / "corruption" / "results.json").read_text())
    assert found["subset"]["n_questions"] == 2
    assert "Controlled corruption" in (tmp_path / "docs" / "README.md").read_text()
    before = (tmp_path / "out" / "corruption" / "corrupted-100" / "scores.jsonl").read_bytes()
    study.run_all.main(arguments)  # goes on from what is there: nothing is scored again
    assert (tmp_path / "out" / "corruption" / "corrupted-100" / "scores.jsonl").read_bytes() == before
