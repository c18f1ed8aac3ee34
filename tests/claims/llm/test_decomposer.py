"""Extractors by language models, through the real client against a server on 127.0.0.1."""

import json
import math
import re

import pytest
from chat_server import ChatServer, Status, Text

import fas
from fas.claims.llm.prompts import load_prompt
from fas.claims.llm.units import answer_units
from fas.cli import main
from fas.core.errors import RunStopped
from fas.core.parts import extractors
from fas.core.records import Answer

ANSWER = (
    "Hi there! Ibuprofen reduces fever. It should be taken with food. Do not exceed 1.2 g a day.\n\n"
    "Side effects include:\n- nausea\n- **heartburn**\n\nTake care."
)
SENTENCES = [
    "Hi there!",
    "Ibuprofen reduces fever.",
    "It should be taken with food.",
    "Do not exceed 1.2 g a day.",
    "Side effects include:",
    "nausea",
    "heartburn",
    "Take care.",
]
NAMES = ("factscore", "rnd", "medscore", "medscore-general", "veriscore", "dnd")


@pytest.fixture(autouse=True)
def _own_cache(fresh_cache):
    return fresh_cache


def sentence_of(request):
    """The sentence that a request asks about."""
    if "<SOS>" in request.text:
        return re.search("<SOS>(.*?)<EOS>", request.text, re.DOTALL).group(1)
    return re.findall(r"(?:Sentence of the context|Sentence|Statement): (.*)", request.text)[-1]


def by_sentence(replies, default="No verifiable claim"):
    return lambda request: replies.get(sentence_of(request), default)


def build(server, name="medscore", **options):
    return extractors.create(name, model="test-model", base_url=server.url, **options)


def claims_of(extractor, prediction=ANSWER, question=None):
    (claims,) = extractor.extract([Answer("1", prediction, question)])
    return claims


def pairs(*texts):
    return json.dumps(
        {"ambiguities": "", "pairs": [{"subclaim": text, "decontextualised": longer} for text, longer in texts]}
    )


@pytest.mark.parametrize("name", NAMES)
def test_each_sentence_is_one_request_at_temperature_zero(name):
    with ChatServer("No verifiable claim") as server:
        assert claims_of(build(server, name)) == []
    assert sorted(map(sentence_of, server.log)) == sorted(SENTENCES)
    assert {request.body["temperature"] for request in server.log} == {0}


def test_rnd_shows_the_six_examples_nearest_to_each_sentence_the_nearest_last():
    """Against an own BM25 over the words of the examples' sentences."""
    answer = "Most adults with type 2 diabetes are given metformin. The old bridge was opened to traffic in 1970."
    with ChatServer("- A.") as server:
        claims_of(build(server, "rnd"), answer)
    examples = load_prompt("rnd", reply="lines", allowed=frozenset({"sentence"}), required=frozenset()).examples
    cut = [re.findall(r"\w+", example["sentence"].lower()) for example in examples]
    average = sum(map(len, cut)) / len(cut)
    for request in server.log:
        asked, scores = set(re.findall(r"\w+", sentence_of(request).lower())), []
        for words in cut:
            score = 0.0
            for term in asked & set(words):
                n = sum(term in other for other in cut)
                tf = words.count(term)
                weight = math.log(1 + (len(cut) - n + 0.5) / (n + 0.5))
                score += weight * tf * 2.2 / (tf + 1.2 * (0.25 + 0.75 * len(words) / average))
            scores.append(score)
        nearest = sorted(range(len(cut)), key=lambda i: -scores[i])[:6]
        system = request.messages[1]["content"]
        shown = [i for i in range(len(cut)) if examples[i]["sentence"] in system]
        assert sorted(nearest) == shown
        assert sorted(shown, key=lambda i: system.index(examples[i]["sentence"])) == nearest[::-1]
        assert all((example["reply"] in system) == (i in shown) for i, example in enumerate(examples))
    last = [request.messages[1]["content"].split("Sentence: ")[-2] for request in server.log]
    assert any(text.startswith("Metformin is the first drug") for text in last)
    assert any(text.startswith("The bridge, designed") for text in last)


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("", "the reply is empty"),
        ("I'm sorry, but I can't help with that.", "the model refused"),
        (Text(None, refusal="I can't help with that."), "the model refused"),
        (Text("- Ibuprofen red", "length"), "cut off"),
        (Text("- Ibuprofen", "content_filter"), "content filter"),
        ("Ibuprofen is mentioned here\n\n- Ibuprofen reduces fever.", "neither a claim nor a lead-in"),
        (Status(400, "the prompt is too long"), "the prompt is too long"),
    ],
)
@pytest.mark.parametrize("name", ["medscore", "factscore", "veriscore"])
def test_a_sentence_whose_reply_cannot_be_used_stays_as_a_failure_and_the_others_go_on(name, reply, reason):
    with ChatServer(by_sentence({SENTENCES[1]: reply, SENTENCES[2]: "- Take it with food."})) as server:
        failed, good = claims_of(build(server, name))
    assert failed.text == ANSWER[failed.start : failed.end] == SENTENCES[1]
    assert failed.failure.startswith(f"{name}: ")
    assert reason in failed.failure
    assert (good.text, good.failure) == ("Take it with food.", None)


def test_dnd_gives_the_subclaim_with_its_longer_form_as_context():
    reply = pairs(("It is taken with food.", "Ibuprofen is taken with food."))
    script = by_sentence({SENTENCES[2]: reply, SENTENCES[1]: '{"pairs": [{"subclaim": "x"}]}'}, '{"pairs": []}')
    with ChatServer(script) as server:
        failed, claim = claims_of(build(server, "dnd"))
        _, turned = claims_of(build(server, "dnd", form="decontextualised"))
    assert (claim.text, claim.context) == ("It is taken with food.", "Ibuprofen is taken with food.")
    assert (turned.text, turned.context) == ("Ibuprofen is taken with food.", None)
    assert (failed.text, failed.context) == (SENTENCES[1], None)
    assert "pair 1" in failed.failure
    assert server.log[0].schema["required"] == ["ambiguities", "pairs"]


def two_steps(request):
    """Replies of a model that resolves "It" and stumbles over "Do not"."""
    text = sentence_of(request)
    if "Unclear expressions" in request.text:
        return json.dumps({"statement": text.replace("It ", "Ibuprofen ")})
    if "ambiguities" in request.messages[0]["content"]:
        if text.startswith("Do not"):
            return "Hm."
        found = [{"expression": "It", "meaning": "ibuprofen"}] if text.startswith("It ") else []
        return json.dumps({"ambiguities": found})
    return f"- {text}" if text.startswith(("It ", "Ibuprofen ", "Do not")) else "No verifiable claim"


def test_decompose_then_decontextualise_rewrites_what_is_ambiguous():
    with ChatServer(two_steps) as server:
        claims = claims_of(build(server, decontextualise="after"), question="May I take it?")
    steps = [request for request in server.log if "Unclear expressions" in request.text]
    assert [claim.text for claim in claims] == [
        "Ibuprofen reduces fever.",
        "Ibuprofen should be taken with food.",
        "Do not exceed 1.2 g a day.",
    ]
    assert [claim.failure is None for claim in claims] == [True, True, False]
    assert claims[2].failure.startswith("decontextualise: ")
    assert ANSWER[claims[1].start : claims[1].end] == SENTENCES[2]
    # One claim had something ambiguous, so one was rewritten, with the answer, the question and what was found.
    (step,) = steps
    assert "- It: ibuprofen" in step.text
    assert ANSWER in step.text
    assert "May I take it?" in step.text


def test_veriscore_keeps_a_repeated_claim_once_and_medscore_each_time():
    with ChatServer("- Ibuprofen reduces fever.") as server:
        assert len(claims_of(build(server, "veriscore"))) == 1
        assert len(claims_of(build(server, "medscore"))) == len(SENTENCES)


def test_the_signature_pins_the_model_the_prompt_and_every_option_that_changes_a_claim():
    with ChatServer() as server:
        plain = build(server).signature
        signatures = {
            plain,
            build(server, decontextualise="before").signature,
            build(server, decontextualise="after").signature,
            build(server, decontextualise="after", form="subclaim").signature,
            build(server, max_tokens=99).signature,
            build(server, "factscore").signature,
            build(server, filter="core").signature,
        }
        assert build(server, concurrency=3).signature == plain
    assert re.fullmatch(r"medscore\[test-model,prompt=1-[0-9a-f]{8},code=[0-9a-f]{8}\]", plain)
    assert len(signatures) == 7
    assert not any(character in signature for signature in signatures for character in "|:\n ")


@pytest.mark.parametrize(
    ("name", "options", "problem"),
    [
        ("medscore", {"model": None}, r"'medscore': it needs the name of a language model: --model NAME"),
        (
            "medscore",
            {"decontextualise": "both"},
            "`decontextualise` must be one of 'none', 'before', 'after', got 'both'",
        ),
        ("medscore", {"form": "subclaim"}, "`form` chooses between two wordings"),
        ("dnd", {"form": "long"}, "`form` must be one of 'subclaim', 'decontextualised', got 'long'"),
        ("dnd", {"decontextualise": "after"}, "it decontextualises its claims itself"),
        ("medscore", {"max_tokens": 0}, "`max_tokens` must be a whole number of at least 1, got 0"),
        ("medscore", {"prompt": "own"}, "no prompt named 'own'"),
        ("medscore", {"prompt": "dnd"}, "field 'reply' must be 'lines' for this method, got 'pairs'"),
        ("medscore", {"filter": "best"}, "`filter` must be one of 'none', 'core'"),
        ("medscore", {"temperature": 1}, "has no option 'temperature'; allowed: model, prompt, decontextualise, "),
    ],
)
def test_an_impossible_option_is_refused_when_the_extractor_is_built(name, options, problem):
    with pytest.raises(ValueError, match=problem):
        extractors.create(name, **{"model": "test-model", **options})


def test_a_model_that_lets_nobody_in_stops_the_run_instead_of_failing_every_answer(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "wrong")
    with ChatServer("- A.", key="right") as server, pytest.raises(RunStopped):
        claims_of(build(server))


def test_a_failed_sentence_is_an_unverified_claim_of_its_answer_and_the_rest_is_scored(tmp_path):
    script = by_sentence({SENTENCES[1]: "- Ibuprofen reduces fever.", SENTENCES[2]: Text("- It", "length")})
    with ChatServer(script) as server:
        profile = tmp_path / "own.toml"
        profile.write_text(
            f'[claims]\nname = "medscore"\nmodel = "test-model"\nbase_url = "{server.url}"\n'
            '[verify]\nname = "lexical"\n[safety]\nenabled = false\n[run]\nn_resamples = 10\n',
            encoding="utf-8",
        )
        row = {"prediction": ANSWER, "passages": ["Ibuprofen reduces fever."]}
        report = fas.score_answers([row], profile=profile)
    (score,) = report.answers
    record = score.as_dict(5)
    assert score.error is None
    assert (score.counts.n_claims, score.counts.n_unverified, score.support) == (2, 1, 1.0)
    failed = record["claims"][1]
    assert (failed["text"], failed["label"]) == (SENTENCES[2], "unverified")
    assert failed["failure"] == "medscore: the reply was cut off (raise max_tokens): '- It'"
    assert failed["evidence"] == []
    assert "claims:medscore[test-model,prompt=1-" in report.signature


@pytest.mark.parametrize("name", ["factscore", "medscore", "veriscore"])
def test_a_yes_in_reply_to_the_sentence_yes_is_no_claim_and_in_reply_to_a_statement_a_failure(name):
    with ChatServer("- Yes") as server:
        claims = claims_of(build(server, name), "**Yes.** Ibuprofen reduces fever.")
    assert [claim.text for claim in claims] == ["Ibuprofen reduces fever."]
    assert "stands for a claim and is none: 'Yes'" in claims[0].failure


def test_the_notes_count_the_sentences_in_which_the_model_finds_no_claim():
    # The 1.5B says of plain statements that they state nothing; a failed sentence is counted elsewhere.
    with ChatServer(by_sentence({SENTENCES[1]: "- Ibuprofen reduces fever.", SENTENCES[2]: ""})) as server:
        extractor = build(server)
        claims_of(extractor)
        assert "claim extractor 'medscore': the model found no claim in 6 of 8 sentences" in extractor.notes()
        extractor.recount()
        assert extractor.notes() == []


def test_fas_claims_prints_claims_with_context_and_failures_with_reasons(tmp_path, capsys):
    script = by_sentence(
        {SENTENCES[2]: pairs(("It is taken with food.", "Ibuprofen is taken with food.")), SENTENCES[1]: ""},
        '{"pairs": []}',
    )
    with ChatServer(script) as server:
        profile = tmp_path / "own.toml"
        profile.write_text(
            f'[claims]\nname = "dnd"\nmodel = "test-model"\nbase_url = "{server.url}"\n', encoding="utf-8"
        )
        answers = tmp_path / "answers.jsonl"
        answers.write_text(json.dumps({"id": "a", "prediction": ANSWER}) + "\n", encoding="utf-8")
        assert main(["claims", str(answers), "--profile", str(profile), "--json"]) == 0
        line = json.loads(capsys.readouterr().out)
        assert main(["claims", str(answers), "--profile", str(profile)]) == 0
        shown = capsys.readouterr()
        parts = ["--claims", "factscore", "--model", "test-model", "--base-url", server.url]
        assert main(["claims", str(answers), *parts, "--max-calls", "100"]) == 0
        assert "8 calls in this run" in capsys.readouterr().err
        assert main(["claims", str(answers), *parts[:2]]) == 2
        assert "'factscore' needs a language model: name one with --model" in capsys.readouterr().err
    failed, claim = line["claims"]
    assert failed["failure"] == "dnd: the reply is empty"
    assert claim["context"] == "Ibuprofen is taken with food."
    assert "failure" not in claim
    assert shown.out.startswith("a: 1 claim\n  - It is taken with food.\n\n")
    assert "no claims from 'Ibuprofen reduces fever.': dnd: the reply is empty" in shown.err


def test_the_sentences_of_markdown_are_items_rows_and_prose_without_headings():
    text = (
        "## Dose\n**Adults** take 1 g.\nIt works!\n\n| Drug | Dose |\n|---|---|\n| Ibuprofen | 400 mg |\n\n1. Rest.\n"
    )
    units = answer_units(text)
    assert [unit.text for unit in units] == ["Adults take 1 g.", "It works!", "Drug: Ibuprofen; Dose: 400 mg", "Rest."]
    assert text[units[2].start : units[2].end] == "Ibuprofen | 400 mg"
