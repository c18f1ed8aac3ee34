"""Prompt files: what the built-in ones hold, and what a file of the user's may be."""

import re
import shutil
from pathlib import Path

import pytest

import fas.claims
from fas.claims.llm.lines import parse_lines
from fas.claims.llm.prompts import load_prompt, prompt_names
from fas.claims.llm.replies import parse_pairs
from fas.core.errors import ProfileError

PLACES = {
    "factscore": {"sentence"},
    "medscore": {"sentence", "context"},
    "medscore-general": {"sentence", "context", "question"},
    "rnd": {"sentence"},
    "veriscore": {"window"},
    "dnd": {"sentence", "context"},
    "ambiguities": {"statement", "context"},
    "rewrite": {"statement", "context", "ambiguities"},
}
# Of MedScore's table 9: examples with facts, examples without, and whether there are instructions.
TABLE_9 = {
    "medscore-examples": (5, 3, False),
    "medscore-instructions": (0, 0, True),
    "medscore-4": (3, 1, True),
    "medscore-8": (5, 3, True),
    "medscore-8-balanced": (4, 4, True),
}
FORMS = {"dnd": "pairs", "ambiguities": "ambiguities", "rewrite": "statement"}


def load(name, source=None):
    places = frozenset(PLACES[name])
    return load_prompt(source or name, reply=FORMS.get(name, "lines"), allowed=places, required=places)


def user_file(folder, text):
    path = folder / "own.toml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_every_built_in_prompt_has_a_file_with_a_version():
    assert {name.partition(".v")[0] for name in prompt_names()} == {*PLACES, *TABLE_9}


@pytest.mark.parametrize("name", TABLE_9)
def test_each_setting_of_medscores_ablation_shows_its_examples(name):
    whole, own = load("medscore"), load("medscore", name)
    none = [example["reply"] == "No verifiable claim" for example in own.examples]
    instructions = whole.system.partition("Here are some examples.")[0].strip()
    assert (none.count(False), none.count(True), instructions in own.system) == TABLE_9[name]
    assert own.user == whole.user
    assert ("some examples" in own.system) == (name not in ("medscore-examples", "medscore-instructions"))
    assert own.signature != whole.signature


def test_the_signature_moves_with_every_word_and_with_no_comment(tmp_path):
    built_in = Path(fas.claims.__file__).parent / "prompts" / "medscore.v1.toml"
    copied = tmp_path / "own.toml"
    shutil.copy(built_in, copied)
    original = load("medscore").signature
    assert re.fullmatch(r"1-[0-9a-f]{8}", original)
    assert load("medscore", str(copied)).signature == original
    text = built_in.read_text(encoding="utf-8")
    copied.write_text("# another comment\n" + text, encoding="utf-8")
    assert load("medscore", str(copied)).signature == original
    for old, new in (("Keep to the sentence.", "Keep to it."), ("Facts:", "Statements:"), ("ringworm", "tinea")):
        assert old in text
        copied.write_text(text.replace(old, new), encoding="utf-8")
        assert load("medscore", str(copied)).signature != original


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("user = ", "not valid TOML"),
        ("", "field 'user' is missing"),
        ("user = 3", "field 'user' must be of type str, got 3"),
        ('user = "Facts:"', r"field 'user' does not say \{sentence\}"),
        ('user = "{sentence} {topic}"', r"field 'user' says \{topic\}; allowed: \{sentence\}"),
        ('user = "{sentence}"\nmodel = "x"', "unknown field 'model'; allowed: version, system, user, name"),
        ('user = "{sentence}"\nversion = "two"', "field 'version' must be a whole number of at least 1, got 'two'"),
        ('user = "{sentence}"\nreply = "pairs"', "field 'reply' must be 'lines' for this method, got 'pairs'"),
        ('user = "{sentence}"\nkeep = [1]', "'keep' chooses among the examples of field 'base'"),
        ('base = "medscore"\nkeep = [0]', r"'keep' must hold numbers from 1 to 10, got \[0\]"),
        ('base = "medscore-4"', "the base 'medscore-4' has a base itself"),
        ('user = "{sentence}"\nexamples = 1', "field 'examples' must be of type list, got 1"),
        ('user = "{sentence}"\n[[examples]]\nreply = "- a"',
         "example 1 must have the strings reply, sentence, got reply"),
        ('user = "{sentence}"\n[[examples]]\nreply = "- a"\nsentence = "A."',
         r"there are examples, but neither field 'system' nor field 'user' says \{examples\}"),
    ],
)  # fmt: skip
def test_a_file_that_is_no_usable_prompt_is_refused_with_its_name_and_field(tmp_path, text, problem):
    path = user_file(tmp_path, text)
    with pytest.raises(ProfileError, match=problem) as caught:
        load("factscore", path)
    assert path in str(caught.value)


def test_a_prompt_that_does_not_exist_is_refused_with_those_that_do(tmp_path):
    with pytest.raises(ProfileError, match=r"no prompt named 'medscore.v9'; built in: ambiguities.v1, dnd.v1"):
        load("medscore", "medscore.v9")
    with pytest.raises(ProfileError, match="cannot be read"):
        load("medscore", str(tmp_path / "none.toml"))


def test_the_examples_of_dnd_and_rnd_are_as_dense_as_those_of_the_paper():
    """Table 5's sentence has 13 pairs for 28 words, 0.46 a word; sentences that state one thing have one."""
    for name, parse in (("dnd", parse_pairs), ("rnd", parse_lines)):
        replies = [(example["sentence"], parse(example["reply"])) for example in load(name).examples]
        dense = [len(found) / len(sentence.split()) for sentence, found in replies if len(found) > 1]
        assert sum(dense) / len(dense) > 0.3, name
    fewer = load("dnd", "dnd.v1").examples
    assert max(len(parse_pairs(example["reply"])) for example in fewer) < 3
