"""What numbers say, put into words: every expectation was worked out by hand."""

from __future__ import annotations

import json
import shutil

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tiny_classifiers import bert

from fas.core.records import Claim, Pair, Passage
from fas.models.nli import READS_PASSAGES_KEY, NliModel
from fas.models.readout import CONFIG_KEY, VERSION, notes_on, read_out, read_out_part
from fas.verify.nli import NliVerifier


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # two shares
        ("Rash was seen in 4% on cefdinir and in 9.5% on amoxicillin.",
         "Rash was seen in 4% (lower) on cefdinir and in 9.5% (higher) on amoxicillin."),
        # counts are compared as shares: 20 of 400 are fewer than 15 of 100
        ("Relapse: 20 of 400 on A, 15 of 100 on B.", "Relapse: 20 of 400 (lower) on A, 15 of 100 (higher) on B."),
        ("Deaths were 3/90 with and 7/88 without.", "Deaths were 3/90 (lower) with and 7/88 (higher) without."),
        ("Seven of 31 boys and 12 of 30 girls relapsed.",
         "Seven of 31 (lower) boys and 12 of 30 (higher) girls relapsed."),
        # the same share told twice counts once
        ("Cure was reached by 30 of 60 (50%) on A and 45 of 60 (75%) on B.",
         "Cure was reached by 30 of 60 (50%) (lower) on A and 45 of 60 (75%) (higher) on B."),
        # means, with spreads and intervals left alone
        ("Mean stay was 6.1 ± 2.0 days at home and 4.9 ± 1.8 days in hospital.",
         "Mean stay was 6.1 (higher) ± 2.0 days at home and 4.9 (lower) ± 1.8 days in hospital."),
        ("Median age was 61 years (IQR 50-70) in one and 58 years (IQR 49-66) in the other.",
         "Median age was 61 (higher) years (IQR 50-70) in one and 58 (lower) years (IQR 49-66) in the other."),
        # the unit stands behind the second number alone
        ("Glucose was 110 and 131 mg/dL.", "Glucose was 110 (lower) and 131 (higher) mg/dL."),
        # thousands, raised points, a minus sign of its own
        ("Steps were 3,250 before and 9,100 after.", "Steps were 3,250 (lower) before and 9,100 (higher) after."),
        ("It was 0·46 in one and 0·71 in the other.", "It was 0·46 (lower) in one and 0·71 (higher) in the other."),
        ("Weight changed by -5.9 kg on diet and -2.1 kg on pills.",
         "Weight changed by -5.9 (larger fall) kg on diet and -2.1 (smaller fall) kg on pills."),
        ("Scores changed by −1.5 on A and +0.5 on B.", "Scores changed by −1.5 (lower) on A and +0.5 (higher) on B."),
        ("It was 5% with A and 5% with B.", "It was 5% (the same) with A and 5% (the same) with B."),
        # three groups
        ("Response was 17%, 38% and 52% on placebo, 15 mg and 30 mg.",
         "Response was 17% (lowest), 38% and 52% (highest) on placebo, 15 mg and 30 mg."),
        # each half of a sentence by itself, and both together where neither says anything alone
        ("Pain: 12% vs 74%; fever: 9% vs 3%.", "Pain: 12% (lower) vs 74% (higher); fever: 9% (higher) vs 3% (lower)."),
        ("Of 80 on A, 5% fell; of 90 on B, 12%.", "Of 80 on A, 5% (lower) fell; of 90 on B, 12% (higher)."),
        # couples set side by side
        ("Nausea was 4% vs 9%, vomiting 7% vs 2%.",
         "Nausea was 4% (lower) vs 9% (higher), vomiting 7% (higher) vs 2% (lower)."),
        # change
        ("HbA1c fell from 8.1% to 7.0%.", "HbA1c fell from 8.1% to 7.0% (lower)."),
        ("It went from 10 to 40 on A and from 12 to 9 on B.",
         "It went from 10 to 40 (higher, changed more) on A and from 12 to 9 (lower, changed less) on B."),
        ("Uptake rose from 25% to 32%, an increase of 7%.", "Uptake rose from 25% to 32% (higher), an increase of 7%."),
        # so many among so many are a share
        ("Croup: 9 severe cases among 3,000 infants and 40 among 2,800.",
         "Croup: 9 severe cases among 3,000 (lower) infants and 40 among 2,800 (higher)."),
        # but not of people who stand elsewhere: 3 of 200 is not what is said
        ("Falls were 3 in one ward and 5 in the other among 200 residents.",
         "Falls were 3 (lower) in one ward and 5 (higher) in the other among 200 residents."),
        # what had to be reached is no result
        ("A loss of at least 5% was seen in 18% at once and 33% later.",
         "A loss of at least 5% was seen in 18% (lower) at once and 33% (higher) later."),
        ("A score of 10 or more: 12% here, 30% there.", "A score of 10 or more: 12% (lower) here, 30% (higher) there."),
        # a denominator neither
        ("eGFR, mL/min/1.73 m2: 48 with and 55 without.",
         "eGFR, mL/min/1.73 m2: 48 (lower) with and 55 (higher) without."),
        # of two falls told with "by" the one further from zero is the larger
        ("The score changed by -4.1 points on A and by -6.0 points on B.",
         "The score changed by -4.1 (by less) points on A and by -6.0 (by more) points on B."),
        ("Weight changed by -2 kg on A and by +3 kg on B.",
         "Weight changed by -2 (lower) kg on A and by +3 (higher) kg on B."),
        # a group's number beside the next count is no range of groups
        ("Croup was seen in 6/60 in group 1, 14/60 in group 2 and 27/60 in group 3.",
         "Croup was seen in 6/60 (lowest) in group 1, 14/60 in group 2 and 27/60 (highest) in group 3."),
        # the unit of the last is that of all
        ("Glucose was 174, 216 and 295 mg/dL in the three groups.",
         "Glucose was 174 (lowest), 216 and 295 (highest) mg/dL in the three groups."),
        # two couples side by side
        ("Cough was seen in 7% and 5%, and rash in 1% and 8%.",
         "Cough was seen in 7% (higher) and 5% (lower), and rash in 1% (lower) and 8% (higher)."),
    ],
)  # fmt: skip
def test_what_belongs_together_is_compared(text, expected):
    assert read_out(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("They differed (P = 0.03).", "They differed (P = 0.03, significant)."),
        ("They differed (p=.58).", "They differed (p=.58, not significant)."),
        ("They differed (P<0.001).", "They differed (P<0.001, significant)."),
        ("They differed (P < .05).", "They differed (P < .05, significant)."),
        ("They differed (p>0.05).", "They differed (p>0.05, not significant)."),
        # more than 0.01 may still be less than 0.05
        ("They differed (p > 0.01).", "They differed (p > 0.01)."),
        ("It fell by 11.7 months on A and by 3.3 months on B.",
         "It fell by 11.7 (by more) months on A and by 3.3 (by less) months on B."),
        ("They differed (P = NS).", "They differed (P = NS, not significant)."),
        ("The P value was 0.20.", "The P value was 0.20, not significant."),
        # 0.05 itself is not below it
        ("They differed (P = 0.05).", "They differed (P = 0.05, not significant)."),
        ("The hazard ratio for death was 0.71 (95% CI 0.55 to 0.92).",
         "The hazard ratio for death was 0.71 (95% CI 0.55 to 0.92, significantly lower)."),
        ("Risk rose (OR 1.9; 1.2-3.1).", "Risk rose (OR 1.9; 1.2-3.1, significantly higher)."),
        ("The relative risk was 1.61 for A versus B (95% CI, 0.91-3.05).",
         "The relative risk was 1.61 for A versus B (95% CI, 0.91-3.05, no significant difference)."),
        ("The odds ratio at 30 days was 2.5 (1.1–4.0).",
         "The odds ratio at 30 days was 2.5 (1.1–4.0, significantly higher)."),
        ("The rate ratio was 0.45.", "The rate ratio was 0.45, lower."),
        ("The difference was 12 points (95% CI 4 to 21).",
         "The difference was 12 points (95% CI 4 to 21, significant)."),
        ("The mean difference was 1.0 kg (95% CI -0.5 to 2.5).",
         "The mean difference was 1.0 kg (95% CI -0.5 to 2.5, not significant)."),
    ],
)  # fmt: skip
def test_significance_is_told(text, expected):
    assert read_out(text) == expected


@given(st.floats(0.1, 99, allow_nan=False), st.floats(0.1, 99, allow_nan=False))
def test_the_larger_of_two_shares_is_called_higher(first, second):
    one, two = f"{first:.1f}", f"{second:.1f}"
    words = {-1: ("lower", "higher"), 0: ("the same", "the same"), 1: ("higher", "lower")}[
        (float(one) > float(two)) - (float(one) < float(two))
    ]
    said = read_out(f"Bleeding occurred in {one}% with A and {two}% with B.")
    assert said == f"Bleeding occurred in {one}% ({words[0]}) with A and {two}% ({words[1]}) with B."


@pytest.fixture(scope="module")
def plain_and_told(tmp_path_factory):
    """One checkpoint twice; the second says that it was trained on premises read out."""
    plain, told = tmp_path_factory.mktemp("plain"), tmp_path_factory.mktemp("told")
    bert(plain, positions=2048)
    bert(told, positions=2048)
    config = json.loads((told / "config.json").read_text())
    (told / "config.json").write_text(json.dumps({**config, CONFIG_KEY: VERSION}))
    return plain, told


def test_the_verifier_reads_a_piece_as_the_whole_record_is_read(plain_and_told, tmp_path):
    folder = tmp_path / "reads-passages"
    shutil.copytree(plain_and_told[1], folder)
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, READS_PASSAGES_KEY: True}))
    filler = " ".join(f"Item {letter} 5/50 (10.00%)" for letter in "abcdefghijklmnopqrstuvwxyz" * 3)
    first = f"Adverse Events 1: Rash 9/50 (18.00%) {filler}"
    text = f"{first} Adverse Events 2: {filler} Gout 0/50 (0.00%) Rash 2/50 (4.00%)"
    pair = Pair(Claim("The rash was in 2."), Passage(text))
    verifier = NliVerifier(model=str(folder), max_length=2048, cache=False)
    piece = verifier.parts(pair)[-1]
    assert piece.text.endswith("Gout 0/50 (0.00%) Rash 2/50 (4.00%)")
    assert "Adverse Events 1" not in piece.text
    told = read_out_part(text, notes_on(text), piece.start, piece.end)
    assert told.endswith("Gout 0/50 (0.00%) (none) Rash 2/50 (4.00%) (lower)")  # than in the group that is not read
    logits = verifier._nli.logits([(told, pair.claim.text)], told=True)[0].astype(float)
    assert np.abs(verifier._nli.logits([(piece.text, pair.claim.text)])[0] - logits).max() > 5e-5
    p = np.exp(logits) / np.exp(logits).sum()
    assert verifier.windows_read(pair).probabilities[-1] == pytest.approx(p.tolist(), abs=1e-6)


@pytest.mark.parametrize(
    ("one", "other"),
    # Of apixaban and warfarin version 13 has one of the statements wrong (its card).
    [("drug A", "drug B"), ("surgery", "medication"), ("statins", "placebo")],
)
def test_the_embedded_verifier_reads_of_two_shares_which_is_higher(one, other):
    model = NliModel("fas-nli-mini")
    assert model.reads_out
    claims = (f"Bleeding was less common with {one} than with {other}.", f"{other} caused more bleeding than {one}.")
    for claim in claims:
        premises = (
            f"Bleeding occurred in 9.2% with {one} and 11.3% with {other}.",
            f"Bleeding occurred in 11.3% with {one} and 9.2% with {other}.",
        )
        logits = model.logits([(premise, claim) for premise in premises])
        assert logits[0, 0] > logits[0, 2], claim
        assert logits[1, 0] < logits[1, 2], claim
