"""A text that does not let a stage come to its end costs its own answer, and no other."""

from __future__ import annotations

import builtins
import json
import re
import signal
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

import fas
from fas.cli import main
from fas.core.parts import extractors
from fas.core.profile import PartSpec, Profile
from fas.core.records import Answer, Claim, Passage
from fas.pipeline import Pipeline
from fas.reference.bleu import Bleu
from fas.reference.rouge import Rouge
from fas.reference.scorer import ReferenceScorer
from fas.safety.checker import SafetyChecker
from fas.scoring.verdicts.isolation import isolate_errors
from fas.text.time_limit import TextTimeoutError, limit_time

# An end that comes within a callback, where Python swallows exceptions, comes again.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
# Every letter more doubles the ways to share out a row of them.
RUNS_ON = re.compile(r"(?:a+)+b")
FOREVER = "a" * 60
#: Seconds: a text here that ends takes milliseconds.
A_WHILE = 1.0


class Looping:
    """Claims that are the sentences, save for a text that it never leaves."""

    signature = "looping"

    def extract(self, answers):
        for answer in answers:
            while "forever" in answer.prediction:
                pass
        return [[Claim(text) for text in answer.prediction.split(". ")] for answer in answers]


class Pathological(Looping):
    signature = "pathological"

    def extract(self, answers):
        for answer in answers:
            RUNS_ON.match(answer.prediction)
        return super().extract(answers)


@pytest.fixture
def part(request):
    """A part of a user's own, registered for one test."""
    extractors.add(request.param.signature, request.param)
    yield PartSpec(request.param.signature)
    extractors._factories.pop(request.param.signature)


def pipeline_of(part, **settings):
    settings = {"verify": PartSpec("lexical"), "safety": False, "text_timeout": A_WHILE} | settings
    return Pipeline(Profile(claims=part, **settings), has_passages=True)


def scored(part, texts, **settings):
    answers = [Answer(str(i), text, passages=(Passage("Rest helps."),)) for i, text in enumerate(texts)]
    return pipeline_of(part, **settings).score(answers)


def kinds(outcomes):
    return [outcome.error and outcome.error.type for outcome in outcomes]


@pytest.mark.parametrize(("part", "hostile"), [(Looping, "forever"), (Pathological, FOREVER)], indirect=["part"])
def test_one_answer_that_never_ends_is_an_error_and_the_others_are_scored(part, hostile):
    scores = scored(part, ["Rest helps.", hostile, "Rest helps."])
    assert kinds(scores) == [None, "TextTimeoutError", None]
    assert f"{A_WHILE:g} s" in scores[1].error.message
    assert len(scores[2].verdicts) == 1


def test_references_whose_words_never_end_are_an_error_of_their_answer():
    def tokens(text):
        RUNS_ON.match(text)
        return text.lower().split()

    scorer = ReferenceScorer(cache=False)
    scorer.text_timeout = A_WHILE
    scorer._rouge, scorer._bleu = Rouge(tokenizer=tokens), Bleu(tokenizer=tokens)
    answers = [Answer(text[:3], text, references=("Rest helps.",)) for text in ("Rest helps.", FOREVER)]
    whole, ended = isolate_errors(scorer.score, answers)
    assert whole.rouge1 == 1.0
    assert isinstance(ended, TextTimeoutError)


class SlowChecker(SafetyChecker):
    """The checker behind an expression that one text keeps."""

    def read(self, answer):
        RUNS_ON.search(answer.prediction)
        return super().read(answer)


def test_safety_of_a_text_that_never_ends_is_an_error_of_its_answer():
    pipeline = pipeline_of(PartSpec("given"), safety=True)
    pipeline.safety = SlowChecker()
    texts = ["Take 10 g of paracetamol every day.", f"Take paracetamol {FOREVER}"]
    first, second = pipeline.score([Answer(text[:9], text, claims=(), passages=()) for text in texts])
    assert kinds([first, second]) == [None, "TextTimeoutError"]
    assert first.flags


def test_a_handler_of_the_users_is_called_in_its_time_and_put_back_with_its_timer():
    rung = []
    before = signal.signal(signal.SIGALRM, lambda *_: rung.append(time.monotonic()))
    try:
        theirs = signal.getsignal(signal.SIGALRM)
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        began = time.monotonic()
        with pytest.raises(TextTimeoutError), limit_time(1):
            RUNS_ON.match(FOREVER)
        assert began + 0.2 <= rung[0] < time.monotonic()
        assert signal.getsignal(signal.SIGALRM) is theirs
        assert signal.getitimer(signal.ITIMER_REAL)[0] == 0

        began = time.monotonic()
        signal.setitimer(signal.ITIMER_REAL, 5000)
        with limit_time(50):
            pass
        assert 4999 - (time.monotonic() - began) < signal.getitimer(signal.ITIMER_REAL)[0] <= 5000
        assert signal.getsignal(signal.SIGALRM) is theirs
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def lines_of(texts, tmp_path):
    path = tmp_path / "answers.jsonl"
    path.write_text("".join(json.dumps({"prediction": text}) + "\n" for text in texts), encoding="utf-8")
    return str(path)


@pytest.mark.parametrize("run", [lambda do: do(), lambda do: ThreadPoolExecutor().submit(do).result()])
def test_a_package_is_imported_whole_however_long_it_takes(tmp_path, monkeypatch, run):
    (tmp_path / "imported_slowly.py").write_text(
        "import time\nwhile time.sleep(0.01) or time.monotonic() < END: pass\n"
    )
    monkeypatch.setattr(builtins, "END", time.monotonic() + 3, raising=False)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "imported_slowly", raising=False)

    def read():
        with limit_time(1):
            import imported_slowly

            return imported_slowly.time

    assert run(read) is time


@pytest.mark.parametrize("part", [Looping], indirect=True)
def test_fas_claims_ends_in_its_time_and_lists_the_others(part, tmp_path, capsys):
    profile = tmp_path / "p.toml"
    profile.write_text(f'[claims]\nname = "looping"\n[run]\ntext_timeout = {A_WHILE}\n', encoding="utf-8")
    path = lines_of(["Rest helps.", "forever", "Sleep helps."], tmp_path)
    assert main(["claims", path, "--json", "--profile", str(profile)]) == 0
    first, second, third = map(json.loads, capsys.readouterr().out.splitlines())
    assert [first["claims"][0]["text"], third["claims"][0]["text"]] == ["Rest helps.", "Sleep helps."]
    assert second["error"]["type"] == "TextTimeoutError"


def test_the_setting_is_read_from_a_profile_and_decides_no_score(tmp_path):
    path = tmp_path / "p.toml"
    path.write_text('[verify]\nname = "lexical"\n[run]\ntext_timeout = 0\n', encoding="utf-8")
    assert fas.load_profile(path).text_timeout == 0
    assert fas.load_profile("mini").text_timeout == 60
    part = PartSpec("given")
    first, second = (pipeline_of(part, text_timeout=seconds).signature(1) for seconds in (0, 60.0))
    assert str(first) == str(second)
