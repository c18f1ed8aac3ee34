"""The checker on odd input: offsets, languages, size, control characters."""

import re
import shutil
from pathlib import Path

import pytest

import fas.safety.checker as module
from fas.core.records import Answer
from fas.core.records.signature import PartSignature
from fas.safety.checker import SafetyChecker
from fas.safety.rules import rule_folder


def check(checker, text, question=None):
    return checker.check([Answer(id="1", prediction=text, question=question)])[0]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   \n\n ",
        "Rest and drink water.",
        "\x00\x07\x1b[31m",
        "¿Qué tomo? Tome agua.",
        "服用足够的水",
        "💊" * 200,
        "|" * 500,
        "\ud800 alone",
    ],
)
def test_answers_without_a_drug_have_no_flag(checker, text):
    assert check(checker, text, "What now?") == ()


def test_spans_are_code_points_of_the_original_also_after_characters_that_fold_to_several(checker):
    text = "Eﬃcient.\n💊\nTake ibuprofen\u00ae for the pain."
    (flag,) = check(checker, text)
    assert flag.code == "MISSING_DOSAGE.amount"
    assert "ibuprofen" in text[flag.start : flag.end]
    assert text[flag.start : flag.end].startswith("Take")


def test_a_flag_names_rule_source_and_a_sentence_for_a_clinician(checker):
    (flag,) = check(checker, "You can take metformin 500 mg twice daily even if your eGFR is 20.")
    assert flag.flag == "CONTRAINDICATED"
    assert (flag.rxcui, flag.target, flag.severity) == ("6809", "severe_renal_impairment", "high")
    assert flag.rule.startswith("CI")
    assert "label" in flag.source
    assert "eGFR is 20" in flag.message
    assert "Contraindications" in flag.message


def test_the_signature_is_the_version_of_the_rules_with_the_digests_of_tables_and_code(checker):
    assert re.fullmatch(r"rules@20[\d.]+\[tables=[0-9a-f]{8},engine=[0-9a-f]{8}\]", checker.signature)


def test_the_signature_moves_with_a_row_of_a_table_and_with_a_line_of_code(checker, tmp_path, monkeypatch):
    copied = shutil.copytree(rule_folder(), tmp_path / "rules")
    assert SafetyChecker(rules=copied).signature == checker.signature
    with (copied / "ranges.tsv").open("a", encoding="utf-8") as table:
        table.write("\n")
    tables, engine = PartSignature.of(SafetyChecker(rules=copied).signature).settings
    assert tables != PartSignature.of(checker.signature).settings[0]
    assert engine == PartSignature.of(checker.signature).settings[1]
    code = shutil.copytree(Path(module.__file__).parents[1], tmp_path / "fas", ignore=shutil.ignore_patterns("fas_*"))
    monkeypatch.setattr(module, "__file__", str(code / "safety" / "checker.py"))
    before = module.engine_digest.__wrapped__()
    assert before.startswith(engine.removeprefix("engine="))
    (code / "safety" / "context.py").write_text("# changed\n", encoding="utf-8")
    assert module.engine_digest.__wrapped__() != before


def test_a_recommendation_that_also_warns_is_inconsistent(checker):
    question = "I have asthma and migraine. What prevents migraine?"
    text = "Propranolol 40 mg twice daily works well, although it should be avoided in asthma."
    assert [f.status for f in check(checker, text, question)] == ["inconsistent"]
