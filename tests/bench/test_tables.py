"""The study's tables from stored scores, against arithmetic by hand and against runs of the pipeline."""

from __future__ import annotations

import csv
import io
import json
import math
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from fas.api import score_file
from fas.bench.formats import ResultTable, TableColumn, to_csv
from fas.bench.stored import find_runs, read_runs, rescore_run
from fas.bench.tables import make_tables, write_tables
from fas.cli import main
from fas.core.profile import PartSpec, load_profile
from fas.stats.bootstrap import mean_intervals
from fas.stats.correlation import correlation

SIGNATURE = (
    "n:{n}|claims:spacy[x]|evidence:passages[k=5]|verify:lexical[1,t=0.70]|ref:ptb|bertscore:x|prec:fp32"
    "|w:0.30/0.40/0.30|safety:off|boot:10000|seed:12345|v:0.1.0"
)
FEW = {"n_resamples": 400, "seed": 12345}

pytestmark = pytest.mark.usefixtures("percentiles")


def claim(*pairs, label=None, failure=None):
    """A stored claim judged against passages with these probabilities of support and contradiction."""
    known = [pair for pair in pairs if None not in pair]
    p, q = (max((pair[i] for pair in known), default=None) for i in (0, 1))
    if not known:
        label = label or "unsupported"
    if label is None:
        label = "supported" if p >= 0.7 and p >= q else "contradicted" if q >= 0.7 else "unsupported"
    record = {"text": "c", "start": None, "end": None, "label": label, "conflicting": False}
    record |= {"p_support": p, "p_contradict": q}
    record["evidence"] = [
        {"id": "1", "title": None, "year": None, "sentence": None, "p_support": a, "p_contradict": b} for a, b in pairs
    ]
    return record | ({"failure": failure} if failure else {})


def answer(number, claims, bertscore=0.5, rouge=0.3, flags=(), prediction="two words", **meta):
    """A record of `scores.jsonl` whose shares and FAS follow from its claims."""
    labels = [c["label"] for c in claims if c["label"] != "unverified"]
    n = len(labels)
    support, contra = (labels.count(name) / n if n else None for name in ("supported", "contradicted"))
    base = None if n == 0 else 0.4 * support + 0.3 * (1 - contra)
    return {
        "id": str(number),
        "question": None,
        "prediction": prediction,
        "meta": {"model": "m", "dataset": "d", "question_id": number, **meta},
        "fas": None if n == 0 or bertscore is None else 0.3 * bertscore + base,
        "fas_evidence": None if n == 0 else base / 0.7,
        "k": 5,
        "support": support,
        "contra": contra,
        "unsupported": None if n == 0 else 1 - support - contra,
        "rouge1": rouge, "rouge2": rouge, "rougeL": rouge, "bleu4": rouge, "bertscore_f1": bertscore,
        "n_claims": len(claims), "n_unverified": len(claims) - n, "n_no_evidence": 0, "n_conflicting": 0,
        "claims": claims,
        "flags": [{"flag": name, "status": status, "start": 0, "end": 1, "message": "m"} for name, status in flags],
        "error": None,
    }  # fmt: skip


def write(folder, records, signature=SIGNATURE):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "scores.jsonl").write_text("".join(json.dumps(r) + "\n" for r in records), encoding="utf-8")
    if signature:
        report = {"signature": signature.format(n=len(records))}
        (folder / "report.json").write_text(json.dumps(report), encoding="utf-8")
    return folder


YES, NO, WEAK, UNSURE = (0.9, 0.05), (0.1, 0.8), (0.6, 0.1), (0.2, 0.2)


@pytest.fixture
def small(tmp_path):
    """Four questions, two models, two types: every share can be counted by hand."""
    rows = []
    for model, rouge in (("a", 0.2), ("b", 0.6)):
        for q in range(4):
            kind = "factoid" if q < 2 else "summary"
            good = [claim(YES), claim(YES, NO)] if model == "a" else [claim(WEAK), claim(NO)]
            extra = [claim(UNSURE)] * q
            flags = [("MISSING_DOSAGE", None)] if model == "b" and q == 0 else []
            flags += [("CONTRAINDICATED", "deferred_to_label")]
            rows.append(
                answer(
                    f"{model}{q}", good + extra, rouge=rouge + q / 100, flags=flags, model=model, kind=kind,
                    question_id=q, n_references=1 + q % 2, gold=float(model == "a") + q / 10,
                )
            )  # fmt: skip
    return write(tmp_path / "run", rows)


def table(folder, name):
    return next(t for t in make_tables(read_runs(find_runs(folder)), folder / "ablations", **FEW) if t.name == name)


def row_of(found, *labels):
    """The row that begins with these labels, as a dict by column."""
    rows = [r for r in found.rows if r[: len(labels)] == labels]
    assert len(rows) == 1, (labels, found.rows)
    return dict(zip((c.name for c in found.columns), rows[0], strict=True))


def test_means_by_model_against_a_hand_count(small):
    row = row_of(table(small, "models"), "d", "a")
    # 2 of 2, 3, 4 and 5 claims supported: YES twice, where NO beside YES loses, as 0.9 >= 0.8.
    assert row["Support@5"].value == pytest.approx((1 + 2 / 3 + 2 / 4 + 2 / 5) / 4)
    assert row["Contra@5"].value == 0
    assert row["ROUGE-L"].value == pytest.approx(0.215)
    assert row["FAS"].value == pytest.approx(0.3 * 0.5 + 0.4 * (1 + 2 / 3 + 2 / 4 + 2 / 5) / 4 + 0.3)
    assert row["Unsupported@5"].value == pytest.approx(1 - (1 + 2 / 3 + 2 / 4 + 2 / 5) / 4)
    assert {"ROUGE-1", "ROUGE-2"} <= set(row)
    assert (row["answers"], row["questions"]) == (4, 4)
    other = row_of(table(small, "models"), "d", "b")
    assert other["Support@5"].value == 0
    assert other["Contra@5"].value == pytest.approx((1 / 2 + 1 / 3 + 1 / 4 + 1 / 5) / 4)


def test_intervals_of_means_are_those_of_the_clustered_bootstrap(small):
    run = read_runs([small])
    expected = mean_intervals({"x": run.select(model="a").column("fas")}, clusters=list("0123"), **FEW)["x"]
    assert tuple(row_of(table(small, "models"), "d", "a")["FAS"]) == tuple(expected)


def test_types_and_their_differences_against_a_hand_count(small):
    row = row_of(table(small, "types"), "d", "a", "summary")
    assert row["Support@5"].value == pytest.approx((2 / 4 + 2 / 5) / 2)
    found = row_of(table(small, "type_differences"), "d", "a", "factoid − summary")
    assert found["Support@5"].value == pytest.approx((1 + 2 / 3) / 2 - (2 / 4 + 2 / 5) / 2)


def test_flag_rates_leave_out_what_is_not_counted(small):
    row = row_of(table(small, "flags"), "d", "b")
    assert row["any flag"].value == pytest.approx(0.25)
    assert row["MISSING_DOSAGE"].value == pytest.approx(0.25)
    assert "CONTRAINDICATED" not in row
    assert row_of(table(small, "flags"), "d", "a")["any flag"].value == 0


def test_scores_by_number_of_references_against_a_hand_count(small):
    row = row_of(table(small, "references"), "d", "2")
    assert row["ROUGE-L"].value == pytest.approx((0.21 + 0.23 + 0.61 + 0.63) / 4)
    assert (row["answers"], row["questions"]) == (4, 2)


def test_correlation_with_gold_against_the_statistics_on_the_columns(small):
    run = read_runs([small])
    row = row_of(table(small, "correlation"), "d", "gold", "FAS")
    gold = np.array([a["meta"]["gold"] for a in run.answers])
    expected = correlation(run.column("fas"), gold, clusters=run.units, **FEW)
    assert tuple(row["Spearman ρ"]) == tuple(expected)
    # Model a is better on every question, in gold and in FAS; ROUGE-L says the opposite.
    assert row["same question"].value == 1
    assert row_of(table(small, "correlation"), "d", "gold", "ROUGE-L")["same question"].value == 0
    assert math.isnan(row["AUROC"].value)
    assert math.isnan(row["systems ρ"].value)


def test_binary_gold_has_an_area_under_the_curve_against_a_hand_count(tmp_path):
    rows = [answer(i, [claim(p)], gold=i < 2) for i, p in enumerate((YES, WEAK, WEAK, NO))]
    found = row_of(table(write(tmp_path, rows), "correlation"), "d", "gold", "Support@5")
    # Pairs of a right and a wrong answer: (1, 0), (1, 0) won, (0, 0), (0, 0) tied.
    assert found["AUROC"].value == pytest.approx(0.75)


def test_rankings_against_a_hand_count(small):
    row = row_of(table(small, "rankings"), "FAS", "d")
    assert row["order"] == "a > b"
    assert row["same order"] == "100.0%"
    assert row["Kendall τ"].value == 1


def test_every_table_is_written_in_every_form_with_intervals(small):
    paths = write_tables(small, **FEW)
    assert all(path.is_file() and path.stat().st_size for path in paths)
    stems = {path.stem for path in paths} - {"tables"}
    assert stems == {
        "models", "types", "type_differences", "rankings", "correlation", "differences", "ablations", "ablation_gold",
        "thresholds", "threshold_gold", "passages", "references", "flags",
    }  # fmt: skip
    for stem in stems:
        here = small / "tables"
        header = next(csv.reader(io.StringIO((here / f"{stem}.csv").read_text())))
        assert any(name.endswith("_low") for name in header), stem
        assert "Brackets: 95% interval" in (here / f"{stem}.md").read_text()
        assert r"\bottomrule" in (here / f"{stem}.tex").read_text()
        assert (here / f"{stem}.png").read_bytes().startswith(b"\x89PNG")
        assert ET.parse(here / f"{stem}.svg").getroot().tag.endswith("svg")
    assert small / "tables" / "tables.md" == paths[0]


@pytest.mark.parametrize("sign", ["=", "+", "-", "@", "\t", "\r"])
def test_no_text_of_a_table_is_a_formula_in_a_spreadsheet_and_numbers_stay_numbers(sign):
    table = ResultTable(
        "t", "T", (TableColumn(f"{sign}x", "text"), TableColumn("v")), ((f'{sign}HYPERLINK("http://a")', -0.5),)
    )
    header, row = csv.reader(io.StringIO(to_csv(table), newline=""))
    shown = "'" + sign.replace("\r", "\n")
    assert header[0] == f"{shown}x"
    assert row == [f'{shown}HYPERLINK("http://a")', "-0.5"]


def test_the_command_writes_the_tables_again_and_prints_their_paths(small, capsys):
    assert main(["bench", "tables", str(small), "--n-resamples", "50"]) == 0
    printed = capsys.readouterr().out.split()
    assert printed[0] == str(small / "tables" / "tables.md")
    assert str(small / "tables" / "models.tex") in printed


# Against the pipeline itself: what is recomputed equals what a run with those settings stores.


@pytest.fixture(scope="module")
def answers_file(tmp_path_factory):
    """Six answers with three passages each, for the lexical verifier."""
    path = tmp_path_factory.mktemp("answers") / "answers.jsonl"
    drugs = ("Metformin", "Warfarin", "Aspirin", "Insulin", "Digoxin", "Heparin")
    with path.open("w") as out:
        for i, drug in enumerate(drugs):
            record = {
                "id": str(i),
                "question": f"What does {drug} do?",
                "prediction": f"{drug} lowers the risk of stroke in adults. {drug} does not cause weight gain. "
                f"{drugs[i - 1]} is given with food.",
                "references": [f"{drug} lowers the risk of stroke."],
                "passages": [
                    f"{drug} is a drug.",
                    f"{drug} lowers the risk of stroke in many adults.",
                    f"{drug} does cause weight gain. {drugs[i - 1]} is given with food or milk.",
                ],
                "model": "ab"[i % 2],
                "gold": i,
            }
            out.write(json.dumps(record) + "\n")
    return path


LEXICAL = load_profile("mini").override(
    verify=PartSpec("lexical"), evidence="passages", n_resamples=200, safety=False, precision="fp32"
)


@pytest.fixture(scope="module")
def scored(answers_file, tmp_path_factory):
    folder = tmp_path_factory.mktemp("scored")
    score_file(answers_file, folder, profile=LEXICAL)
    return folder


def same_scores(left, right):
    for name in ("support", "contra", "unsupported", "fas", "fas_evidence", "rougeL", "bertscore_f1"):
        np.testing.assert_array_equal(left.column(name), right.column(name), err_msg=name)


@pytest.mark.parametrize("threshold", [0.5, 0.6, 0.9])
def test_rescored_thresholds_equal_a_run_with_that_threshold(scored, answers_file, tmp_path, threshold):
    score_file(answers_file, tmp_path, profile=LEXICAL.override(threshold=threshold))
    same_scores(rescore_run(read_runs([scored]), threshold=threshold), read_runs([tmp_path]))


def test_one_passage_of_the_stored_ones_equals_a_run_with_k_of_one(scored, answers_file, tmp_path):
    score_file(answers_file, tmp_path, profile=LEXICAL.override(k=1))
    direct = read_runs([tmp_path])
    same_scores(rescore_run(read_runs([scored]), n_passages=1), direct)
    assert direct.k == 1
