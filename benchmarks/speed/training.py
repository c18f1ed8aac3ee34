"""What the callback and the reward cost a training: steps a second without and with the callback, and seconds a call of the reward.

    python -m benchmarks.speed.training --steps 600 --repeats 3

A tiny Llama is trained on a processor; at each evaluation its `generate` gives answers of about 30 words that were not met before, so
that what is measured is the scoring and not the speed of a model's own generation. The callback scores 8 answers each time, in its
thread and, for comparison, before the training goes on; the ways take turns, and the medians are stored. Held up is the time that the callback's own methods took. The reward is asked
for groups of 8 completions, 32 a step, new ones and then the same again. With `--store` the rows go to the page.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import tempfile
import time
from typing import Any

from benchmarks import stored
from benchmarks.speed.page import store
from benchmarks.speed.writer import Writer

ROUNDS = 3
WAYS = {"without": "none", "thread": "in its thread", "in_the_way": "`background=False`"}


def make_trainer(folder: str, steps: int, writer: Writer) -> Any:
    """A Trainer of a tiny model that answers with prepared texts."""
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast, Trainer, TrainingArguments

    alphabet = pre_tokenizers.ByteLevel.alphabet()
    words = {word: number for number, word in enumerate(["<pad>", "</s>", *sorted(alphabet)])}
    bytes_of = Tokenizer(models.BPE(vocab=words, merges=[]))
    bytes_of.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bytes_of.decoder = decoders.ByteLevel()
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=bytes_of, pad_token="<pad>", eos_token="</s>")

    class Prepared(LlamaForCausalLM):
        def generate(self, *_: Any, **given: Any) -> Any:
            input_ids = given["input_ids"]
            texts = [row["prediction"] for row in writer.answers(len(input_ids), "short")]
            made = tokenizer(texts, return_tensors="pt", padding=True)["input_ids"]
            return torch.cat([input_ids, made], dim=1)

    torch.manual_seed(0)
    model = Prepared(
        LlamaConfig(
            vocab_size=len(tokenizer),
            hidden_size=128,
            intermediate_size=256,
            num_hidden_layers=2,
            num_attention_heads=4,
            pad_token_id=0,
            eos_token_id=1,
        )
    )
    ids = tokenizer("Metformin lowers blood glucose in adults with diabetes.")["input_ids"]
    rows = [{"input_ids": ids, "attention_mask": [1] * len(ids), "labels": ids}] * 64
    return Trainer(
        model=model,
        args=TrainingArguments(
            output_dir=folder,
            max_steps=steps,
            per_device_train_batch_size=8,
            eval_strategy="steps",
            eval_steps=steps // ROUNDS,
            save_strategy="no",
            logging_steps=steps,
            report_to="none",
            use_cpu=True,
            disable_tqdm=True,
        ),
        train_dataset=rows,
        eval_dataset=rows[:2],
        processing_class=tokenizer,
    )


def callback(way: str, steps: int, seed: int = 4) -> dict[str, float]:
    """One training: without the callback, with it in its thread, or with it in the way."""
    from fas.integrations.training import FasCallback

    held_up = [0.0]

    class Timed(FasCallback):
        def on_evaluate(self, *arguments: Any, **named: Any) -> None:
            began = time.perf_counter()
            super().on_evaluate(*arguments, **named)
            held_up[0] += time.perf_counter() - began

        def on_step_end(self, *arguments: Any, **named: Any) -> None:
            began = time.perf_counter()
            super().on_step_end(*arguments, **named)
            held_up[0] += time.perf_counter() - began

    writer = Writer(seed)
    rows = [{key: row[key] for key in ("question", "references", "passages")} for row in writer.answers(8, "short")]
    with tempfile.TemporaryDirectory() as folder:
        trainer = make_trainer(folder, steps, writer)
        if way != "without":
            timed = Timed(rows, background=way == "thread")
            timed._scorer.score([{**row, "prediction": "It helps."} for row in rows])  # models are loaded
            timed.attach(trainer)
        began, processor = time.perf_counter(), time.process_time()
        trainer.train()
        seconds = time.perf_counter() - began
        logged = sum("eval_fas_step" in entry for entry in trainer.state.log_history)
    assert logged == (0 if way == "without" else ROUNDS)
    return {
        "steps_per_s": round(steps / seconds, 2),
        "cpu_s": round(time.process_time() - processor, 2),
        "held_up_s_a_round": round(held_up[0] / ROUNDS, 3),
    }


def reward(calls: int) -> dict[str, float]:
    """Seconds of a call with 32 new completions, and with known ones."""
    from fas.integrations.training import FasReward

    give, writer = FasReward(), Writer(5)

    def timed(prompts: list[str], completions: list[str], passages: list[list[str]]) -> tuple[float, float]:
        began, processor = time.perf_counter(), time.process_time()
        give(prompts, completions, question=prompts, passages=passages)
        return time.perf_counter() - began, time.process_time() - processor

    new, known = [], []
    for number in range(calls + 1):
        questions = writer.answers(4, "short")
        completions = [row["prediction"] for row in writer.answers(32, "short")]
        given = (
            [f"Question {i // 8}?" for i in range(32)],
            completions,
            [questions[i // 8]["passages"] for i in range(32)],
        )
        first, again = timed(*given), timed(*given)
        if number:  # the first loads the models
            new.append(first)
            known.append(again)
    return {
        "new_s": round(statistics.median(one[0] for one in new), 3),
        "new_cpu_s": round(statistics.median(one[1] for one in new), 3),
        "known_s": round(statistics.median(one[0] for one in known), 3),
        "known_cpu_s": round(statistics.median(one[1] for one in known), 3),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=600)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--calls", type=int, default=5)
    parser.add_argument("--store", action="store_true", help="put the rows into results.jsonl and the page")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as cache:
        os.environ["FAS_CACHE_DIR"] = cache
        callback("without", 30)
        found: list[dict[str, Any]] = []
        turns: dict[str, list[dict[str, float]]] = {way: [] for way in WAYS}
        for seed in range(
            100, 100 + options.repeats * len(WAYS)
        ):  # answers that were not scored before: known ones cost nothing
            way = list(WAYS)[seed % len(WAYS)]
            turns[way].append(callback(way, options.steps, seed))
            print(way, turns[way][-1], flush=True)
        for way, each in turns.items():
            medians = {name: round(statistics.median(one[name] for one in each), 3) for name in each[0]}
            about = {"steps": options.steps, "rounds": ROUNDS, "steps_per_s_all": [one["steps_per_s"] for one in each]}
            found.append(stored.row("training", WAYS[way], 8, medians, **about, load=stored.load()))
        found.append(stored.row("reward", "32 completions", 32, reward(options.calls), load=stored.load()))
    for one in found:
        print(json.dumps(one))
    if options.store:
        store(found, whole=True)


if __name__ == "__main__":
    main()
