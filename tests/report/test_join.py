"""Runs that belong together and runs that do not: joins, who was not scored, clusters, many systems."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import permutation_test

from fas.cli import main
from fas.core.errors import InputError
from fas.core.records.as_json import references_hash
from fas.report.compare import ZERO, compare_runs
from fas.report.systems import compare_systems

FEW = {"n_resamples": 500}


def record(name, value, *, question=None, references=("r",), n_claims=3, error=None, **meta):
    """A line of `scores.jsonl`; `value` None for an answer without a verified claim."""
    return {
        "id": str(name), "question": question, "prediction": "x", "references_hash": references_hash(references),
        "meta": meta, "fas": value, "k": 5, "support": value, "rougeL": 0.5 if value is None else value / 2,
        "n_claims": n_claims, "n_unverified": 0, "claims": [], "flags": [], "error": error,
    }  # fmt: skip


def write(folder: Path, records) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "scores.jsonl").write_text("".join(json.dumps(one) + "\n" for one in records), encoding="utf-8")
    return folder


@pytest.fixture
def rng():
    return np.random.default_rng(37)


def test_ten_answers_to_ten_other_questions_are_not_compared(tmp_path, rng, capsys):
    a = write(tmp_path / "a", [record(i, v, question=f"Is drug {i} safe?") for i, v in enumerate(rng.random(10))])
    b = write(tmp_path / "b", [record(i, v, question=f"What is {i}?") for i, v in enumerate(rng.random(10))])
    with pytest.raises(InputError, match="10 of 10 answers with the same id") as caught:
        compare_runs(a, b, **FEW)
    said = str(caught.value)
    assert caught.value.kind == "other_questions"
    assert all(f"{i!r}" in said for i in ("0", "1", "2"))
    assert "'3'" not in said
    assert "'Is drug 0 safe?' and 'What is 0?'" in said
    assert main(["results", "compare", str(a), str(b)]) == 2
    assert "--join id" in capsys.readouterr().err
    assert main(["results", "compare", str(a), str(b), "--join", "id", "--n-resamples", "500", "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert (printed["join"], printed["n_other_questions"]) == ("id", 10)
    assert any("joined by id alone: 10 of 10 pairs" in note for note in printed["notes"])
    assert "joined by id alone" in " ".join(compare_runs(a, b, join_by="id", **FEW).as_text().split())


def test_answers_to_one_question_with_other_references_are_not_compared(tmp_path):
    a = write(tmp_path / "a", [record(i, 0.5, question="q", references=("yes",)) for i in range(3)])
    b = write(tmp_path / "b", [record(i, 0.5, question=" q ", references=("no",)) for i in range(3)])
    with pytest.raises(InputError, match=r"'0' \(other references\)"):
        compare_runs(a, b, **FEW)
    again = write(tmp_path / "c", [record(i, 0.5, question="q\n", references=("yes",)) for i in range(3)])
    assert compare_runs(a, again, **FEW).join.differing == ()


def test_a_second_row_counts_an_answer_without_a_verified_claim_as_no_support(tmp_path, rng):
    values = rng.random(20)
    a = [record(i, None if i < 5 else values[i], question=str(i)) for i in range(20)]
    b = [record(i, values[i], question=str(i)) for i in range(20)]
    got = compare_runs(write(tmp_path / "a", a), write(tmp_path / "b", b), **FEW)
    names = list(got.metrics)
    assert names[names.index("support@5") + 1] == "support@5" + ZERO
    row = got.metrics["support@5" + ZERO].result
    assert row.n == 20
    assert row.difference == pytest.approx(-values[:5].sum() / 20)  # by hand: the five lose what they had
    assert got.metrics["support@5"].result.difference == 0
    whole = compare_runs(tmp_path / "b", tmp_path / "b", **FEW)
    assert not any(name.endswith(ZERO) for name in whole.metrics)


def test_answers_that_share_questions_are_one_unit_unless_told_otherwise(tmp_path, rng):
    # 30 questions with 6 answers each, a shared effect of the question, no difference between the runs.
    effect = rng.normal(0, 0.1, 30)
    a = [record(i, 0.5 + effect[i // 6], question=f"q{i // 6}") for i in range(180)]
    b = [record(i, 0.5 + 0.1 * rng.normal(), question=f"q{i // 6}") for i in range(180)]
    folders = write(tmp_path / "a", a), write(tmp_path / "b", b)
    got, alone = compare_runs(*folders, **FEW), compare_runs(*folders, cluster_by="none", **FEW)
    assert got.metrics["fas"].result.n_units == 30
    assert alone.metrics["fas"].result.n_units == 180
    assert "30 questions (180 answers)" in got.as_text().replace("\n", " ")
    assert "boot:500[question,inverted]" in got.as_text()
    assert got.as_dict()["clusters"] == {"by": "question", "n": 30, "answers": 180}
    assert "boot:500[inverted]|" in alone.as_text()
    # SciPy's test of the questions' sums, the unit that is exchangeable.
    deltas = np.array([x["fas"] - y["fas"] for x, y in zip(a, b, strict=True)])
    sums = deltas.reshape(30, 6).sum(axis=1)
    expected = permutation_test(
        (sums,), np.sum, permutation_type="samples", n_resamples=20_000, vectorized=False, random_state=1
    ).pvalue
    assert compare_runs(*folders).metrics["fas"].result.p == pytest.approx(expected, abs=0.02)


@pytest.fixture
def three(tmp_path, rng):
    base = rng.random(40)
    made = {}
    for name, shift in (("base", 0.0), ("same", 0.0), ("worse", -0.2)):
        values = np.clip(base + shift + 0.05 * rng.normal(size=40), 0, 1)
        made[name] = [record(i, float(v), question=f"q{i}", model=name) for i, v in enumerate(values)]
        write(tmp_path / name, made[name])
    return tmp_path, made


def test_the_systems_inside_one_file_are_compared_by_a_field(three, capsys):
    root, made = three
    rows = [one | {"id": f"{one['meta']['model']}-{one['id']}"} for own in made.values() for one in own]
    write(root / "all", rows)
    got = compare_systems([root / "all"], by="model", metrics=["fas"], **FEW)
    apart = compare_systems([root / name for name in ("base", "same", "worse")], metrics=["fas"], **FEW)
    assert [pair.result.as_dict() for pair in got.pairs] == [
        pytest.approx(pair.result.as_dict(), nan_ok=True) for pair in apart.pairs
    ]
    assert got.sampling.n == 40
    assert (
        main(["results", "compare", str(root / "all"), "--by", "model", "--metric", "fas", "--n-resamples", "500"]) == 0
    )
    printed = capsys.readouterr().out
    assert "base - worse" in printed
    assert "p (BH)" in printed
    assert main(["results", "compare", str(root / "all")]) == 2
    assert main(["results", "compare", str(root / "all"), "--by", "nothing"]) == 2
