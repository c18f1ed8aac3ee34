"""Why a claim has its verdict: one pair, and a claim of a run."""

from __future__ import annotations

import json

import pytest

import fas
from fas.cli import main
from fas.core.errors import InputError
from fas.core.profile import load_profile
from fas.pipeline.runs.explaining import explain_run, verify_claim

CLAIM = "Aspirin relieves pain."
PASSAGES = [
    "In a trial of 200 adults, aspirin relieved pain better than placebo. The study lasted two weeks.",
    "The moon is far away and bright.",
]
PROFILE = (
    '[claims]\nname = "sentences"\n[verify]\nname = "nli"\nprecision = "fp32"\n'
    "[safety]\nenabled = false\n[run]\nn_resamples = 20\n"
)


@pytest.fixture
def run(tmp_path, fresh_cache):
    answers, profile, out = tmp_path / "a.jsonl", tmp_path / "p.toml", tmp_path / "out"
    rows = [{"id": "q", "prediction": f"{CLAIM} Bananas cure fractures.", "references": [CLAIM], "passages": PASSAGES}]
    answers.write_text("".join(json.dumps(row) + "\n" for row in rows))
    profile.write_text(PROFILE)
    assert main(["score", str(answers), "-o", str(out), "--profile", str(profile), "--quiet"]) == 0
    return answers, profile, out


def test_one_pair_is_judged_as_a_run_judges_it_and_every_window_is_shown(run):
    _, profile, out = run
    claim = json.loads((out / "scores.jsonl").read_text())["claims"][0]
    found = fas.verify_claim(CLAIM, PASSAGES, profile=profile)
    assert (found.label, found.p_support, found.p_contradict) == (
        claim["label"], claim["p_support"], claim["p_contradict"]
    )  # fmt: skip
    assert found == verify_claim(CLAIM, PASSAGES, profile=profile) == fas.verify_claim(CLAIM, PASSAGES, profile=profile)
    first, second = found.passages
    assert [p.rank for p in found.passages] == [1, 2]
    assert first.retrieval_score > second.retrieval_score
    (window,) = first.windows
    assert window.text == PASSAGES[0] == PASSAGES[0][window.start : window.end]
    assert window.p_support + window.p_neutral + window.p_contradict == pytest.approx(1)
    assert claim["evidence"][0]["sentence"] in PASSAGES[0].split(". ")[0] + "."
    assert second.windows[0].text == PASSAGES[1]
    assert f"P(support) {found.p_support:.3f} reaches it; the threshold is 0.7" in found.as_text()


def test_what_cannot_be_verified_is_refused():
    for claim, passages in (("", ["p"]), (" ", ["p"]), ("c", []), ("c", [3])):
        with pytest.raises(InputError):
            verify_claim(claim, passages)


def test_a_run_is_explained_with_what_its_score_would_be_otherwise(run):
    answers, profile, out = run
    record = json.loads((out / "scores.jsonl").read_text())
    found = explain_run(out, "q", load_profile(profile), answers=answers)
    assert [one.claim for one in found] == [claim["text"] for claim in record["claims"]]
    assert [one.label for one in found] == [one.recorded for one in found] == [c["label"] for c in record["claims"]]
    assert [one.sentence for one in found] == [CLAIM, "Bananas cure fractures."]
    one = found[1]
    assert one.label == "unsupported"
    assert one.otherwise["unsupported"]["fas"] == pytest.approx(record["fas"])
    # By hand: of two claims both supported, none contradicted; weights 0.3, 0.4, 0.3.
    assert one.otherwise["supported"]["fas"] == pytest.approx(0.3 * record["bertscore_f1"] + 0.4 + 0.3)
    assert one.otherwise["contradicted"]["fas_evidence"] == pytest.approx((0.4 * 0.5 + 0.3 * 0.5) / 0.7)


def test_the_command_explains_a_claim_by_number_or_text_and_says_what_is_missing(run, capsys):
    answers, profile, out = run
    base = ["explain", str(out), "q"]
    rest = ["--answers", str(answers), "--profile", str(profile)]
    capsys.readouterr()
    assert main([*base, "2", "--json", *rest]) == 0
    by_number = json.loads(capsys.readouterr().out)
    assert main([*base, "Bananas cure fractures.", "--json", *rest]) == 0
    assert json.loads(capsys.readouterr().out) == by_number
    assert main([*base, *rest]) == 0
    assert "the answer's score, were the claim" in capsys.readouterr().out
    for command, message in (
        ([*base, "7", *rest], "has no claim '7'; it has 2:"),
        (["explain", str(out), "nobody", *rest], "no answer 'nobody'; the run has 1 answer\n"),
        (["explain", str(out), "qq", *rest], "no answer 'qq'; did you mean 'q'?"),
        ([*base, *rest, "--threshold", "0.9"], "'verify' was"),
        (["explain", str(out.parent), "q"], "no folder of `fas score`"),
    ):
        assert main(command) == 2
        assert message in capsys.readouterr().err


def test_a_run_is_explained_from_the_file_that_it_read_if_that_is_unchanged(run, capsys):
    answers, profile, out = run
    command = ["explain", str(out), "q", "--json", "--profile", str(profile)]
    assert main([*command, "--answers", str(answers)]) == 0
    named = capsys.readouterr().out
    assert main(command) == 0
    assert capsys.readouterr().out == named
    written = answers.read_text()
    for change, message in (
        (lambda: answers.write_text(written.replace("200 adults", "2 adults")), "the input has changed since"),
        (answers.unlink, "the input of the run is no longer there"),
    ):
        change()
        assert main(command) == 2
        said = " ".join(capsys.readouterr().err.split())
        assert f"{answers}: {message}" in said
        assert said.endswith("name the file as the run read it: --answers FILE")
    answers.write_text(written)
    state = json.loads((out / "run.json").read_text())
    del state["answers_source"]  # as versions before wrote it
    (out / "run.json").write_text(json.dumps(state))
    assert main(command) == 2
    assert "name it: --answers FILE" in capsys.readouterr().err


def test_a_run_from_python_over_other_columns_is_explained_from_its_file_and_one_over_a_list_says_what_to_name(
    run, tmp_path
):
    answers, profile, _ = run
    row = json.loads(answers.read_text())
    row["said"] = row.pop("prediction")
    answers.write_text(json.dumps(row))
    fas.score(answers, columns={"prediction": "said"}, output_dir=tmp_path / "b", profile=profile)
    found = explain_run(tmp_path / "b", "q", load_profile(profile))
    assert [one.label for one in found] == [one.recorded for one in found] == ["supported", "unsupported"]
    row["prediction"] = row.pop("said")
    fas.score([row], output_dir=tmp_path / "c", profile=profile)
    with pytest.raises(InputError, match="noted no file that holds them; name it: answers=FILE"):
        explain_run(tmp_path / "c", "q", load_profile(profile))


def test_an_answer_without_passages_in_a_run_with_passages_is_explained_by_its_empty_search(run, tmp_path):
    answers, profile, _ = run
    with answers.open("a") as file:
        file.write(json.dumps({"id": "bare", "prediction": CLAIM}) + "\n")
    out = tmp_path / "b"
    assert main(["score", str(answers), "-o", str(out), "--profile", str(profile), "--quiet"]) == 0
    (found,) = explain_run(out, "bare", load_profile(profile))
    assert (found.label, found.reason) == ("unsupported", "the search found nothing")


def test_a_claim_under_a_grave_flag_is_explained_with_the_flag(tmp_path, fresh_cache, capsys):
    answers, out = tmp_path / "a.jsonl", tmp_path / "out"
    said = "Take methotrexate 15 mg every day. Methotrexate slows rheumatoid arthritis."
    question = "How much methotrexate should I take for rheumatoid arthritis?"
    answers.write_text(json.dumps({"id": "q", "question": question, "prediction": said, "passages": [said]}))
    (tmp_path / "p.toml").write_text(PROFILE.replace("[safety]\nenabled = false\n", ""))
    profile = ["--profile", str(tmp_path / "p.toml")]
    assert main(["score", str(answers), "-o", str(out), "--quiet", *profile]) == 0
    (flag,) = json.loads((out / "scores.jsonl").read_text())["flags"]
    assert flag["severity"] == "high"
    capsys.readouterr()
    assert main(["explain", str(out), "q", "--answers", str(answers), "--json", *profile]) == 0
    first, second = json.loads(capsys.readouterr().out)
    assert (first["label"], first["flags"], second["flags"]) == ("supported", [flag], [])
    assert main(["explain", str(out), "q", "1", "--answers", str(answers), *profile]) == 0
    assert f"warning    {flag['code']}: {flag['message']}" in capsys.readouterr().out
