"""Prompt files: what the built-in ones hold, and what a file of the user's may be."""

import re
import shutil
from pathlib import Path

import pytest

import fas.claims
from benchmarks.claims.faults import detect
from fas.claims.kinds import content
from fas.claims.llm.lines import parse_lines
from fas.claims.llm.prompts import load_prompt, prompt_names
from fas.claims.llm.replies import parse_ambiguities, parse_pairs, parse_statement
from fas.errors import ProfileError
from fas.records import Answer, Claim

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
FORMS = {"dnd": "pairs", "ambiguities": "ambiguities", "rewrite": "statement"}
READERS = {
    "lines": parse_lines,
    "pairs": parse_pairs,
    "ambiguities": parse_ambiguities,
    "statement": parse_statement,
}


def load(name, source=None):
    places = frozenset(PLACES[name])
    return load_prompt(source or name, reply=FORMS.get(name, "lines"), allowed=places, required=places)


def user_file(folder, text):
    path = folder / "own.toml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_every_built_in_prompt_has_a_file_with_a_version():
    assert {name.partition(".v")[0] for name in prompt_names()} == set(PLACES)


@pytest.mark.parametrize("name", PLACES)
def test_every_example_is_in_the_instructions_and_its_reply_is_what_the_reader_reads(name):
    prompt = load(name)
    assert prompt.examples
    for example in prompt.examples:
        shown = prompt.messages({**example, "question": ""})
        assert any(example["reply"] in message.content for message in shown)
        READERS[prompt.reply](example["reply"])
    assert "{examples}" not in prompt.system
    assert not re.search(r"\{(?:context|sentence|window|statement|ambiguities|question)\}", prompt.system)


@pytest.mark.parametrize("name", PLACES)
def test_an_example_takes_its_sentence_from_its_context(name):
    for example in load(name).examples:
        taken = example.get("sentence") or example.get("statement")
        if "context" in example:
            assert taken in example["context"]


@pytest.mark.parametrize("name", ["medscore", "medscore-general"])
def test_the_ten_examples_of_medscore_are_balanced_and_free_of_the_faults_they_are_to_prevent(name):
    prompt = load(name)
    replies = [parse_lines(example["reply"]) for example in prompt.examples]
    assert len(replies) == 10
    assert sum(not reply for reply in replies) == 5
    facts = [[Claim(fact.text) for fact in reply] for reply in replies]
    answers = [Answer(str(i), example["context"]) for i, example in enumerate(prompt.examples)]
    for found in detect(facts, answers):
        assert all(not faults for faults in found.faults)


def test_the_examples_of_veriscore_mark_one_sentence_each_and_some_hold_no_claim():
    prompt = load("veriscore")
    for example in prompt.examples:
        assert len(re.findall("<SOS>.+?<EOS>", example["window"])) == 1
        assert example["window"].count("<SOS>") == example["window"].count("<EOS>") == 1
    assert {bool(parse_lines(example["reply"])) for example in prompt.examples} == {True, False}


def test_the_examples_of_dnd_name_in_the_longer_form_what_the_subclaim_only_points_at():
    pairs = [pair for example in load("dnd").examples for pair in parse_pairs(example["reply"])]
    pointing = re.compile(r"\b(?:they|she|he|it)\b", re.IGNORECASE)
    assert any(pointing.search(pair.text) for pair in pairs)
    assert not any(pointing.search(pair.decontextualised.partition(" who ")[0]) for pair in pairs)


def test_the_examples_of_dnd_and_rnd_are_as_dense_as_those_of_the_paper():
    """Table 5's sentence has 13 pairs for 28 words, 0.46 a word; sentences that state one thing have one."""
    for name, parse in (("dnd", parse_pairs), ("rnd", parse_lines)):
        replies = [(example["sentence"], parse(example["reply"])) for example in load(name).examples]
        dense = [len(found) / len(sentence.split()) for sentence, found in replies if len(found) > 1]
        assert sum(dense) / len(dense) > 0.3, name
    fewer = load("dnd", "dnd.v1").examples
    assert max(len(parse_pairs(example["reply"])) for example in fewer) < 3


def test_as_many_examples_are_retrieved_as_there_are(tmp_path):
    text = (
        'retrieve = 3\nsystem = "{examples}"\nuser = "{sentence}"\n'
        + 2 * '[[examples]]\nsentence = "A."\nreply = "- A."\n'
    )
    with pytest.raises(ProfileError, match=r"from 1 to the number of examples \(2\)"):
        load("factscore", user_file(tmp_path, text))
    two = load("factscore", user_file(tmp_path, text.replace("= 3", "= 2")))
    assert two.digest != load("factscore", user_file(tmp_path, text.replace("= 3", "= 1"))).digest


def test_the_examples_of_the_rewriting_resolve_what_the_first_step_finds():
    found = {example["statement"]: parse_ambiguities(example["reply"]) for example in load("ambiguities").examples}
    for example in load("rewrite").examples:
        rewritten = content(parse_statement(example["reply"]))
        for ambiguity in found[example["statement"]]:
            assert content(ambiguity.meaning) <= rewritten
            assert f"- {ambiguity.expression}: {ambiguity.meaning}" in example["ambiguities"]
    assert [] in found.values()


def test_only_factscore_never_invites_the_model_to_skip_a_sentence():
    assert "no verifiable claim" not in load("factscore").system.lower()
    assert "No verifiable claim" in load("medscore").system
    assert "No verifiable claim" in load("medscore-general").system
    assert "No verifiable claim" in load("veriscore").system


def test_a_value_with_a_placeholder_in_it_is_not_read_again():
    request = load("medscore").messages({"context": "Say {sentence} {.", "sentence": "Rest {context} helps."})[-1]
    assert "Say {sentence} {." in request.content
    assert "Rest {context} helps." in request.content


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


def test_a_version_can_be_named():
    assert load("medscore", "medscore.v1").signature == load("medscore").signature


def test_a_file_without_instructions_or_examples_is_a_prompt(tmp_path):
    prompt = load("factscore", user_file(tmp_path, 'user = "Facts of {sentence}"'))
    (message,) = prompt.messages({"sentence": "Rest helps."})
    assert (message.role, message.content) == ("user", "Facts of Rest helps.")


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
        ('user = "{sentence}"\nexamples = 1', "field 'examples' must be of type list, got 1"),
        (
            'user = "{sentence}"\n[[examples]]\nreply = "- a"',
            "example 1 must have the strings reply, sentence, got reply",
        ),
        (
            'user = "{sentence}"\n[[examples]]\nreply = "- a"\nsentence = "A."',
            r"there are examples, but neither field 'system' nor field 'user' says \{examples\}",
        ),
    ],
)
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
