"""Runs that belong together and runs that do not: joins, who was not scored, clusters, many systems."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import permutation_test

from fas.cli import main
from fas.errors import InputError
from fas.records.as_json import references_hash
from fas.report.compare import ZERO, compare_runs
from fas.report.systems import compare_systems
from fas.stats.multiple import benjamini_hochberg, holm

FEW = {"n_resamples": 500}


def record(name, value, *, question=None, references=("r",), n_claims=3, error=None, **meta):
    """A line of `scores.jsonl`; `value` None for an answer without a verified claim."""
    return {
        "id": str(name), "question": question, "prediction": "x", "references_hash": references_hash(references),
        "meta": meta, "fas": value, "support@5": value, "rougeL": 0.5 if value is None else value / 2,
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
    assert main(["compare", str(a), str(b)]) == 2
    assert "--join id" in capsys.readouterr().err
    assert main(["compare", str(a), str(b), "--join", "id", "--n-resamples", "500", "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert (printed["join"], printed["n_other_questions"]) == ("id", 10)
    assert any("joined by id alone, as asked: 10 of 10 pairs" in note for note in printed["notes"])
    assert "joined by id alone" in " ".join(compare_runs(a, b, join_by="id", **FEW).as_text().split())


def test_answers_to_one_question_with_other_references_are_not_compared(tmp_path):
    a = write(tmp_path / "a", [record(i, 0.5, question="q", references=("yes",)) for i in range(3)])
    b = write(tmp_path / "b", [record(i, 0.5, question=" q ", references=("no",)) for i in range(3)])
    with pytest.raises(InputError, match=r"'0' \(other references\)"):
        compare_runs(a, b, **FEW)
    again = write(tmp_path / "c", [record(i, 0.5, question="q\n", references=("yes",)) for i in range(3)])
    assert compare_runs(a, again, **FEW).join.differing == ()


def test_who_was_not_scored_is_told_for_either_side_with_the_reason(tmp_path, rng):
    values = rng.random(40)
    a = [record(i, None if i < 10 else values[i], question=str(i), n_claims=0 if i < 9 else 2) for i in range(40)]
    a[9]["n_unverified"] = 2
    b = [record(i, values[i] / 2, question=str(i)) for i in range(39)]
    got = compare_runs(write(tmp_path / "a", a), write(tmp_path / "b", b), **FEW)
    row = got.metrics["support@5"]
    assert (row.n_a, row.n_b, row.result.n) == (30, 39, 29)
    assert row.missing_a == {"no claim": tuple(map(str, range(9))), "no verified claim": ("9",)}
    assert row.missing_b == {"not in the run": ("39",)}
    text = " ".join(got.as_text().split())
    assert "fas, support@5: 9 answers without a value in A (no claim), not compared: 0, 1, 2, 3, 4 and 4 more" in text
    assert "n A n B n both" in text
    assert json.loads(json.dumps(got.as_dict()))["metrics"]["support@5"]["missing_a"]["no verified claim"] == ["9"]


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


def test_three_folders_stand_in_one_table_corrected_over_all_of_it(three):
    root, _ = three
    got = compare_systems([root / name for name in ("base", "same", "worse")], metrics=["fas", "rougeL"], **FEW)
    assert [(pair.metric, pair.a, pair.b) for pair in got.pairs] == [
        (metric, "base", other) for metric in ("fas", "rougeL") for other in ("same", "worse")
    ]
    alone = compare_runs(root / "base", root / "worse", metrics=["fas"], **FEW).metrics["fas"].result
    assert got.pairs[1].result.as_dict() == pytest.approx(alone.as_dict(), nan_ok=True)
    p = [pair.result.p for pair in got.pairs]
    np.testing.assert_allclose([pair.p_holm for pair in got.pairs], holm(p))
    np.testing.assert_allclose([pair.p_bh for pair in got.pairs], benjamini_hochberg(p))
    every = compare_systems([root / n for n in ("base", "same", "worse")], metrics=["fas"], pairs="all", **FEW)
    assert [(pair.a, pair.b) for pair in every.pairs] == [("base", "same"), ("base", "worse"), ("same", "worse")]


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
    assert main(["compare", str(root / "all"), "--by", "model", "--metric", "fas", "--n-resamples", "500"]) == 0
    printed = capsys.readouterr().out
    assert "base - worse" in printed
    assert "p (BH)" in printed
    assert main(["compare", str(root / "all")]) == 2
    assert main(["compare", str(root / "all"), "--by", "nothing"]) == 2


def test_what_a_mean_over_the_answers_to_a_question_leaves_out_is_told_and_counted(tmp_path):
    values = (0.2, None, 0.6, 0.8, 1.0, 0.0)
    rows = [
        record(f"a{i}", v, question=f"q{i // 2}", n_claims=0 if v is None else 3, model="a")
        for i, v in enumerate(values)
    ]
    rows += [record(f"b{i}", 0.5, question=f"q{i}", model="b") for i in range(3)]
    got = compare_systems([write(tmp_path / "r", rows)], by="model", **FEW)
    assert got.means["support@5"]["a"].mean == pytest.approx(np.mean([0.2, 0.7, 0.5]))
    assert got.means["support@5" + ZERO]["a"].mean == pytest.approx(np.mean([0.1, 0.7, 0.5]))
    assert "over 3 questions (9 answers)" in " ".join(got.as_text().split())
    assert got.sampling.signature.startswith("n:9|boot:500[question]")
    assert "of several answers of one system to a question the mean is taken: 9 answers, 3 questions" in got.notes
    assert "fas, support@5: 1 of a in no mean of a question (no claim): a1" in got.notes
