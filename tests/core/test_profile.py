"""Profiles: their settings, and the error of each mistake."""

from __future__ import annotations

import pytest

from fas.core.errors import ProfileError
from fas.core.profile import PartSpec, Weights, load_profile, profile_names, profile_text


def write(folder, text, name="mine.toml"):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def refused(folder, text):
    path = write(folder, text)
    with pytest.raises(ProfileError) as caught:
        load_profile(path)
    message = str(caught.value)
    assert message.startswith(str(path))
    return message.removeprefix(str(path))


def test_the_built_in_profiles_are_ours_and_the_published_methods_and_load():
    scoring = {"base", "dndscore", "entailment", "factscore", "leaf", "medscore", "mini", "paper", "paper-mednli"} | {
        "factcheck-gpt",
        "veriscore",
    }
    detecting = {"agents", "grounded", "judge"}
    assert set(profile_names()) == scoring | detecting
    assert {name for name in profile_names() if load_profile(name).detect is not None} == detecting
    assert all(load_profile(name).name == name for name in profile_names())


def test_mini_is_the_default_and_says_what_profile_says():
    mini = load_profile()
    assert mini == load_profile("mini")
    assert (mini.evidence, mini.k, mini.threshold, mini.weights) == (None, 5, 0.55, Weights(0.3, 0.4, 0.3))
    assert (mini.n_resamples, mini.precision, mini.safety) == (10_000, "auto", True)
    assert mini.verify == PartSpec("nli", {"model": "fas-nli-mini"})


def test_paper_holds_the_settings_of_the_study():
    paper = load_profile("paper")
    assert paper.evidence == "entrez"
    assert paper.k == 5
    assert paper.threshold == 0.7
    assert paper.weights == Weights(0.3, 0.4, 0.3)
    assert paper.verify.name == "nli"
    assert paper.verify.options["model"] == "dmis-lab/biobert-large-cased-v1.1-mnli"
    assert sorted(paper.verify.options["labels"]) == ["contradiction", "entailment", "neutral"]
    assert paper.verify.options["max_length"] == 512
    assert paper.verify.options["batch_size"] == 16
    assert paper.reference["bertscore_model"] == "microsoft/deberta-large-mnli"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[run]\nseed = 1\nsede = 2\n",
         ", line 3: field 'sede' of [run] is unknown; allowed: precision, n_resamples, seed"),
        ("[weights]\nrouge = 0.1\n",
         ", line 2: field 'rouge' of [weights] is unknown; allowed: bertscore, support, no_c"),
        ("[safety]\n\nname = 'x'\n", ", line 3: field 'name' of [safety] is unknown; allowed: enabled"),
        ("[run]\nseed = 1\n\n[ scoring ]\nk = 1\n",
         ", line 4: unknown table 'scoring'; allowed: claims, evidence, verify,"),
        ("# why\nthreshold = 0.7\n", ", line 2: unknown table 'threshold'; allowed: claims"),
        ("verify = 'nli'\n", ", line 1: 'verify' must be a table ([verify]), got 'nli'"),
        ("[[weights]]\nsupport = 1\n", ", line 1: 'weights' must be a table ([weights]), got [{'support': 1}]"),
        ("[claims]\nname = 'spacy'\n[verify]\nname = 3\n",
         ", line 4: field 'name' of [verify] must be a string, got 3"),
        ("[evidence]\nk = 2\nsource = []\n", ", line 3: field 'source' of [evidence] must be a string, got []"),
        ("[evidence]\nsource = 'index'\n", ", line 2: evidence 'index' needs a folder after the colon"),
        ("[evidence]\nk = 0\n", ", line 2: evidence: `k` must be a whole number of at least 1, got 0"),
        ("[evidence]\nk = 2.0\n", ", line 2: evidence: `k` must be a whole number of at least 1, got 2.0"),
        ("[evidence]\nk = true\n", ", line 2: evidence: `k` must be a whole number of at least 1, got True"),
        ("[verify]\nthreshold = 0.49\n", ", line 2: verify: `threshold` must be in [0.5, 1), got 0.49"),
        ("[verify]\nthreshold = 1.0\n", ", line 2: verify: `threshold` must be in [0.5, 1), got 1.0"),
        ("[verify]\nthreshold = nan\n", ", line 2: verify: `threshold` must be in [0.5, 1), got nan"),
        ("[verify]\nthreshold = 'high'\n", ", line 2: verify: `threshold` must be in [0.5, 1), got 'high'"),
        ("[run]\nprecision = 'fp16'\n", ", line 2: run: `precision` must be one of auto, fp32, bf16, got 'fp16'"),
        ("[run]\nn_resamples = 0\n", ", line 2: run: `n_resamples` must be a whole number of at least 1, got 0"),
        ("[run]\nseed = -1\n", ", line 2: run: `seed` must be a whole number of at least 0, got -1"),
        *((f"[run]\ntext_timeout = {value}\n", ", line 2: run: `text_timeout` must be seconds of at least 0")
          for value in ("-1", "nan", "inf", "true", "'60'")),
        ("[safety]\nenabled = 1\n", ", line 2: safety: `enabled` must be true or false, got 1"),
        ("\n[weights]\nsupport = 0.5\n", ", line 2: weights: must sum to 1, got 0.3 + 0.5 + 0.3 = 1.1"),
        ("[weights]\nsupport = 0.4\nbertscore = -0.1\n",
         ", line 3: weights: `bertscore` must be a number in [0, 1], got -0.1"),
        ("weights.support = '1'\n", ", line 1: weights: `support` must be a number in [0, 1], got '1'"),
        ("[weights]\nbertscore = 1\nsupport = 0\nno_contradiction = 0\n",
         ", line 1: weights: at least one of `support`"),
        ("[run\n", ": not valid TOML: "),
    ],
)  # fmt: skip
def test_each_mistake_names_file_line_field_found_and_allowed(tmp_path, text, problem):
    assert refused(tmp_path, text).startswith(problem)


def test_a_missing_profile_lists_those_there_are_and_guesses():
    with pytest.raises(
        ProfileError,
        match=r"no profile 'papr'; did you mean 'paper'\? Built in: .*mini, paper, paper-mednli, veriscore\. Or",
    ):
        load_profile("papr")
    with pytest.raises(ProfileError, match=r"no profile 'zzz'\. Built in: agents, base, dndscore"):
        profile_text("zzz")


def test_override_changes_what_is_given_and_checks_it():
    profile = load_profile("mini")
    changed = profile.override(k=3, threshold=None, verify=PartSpec("lexical"))
    assert (changed.k, changed.threshold, changed.verify.name, changed.name) == (3, 0.55, "lexical", "mini")
    assert profile.override() == profile
    with pytest.raises(ProfileError, match="`k` must be a whole number of at least 1, got 0"):
        profile.override(k=0)
    with pytest.raises(ProfileError, match="no setting 'treshold'; available: name, claims, evidence"):
        profile.override(treshold=0.8)
