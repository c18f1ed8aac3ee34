"""Verification by natural language inference over whole passages."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from fas.core.cache import Cache, content_key
from fas.core.checks import is_whole
from fas.core.records import Judgement, Pair, Passage, failed_judgement
from fas.core.records.signature import PartSignature
from fas.models.paths import EMBEDDED, resolve_model
from fas.models.readout import notes_on, read_out, read_out_part
from fas.models.readout.sentences import Note
from fas.text.windows import Window, pieces, split_passage
from fas.verify.calibrator import TURNING, Calibrator, Probabilities
from fas.verify.checkers import Checker, checkers, cut_into_chunks
from fas.verify.features import content_words
from fas.verify.passage_features import PieceReading, nearest_sentence, passage_features

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from fas.models.nli import NliModel
    from fas.models.two_way import TwoWayModel

# Raised whenever the same pair would get another number from the same weights.
_METHOD = "18"
_CALIBRATOR = "calibrator.json"
# Tokens of a passage that are read at once, as the models that read whole passages were trained.
PIECE = 340


class WindowsRead(NamedTuple):
    """The parts of a passage that were read, and for each what the model gave: support, neutral and contradict."""

    windows: tuple[Window, ...]
    probabilities: tuple[tuple[float, float, float], ...]


_Row: TypeAlias = "tuple[Pair, tuple[Window, ...], npt.NDArray[np.float64]]"


class NliVerifier:
    """Judges claims against passages with a three-way NLI cross-encoder.

    A model that was trained on whole passages (`fas.models.nli.READS_PASSAGES_KEY`) reads up to `PIECE` tokens at once,
    a longer passage in pieces that share a sentence, and a calibrated regression weighs what it says with the words,
    numbers and negations of both. A published checker is given chunks if it was made for them. Another checkpoint
    reads the first `max_length` tokens.

    Args:
        model: Embedded model, hub name or folder of a sequence-classification checkpoint, or a published checker by
            name (`fas.verify.checkers`), which brings its own labels, cutting and length: those options are its.
        labels: Order of the checkpoint's classes if its config does not name them.
        max_length: Tokens of claim and premise together; the premise is cut, never the claim.
        threshold: Where labels turn, from 0 to 1; the pipeline gives the profile's. In bf16, pairs that rounding
            could carry across it are judged again in fp32; None judges nothing again.
        cache: Keep judgements on disk, by content and model.

    Raises:
        ValueError: An option is out of range, or the checkpoint cannot be used.
    """

    needs_evidence = True

    def __init__(
        self,
        *,
        model: str = "fas-nli-mini",
        labels: Sequence[str] | None = None,
        max_length: int = 512,
        batch_size: int = 32,
        precision: str = "auto",
        threshold: float | None = None,
        cache: bool = True,
    ) -> None:
        for name, value, low in (("max_length", max_length, 32), ("batch_size", batch_size, 1)):
            if not is_whole(value) or value < low:
                raise ValueError(f"verifier 'nli': `{name}` must be a whole number of at least {low}, got {value!r}")
        if threshold is not None and not 0 <= threshold <= 1:
            raise ValueError(f"verifier 'nli': `threshold` must be between 0 and 1, got {threshold!r}")
        self.reads_english_only = model in EMBEDDED
        self._checker = checkers().get(model)
        if self._checker is not None:
            labels, max_length = self._checker.labels, self._checker.max_length
        self.batch_size = batch_size
        self._nli = _load_model(model, self._checker, labels, max_length, precision)
        self._in_pieces = self._nli.reads_passages
        self._calibrator = _read_calibrator(model) if self._in_pieces else None
        self._cache = Cache("nli") if cache else None
        self._threshold = threshold if self._nli.is_reduced else None
        options: dict[str, Any] = {"model": model, "labels": labels, "max_length": max_length, "batch_size": batch_size}
        self._options = options | {"precision": "fp32", "cache": False}
        reading = [f"pieces={PIECE}" if self._in_pieces else "whole"]
        if self._checker is not None and self._checker.chunk:
            reading = [f"{self._checker.unit}s={self._checker.chunk}"]
        # Named where they differ from the default, as they move a score too.
        reading += [] if max_length == 512 else [f"len={max_length}"]
        self.signature = PartSignature("nli", *(_escape(part) for part in (self._nli.signature, *reading)))
        self._identity = "|".join(
            (
                _METHOD,
                self._nli.identity,
                str(self._nli.max_length),
                reading[0],
                "calibrated" if self._calibrator else "maximum",
                "-" if self._threshold is None else f"exact near {self._threshold}",
            )
        )

    def verify(self, pairs: Sequence[Pair]) -> list[Judgement]:
        """One judgement per pair; equal pairs are computed once."""
        keys = [self._make_key(pair) for pair in pairs]
        first: dict[str, Pair] = {}
        for key, pair in zip(keys, pairs, strict=True):
            first.setdefault(key, pair)
        known = self._read_cache(list(first))
        todo = [key for key in first if key not in known]
        computed = dict(zip(todo, self._judge([first[key] for key in todo]), strict=True))
        self._write_cache(computed)
        known.update(computed)
        return [known[key] for key in keys]

    @cached_property
    def _exact(self) -> NliVerifier:
        return NliVerifier(**self._options)

    def parts(self, pair: Pair) -> tuple[Window, ...]:
        """What of the pair's passage is read, piece by piece; nothing of a blank one."""
        passage = pair.passage
        if passage is None or not passage.text.strip():
            return ()
        if self._checker is not None and self._checker.chunk:
            count = {"token": self._nli.count, "word": lambda text: len(text.split()), "sentence": lambda _: 1}
            return cut_into_chunks(passage, self._checker.chunk, count[self._checker.unit])
        if self._in_pieces:
            return tuple(pieces(passage, PIECE, self._nli.count))
        return (Window(passage.text, 0, len(passage.text), ()),)

    def windows_read(self, pair: Pair) -> WindowsRead:
        """What is read of the pair's passage, for people; `verify` reads the same."""
        ((_, parts, said),) = self._read([pair])
        rows = tuple((math.exp(a), math.exp(b), math.exp(c)) for a, b, c in said.tolist())
        return WindowsRead(parts, rows)

    def _make_key(self, pair: Pair) -> str:
        passage = pair.passage or Passage("")
        question = (pair.question or "") if self._calibrator else ""
        return content_key(self._identity, pair.claim.text, passage.text, passage.title or "", question)

    def feature_rows(self, pairs: Sequence[Pair]) -> list[list[float] | None]:
        """The feature vector of each pair, to fit a calibrator on.

        In the order of `passage_features.FEATURES`. None for pairs that no calibrator could judge: an empty passage,
        or a claim that is too long.
        """
        rows: list[list[float] | None] = []
        for start in range(0, len(pairs), 512):
            rows += [self._featurize(*row) for row in self._read(pairs[start : start + 512])]
        return rows

    def _judge(self, pairs: Sequence[Pair]) -> list[Judgement]:
        if not pairs:
            return []
        judgements = self._weigh(self._read(pairs))
        if self._threshold is None:
            return judgements
        # In fp32, the pairs whose label rounding could have decided. Contradiction of whole passages is bent to turn
        # at a place of its own.
        turns = (self._threshold, TURNING) if self._in_pieces else (self._threshold,)
        close = [i for i, judgement in enumerate(judgements) if is_near_threshold(judgement, *turns)]
        if close:
            again = self._exact._weigh(self._exact._read([pairs[i] for i in close]))
            for i, judgement in zip(close, again, strict=True):
                judgements[i] = judgement
        return judgements

    def _weigh(self, rows: Sequence[_Row]) -> list[Judgement]:
        """What the parts that were read say together."""
        calibrated: dict[int, Probabilities] = {}
        if self._calibrator is not None:
            vectors = {i: row for i, reading in enumerate(rows) if (row := self._featurize(*reading)) is not None}
            calibrated = dict(zip(vectors, self._calibrator.predict(list(vectors.values())), strict=True))
        found = [_make_judgement(parts, said, calibrated.get(i)) for i, (_, parts, said) in enumerate(rows)]
        if not self._in_pieces:
            return found
        return [_add_sentence(pair, judgement) for (pair, _, _), judgement in zip(rows, found, strict=True)]

    def _featurize(self, pair: Pair, parts: tuple[Window, ...], log_p: npt.NDArray[np.float64]) -> list[float] | None:
        if not parts or pair.passage is None or not math.isfinite(float(log_p.sum())):
            return None
        readings = [PieceReading(*map(float, row)) for row in log_p]
        passage = f"{pair.passage.title or ''} {pair.passage.text}"
        return passage_features(pair.claim.text, passage, split_passage(pair.passage).texts, readings, pair.question)

    def _read(self, pairs: Sequence[Pair]) -> list[_Row]:
        """Each pair with its parts and the model's log-probabilities for them."""
        from scipy.special import log_softmax

        parts = [self.parts(pair) for pair in pairs]
        told = _Told() if self._nli.reads_out else None
        inputs = [
            (part.text if told is None else told(part, pair.passage), pair.claim.text)
            for pair, own in zip(pairs, parts, strict=True)
            for part in own
        ]
        # Neighbouring passages and repeated claims share parts.
        distinct = {item: i for i, item in enumerate(dict.fromkeys(inputs))}
        logits = self._nli.logits(list(distinct), batch_size=self.batch_size, told=True)
        log_p: npt.NDArray[np.float64] = log_softmax(logits.astype(float).reshape(-1, 3), axis=1)
        rows = iter([distinct[item] for item in inputs])
        return [(pair, own, log_p[[next(rows) for _ in own]]) for pair, own in zip(pairs, parts, strict=True)]

    def _read_cache(self, keys: list[str]) -> dict[str, Judgement]:
        if self._cache is None:
            return {}
        return {key: Judgement(*json.loads(value)) for key, value in self._cache.get_many(keys).items()}

    def _write_cache(self, computed: Mapping[str, Judgement]) -> None:
        if self._cache is None:
            return
        self._cache.put_many(
            (key, json.dumps([j.p_support, j.p_contradict, j.sentence, j.start, j.end]).encode())
            for key, j in computed.items()
            if j.failure is None
        )


class _Told:
    """Parts of passages with their numbers read out, as the whole passages are read; each of these once."""

    def __init__(self) -> None:
        self._notes: dict[str, list[Note]] = {}

    def __call__(self, window: Window, passage: Passage | None) -> str:
        if passage is None or window.start is None or window.end is None:
            return read_out(window.text)
        if passage.text not in self._notes:
            self._notes[passage.text] = notes_on(passage.text)
        told = read_out_part(passage.text, self._notes[passage.text], window.start, window.end)
        # A piece of a passage has its title in front.
        title = window.text.removesuffix(passage.text[window.start : window.end])
        return title + told if title != window.text else told


def _make_judgement(
    parts: tuple[Window, ...], log_p: npt.NDArray[np.float64], calibrated: Probabilities | None
) -> Judgement:
    if not parts:
        # A passage without text was read and says nothing.
        return Judgement(0.0, 0.0)
    if not math.isfinite(float(log_p.sum())):
        return failed_judgement("the claim is too long for the model's input window")
    import numpy as np

    p = np.exp(log_p)
    support, contradict = float(p[:, 0].max()), float(p[:, 2].max())
    if calibrated is not None:
        support, contradict = calibrated.support, calibrated.contradict
    # The rationale is the part that speaks loudest for the side that won.
    best = int((p[:, 0] if support >= contradict else p[:, 2]).argmax())
    part = parts[best]
    return Judgement(support, contradict, part.text, part.start, part.end)


def _add_sentence(pair: Pair, judgement: Judgement) -> Judgement:
    """*judgement* with the sentence to show for it: the one of its piece that shares most of the claim's words."""
    if judgement.sentence is None or pair.passage is None:
        return judgement
    start, end = judgement.start or 0, judgement.end or len(pair.passage.text)
    parts = [span for span in split_passage(pair.passage).spans if span is not None and start <= span[0] < end]
    if not parts:
        return judgement
    texts = [pair.passage.text[first:last] for first, last in parts]
    best = nearest_sentence(content_words(pair.claim.text), texts)
    return replace(judgement, sentence=texts[best], start=parts[best][0], end=parts[best][1])


def _load_model(
    name: str, checker: Checker | None, labels: Sequence[str] | None, max_length: int, precision: str
) -> NliModel | TwoWayModel:
    from fas.models.nli import load_nli

    if checker is not None and checker.two_way:
        from fas.models.two_way import load_two_way

        return load_two_way(checker, precision=precision)
    order = None if labels is None else tuple(labels)
    return load_nli(
        name if checker is None else checker.model, labels=order, max_length=max_length, precision=precision
    )


def _read_calibrator(model: str) -> Calibrator | None:
    """The calibrator that lies beside the weights, if there is one."""
    path = Path(resolve_model(model)[0]) / _CALIBRATOR
    return Calibrator.read(path) if path.is_file() else None


def _escape(text: str) -> str:
    """*text* without the characters a signature, or a part's list in it, reserves."""
    return re.sub(r"[|:,\[\]\s]", "_", text)


# On 1,280 pairs of the examples the probabilities in bf16 differ from those in fp32 by more than 0.015 in one
# pair of a hundred.
NEAR_THRESHOLD = 0.03


def is_near_threshold(judgement: Judgement, *thresholds: float) -> bool:
    """Whether the rounding of bfloat16 could have carried a probability over one of *thresholds*, from 0 to 1."""
    if judgement.failure is not None:
        return False
    sides = judgement.p_support, judgement.p_contradict
    return any(abs(p - threshold) < NEAR_THRESHOLD for p in sides for threshold in thresholds)
