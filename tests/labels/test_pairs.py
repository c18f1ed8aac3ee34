"""Answer against answer: pairs drawn, labelled and merged, and the share of better answers corrected by the labels."""

from __future__ import annotations

import json

import numpy as np
import pytest
from labelled_runs import made_run

from fas.cli import main
from fas.labels.drawing import draw_claims
from fas.labels.pairs import adjust_preferences, read_pairs


@pytest.fixture
def runs(tmp_path):
    """Two runs over the same 150 questions, and which answer people prefer: mostly that of the higher FAS."""
    made_run(tmp_path / "a", seed=1, n=150, rate=0.8, samples=1, name="a")
    made_run(tmp_path / "b", seed=2, n=150, rate=0.6, samples=1, name="b")
    for name in "ab":
        scores = tmp_path / name / "scores.jsonl"
        records = [json.loads(line) for line in scores.read_text(encoding="utf-8").splitlines()]
        for record in records:
            record["prediction"] = f"Answer of {name} to {record['id']}."
        scores.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    run, metric, _ = read_pairs(tmp_path / "a", tmp_path / "b")
    rng = np.random.default_rng(3)
    other = {"a": "b", "b": "a", "tie": "tie"}
    truth = {}
    for one in run.claims:
        chance = rng.random()
        truth[one.id] = one.verdict if chance < 0.75 else other[one.verdict] if chance < 0.9 else "tie"
    assert metric == "fas"
    return tmp_path, run, truth


def write(path, truth, drawn):
    rows = [
        {"id": one.claim.id, "preferred": truth[one.claim.id], "pi": one.pi, "stratum": one.stratum,
         "text": one.claim.text}
        for one in drawn
    ]  # fmt: skip
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def adjusted(folder, labels, **options):
    return adjust_preferences(folder / "a", folder / "b", labels, n_resamples=100, **options)


def test_of_one_simple_sample_the_net_preference_is_that_of_ppi_python(runs):
    from ppi_py import ppi_mean_pointestimate

    folder, run, truth = runs
    drawn = draw_claims(run.claims, 60, stratify=False)
    labels = write(folder / "some.jsonl", truth, drawn)
    found = adjusted(folder, labels).figures["A better less B better"].adjusted
    worth = {"a": 1.0, "b": -1.0, "tie": 0.0}
    known = {one.claim.id for one in drawn}
    gold = np.array([worth[truth[one.id]] for one in run.claims if one.id in known])
    said = np.array([worth[one.verdict] for one in run.claims if one.id in known])
    rest = np.array([worth[one.verdict] for one in run.claims if one.id not in known])
    lam = found.tuning[0] * len(rest) / len(run.claims)  # that package compares the labelled with the others
    expected = float(np.squeeze(ppi_mean_pointestimate(gold, said, rest, lam=lam)))
    assert found.value == pytest.approx(expected, abs=1e-9)
    assert found.width < found.alone_high - found.alone_low  # FAS says something of what people prefer


def test_pairs_are_drawn_labelled_merged_and_adjusted_by_commands(runs, capsys):
    folder, _, truth = runs
    a, b, page = str(folder / "a"), str(folder / "b"), folder / "label-me.html"
    assert main(["labels", "draw", a, "--against", b, "-n", "60", "-o", str(page)]) == 0
    data = json.loads(page.read_text(encoding="utf-8").partition('id="data">')[2].partition("</script>")[0])
    assert data["of"] == "pair"
    for item in data["items"]:  # which is whose is in the order alone
        shown = {"a": f"Answer of a to {item['id']}.", "b": f"Answer of b to {item['id']}."}
        assert [item["prediction"], item["second"]] == [shown[one] for one in item["order"]]
    firsts = [item["order"][0] for item in data["items"]]
    assert 15 < firsts.count("a") < 45
    for person in ("ada", "bob"):
        rows = [
            {"id": item["id"], "preferred": truth[item["id"]] if person == "ada" or i % 5 else "tie",
             "pi": item["pi"], "stratum": item["stratum"], "text": item["text"], "annotator": person}
            for i, item in enumerate(data["items"])
        ]  # fmt: skip
        (folder / f"{person}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    files = [str(folder / "ada.jsonl"), str(folder / "bob.jsonl")]
    merged, dispute = folder / "labels.jsonl", folder / "dispute.html"
    arguments = ["labels", "merge", a, "--against", b, *files, "-o", str(merged), "--disputed", str(dispute)]
    assert main(arguments) == 0
    assert "pairs have a label" in capsys.readouterr().out
    assert "Said of it" in dispute.read_text(encoding="utf-8")
    assert main(["labels", "adjust", a, "--against", b, "--labels", str(merged)]) == 0
    shown = capsys.readouterr().out
    assert "A better less B better" in shown
    assert "raw: the better answer by fas" in shown
    assert main(["labels", "adjust", a, "--against", b, "--labels", str(merged), "--metric", "support@5"]) == 0
    assert "raw: the better answer by support@5" in capsys.readouterr().out
