"""The reviewer's queue: its order against a sort by hand, what stands first on the page, and `fas results html`."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from labelled_runs import made_run, write_labels
from page_parts import Parts
from report_data import make_records, make_report, write_records
from review_queue import by_hand, meets

from fas.cli import main
from fas.core.errors import InputError
from fas.labels.drawing import draw_claims
from fas.labels.judged import read_judged
from fas.report.html import write_html
from fas.report.review import KINDS
from fas.report.wrong import Precision, ShareRight
from fas.results.report import read_report


def written(folder, records, **options):
    path = folder / "report.html"
    write_html(path, make_report(records), write_records(folder, records), **options)
    return Parts(path.read_text(encoding="utf-8"))


def entries(parts):
    found = json.loads(parts.blocks["queue"])
    return list(zip(found["rows"], found["numbers"], [KINDS[code & 7] for code in found["codes"]], strict=True))


def test_what_is_contradicted_comes_first_then_what_is_flagged_then_what_has_no_support(tmp_path):
    records = make_records(200)
    loose = dict(records[1]["flags"][0] if records[1]["flags"] else next(r["flags"][0] for r in records if r["flags"]))
    records[1]["prediction"] += " End."
    size = len(records[1]["prediction"])
    records[1]["flags"].append(loose | {"start": size - 4, "end": size, "status": None})  # on no claim
    assert entries(written(tmp_path, records)) == by_hand(records)
    assert (1, -len(records[1]["flags"]), "flagged") in by_hand(records)


def test_the_page_begins_with_what_is_contradicted_and_flagged_and_how_often_that_is_wrong(tmp_path):
    records = make_records(120)
    known = Precision(
        {"contradicted": ShareRight(0.25, 0.1, 0.5, 40)},
        ("labels.jsonl: 40 labelled claims of this run",),
        frozenset({"contradicted"}),
    )
    text = "".join(written(tmp_path, records, precision=known).text)
    first, metrics = text.index("Look at this first"), text.index("Mean over answers")
    assert first < metrics
    assert any(
        claim["label"] == "unsupported" and any(meets(claim, flag) for flag in record["flags"])
        for record in records
        for claim in record["claims"]
    )
    for label in ("contradicted", "unsupported"):  # flagged or not, as every other count of the run has it
        n = sum(claim["label"] == label for record in records for claim in record["claims"])
        answers = sum(any(claim["label"] == label for claim in record["claims"]) for record in records)
        assert f"{n} claims {label}, in {answers} answers." in text[first:metrics]
    assert "75.0% [50.0%, 90.0%] of this run's verdicts were wrong when people read 40 of them" in text
    surest = max(
        (c for r in records for c in r["claims"] if c["label"] == "contradicted"),
        key=lambda claim: claim["p_contradict"],
    )
    assert surest["text"] in text[first:metrics]


def test_a_stored_report_comes_back_as_it_was(tmp_path):
    records = make_records(60)
    report = replace(make_report(records), variance={"fas": {"support@5": 0.75, "contra@5": 0.25}})
    (tmp_path / "report.json").write_text(json.dumps(report.as_dict()), encoding="utf-8")
    assert read_report(tmp_path).as_dict() == report.as_dict()
    (tmp_path / "report.json").write_text('{"n": 3}', encoding="utf-8")
    with pytest.raises(InputError, match=r"report\.json: field 'signature': expected a value"):
        read_report(tmp_path)


def test_the_command_writes_the_page_again_with_what_labels_say(tmp_path, capsys):
    out = tmp_path / "out"
    truth = made_run(out, n=120, right=0.6)
    records = [json.loads(line) for line in (out / "scores.jsonl").read_text(encoding="utf-8").splitlines()]
    report = make_report([dict.fromkeys(make_records(1)[0]) | r | {"flags": [], "meta": {}} for r in records])
    (out / "report.json").write_text(json.dumps(report.as_dict()), encoding="utf-8")
    labels = write_labels(tmp_path / "labels.jsonl", truth, draw_claims(read_judged(out).claims, 90))
    assert main(["results", "html", str(out), "--labels", str(labels), "-o", str(tmp_path / "page.html")]) == 0
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "of this run&#39;s verdicts were wrong when people read" in text
    assert "90 labelled claims of this run" in text
    assert not (out / "report.html").exists()
    assert main(["results", "html", str(out)]) == 0
    assert "labelled claims of this run" not in (out / "report.html").read_text(encoding="utf-8")
    capsys.readouterr()
    assert main(["results", "html", str(tmp_path / "nowhere")]) == 2
    assert "no such file" in capsys.readouterr().err
