"""The rule tables themselves, and what a damaged one is told."""

import re
import shutil

import pytest

from fas.core.errors import InputError
from fas.safety.rules import read_rules, rule_folder


@pytest.fixture(scope="module")
def book():
    return read_rules(rule_folder())


@pytest.fixture
def copy(tmp_path):
    return shutil.copytree(rule_folder(), tmp_path / "rules")


def test_no_row_claims_a_review_that_no_clinician_made(book):
    for name in (
        "contraindications",
        "pairs",
        "pregnancy",
        "age_limits",
        "max_daily_dose",
        "boxed_warnings",
        "allergies",
    ):
        lines = (rule_folder() / f"{name}.tsv").read_text().splitlines()
        column = lines[0].split("\t").index("review")
        assert {line.split("\t")[column] for line in lines[1:]} == {"unreviewed"}


def test_known_identifiers_against_rxnorm(book):
    # From RxNorm: metformin 6809, warfarin 11289, ibuprofen 5640, lisinopril 29046.
    assert [book.vocabulary.rxcui(n) for n in ("metformin", "warfarin", "ibuprofen", "lisinopril")] == [
        "6809",
        "11289",
        "5640",
        "29046",
    ]


DAMAGE = [
    ("contraindications.tsv", "metformin\tdiabetic_ketoacidosis", "metformine\tdiabetic_ketoacidosis", "drug",
     "not in ingredients.tsv"),
    ("contraindications.tsv", "metformin\tdiabetic_ketoacidosis", "metformin\tketo", "target",
     "not a key of conditions.tsv"),
    ("pairs.tsv", "class:nitrates_and_donors", "class:nitrats", "partner", "not in classes.tsv"),
    ("conditions.tsv", "egfr<60", "egrf<60", "measure", "no measurement is called 'egrf'"),
    ("conditions.tsv", r"\basthma(?:tic)?\b", r"\basthma(?:tic?\b", "patterns", "not a regular expression"),
    ("max_daily_dose.tsv", "\t4000\tmg/day", "\tmuch\tmg/day", "max", "expected the form"),
    ("classes.tsv", "lisinopril; enalapril", "lisinopril; enalapryl", "members", "not in ingredients.tsv"),
    ("names.tsv", "\tbrand\tacetaminophen\t", "\tbrandt\tacetaminophen\t", "kind", "allowed: brand"),
]  # fmt: skip


@pytest.mark.parametrize(("table", "good", "bad", "field", "words"), DAMAGE)
def test_a_damaged_cell_is_named_by_line_and_column(copy, table, good, bad, field, words):
    path = copy / table
    text = path.read_text()
    assert good in text
    line = text[: text.index(good)].count("\n") + 1
    path.write_text(text.replace(good, bad, 1))
    with pytest.raises(
        InputError, match=rf"{re.escape(table)}, line {line}: field '{field}'.*{re.escape(words)}"
    ) as caught:
        read_rules(copy)
    assert (caught.value.line, caught.value.field) == (line, field)
