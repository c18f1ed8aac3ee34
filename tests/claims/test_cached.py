"""Claims kept on disk: the same claims, and never those of other rules, another parser or another question."""

from __future__ import annotations

import shutil
from pathlib import Path

from fas.claims import cached
from fas.claims.cached import ClaimCache, rules_digest
from fas.claims.extractor import SpacyClauses
from fas.core.records import Answer
from fas.models.parser import load_parser

ANSWERS = [
    Answer("1", "Aspirin thins the blood and can irritate the stomach.", "What does aspirin do?"),
    Answer("2", "Yes.", "Does ibuprofen relieve pain?"),
    Answer("3", "Yes.", None),
    Answer("4", ""),
    Answer("5", "A lone surrogate \ud800 follows metformin, which lowers blood sugar."),
    Answer("6", "Aspirin thins the blood and can irritate the stomach.", "What does aspirin do?"),
]


def counting(extract):
    """*extract*, and the ids of the answers it was asked for."""
    asked = []

    def counted(answers):
        asked.extend(answer.id for answer in answers)
        return extract(answers)

    return counted, asked


def test_claims_from_the_cache_are_those_of_the_rules(fresh_cache):
    plain = SpacyClauses(nlp=load_parser()).extract(ANSWERS)
    assert any(plain)
    cached = SpacyClauses()
    assert cached.extract(ANSWERS) == plain
    assert SpacyClauses().extract(ANSWERS) == plain
    assert (fresh_cache / "claims.sqlite").is_file()


def test_other_rules_meet_no_old_claims(fresh_cache, monkeypatch):
    extract, asked = counting(lambda answers: [[] for _ in answers])
    ClaimCache("fas-en-mini").extract(ANSWERS[:1], extract)
    monkeypatch.setattr(cached, "rules_digest", lambda: "other rules")
    ClaimCache("fas-en-mini").extract(ANSWERS[:1], extract)
    assert asked == ["1", "1"]


def test_the_digest_is_the_same_each_time_and_moves_with_a_rule(tmp_path, monkeypatch):
    before = rules_digest()
    rules_digest.cache_clear()
    assert rules_digest() == before
    copy = tmp_path / "fas"
    for folder in ("claims", "text/reading"):
        shutil.copytree(Path(cached.__file__).parents[1] / folder, copy / folder)
    for name in cached.BUILT_ON:
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(Path(cached.__file__).parents[1] / name, copy / name)
    monkeypatch.setattr(cached, "__file__", str(copy / "claims" / "cached.py"))
    rules_digest.cache_clear()
    assert rules_digest() == before
    (copy / "claims" / "wording.py").write_text("# changed\n")
    rules_digest.cache_clear()
    changed = rules_digest()
    assert changed != before
    (copy / "text" / "reading" / "blocks.py").write_text("# changed\n")
    rules_digest.cache_clear()
    assert rules_digest() not in {before, changed}
    rules_digest.cache_clear()
