"""BERTScore (Zhang et al., 2020): greedy matching of token states by cosine similarity.

The numbers are those of the bert-score package with the same weights. What differs: a score does
not depend on the other pairs of its batch unless `padding` is set, long texts are read in
windows unless `truncate` is, each text is encoded once, and references are remembered between
calls.
"""

from __future__ import annotations

import csv
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from fas._version import __version__
from fas.loading import loading
from fas.records.signature import PartSignature
from fas.reference.encoding import Encoded, TokenEncoder
from fas.reference.multi import as_references, best_index, check_choice, mean
from fas.reference.texts import BoundedCache

if TYPE_CHECKING:
    import torch

MULTI_REFERENCE = ("best", "mean", "bert_score")

_MATRIX_ELEMENTS = 1 << 24  # of the similarity matrix computed at once: 64 MiB
_PENDING_TOKENS = 1 << 15  # of texts encoded but not yet compared


class BertScore(NamedTuple):
    """Precision, recall and F1 in [-1, 1] before rescaling, and which reference they come from.

    0 where one of the two texts is empty. Where no token of a text has any weight (special tokens alone, or idf), its
    side is NaN and F1 is 0, as in the bert-score package. `reference` is None where the numbers come from several
    references.
    """

    precision: float
    recall: float
    f1: float
    reference: int | None = 0


class _Matched(NamedTuple):
    """Precision and recall, and both with 0 in place of negative similarities."""

    precision: float
    recall: float
    precision_or_0: float
    recall_or_0: float


class BertScorer:
    """BERTScore of lists of predictions.

    Args:
        model: Embedded model, hub name, or folder of a transformers encoder.
        layer: Layer whose states are compared; by default the one the bert-score package
            recommends for a hub name, and the last one for other models.
        all_layers: Score every layer; see `score_layers`.
        idf: Weight tokens by inverse document frequency; call `fit_idf` first, or give
            the weights of token ids here.
        precision: `fp32`, `bf16` or `auto`.
        batch_size: Most texts in a batch.
        device: Torch device; CUDA if there is one by default.
        truncate: Cut texts at the model's limit as bert-score does, instead of windows.
        baseline: Precision, recall and F1 of unrelated texts; scores are rescaled so that
            these become 0. None leaves them as they are. See `read_baseline`.
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
        all_layers: bool = False,
        idf: bool | Mapping[int, float] = False,
        precision: str = "auto",
        batch_size: int = 16,
        device: str | None = None,
        truncate: bool = False,
        baseline: Sequence[float] | None = None,
        padding: int | None = None,
        cache_bytes: int = 1 << 29,
    ) -> None:
        if padding is not None and padding < 1:
            raise ValueError(f"`padding` must be None or a batch size of at least 1, got {padding}")
        if baseline is not None and (len(baseline) != 3 or all_layers):
            raise ValueError("`baseline` must be three numbers (precision, recall, F1) for a single layer")
        self.layer = default_layer(model) if layer is None else layer
        self.idf = idf is not False
        self._name = model
        self.encoder = TokenEncoder(
            model,
            self.layer,
            all_layers=all_layers,
            precision=precision,
            batch_size=batch_size,
            device=device,
            truncate=truncate,
        )
        self.baseline = None if baseline is None else tuple(baseline)
        self._padding = padding
        self._weights: Mapping[int, float] | None = None if isinstance(idf, bool) else idf
        self._unseen = max(idf.values(), default=0.0) if isinstance(idf, Mapping) else 0.0
        self._kept: BoundedCache[str, Encoded] = BoundedCache(cache_bytes)

    @property
    def signature(self) -> str:
        """Model, layer and settings, e.g. `fas-encoder-mini[L6]`."""
        settings = [f"L{self.layer}"]
        settings += ["idf"] if self.idf else []
        settings += ["rescaled"] if self.baseline else []
        settings += ["truncate"] if self.encoder.truncate else []
        return PartSignature(self.encoder.name, *settings)

    @property
    def hashcode(self) -> str:
        """The line evaluate's `bertscore` gives, with our own version."""
        from importlib.metadata import version

        name = f"{self._name}_L{self.layer}_{'idf' if self.idf else 'no-idf'}_version=fas-{__version__}"
        return f"{name}(hug_trans={version('transformers')})" + ("-rescaled" if self.baseline else "")

    @property
    def n_long(self) -> int:
        """How many texts so far were longer than the model reads at once."""
        return self.encoder.n_long

    def fit_idf(self, texts: Sequence[str]) -> None:
        """Take the weights log((N + 1) / (n + 1)) from *texts*, of which n hold the token.

        Raises:
            ValueError: The scorer was made without `idf`.
        """
        if not self.idf:
            raise ValueError("this scorer was made with `idf=False`")
        counts = Counter(token for text in texts for token in set(self.encoder.cut(self.encoder.tokenize(text))))
        self._weights = {token: math.log((len(texts) + 1) / (count + 1)) for token, count in counts.items()}
        self._unseen = math.log(len(texts) + 1)

    def score(
        self, predictions: Sequence[str], references: Sequence[str | Sequence[str]], *, multi_reference: str = "best"
    ) -> list[BertScore]:
        """The score of each prediction.

        Args:
            predictions: The texts to score.
            references: One or more texts to compare each with.
            multi_reference: `best` takes the reference with the highest F1; `mean` averages
                each number; `bert_score` takes the highest precision, the highest recall and
                the highest F1, which may come from different references.

        Raises:
            ValueError: The lists differ in length, or a prediction has no reference.
        """
        if self.encoder.all_layers:
            raise ValueError("a scorer of all layers is asked with `score_layers`")
        rows = self._score(predictions, references, multi_reference)
        return [row[0] for row in rows]

    def score_layers(
        self, predictions: Sequence[str], references: Sequence[str | Sequence[str]], *, multi_reference: str = "best"
    ) -> list[list[BertScore]]:
        """The score of each prediction at each layer, the embeddings first; needs `all_layers`."""
        if not self.encoder.all_layers:
            raise ValueError("this scorer was made with `all_layers=False`")
        return self._score(predictions, references, multi_reference)

    def _score(
        self, predictions: Sequence[str], references: Sequence[str | Sequence[str]], multi_reference: str
    ) -> list[list[BertScore]]:
        check_choice("multi_reference", multi_reference, MULTI_REFERENCE)
        if len(predictions) != len(references):
            raise ValueError(f"there are {len(predictions)} predictions but {len(references)} references")
        if self.idf and self._weights is None:
            raise ValueError("idf weights are not known yet; call `fit_idf` first")
        candidates = [as_references(each) for each in references]
        for number, each in enumerate(candidates):
            if not each:
                raise ValueError(f"prediction {number} has no reference")
        pairs = [(text, other) for text, each in zip(predictions, candidates, strict=True) for other in each]
        ids = {text: self.encoder.tokenize(text) for text in dict.fromkeys(text for pair in pairs for text in pair)}
        found = dict(self._match_pairs(list(dict.fromkeys(pairs)), ids))
        padded = self._padded([(len(self.encoder.cut(ids[a])), len(self.encoder.cut(ids[b]))) for a, b in pairs])
        scores = [
            [self._finish(layer, *flags) for layer in found[pair]] for pair, flags in zip(pairs, padded, strict=True)
        ]
        result, start = [], 0
        for each in candidates:
            alone = scores[start : start + len(each)]
            start += len(each)
            result.append([_combine(list(layer), multi_reference) for layer in zip(*alone, strict=True)])
        return result

    def _padded(self, lengths: list[tuple[int, int]]) -> list[tuple[bool, bool]]:
        """Whether bert-score would pad each pair's prediction, and its reference."""
        flags: list[tuple[bool, bool]] = []
        size = self._padding or 1
        for start in range(0, len(lengths), size):
            batch = lengths[start : start + size]
            longest = max(a for a, _ in batch), max(b for _, b in batch)
            flags += [(a < longest[0], b < longest[1]) for a, b in batch]
        return flags

    def _match_pairs(
        self, pairs: list[tuple[str, str]], ids: Mapping[str, list[int]]
    ) -> Iterator[tuple[tuple[str, str], list[_Matched]]]:
        keep = {reference for _, reference in pairs}
        # Pairs of a prediction stay together, so that it is encoded once; similar lengths
        # stay together, so that batches hold little padding.
        order = sorted(range(len(pairs)), key=lambda i: (-len(ids[pairs[i][0]]), pairs[i][0], i))
        start = 0
        while start < len(order):
            needed: dict[str, list[int]] = {}
            size, stop = 0, start
            while stop < len(order) and (size < _PENDING_TOKENS or stop == start):
                for text in pairs[order[stop]]:
                    if text not in needed:
                        needed[text] = ids[text]
                        size += len(ids[text])
                stop += 1
            states = self._encode(needed, keep)
            for index in order[start:stop]:
                prediction, reference = pairs[index]
                yield pairs[index], self._compare(states[prediction], states[reference])
            start = stop

    def _encode(self, needed: Mapping[str, list[int]], keep: set[str]) -> dict[str, Encoded]:
        known = {text: state for text in needed if (state := self._kept.get(text)) is not None}
        new = [text for text in needed if text not in known]
        for text, state in zip(new, self.encoder.encode([needed[text] for text in new]), strict=True):
            known[text] = state
            if text in keep:
                self._kept.put(text, state, state.states.numel() * 4 + 200)
        return known

    def _compare(self, prediction: Encoded, reference: Encoded) -> list[_Matched]:
        layers = len(prediction.states) if self.encoder.all_layers else 1
        if prediction.empty or reference.empty:
            return [_Matched(0.0, 0.0, 0.0, 0.0)] * layers
        weights = self._token_weights(prediction), self._token_weights(reference)
        if not self.encoder.all_layers:
            return [_match(prediction.states, reference.states, *weights)]
        return [
            _match(first, second, *weights) for first, second in zip(prediction.states, reference.states, strict=True)
        ]

    def _token_weights(self, text: Encoded) -> torch.Tensor:
        import torch

        if self._weights is None:
            special = self.encoder.special_ids
            return torch.tensor([0.0 if token in special else 1.0 for token in text.ids])
        return torch.tensor([self._weights.get(token, self._unseen) for token in text.ids])

    def _finish(self, matched: _Matched, padded_prediction: bool, padded_reference: bool) -> BertScore:
        precision = matched.precision_or_0 if padded_reference else matched.precision
        recall = matched.recall_or_0 if padded_prediction else matched.recall
        both = precision + recall
        score = BertScore(precision, recall, 0.0 if not both or math.isnan(both) else 2 * precision * recall / both)
        if self.baseline is None:
            return score
        precision, recall, f1 = (
            (value - base) / (1 - base) for value, base in zip(score[:3], self.baseline, strict=True)
        )
        return BertScore(precision, recall, f1)


def _match(
    prediction: torch.Tensor, reference: torch.Tensor, prediction_weights: torch.Tensor, reference_weights: torch.Tensor
) -> _Matched:
    """Each token with its most similar one on the other side, in blocks of bounded size."""
    import torch

    rows = max(1, _MATRIX_ELEMENTS // len(reference))
    to_prediction = torch.empty(len(prediction))
    to_reference = torch.full((len(reference),), -math.inf)
    for start in range(0, len(prediction), rows):
        similarity = prediction[start : start + rows] @ reference.T
        to_prediction[start : start + rows] = similarity.amax(dim=1)
        to_reference = torch.maximum(to_reference, similarity.amax(dim=0))
    # Rounding can lift the cosine of equal states above 1.
    return _Matched(
        _weighted_mean(to_prediction.clamp(-1, 1), prediction_weights),
        _weighted_mean(to_reference.clamp(-1, 1), reference_weights),
        _weighted_mean(to_prediction.clamp(0, 1), prediction_weights),
        _weighted_mean(to_reference.clamp(0, 1), reference_weights),
    )


def _weighted_mean(values: torch.Tensor, weights: torch.Tensor) -> float:
    total = float(weights.sum())
    return float((values * weights).double().sum()) / total if total else math.nan


def _combine(scores: list[BertScore], multi_reference: str) -> BertScore:
    if multi_reference == "best":
        winner = best_index([score.f1 for score in scores])
        return scores[winner]._replace(reference=winner)
    if len(scores) == 1:
        return scores[0]
    combine = mean if multi_reference == "mean" else _highest
    return BertScore(
        combine([score.precision for score in scores]),
        combine([score.recall for score in scores]),
        combine([score.f1 for score in scores]),
        None,
    )


def _highest(values: Sequence[float]) -> float:
    return values[best_index(values)]


def default_layer(model: str) -> int:
    """The layer the bert-score package recommends for a hub name, else the model's last.

    Its recommendations are those that agreed best with human judgements of translations.
    """
    from fas.models.paths import EMBEDDED, resolve_model

    if model not in EMBEDDED and not Path(model).is_dir():
        with loading():
            from bert_score.utils import model2layers

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


def package_model(language: str) -> str:
    """The model the bert-score package takes for *language*; a multilingual one where it knows no better."""
    with loading():
        from bert_score.utils import lang2model

    return str(lang2model[language.lower()])


def read_baseline(
    model: str, layer: int, *, language: str | None = None, path: str | Path | None = None
) -> tuple[float, float, float]:
    """Precision, recall and F1 of unrelated texts at *layer*, from bert-score's tables.

    Args:
        model: Hub name of the model.
        layer: Row of the table.
        language: Folder of the tables that come with bert-score, e.g. `en`.
        path: A table of your own, CSV with the columns LAYER, P, R, F, instead.

    Raises:
        ValueError: There is no such table, or it has no such row.
    """
    if path is None:
        if language is None:
            raise ValueError("rescaling needs the language of the texts, e.g. lang='en', or a table of your own")
        from importlib.util import find_spec

        spec = find_spec("bert_score")
        if spec is None or spec.origin is None:
            raise ValueError("the tables come with bert-score, which is not installed")
        path = Path(spec.origin).parent / "rescale_baseline" / language.lower() / f"{model}.tsv"
    table = Path(path)
    if not table.is_file():
        raise ValueError(f"there is no baseline for {model!r} at {table}; give a table of your own or do not rescale")
    with table.open(newline="", encoding="utf-8") as lines:
        for row in csv.DictReader(lines):
            if int(row["LAYER"]) == layer:
                return float(row["P"]), float(row["R"]), float(row["F"])
    raise ValueError(f"{table} has no row for layer {layer}")
