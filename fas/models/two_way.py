"""Two-way checkers: P(supported) from two classes, or from the two tokens a sequence-to-sequence model answers with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from fas.models.accelerator import choose_silently, is_accelerator
from fas.models.batched import BatchedModel
from fas.models.encoder import printable
from fas.models.loading import pin_version, quiet_loading, weights_identity
from fas.models.paths import resolve_model
from fas.models.precision import choose_device, resolve_precision

if TYPE_CHECKING:
    import numpy.typing as npt
    import torch

    from fas.verify.checkers import Checker

    Logits = npt.NDArray[np.float32]

# What a class that does not exist has for a logit: P of it is 0, and sums stay finite.
_NEVER = -1e4


class TwoWayModel(BatchedModel):
    """A two-way checker behind the calls of `NliModel`.

    Its logits are those of supported and of not supported in the columns of entailment and neutral; contradiction is
    never said.

    Raises:
        LookupError: There is no such checkpoint, or it needs code of its own.
        ValueError: It has other classes, or one of the two answers is no single token.
    """

    reads_out = False
    reads_passages = False
    _runs_at_once = False

    def __init__(self, checker: Checker, *, precision: str = "auto") -> None:
        import torch
        from transformers import AutoModelForSeq2SeqLM, AutoModelForSequenceClassification, AutoTokenizer

        super().__init__()
        self.checker = checker
        location, signature = resolve_model(checker.model)
        self.device = choose_device()
        self.dtype = resolve_precision(precision, self.device)
        if checker.kind == "tokens" and self.dtype == torch.float16:
            self.dtype = torch.float32  # states of T5 grow beyond what half precision holds
        self.is_reduced = self.dtype != torch.float32
        self._streams = is_accelerator(self.device)
        family = AutoModelForSeq2SeqLM if checker.kind == "tokens" else AutoModelForSequenceClassification
        with quiet_loading(checker.model):
            self.tokenizer = AutoTokenizer.from_pretrained(location, trust_remote_code=False)
            model, found = family.from_pretrained(
                location, dtype=self.dtype, output_loading_info=True, trust_remote_code=False, use_safetensors=True
            )
        if found["missing_keys"]:
            raise ValueError(f"model {location!r} has no weights for {', '.join(sorted(found['missing_keys'])[:3])}")
        self.model = model.to(self.device).eval()
        self._columns = self._find_answer_tokens() if checker.kind == "tokens" else self._order_classes()
        self.max_length = checker.max_length
        weights = weights_identity(location, self.model.config)
        self.signature = pin_version(signature, weights)
        self.identity = f"{self.signature}|{weights}|{self.dtype}|{checker}"
        self._budget_key = f"two-way|{self.identity}"

    def _order_classes(self) -> list[int]:
        labels = self.checker.labels or ()
        if int(self.model.config.num_labels) != 2:
            raise ValueError(
                f"checker {self.checker.name!r}: the model has {self.model.config.num_labels} classes, not 2"
            )
        return [labels.index("yes"), labels.index("no")]

    def _find_answer_tokens(self) -> list[int]:
        """The first token of each answer: the supported one's, then the other's."""
        no, yes = (self.tokenizer(label, add_special_tokens=False)["input_ids"] for label in self.checker.labels or ())
        if not no or not yes or no[0] == yes[0]:
            raise ValueError(f"checker {self.checker.name!r}: its answers {self.checker.labels} are not distinct")
        return [yes[0], no[0]]

    def fits(self, hypothesis: str) -> bool:
        """Whether a claim leaves room for at least 16 tokens of a passage."""
        return self.count(self._fill_input("", printable(hypothesis))) <= self.max_length - 20

    def _fill_input(self, passage: str, claim: str) -> str:
        filled = self.checker.input.replace("{eos}", self.tokenizer.eos_token or self.tokenizer.sep_token or "")
        before, _, after = filled.partition("{passage}")
        return before.replace("{claim}", claim) + passage + after.replace("{claim}", claim)

    def logits(self, pairs: Sequence[tuple[str, str]], *, batch_size: int = 32, told: bool = False) -> Logits:
        """Logits of (passage, claim) pairs, shape `[n, 3]`; a passage that is too long is cut, never the claim.

        A row of NaN for a claim that leaves no room for a passage.
        """
        result = np.full((len(pairs), 3), np.nan, dtype=np.float32)
        usable = [i for i, (_, claim) in enumerate(pairs) if self.fits(claim)]
        if not usable:
            return result
        texts = [self._cut(printable(pairs[i][0]), printable(pairs[i][1])) for i in usable]
        result[usable, 2] = _NEVER
        result[usable, :2] = self._rows_of_texts(
            [len(text) for text in texts],
            lambda chosen: self._tokenize([texts[i] for i in chosen], verbose=False),
            tokens=batch_size * max(128, self.max_length // 4),
            most=batch_size,
        )
        return result

    def _cut(self, passage: str, claim: str) -> str:
        while True:
            text = self._fill_input(passage, claim)
            over = self.count(text) + self.tokenizer.num_special_tokens_to_add() - self.max_length
            if over <= 0 or not passage:
                return text
            # A token is at least a character; what is cut too little is cut again.
            passage = passage[: max(0, len(passage) - over)]

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
