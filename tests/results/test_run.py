"""Stored runs: read back by type, refused by file, line and field, and scored again to the same numbers."""

from __future__ import annotations

import copy
import json
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

import fas
from fas.api import score_file
from fas.bench.alignment import align_folders, read_checked
from fas.bench.formats import ResultTable, TableColumn, to_csv
from fas.bench.result_tables import build_tables
from fas.bench.stored import read_runs, rescore_run
from fas.cli import main
from fas.core.errors import InputError
from fas.core.profile import PartSpec, Profile, Weights, load_profile, profile_names
from fas.detectors.member import FolderPlace, read_member
from fas.labels.adjust import adjust_run
from fas.labels.judged import read_judged
from fas.report.compare import compare_runs
from fas.report.correlate import correlate_scores
from fas.report.facts import read_facts
from fas.report.factuality import factuality_report
from fas.report.results import read_results
from fas.results.report import read_report
from fas.results.schema import scores_schema

ROWS = [
    {
        "id": str(i),
        "question": "Does rest help?",
        "prediction": text,
        "references": ["Rest helps."],
        "passages": ["Rest helps. Rest lowers fever.", "Aspirin does not lower fever.", "Ibuprofen lowers fever."],
        "gold": i % 2,
    }
    for i, text in enumerate(["Rest helps. Aspirin lowers fever. Take ibuprofen.", "Rest does not help.", "", "Fever."])
]
QUICK: dict[str, Any] = {"claims": PartSpec("sentences"), "evidence": "passages", "n_resamples": 20}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out: Path = tmp_path_factory.mktemp("run")
    fas.score_answers(ROWS, verify="lexical", coverage=True, output_dir=out, **QUICK)
    return out


def copy_with(folder: Path, out: Path, record: Any) -> Path:
    lines = (folder / "scores.jsonl").read_text(encoding="utf-8").splitlines()
    lines[0] = record if isinstance(record, str) else json.dumps(record)
    (out / "scores.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    for name in ("run.json", "report.json") if out != folder else ():
        (out / name).write_bytes((folder / name).read_bytes())
    return out


def first(folder: Path) -> dict[str, Any]:
    record: dict[str, Any] = json.loads((folder / "scores.jsonl").read_text(encoding="utf-8").splitlines()[0])
    return record


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The way to every value of a record, of lists the first item alone."""
    items = value.items() if isinstance(value, dict) else enumerate(value[:1]) if isinstance(value, list) else ()
    for name, inner in items:
        yield (*path, name)
        yield from places(inner, (*path, name))


def changed(record: dict[str, Any], path: tuple[Any, ...], value: Any) -> dict[str, Any]:
    record = copy.deepcopy(record)
    at: Any = record
    for name in path[:-1]:
        at = at[name]
    at[path[-1]] = value
    return record


READERS: dict[str, Callable[[Path], object]] = {
    "results": read_results,
    "bench": lambda path: read_runs([path]),
    "judged": read_judged,
    "facts": read_facts,
    "claims": lambda path: read_member(FolderPlace(path, False, "m", "m", 0)),
    "flags": lambda path: read_member(FolderPlace(path, True, "m", "m", 0)),
    "alignment": read_checked,
    "page": lambda path: main(["results", "html", str(path)]),
    "run": lambda path: fas.open_run(path).answers,
}


@pytest.mark.parametrize("value", ["x", 7, 10**400, True, [1], {"a": [None]}, None], ids=lambda value: str(value)[:8])
def test_a_field_of_another_type_is_an_error_with_file_line_and_field_for_every_reader(folder, tmp_path, value, capsys):
    record = first(folder)
    refused = 0
    unnamed: list[object] = []
    for path in places(record):
        if (path, value) == (("k",), 7):
            continue  # of the right type, and an error in the next line
        copy_with(folder, tmp_path, changed(record, path, value))
        for read in READERS.values():
            try:
                read(tmp_path)
            except InputError as error:
                refused += 1
                if (
                    path[0] != "meta"
                    and value is not None
                    and (path, value) != (("k",), 7)
                    and f"line 1: field '{path[0]}" not in str(error)
                ):
                    unnamed.append((path, str(error)))
    assert refused > 20
    assert unnamed == []


@pytest.mark.parametrize("value", ["x", 7, [1]], ids=str)
def test_a_run_is_not_resumed_over_a_line_that_no_run_wrote(tmp_path, value):
    answers, out = tmp_path / "answers.jsonl", tmp_path / "out"
    answers.write_text("".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8")

    profile = Profile(verify=PartSpec("lexical"), **QUICK)

    def score() -> None:
        score_file(answers, out, profile=profile)

    score()
    record = first(out)
    for path in [("claims",), ("claims", 0), ("claims", 0, "label"), ("flags",), ("fas",)]:
        copy_with(out, out, changed(record, path, value))
        if (path, value) != (("fas",), 7):
            with pytest.raises(InputError, match=r"scores\.jsonl, line 1: "):
                score()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"id": "0", "meta": ' + "[" * 100_000 + "]" * 100_000 + "}", "line 1: not JSON: nested too deeply"),
        ('{"id": "0", "fas": NaN}', "line 1: field 'fas': expected a number or null, got nan"),
        ('{"id": "0", "claims": [{"text": "a"}]}', r"line 1: field 'claims\[0\]\.label': expected a value, got None"),
        ('{"id": "0", "claims": [{"text": "a", "label": "true"}]}', r"field 'claims\[0\]\.label': expected one of"),
    ],
)
def test_what_no_run_wrote_is_refused_plainly(folder, tmp_path, line, message):
    with pytest.raises(InputError, match=message):
        list(fas.open_run(copy_with(folder, tmp_path, line)).records())


def test_a_report_of_another_form_is_refused_with_its_field(folder, tmp_path):
    copy_with(folder, tmp_path, first(folder))
    report = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    assert read_report(tmp_path).as_dict() == report | {"notes": read_report(tmp_path).as_dict()["notes"]}
    report["metrics"]["fas_evidence"]["low"] = "low"
    (tmp_path / "report.json").write_text(json.dumps(report), encoding="utf-8")
    with pytest.raises(
        InputError, match=r"report\.json: field 'metrics\.fas_evidence\.low': expected a number or null"
    ):
        read_report(tmp_path)


def test_fields_of_newer_versions_are_kept_and_those_that_older_ones_lack_are_filled_in(folder, tmp_path):
    record = {
        "id": 30,
        "of_tomorrow": [1],
        "claims": [{"text": "a", "label": "supported", "certain": 1}],
        "error": None,
    }
    found = fas.open_run(copy_with(folder, tmp_path, record)).answers[0]
    assert (found["id"], found["flags"], found["meta"], found["not_scored"]) == ("30", [], {}, None)
    assert found["of_tomorrow"] == [1]
    assert found["claims"][0] | {"certain": 1, "evidence": [], "compound": False} == found["claims"][0]


def test_frames_have_the_same_types_with_rows_and_without(folder, tmp_path):
    run, empty = fas.open_run(folder), fas.open_run(copy_with(folder, tmp_path, first(folder)))
    empty.path.write_text("", encoding="utf-8")
    for table in ("answers", "claims", "flags", "passages"):
        full, none = run.frame(table), empty.frame(table)
        assert len(none) == 0 < len(full) or table == "flags"
        own = full.drop(columns="gold") if table == "answers" else full
        assert own.dtypes.to_dict() == none.dtypes.to_dict()
    claims = run.frame("claims")
    assert claims["label"].tolist() == [claim["label"] for _, claim in run.claims]
    assert len(run.frame("passages")) == len(list(run.passages)) == claims["evidence"].map(len).sum()
    assert (str(run.signature).split("|")[0], "python" in run.versions, "verify" in run.settings) == ("n:4", True, True)


@pytest.mark.parametrize("name", profile_names())
def test_a_profile_is_the_same_after_json_held_it(name):
    profile = load_profile(name)
    assert Profile.from_dict(json.loads(json.dumps({**profile.as_dict(), "of_tomorrow": 1}))) == profile


def test_a_run_holds_its_profile_and_a_folder_of_a_detector_its_findings(folder, tmp_path):
    run = fas.open_run(folder)
    assert run.profile == load_profile("mini").override(verify=PartSpec("lexical"), coverage=True, **QUICK)
    assert list(run.findings) == []
    line = {"id": "a", "prediction": "Rest helps. Aspirin lowers fever.", "findings": [FINDING]}
    (tmp_path / "findings.jsonl").write_text(json.dumps(line) + "\n", encoding="utf-8")
    ((of, finding),) = fas.open_run(tmp_path).findings
    assert (of, finding | FINDING) == ("a", finding)
    assert fas.open_run(tmp_path).profile is None
    with pytest.raises(InputError, match=r"scores\.jsonl"):
        assert fas.open_run(tmp_path).answers


FINDING = {"snippet": "Aspirin lowers fever.", "explanation": "e", "start": 12, "end": 33, "confidence": 0.5}


# Fields of the profile that change what a run stores, each with another value than the default; the rest names parts,
# models and limits, which no stored number is decided by anew.
CHANGED: dict[str, dict[str, Any]] = {
    "k": {"k": 2},
    "threshold": {"threshold": 0.515625},
    "threshold_contradiction": {"threshold_contradiction": 0.9000001},
    "weights": {"weights": Weights(1 / 3, 1 / 3, 1 / 3)},
    "coverage": {"coverage": True},
    "safety": {"safety": False},
    "seed": {"seed": 7},
    "n_resamples": {"n_resamples": 30},
    "precision": {"precision": "fp32"},
    "verify": {"verify": PartSpec("lexical")},
}
PARTS = {"name", "claims", "evidence", "evidence_options", "detect", "llm", "reference", "text_timeout"}


@pytest.mark.parametrize("name", CHANGED)
def test_scoring_a_run_again_by_its_own_profile_changes_no_bit(tmp_path, name):
    assert {one.name for one in fields(Profile)} == PARTS | set(CHANGED)
    fas.score_answers(ROWS, profile=load_profile("mini").override(**QUICK | CHANGED[name]), output_dir=tmp_path)
    run = read_runs([tmp_path])
    assert any(claim["evidence"] for answer in run.answers for claim in answer["claims"])
    assert rescore_run(run).answers == run.answers


def test_the_schema_that_is_shipped_is_that_of_the_types(folder):
    shipped = json.loads((Path(fas.__file__).parent / "results" / "scores.schema.json").read_text(encoding="utf-8"))
    assert shipped == scores_schema()
    assert shipped["$id"] == f"urn:fas:scores:{first(folder)['schema']}"
    validator = pytest.importorskip("jsonschema").Draft202012Validator(shipped)
    for answer in fas.open_run(folder).answers:
        validator.validate(answer)
        with pytest.raises(Exception, match=r"is not of type|is not valid"):
            validator.validate({**answer, "claims": [{"text": 3}]})


def test_records_of_fas_0_2_read_like_those_of_today(folder, tmp_path):
    """The oracle is the run itself with its lines rewritten as 0.2.0 wrote them: k in the names, no schema."""
    shown = {name: f"{name}@5" for name in ("support", "contra", "unsupported")}
    lines = [json.loads(line) for line in (folder / "scores.jsonl").read_text(encoding="utf-8").splitlines()]
    older = [{shown.get(name, name): line[name] for name in line if name not in ("schema", "k")} for line in lines]
    (tmp_path / "scores.jsonl").write_text("".join(json.dumps(line) + "\n" for line in older), encoding="utf-8")
    report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    (tmp_path / "report.json").write_text(json.dumps({n: v for n, v in report.items() if n != "k"}), encoding="utf-8")
    before, after = fas.open_run(tmp_path), fas.open_run(folder)
    assert [one | {"schema": 1} for one in before.answers] == list(after.answers)
    assert read_report(tmp_path) == read_report(folder)
    assert list(read_results(tmp_path).metrics) == list(read_results(folder).metrics)
    assert "support@5" in read_results(tmp_path).metrics


@pytest.mark.parametrize(("version", "read"), [("0.1.0", False), ("0.2.0", True), ("0.10.1", True), ("9.0", True)])
def test_a_run_that_is_too_old_is_refused_with_the_version_that_reads_it(folder, tmp_path, version, read):
    copy_with(folder, tmp_path, first(folder))
    (tmp_path / "run.json").write_text(json.dumps({"v": version}), encoding="utf-8")
    if read:
        assert fas.open_run(tmp_path).answers
    else:
        with pytest.raises(InputError, match=r"written by fas 0\.1\.0; .* or read the run with fas 0\.1\.0$"):
            assert fas.open_run(tmp_path).answers


def test_runs_compare_with_one_another_as_their_folders_do(folder, tmp_path):
    other = tmp_path / "a & b"
    other.mkdir()
    copy_with(folder, other, first(folder) | {"bertscore_f1": 0.25})
    run, few = fas.open_run(folder), {"n_resamples": 50}
    expected = compare_runs(folder, other, **few)
    for found in (run.compare(fas.open_run(other), **few), run.compare(str(other), **few)):
        assert found.as_dict() == expected.as_dict()
        assert str(found) == expected.as_text()
        assert ET.fromstring(found._repr_html_()).text == expected.as_text()
    with pytest.raises(ValueError, match="at least one other run"):
        run.compare()


def test_runs_meet_gold_and_labels_as_the_commands_do(folder, tmp_path):
    run, few = fas.open_run(folder), {"n_resamples": 50}
    gold, labels = tmp_path / "gold.jsonl", tmp_path / "labels.jsonl"
    gold.write_text("".join(json.dumps({"id": one["id"], "gold": i % 2}) + "\n" for i, one in enumerate(run.answers)))
    claims = [(one["id"], i, claim) for one in run.answers for i, claim in enumerate(one["claims"], start=1)]
    rows = [{"id": name, "claim": i, "label": one["label"]} for name, i, one in claims if one["label"] != "unverified"]
    labels.write_text("".join(json.dumps(row) + "\n" for row in rows))
    for found, expected in (
        (run.correlate(gold, **few), correlate_scores(folder, gold, **few)),
        (run.adjust(labels, **few), adjust_run(folder, labels, **few)),
        (run.align(gold=gold, **few), align_folders([folder], gold=gold, **few)),
    ):
        assert str(found).replace("/scores.jsonl", "") == expected.as_text().replace("/scores.jsonl", "")
        assert ET.fromstring(found._repr_html_()).text == found.as_text()


def test_runs_give_the_tables_and_the_factuality_of_their_folders(folder, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    copy_with(folder, other, first(folder) | {"bertscore_f1": 0.25})
    run, few = fas.open_run(folder), {"n_resamples": 50}
    expected = build_tables([folder, other], seed=12345, **few)[1]
    assert list(map(to_csv, run.tables(fas.open_run(other), **few))) == list(map(to_csv, expected))
    assert run.factuality(other, **few).as_dict() == factuality_report([folder, other], **few).as_dict()


def test_runs_reports_and_tables_are_html_in_a_notebook(folder, tmp_path):
    """The cells are read back by a parser of XML."""
    report = read_report(folder)
    cells = [[cell.text for cell in row] for row in ET.fromstring(f"<a>{report._repr_html_()}</a>").iter("tr")]
    assert [row[0] for row in cells[1:]] == list(report.metrics)
    assert cells[1][1] == f"{report.metrics['fas'].mean:.3f}"
    assert fas.open_run(folder)._repr_html_() == report._repr_html_()
    alone = tmp_path / "a & b"
    alone.mkdir()
    (alone / "scores.jsonl").write_text(json.dumps(first(folder)) + "\n", encoding="utf-8")
    assert "a & b" in "".join(ET.fromstring(fas.open_run(alone)._repr_html_()).itertext())
    table = ResultTable("t", "T < U", (TableColumn("a & b", "text"), TableColumn("mean")), (("<x>", 0.5),))
    shown = ET.fromstring(f"<a>{table._repr_html_()}</a>")
    assert [[cell.text for cell in row] for row in shown.iter("tr")] == [["a & b", "mean"], ["<x>", "0.500"]]


def test_a_damaged_run_json_is_an_error_of_everything_that_is_read_from_it(folder, tmp_path):
    copy_with(folder, tmp_path, first(folder))
    (tmp_path / "run.json").write_text("{", encoding="utf-8")
    for name in ("written", "profile", "answers_file"):
        with pytest.raises(InputError, match=r"run\.json: not JSON"):
            getattr(fas.open_run(tmp_path), name)
