"""Profiles: what they may set, and what each mistake in one is told."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import pytest

from fas.errors import ProfileError
from fas.profile import PartSpec, Profile, Weights, load_profile, profile_names, profile_text
from fas.records.evidence_source import EvidenceSource


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
    scoring = {"base", "dndscore", "factscore", "leaf", "medscore", "mini", "paper", "paper-mednli", "veriscore"}
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
    assert paper.verify.options["windows"] == 0
    assert paper.verify.options["max_length"] == 512
    assert paper.verify.options["batch_size"] == 16
    assert paper.reference["bertscore_model"] == "microsoft/deberta-large-mnli"


def test_the_preset_with_mednli_differs_from_the_papers_in_its_checkpoint_alone():
    paper, mednli = load_profile("paper"), load_profile("paper-mednli")
    assert mednli.verify.options.pop("model") == "pritamdeka/PubMedBERT-MNLI-MedNLI"
    paper.verify.options.pop("model")
    assert dataclasses.replace(mednli, name="paper") == paper


def test_an_empty_file_is_the_default_profile_under_the_name_of_the_file(tmp_path):
    assert load_profile(write(tmp_path, "")) == Profile(name="mine")
    assert load_profile(str(write(tmp_path, ""))) == Profile(name="mine")


def test_what_is_not_a_setting_is_an_option_of_the_part(tmp_path):
    profile = load_profile(
        write(
            tmp_path,
            '[claims]\nname = "a"\nx = 1\n[evidence]\nsource = "index:notes"\nk = 3\nyears = "2014-2024"\n'
            '[verify]\nname = "b"\nthreshold = 0.5\ny = [2]\n[reference]\nz = "w"\n'
            "[weights]\nbertscore = 0\nsupport = 0.5\nno_contradiction = 0.5\n[safety]\nenabled = false\n"
            '[run]\nprecision = "fp32"\nn_resamples = 10\nseed = 0\n',
        )
    )
    assert profile == Profile(
        name="mine",
        claims=PartSpec("a", {"x": 1}),
        evidence="index:notes",
        evidence_options={"years": "2014-2024"},
        k=3,
        verify=PartSpec("b", {"y": [2]}),
        threshold=0.5,
        reference={"z": "w"},
        weights=Weights(0, 0.5, 0.5),
        precision="fp32",
        safety=False,
        n_resamples=10,
        seed=0,
    )


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (
            "[run]\nseed = 1\nsede = 2\n",
            ", line 3: field 'sede' of [run] is unknown; allowed: precision, n_resamples, seed",
        ),
        (
            "[weights]\nrouge = 0.1\n",
            ", line 2: field 'rouge' of [weights] is unknown; allowed: bertscore, support, no_c",
        ),
        ("[safety]\n\nname = 'x'\n", ", line 3: field 'name' of [safety] is unknown; allowed: enabled"),
        (
            "[run]\nseed = 1\n\n[ scoring ]\nk = 1\n",
            ", line 4: unknown table 'scoring'; allowed: claims, evidence, verify,",
        ),
        ("# why\nthreshold = 0.7\n", ", line 2: unknown table 'threshold'; allowed: claims"),
        ("verify = 'nli'\n", ", line 1: 'verify' must be a table ([verify]), got 'nli'"),
        ("[[weights]]\nsupport = 1\n", ", line 1: 'weights' must be a table ([weights]), got [{'support': 1}]"),
        (
            "[claims]\nname = 'spacy'\n[verify]\nname = 3\n",
            ", line 4: field 'name' of [verify] must be a string, got 3",
        ),
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
        ("[safety]\nenabled = 1\n", ", line 2: safety: `enabled` must be true or false, got 1"),
        ("\n[weights]\nsupport = 0.5\n", ", line 2: weights: must sum to 1, got 0.3 + 0.5 + 0.3 = 1.1"),
        (
            "[weights]\nsupport = 0.4\nbertscore = -0.1\n",
            ", line 3: weights: `bertscore` must be a number in [0, 1], got -0.1",
        ),
        ("weights.support = '1'\n", ", line 1: weights: `support` must be a number in [0, 1], got '1'"),
        (
            "[weights]\nbertscore = 1\nsupport = 0\nno_contradiction = 0\n",
            ", line 1: weights: at least one of `support`",
        ),
        ("[run\n", ": not valid TOML: "),
    ],
)
def test_each_mistake_names_file_line_field_found_and_allowed(tmp_path, text, problem):
    assert refused(tmp_path, text).startswith(problem)


def test_a_key_of_the_same_name_in_another_table_does_not_mislead_the_line(tmp_path):
    text = "[claims]\nk = 3\n[reference]\nk = 4\n[evidence]\n# k is wrong\n'k' = 'many'\n"
    assert refused(tmp_path, text).startswith(", line 7: evidence: `k`")


def test_a_missing_profile_lists_those_there_are_and_guesses():
    with pytest.raises(
        ProfileError,
        match=r"no profile 'papr'; did you mean 'paper'\? Built in: .*mini, paper, paper-mednli, veriscore\. Or",
    ):
        load_profile("papr")
    with pytest.raises(ProfileError, match=r"no profile 'zzz'\. Built in: agents, base, dndscore"):
        profile_text("zzz")


def test_a_missing_file_a_folder_and_bytes_that_are_not_utf8_are_refused(tmp_path):
    with pytest.raises(ProfileError, match=r"nowhere\.toml: cannot be read"):
        load_profile("nowhere.toml")
    with pytest.raises(ProfileError, match="cannot be read"):
        load_profile(tmp_path)
    latin = tmp_path / "latin.toml"
    latin.write_bytes(b"# caf\xe9\n")
    with pytest.raises(ProfileError, match=r"latin\.toml: not valid TOML: .*utf-8"):
        load_profile(latin)


def test_override_changes_what_is_given_and_checks_it():
    profile = load_profile("mini")
    changed = profile.override(k=3, threshold=None, verify=PartSpec("lexical"))
    assert (changed.k, changed.threshold, changed.verify.name, changed.name) == (3, 0.55, "lexical", "mini")
    assert profile.override() == profile
    with pytest.raises(ProfileError, match="`k` must be a whole number of at least 1, got 0"):
        profile.override(k=0)
    with pytest.raises(ProfileError, match="no setting 'treshold'; available: name, claims, evidence"):
        profile.override(treshold=0.8)


@pytest.mark.parametrize(
    ("name", "value", "allowed"),
    [
        ("weights", (0.3, 0.4, 0.3), "Weights(0.3, 0.4, 0.3)"),
        ("verify", "lexical", "PartSpec"),
        ("claims", {"name": "spacy"}, "PartSpec"),
        ("reference", "ptb", "Mapping"),
        ("evidence_options", ["years"], "Mapping"),
        ("evidence", 5, "passages | index:DIR | index:NAME=DIR,... | entrez | opensearch:URL/INDEX | snapshot"),
    ],
)
def test_a_setting_of_the_wrong_type_from_python_is_refused_at_once(name, value, allowed):
    with pytest.raises(ProfileError, match=rf"setting `{name}` must be .*{re.escape(allowed)}"):
        load_profile("mini").override(**{name: value})


def test_another_evidence_source_drops_the_options_of_the_one_before():
    paper = load_profile("paper")
    assert paper.evidence_options
    assert paper.override(evidence="passages").evidence_options == {}
    assert paper.override(evidence="entrez").evidence_options == paper.evidence_options
    assert paper.override(evidence="index:x", evidence_options={"years": "2020-"}).evidence_options == {
        "years": "2020-"
    }


@pytest.mark.parametrize(
    ("choice", "parsed"),
    [
        ("passages", ("passages", None)),
        ("index:notes/a:b", ("index", "notes/a:b")),
        ("snapshot:runs/evidence.jsonl", ("snapshot", "runs/evidence.jsonl")),
        ("entrez", ("entrez", None)),
        ("none", ("none", None)),
        ("mine", ("mine", None)),  # another package's; the registry knows
        ("mine:x", ("mine", "x")),
    ],
)
def test_an_evidence_choice_is_a_name_and_an_argument(choice, parsed):
    source = EvidenceSource(choice)
    assert (source.name, source.argument) == parsed
    assert source == choice
    assert Profile(evidence=choice).evidence == source


@pytest.mark.parametrize("choice", ["index", "index:", "snapshot", "snapshot:"])
def test_a_choice_without_its_argument_says_what_is_needed(choice):
    with pytest.raises(
        ProfileError, match=rf"evidence '{choice}' needs a (folder|file) after the colon; choices: passages"
    ):
        EvidenceSource(choice)


@pytest.mark.parametrize("choice", ["passages:x", "entrez:x", "none:"])
def test_a_choice_with_an_argument_it_does_not_take_is_refused(choice):
    with pytest.raises(ProfileError, match="takes nothing after a colon"):
        EvidenceSource(choice)


def test_weights_may_be_any_three_that_sum_to_one_and_leave_evidence_a_share():
    assert Weights(0.2, 0.3, 0.5).support == 0.3
    assert Weights(1 / 3, 1 / 3, 1 / 3)
    for wrong in [(0.3, 0.4, 0.31), (-0.1, 0.8, 0.3), (float("nan"), 0.5, 0.5), (True, 0.0, 0.0), (1.0, 0.0, 0.0)]:
        with pytest.raises(ProfileError, match="weights: "):
            Weights(*wrong)


def test_the_text_of_a_built_in_profile_loads_as_a_file(tmp_path):
    for name in profile_names():
        loaded = load_profile(write(tmp_path, profile_text(name), f"{name}.toml"))
        assert loaded == load_profile(name)
        assert isinstance(loaded, Profile)
        assert load_profile(loaded) is loaded
    assert load_profile(Path(tmp_path / "mini.toml")).name == "mini"
