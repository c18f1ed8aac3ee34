"""Snapshots: what was recorded is what is replayed."""

from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fas.cache import Cache
from fas.errors import InputError
from fas.evidence.entrez import EntrezRetriever
from fas.evidence.given import GivenPassages
from fas.evidence.snapshot import EvidenceRecorder, SnapshotRetriever
from fas.records import Answer, Claim, Passage, Retrieval


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


def test_lone_surrogates_find_their_claim_and_passages_come_as_valid_text(tmp_path):
    found = record(tmp_path / "s", [Claim("a\ud800")], [Answer("\udfff", "")], [Retrieval((Passage("b\ud800"),))])
    replay = SnapshotRetriever(argument=str(tmp_path / "s"))
    assert found[0].passages == (Passage("b\ud800"),)
    (replayed,) = replay.retrieve([Claim("a\ud800")], [Answer("\udfff", "")])
    assert replayed.passages == (Passage("b\ufffd"),)


def test_a_claim_that_was_not_recorded_is_a_failure_and_not_an_empty_search(tmp_path):
    record(tmp_path / "s", [Claim("a")], [Answer("1", "")], [Retrieval()])
    replay = SnapshotRetriever(argument=str(tmp_path / "s"))
    (same, other_claim, other_answer) = replay.retrieve(
        [Claim("a"), Claim("b"), Claim("a")], [Answer("1", ""), Answer("1", ""), Answer("2", "")]
    )
    assert same == Retrieval()
    assert other_claim.failure == other_answer.failure == "the claim is not in the snapshot s"


def test_a_continued_run_supersedes_what_had_failed(tmp_path):
    path = tmp_path / "s"
    good = Retrieval((Passage("found"),))
    record(path, [Claim("a"), Claim("b")], [Answer("1", "")] * 2, [Retrieval(failure="HTTP 500"), good])
    record(path, [Claim("a")], [Answer("1", "")], [good])
    replay = SnapshotRetriever(argument=str(path))
    assert replay.retrieve([Claim("a"), Claim("b")], [Answer("1", "")] * 2) == [good, good]
    assert len(replay) == 2


def test_the_hash_pins_the_evidence_and_not_the_order_or_time_of_recording(tmp_path):
    one, two = Retrieval((Passage("x"),)), Retrieval((Passage("y"),))
    claims, answers = [Claim("a"), Claim("b")], [Answer("1", ""), Answer("2", "")]
    record(tmp_path / "1", claims, answers, [one, two])
    record(tmp_path / "2", claims[::-1], answers[::-1], [two, one])
    record(tmp_path / "3", claims, answers, [one, one])
    first, second, third = (SnapshotRetriever(argument=str(tmp_path / name)).signature for name in "123")
    assert first == second != third
    assert first.startswith("snapshot[")
    assert first.endswith(",k=5]")


def test_k_cuts_what_was_recorded(tmp_path):
    passages = tuple(Passage(str(i)) for i in range(5))
    record(tmp_path / "s", [Claim("a")], [Answer("1", "")], [Retrieval(passages, n_cut=1)])
    (found,) = SnapshotRetriever(argument=str(tmp_path / "s"), k=2).retrieve([Claim("a")], [Answer("1", "")])
    assert found == Retrieval(passages[:2], n_cut=4)


def test_a_passage_is_written_once(tmp_path):
    same = Retrieval((Passage("shared"),))
    record(tmp_path / "s", [Claim("a"), Claim("b")], [Answer("1", "")] * 2, [same, same])
    lines = [json.loads(line) for line in (tmp_path / "s").read_text().splitlines()]
    assert sum("passage" in line for line in lines) == 1


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


def test_a_snapshot_of_another_source_is_not_continued(tmp_path):
    record(tmp_path / "s", [Claim("a")], [Answer("1", "")], [Retrieval()])
    with pytest.raises(
        InputError, match=r"was recorded from scripted\[k=5\], this run uses passages\[k=5\]; name another"
    ):
        EvidenceRecorder(GivenPassages(), tmp_path / "s")


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


def test_a_changed_passage_is_noticed(tmp_path):
    path = tmp_path / "s"
    record(path, [Claim("a")], [Answer("1", "")], [Retrieval((Passage("true"),))])
    path.write_text(path.read_text().replace('"true"', '"fake"'))
    with pytest.raises(InputError, match="was changed after it was recorded"):
        SnapshotRetriever(argument=str(path)).retrieve([Claim("a")], [Answer("1", "")])


@pytest.mark.parametrize("content", ["", "not json\n", "{}\n", '{"fas_snapshot": 99, "source": "x"}\n'])
def test_other_files_are_refused(tmp_path, content):
    (tmp_path / "s").write_text(content)
    with pytest.raises(InputError, match="s, line 1: not a snapshot of format 1"):
        SnapshotRetriever(argument=str(tmp_path / "s"))


def test_a_broken_line_is_named(tmp_path):
    record(tmp_path / "s", [Claim("a")], [Answer("1", "")], [Retrieval()])
    with (tmp_path / "s").open("a") as stream:
        stream.write('{"claim": 3}\n')
    with pytest.raises(InputError, match="s, line 3: not a line of a snapshot"):
        SnapshotRetriever(argument=str(tmp_path / "s"))


def test_a_missing_file_and_a_missing_name_are_refused(tmp_path):
    with pytest.raises(InputError, match="cannot be read"):
        SnapshotRetriever(argument=str(tmp_path / "no"))
    with pytest.raises(ValueError, match="needs a file: snapshot:FILE"):
        SnapshotRetriever()


def test_the_recorder_changes_neither_signature_nor_results(tmp_path):
    answer = Answer("1", "x", passages=(Passage("a"), Passage("b")))
    plain = GivenPassages(k=1)
    recorder = EvidenceRecorder(plain, tmp_path / "s")
    assert recorder.signature == plain.signature
    assert recorder.retrieve([Claim("b")], [answer]) == plain.retrieve([Claim("b")], [answer])
    recorder.close()
