"""Snapshots: what was recorded is what is replayed."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fas.core.cache import Cache
from fas.core.errors import InputError
from fas.core.records import Answer, Claim, Passage, Retrieval
from fas.evidence.entrez import EntrezRetriever
from fas.evidence.snapshot import EvidenceRecorder, SnapshotRetriever


class Scripted:
    """A retriever that returns what it was told to."""

    signature = "scripted[k=5]"

    def __init__(self, *retrievals):
        self.retrievals = list(retrievals)

    def retrieve(self, claims, answers):
        return [self.retrievals.pop(0) for _ in claims]


def record(path, claims, answers, retrievals):
    recorder = EvidenceRecorder(Scripted(*retrievals), path)
    found = recorder.retrieve(claims, answers)
    recorder.close()
    return found


TEXT = st.text(max_size=20)
PASSAGES = st.builds(
    Passage, text=TEXT, id=st.none() | TEXT, title=st.none() | TEXT, year=st.none() | st.integers(1900, 2030),
    status=st.sampled_from([None, "retracted", "concern"]),
)  # fmt: skip
RETRIEVALS = st.builds(
    Retrieval, passages=st.lists(PASSAGES, max_size=5).map(tuple), failure=st.none() | TEXT,
    n_cut=st.integers(0, 9), query=st.none() | TEXT,
)  # fmt: skip


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.dictionaries(st.tuples(TEXT, TEXT), RETRIEVALS, max_size=6))
def test_replaying_gives_back_what_was_found(tmp_path_factory, evidence):
    path = tmp_path_factory.mktemp("snapshot") / "s.jsonl"
    claims = [Claim(text) for _, text in evidence]
    answers = [Answer(identifier, "x") for identifier, _ in evidence]
    record(path, claims, answers, evidence.values())
    replay = SnapshotRetriever(argument=str(path), k=5)
    assert replay.retrieve(claims, answers) == list(evidence.values())
    replay.close()


def test_a_claim_that_was_not_recorded_is_a_failure_and_not_an_empty_search(tmp_path):
    record(tmp_path / "s", [Claim("a")], [Answer("1", "")], [Retrieval()])
    replay = SnapshotRetriever(argument=str(tmp_path / "s"))
    (same, other_claim, other_answer) = replay.retrieve(
        [Claim("a"), Claim("b"), Claim("a")], [Answer("1", ""), Answer("1", ""), Answer("2", "")]
    )
    assert same == Retrieval()
    assert other_claim.failure == other_answer.failure == "the claim is not in the snapshot s"


def test_half_a_line_of_a_killed_run_is_dropped(tmp_path):
    path = tmp_path / "s"
    good = Retrieval((Passage("found " * 50_000),))
    record(path, [Claim("a")], [Answer("1", "")], [good])
    whole = path.read_bytes()
    with path.open("ab") as stream:
        stream.write(b'{"answer": "2", "cl')
    assert SnapshotRetriever(argument=str(path)).retrieve([Claim("a")], [Answer("1", "")]) == [good]
    EvidenceRecorder(Scripted(), path).close()
    assert path.read_bytes() == whole


def test_a_snapshot_of_a_wider_search_is_not_mixed_with_one_of_a_narrower(tmp_path):
    options = {"base_url": "http://127.0.0.1:1", "email": "x", "cache": Cache("entrez", root=tmp_path / "cache")}
    # As it was written before searches of other widths had signatures of their own.
    path = tmp_path / "s.jsonl"
    path.write_text('{"fas_snapshot": 1, "source": "entrez[all,k=5,q1]", "created": "2025-01-01T00:00:00+00:00"}\n')
    with pytest.raises(InputError, match=r"recorded from entrez\[all,k=5,q1\], this run uses .*candidates=200"):
        EvidenceRecorder(EntrezRetriever(**options, candidates=200), path)
    EvidenceRecorder(EntrezRetriever(**options), path).close()
    replayed = SnapshotRetriever(argument=str(path))
    assert replayed.source == "entrez[all,k=5,q1]"
    assert replayed.signature.endswith(",k=5,pmid]")  # the ids are PubMed's still
