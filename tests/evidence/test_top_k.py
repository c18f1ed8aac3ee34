"""k passages a claim, all different, whatever the source gives; k in every signature."""

from __future__ import annotations

import json

import pytest

from fas.api import score_answers, score_file
from fas.core import parts
from fas.core.profile import PartSpec, Profile
from fas.core.records import Judgement, Passage, Retrieval
from fas.core.records.evidence_source import EvidenceSource

NOTES = [f"Ibuprofen lowers fever in trial {i}." for i in range(20)]


class Generous:
    """Gives twenty passages, whatever k is; knows no k."""

    signature = "generous[2026]"

    def __init__(self, *, argument=None, k=5):
        pass

    def retrieve(self, claims, answers):
        return [Retrieval(tuple(Passage(text, str(i)) for i, text in enumerate(NOTES))) for _ in claims]


class Judge:
    """Supports by the last of the twenty passages alone."""

    signature = "judge[1]"
    needs_evidence = True

    def verify(self, pairs):
        return [Judgement(0.9 if pair.passage.text == NOTES[-1] else 0.1, 0.05) for pair in pairs]


@pytest.fixture(autouse=True)
def _parts(monkeypatch):
    monkeypatch.setitem(parts.retrievers._factories, "generous", Generous)
    monkeypatch.setitem(parts.verifiers._factories, "judge", Judge)


PROFILE = Profile(verify=PartSpec("judge"), safety=False)
ANSWER = {"prediction": "Ibuprofen lowers fever.", "claims": ["Ibuprofen lowers fever."]}


@pytest.fixture
def generous(monkeypatch):
    monkeypatch.setattr("fas.pipeline.chosen.choose_evidence", lambda *_, **__: EvidenceSource("generous"))


def test_copies_of_the_passages_do_not_change_a_score_and_are_told(tmp_path):
    once = score_answers([ANSWER | {"passages": NOTES[-4:]}], profile=PROFILE)
    thrice = score_answers([ANSWER | {"passages": NOTES[-4:] * 3}], profile=PROFILE)
    assert thrice.answers[0].verdicts == once.answers[0].verdicts
    assert "8 passages repeat another passage of the same claim; the verifier read such a text once" in thrice.notes
    source = tmp_path / "a.jsonl"
    source.write_text(json.dumps(ANSWER | {"passages": NOTES[-4:] * 3}) + "\n")
    for _ in range(2):  # the second time from what the first kept
        report = score_file(source, tmp_path / "out", profile=PROFILE)
        assert (
            report.notes.count(
                "8 passages repeat another passage of the same claim; the verifier read such a text once"
            )
            == 1
        )
