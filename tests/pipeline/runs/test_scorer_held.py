"""What a scorer holds between calls, and what it lets go of."""

import os
import subprocess
import sys

import pytest

import fas
from fas.core.parts import retrievers
from fas.core.records import Passage, Retrieval

ANSWERS = [
    {
        "id": str(number),
        "prediction": f"Metformin lowered glucose in trial {number}.",
        "references": ["Metformin lowers glucose."],
    }
    for number in range(1, 4)
]


class Source:
    """A source of evidence of a user's own that knows how often it was opened, closed and asked."""

    opened = closed = 0

    def __init__(self, *, argument=None, k=5):
        type(self).opened += 1
        self.signature = "own"
        self.k = k

    def retrieve(self, claims, answers):
        return [Retrieval(passages=(Passage("Metformin lowers glucose.", id="1"),)) for _ in claims]

    def close(self):
        type(self).closed += 1


class Counting(Source):
    """One that counts what it did and cannot forget it."""

    def __init__(self, *, argument=None, k=5):
        super().__init__(argument=argument, k=k)
        self.n = 0

    def retrieve(self, claims, answers):
        self.n += len(claims)
        return super().retrieve(claims, answers)

    def notes(self):
        return [f"asked {self.n} times"]


class Forgetting(Counting):
    """One that can."""

    def recount(self):
        self.n = 0


@pytest.fixture
def sources(monkeypatch):
    for name, source in (("own", Source), ("counting", Counting), ("forgetting", Forgetting)):
        monkeypatch.setattr(source, "opened", 0, raising=False)
        monkeypatch.setattr(source, "closed", 0, raising=False)
        monkeypatch.setitem(retrievers._factories, name, source)
    return Source, Counting, Forgetting


@pytest.mark.parametrize("name", ["counting", "forgetting"])
def test_a_source_counts_for_one_call_whether_it_can_forget_or_is_opened_anew(sources, name):
    with fas.Scorer("mini", evidence=name) as scorer:
        asked = [[note for note in scorer.score(ANSWERS).notes if "asked" in note] for _ in range(3)]
    assert asked == [["asked 3 times"]] * 3
    assert {source.__name__: source.opened for source in sources[1:]} == {
        "Counting": 3 if name == "counting" else 0,
        "Forgetting": 1 if name == "forgetting" else 0,
    }


SHARED = """
import gc, weakref
import fas
from fas.reference import encoding

rows = [{"prediction": "Metformin lowers glucose.", "passages": ["Glucose fell."], "references": ["Held by two."]}]
parts = {"claims": "sentences", "verify": "lexical", "safety": False}  # no other model is loaded
one, other = fas.Scorer("mini", **parts), fas.Scorer("mini", threshold=0.8, **parts)
one.score(rows)
(model,) = encoding._alive.values()
other.score([{**rows[0], "prediction": "It is cheap."}])
assert list(encoding._alive.values()) == [model]
gone = weakref.ref(model)
del model
one.close()
gc.collect()
assert gone() is not None
other.close()
gc.collect()
assert gone() is None
"""


def test_the_weights_for_references_are_shared_while_held_and_freed_after_close(tmp_path):
    """In a process of its own: scorers of other tests may hold the same weights."""
    done = subprocess.run(
        [sys.executable, "-c", SHARED],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "FAS_CACHE_DIR": str(tmp_path), "HF_HUB_OFFLINE": "1"},
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_child_opens_its_own_source(sources):
    own, _, _ = sources
    with fas.Scorer("mini", evidence="own") as scorer:
        scorer.score(ANSWERS)
        child = os.fork()
        if child == 0:
            try:
                scorer.score(ANSWERS)
                os._exit(0 if (own.opened, own.closed) == (2, 0) else 1)
            finally:
                os._exit(2)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert own.opened == 1
