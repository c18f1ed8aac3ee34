"""`fas labels adjust`: against ppi-python, against formulas by hand, and the stored simulation."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from labelled_runs import made_run, write_labels

from fas.cli import main
from fas.labels.adjust import adjust_difference, adjust_run
from fas.labels.audit import audit
from fas.labels.drawing import draw_claims
from fas.labels.judged import read_judged
from fas.stats.label_plan import plan_labels
from fas.stats.prediction_powered import Side, adjusted_mean

ROOT = Path(__file__).parents[2]


def simple_side(rng, n, labels, accuracy=0.85, rate=0.7):
    """Claims that have nothing to do with one another, a simple sample of them labelled."""
    gold = (rng.random(n) < rate).astype(float)
    verdict = np.where(rng.random(n) < accuracy, gold, 1 - gold)
    known = np.zeros(n, dtype=bool)
    known[rng.choice(n, labels, replace=False)] = True
    zeros = np.zeros(n, dtype=np.intp)
    every = np.arange(n)
    seen = np.where(known, gold, np.nan)
    side = Side(seen, verdict, np.full(n, labels / n), np.ones(n), every, np.ones(n), np.zeros(n), zeros)
    return side, gold, verdict, known


def test_claims_clustered_in_answers_have_the_estimate_and_error_of_truescore():
    from truescore.correct import ppi_estimate

    rng = np.random.default_rng(11)
    clusters = np.repeat(np.arange(1500), rng.integers(1, 8, 1500))
    easy = rng.random(1500) < 0.5  # claims of one answer go together
    gold = (rng.random(len(clusters)) < np.where(easy[clusters], 0.95, 0.35)).astype(int)
    verdict = np.where(rng.random(len(clusters)) < 0.8, gold, 1 - gold)
    labelled = np.isin(clusters, rng.choice(1500, 250, replace=False))  # whole answers
    side = Side(
        np.where(labelled, gold, np.nan), verdict.astype(float), np.full(len(gold), 250 / 1500), np.ones(len(gold)),
        clusters, np.bincount(clusters).astype(float), np.zeros(1500), np.zeros(len(gold), dtype=np.intp),
    )  # fmt: skip
    lam = 0.6
    given = (verdict, gold[labelled], np.flatnonzero(labelled))
    theirs = ppi_estimate(*given, lambda_=lam, clusters=clusters)
    found = adjusted_mean(side, tuning=[lam / float((~labelled).mean())])
    assert found.value == pytest.approx(theirs.point, abs=1e-9)
    width = theirs.high - theirs.low
    assert found.high - found.low == pytest.approx(width, rel=0.05)
    alone = ppi_estimate(*given, lambda_=lam)
    assert width > 1.3 * (alone.high - alone.low)  # clusters matter here


def test_by_how_much_verdicts_are_off_has_the_value_and_error_of_cje():
    from cje.diagnostics.transport import audit_transportability

    rng = np.random.default_rng(12)
    clusters = np.repeat(np.arange(900), 3)
    gold = (rng.random(len(clusters)) < np.where(rng.random(900) < 0.5, 0.9, 0.4)[clusters]).astype(float)
    verdict = np.where(rng.random(len(clusters)) < 0.75, gold, 1 - gold)
    inclusion = np.where(verdict == 1, 0.1, 0.3)  # the doubtful are looked at more often
    labelled = rng.random(len(clusters)) < inclusion
    zeros = np.zeros(len(clusters))
    off = Side(
        np.where(labelled, gold - verdict, np.nan), zeros, inclusion, zeros + 1, clusters, np.full(900, 3.0),
        np.zeros(900), zeros.astype(np.intp),
    )  # fmt: skip
    found = adjusted_mean(off, tuning=[0.0])

    class Verdicts:
        """What is audited: the verdict, as it is."""

        def predict(self, scores, *_):
            return np.asarray(scores, dtype=float)

    probes = [{"prompt_id": str(q), "judge_score": f, "oracle_label": y}
              for q, f, y in zip(clusters[labelled], verdict[labelled], gold[labelled], strict=True)]  # fmt: skip
    theirs = audit_transportability(Verdicts(), probes, delta_max=0.1, sample_weights=1 / inclusion[labelled])
    assert found.value == pytest.approx(theirs.delta_hat, abs=1e-9)
    assert found.standard_error == pytest.approx(theirs.delta_se, rel=0.1)


def test_power_tuning_finds_the_lambda_of_ppi_python():
    from ppi_py import ppi_mean_pointestimate

    side, gold, verdict, known = simple_side(np.random.default_rng(2), 6000, 600)
    tuned = float(np.squeeze(ppi_mean_pointestimate(gold[known], verdict[known], verdict[~known])))
    found = adjusted_mean(side)
    assert found.value == pytest.approx(tuned, abs=0.002)
    slope = np.cov(gold[known], verdict[known])[0, 1] / np.var(verdict[known], ddof=1)
    assert found.tuning[0] == pytest.approx(slope, rel=0.05)


def test_the_plan_is_kept_by_the_labels_it_asks_for():
    rng = np.random.default_rng(8)
    side, gold, verdict, known = simple_side(rng, 5000, 150)
    now = adjusted_mean(side, share=True)
    wanted = now.width * 0.7
    plan = plan_labels(side, now, verdict.astype(np.intp), wanted)
    assert 150 < plan.same < 5000
    more = known.copy()
    more[rng.choice(np.flatnonzero(~known), plan.same - 150, replace=False)] = True
    later = Side(np.where(more, gold, np.nan), verdict, np.full(5000, plan.same / 5000), side.weights, side.clusters,
                 side.sizes, side.offsets, side.strata)  # fmt: skip
    assert adjusted_mean(later, share=True).width == pytest.approx(wanted, rel=0.1)
    assert plan.best <= plan.same * 1.1
    assert plan.probabilities.sum() == pytest.approx(plan.best, abs=1)


# Whole runs, with truths that the test knows.


def test_with_every_claim_labelled_every_figure_is_the_truth(tmp_path):
    truth = made_run(tmp_path / "out")
    run = read_judged(tmp_path / "out")
    labels = write_labels(tmp_path / "labels.jsonl", truth, draw_claims(run.claims, len(run.claims)))
    found = adjust_run(tmp_path / "out", labels)
    by_answer = {}
    for (name, _), label in truth.items():
        by_answer.setdefault(name, []).append(label)
    shares = {
        kind: np.array([labels.count(kind) / len(labels) for labels in by_answer.values()])
        for kind in ("supported", "contradicted")
    }
    bert = run.results.metrics["bertscore_f1"]
    fas = (0.3 * bert + 0.4 * shares["supported"] + 0.3 * (1 - shares["contradicted"])).mean()
    assert found.figures["support@5"].adjusted.value == pytest.approx(shares["supported"].mean(), abs=1e-9)
    assert found.figures["contra@5"].adjusted.value == pytest.approx(shares["contradicted"].mean(), abs=1e-9)
    assert found.figures["fas"].adjusted.value == pytest.approx(fas, abs=1e-9)
    micro = list(truth.values()).count("supported") / len(truth)
    assert found.figures["claims support@5"].adjusted.value == pytest.approx(micro, abs=1e-9)


def test_the_difference_of_two_runs_is_that_of_their_truths(tmp_path):
    truth_a = made_run(tmp_path / "a", seed=1, rate=0.8)
    truth_b = made_run(tmp_path / "b", seed=2, rate=0.5, right=0.2, name="b")
    labels = []
    for name, truth in (("a", truth_a), ("b", truth_b)):
        run = read_judged(tmp_path / name)
        labels.append(write_labels(tmp_path / f"{name}.jsonl", truth, draw_claims(run.claims, len(run.claims))))
    found = adjust_difference(tmp_path / "a", labels[0], tmp_path / "b", labels[1])

    def mean(truth):
        by_answer = {}
        for (name, _), label in truth.items():
            by_answer.setdefault(name, []).append(label == "supported")
        return np.mean([np.mean(one) for one in by_answer.values()])

    figure = found.figures["support@5"]
    assert figure.adjusted.value == pytest.approx(mean(truth_a) - mean(truth_b), abs=1e-9)
    assert figure.adjusted.low < figure.adjusted.value < figure.adjusted.high


def test_the_audit_passes_the_same_verifier_and_fails_a_worse_one_and_says_when_there_are_too_few(tmp_path):
    files = {}
    for i, (name, right, n) in enumerate((("a", 0.9, 1500), ("b", 0.9, 1500), ("c", 0.5, 300), ("few", 0.9, 40))):
        truth = made_run(tmp_path / name, seed=i, right=right, n=n, name=name)
        run = read_judged(tmp_path / name)
        files[name] = write_labels(tmp_path / f"{name}.jsonl", truth, draw_claims(run.claims, min(3000, n * 2)))

    def outcome(name):
        found = audit(tmp_path / name, files[name], tmp_path / "a", files["a"], metrics=["support@5"])
        return found.figures["support@5"].outcome

    assert [outcome(name) for name in ("b", "c", "few")] == ["pass", "fail", "too few"]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ({"id": "q0", "claim": 1, "label": "perhaps"}, "field 'label': expected one of"),
        ({"id": "q0", "claim": 0, "label": "bad"}, "field 'claim': expected the number"),
        ({"id": "q0", "claim": 99, "label": "bad"}, "not a claim 99"),
        ({"id": "nobody", "claim": 1, "label": "bad"}, "no scored answer 'nobody'"),
        ({"id": "q0", "claim": 1, "label": "bad", "text": "Something else."}, "labels are of another run"),
        ({"id": "q0", "claim": 1, "label": "bad", "pi": 0}, "field 'pi': expected a probability"),
    ],
)
def test_a_label_that_cannot_be_used_is_named_with_file_and_line(tmp_path, capsys, line, message):
    made_run(tmp_path / "out")
    (tmp_path / "labels.jsonl").write_text(json.dumps(line) + "\n", encoding="utf-8")
    assert main(["labels", "adjust", str(tmp_path / "out"), "--labels", str(tmp_path / "labels.jsonl")]) == 2
    error = capsys.readouterr().err
    assert "labels.jsonl, line 1" in error
    assert message in error


def test_the_command_prints_raw_and_adjusted_side_by_side_and_writes_them(tmp_path, capsys):
    truth = made_run(tmp_path / "out")
    run = read_judged(tmp_path / "out")
    labels = write_labels(tmp_path / "labels.jsonl", truth, draw_claims(run.claims, 100))
    command = ["labels", "adjust", str(tmp_path / "out"), "--labels", str(labels)]
    assert main(command) == 0
    shown = capsys.readouterr().out
    assert "labels alone" in shown
    assert "claims support@5" in shown
    assert main([*command, "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed == json.loads((tmp_path / "out" / "adjusted.json").read_text(encoding="utf-8"))
    assert printed["figures"]["fas"]["adjusted"]["mean"] is not None
    assert main(["labels", "plan", *command[2:], "--width", "0.1", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["labels"] == 100


# The simulation that the page shows.


@pytest.mark.parametrize("lam", [0.0, 0.4, 1.0])
def test_without_clusters_estimate_and_error_are_those_of_ppi_python(lam):
    from ppi_py import ppi_mean_ci, ppi_mean_pointestimate

    side, gold, verdict, known = simple_side(np.random.default_rng(1), 4000, 400)
    given = (gold[known], verdict[known], verdict[~known])
    # ppi-python compares the labelled with the others, this package with all: the same up to the scale of lambda.
    found = adjusted_mean(side, tuning=[lam / float((~known).mean())])
    assert found.value == pytest.approx(float(np.squeeze(ppi_mean_pointestimate(*given, lam=lam))), abs=1e-12)
    low, high = (float(np.squeeze(limit)) for limit in ppi_mean_ci(*given, alpha=0.05, lam=lam))
    assert (found.high - found.low) == pytest.approx(high - low, rel=0.02)  # t here, z there; other covariances


def test_labels_alone_in_two_strata_are_the_textbook_s_stratified_mean():
    rng = np.random.default_rng(3)
    strata = np.repeat([0, 1], [600, 200])
    gold = (rng.random(800) < np.where(strata == 0, 0.9, 0.3)).astype(float)
    known = np.zeros(800, dtype=bool)
    for stratum, take in ((0, 60), (1, 50)):
        known[rng.choice(np.flatnonzero(strata == stratum), take, replace=False)] = True
    pi = np.where(strata == 0, 60 / 600, 50 / 200)
    side = Side(
        np.where(known, gold, np.nan), np.zeros(800), pi, np.ones(800), np.arange(800), np.ones(800), np.zeros(800),
        strata,
    )  # fmt: skip
    found = adjusted_mean(side, tuning=[0.0])
    means = [gold[known & (strata == s)].mean() for s in (0, 1)]
    assert found.value == pytest.approx(0.75 * means[0] + 0.25 * means[1], abs=1e-12)
    variances = [gold[known & (strata == s)].var(ddof=1) / n for s, n in ((0, 60), (1, 50))]
    # Of a sample of strata sizes that are themselves drawn: within, and between the strata.
    between = 0.75 * 0.25 * (means[0] - means[1]) ** 2 / 800
    expected = 0.75**2 * variances[0] + 0.25**2 * variances[1] + between
    assert found.standard_error**2 == pytest.approx(expected, rel=0.03)
