"""Controls: made of the run's own passages, judged beside the score and never in it, the same in any order."""

import json
import random
from dataclasses import replace

import pytest

from fas.api import score_file
from fas.bench.controls import make_panel
from fas.core.profile import load_profile
from fas.core.records import Case, Claim, MetricSummary, Passage
from fas.core.records.signature import Signature
from fas.pipeline.runs import controls
from fas.report.compare import list_different_settings
from fas.results.report import read_report

PASSAGES = [
    f"{drug} lowered systolic blood pressure by {8 + n} mm Hg in {100 + n} adults with hypertension. "
    f"Adverse events were more frequent with {drug}, and {n + 2} patients stopped treatment because of cough."
    for n, drug in enumerate(("Lisinopril", "Amlodipine", "Losartan", "Ramipril", "Atenolol", "Enalapril"))
]
CASES = [
    Case(Claim(f"The drug number {n} is taken every morning."), (Passage(text, id=str(n)),), f"Question {n}?", None)
    for n, text in enumerate(PASSAGES)
]


def sample_of(cases):
    sample = controls.ControlSample()
    sample.take(cases)
    return sample


def test_a_panel_quotes_changes_and_takes_claims_of_other_questions():
    panel = make_panel(sample_of(CASES))
    assert {one.kind for one in panel} == {"quoted", "changed", "other"}
    for one in panel:
        if one.kind == "quoted":
            assert one.claim in one.passage.text
        elif one.kind == "changed":
            assert one.source in one.passage.text
            assert one.claim != one.source
            # One place differs: what stands before and behind it is the same.
            words, source = one.claim.split(), one.source.split()
            same = sum(a == b for a, b in zip(words, source, strict=False))
            assert len(words) == len(source)
            assert same >= len(source) - 2
        else:
            asked = next(case.question for case in CASES if case.claim.text == one.claim)
            assert next(case.question for case in CASES if case.passages[0] == one.passage) != asked


def test_sentences_that_ask_or_tell_of_their_writer_are_not_quoted():
    found = "Zinc shortened colds by 2 days in 120 adults."
    texts = [
        f"To determine whether zinc shortens colds in {n} adults. {found} I was very interested in zinc for a while."
        for n in range(100, 140)
    ]
    cases = [Case(Claim("Zinc helps."), (Passage(text),), "Does zinc help?", None) for text in texts]
    quoted = [one.claim for one in make_panel(sample_of(cases)) if one.kind == "quoted"]
    assert len(quoted) == 20
    assert set(quoted) == {found}


def test_the_panel_is_the_same_in_any_order_and_chunking():
    shuffled = random.Random(1).sample(CASES, len(CASES))
    sample = controls.ControlSample()
    for case in shuffled:
        sample.take([case, case])
    assert make_panel(sample) == make_panel(sample_of(CASES))


def test_so_many_texts_are_kept_as_are_needed_and_the_same_ones():
    many = [Case(Claim(f"Claim {n}."), (Passage(f"Passage {n}."),), None, None) for n in range(500)]
    kept = sample_of(many).passages
    assert len(kept) < 100
    assert kept == sample_of(many[::-1]).passages
    assert [one.key for one in kept] == sorted(one.key for one in kept)


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    source = folder / "answers.jsonl"
    rows = [
        {"id": str(n), "question": f"Question {n}?", "prediction": f"{PASSAGES[n % 6].partition('. ')[0]}.",
         "passages": [PASSAGES[n % 6]]}
        for n in range(20)
    ]  # fmt: skip
    source.write_text("".join(json.dumps(row) + "\n" for row in rows))
    profile = replace(load_profile("mini"), safety=False)
    plain = score_file(source, folder / "plain", profile=profile)
    checked = score_file(source, folder / "checked", profile=profile, controls=make_panel)
    return folder, source, profile, plain, checked


def test_controls_change_no_score_and_stand_in_report_record_and_signature(runs):
    folder, _, _, plain, checked = runs
    assert (folder / "plain" / "scores.jsonl").read_bytes() == (folder / "checked" / "scores.jsonl").read_bytes()
    assert plain.metrics == checked.metrics
    assert not plain.controls
    assert "controls" not in Signature.of(plain.signature).fields
    written = json.loads((folder / "checked" / "controls.json").read_text())
    assert Signature.of(checked.signature).fields["controls"] == written["controls"]
    assert written["controls"].startswith(f"{len(written['records'])}-")
    assert read_report(folder / "checked").controls == checked.controls
    assert "controls of this run" in (folder / "checked" / "report.html").read_text()
    assert list_different_settings(plain.signature, checked.signature) == {}


def test_rates_are_counted_from_the_records_with_wilsons_interval(runs):
    from scipy.stats import binomtest

    folder, *_, checked = runs
    records = json.loads((folder / "checked" / "controls.json").read_text())["records"]
    quoted = [one["label"] for one in records if one["kind"] == "quoted"]
    found = checked.controls["supports_found"]
    expected = binomtest(quoted.count("supported"), len(quoted)).proportion_ci(method="wilson")
    assert (found.mean, found.n) == (quoted.count("supported") / len(quoted), len(quoted))
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))


def test_a_finished_run_keeps_its_controls_and_a_run_over_few_answers_has_none(runs, tmp_path):
    folder, source, profile, _, checked = runs
    again = score_file(source, folder / "checked", profile=profile, controls=make_panel)
    assert (again.controls, again.signature) == (checked.controls, checked.signature)
    few = tmp_path / "few.jsonl"
    few.write_text("".join(source.read_text().splitlines(keepends=True)[:3]))
    assert not score_file(few, tmp_path / "few", profile=profile, controls=make_panel).controls
    assert not (tmp_path / "few" / "controls.json").exists()


def test_only_a_rate_that_lies_wholly_beyond_the_usual_range_is_told():
    usual = controls.read_usual_rates()
    verifier = next(iter(usual))
    rates = {
        "supports_found": MetricSummary(0.1, 0.02, 0.3, 20),
        "contradictions_found": MetricSummary(usual[verifier]["contradictions_found"][0] - 0.05, 0.0, 0.99, 20),
        "false_support": MetricSummary(0.9, 0.8, 0.97, 40),
    }
    notes = controls.compare_with_usual(rates, f"nli[{verifier},t=0.55]")
    assert len(notes) == 2
    assert "supports found 10% [2%, 30%] is below" in notes[0]
    assert "false support 90% [80%, 97%] is above" in notes[1]
    assert controls.compare_with_usual(rates, "lexical") == []
