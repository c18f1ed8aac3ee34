"""k passages a claim, all different, whatever the source gives; k in every signature."""

from __future__ import annotations

import json

import pytest

from fas import parts
from fas.api import score_answers, score_file
from fas.evidence.build import build_index
from fas.evidence.index import TextIndex
from fas.evidence.local import IndexRetriever
from fas.profile import PartSpec, Profile
from fas.records import Answer, Claim, Judgement, Passage, Retrieval
from fas.records.evidence_source import EvidenceSource

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


def test_a_source_that_gives_more_than_k_is_cut_to_k_and_that_is_said_once(generous):
    report = score_answers([ANSWER | {"id": str(i)} for i in range(3)], profile=PROFILE)
    for score in report.answers:
        (verdict,) = score.verdicts
        assert [item.passage.id for item in verdict.evidence] == ["0", "1", "2", "3", "4"]
        assert verdict.label == "unsupported"
    said = "the evidence source gave more than k=5 passages: 45 beyond the first 5 of a claim were not read"
    assert report.notes.count(said) == 1


def test_copies_of_the_passages_do_not_change_a_score_and_are_told(tmp_path):
    once = score_answers([ANSWER | {"passages": NOTES[-4:]}], profile=PROFILE)
    thrice = score_answers([ANSWER | {"passages": NOTES[-4:] * 3}], profile=PROFILE)
    assert thrice.answers[0].verdicts == once.answers[0].verdicts
    assert "8 passages repeat another one of their claim and were read once" in thrice.notes
    source = tmp_path / "a.jsonl"
    source.write_text(json.dumps(ANSWER | {"passages": NOTES[-4:] * 3}) + "\n")
    for _ in range(2):  # the second time from what the first kept
        report = score_file(source, tmp_path / "out", profile=PROFILE)
        assert report.notes.count("8 passages repeat another one of their claim and were read once") == 1


def test_equal_documents_of_an_index_take_one_place_and_the_next_ones_move_up(tmp_path):
    texts = ["Aspirin thins blood.", "Aspirin  thins\tblood.", "Aspirin thins blood.", "Aspirin is a drug.",
             "Aspirin may irritate the stomach of some people."]  # fmt: skip
    source = tmp_path / "notes.jsonl"
    source.write_text("".join(json.dumps({"id": f"d{i}", "text": text}) + "\n" for i, text in enumerate(texts)))
    build_index(tmp_path / "index", [source])
    hits = TextIndex(tmp_path / "index").search("aspirin thins blood", limit=3, different=True)
    assert [hit.passage.id for hit in hits] == ["d0", "d3", "d4"]
    assert len(TextIndex(tmp_path / "index").search("aspirin thins blood", limit=5)) == 5
    (found,) = IndexRetriever(argument=str(tmp_path / "index"), k=2).retrieve(
        [Claim("Aspirin thins blood.")], [Answer("1", "x")]
    )
    assert [passage.id for passage in found.passages] == ["d0", "d3"]
