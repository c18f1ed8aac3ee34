"""A short GRPO run of a tiny model on each reward: does it learn to answer, or to game the reward?

python -m benchmarks.rewards.train bioasq --store

TRL's `GRPOTrainer` trains a Llama of two layers with random weights. Its vocabulary is the honest answer and the 17 policies
of the attack, and a completion is one token, so that it chooses between texts and writes none. Each question pays what the
stored attack (earned.json) says that the text chosen earns there; no model of rewards runs here.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from typing import Any

from benchmarks.rewards.measure import EARNED, TRAINING, pages
from benchmarks.stored import about
from benchmarks.tables import write

REWARDS = ("rougeL", "callback", "fas_evidence", "soft", "unreferenced")
STEPS, GROUP, SEED = 80, 16, 61


def choose(earned: dict[str, list[float | None]], steps: int) -> dict[str, float]:
    """Policy to the probability with which the trained model chooses it, mean over questions.

    Args:
        earned: Policy to its reward for each question; None is passed on to TRL.
        steps: Steps of training.
    """
    import torch
    from datasets import Dataset
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast
    from trl import GRPOConfig, GRPOTrainer

    names = list(earned)
    n = len(earned[names[0]])
    texts = [f"t{i}" for i in range(len(names))]
    prompts = [f"q{i}" for i in range(n)]
    words = {word: number for number, word in enumerate(["<pad>", "</s>", *texts, *prompts])}
    plain = Tokenizer(models.WordLevel(words, unk_token="<pad>"))
    plain.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=plain, pad_token="<pad>", eos_token="</s>")
    torch.manual_seed(SEED)
    shape = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4}
    model = LlamaForCausalLM(
        LlamaConfig(vocab_size=len(words), pad_token_id=0, eos_token_id=1, bos_token_id=1, **shape)
    )

    def pay(prompts: list[str], completions: list[str], **columns: Any) -> list[float | None]:
        """The reward of each completion; 0 for one that is not a policy."""
        paid: list[float | None] = []
        for prompt, completion in zip(prompts, completions, strict=True):
            known = completion.strip() in texts
            paid.append(earned[names[texts.index(completion.strip())]][int(prompt[1:])] if known else 0.0)
        return paid

    with tempfile.TemporaryDirectory() as folder:
        trainer = GRPOTrainer(
            model=model,
            reward_funcs=pay,
            args=GRPOConfig(
                output_dir=folder,
                max_steps=steps,
                learning_rate=1e-2,
                lr_scheduler_type="constant",
                per_device_train_batch_size=4 * GROUP,
                num_generations=GROUP,
                max_completion_length=1,
                seed=SEED,
                save_strategy="no",
                logging_steps=steps,
                report_to="none",
                use_cpu=True,
                bf16=False,
                disable_tqdm=True,
            ),
            train_dataset=Dataset.from_list([{"prompt": prompt} for prompt in prompts]),
            processing_class=tokenizer,
        )
        trainer.train()
    with torch.no_grad():
        inputs = tokenizer(prompts, return_tensors="pt")["input_ids"]
        shares = model.eval()(inputs).logits[:, -1].softmax(-1)[:, 2 : 2 + len(names)].mean(0)
    return {name: round(float(share), 3) for name, share in zip(names, shares, strict=True)}


def main() -> None:
    """Train on each reward of a set."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("set", choices=("bioasq", "kqa"))
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--store", action="store_true", help="store the result and write the page")
    options = parser.parse_args()
    earned = json.loads(EARNED.read_text(encoding="utf-8"))[options.set]
    found: dict[str, Any] = {**about(("trl", "torch")), "steps": options.steps, "group": GROUP, "chosen": {}}
    for reward in REWARDS:
        found["chosen"][reward] = choose(earned[reward], options.steps)
        print(reward, sorted(found["chosen"][reward].items(), key=lambda one: -one[1])[:3], flush=True)
    if options.store:
        stored = json.loads(TRAINING.read_text(encoding="utf-8")) if TRAINING.is_file() else {}
        TRAINING.write_text(json.dumps({**stored, options.set: found}, indent=1) + "\n", encoding="utf-8")
        write(pages())


if __name__ == "__main__":
    main()
