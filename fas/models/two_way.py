"""Two-way checkers: P(supported) from two classes, or from the two tokens a sequence-to-sequence model answers with."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from fas.models.accelerator import batch_tokens, choose_silently, is_accelerator, streamed
from fas.models.batches import length_buckets, pad_rows
from fas.models.encoder import printable
from fas.models.loading import pin_version, quiet_loading, weights_identity
from fas.models.paths import resolve_model
from fas.models.precision import padded_width, resolve_precision

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import torch

    from fas.verify.checkers import Checker

    Logits = npt.NDArray[np.float32]

# What a class that does not exist has for a logit: P of it is 0, and sums stay finite.
_NEVER = -1e4


class TwoWayModel:
    """A two-way checker behind the calls of `NliModel`.

    Its logits are those of supported and of not supported in the columns of entailment and neutral; contradiction is
    never said.

    Raises:
        LookupError: There is no such checkpoint, or it needs code of its own.
        ValueError: It has other classes, or one of the two answers is no single token.
    """

    reads_out = False
    reads_passages = False

    def __init__(self, checker: Checker, *, precision: str = "auto") -> None:
        import torch
        from transformers import AutoModelForSeq2SeqLM, AutoModelForSequenceClassification, AutoTokenizer

        self.checker = checker
        location, signature = resolve_model(checker.model)
        self.device = "cuda" if torch.cuda.is_available() else "cpu"
        self.dtype = resolve_precision(precision, self.device)
        if checker.kind == "tokens" and self.dtype == torch.float16:
            self.dtype = torch.float32  # states of T5 grow beyond what half precision holds
        self.is_reduced = self.dtype != torch.float32
        self._streams = is_accelerator(self.device)
        self._tokens: int | None = None
        family = AutoModelForSeq2SeqLM if checker.kind == "tokens" else AutoModelForSequenceClassification
        with quiet_loading(checker.model):
            self.tokenizer: Any = AutoTokenizer.from_pretrained(location, trust_remote_code=False)
            model, found = family.from_pretrained(
                location, dtype=self.dtype, output_loading_info=True, trust_remote_code=False, use_safetensors=True
            )
        if found["missing_keys"]:
            raise ValueError(f"model {location!r} has no weights for {', '.join(sorted(found['missing_keys'])[:3])}")
        self.model: Any = model.to(self.device).eval()
        self._columns = self._answer_tokens() if checker.kind == "tokens" else self._classes()
        self.max_length = checker.max_length
        self._lock = threading.Lock()
        weights = weights_identity(location, self.model.config)
        self.signature = pin_version(signature, weights)
        self.identity = f"{self.signature}|{weights}|{self.dtype}|{checker}"

    def _classes(self) -> list[int]:
        labels = self.checker.labels or ()
        if int(self.model.config.num_labels) != 2:
            raise ValueError(
                f"checker {self.checker.name!r}: the model has {self.model.config.num_labels} classes, not 2"
            )
        return [labels.index("yes"), labels.index("no")]

    def _answer_tokens(self) -> list[int]:
        """The first token of each answer: the supported one's, then the other's."""
        no, yes = (self.tokenizer(label, add_special_tokens=False)["input_ids"] for label in self.checker.labels or ())
        if not no or not yes or no[0] == yes[0]:
            raise ValueError(f"checker {self.checker.name!r}: its answers {self.checker.labels} are not distinct")
        return [yes[0], no[0]]

    def count(self, text: str) -> int:
        """How many tokens *text* has."""
        with self._lock:
            return len(self.tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"])

    def fits(self, hypothesis: str) -> bool:
        """Whether a claim leaves room for at least 16 tokens of a passage."""
        return self.count(self._text("", printable(hypothesis))) <= self.max_length - 20

    def _text(self, passage: str, claim: str) -> str:
        filled = self.checker.input.replace("{eos}", self.tokenizer.eos_token or self.tokenizer.sep_token or "")
        before, _, after = filled.partition("{passage}")
        return before.replace("{claim}", claim) + passage + after.replace("{claim}", claim)

    def logits(self, pairs: Sequence[tuple[str, str]], *, batch_size: int = 32, told: bool = False) -> Logits:
        """Logits of (passage, claim) pairs, shape `[n, 3]`; a passage that is too long is cut, never the claim.

        A row of NaN for a claim that leaves no room for a passage.
        """
        import numpy as np

        result = np.full((len(pairs), 3), np.nan, dtype=np.float32)
        usable = [i for i, (_, claim) in enumerate(pairs) if self.fits(claim)]
        if not usable:
            return result
        texts = [self._cut(printable(pairs[i][0]), printable(pairs[i][1])) for i in usable]
        result[usable, 2] = _NEVER
        if self._streams:
            result[usable, :2] = self._streamed(texts)
            return result
        encoded = self._encode(texts)
        lengths = [len(ids) for ids in encoded["input_ids"]]
        for group in length_buckets(lengths, batch_size * max(128, self.max_length // 4)):
            for start in range(0, len(group), batch_size):
                part = group[start : start + batch_size]
                rows = self._run({name: [column[i] for i in part] for name, column in encoded.items()})
                result[[usable[i] for i in part], :2] = rows
        return result

    def _streamed(self, texts: Sequence[str]) -> Logits:
        """The two logits of each text on an accelerator."""
        if self._tokens is None:
            names = ("input_ids", "attention_mask")
            self._tokens = batch_tokens(self._forward, names, device=self.device, key=f"two-way|{self.identity}")
        return streamed(
            [len(text) for text in texts],
            lambda chosen: self._encode([texts[i] for i in chosen]),
            self._padded,
            self._forward,
            device=self.device,
            budget=self._tokens,
        )

    def _encode(self, texts: Sequence[str]) -> dict[str, list[list[int]]]:
        with self._lock:
            return dict(self.tokenizer(list(texts), verbose=False))

    def _cut(self, passage: str, claim: str) -> str:
        text = self._text(passage, claim)
        over = self.count(text) + self.tokenizer.num_special_tokens_to_add() - self.max_length
        while over > 0 and passage:
            # A token is at least a character; what is cut too little is cut again.
            passage = passage[: max(0, len(passage) - over)]
            text = self._text(passage, claim)
            over = self.count(text) + self.tokenizer.num_special_tokens_to_add() - self.max_length
        return text

    def _run(self, features: Mapping[str, list[list[int]]]) -> Logits:
        import torch

        with torch.inference_mode():
            tensors = {name: own.to(self.device) for name, own in self._padded(features).items()}
            rows: Logits = self._forward(tensors).cpu().numpy()
        return rows

    def _padded(self, features: Mapping[str, list[list[int]]]) -> dict[str, torch.Tensor]:
        import torch

        width = padded_width(max(map(len, features["input_ids"])), self.dtype, most=self.max_length, steady=True)
        pad = {"input_ids": self.tokenizer.pad_token_id or 0}
        return {name: torch.tensor(pad_rows(rows, width, pad.get(name, 0))) for name, rows in features.items()}

    def _forward(self, features: Mapping[str, torch.Tensor]) -> torch.Tensor:
        import torch

        given = choose_silently(self.model, features)
        if self.checker.kind == "tokens":
            begin = int(self.model.config.decoder_start_token_id or 0)
            shape = (len(given["input_ids"]), 1)
            given["decoder_input_ids"] = torch.full(shape, begin, device=given["input_ids"].device)
        logits: torch.Tensor = self.model(**given).logits.float()
        return (logits[:, 0] if logits.ndim == 3 else logits)[:, self._columns]


@lru_cache(maxsize=2)
def load_two_way(checker: Checker, *, precision: str = "auto") -> TwoWayModel:
    """A shared model; loaded once per set of arguments."""
    return TwoWayModel(checker, precision=precision)
