"""Errors that are no answer's fault stop a run once; a run in which nothing could be scored is no success."""

from __future__ import annotations

import errno
import json
import socket
import urllib.error

import pytest

from fas.api import score_answers
from fas.cli import main
from fas.core import parts
from fas.core.errors import InputError, PartUnavailable, RunStopped
from fas.core.profile import PartSpec, Profile
from fas.core.records import Claim, Judgement
from fas.scoring.verdicts.isolation import is_run_fault, isolate_errors

CALLS = {"n": 0}
RAISED: dict[str, Exception] = {}


class Extractor:
    """One claim an answer; raises what a test wants raised."""

    signature = "planned[1]"

    def extract(self, answers):
        CALLS["n"] += 1
        if "extract" in RAISED:
            raise RAISED["extract"]
        return [[Claim(answer.prediction)] for answer in answers]


class Judge:
    """Supports everything, unless a test wants an error."""

    signature = "planned[1]"
    needs_evidence = True

    def verify(self, pairs):
        if "verify" in RAISED:
            raise RAISED["verify"]
        return [Judgement(0.9, 0.05) for _ in pairs]


@pytest.fixture(autouse=True)
def _parts(monkeypatch):
    monkeypatch.setitem(parts.extractors._factories, "planned", Extractor)
    monkeypatch.setitem(parts.verifiers._factories, "planned", Judge)
    RAISED.clear()
    CALLS["n"] = 0


PROFILE = Profile(claims=PartSpec("planned"), verify=PartSpec("planned"), safety=False)
ANSWERS = [{"prediction": f"Claim {i}.", "passages": ["Text."]} for i in range(40)]


class HttpError(Exception):
    """As the usual clients raise it."""

    def __init__(self, status):
        super().__init__(f"HTTP {status}")
        self.status_code = status


@pytest.mark.parametrize(
    "error",
    [
        ModuleNotFoundError("No module named 'bm25s'"),
        OSError(errno.ENOSPC, "No space left on device"),
        PermissionError(errno.EACCES, "Permission denied"),
        OSError("x/y does not appear to have a file named pytorch_model.bin"),
        HttpError(401),
    ],
)
def test_an_error_that_is_no_answers_fault_stops_the_run_once(error):
    RAISED["extract"] = error
    with pytest.raises(PartUnavailable, match="no answer's fault") as caught:
        score_answers(ANSWERS, profile=PROFILE)
    assert CALLS["n"] == 1
    assert isinstance(caught.value, RunStopped)
    assert caught.value.__cause__ is error


@pytest.mark.parametrize(
    "error",
    [
        ValueError("a bad claim"),
        ConnectionResetError(errno.ECONNRESET, "reset"),
        TimeoutError("no reply"),
        socket.gaierror(socket.EAI_NONAME, "unknown host"),
        OSError(errno.ENETUNREACH, "unreachable"),
        urllib.error.URLError("refused"),
        HttpError(429),
        InputError("a bad line"),
    ],
)
def test_what_one_request_can_meet_stays_with_the_answer(error):
    assert not is_run_fault(error)
    assert len(isolate_errors(lambda items: (_ for _ in ()).throw(error), [1, 2])) == 2


@pytest.fixture
def command(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "p.toml").write_text('[claims]\nname = "planned"\n[verify]\nname = "planned"\n')
    (tmp_path / "answers.jsonl").write_text("".join(json.dumps(one) + "\n" for one in ANSWERS[:3]))
    return ["score", "answers.jsonl", "-o", "out", "--profile", "p.toml", "--quiet", "--no-safety"]


def test_a_run_in_which_every_answer_failed_ends_with_1(command, capsys):
    RAISED["extract"] = RuntimeError("the part is broken")
    assert main(command) == 1
    assert "no answer could be scored, because of errors" in capsys.readouterr().err


def test_a_run_stopped_by_a_missing_module_is_no_success_and_keeps_nothing_half(command, capsys):
    RAISED["verify"] = ImportError("libfoo.so is missing")
    assert main(command) == 2
    assert "ImportError: libfoo.so is missing: no answer's fault" in capsys.readouterr().err
    RAISED.clear()
    assert main(command) == 0


class _Fails:
    signature = "fails[1]"
    needs_evidence = True

    def verify(self, pairs):
        raise ValueError("no such shape")


def test_a_verifier_that_fails_on_every_claim_is_no_success_though_some_answer_states_nothing(tmp_path, capsys):
    from fas.core.parts import verifiers

    verifiers.add("test-fails", _Fails)
    answers, profile = tmp_path / "a.jsonl", tmp_path / "p.toml"
    rows = [{"prediction": text, "passages": ["Rest helps."]} for text in ("Rest helps.", "", "Honey is sweet.")]
    answers.write_text("".join(json.dumps(row) + "\n" for row in rows))
    profile.write_text('[claims]\nname = "sentences"\n[verify]\nname = "test-fails"\n')
    assert main(["score", str(answers), "-o", str(tmp_path / "out"), "--profile", str(profile), "--quiet"]) == 1
    printed = capsys.readouterr()
    assert "no answer could be scored, because of errors" in printed.err
    text = " ".join(printed.out.split())
    assert "2 of 2 claims are unverified and omitted from the shares: 2 times ValueError: no such shape" in text
