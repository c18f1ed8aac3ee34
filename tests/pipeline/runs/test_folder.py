"""A run on disk: appended, locked, killed, resumed; with real processes where a process matters."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time

import pytest

from fas.api import score_file
from fas.core.arguments import speak_of_options
from fas.core.errors import EvidenceUnavailable, InputError
from fas.core.parts import verifiers
from fas.core.profile import PartSpec, Profile, load_profile
from fas.core.records import Judgement
from fas.pipeline.runs.folder import RunFolder

SETTINGS = {"input": "abc", "claims": "spacy", "k": "5"}
PROFILE = '[verify]\nname = "lexical"\n[safety]\nenabled = false\n[run]\nprecision = "fp32"\nn_resamples = 20\n'
NOTES = [
    "Ibuprofen reduces fever in children and adults.",
    "Honey is not safe for infants.",
    "Aspirin was given to 40 patients.",
    "No effect on sleep was found.",
    "Water is harmless.",
]


def record(identifier, label="supported"):
    return {"id": identifier, "claims": [{"label": label}], "error": None, "text": "ü\u2028"}


def ids(path):
    return [json.loads(line)["id"] for line in path.read_text(encoding="utf-8").split("\n") if line]


def make_answers(folder, n, *, bad=()):
    """A file of *n* answers with given claims, quick to score; lines in *bad* lack a prediction."""
    path = folder / "answers.jsonl"
    with path.open("w", encoding="utf-8") as out:
        for i in range(1, n + 1):
            answer = {
                "id": f"a{i}",
                "prediction": f"Ibuprofen reduces fever. Honey is safe for infants. Aspirin was given to {i} patients.",
                "claims": [
                    "Ibuprofen reduces fever.",
                    "Honey is safe for infants.",
                    f"Aspirin was given to {i} patients.",
                ],
                "passages": NOTES,
                "type": "odd" if i % 2 else "even",
            }
            if i in bad:
                del answer["prediction"]
            out.write(json.dumps(answer) + "\n")
    return path


@pytest.fixture
def lexical(tmp_path):
    path = tmp_path / "lexical.toml"
    path.write_text(PROFILE)
    return load_profile(path)


def command(folder, answers, *more, out="out"):
    return [
        sys.executable,
        "-m",
        "fas",
        "score",
        str(answers),
        "-o",
        str(folder / out),
        "--profile",
        str(folder / "lexical.toml"),
        "--quiet",
        *more,
    ]


def run(folder, answers, *more, out="out", **options):
    return subprocess.run(
        command(folder, answers, *more, out=out), cwd=folder, capture_output=True, text=True, timeout=280, **options
    )


def test_what_is_appended_is_on_disk_and_comes_back_in_order(tmp_path):
    with RunFolder(tmp_path / "deep" / "out") as folder:
        assert folder.resume(SETTINGS) == set()
        folder.append([record("a"), record("b")])
        folder.append([record("c")])
        assert [item["id"] for item in folder.records()] == ["a", "b", "c"]
        assert next(folder.records()) == record("a")
    with RunFolder(tmp_path / "deep" / "out") as folder:
        assert folder.resume(SETTINGS) == {"a", "b", "c"}


@pytest.mark.parametrize("torn", [b'{"id": "c", "cla', b'{"id": "c"', b"\xc3", b'{"id": "c", "claims": []}'])
def test_a_torn_last_line_is_cut_off_and_its_answer_is_done_again(tmp_path, torn):
    with RunFolder(tmp_path) as folder:
        folder.resume(SETTINGS)
        folder.append([record("a"), record("b")])
    whole = (tmp_path / "scores.jsonl").read_bytes()
    with (tmp_path / "scores.jsonl").open("ab") as out:
        out.write(torn)
    with RunFolder(tmp_path) as folder:
        assert folder.resume(SETTINGS) == {"a", "b"}
        assert (tmp_path / "scores.jsonl").read_bytes() == whole
        folder.append([record("c")])
    assert ids(tmp_path / "scores.jsonl") == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        ({"k": "3"}, "'k' was '5', now it is '3'"),
        ({"input": "xyz"}, "'input' was 'abc', now it is 'xyz'"),
        ({"new": "1"}, "'new' was None, now it is '1'"),
    ],
)
def test_results_of_another_run_are_not_mixed_with_this_one(tmp_path, changed, problem):
    with RunFolder(tmp_path) as folder:
        folder.resume(SETTINGS)
        folder.append([record("a")])
    with (
        RunFolder(tmp_path) as folder,
        pytest.raises(InputError, match=f"holds results of another run: {problem}; give"),
    ):
        folder.resume({**SETTINGS, **changed})
    assert ids(tmp_path / "scores.jsonl") == ["a"]
    with RunFolder(tmp_path, fresh=True) as folder:
        assert folder.resume({**SETTINGS, **changed}) == set()
    assert not (tmp_path / "scores.jsonl").exists()


def test_a_file_is_scored_into_a_folder(tmp_path, lexical):
    report = score_file(make_answers(tmp_path, 40), tmp_path / "out", profile=lexical, by=["type"])
    assert sorted(path.name for path in (tmp_path / "out").iterdir() if path.name != ".lock") == [
        "report.html",
        "report.json",
        "run.json",
        "scores.jsonl",
    ]
    assert ids(tmp_path / "out" / "scores.jsonl") == [f"a{i}" for i in range(1, 41)]
    stored = json.loads((tmp_path / "out" / "report.json").read_text())
    assert stored == json.loads(json.dumps(report.as_dict()))
    assert (stored["n"], stored["n_failed"], set(stored["groups"]["type"])) == (40, 0, {"odd", "even"})
    # Of three claims one is supported (two in the 40th answer, whose number is right), one contradicted.
    assert stored["metrics"]["support@5"]["mean"] == pytest.approx((39 / 3 + 2 / 3) / 40)


def test_bad_lines_stop_the_run_before_it_starts_or_become_records(tmp_path, lexical):
    answers = make_answers(tmp_path, 20, bad=(3, 18))
    said = r"answers\.jsonl, line 3: field 'prediction': missing.*\(1 more bad line"
    with pytest.raises(InputError, match=rf"{said}\)$"):
        score_file(answers, tmp_path / "out", profile=lexical)
    with speak_of_options(), pytest.raises(InputError, match=rf"{said}; --on-error record scores the others\)$"):
        score_file(answers, tmp_path / "out", profile=lexical)
    assert not (tmp_path / "out").exists()
    report = score_file(answers, tmp_path / "out", profile=lexical, on_error="record")
    assert (report.n, report.n_failed, report.metrics["support@5"].n) == (20, 2, 18)
    records = [json.loads(line) for line in (tmp_path / "out" / "scores.jsonl").read_text().splitlines()]
    bad = [item for item in records if item["error"]]
    assert [item["id"] for item in bad] == ["line:3", "line:18"]
    assert (bad[0]["error"]["type"], bad[0]["error"]["line"], bad[0]["error"]["field"]) == (
        "missing_prediction",
        3,
        "prediction",
    )
    assert all(bad[0][name] is None for name in ("fas", "support", "rouge1"))
    # Again: the records of bad lines are finished, too.
    assert score_file(answers, tmp_path / "out", profile=lexical, on_error="record").n == 20
    assert len(ids(tmp_path / "out" / "scores.jsonl")) == 20


class Flaky:
    """Gives up for good after a number of judgements, or fails single ones."""

    signature = "flaky"
    needs_evidence = True
    calls = 0
    stop_after = 10**9
    failing = False

    def verify(self, pairs):
        Flaky.calls += 1
        if Flaky.calls > Flaky.stop_after:
            raise EvidenceUnavailable("the quota is spent; try again tomorrow")
        if Flaky.failing:
            raise ConnectionError("down")
        return [Judgement(0.9, 0.0)] * len(pairs)


if "test-flaky" not in verifiers.names():
    verifiers.add("test-flaky", Flaky)


def test_a_run_that_stops_keeps_what_is_finished_and_goes_on(tmp_path, lexical):
    answers = make_answers(tmp_path, 40)
    flaky: Profile = lexical.override(verify=PartSpec("test-flaky"))
    Flaky.calls, Flaky.stop_after, Flaky.failing = 0, 1, False
    with pytest.raises(EvidenceUnavailable, match="quota"):
        score_file(answers, tmp_path / "out", profile=flaky)
    assert ids(tmp_path / "out" / "scores.jsonl") == [f"a{i}" for i in range(1, 17)]
    Flaky.stop_after = 10**9
    seen: list[int] = []
    report = score_file(answers, tmp_path / "out", profile=flaky, started=lambda found, n: seen.extend([found.n, n]))
    assert seen == [40, 16]
    assert ids(tmp_path / "out" / "scores.jsonl") == [f"a{i}" for i in range(1, 41)]
    assert report.n == 40


def test_answers_whose_verification_failed_are_tried_again_by_the_same_command(tmp_path, lexical):
    answers = make_answers(tmp_path, 5)
    flaky = lexical.override(verify=PartSpec("test-flaky"))
    Flaky.calls, Flaky.stop_after, Flaky.failing = 0, 10**9, True
    assert score_file(answers, tmp_path / "out", profile=flaky).n_unscored == 5
    Flaky.failing = False
    report = score_file(answers, tmp_path / "out", profile=flaky)
    assert (report.n_unscored, report.metrics["support@5"].mean) == (0, 1.0)
    assert sorted(ids(tmp_path / "out" / "scores.jsonl")) == [f"a{i}" for i in range(1, 6)]


def wait_for_lines(path, n, process):
    """Until *path* has *n* lines; the process must still be at work then."""
    deadline = time.monotonic() + 200
    while time.monotonic() < deadline:
        if path.exists() and path.read_bytes().count(b"\n") >= n:
            return
        assert process.poll() is None, "the run ended before it could be killed"
        time.sleep(0.005)
    raise AssertionError("the run wrote nothing")


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_a_killed_run_started_again_loses_nothing_and_repeats_nothing(tmp_path, lexical):
    answers = make_answers(tmp_path, 1500)
    for lines in (16, 400):  # killed twice, at different places
        process = subprocess.Popen(command(tmp_path, answers), cwd=tmp_path, stdout=subprocess.DEVNULL)
        try:
            wait_for_lines(tmp_path / "out" / "scores.jsonl", lines, process)
            # While it runs nobody else may.
            if lines == 16:
                second = run(tmp_path, answers)
                assert second.returncode == 2
                assert "another run is writing this folder" in second.stderr
        finally:
            process.send_signal(signal.SIGKILL)
            process.wait(10)
        assert len(ids(tmp_path / "out" / "scores.jsonl")) < 1500
    finished = run(tmp_path, answers)
    assert finished.returncode == 0, finished.stderr
    assert "of 1500 answers are already scored; resuming" in finished.stderr
    score_file(answers, tmp_path / "undisturbed", profile=lexical)
    lines = [sorted((tmp_path / name / "scores.jsonl").read_bytes().splitlines()) for name in ("out", "undisturbed")]
    assert len(lines[0]) == 1500
    assert lines[0] == lines[1]
    reports = [json.loads((tmp_path / name / "report.json").read_text()) for name in ("out", "undisturbed")]
    for report in reports:
        del report["timing"]
    assert reports[0] == reports[1]


@pytest.mark.parametrize("name", ["scores.jsonl", "redone.jsonl", ".lock", "parquet"])
def test_nothing_is_written_through_a_link(tmp_path, lexical, name):
    theirs = tmp_path / "theirs"
    theirs.write_text("somebody's")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / name).symlink_to(theirs)
    for overwrite in (False, True):
        with pytest.raises(InputError, match=f"{name}: is a link to .*theirs"):
            score_file(make_answers(tmp_path, 2), tmp_path / "out", profile=lexical, overwrite=overwrite)
    assert theirs.read_text() == "somebody's"
