"""What loose binding proposes and the NLI model decides."""

# ruff: noqa: E501 - the tables of hypotheses are easier to check on one line

from __future__ import annotations

import math
import re
import subprocess
import sys

import pytest

from fas.records import Answer, Flag
from fas.safety.checker import SafetyChecker
from fas.safety.entailed import Judge, Regression, features, hypotheses, regressions
from fas.safety.loosely import Candidate

ALLOWED = "Leflunomide 20 mg once daily slows the damage to joints. It is perfectly safe in pregnancy and can be taken."
FORBIDDEN = "Leflunomide 20 mg once daily slows the damage to joints. It must never be taken in pregnancy."


@pytest.fixture(scope="module")
def checker():
    return SafetyChecker()


def flag(code: str, target: str) -> Flag:
    return Flag(code, code, "warfarin", None, target, 0, 1, "high", None, "X1", None, "message")


def new(checker: SafetyChecker, text: str, question: str | None = None) -> list[tuple[str, str, str | None]]:
    ((_, found),) = checker.candidates([Answer("1", text, question=question)])
    return [(c.kind, c.flag.flag, c.flag.drug) for c in found]


def test_a_pronoun_in_the_next_sentence_stands_for_the_one_drug_named_before(checker):
    assert ("people", "CONTRAINDICATED", "leflunomide") in new(
        checker, "Leflunomide is taken once a day. Some feel sick at first. It suits people who are pregnant."
    )


def test_a_sentence_that_points_back_to_nothing_speaks_of_no_drug(checker):
    text = "Leflunomide is taken once a day. Ultrasound is used in pregnancy."
    assert new(checker, text) == []


def test_after_two_drugs_a_pronoun_stands_for_neither(checker):
    text = "Leflunomide and warfarin were named. It suits people who are pregnant."
    assert all(drug not in ("leflunomide", "warfarin") for _, _, drug in new(checker, text))


def test_an_amount_in_the_next_sentence_is_one_of_the_drug_named_before(checker):
    text = "Lithium carbonate is dosed by the level. For maintenance take 1500 mg three times a day."
    assert ("dose", "DOSE_ABOVE_MAX", "lithium") in new(checker, text)


def test_what_the_rules_raise_is_no_candidate(checker):
    text = "You can take leflunomide 20 mg once daily."
    ((every, fresh),) = checker.candidates([Answer("1", text, question="I am pregnant. May I take leflunomide?")])
    assert fresh == []
    assert all(c.kind == "people" or c.flag.drug == "leflunomide" for c in every)


@pytest.mark.parametrize(
    ("kind", "code", "target", "first", "last"),
    [
        ("people", "PREGNANCY_RISK", "pregnancy", "Warfarin can be taken by pregnant women.", "Warfarin can harm pregnant women."),
        ("people", "AGE_RESTRICTED", "age_years<12", "Warfarin can be taken by children under 12.", "Warfarin can harm children under 12."),
        ("people", "POPULATION_RISK", "asthma", "Warfarin can be taken by patients with asthma.", "Warfarin can harm patients with asthma."),
        ("patient", "INTERACTION", "aspirin", "The patient can take warfarin with aspirin.", "Warfarin with aspirin can harm the patient."),
        ("dose", "DOSE_ABOVE_MAX", "9>5 mg/day", "The patient can take warfarin at this dose.", "This dose of warfarin is too high."),
    ],
)  # fmt: skip
def test_hypotheses_name_the_drug_and_whom_it_is_for(checker, kind, code, target, first, last):
    found = hypotheses(Candidate(kind, flag(code, target), "A sentence."), checker.conditions)
    assert (found[0], found[3]) == (first, last)


def test_the_probability_is_the_logistic_of_the_weighted_sum():
    regression = Regression("m", (2.0, -1.0), 0.5, {"people": 0.5, "patient": 0.5, "dose": 0.5})
    assert regression.probability([1.0, 3.0]) == pytest.approx(1 / (1 + math.exp(0.5)))


def test_features_are_log_odds_words_and_the_kind():
    even = [0.0, 0.0, 0.0]
    row = features([even, even, even, even], "It is unsafe.", "dose")
    assert row[:8] == pytest.approx([-math.log(2)] * 8)  # a third each
    assert row[8:] == [0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0]
    far = features([[90.0, 0.0, 0.0]] * 4, "It is safe.", "people")
    assert far[0] == pytest.approx(8.0)  # no farther


def test_every_regression_has_a_weight_for_each_feature():
    n = len(features([[0.0, 0.0, 0.0]] * 4, "", "people"))
    for name, fitted in regressions().items():
        assert len(fitted.weights) == n
        assert fitted.model.startswith(name)


def test_what_the_text_bears_out_becomes_a_flag_that_says_how_it_was_read(checker):
    by_rules = SafetyChecker(nli=None)
    told = {f.flag for f in checker.check([Answer("1", ALLOWED)])[0]}
    (kept,) = [f for f in checker.check([Answer("1", ALLOWED)])[0] if f.drug == "leflunomide"]
    assert "CONTRAINDICATED" in told
    assert ALLOWED[kept.start : kept.end].startswith("It is perfectly safe")
    if not by_rules.check([Answer("1", ALLOWED)])[0]:
        assert re.search(r"; read by fas-nli-mini@\d+, 0\.\d\d$", kept.message)


def test_what_the_text_speaks_against_raises_nothing(checker):
    assert checker.check([Answer("1", FORBIDDEN)]) == [()]


def test_the_signature_names_the_model_and_without_one_none(checker):
    assert re.search(r",nli=fas-nli-mini@\d+\]$", checker.signature)
    assert "nli" not in SafetyChecker(nli=None).signature


def test_a_model_without_a_regression_is_refused_with_those_that_have_one():
    with pytest.raises(ValueError, match="for the NLI model 'other'; there are fas-nli-base, fas-nli-mini"):
        Judge("other")


def test_no_model_is_loaded_while_there_is_nothing_to_judge():
    code = (
        "import sys; from fas.records import Answer; from fas.safety.checker import SafetyChecker; "
        "SafetyChecker().check([Answer('1', 'Drink water. Metformin lowers glucose.')]); "
        "assert 'fas.models.nli' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
