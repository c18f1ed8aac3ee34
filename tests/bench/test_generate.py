"""Generation: prompts, resumption, and a tiny model with random weights.

Oracle of decoding: the tokens of highest logit, taken one at a time without batch, padding or cache of keys.
"""

from __future__ import annotations

import pytest
from tiny_llm import write_tiny_llm

from fas.bench.dataset import Item
from fas.bench.generate import Generation, generate, make_generator, prompt_for, read_question_prompt
from fas.core.errors import ProfileError

OPTIONS = "(A) C\n(B) K"
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


def test_a_tiny_models_batched_answers_against_one_token_at_a_time(tiny, tmp_path, fresh_cache):
    generator = make_generator(str(tiny), max_new_tokens=12, batch_size=3)
    result = generate(ITEMS, generator, tmp_path / "generated.jsonl", default="qa")
    assert result.failed == {}
    assert [c.text for c in result.candidates] == [greedy(tiny, prompt_for(item, "qa"), 12) for item in ITEMS]
    assert [c.item for c in result.candidates] == [item.id for item in ITEMS]
    assert {(c.model, c.sample) for c in result.candidates} == {("tiny", 0)}
    assert len({c.text for c in result.candidates}) > 1
    assert result.n_cut == sum(c.meta["finish"] == "length" for c in result.candidates)


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


def test_a_prompt_of_ones_own_asks_every_question(tmp_path):
    path = tmp_path / "own.toml"
    path.write_text('version = 3\nuser = """Say only what is sure.\n\n{question}\n\nChoose:\n{options}"""\n')
    own = read_question_prompt(str(path))
    assert [prompt_for(item, "qa", own) for item in ITEMS] == [
        f"Say only what is sure.\n\n{item.question}" for item in ITEMS
    ]
    meta = {"stem": "Which vitamin?", "options": {"A": "C", "B": "K"}}
    chosen = Item("6", "Which vitamin?\nA C\nB K", (), meta=meta)
    assert prompt_for(chosen, "qa", own) == f"Say only what is sure.\n\nWhich vitamin?\n\nChoose:\n{OPTIONS}"
    generator = Counting()
    file = tmp_path / "g.jsonl"
    generate(ITEMS, generator, file, default="qa")
    generate(ITEMS, generator, file, default="qa", prompt=own)
    assert len(generator.asked) == 2 * len(ITEMS)  # an answer to another prompt is none to this one


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('version = 1\nuser = "Answer."', "has no {question}"),
        ('version = 1\nuser = "{question}"\nsystem = "Be brief."', "'system' is not allowed"),
    ],
)
def test_a_prompt_that_cannot_ask_a_question_is_refused(text, message, tmp_path):
    path = tmp_path / "own.toml"
    path.write_text(text)
    with pytest.raises(ProfileError, match=message):
        read_question_prompt(str(path))
