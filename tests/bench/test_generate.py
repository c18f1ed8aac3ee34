"""Generation: prompts, resumption, and a tiny model with random weights.

Oracle of decoding: the tokens of highest logit, taken one at a time without batch, padding or cache of keys.
"""

from __future__ import annotations

import bench_trees as trees
import pytest
from tiny_llm import write_tiny_llm

from fas.bench.dataset import Item
from fas.bench.generate import (
    CopiedAbstract,
    Generation,
    generate,
    make_generator,
    prompt_for,
)

ITEMS = [
    Item("1", "Does it work?", ()),
    Item("2", "Does it work well in children and adults with a fever, and in whom does it not?", (), kind="summary"),
    Item("3", "Which?", (), kind="list"),
    Item("4", "Is it so?", (), kind="yesno"),
    Item("5", "And in children?", ()),
]


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    return write_tiny_llm(tmp_path_factory.mktemp("llm") / "tiny")


def greedy(folder, prompt, n_tokens):
    """The reply by taking the likeliest token *n_tokens* times."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModelForCausalLM.from_pretrained(folder).eval()
    ids = torch.tensor([tokenizer(prompt)["input_ids"]])
    begin = ids.shape[1]
    with torch.no_grad():
        for _ in range(n_tokens):
            likeliest = model(ids, use_cache=False).logits[0, -1].argmax()
            if likeliest == tokenizer.eos_token_id:
                break
            ids = torch.cat([ids, likeliest.view(1, 1)], dim=1)
    return tokenizer.decode(ids[0, begin:], skip_special_tokens=True).strip()


class Counting:
    """Answers with the question in capitals, and takes down what it was asked."""

    name = "capitals"
    batch_size = 2

    def __init__(self, identity="capitals-1", fails=()):
        self.identity, self.fails, self.asked = identity, fails, []

    def answer(self, items, prompts):
        self.asked += [item.id for item in items]
        assert all(item.question in prompt for item, prompt in zip(items, prompts, strict=True))
        return [
            Generation(failure="too hard") if item.id in self.fails else Generation(item.question.upper(), "stop")
            for item in items
        ]


def test_the_kind_of_a_question_decides_its_prompt_and_else_the_benchmark_does():
    short, full = (prompt_for(item, "qa").splitlines()[0] for item in ITEMS[:2])
    assert short != full
    assert [prompt_for(item, "qa").splitlines()[0] == short for item in ITEMS] == [True, False, True, True, True]
    assert [prompt_for(item, "summary").splitlines()[0] == short for item in ITEMS] == [False, False, True, True, False]
    for item in ITEMS:
        assert f"Question: {item.question}\n" in prompt_for(item, "qa")
    assert prompt_for(Item("x", "What of {braces} and {question}?", ()), "qa").count("{braces} and {question}") == 1


def test_a_tiny_models_batched_answers_against_one_token_at_a_time(tiny, tmp_path, fresh_cache):
    generator = make_generator(str(tiny), max_new_tokens=12, batch_size=3)
    result = generate(ITEMS, generator, tmp_path / "generated.jsonl", default="qa")
    assert result.failed == {}
    assert [c.text for c in result.candidates] == [greedy(tiny, prompt_for(item, "qa"), 12) for item in ITEMS]
    assert [c.item for c in result.candidates] == [item.id for item in ITEMS]
    assert {(c.model, c.sample) for c in result.candidates} == {("tiny", 0)}
    assert len({c.text for c in result.candidates}) > 1
    assert result.n_cut == sum(c.meta["finish"] == "length" for c in result.candidates)


def test_a_chat_models_template_is_used(tmp_path, fresh_cache):
    folder = write_tiny_llm(tmp_path / "chatty", chat=True)
    generator = make_generator(f"transformers:{folder}", max_new_tokens=8, batch_size=2)
    (candidate,) = generate(ITEMS[:1], generator, tmp_path / "g.jsonl", default="qa").candidates
    wrapped = f"[user] {prompt_for(ITEMS[0], 'qa')} [/]"
    # The tokenizer does not set <s> before a text by itself, the template does.
    assert candidate.text == greedy(folder, f"<s>{wrapped}", 8)


def test_a_prompt_too_long_for_the_model_fails_uncut_and_alone(tmp_path, fresh_cache):
    folder = write_tiny_llm(tmp_path / "short", positions=160)
    items = [ITEMS[0], Item("long", "Why? " * 200, ())]
    result = generate(items, make_generator(str(folder), max_new_tokens=8), tmp_path / "g.jsonl", default="qa")
    assert [c.item for c in result.candidates] == ["1"]
    assert list(result.failed) == ["long"]
    assert "nothing was cut" in result.failed["long"]


def test_a_finished_file_is_not_generated_again_and_a_torn_line_is(tmp_path):
    path, first, second, third = tmp_path / "g.jsonl", Counting(), Counting(), Counting()
    whole = generate(ITEMS, first, path, default="qa")
    assert first.asked == ["1", "2", "3", "4", "5"]
    assert generate(ITEMS, second, path, default="qa") == whole
    assert second.asked == []
    data = path.read_bytes()
    path.write_bytes(data[:-20])  # as a process leaves it that is killed while it writes
    assert generate(ITEMS, third, path, default="qa") == whole
    assert third.asked == ["5"]
    assert path.read_bytes() == data


def test_failures_are_tried_again_and_everything_else_is_kept(tmp_path):
    path = tmp_path / "g.jsonl"
    result = generate(ITEMS, Counting(fails={"2"}), path, default="qa")
    assert result.failed == {"2": "too hard"}
    assert [c.item for c in result.candidates] == ["1", "3", "4", "5"]
    again = Counting()
    assert [c.item for c in generate(ITEMS, again, path, default="qa").candidates] == ["1", "2", "3", "4", "5"]
    assert again.asked == ["2"]


def test_the_pubmedbert_row_is_the_abstract_without_its_conclusion(tmp_path):
    from fas.bench import benchmark

    items = list(benchmark("pubmedqa").items(trees.pubmedqa(tmp_path)))
    generator = make_generator("microsoft/BiomedNLP-PubMedBERT-base-uncased-abstract")
    assert isinstance(generator, CopiedAbstract)
    result = generate([*items, ITEMS[0]], generator, tmp_path / "g.jsonl", default="qa")
    assert [c.text for c in result.candidates] == ["We gave it to ten people.\nNine got well."] * 2
    assert result.failed == {"1": "the question comes with no abstract to copy (only PubMedQA's do)"}


def test_an_endpoint_is_asked_greedily_and_a_fault_stays_with_its_question(tmp_path, fresh_cache, monkeypatch):
    pytest.importorskip("openai")
    from chat_server import ChatServer, Status

    monkeypatch.setenv("OPENAI_API_KEY", "k")

    def reply(request):
        return Status(400, "no") if "Which?" in request.text else f" Reply to: {request.text[-40:]} "

    with ChatServer(reply) as server:
        generator = make_generator("org/some-model", base_url=server.url, max_new_tokens=77)
        result = generate(ITEMS, generator, tmp_path / "g.jsonl", default="qa")
    assert list(result.failed) == ["3"]
    assert [c.text.startswith("Reply to:") for c in result.candidates] == [True] * 4
    assert {c.model for c in result.candidates} == {"org/some-model"}
    for request in server.log:
        assert request.body["model"] == "org/some-model"
        assert request.body["temperature"] == 0
        assert 77 in (request.body.get("max_tokens"), request.body.get("max_completion_tokens"))
        assert [message["role"] for message in request.messages] == ["user"]
