"""Every evaluate module loads offline in every way, computes, and its card's examples run."""

import json
import os
import random
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from reference_texts import plain

from fas.integrations.evaluate_modules.location import module_names, module_path, register
from fas.integrations.evaluate_modules.page import compute_lines

NAMES = ["bertscore", "bleu", "citations", "contra_at_k", "coverage", "qa", "rouge", "support_at_k"]


def _load(name, *args, **kwargs):
    import evaluate

    return evaluate.load(module_path(name), *args, **kwargs)


@pytest.mark.slow
def test_the_modules_of_a_wheel_are_found(tmp_path, monkeypatch, root):
    # A wheel carries metrics/ and safety/ inside the package, under private names.
    package = tmp_path / "site" / "fas"
    shutil.copytree(root / "fas", package, ignore=shutil.ignore_patterns("models", "__pycache__"))
    shutil.copytree(root / "metrics", package / "_metrics", ignore=shutil.ignore_patterns("__pycache__"))
    code = "import fas, json; print(json.dumps([fas.module_path(n) for n in fas.module_names()]))"
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "site")}
    command = [sys.executable, "-c", code]
    output = subprocess.run(command, env=environment, capture_output=True, check=True, cwd=tmp_path)
    paths = [Path(path) for path in json.loads(output.stdout)]
    assert {path.stem for path in paths} >= {*NAMES, "fas"}
    assert all(path.is_file() and path.is_relative_to(package) for path in paths)


@pytest.mark.parametrize("name", NAMES)
def test_loading_from_the_checkout_by_folder(name, root, monkeypatch):
    import evaluate

    monkeypatch.chdir(root)
    assert evaluate.load(f"metrics/{name}").__class__.__module__.split(".")[-1] == name


@pytest.mark.slow
def test_after_register_each_module_loads_by_name_from_anywhere(tmp_path, monkeypatch):
    import evaluate

    target = register(replace=True)
    assert [path.stem for path in target] == module_names()
    monkeypatch.chdir(tmp_path)
    for name in module_names():
        assert evaluate.load(name).__class__.__module__.split(".")[-1] == name
    rouge = evaluate.load("rouge")
    assert rouge.compute(predictions=["a"], references=["a"])["rouge1"] == 1.0


def test_calls_written_for_evaluates_rouge():
    from rouge_score import rouge_scorer, scoring

    rng = random.Random(1)
    predictions, references = [plain(rng, 12) for _ in range(15)], [plain(rng, 12) for _ in range(15)]
    types = ["rouge1", "rouge2", "rougeL", "rougeLsum"]
    scorer, aggregator = rouge_scorer.RougeScorer(types, use_stemmer=True), scoring.BootstrapAggregator()
    state = np.random.get_state()
    np.random.seed(7)
    for prediction, reference in zip(predictions, references, strict=True):
        aggregator.add_scores(scorer.score(reference, prediction))
    expected = {name: interval.mid.fmeasure for name, interval in aggregator.aggregate().items()}
    np.random.set_state(state)
    found = _load("rouge", seed=7).compute(predictions=predictions, references=references, use_stemmer=True)
    assert list(found) == types
    assert found == pytest.approx(expected, abs=1e-12)
    options = {"rouge_types": ["rougeL"], "use_aggregator": False, "tokenizer": str.split}
    lists = _load("rouge").compute(predictions=predictions, references=references, **options)
    assert list(lists) == ["rougeL"]
    assert len(lists["rougeL"]) == 15


def test_calls_written_for_evaluates_bleu():
    found = _load("bleu").compute(
        predictions=["hello there general kenobi", "foo bar foobar"],
        references=[["hello there general kenobi", "hello there!"], ["foo bar foobar"]],
    )
    # 7 tokens against references of 3 (the shorter, "hello there !") and 3.
    assert {name: found[name] for name in list(found)[:6]} == {
        "bleu": 1.0,
        "precisions": [1.0, 1.0, 1.0, 1.0],
        "brevity_penalty": 1.0,
        "length_ratio": 7 / 6,
        "translation_length": 7,
        "reference_length": 6,
    }
    options = {"tokenizer": str.split, "max_order": 2, "smooth": True}
    small = _load("bleu").compute(predictions=["a b"], references=["a c"], **options)
    assert small["precisions"] == [2 / 3, 1 / 2]
    assert small["bleu"] == pytest.approx((2 / 3 * 1 / 2) ** 0.5)


def test_calls_written_for_evaluates_bertscore():
    from bert_score import BERTScorer

    from fas.models.paths import model_folder

    folder = str(model_folder("fas-encoder-mini"))
    rng = random.Random(2)
    predictions = [plain(rng, rng.randint(1, 15)) for _ in range(6)]
    references = [[plain(rng, rng.randint(1, 15)) for _ in range(2)] for _ in predictions]
    package = BERTScorer(model_type=folder, num_layers=5, device="cpu", nthreads=0, idf=True)
    package.compute_idf([text for lists in references for text in lists])
    expected = package.score(predictions, references)
    found = _load("bertscore").compute(
        predictions=predictions,
        references=references,
        model_type=folder,
        num_layers=5,
        idf=True,
        device="cpu",
        batch_size=64,
        nthreads=1,
        verbose=False,
        use_fast_tokenizer=False,
    )
    assert list(found) == ["precision", "recall", "f1", "hashcode"]
    for name, values in zip(("precision", "recall", "f1"), expected, strict=True):
        assert np.allclose(found[name], values.numpy(), rtol=0, atol=1e-5)
    assert "_L5_idf_version=" in found["hashcode"]


def test_all_layers_and_rescaling_are_those_of_bert_score(tmp_path):

    from fas.models.paths import model_folder

    folder = str(model_folder("fas-encoder-mini"))
    table = tmp_path / "baseline.tsv"
    table.write_text("LAYER,P,R,F\n" + "".join(f"{i},0.1,0.2,0.3\n" for i in range(7)))
    texts = {"predictions": ["Aspirin lowers risk.", ""], "references": [["Aspirin helps."], ["Rest."]]}
    plainly = _load("bertscore").compute(**texts, model_type=folder, num_layers=5, padding=False)
    rescaled = _load("bertscore").compute(
        **texts, model_type=folder, num_layers=5, lang="en", rescale_with_baseline=True, baseline_path=str(table)
    )
    assert rescaled["f1"][0] == pytest.approx((plainly["f1"][0] - 0.3) / (1 - 0.3), abs=1e-5)
    layers = _load("bertscore").compute(**texts, model_type=folder, all_layers=True)
    assert [len(row) for row in layers["f1"]] == [2] * 7
    assert layers["f1"][5][0] == pytest.approx(plainly["f1"][0], abs=1e-5)
    with pytest.raises(ValueError, match="multi_reference is 'bert_score'"):
        _load("bertscore").compute(**texts, idf=True, multi_reference="best")


@pytest.mark.parametrize(
    ("name", "arguments", "error", "message"),
    [
        ("rouge", {"predictions": ["a"]}, ValueError, "`references` is missing|column"),
        ("rouge", {"predictions": ["a"], "references": [3]}, ValueError, "`references`, item 0: expected a string or"),
        ("rouge", {"predictions": [None], "references": ["a"]}, ValueError, "`predictions`, item 0: expected a string"),
        ("rouge", {"predictions": ["a", "b"], "references": ["a"]}, ValueError, "2 predictions but 1 references"),
        ("rouge", {"predictions": ["a"], "references": [[]]}, ValueError, "a non-empty list of strings"),
        ("bleu", {"predictions": "a", "references": "a"}, ValueError, "`predictions` must be a list"),
        ("bleu", {"predictions": ["a"], "references": ["a"], "smoth": 1}, TypeError, "bleu has no option 'smoth'"),
    ],
)
def test_bad_input_is_named(name, arguments, error, message):
    with pytest.raises(error, match=message):
        _load(name).compute(**arguments)


@pytest.mark.parametrize(("name", "other"), [("support_at_k", "contra_at_k"), ("contra_at_k", "support_at_k")])
def test_shares_of_claims_are_those_of_score_answers(name, other):
    import evaluate

    from fas.api import score_answers

    rows = [
        {
            "prediction": "Aspirin reduced the risk of stroke. Aspirin cured cancer.",
            "passages": ["In this trial, aspirin reduced the risk of stroke.", "Aspirin did not cure cancer."],
        },
        {"prediction": "", "passages": []},
    ]
    columns = {
        "predictions": [row["prediction"] for row in rows],
        "passages": [row["passages"] for row in rows],
    }
    report = score_answers(rows, k=1, safety=False)
    key = f"{name.partition('_')[0]}@1"
    found = _load(name).compute(**columns, k=1)
    assert found[key] == pytest.approx(report.metrics[key].mean)
    assert (found["n"], found["n_unscored"]) == (2, 1)
    metric = _load(name)
    for row in rows:
        metric.add(prediction=row["prediction"], passages=row["passages"])
    single = metric.compute(k=1, use_aggregator=False)
    assert single[key] == [pytest.approx(report.metrics[key].mean), None]
    both = evaluate.combine([_load(name), _load(other), _load("rouge")])
    merged = both.compute(**columns, references=["x", "y"], k=1)
    assert {"support@1", "contra@1", "rouge1"} <= set(merged)


@pytest.mark.parametrize("name", NAMES)
def test_the_apps_score_their_examples(name, root):
    example = runpy.run_path(str(root / "metrics" / name / "app.py"), run_name="app")["EXAMPLE"]
    result = compute_lines(_load(name), "\n".join(map(json.dumps, example)) + "\n")
    assert result
