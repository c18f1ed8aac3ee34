"""Answers done again: nothing is lost before its replacement is there, and the report is as if nothing had failed."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from fas.api import score_answers, score_file
from fas.core import parts
from fas.core.errors import EvidenceUnavailable, InputError
from fas.core.profile import PartSpec, Profile
from fas.core.records import Claim, Passage, Retrieval
from fas.pipeline.runs.folder import RunFolder

SETTINGS = {"input": "abc"}


class Registry:
    """A source of evidence that may be down, for single claims or altogether; every third claim is borne out."""

    down: frozenset[int] = frozenset()
    gone = False
    closed = 0

    def __init__(self, *, argument=None, k=5):
        self.signature = f"registry[k={k}]"
        self.n_failed = 0

    def retrieve(self, claims, answers):
        if Registry.gone:
            raise EvidenceUnavailable("the registry is gone")
        return [self._one(claim.text) for claim in claims]

    def _one(self, text):
        number = int(text.split()[1])
        if number in Registry.down:
            self.n_failed += 1
            return Retrieval(failure="HTTP 500", n_cut=number % 2)
        found = text if number % 3 == 0 else f"Trial {number} was stopped early."
        return Retrieval((Passage(found, status="retracted" if number % 5 == 0 else None),), n_cut=number % 2)

    def notes(self):
        return [f"{self.n_failed} searches failed"] if self.n_failed else []

    def close(self):
        Registry.closed += 1


class Everything:
    """The whole answer as its claim."""

    signature = "everything"

    def extract(self, answers):
        return [[Claim(answer.prediction)] for answer in answers]


if "test-registry" not in parts.retrievers.names():
    parts.retrievers.add("test-registry", Registry)
    parts.extractors.add("test-everything", Everything)

PROFILE = Profile(
    claims=PartSpec("test-everything"),
    verify=PartSpec("lexical"),
    evidence="test-registry",
    safety=False,
    n_resamples=200,
    precision="fp32",
)


@pytest.fixture(autouse=True)
def up():
    Registry.down, Registry.gone, Registry.closed = frozenset(), False, 0


@pytest.fixture
def answers(tmp_path):
    """Forty answers, of which the third, sixth ... are supported, and the fifth, tenth ... by a retracted paper."""
    path = tmp_path / "answers.jsonl"
    records = [
        {"id": f"a{i}", "prediction": f"Trial {i} met its endpoint.", "type": "odd" if i % 2 else "even"}
        for i in range(1, 41)
    ]
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def lines(out):
    return [json.loads(line) for line in (out / "scores.jsonl").read_text(encoding="utf-8").splitlines()]


def stored_report(out):
    """`report.json` without what the clock says."""
    report = json.loads((out / "report.json").read_text())
    assert report.pop("timing")["total"] > 0
    return report


def record(identifier, label="supported", **fields):
    return {"id": identifier, "claims": [{"label": label}], "error": None, **fields}


def test_a_run_with_answers_done_again_gives_the_report_of_one_without_a_fault(tmp_path, answers):
    Registry.down = frozenset({3, 6, 7, 8, 20, 40})
    score_file(answers, tmp_path / "out", profile=PROFILE, by=["type"])
    Registry.down = frozenset({7})  # once more in vain
    score_file(answers, tmp_path / "out", profile=PROFILE, by=["type"])
    assert [item["id"] for item in lines(tmp_path / "out") if item["n_unverified"]] == ["a7"]
    Registry.down = frozenset()
    seen = []
    score_file(
        answers, tmp_path / "out", profile=PROFILE, by=["type"], started=lambda found, n: seen.extend([found.n, n])
    )
    assert seen == [40, 39]
    score_file(answers, tmp_path / "straight", profile=PROFILE, by=["type"])
    assert (tmp_path / "out" / "scores.jsonl").read_bytes() == (tmp_path / "straight" / "scores.jsonl").read_bytes()
    again, straight = stored_report(tmp_path / "out"), stored_report(tmp_path / "straight")
    assert straight["metrics"]["support@5"]["mean"] == pytest.approx(13 / 40)
    notes = again.pop("notes")
    assert notes[1:3] == [
        "before the run was resumed: 6 searches failed",
        "before the run was resumed: 1 searches failed",
    ]
    # One passage of each of the 20 odd numbers was cut; doing the third and seventh again cuts none of them twice.
    assert [notes[0], *notes[3:]] == straight.pop("notes")
    assert notes[0] == "20 given passages ranked below the best 5 of a claim and were not read"
    assert notes[3] == "the source marks 8 judged passages as 'retracted'"
    assert again == straight
    assert sorted(path.name for path in (tmp_path / "out").iterdir() if path.name != ".lock") == [
        "report.html",
        "report.json",
        "run.json",
        "scores.jsonl",
    ]


def begun(path, *redone):
    """A folder with a, b, c, of which a and c are to be done again, and *redone* on disk; the process ends there."""
    with RunFolder(path) as folder:
        folder.resume(SETTINGS)
        folder.append([record("a", "unverified"), record("b"), record("c", "unverified")])
        assert folder.resume(SETTINGS) == {"b"}
        for item in redone:
            folder.redo([item])


def test_a_run_killed_between_the_new_file_and_the_end_of_the_old_lines_settles_to_the_same(tmp_path):
    begun(tmp_path, record("a", turn=1), record("c", turn=1))
    left = (tmp_path / "redone.jsonl").read_bytes()
    with RunFolder(tmp_path) as folder:
        folder.settle()
    settled = (tmp_path / "scores.jsonl").read_bytes()
    assert [item.get("turn") for item in lines(tmp_path)] == [1, None, 1]
    (tmp_path / "redone.jsonl").write_bytes(left)
    (tmp_path / "scores.tmp").write_bytes(settled[:50])  # or in the middle of the next one
    with RunFolder(tmp_path) as folder:
        assert folder.resume(SETTINGS) == {"a", "b", "c"}
    assert (tmp_path / "scores.jsonl").read_bytes() == settled
    assert not (tmp_path / "redone.jsonl").exists()


def test_what_was_opened_is_closed_however_the_run_ends(tmp_path, answers):
    score_answers([{"prediction": "Trial 3 met its endpoint."}], profile=PROFILE)
    assert Registry.closed == 1
    Registry.gone = True
    with pytest.raises(EvidenceUnavailable):
        score_answers([{"prediction": "Trial 3 met its endpoint."}], profile=PROFILE)
    assert Registry.closed == 2
    Registry.gone = False
    score_file(answers, tmp_path / "out", profile=PROFILE)
    assert Registry.closed == 3
    with pytest.raises(InputError, match="holds results of another run"):  # before any answer is scored
        score_file(answers, tmp_path / "out", profile=replace(PROFILE, threshold=0.9))
    assert Registry.closed == 4
