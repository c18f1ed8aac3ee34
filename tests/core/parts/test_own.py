"""A user's own parts: the ways to give them, and their errors."""

from __future__ import annotations

import json

import pytest

import fas
from fas.cli import main
from fas.core.errors import PartBroken, ProfileError
from fas.core.parts import extractors, retrievers, verifiers
from fas.core.profile import PartSpec
from fas.core.records import Claim, Judgement, Passage, Retrieval
from fas.detectors.records import DetectedFinding, Findings

ROW = {"prediction": "Rest helps.", "passages": ["Rest helps."]}


class Certain:
    signature = "certain[1]"
    needs_evidence = True

    def __init__(self, p=0.9):
        self.p = p

    def verify(self, pairs):
        return [Judgement(self.p, 0.0) for _ in pairs]


class Halves:
    signature = "halves[1]"

    def extract(self, answers):
        return [[Claim(a.prediction[:4], 0, 4)] for a in answers]


def score(**parts):
    return fas.score_answers([ROW], safety=False, n_resamples=20, **{"claims": "sentences", "verify": Certain, **parts})


def test_a_part_is_given_by_name_as_a_class_or_as_an_instance():
    for verify, p in ((Certain, 0.9), (Certain(0.8), 0.8), (lambda: Certain(0.75), 0.75), (PartSpec("lexical"), 1.0)):
        (verdict,) = score(verify=verify).answers[0].verdicts
        assert verdict.p_support == p
    assert score(verify="lexical").answers[0].verdicts[0].p_support == 1.0
    assert [v.claim.text for v in score(claims=Halves()).answers[0].verdicts] == ["Rest"]
    assert "verify:certain[1,t=0.55,tc=0.70]" in score().signature


@pytest.mark.parametrize("wrong", [3, [], object()])
def test_what_is_no_part_is_refused(wrong):
    with pytest.raises(ProfileError, match="must be a verifier: a name, a PartSpec, a class or an instance"):
        score(verify=wrong)
    with pytest.raises(LookupError, match="no verifier named 'lexcial'; did you mean 'lexical'"):
        score(verify="lexcial")


def extractor(result):
    return type("Mine", (), {"signature": "mine", "extract": lambda self, answers: result})


def source(result):
    return type("Mine", (), {"signature": "mine", "retrieve": lambda self, claims, answers: result})


def verifier(result):
    members = {"signature": "mine", "needs_evidence": True, "verify": lambda self, pairs: result}
    return type("Mine", (), members)


@pytest.mark.parametrize(
    ("part", "result", "message"),
    [
        ("claims", None, "claim extractor Mine: `extract` must return a list of 1; it returned null"),
        ("claims", ["text"], "must return a list of Claims; it returned str 'text' for answer '1'"),
        ("claims", [["text"]], "must return a Claim; it returned str 'text'"),
        (
            "claims",
            [[Claim("x", 0, 99)]],
            "must return a span inside the text, which has 11 characters; it returned 0 to 99",
        ),
        ("claims", [[Claim("x", 0, None)]], "0 to None"),
        ("evidence", [["passage"]], "evidence source Mine: `retrieve` must return a Retrieval; it returned list"),
        ("evidence", [Retrieval(("text",))], "must return a Retrieval of Passages; it returned str 'text'"),
        ("evidence", [Retrieval((Passage(None),))], "a Passage whose text is a string; it returned null"),
        ("verify", 0.9, "verifier Mine: `verify` must return a list of 1; it returned float 0.9"),
        ("verify", [0.9], "must return Judgements; it returned float 0.9"),
        ("verify", [Judgement("0.9", 0.0)], "numbers as p_support and p_contradict; it returned str '0.9'"),
        ("verify", [Judgement(0.9, 0.0, 3)], "a string or None as sentence; it returned int 3"),
    ],
)
def test_what_a_part_returns_is_checked_and_the_part_is_named(tmp_path, capsys, part, result, message):
    registry = {"claims": extractors, "evidence": retrievers, "verify": verifiers}[part]
    make = {"claims": extractor, "evidence": source, "verify": verifier}[part](result)
    registry.add("test-mine", (lambda *, argument=None, k=5: make()) if part == "evidence" else make)
    given = {"evidence": "test-mine"} if part == "evidence" else {part: "test-mine"}
    with pytest.raises(PartBroken) as caught:
        score(**given)
    assert message in str(caught.value)
    answers, profile = tmp_path / "a.jsonl", tmp_path / "p.toml"
    answers.write_text(json.dumps(ROW) + "\n")
    names = {"claims": "sentences", "verify": "lexical", **given}
    profile.write_text(f'[claims]\nname = "{names["claims"]}"\n[verify]\nname = "{names["verify"]}"\n')
    more = ["--evidence", "test-mine"] if part == "evidence" else []
    command = ["score", str(answers), "-o", str(tmp_path / "out"), "--profile", str(profile), "--quiet", *more]
    assert main(command) == 2
    assert message in capsys.readouterr().err


def test_a_broken_entry_point_names_its_package(tmp_path, monkeypatch):
    from fas.core.parts.registry import Registry

    info = tmp_path / "acme_parts-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-parts\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[fas.test_broken]\nlost = acme_nowhere:Part\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    registry = Registry("verifier", group="fas.test_broken")
    with pytest.raises(
        ProfileError, match="verifier 'lost' of the package 'acme-parts' cannot be loaded from 'acme_now"
    ):
        registry.create("lost")


class Doubter:
    """A detector of one's own: doubts whatever is sure."""

    signature = "doubter[1]"

    def detect(self, answers):
        return [
            Findings(
                answer.id, (DetectedFinding("Always", "nothing is", 0, 6),) if "Always" in answer.prediction else ()
            )
            for answer in answers
        ]


@pytest.mark.parametrize("part", [Doubter, Doubter(), lambda: Doubter()])
def test_a_detector_is_given_as_a_class_an_instance_or_a_factory(part):
    found = fas.detect_answers([{"prediction": "Always rest."}, {"prediction": "Rest."}], detect=part)
    assert [len(one.findings) for one in found] == [1, 0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[verify]\nname = "nope"\n', "no verifier named 'nope'"),
        ('[verify]\nname = "nli"\nwindow = 2\n', "has no option 'window'"),
        ('[claims]\nname = "spacey"\n', "did you mean 'spacy'?"),
        ('[evidence]\nsource = "passages"\nyears = 3\n', "years"),
        ("[run]\nseed = -1\n", "seed"),
    ],
)
def test_a_profile_that_score_would_refuse_is_refused_when_it_is_printed(tmp_path, capsys, text, message):
    path, answers = tmp_path / "mine.toml", tmp_path / "a.jsonl"
    path.write_text(text, encoding="utf-8")
    answers.write_text(json.dumps(ROW) + "\n", encoding="utf-8")
    assert main(["score", str(answers), "-o", str(tmp_path / "out"), "--profile", str(path)]) == 2
    assert message in capsys.readouterr().err
    assert main(["models", "profiles", str(path)]) == 2
    assert message in capsys.readouterr().err
