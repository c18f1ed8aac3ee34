"""Token states of texts of any length, from any transformers encoder, for BERTScore."""

from __future__ import annotations

import logging
import weakref
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from fas.core.loading import loading
from fas.models.encoder import printable
from fas.models.fastlinear import pack_linear_layers
from fas.models.loading import location_identity, pin_version, quiet_loading, token_limit, weights_identity
from fas.models.mapped import map_word_table
from fas.models.parallel import map_batches
from fas.models.paths import resolve_model
from fas.models.precision import choose_device, resolve_precision
from fas.models.side_by_side import is_side_by_side, lay_side_by_side, rows_of, states_of_row

if TYPE_CHECKING:
    import torch

logger = logging.getLogger(__name__)

# A window shares a quarter of its tokens with the next, so that no token is read without context.
_OVERLAP = 0.25
# Tokens of the rows that texts share on a CPU, where longer rows gain little.
_ROW = 512
# A GPU needs larger batches.
_BATCH_TOKENS = {"cpu": 512, "cuda": 4096}
# Texts whose lengths agree when rounded up to a multiple of this share a shape; a tile of AMX sums 32 products.
_STEP = 32


@dataclass(frozen=True)
class Encoded:
    """A text as BERTScore needs it: token ids, `n_special` of them special, and their states on the CPU, of length 1
    each.
    """

    ids: tuple[int, ...]
    states: torch.Tensor
    n_special: int

    @property
    def n_bytes(self) -> int:
        """Memory of the states, about."""
        return self.states.numel() * 4 + 200

    @property
    def empty(self) -> bool:
        """Whether the text has no token of its own."""
        return len(self.ids) <= self.n_special


class _Group(NamedTuple):
    """Numbers of texts that are read together, and in what shape: texts, tokens."""

    members: list[int]
    shape: tuple[int, int]


class TokenEncoder:
    """An encoder cut off at one layer.

    Args:
        layer: Number of layers to run; 0 gives the embeddings.
        batch_size: Most texts in a batch. A text's states depend on it, in the last digits, and on no other text.
        truncate: Cut long texts at the model's limit instead of reading them in windows.

    Raises:
        ValueError: The model has fewer layers, or its layers cannot be found.
    """

    def __init__(
        self,
        model: str,
        layer: int,
        *,
        precision: str = "auto",
        batch_size: int = 16,
        device: str | None = None,
        truncate: bool = False,
    ) -> None:
        with loading():
            from transformers import AutoTokenizer

        location, name = resolve_model(model)
        self.device = choose_device(device)
        self.batch_size = batch_size
        self.truncate = truncate
        with quiet_loading(model):
            self.tokenizer: Any = AutoTokenizer.from_pretrained(location, trust_remote_code=False)
            dtype = resolve_precision(precision, self.device)
            self.model: Any = _load_shared(location, layer, self.device, dtype)
        self.name = pin_version(name, weights_identity(location, self.model.config))
        self._is_side_by_side = is_side_by_side(self.model)
        self.limit = token_limit(self.tokenizer, self.model)
        self.n_long = 0
        self._before, self._after = self._find_specials()
        if self.limit <= len(self._before) + len(self._after):
            raise ValueError(f"{model!r} reads at most {self.limit} tokens, which leaves none for text")

    @property
    def special_ids(self) -> tuple[int, ...]:
        """The ids that BERTScore gives no weight: those of the separator and the classifier token."""
        found = (self.tokenizer.sep_token_id, self.tokenizer.cls_token_id)
        return tuple(token for token in found if token is not None)

    def tokenize(self, text: str) -> list[int]:
        """Token ids of *text* between the special tokens, however many."""
        options: dict[str, Any] = {"add_prefix_space": True} if self._needs_prefix_space() else {}
        text = printable(text.strip())
        ids = self.tokenizer.encode(text, add_special_tokens=False, verbose=False, **options) if text else []
        return [*self._before, *ids, *self._after]

    def cut(self, ids: Sequence[int]) -> list[int]:
        """The ids that will be read: all of them, or with `truncate` as many as the model takes."""
        if not self.truncate or len(ids) <= self.limit:
            return list(ids)
        return [*ids[: self.limit - len(self._after)], *self._after]

    def encode(self, texts: Sequence[Sequence[int]]) -> list[Encoded]:
        """The states of tokenized texts, in order; texts beyond the model's limit in windows, or cut."""
        import torch

        self._count_long(sum(len(ids) > self.limit for ids in texts))
        texts = [self.cut(ids) for ids in texts]
        windows: list[tuple[int, list[int], slice]] = []  # text, ids, and which of its states to keep
        for number, ids in enumerate(texts):
            windows += [(number, piece, keep) for piece, keep in self._split_windows(ids)]
        states: dict[int, torch.Tensor] = {}
        groups = self._group_texts([len(ids) for _, ids, _ in windows])

        def run(group: _Group) -> list[torch.Tensor]:
            # Copies, or each kept slice would hold its whole batch in memory.
            found = self._run([windows[i][1] for i in group.members], group.shape)
            return [state[windows[i][2]].clone() for i, state in zip(group.members, found, strict=True)]

        for group, found in zip(groups, map_batches(run, groups, device=self.device, steady=True), strict=True):
            states.update(zip(group.members, found, strict=True))
        parts: list[list[torch.Tensor]] = [[] for _ in texts]
        for number, (text, _, _) in enumerate(windows):
            parts[text].append(states[number])
        n_special = len(self._before) + len(self._after)
        return [
            Encoded(tuple(ids), torch.cat(part) if len(part) > 1 else part[0], n_special)
            for ids, part in zip(texts, parts, strict=True)
        ]

    def _split_windows(self, ids: Sequence[int]) -> Iterator[tuple[list[int], slice]]:
        """Pieces that the model can read, and which states of each make up the whole.

        Where two windows overlap, each token's state comes from the one in which it is farther
        from the edge.
        """
        if len(ids) <= self.limit:
            yield list(ids), slice(0, len(ids))
            return
        before, after = len(self._before), len(self._after)
        body = ids[before : len(ids) - after]
        room = self.limit - before - after
        step = max(1, room - int(room * _OVERLAP))
        starts = [*range(0, len(body) - room, step), len(body) - room]
        done = 0
        for number, start in enumerate(starts):
            last = number == len(starts) - 1
            # Up to the middle of what this window shares with the next.
            end = len(body) if last else (start + room + starts[number + 1]) // 2
            first = 0 if number == 0 else done - start + before
            stop = self.limit if last else end - start + before
            yield [*self._before, *body[start : start + room], *self._after], slice(first, stop)
            done = end

    def _group_texts(self, lengths: Sequence[int]) -> list[_Group]:
        """Texts to be read together, the longest first, so that memory peaks at once.

        The shape in which a text is computed follows from its own length: see `fas.models.side_by_side`. When shapes
        depended on the other texts, a run that was stopped and resumed gave other BERTScores (by 3e-5 in bfloat16).
        Other families of models are padded to one of a few widths, and batches are filled up with texts.
        """
        if self._is_side_by_side:
            return [_Group(row, (1, _ROW)) for row in rows_of(lengths, _ROW)]
        most = _BATCH_TOKENS.get(self.device.partition(":")[0], 4096)
        alike: dict[tuple[int, bool], list[int]] = {}
        for index, length in enumerate(lengths):
            # With room for padding in every row, or in none: where a batch has none, models leave the mask out.
            width = min(-(-(length + 1) // _STEP) * _STEP, max(self.limit, length))
            alike.setdefault((width, length == width), []).append(index)
        groups = []
        for (width, _), members in sorted(alike.items(), reverse=True):
            size = max(1, min(self.batch_size, most // width))
            for start in range(0, len(members), size):
                groups.append(_Group(members[start : start + size], (size, width)))
        return groups

    def _run(self, batch: list[list[int]], shape: tuple[int, int]) -> list[torch.Tensor]:
        """The states of each text, computed in a batch of *shape*, which is filled up."""
        import torch

        size, width = shape
        with torch.inference_mode():
            if self._is_side_by_side:
                row = states_of_row(self.model, batch, width)
                states = torch.nn.functional.normalize(row.float(), dim=-1)
                return list(torch.split(states, [len(ids) for ids in batch], dim=0))
            pad = self.tokenizer.pad_token_id or 0
            rows = batch + [batch[-1]] * (size - len(batch))
            tokens = torch.tensor([ids + [pad] * (width - len(ids)) for ids in rows], device=self.device)
            mask = torch.tensor([[1] * len(ids) + [0] * (width - len(ids)) for ids in rows], device=self.device)
            found = self.model(input_ids=tokens, attention_mask=mask)[0]
            states = torch.nn.functional.normalize(found[: len(batch)].float(), dim=-1).cpu()
        return [state[: len(ids)] for state, ids in zip(states, batch, strict=True)]

    def _find_specials(self) -> tuple[list[int], list[int]]:
        """What the tokenizer puts before and after a text."""
        probe = self.tokenizer.encode("a", add_special_tokens=False)
        whole = self.tokenizer.encode("a", add_special_tokens=True)
        for start in range(len(whole) - len(probe) + 1):
            if whole[start : start + len(probe)] == probe:
                return whole[:start], whole[start + len(probe) :]
        raise ValueError(f"the tokenizer of {self.name!r} changes a text when it adds special tokens")

    def _needs_prefix_space(self) -> bool:
        with loading():
            from transformers import GPT2Tokenizer, RobertaTokenizer

        return isinstance(self.tokenizer, (GPT2Tokenizer, RobertaTokenizer))

    def _count_long(self, n_long: int) -> None:
        """Announce long texts once, count them always."""
        if n_long and not self.n_long:
            what = "1 of these texts has" if n_long == 1 else f"{n_long} of these texts have"
            how = "cut there" if self.truncate else "read in overlapping windows"
            logger.warning(
                "%s more than the %d tokens %s reads at once; such texts are %s "
                "(later ones are counted, not announced)",
                what,
                self.limit,
                self.name,
                how,
            )
        self.n_long += n_long


_alive: weakref.WeakValueDictionary[tuple[Any, ...], Any] = weakref.WeakValueDictionary()


def _load_shared(location: str, layer: int | None, device: str, dtype: torch.dtype) -> Any:
    """The encoder ready for use; all that use the same at one time share it, and the last one lets go of it."""
    key = (location, location_identity(location), layer, device, dtype)
    with loading():
        model = _alive.get(key)
        if model is None:
            model = _load(location, layer)
            model.to(device=device, dtype=dtype)
            pack_linear_layers(model)
            map_word_table(model, [Path(location) / "model.safetensors"])
            lay_side_by_side(model)
            _alive[key] = model
        return model


def _load(location: str, layer: int | None) -> Any:
    """The encoder in fp32, without the layers above *layer*."""
    with loading():
        import torch
        from transformers import AutoConfig, AutoModel, T5EncoderModel

    config = AutoConfig.from_pretrained(location, trust_remote_code=False)
    if layer is not None:
        _keep_layers(config, layer, location)
    kind = T5EncoderModel if config.model_type in ("t5", "mt5", "umt5") else AutoModel
    # Weights may be stored in half precision; the reference is fp32 all the way.
    model = kind.from_pretrained(
        location, config=config, dtype=torch.float32, trust_remote_code=False, use_safetensors=True
    ).eval()
    return model.encoder if hasattr(model, "encoder") and hasattr(model, "decoder") else model


def _keep_layers(config: Any, layer: int, model: str) -> None:
    """Let a model of *config* be built with its first layers only."""
    available = getattr(config, "num_hidden_layers", None)
    if available is None:
        raise ValueError(f"the configuration of {model} does not say how many layers it has")
    if not 0 <= layer <= available:
        raise ValueError(f"`layer` must be from 0 to {available} for this model, got {layer}")
    config.num_hidden_layers = layer
    if hasattr(config, "encoder_layers"):  # BART and its relatives
        config.encoder_layers = layer
