"""`fas detect combine|eval|gold`, and `fas detect run` on scored folders: whole commands, no model server."""

from __future__ import annotations

import json
import socket

import pytest
from findings_made import finding, write_findings, write_lines

from fas.cli import main
from fas.detectors.records import DetectedFinding, Findings

TEXT = "Aspirin thins the blood. It cures every cold. Rest may help."
BLOOD, COLD, REST = (0, 24), (25, 45), (46, 60)


@pytest.fixture(autouse=True)
def no_network(monkeypatch):
    """Neither command may open a connection: they ask no language model."""

    def refuse(*_, **__):
        raise AssertionError("a connection was opened")

    monkeypatch.setattr(socket.socket, "connect", refuse)


def at(span, text, confidence=0.8, **more):
    return finding(text, at=span, snippet=TEXT[slice(*span)], confidence=confidence, **more)


def folders(tmp_path, n=24):
    """Two detectors: the first finds every fault and some more, the second half of the faults."""
    first, second, gold = {}, {}, []
    for i in range(n):
        false = i % 2 == 0
        first[f"a{i}"] = [at(COLD, "No cold is cured by aspirin.", 0.9)] if false or i % 3 == 0 else []
        second[f"a{i}"] = [at(COLD, "A cold is not cured by aspirin.", 0.7)] if i % 4 == 0 else []
        spans = [{"start": COLD[0], "end": COLD[1], "severity": "mild" if i % 4 else "severe"}] if false else []
        gold.append({"id": f"a{i}", "hallucination": false, "spans": spans})
    meta = {f"a{i}": {"domain": "MH" if i < n // 2 else "PC"} for i in range(n)}
    one = write_findings(tmp_path / "one", first, text=TEXT, meta=meta)
    two = write_findings(tmp_path / "two", second, text=TEXT, meta=meta)
    return one, two, write_lines(tmp_path / "gold.jsonl", gold)


def lines(folder):
    return [json.loads(line) for line in (folder / "findings.jsonl").read_text().splitlines()]


def run(*arguments):
    return main([*map(str, arguments)])


def test_combine_writes_a_folder_that_is_a_member_again(tmp_path, capsys):
    one, two, _gold = folders(tmp_path)
    assert run("combine", one, two, "-o", tmp_path / "all", "--threshold", "0.5") == 0
    shown = capsys.readouterr().out
    assert "combine:hungarian[fas-encoder-mini" in shown
    assert "t:0.5" in shown
    record = lines(tmp_path / "all")[0]
    assert [part["member"] for part in record["findings"][0]["by"]] == ["one", "two"]
    assert record["score"] == pytest.approx(0.8)
    assert record["flagged"] is True
    assert (record["prediction"], record["meta"]) == (TEXT, {"domain": "MH"})
    report = json.loads((tmp_path / "all" / "report.json").read_text())
    assert report["members"][0]["n_findings"] == 16
    assert (tmp_path / "all" / "report.html").read_text().startswith("<!doctype html>")
    # Again into the same folder, and as a member of another combination.
    assert run("combine", one, two, "-o", tmp_path / "all", "--weights", "family") == 0
    assert run("combine", tmp_path / "all", one, "-o", tmp_path / "more") == 0
    assert lines(tmp_path / "more")[0]["findings"][0]["by"][0]["member"] == "all"


def test_detect_eval_has_both_levels_the_row_that_flags_everything_and_all_pairs(tmp_path, capsys):
    one, two, gold = folders(tmp_path)
    run("combine", one, two, "-o", tmp_path / "all")
    capsys.readouterr()
    arguments = ["detect", "eval", one, two, tmp_path / "all", "--gold", gold, "--n-resamples", "200"]
    assert run(*arguments, "--json") == 0
    found = json.loads(capsys.readouterr().out)
    rows = found["answers"]["rows"]
    # 12 positives of 24. The first flags those and a3, a9, a15, a21; the second six of the positives.
    assert rows["one"]["f1"]["mean"] == pytest.approx(24 / 28)
    assert rows["two"]["f1"]["mean"] == pytest.approx(12 / 18)
    assert rows["flag everything"]["f1"]["mean"] == pytest.approx(2 / 3)
    assert {"all", "all: share of members, not aligned", "all: mean of highest, not aligned"} < set(rows)
    assert len(found["answers"]["pairs"]) == len(rows) * (len(rows) - 1) // 2
    sentences = found["sentences"]["rows"]
    assert sentences["one"]["precision"]["mean"] == pytest.approx(12 / 16)
    # Three sentences an answer, one of them wrong in half of the answers.
    assert sentences["flag everything"]["precision"]["mean"] == pytest.approx(12 / 72)
    assert run(*arguments, "--by", "domain") == 0
    shown = capsys.readouterr().out
    assert "p above the diagonal: MH; below: PC" in shown
    assert "F1, all pairs: p above the diagonal, Holm's p below" in shown


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"id": "a"}, "field 'hallucination': missing"),
        ({"id": "a", "hallucination": "yes"}, "expected true or false"),
        ({"id": "a", "spans": [{"start": 3, "end": 3}]}, "start < end"),
        ({"id": "a", "hallucination": False, "spans": [{"start": 0, "end": 3}]}, "is false"),
        ({"id": "a", "hallucination": True, "severity": "bad"}, "expected one of mild"),
    ],
)
def test_gold_that_cannot_be_used_says_line_and_field(tmp_path, capsys, row, message):
    one, _, _ = folders(tmp_path)
    gold = write_lines(tmp_path / "bad.jsonl", [row])
    assert run("detect-eval", one, "--gold", gold) == 2
    err = capsys.readouterr().err
    assert "bad.jsonl, line 1: field" in err
    assert message in err


def scored(folder, n=3):
    claim = {"text": "Aspirin cures colds.", "start": 25, "end": 44, "p_contradict": 0.9, "evidence": []}
    same = {"question": "q?", "prediction": TEXT, "meta": {"type": "x"}, "flags": [], "error": None}
    rows = [
        {"id": f"a{i}", **same, "claims": [{**claim, "label": "contradicted" if i else "supported"}]} for i in range(n)
    ]
    write_lines(folder / "scores.jsonl", rows)
    settings = {"made_by": "fas", "input": "1", "claims": "spacy[p]", "evidence": "none", "verify": "nli[m]", "v": "0"}
    (folder / "run.json").write_text(json.dumps(settings))
    return folder


def test_detect_writes_out_the_false_claims_of_a_scored_folder(tmp_path, capsys):
    folder = scored(tmp_path / "scored")
    assert run("detect", folder, "-o", tmp_path / "claims", "--quiet") == 0
    assert "detect:claims[spacy[p];none;nli[m]]" in capsys.readouterr().out
    records = lines(tmp_path / "claims")
    assert [len(record["findings"]) for record in records] == [0, 1, 1]
    assert records[1]["findings"][0]["snippet"] == "It cures every cold."
    assert records[1]["meta"] == {"type": "x"}
    assert run("combine", folder, tmp_path / "claims", "-o", tmp_path / "all") == 0
    assert run("detect", folder, "-o", tmp_path / "claims", "--flags", "--explain", "--json") == 0
    assert run("detect", folder, "-o", tmp_path / "x", "--runs", "2") == 2
    assert run("detect", folder, "--dry-run") == 0


class Shouting:
    """A detector of somebody else: whatever is written in capitals is wrong. It trips over one answer."""

    signature = "shouting[1]"

    def detect(self, answers):
        if any("TRIP" in answer.prediction for answer in answers):
            raise RuntimeError("tripped")
        return [
            Findings(
                answer.id, tuple(DetectedFinding(w, "It shouts.") for w in answer.prediction.split() if w.isupper())
            )
            for answer in answers
        ]


def test_a_detector_of_another_package_needs_one_method_and_one_answer_cannot_ruin_the_others(tmp_path, monkeypatch):
    from fas.core.parts import detectors

    assert detectors.group == "fas.detect"
    monkeypatch.setattr(detectors, "_factories", dict(detectors._factories))
    detectors.add("shouting", Shouting)
    answers = write_lines(
        tmp_path / "answers.jsonl",
        [{"id": str(i), "prediction": text} for i, text in enumerate(["NO way", "TRIP", "so"])],
    )
    assert run("detect", answers, "-o", tmp_path / "out", "--detector", "shouting", "--quiet", "--strict") == 1
    records = lines(tmp_path / "out")
    assert [len(record["findings"]) for record in records] == [1, 0, 0]
    assert [record["failure"] for record in records] == [None, "RuntimeError: tripped", None]
