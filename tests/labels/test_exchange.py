"""Decisions on a report's page as labels: only a gapless beginning of the random order is a sample."""

from __future__ import annotations

import json

import numpy as np
import pytest
from page_parts import Parts
from report_data import make_records, make_report, write_records

from fas.cli import main
from fas.core.errors import InputError
from fas.labels.exchange import sample_decisions
from fas.labels.files import read_labels
from fas.report.html import write_html


@pytest.fixture
def run(tmp_path):
    """A run with its page; and its claims with a verdict in the order of the page's random sample."""
    records = make_records(60)
    folder = tmp_path / "run"
    folder.mkdir()
    write_html(folder / "report.html", make_report(records), write_records(folder, records))
    (folder / "report.json").write_text(json.dumps(make_report(records).as_dict()))
    queue = json.loads(Parts((folder / "report.html").read_text(encoding="utf-8")).blocks["queue"])
    order = [(records[queue["rows"][place]], queue["numbers"][place]) for place in queue["sample"]]
    return folder, order


def save(path, decided, reviewer="", chosen="sample", label=None):
    with path.open("w", encoding="utf-8") as out:
        for record, i in decided:
            claim = record["claims"][i]
            line = {"id": record["id"], "claim": i + 1, "text": claim["text"], "label": label or claim["label"]}
            out.write(json.dumps({**line, "reviewer": reviewer, "chosen": chosen, "at": "2026"}) + "\n")
    return path


def test_the_random_order_has_every_claim_with_a_verdict_once(run):
    _, order = run
    assert all(record["claims"][i]["label"] != "unverified" for record, i in order)
    assert len({(record["id"], i) for record, i in order}) == len(order)


def test_the_random_order_favours_no_verdict(run):
    _, order = run
    supported = np.array([record["claims"][i]["label"] == "supported" for record, i in order])
    half = len(order) // 2
    # By the hypergeometric distribution three standard deviations hold 99.7%.
    spread = np.sqrt(half * supported.mean() * (1 - supported.mean()) * (len(order) - half) / (len(order) - 1))
    assert abs(supported[:half].sum() - half * supported.mean()) < 3 * spread


def test_a_gapless_beginning_is_a_sample_and_the_rest_is_left_out(run, tmp_path):
    folder, order = run
    file = save(tmp_path / "d.jsonl", [*order[:20], *order[25:30]])
    found = sample_decisions(folder, [file])
    assert (found.n_claims, found.n_all, found.n_left_out) == (20, len(order), 5)
    assert {row["pi"] for row in found.rows} == {20 / len(order)}
    assert [(row["id"], row["claim"] - 1) for row in found.rows] == [(record["id"], i) for record, i in order[:20]]


def test_claims_that_were_looked_for_do_not_lengthen_the_sample(run, tmp_path):
    folder, order = run
    file = save(tmp_path / "a.jsonl", order[:4])
    with save(tmp_path / "b.jsonl", order[4:9], chosen="queue").open() as more, file.open("a") as out:
        out.write(more.read())
    assert sample_decisions(folder, [file]).n_claims == 4
    with pytest.raises(InputError, match="random sample"):
        sample_decisions(folder, [save(tmp_path / "c.jsonl", order[:9], chosen="queue")])


def test_two_reviewers_are_merged_with_kappa_and_their_labels_adjust_the_run(run, tmp_path, capsys):
    folder, order = run
    ann = save(tmp_path / "ann.jsonl", order[:60], "ann")
    bo = save(tmp_path / "bo.jsonl", order[:40], "bo")
    both, labels = tmp_path / "both.jsonl", tmp_path / "labels.jsonl"
    assert main(["labels", "import", str(ann), str(bo), "--from", "report", "--run", str(folder), "-o", str(both)]) == 0
    capsys.readouterr()
    assert main(["labels", "merge", str(folder), str(both), "-o", str(labels), "--json"]) == 0
    merged = json.loads(capsys.readouterr().out)
    assert merged["annotators"] == {"ann": 60, "bo": 40}
    assert merged["kappa"]["ann - bo"]["value"] == pytest.approx(1.0)
    assert merged["kappa"]["ann - bo"]["n"] == 40
    assert len(read_labels(labels).labels) == 60
    assert main(["labels", "adjust", str(folder), "--labels", str(labels), "--n-resamples", "200", "--json"]) == 0
    assert main(["labels", "thresholds", str(folder), "--labels", str(labels), "--precision", "0.5"]) == 0


def test_decisions_are_no_labels_before_they_are_imported(run, tmp_path):
    _, order = run
    with pytest.raises(InputError, match="labels import"):
        read_labels(save(tmp_path / "d.jsonl", order[:20]))
