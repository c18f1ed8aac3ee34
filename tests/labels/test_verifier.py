"""`fas results correlate --labels`: against scikit-learn with weights, and by simulation of the weights."""

from __future__ import annotations

import json

import numpy as np
import pytest
from labelled_runs import made_run, write_labels
from sklearn.metrics import accuracy_score, precision_recall_fscore_support, roc_auc_score

from fas.cli import main
from fas.labels.drawing import draw_claims
from fas.labels.judged import VERDICTS, read_judged
from fas.labels.verifier import verifier_quality


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("quality")
    truth = made_run(folder / "out", n=200, right=0.8)
    claims = read_judged(folder / "out").claims
    drawn = draw_claims(claims, 150)
    return folder, truth, claims, drawn, write_labels(folder / "labels.jsonl", truth, drawn)


def test_measures_are_those_of_scikit_learn_with_the_sampling_weights(run):
    folder, truth, _, drawn, labels = run
    found = verifier_quality(folder / "out", labels, n_resamples=200)
    gold = [truth[one.claim.key] for one in drawn]
    verdicts = [one.claim.verdict for one in drawn]
    # Of strata of which every claim has a label the file says so; the others are scaled by none.
    weights = np.array([1 / one.pi for one in drawn])
    assert found.accuracy.value == pytest.approx(accuracy_score(gold, verdicts, sample_weight=weights))
    precision, recall, _, _ = precision_recall_fscore_support(
        gold, verdicts, labels=list(VERDICTS), sample_weight=weights, zero_division=0
    )
    assert [one.value for one in found.precision.values()] == pytest.approx(list(precision))
    assert [one.value for one in found.recall.values()] == pytest.approx(list(recall))
    area = roc_auc_score(
        [one == "supported" for one in gold], [one.claim.p_support for one in drawn], sample_weight=weights
    )
    assert found.auroc.value == pytest.approx(area)
    for one in (found.accuracy, *found.precision.values(), *found.recall.values(), found.auroc):
        assert one.low <= one.value <= one.high
    assert sum(sum(row.values()) for row in found.table.values()) == pytest.approx(1)


def test_the_command_prints_the_tables_and_writes_a_page_of_the_disagreements(run, capsys):
    folder, truth, _, drawn, labels = run
    page = folder / "wrong.html"
    command = ["results", "correlate", str(folder / "out"), "--labels", str(labels), "--n-resamples", "100"]
    assert main([*command, "--disagreements", str(page)]) == 0
    assert "recall of contradicted" in capsys.readouterr().out
    wrong = [one for one in drawn if truth[one.claim.key] != one.claim.verdict]
    data = page.read_text(encoding="utf-8").split('id="data">')[1].split("</script>")[0]
    items = json.loads(data)["items"]
    assert len(items) == len(wrong)
    assert main([*command, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["calibration"]
    assert main(["results", "correlate", str(folder / "out")]) == 2
