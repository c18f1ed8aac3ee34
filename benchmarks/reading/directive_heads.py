"""A linear head over the states of the embedded encoder that reads the directive about a drug, and how it enters.

The drug is masked in its sentence (other drugs are written `medicine`); features are the mask's states after layers 2,
4 and 6 and what the sentence stands in. The labels are what the rules of `fas.safety` read: the annotated answers whose
flags they raise as labelled, and stored answers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

import fas.safety.reading as engine
from fas.models.encoder import load_encoder
from fas.models.side_by_side import row_length, row_parts, states_of_row
from fas.safety.directive import Directive
from fas.safety.directives import SentenceReader

CLASSES = ("none", "weak", "strong", "negative", "continuation")
LAYERS = (2, 4, 6)
WIDTH = 400  # characters to each side of the drug that are read
TOKENS = 160
_FORBIDDING = re.compile(r"\b(?:avoid|don'?t|not|never|contra|stop|unsafe)", re.IGNORECASE)

Array = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Mentioned:
    """A drug in its sentence.

    Attributes:
        text: The sentence, the drug masked.
        context: Under a heading, under one that forbids, in a table row, in a list, the question asks for a drug, first
            sentence.
    """

    text: str
    context: tuple[bool, ...]


def mentioned(reader: SentenceReader, number: int) -> Mentioned:
    """Drug name *number* of a sentence, as the head sees it."""
    text, spans, context = reader.doc.text, reader.spans, reader.context
    start, end = spans[number]
    parts, last = [], 0
    for a, b in spans:
        if a >= last:
            parts += [text[last:a], "[MASK]" if (a, b) == (start, end) else "medicine"]
            last = b
    masked = "".join([*parts, text[last:]])
    if "[MASK]" not in masked:
        masked = f"{text[:start]}[MASK]{text[end:]}"
    at = masked.index("[MASK]")
    heading = context.heading
    return Mentioned(
        " ".join(masked[max(0, at - WIDTH) : at + WIDTH].split()),
        (
            bool(heading),
            bool(_FORBIDDING.search(heading)),
            context.in_row,
            context.in_list,
            context.asks_for_drug,
            context.first,
        ),
    )


def label(directive: Directive) -> int:
    """The class of what the rules read."""
    if directive.strength == "none":
        return 0
    if directive.polarity == "positive":
        return 1 if directive.strength == "weak" else 2
    return 3 if directive.polarity == "negative" else 4


@contextmanager
def reading_by(then: Callable[[Mentioned, Directive], Directive]) -> Iterator[None]:
    """Let *then* see every drug and what the rules read of it, and have the last word."""

    class Reader(SentenceReader):
        def read(self, number: int) -> Directive:
            return then(mentioned(self, number), super().read(number))

    before = engine.SentenceReader
    engine.SentenceReader = Reader  # type: ignore[misc]
    try:
        yield
    finally:
        engine.SentenceReader = before  # type: ignore[misc]


def features(items: Sequence[Mentioned]) -> Array:
    """States of the mask and the context, shape `[len(items), 3 * 384 + 6]`."""
    import torch

    encoder = load_encoder(precision="fp32")
    ids = [row[:TOKENS] for row in encoder.tokenizer([item.text for item in items])["input_ids"]] if items else []
    mask = encoder.tokenizer.mask_token_id
    made = np.zeros((len(items), len(LAYERS) * encoder.dimension), np.float32)
    for group in row_parts([len(row) for row in ids]):
        texts, at, begin = [ids[i] for i in group], [], 0
        for text in texts:
            at.append(begin + (text.index(mask) if mask in text else 0))
            begin += len(text)
        with torch.inference_mode():
            states = states_of_row(encoder.model, texts, row_length(texts), every_layer=True)
        made[group] = torch.cat([states[layer][at] for layer in LAYERS], 1).float().numpy()
    context = np.array([item.context for item in items], np.float32).reshape(len(items), 6)
    return np.concatenate([made, context], 1)


@dataclass(frozen=True)
class Head:
    """Multinomial logistic regression.

    Attributes:
        weights: Shape `[features, classes]`.
        bias: Shape `[classes]`.
    """

    weights: Array
    bias: Array

    @classmethod
    def fit(cls, x: Array, y: npt.NDArray[np.int64], weight: Array) -> Head:
        """The head fitted to labelled rows; every class must occur."""
        from sklearn.linear_model import LogisticRegression

        mean, scale = x.mean(0), x.std(0) + 1e-3
        model = LogisticRegression(C=0.003, max_iter=400).fit((x - mean) / scale, y, sample_weight=weight)
        weights = (model.coef_ / scale).T
        return cls(weights.astype(np.float32), (model.intercept_ - mean @ weights).astype(np.float32))

    def probabilities(self, x: Array) -> Array:
        """Shape `[rows, classes]`."""
        scores = x @ self.weights + self.bias
        powers = np.exp(scores - scores.max(1, keepdims=True))
        return powers / powers.sum(1, keepdims=True)  # type: ignore[no-any-return]

    def save(self, path: Path) -> None:
        """Write the weights, some 11 kB."""
        np.savez_compressed(path, weights=self.weights.astype(np.float16), bias=self.bias)

    @classmethod
    def load(cls, path: Path) -> Head:
        """What `save` wrote."""
        with np.load(path) as kept:
            return cls(kept["weights"].astype(np.float32), kept["bias"])


def replaced(directive: Directive, p: Array) -> Directive:
    """The head decides."""
    best = int(p.argmax())
    return directive if best == label(directive) else as_class(directive, best)


def added(directive: Directive, p: Array, least: float) -> Directive:
    """Advice where the rules read none, if the head gives it at least *least*."""
    if label(directive) == 0 and p[1] + p[2] >= least:
        return as_class(directive, 2 if p[2] >= p[1] else 1)
    return directive


def vetoed(directive: Directive, p: Array, least: float) -> Directive:
    """No advice where the rules read some, if the head gives advice less than *least*."""
    return as_class(directive, 0) if label(directive) in (1, 2) and p[1] + p[2] < least else directive


def as_class(directive: Directive, which: int) -> Directive:
    """*directive* as one of a class; what else was read of it stays."""
    if which == 0:
        return Directive(clause=directive.clause)
    if which in (1, 2):
        return replace(directive, strength="weak" if which == 1 else "strong", polarity="positive")
    polarity = "negative" if which == 3 else "continuation"
    return replace(directive, strength="strong", polarity=polarity, permissive=False)  # type: ignore[arg-type]
