"""Claims kept on disk: the same claims, and never those of other rules, another parser or another question."""

from __future__ import annotations

import ast
import shutil
from pathlib import Path

import pytest

import fas.claims
from fas.claims import cached
from fas.claims.cached import ClaimCache, rules_digest
from fas.claims.extractor import SpacyClauses
from fas.models.parser import load_parser
from fas.models.paths import model_folder
from fas.records import Answer, Claim

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


def test_equal_answers_are_read_once_and_known_ones_not_at_all(fresh_cache):
    extract, asked = counting(SpacyClauses(nlp=load_parser()).extract)
    first = ClaimCache("fas-en-mini").extract(ANSWERS, extract)
    assert asked == ["1", "2", "3", "4", "5"]
    again = ClaimCache("fas-en-mini").extract([*ANSWERS, Answer("7", "Statins lower cholesterol.")], extract)
    assert asked == ["1", "2", "3", "4", "5", "7"]
    assert again[:6] == first


def test_every_field_of_a_claim_comes_back(fresh_cache):
    claims = [Claim("a", 1, 2, "b", None), Claim("c", None, None, None, "failed")]
    keep = ClaimCache("fas-en-mini")
    assert keep.extract([Answer("1", "x")], lambda answers: [claims]) == [claims]
    assert keep.extract([Answer("1", "x")], lambda answers: pytest.fail("it is known")) == [claims]


def test_an_answer_that_fails_keeps_nothing(fresh_cache):
    def fail(answers):
        raise RuntimeError("no memory")

    keep = ClaimCache("fas-en-mini")
    with pytest.raises(RuntimeError, match="no memory"):
        keep.extract([Answer("1", "x")], fail)
    assert keep.extract([Answer("1", "x")], lambda answers: [[]]) == [[]]


def test_other_rules_meet_no_old_claims(fresh_cache, monkeypatch):
    extract, asked = counting(lambda answers: [[] for _ in answers])
    ClaimCache("fas-en-mini").extract(ANSWERS[:1], extract)
    monkeypatch.setattr(cached, "rules_digest", lambda: "other rules")
    ClaimCache("fas-en-mini").extract(ANSWERS[:1], extract)
    assert asked == ["1", "1"]


def test_other_weights_meet_no_old_claims(fresh_cache, tmp_path, monkeypatch):
    folder = tmp_path / "parser"
    shutil.copytree(model_folder("fas-en-mini"), folder)
    (folder / "meta.json").write_text((folder / "meta.json").read_text() + "\n")
    extract, asked = counting(lambda answers: [[] for _ in answers])
    ClaimCache("fas-en-mini").extract(ANSWERS[:1], extract)
    monkeypatch.setattr(cached, "model_folder", lambda name: folder)
    ClaimCache("fas-en-mini").extract(ANSWERS[:1], extract)
    assert asked == ["1", "1"]


def test_the_digest_covers_every_module_that_makes_claims():
    """Modules of `fas` that the rules import, and what those import, or the cache would keep claims of old code."""
    package = Path(fas.claims.__file__).parent
    covered = {*package.glob("*.py"), *(package.parent / "reading").glob("*.py")}
    covered |= {package.parent / name for name in cached.BUILT_ON}
    # Where files lie, the cache, when something is loaded, names of parts, how long reading may take: none
    # of it decides what a claim says.
    # `given` makes none.
    harmless = {"fas.cache", "fas.models.paths", "fas.parts", "fas.parts.counts", "fas.models.nli", "fas.loading"}
    # `records.claim_faults` names the faults that a claim can have, and takes none away.
    harmless |= {"fas.records.signature", "fas.records.digests", "fas.records.claim_faults", "fas.text.time_limit"}
    for path in covered - {package.parent / "records" / "__init__.py"}:  # it holds claims and makes none
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [node.module] if isinstance(node, ast.ImportFrom) and node.module else []
            for name in names:
                if name.split(".")[0] != "fas" or name.startswith("fas.claims.llm") or name in harmless:
                    continue
                file = package.parent.parent / Path(*name.split("."))
                file = file / "__init__.py" if file.is_dir() else file.with_suffix(".py")
                assert file in covered or name == "fas.claims", (
                    f"{path.name} imports {name}, which the digest leaves out"
                )


def test_the_digest_is_the_same_each_time_and_moves_with_a_rule(tmp_path, monkeypatch):
    before = rules_digest()
    rules_digest.cache_clear()
    assert rules_digest() == before
    copy = tmp_path / "fas"
    for folder in ("claims", "reading"):
        shutil.copytree(Path(cached.__file__).parents[1] / folder, copy / folder)
    for name in cached.BUILT_ON:
        (copy / name).parent.mkdir(exist_ok=True)
        shutil.copy(Path(cached.__file__).parents[1] / name, copy / name)
    monkeypatch.setattr(cached, "__file__", str(copy / "claims" / "cached.py"))
    rules_digest.cache_clear()
    assert rules_digest() == before
    (copy / "claims" / "wording.py").write_text("# changed\n")
    rules_digest.cache_clear()
    changed = rules_digest()
    assert changed != before
    (copy / "reading" / "blocks.py").write_text("# changed\n")
    rules_digest.cache_clear()
    assert rules_digest() not in {before, changed}
    rules_digest.cache_clear()


def test_other_parsers_are_not_kept(fresh_cache):
    SpacyClauses(nlp=load_parser()).extract(ANSWERS)
    SpacyClauses(model=str(model_folder("fas-en-mini"))).extract(ANSWERS)
    SpacyClauses(cache=False).extract(ANSWERS)
    assert not (fresh_cache / "claims.sqlite").exists()
