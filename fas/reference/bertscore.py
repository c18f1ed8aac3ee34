"""BERTScore (Zhang et al., 2020): greedy matching of token states by cosine similarity.

The numbers are those of the bert-score package with the same weights. What differs: a score does
not depend on the other pairs of its batch unless `padding` is set, long texts are read in
windows unless `truncate` is, each text is encoded once, and references are remembered between
calls. What else the package does (idf, all layers, rescaling) the package does: `metrics/bertscore`.
"""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from fas.core.loading import import_extra, loading
from fas.core.records.signature import PartSignature
from fas.reference.encoding import Encoded, TokenEncoder
from fas.reference.multi import best_index, check_choice, mean, normalise_references

if TYPE_CHECKING:
    import torch

MULTI_REFERENCE = ("best", "mean", "bert_score")

_MATRIX_ELEMENTS = 1 << 24  # of the similarity matrix computed at once: 64 MiB
_PENDING_TOKENS = 1 << 15  # of texts encoded but not yet compared


class BertScore(NamedTuple):
    """Precision, recall and F1 in [-1, 1] before rescaling, and which reference they come from.

    0 where one of the two texts is empty. Where no token of a text has any weight (special tokens alone), its side is
    NaN and F1 is 0, as in the bert-score package. `reference` is None where the numbers come from several references.
    """

    precision: float
    recall: float
    f1: float
    reference: int | None = 0


class _Pair(NamedTuple):
    """A prediction and a reference, and whether bert-score would pad each of them."""

    prediction: str
    reference: str
    pads_prediction: bool
    pads_reference: bool


class BertScorer:
    """BERTScore of lists of predictions.

    Args:
        model: Embedded model, hub name, or folder of a transformers encoder.
        layer: Layer whose states are compared; by default the one the bert-score package
            recommends for a hub name, and the last one for other models.
        padding: None compares tokens with tokens only, so that a score depends on its two texts
            alone. A number reproduces what bert-score does in batches of that many pairs: a
            text shorter than the longest of its batch is padded, similarity to the padding is
            0, and so a token less similar than that to every real one counts as 0.
        cache_bytes: Most bytes of token states remembered between calls.
    """

    def __init__(
        self,
        model: str = "fas-encoder-mini",
        layer: int | None = None,
        *,
        precision: str = "auto",
        batch_size: int = 16,
        device: str | None = None,
        truncate: bool = False,
        padding: int | None = None,
        cache_bytes: int = 1 << 29,
    ) -> None:
        if padding is not None and padding < 1:
            raise ValueError(f"`padding` must be None or a batch size of at least 1, got {padding}")
        self.layer = default_layer(model) if layer is None else layer
        self.encoder = TokenEncoder(
            model, self.layer, precision=precision, batch_size=batch_size, device=device, truncate=truncate
        )
        self._padding = padding
        self._kept = _Kept(cache_bytes)

    @property
    def signature(self) -> str:
        """Model, layer and settings, e.g. `fas-encoder-mini[L6]`."""
        settings = ["truncate"] if self.encoder.truncate else []
        return PartSignature(self.encoder.name, f"L{self.layer}", *settings)

    @property
    def n_long(self) -> int:
        """How many texts so far were longer than the model reads at once."""
        return self.encoder.n_long

    def score(
        self, predictions: Sequence[str], references: Sequence[str | Sequence[str]], *, multi_reference: str = "best"
    ) -> list[BertScore]:
        """The score of each prediction, which has one or more references.

        *multi_reference*: `best` takes the reference with the highest F1; `mean` averages each number; `bert_score`
        takes the highest precision, the highest recall and the highest F1, which may come from different references.
        """
        check_choice("multi_reference", multi_reference, MULTI_REFERENCE)
        if len(predictions) != len(references):
            raise ValueError(f"there are {len(predictions)} predictions but {len(references)} references")
        candidates = [normalise_references(each) for each in references]
        for number, each in enumerate(candidates):
            if not each:
                raise ValueError(f"prediction {number} has no reference")
        texts = [(text, other) for text, each in zip(predictions, candidates, strict=True) for other in each]
        ids = {text: self.encoder.tokenize(text) for text in dict.fromkeys(text for pair in texts for text in pair)}
        pairs = self._flag_padding(texts, {text: len(self.encoder.cut(own)) for text, own in ids.items()})
        found = dict(self._score_pairs(list(dict.fromkeys(pairs)), ids))
        scores, result = iter(found[pair] for pair in pairs), []
        for each in candidates:
            result.append(_combine(list(islice(scores, len(each))), multi_reference))
        return result

    def _flag_padding(self, texts: Sequence[tuple[str, str]], lengths: Mapping[str, int]) -> list[_Pair]:
        pairs: list[_Pair] = []
        size = self._padding or 1
        for start in range(0, len(texts), size):
            batch = texts[start : start + size]
            longest = max(lengths[a] for a, _ in batch), max(lengths[b] for _, b in batch)
            pairs += [_Pair(a, b, lengths[a] < longest[0], lengths[b] < longest[1]) for a, b in batch]
        return pairs

    def _score_pairs(self, pairs: list[_Pair], ids: Mapping[str, list[int]]) -> Iterator[tuple[_Pair, BertScore]]:
        keep = {pair.reference for pair in pairs}
        # Pairs of a prediction stay together, so that it is encoded once; similar lengths
        # stay together, so that batches hold little padding.
        pairs = sorted(pairs, key=lambda pair: (-len(ids[pair.prediction]), pair.prediction))
        start = 0
        while start < len(pairs):
            needed: dict[str, list[int]] = {}
            size, stop = 0, start
            while stop < len(pairs) and (size < _PENDING_TOKENS or stop == start):
                for text in pairs[stop][:2]:
                    if text not in needed:
                        needed[text] = ids[text]
                        size += len(ids[text])
                stop += 1
            states = self._encode(needed, keep)
            for pair in pairs[start:stop]:
                yield pair, self._score_pair(states[pair.prediction], states[pair.reference], pair)
            start = stop

    def _encode(self, needed: Mapping[str, list[int]], keep: set[str]) -> dict[str, Encoded]:
        known = {text: state for text in needed if (state := self._kept.get(text)) is not None}
        new = [text for text in needed if text not in known]
        for text, state in zip(new, self.encoder.encode([needed[text] for text in new]), strict=True):
            known[text] = state
            if text in keep:
                self._kept.put(text, state)
        return known

    def _score_pair(self, prediction: Encoded, reference: Encoded, pair: _Pair) -> BertScore:
        if prediction.empty or reference.empty:
            return BertScore(0.0, 0.0, 0.0)
        to_prediction, to_reference = _match(prediction.states, reference.states)
        # Rounding can lift the cosine of equal states above 1; similarity to padding is 0.
        to_prediction = to_prediction.clamp(0 if pair.pads_reference else -1, 1)
        to_reference = to_reference.clamp(0 if pair.pads_prediction else -1, 1)
        precision = _weighted_mean(to_prediction, self._weigh_tokens(prediction))
        recall = _weighted_mean(to_reference, self._weigh_tokens(reference))
        both = precision + recall
        return BertScore(precision, recall, 0.0 if not both or math.isnan(both) else 2 * precision * recall / both)

    def _weigh_tokens(self, text: Encoded) -> torch.Tensor:
        import torch

        special = self.encoder.special_ids
        return torch.tensor([0.0 if token in special else 1.0 for token in text.ids])


class _Kept:
    """The token states used last, of at most *budget* bytes in sum."""

    def __init__(self, budget: int) -> None:
        self._room = budget
        self._entries: OrderedDict[str, Encoded] = OrderedDict()

    def get(self, text: str) -> Encoded | None:
        if text in self._entries:
            self._entries.move_to_end(text)
        return self._entries.get(text)

    def put(self, text: str, state: Encoded) -> None:
        self._entries[text] = state
        self._room -= state.n_bytes
        while self._room < 0:
            self._room += self._entries.popitem(last=False)[1].n_bytes


def _match(prediction: torch.Tensor, reference: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """The similarity of each token to its most similar one on the other side, in blocks of bounded size."""
    import torch

    rows = max(1, _MATRIX_ELEMENTS // len(reference))
    to_prediction = torch.empty(len(prediction))
    to_reference = torch.full((len(reference),), -math.inf)
    for start in range(0, len(prediction), rows):
        similarity = prediction[start : start + rows] @ reference.T
        to_prediction[start : start + rows] = similarity.amax(dim=1)
        to_reference = torch.maximum(to_reference, similarity.amax(dim=0))
    return to_prediction, to_reference


def _weighted_mean(values: torch.Tensor, weights: torch.Tensor) -> float:
    total = float(weights.sum())
    return float((values * weights).double().sum()) / total if total else math.nan


def _combine(scores: list[BertScore], multi_reference: str) -> BertScore:
    if multi_reference == "best":
        winner = best_index([score.f1 for score in scores])
        return scores[winner]._replace(reference=winner)
    if len(scores) == 1:
        return scores[0]
    combine = mean if multi_reference == "mean" else _take_highest
    return BertScore(
        combine([score.precision for score in scores]),
        combine([score.recall for score in scores]),
        combine([score.f1 for score in scores]),
        None,
    )


def _take_highest(values: Sequence[float]) -> float:
    return values[best_index(values)]


def default_layer(model: str) -> int:
    """The layer the bert-score package recommends for a hub name, else the model's last.

    Its recommendations are those that agreed best with human judgements of translations.
    """
    from fas.models.paths import EMBEDDED, resolve_model

    if model not in EMBEDDED and not Path(model).is_dir():
        model2layers = import_extra("bert_score.utils", "packages").model2layers
        if model in model2layers:
            return int(model2layers[model])
    with loading():
        from transformers import AutoConfig

    config = AutoConfig.from_pretrained(resolve_model(model)[0], trust_remote_code=False)
    for name in ("num_hidden_layers", "n_layers", "encoder_layers", "num_layers"):
        value = getattr(config, name, None)
        if isinstance(value, int):
            return value
    raise ValueError(f"the configuration of {model!r} does not say how many layers it has; give the layer")
