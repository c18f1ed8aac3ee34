"""Causal language models on this machine, through transformers.

Replies are greedy, or numbered draws (`GumbelNoise`). Prompts are batched by length and padded on the left; which
prompts share a batch changes a reply only where two tokens are equally likely to the last bit.
"""

from __future__ import annotations

import hashlib
import json
import logging
import time
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from fas.core.checks import whole_number
from fas.core.loading import fork_safe_lock, loading
from fas.llm.budget import LOOK_S, Budget, Spending, choose_budget
from fas.llm.messages import Prompt, Reply
from fas.llm.prices import find_price
from fas.llm.shapes import Answered
from fas.llm.store import CacheMode, ReplyStore
from fas.llm.templates import tokenize_conversation
from fas.llm.usage_tracker import Job, RequestPlan, TrackedModel, escape_name
from fas.models.loading import pin_version, quiet_loading, weights_identity
from fas.models.paths import resolve_model
from fas.models.precision import resolve_precision

logger = logging.getLogger(__name__)

Draws = Sequence[tuple[str, float]]
"""Key and temperature of each draw of a batch."""

# What tokenizers say that know no limit.
_NO_LIMIT = 1_000_000


class LocalModel(TrackedModel):
    """A causal language model in a folder or from the hub.

    The weights are loaded when the first prompt is not in the cache. A prompt that, with
    `max_tokens` of reply, is longer than the model's window fails; nothing is cut. Schemas are not
    enforced.

    Args:
        batch_size: Prompts at once, at most; halved where the device's memory does not suffice.
        offline: Take hub models from their cache on disk only.

    The other arguments are those of `RemoteModel`; entries for local models in a table of prices are the user's own.

    Raises:
        LookupError: There is no such model.
        ValueError: A setting is impossible.
        InputError: A table of prices cannot be used.
    """

    def __init__(
        self,
        name: str,
        *,
        batch_size: int = 8,
        precision: str = "auto",
        device: str | None = None,
        cache: CacheMode = "greedy",
        budget: Budget | None = None,
        max_calls: int | None = None,
        max_total_tokens: int | None = None,
        max_cost: float | None = None,
        prices: str | Path | None = None,
        offline: bool = False,
    ) -> None:
        self._batch_size = whole_number("batch_size", batch_size)
        budget = choose_budget(budget, calls=max_calls, tokens=max_total_tokens, cost=max_cost)
        with loading():
            import torch
            from transformers import AutoConfig, AutoTokenizer

        self._location, location = resolve_model(name)
        self._device = device or ("cuda" if torch.cuda.is_available() else "cpu")
        # FP16 is how published studies ran these checkpoints; nothing else here computes in it.
        self._dtype = torch.float16 if precision == "fp16" else resolve_precision(precision, self._device)
        self._offline = offline
        with quiet_loading(name, offline=offline):
            config: Any = AutoConfig.from_pretrained(self._location, local_files_only=offline, trust_remote_code=False)
            self._tokenizer: Any = AutoTokenizer.from_pretrained(
                self._location, local_files_only=offline, trust_remote_code=False
            )
        self._window = _find_window(config, self._tokenizer)
        weights = weights_identity(self._location, config)
        short = str(self._dtype).removeprefix("torch.")
        signature = escape_name(pin_version(location, weights)) + f"+{short}"
        if _saw_held_out(self._location):
            signature += "+transductive"
        store = ReplyStore(("transformers", signature, weights), mode=cache)
        super().__init__(name, signature, store, price=find_price(name, "", table=prices), budget=budget)
        self._model: Any = None
        self._lock = fork_safe_lock()

    def complete(self, prompts: Sequence[Prompt]) -> list[Reply]:
        """One reply per prompt, in order; a BudgetExceeded where the budget does not allow the next one."""
        plan = self.plan(list(prompts))
        with self._lock:
            self._answer_all(plan)
        return plan.finished()

    def fits(self, prompt: Prompt) -> bool:
        """Whether *prompt*, with `max_tokens` of reply, is no longer than the model's window."""
        if self._window is None:
            return True
        return len(tokenize_conversation(self._tokenizer, prompt.messages)) + prompt.max_tokens <= self._window

    def _answer_all(self, plan: RequestPlan) -> None:
        encoded: list[tuple[tuple[int, float], int, Job, list[int]]] = []
        for order, job in enumerate(plan.jobs):
            ids, failure = self._encode(job.prompt)
            if failure:
                self.fill(plan, job, Reply(failure=failure))
            else:
                encoded.append(((job.prompt.max_tokens, job.prompt.temperature), order, job, ids))
        # Longest first, so that what does not fit into memory shows at once.
        encoded.sort(key=lambda item: (item[0], -len(item[3]), item[1]))
        for (max_tokens, temperature), group in groupby(encoded, key=lambda item: item[0]):
            todo = [(job, ids) for _, _, job, ids in group]
            while todo:
                part = self._select_affordable(todo[: self._batch_size])
                todo = todo[len(part) :]
                self._answer(plan, part, max_tokens, temperature)

    def _select_affordable(self, jobs: Sequence[tuple[Job, list[int]]]) -> Sequence[tuple[Job, list[int]]]:
        """As many of *jobs*, from the first, as the budget allows now; it has set them aside."""
        if self.budget is None:
            return jobs
        for n, (job, ids) in enumerate(jobs):
            while not self.budget.hold(self.most(job.prompt, len(ids))):
                if n:
                    return jobs[:n]
                time.sleep(LOOK_S)
        return jobs

    def _answer(
        self, plan: RequestPlan, jobs: Sequence[tuple[Job, list[int]]], max_tokens: int, temperature: float
    ) -> None:
        spent = [Spending(1)] * len(jobs)
        draws = [(job.key, temperature) for job, _ in jobs] if temperature else None
        try:
            for i, reply in enumerate(self._generate_all([ids for _, ids in jobs], max_tokens, draws)):
                job = jobs[i][0]
                if reply.failure is None:
                    charged = self.charge(Answered(reply))
                    spent[i] = Spending(1, charged.tokens, charged.cost)
                    if self.store.keeps(job.prompt):
                        self.store.put(job.key, reply)
                self.fill(plan, job, reply)
        finally:
            if self.budget is not None:
                for (job, ids), actual in zip(jobs, spent, strict=True):
                    self.budget.settle(self.most(job.prompt, len(ids)), actual)

    def _generate_all(self, rows: Sequence[Sequence[int]], max_tokens: int, draws: Draws | None) -> list[Reply]:
        import torch

        try:
            return self._generate(rows, max_tokens, draws)
        except torch.OutOfMemoryError:
            if len(rows) == 1:
                return [Reply(failure=f"a prompt of {len(rows[0])} tokens does not fit into the memory of the device")]
        torch.cuda.empty_cache()
        half = len(rows) // 2
        logger.warning("%d prompts at once do not fit into the device's memory; continuing with halves", len(rows))
        self._batch_size = max(1, min(self._batch_size, half))
        first, second = (None, None) if draws is None else (draws[:half], draws[half:])
        return self._generate_all(rows[:half], max_tokens, first) + self._generate_all(rows[half:], max_tokens, second)

    def _generate(self, rows: Sequence[Sequence[int]], max_tokens: int, draws: Draws | None) -> list[Reply]:
        import torch

        noise = {}
        if draws is not None:
            from transformers import LogitsProcessorList

            seeds = [int.from_bytes(hashlib.sha256(key.encode()).digest()[:7], "big") for key, _ in draws]
            noise["logits_processor"] = LogitsProcessorList([GumbelNoise(seeds, temperature=draws[0][1])])

        model = self._load()
        width = max(map(len, rows))
        pad = model.generation_config.pad_token_id
        ids = torch.tensor([[pad] * (width - len(row)) + list(row) for row in rows], device=self._device)
        mask = torch.tensor([[0] * (width - len(row)) + [1] * len(row) for row in rows], device=self._device)
        with torch.inference_mode():
            output = model.generate(input_ids=ids, attention_mask=mask, max_new_tokens=max_tokens, **noise)
        return [self._read(row, new) for row, new in zip(rows, output[:, width:].tolist(), strict=True)]

    def _read(self, row: Sequence[int], new: list[int]) -> Reply:
        ends = set(_as_list(self._model.generation_config.eos_token_id))
        end = next((i for i, token in enumerate(new) if token in ends), None)
        kept = new if end is None else new[:end]
        text = self._tokenizer.decode(kept, skip_special_tokens=True)
        counted = len(kept) + (end is not None)
        return Reply(text, "length" if end is None else "stop", prompt_tokens=len(row), completion_tokens=counted)

    def _encode(self, prompt: Prompt) -> tuple[list[int], str | None]:
        """The prompt's tokens, or why it cannot be answered."""
        if prompt.temperature != 0 and prompt.sample is None:
            return [], (
                "local models reply greedily unless draws are numbered (`sample`): `temperature` must be 0, got "
                f"{prompt.temperature!r}"
            )
        try:
            ids = tokenize_conversation(self._tokenizer, prompt.messages)
        except Exception as error:  # a template raises whatever its author chose
            return [], f"the model's chat template rejects the prompt: {error}"
        if not ids:
            return [], "the prompt is empty"
        if self._window is not None and len(ids) + prompt.max_tokens > self._window:
            return [], (
                f"the prompt has {len(ids)} tokens; with {prompt.max_tokens} for the reply that is more than the "
                f"model's {self._window}; nothing was cut"
            )
        return ids, None

    def _load(self) -> Any:
        if self._model is None:
            with loading():
                from transformers import AutoModelForCausalLM, GenerationConfig

            with quiet_loading(self.name, offline=self._offline):
                model: Any = AutoModelForCausalLM.from_pretrained(
                    self._location,
                    dtype=self._dtype,
                    local_files_only=self._offline,
                    trust_remote_code=False,
                    use_safetensors=True,
                )
            self._model = model.to(self._device).eval()
            ends = _as_list(self._model.generation_config.eos_token_id)
            ends += [self._tokenizer.eos_token_id] if self._tokenizer.eos_token_id is not None else []
            pad = self._tokenizer.pad_token_id
            # The checkpoint's own may sample, or punish repetition; masked padding may be any token.
            self._model.generation_config = GenerationConfig(
                do_sample=False,
                eos_token_id=sorted(set(ends)) or None,
                pad_token_id=pad if pad is not None else (ends[0] if ends else 0),
            )
        return self._model


def _saw_held_out(location: str) -> bool:
    """Whether the model was trained on questions that it is to be evaluated on (`fas train --transductive`)."""
    try:
        record = json.loads((Path(location) / "fas_tune.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(record, dict) and record.get("transductive") == "True"


def _find_window(config: Any, tokenizer: Any) -> int | None:
    """Tokens of prompt and reply together, or None if neither the model nor its tokenizer says."""
    text = config.get_text_config()
    positions = getattr(text, "max_position_embeddings", None) or getattr(text, "n_positions", None)
    limits = [positions, tokenizer.model_max_length]
    return min((int(limit) for limit in limits if limit and limit < _NO_LIMIT), default=None)


def _as_list(value: Any) -> list[int]:
    if value is None:
        return []
    return list(value) if isinstance(value, list | tuple) else [int(value)]


class GumbelNoise:
    """Turns greedy decoding into draws: the logits of each row divided by the temperature, with noise of its own.

    The largest of logits / T plus Gumbel noise is a draw from softmax(logits / T) (Gumbel, 1954). A generator of its
    own for each row gives the same draw in any batch, as far as the logits are the same.
    """

    def __init__(self, seeds: Sequence[int], temperature: float) -> None:
        import torch

        self._temperature = temperature
        self._generators = [torch.Generator().manual_seed(seed) for seed in seeds]

    def __call__(self, input_ids: Any, scores: Any) -> Any:
        """The scores to take the largest of, shape `[n_rows, n_tokens]`."""
        import torch

        n_tokens = scores.shape[-1]
        drawn = torch.stack([torch.rand(n_tokens, generator=one, dtype=torch.float64) for one in self._generators])
        tiny = torch.finfo(torch.float64).tiny
        noise = -torch.log((-torch.log(drawn.clamp(min=tiny))).clamp(min=tiny))
        # Noise is drawn in the main memory, so that every device draws the same.
        return scores.double() / self._temperature + noise.to(scores.device)
