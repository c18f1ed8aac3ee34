"""Causal language models run here through transformers, as the study ran its own.

Greedy decoding in batches; FP16 on a GPU, as in the study, FP32 on a processor, which has no
fast FP16. A model tuned for conversation gets the prompt inside its own chat template: the study
does not say whether it did that, but these checkpoints were trained on nothing else.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Literal

from fas.bench.dataset import Item
from fas.bench.generate import MAX_NEW_TOKENS, Generation
from fas.cache import Cache, content_key
from fas.models.encoder import printable
from fas.models.loading import quiet_loading, weights_identity

Format = Literal["auto", "fp16", "bf16", "fp32"]
_FORMATS = ("auto", "fp16", "bf16", "fp32")


class LocalModel:
    """A causal language model.

    Args:
        model: Hub name or folder.
        max_new_tokens: Longest answer, in tokens.
        batch_size: Questions answered at a time. Padding changes the last bits of a number, so that in
            FP16 another batch size may, rarely, change a word.
        precision: `fp16`, `bf16`, `fp32`, or `auto` (FP16 on a GPU, else FP32).
        chat_template: Put the prompt into the model's chat template; by default if it has one.
        device: Torch device; CUDA if there is one by default.
        cache: Keep answers on disk, by prompt and weights.

    Raises:
        LookupError: There is no such model.
        ValueError: An option has an impossible value.
    """

    def __init__(
        self,
        model: str,
        *,
        max_new_tokens: int = MAX_NEW_TOKENS,
        batch_size: int = 8,
        precision: Format = "auto",
        chat_template: bool | None = None,
        device: str | None = None,
        cache: bool = True,
    ) -> None:
        for option, value in (("max_new_tokens", max_new_tokens), ("batch_size", batch_size)):
            if not isinstance(value, int) or isinstance(value, bool) or value < 1:
                raise ValueError(f"generator: `{option}` must be a whole number of at least 1, got {value!r}")
        if precision not in _FORMATS:
            raise ValueError(f"generator: `precision` must be one of {', '.join(_FORMATS)}, got {precision!r}")
        import torch
        from transformers import AutoModelForCausalLM, AutoTokenizer

        self.name, self.batch_size = model, batch_size
        self._device = device or ("cuda" if torch.cuda.is_available() else "cpu")
        number = ("fp16" if self._device.startswith("cuda") else "fp32") if precision == "auto" else precision
        dtype = {"fp16": torch.float16, "bf16": torch.bfloat16, "fp32": torch.float32}[number]
        with quiet_loading(model):
            self._tokenizer: Any = AutoTokenizer.from_pretrained(model, padding_side="left")
            self._model: Any = AutoModelForCausalLM.from_pretrained(model, dtype=dtype).to(self._device).eval()
        if self._tokenizer.pad_token_id is None:
            self._tokenizer.pad_token = self._tokenizer.eos_token
        self._chat = bool(self._tokenizer.chat_template) if chat_template is None else chat_template
        if self._chat and not self._tokenizer.chat_template:
            raise ValueError(f"generator: model {model!r} has no chat template; leave `chat_template` out")
        self._max_new_tokens = max_new_tokens
        self._positions = int(getattr(self._model.config, "max_position_embeddings", 0) or 0)
        weights = weights_identity(model, self._model.config)
        self.identity = "|".join((model, weights, number, f"{max_new_tokens}", "chat" if self._chat else "plain"))
        self._cache = Cache("generate") if cache else None

    def answer(self, items: Sequence[Item], prompts: Sequence[str]) -> list[Generation]:
        """The answers; a prompt too long for the model is a failure, it is never cut."""
        del items
        keys = [content_key(self.identity, prompt) for prompt in prompts]
        found = {key: Generation(*json.loads(value)) for key, value in self._stored(keys).items()}
        wanted = {key: prompt for key, prompt in zip(keys, prompts, strict=True) if key not in found}
        written = dict(zip(wanted, self._generate([self._wrapped(prompt) for prompt in wanted.values()]), strict=True))
        if self._cache is not None:
            good = [(key, json.dumps(answer).encode()) for key, answer in written.items() if answer.failure is None]
            self._cache.put_many(good)
        return [found[key] if key in found else written[key] for key in keys]

    def _stored(self, keys: Sequence[str]) -> dict[str, bytes]:
        return self._cache.get_many(keys) if self._cache is not None else {}

    def _wrapped(self, prompt: str) -> str:
        text = printable(prompt)
        if not self._chat:
            return text
        turns = [{"role": "user", "content": text}]
        return str(self._tokenizer.apply_chat_template(turns, tokenize=False, add_generation_prompt=True))

    def _generate(self, prompts: Sequence[str]) -> list[Generation]:
        # A chat template writes the marks that begin a text itself.
        encoded = [self._tokenizer(p, add_special_tokens=not self._chat)["input_ids"] for p in prompts]
        room = self._positions - self._max_new_tokens if self._positions else None
        answers: list[Generation | None] = [
            Generation(failure=f"the prompt has {len(ids)} tokens; the model takes {room} before the answer")
            if room is not None and len(ids) > room
            else None
            for ids in encoded
        ]
        todo = [i for i, answer in enumerate(answers) if answer is None]
        for start in range(0, len(todo), self.batch_size):
            batch = todo[start : start + self.batch_size]
            for i, answer in zip(batch, self._decode([encoded[i] for i in batch]), strict=True):
                answers[i] = answer
        return [answer for answer in answers if answer is not None]

    def _decode(self, rows: Sequence[list[int]]) -> list[Generation]:
        import torch

        batch = self._tokenizer.pad({"input_ids": list(rows)}, return_tensors="pt").to(self._device)
        with torch.inference_mode():
            output = self._model.generate(
                input_ids=batch["input_ids"],
                attention_mask=batch["attention_mask"],
                max_new_tokens=self._max_new_tokens,
                do_sample=False,
                num_beams=1,
                # The checkpoints' own settings for sampling would only bring warnings.
                temperature=None,
                top_p=None,
                top_k=None,
                pad_token_id=self._tokenizer.pad_token_id,
            )
        ends = self._model.generation_config.eos_token_id
        stops = set(ends if isinstance(ends, list) else [ends])
        return [self._read(row, stops) for row in output[:, batch["input_ids"].shape[1] :].tolist()]

    def _read(self, tokens: list[int], stops: set[int | None]) -> Generation:
        stopped = any(token in stops for token in tokens)
        text = self._tokenizer.decode(tokens, skip_special_tokens=True).strip()
        return Generation(text, "stop" if stopped else "length")
