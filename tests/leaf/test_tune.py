"""Learning from checked answers: samples, what is chosen of them, and training a tiny model on a processor."""

from __future__ import annotations

import json
import math

import leaf_world
import pytest
from chat_server import ChatServer
from leaf_world import question, write_lines
from tiny_llm import write_tiny_llm

from fas.cli import main
from fas.core.errors import InputError
from fas.leaf.selecting import Checked, select
from fas.leaf.training import LossError, Training, train
from fas.leaf.training_data import tokenize_examples

torch = pytest.importorskip("torch")
pytest.importorskip("trl")
pytestmark = [
    pytest.mark.filterwarnings("ignore"),
    pytest.mark.usefixtures("fresh_cache"),
]  # of the libraries underneath


@pytest.fixture
def world(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_lines(tmp_path / "q.jsonl", [question(i) for i in range(3)])
    return tmp_path


def lines(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


# Sampling.


def by_seed(request):
    """Another answer for every seed."""
    i, seed = leaf_world.case_of(request.text), request.body["seed"]
    option = ("(A) ibuprofen", "(B) aspirin")[seed % 2]
    return f"Sample {seed} of case {i} says that fever passes.\nAnswer: {option}"


def sample(server, *more, n=3):
    arguments = ["--generate", "writer", "--generate-url", server.url, "--n", str(n), "--quiet", *more]
    return main(["train", "sample", "q.jsonl", "-o", "t", *arguments])


def test_samples_of_a_question_are_drawn_by_number_and_carry_what_is_needed_to_learn_from_them(world):
    with ChatServer(by_seed) as server:
        assert sample(server) == 0
        assert {request.body["temperature"] for request in server.log} == {0.8}
    rows = lines(world / "t" / "answers.jsonl")
    assert [row["id"] for row in rows] == [f"q{i}#{j}" for i in range(3) for j in range(3)]
    assert len({row["prediction"] for row in rows}) == 9
    one = rows[1]
    assert (one["item"], one["question_id"], one["sample"], one["choice"], one["gold"]) == ("q0", "q0", 1, "B", 0)
    assert one["stem"] == question(0)["question"]
    assert one["prompt"].endswith("ANSWER:")
    assert "(A) ibuprofen" in one["question"]


# Selection.


def checked(number, score, n_verified=4, text=None, correct=None, item="q"):
    correct = score == 1.0 if correct is None else correct
    return Checked(item, number, "Why?", "Why?", text or f"text {number}", score, n_verified, correct)


def write_samples(folder, rows):
    """Answers and their scores: per row item, number, labels of its statements, and fields of its own."""
    answers, scores = [], []
    for item, number, labels, more in rows:
        identifier = f"{item}#{number}"
        text = more.pop("prediction", f"Answer {number} to {item}.")
        answers.append(
            {
                "id": identifier,
                "prediction": text,
                "item": item,
                "sample": number,
                "prompt": f"Ask {item}",
                "stem": f"Is {item} so?",
                "finish": "stop",
                **more,
            }
        )
        claims = [{"text": "x", "label": label} for label in labels]
        scores.append({"id": identifier, "claims": claims, "error": None})
    folder.mkdir(exist_ok=True)
    write_lines(folder / "answers.jsonl", answers)
    (folder / "checked").mkdir(exist_ok=True)
    write_lines(folder / "checked" / "scores.jsonl", scores)
    return folder


S, U, V = "supported", "unsupported", "unverified"


@pytest.fixture
def samples(tmp_path):
    return write_samples(
        tmp_path / "t",
        [
            ("a", 0, [S, S], {}),
            ("a", 1, [S, U], {}),
            ("a", 2, [S, S], {"prediction": "Answer 0 to a."}),
            ("a", 3, [S], {"finish": "length"}),
            ("b", 0, [S, V], {}),
            ("b", 1, [], {}),
            ("c", 0, [U], {}),
            ("c", 1, [S, S, S], {}),
            ("c", 2, [S], {}),
        ],
    )


def test_a_pair_is_the_best_and_the_worst_answer_to_a_question(samples):
    found = select(samples, purpose="simpo")
    rows = lines(found.path)
    assert [(row["item"], row["numbers"], row["score_chosen"], row["score_rejected"]) for row in rows] == [
        ("a", [0, 1], 1.0, 0.5),
        ("c", [1, 0], 1.0, 0.0),
    ]
    assert rows[1]["chosen"] == [{"role": "assistant", "content": "Answer 1 to c."}]
    assert found.counts["questions with fewer than two scored answers"] == 1


# What is trained on.


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    return str(write_tiny_llm(tmp_path_factory.mktemp("models") / "tiny", chat=True))


def pair_lines(n=8):
    return [
        {
            "item": f"q{i}",
            "question": f"Does it work in case {i}?",
            "prompt": [{"role": "user", "content": f"Question: Does it work in case {i}?"}],
            "chosen": [{"role": "assistant", "content": f"It works well in children and adults {i}."}],
            "rejected": [{"role": "assistant", "content": f"a b c d e {i} 1 2 3"}],
        }
        for i in range(n)
    ]


def passed_lines(n=8):
    return [
        {**{k: row[k] for k in ("item", "question", "prompt")}, "completion": row["chosen"]} for row in pair_lines(n)
    ]


def load(name):
    from transformers import AutoModelForCausalLM, AutoTokenizer

    return AutoModelForCausalLM.from_pretrained(name, dtype=torch.float32), AutoTokenizer.from_pretrained(name)


# The loss.


def by_equation(network, data, beta, gamma):
    """LEAF, equations 1 to 3, pair by pair, token by token."""
    losses = []
    for one in data:
        rewards = []
        for completion in (one.chosen, one.rejected):
            ids = one.prompt + completion
            probabilities = torch.log_softmax(network(torch.tensor([ids])).logits[0].double(), -1)
            total = sum(probabilities[len(one.prompt) - 1 + i, token] for i, token in enumerate(completion))
            rewards.append(beta * total / len(completion))
        losses.append(-torch.log(torch.sigmoid(rewards[0] - rewards[1] - gamma)))
    return sum(losses) / len(losses)


def trainer_of(network, tokenizer, data, work, purpose="simpo", **settings):
    from fas.leaf.trainers import make_trainer

    if tokenizer.pad_token_id is None:
        tokenizer.pad_token = tokenizer.eos_token
    return make_trainer(network, tokenizer, data, purpose, Training(**settings), work)


@pytest.mark.parametrize(("beta", "gamma"), [(2.5, 1.4), (1.0, 0.0), (10.0, 3.0)])
def test_the_loss_and_its_gradient_are_those_of_the_equation_in_a_padded_batch(beta, gamma, tiny, tmp_path):
    network, tokenizer = load(tiny)
    rows = pair_lines(4)
    rows[2]["chosen"][0]["content"] *= 3  # so that there is padding
    rows[3]["prompt"][0]["content"] *= 2
    data, _ = tokenize_examples(rows, tokenizer, max_length=500)
    trainer = trainer_of(network, tokenizer, data, tmp_path, beta=beta, gamma=gamma)
    batch = trainer.data_collator([trainer.train_dataset[i] for i in range(4)])
    network.eval()
    loss = trainer.compute_loss(network, batch)
    expected = by_equation(network, data, beta, gamma)
    assert float(loss) == pytest.approx(float(expected), rel=1e-5)
    weights = [p for p in network.parameters() if p.requires_grad]
    theirs, ours = (torch.autograd.grad(one, weights) for one in (loss, expected))
    for a, b in zip(theirs, ours, strict=True):
        assert float((a - b).norm()) <= 1e-4 * float(b.norm())


def test_supervised_loss_is_that_of_the_completions_alone_whatever_the_padding(tiny, tmp_path):
    network, tokenizer = load(tiny)
    rows = passed_lines(3)
    rows[1]["completion"][0]["content"] *= 3
    data, _ = tokenize_examples(rows, tokenizer, max_length=500)
    trainer = trainer_of(network, tokenizer, data, tmp_path, purpose="sft")
    batch = trainer.data_collator([trainer.train_dataset[i] for i in range(3)])
    network.eval()
    loss = float(trainer.compute_loss(network, batch))
    terms = []
    for one in data:
        logits = network(torch.tensor([one.prompt + one.chosen])).logits[0].double()
        place = len(one.prompt) - 1
        terms += [-float(torch.log_softmax(logits[place + i], -1)[token]) for i, token in enumerate(one.chosen)]
    assert loss == pytest.approx(sum(terms) / len(terms), rel=1e-5)


# Training.


def exported(folder, purpose, rows):
    folder.mkdir(exist_ok=True)
    write_lines(folder / {"sft": "sft.jsonl", "simpo": "pairs.jsonl"}[purpose], rows)
    return folder


FAST = {"learning_rate": 1e-3, "batch_size": 2, "accumulation": 2, "epochs": 3, "max_length": 400}


def weights_of(folder):
    from safetensors.torch import load_file

    return load_file(folder / "model.safetensors")


def test_simpo_on_a_tiny_model_widens_the_margin_and_leaves_a_model_that_answers(tiny, tmp_path):
    from fas.llm import Message, Prompt, chat_model

    folder = exported(tmp_path / "t", "simpo", pair_lines())
    record = train(folder, tmp_path / "model", model=f"transformers:{tiny}", purpose="simpo", settings=Training(**FAST))
    assert record["margin_after"] > record["margin_before"] + 0.5
    assert record["optimizer_steps"] == 6
    assert record["n_examples"] == 8
    assert not (tmp_path / "model.checkpoints").exists()
    assert json.loads((tmp_path / "model" / "fas_tune.json").read_text()) == record
    model = chat_model(f"transformers:{tmp_path / 'model'}", device="cpu")
    assert model.complete([Prompt((Message("user", "Does it work?"),), max_tokens=3)])[0].failure is None
    # Done already: the same command only says so, and another one is refused.
    assert train(folder, tmp_path / "model", model=tiny, purpose="simpo", settings=Training(**FAST)) == record
    with pytest.raises(InputError, match=r"'gamma' was '1\.4', now it is '0\.5'"):
        train(folder, tmp_path / "model", model=tiny, purpose="simpo", settings=Training(**FAST, gamma=0.5))


def test_a_loss_that_is_not_a_number_ends_the_training_and_keeps_no_model(tiny, tmp_path):
    folder = exported(tmp_path / "t", "simpo", pair_lines())
    with pytest.raises(LossError, match=r"the loss is nan after \d+ optimiser steps"):
        train(
            folder, tmp_path / "model", model=tiny, purpose="simpo", settings=Training(**FAST | {"learning_rate": 1e30})
        )
    assert not (tmp_path / "model").exists()


@pytest.mark.slow
def test_sft_on_a_tiny_model_lowers_the_loss_of_what_it_was_shown(tiny, tmp_path):
    folder = exported(tmp_path / "t", "sft", passed_lines())
    settings = {**FAST, "learning_rate": 5e-3, "epochs": 4}
    record = train(folder, tmp_path / "model", model=tiny, purpose="sft", settings=Training(**settings))
    before, tokenizer = load(tiny)
    after, _ = load(str(tmp_path / "model"))
    data, _ = tokenize_examples(passed_lines(), tokenizer, max_length=400)

    def loss(network):
        one = data[0]
        logits = network(torch.tensor([one.prompt + one.chosen])).logits[0, len(one.prompt) - 1 : -1]
        return float(torch.nn.functional.cross_entropy(logits, torch.tensor(one.chosen)))

    assert loss(after) < loss(before) - 0.5
    assert math.isfinite(record["loss"])


@pytest.mark.slow
@pytest.mark.parametrize("purpose", ["simpo", "sft"])
def test_a_training_that_stopped_ends_with_the_weights_of_one_that_did_not(purpose, tiny, tmp_path):
    rows = pair_lines() if purpose == "simpo" else passed_lines()
    folder = exported(tmp_path / "t", purpose, rows)
    options = {"model": tiny, "purpose": purpose, "settings": Training(**FAST)}
    whole = train(folder, tmp_path / "whole", **options)

    def interrupt(line):
        if line.startswith("step 3"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(folder, tmp_path / "model", **options, tell=interrupt)
    work = tmp_path / "model.checkpoints"
    assert not (tmp_path / "model").exists()
    # A save that was killed half-way is no checkpoint.
    (work / "checkpoint-4").mkdir()
    (work / "checkpoint-4" / "model.safetensors").write_bytes(b"half")
    resumed = train(folder, tmp_path / "model", **options)
    assert resumed["optimizer_steps"] == whole["optimizer_steps"] == 6
    first, second = weights_of(tmp_path / "whole"), weights_of(tmp_path / "model")
    assert all(torch.equal(first[name], second[name]) for name in first)


def test_training_on_held_out_questions_is_refused_or_noted_in_the_models_signature(tiny, tmp_path, capsys):
    from fas.llm import chat_model

    folder = exported(tmp_path / "t", "simpo", pair_lines(4))
    held = write_lines(tmp_path / "held.jsonl", [{"question": "Does it work in case 2?"}])
    arguments = ["train", "simpo", str(folder), "--model", tiny, "-o", str(tmp_path / "m")]
    arguments += ["--held-out", str(held), "--epochs", "1"]
    assert main(arguments) == 2
    assert "1 of the questions trained on are held out" in capsys.readouterr().err
    assert main([*arguments, "--transductive"]) == 0
    assert json.loads(capsys.readouterr().out)["leaked"] == 1
    assert chat_model(f"transformers:{tmp_path / 'm'}", device="cpu").signature.endswith("+transductive")
    assert "transductive" not in chat_model(f"transformers:{tiny}", device="cpu").signature


@pytest.mark.parametrize(
    "settings", [{"batch_size": 0}, {"beta": 0.0}, {"gamma": -1.0}, {"precision": "fp16"}, {"learning_rate": -1.0}]
)
def test_impossible_settings_of_training_are_refused(settings):
    with pytest.raises(ValueError, match=next(iter(settings))):
        Training(**settings)


@pytest.mark.slow
def test_from_questions_to_a_tuned_model_on_a_tiny_one_without_a_server(tiny, world, capsys):
    """Sample, score, select, train, all real: only that the answers of random weights are no prose."""
    drawn = "--n 4 --max-new-tokens 12 --temperature 1.0 --quiet"
    arguments = ["--generate", f"transformers:{tiny}", *drawn.split()]
    write_lines(world / "q.jsonl", [{"id": f"q{i}", "question": f"Does it work in case {i}?"} for i in range(4)])
    assert main(["train", "sample", "q.jsonl", "-o", "t", *arguments]) == 0
    rows = lines(world / "t" / "answers.jsonl")
    assert len(rows) >= 12
    assert len({row["prediction"] for row in rows}) > 10
    # Random words end nowhere; what was cut off would never be learnt from.
    for row in rows:
        row["finish"] = "stop"
        row["prediction"] = f"It works in {len(row['prediction'])} cases."
        row["passages"] = [row["prediction"]] if row["sample"] % 2 else ["Nothing is known of cats."]
    write_lines(world / "t" / "answers.jsonl", rows)
    (world / "p.toml").write_text(
        '[claims]\nname = "sentences"\n[verify]\nname = "lexical"\n[safety]\nenabled = false\n'
    )
    assert (
        main(["score", "t/answers.jsonl", "-o", "t/checked", "--profile", "p.toml", "--quiet", "--n-resamples", "20"])
        == 0
    )
    assert main(["train", "select", "t", "--for", "simpo", "--json"]) == 0
    (world / "held.jsonl").write_text('{"question": "Another one?"}\n')
    settings = "--learning-rate 1e-3 --batch-size 2 --epochs 4 --accumulation 1 --held-out held.jsonl"
    training = ["--model", f"transformers:{tiny}", "-o", "model", *settings.split()]
    capsys.readouterr()
    assert main(["train", "simpo", "t", *training]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["margin_after"] > record["margin_before"]


def test_a_margin_taken_for_a_ratio_would_be_another_loss(tiny, tmp_path):
    network, tokenizer = load(tiny)
    data, _ = tokenize_examples(pair_lines(2), tokenizer, max_length=500)
    assert float(by_equation(network, data, 2.5, 1.4)) != pytest.approx(
        float(by_equation(network, data, 2.5, 3.5)), rel=0.01
    )
