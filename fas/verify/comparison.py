"""Several verifiers on the same labelled pairs, side by side."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from fas.core.answers.formats import read_rows
from fas.core.checks import plain_number
from fas.core.errors import InputError
from fas.core.parts import Verifier, verifiers
from fas.core.records import Claim, Pair, Passage
from fas.stats.correlation import auroc_estimate
from fas.verify.checkers import checkers

DEFAULT_THRESHOLD = 0.7
_PREMISES, _CLAIMS = ("premise", "passage", "evidence", "context"), ("hypothesis", "claim")
_SUPPORT = {"entailment", "entailed", "support", "supports", "supported", "true", "yes", "1", "s"}
_NO_SUPPORT = {
    *("neutral", "contradiction", "contradicted", "contradicts", "refutes", "refuted", "not_entailment", "false", "no"),
    *("unsupported", "not supported", "not_supported", "not enough info", "nei", "0", "ns"),
}


class LabelledPair(NamedTuple):
    """A pair and whether the passage supports the claim."""

    pair: Pair
    supported: bool


class Scores(NamedTuple):
    """How one verifier fared.

    Attributes:
        n: Pairs it judged.
        failed: Pairs it could not judge; they count in no measure.
        auroc: Area under the ROC curve of P(support).
        low: Lower end of its 95% bootstrap interval, NaN where there is none. With labels all alike AUROC too is NaN.
        how: The kind of interval, or `none: ` and why there is none.
        threshold: Where P(support) becomes the label: the checker's own, or 0.7.
        balanced_accuracy: Mean of the shares of supported and of other pairs that get their label there, or NaN.
        ece: Expected calibration error of P(support) in ten bins of equal width (Naeini et al. 2015), or NaN.
        pairs_a_second: Speed, nothing taken from the cache.
    """

    name: str
    signature: str
    n: int
    failed: int
    auroc: float
    low: float
    high: float
    how: str
    threshold: float
    balanced_accuracy: float
    ece: float
    pairs_a_second: float


def read_labelled_pairs(path: Path) -> list[LabelledPair]:
    """The pairs of a file of JSON Lines, CSV, TSV or parquet.

    A line has a premise (or passage, evidence, context), a hypothesis (or claim) and a label: entailment, supported,
    true, 1 or the like; or neutral, contradiction, unsupported, false, 0 or the like.

    Raises:
        InputError: A line lacks a field, or its label says neither.
    """
    found = [_read_pair(f"{path}, line {number}", number, row) for number, row in read_rows(path, values=("label",))]
    if not found:
        raise InputError(f"{path}: no pairs")
    return found


def _read_pair(where: str, number: int, row: Mapping[str, Any]) -> LabelledPair:
    premise, claim = _read_field(row, _PREMISES, where, number), _read_field(row, _CLAIMS, where, number)
    label = str(plain_number(row.get("label", ""))).strip().lower()
    if label not in _SUPPORT | _NO_SUPPORT:
        raise InputError(
            f"{where}: field 'label': {row.get('label')!r} says neither supported nor not", line=number, field="label"
        )
    return LabelledPair(Pair(Claim(claim), Passage(premise)), label in _SUPPORT)


def _read_field(row: Mapping[str, Any], names: Sequence[str], where: str, number: int) -> str:
    for name in names:
        if isinstance(row.get(name), str) and row[name].strip():
            return str(row[name])
    raise InputError(f"{where}: field {names[0]!r} (or {', '.join(names[1:])}) is missing", line=number, field=names[0])


def load_verifier(name: str, *, precision: str = "auto") -> tuple[Verifier, float]:
    """The verifier called *name*, without cache, and its threshold.

    A verifier of the registry (`lexical`), or a model for `nli`: embedded, a published checker, a folder, or a hub
    name.

    Raises:
        LookupError: There is no such model here.
        ValueError: The model cannot be used.
    """
    if name in verifiers.names() and name != "nli":
        return verifiers.create(name), DEFAULT_THRESHOLD
    model = "fas-nli-mini" if name == "nli" else name
    checker = checkers().get(model)
    part = verifiers.create("nli", model=model, precision=precision, cache=False)
    return part, DEFAULT_THRESHOLD if checker is None else checker.threshold


def compare_verifiers(pairs: Sequence[LabelledPair], names: Sequence[str], *, precision: str = "auto") -> list[Scores]:
    """Each verifier's scores on *pairs*, in the order of *names*; see `load_verifier` for what a name may be."""
    return [_measure(name, pairs, precision) for name in names]


def _measure(name: str, pairs: Sequence[LabelledPair], precision: str) -> Scores:
    import numpy as np

    verifier, threshold = load_verifier(name, precision=precision)
    asked = [own.pair for own in pairs]
    verifier.verify(asked[:1])  # what is loaded on first use is no part of the speed
    began = time.perf_counter()
    judged = verifier.verify(asked)
    seconds = time.perf_counter() - began
    p = np.array([own.p_support for own in judged], dtype=np.float64)
    gold = np.array([own.supported for own in pairs])
    right = ~np.isnan(p)
    p, gold = p[right], gold[right]
    said, bins = p >= threshold, np.minimum((p * 10).astype(int), 9)
    gaps = [abs(p[bins == b].mean() - gold[bins == b].mean()) * (bins == b).mean() for b in np.unique(bins)]
    estimate = auroc_estimate(p, gold.astype(float), n_resamples=2000)
    return Scores(
        name=name,
        signature=verifier.signature,
        n=len(p),
        failed=int((~right).sum()),
        auroc=estimate.value,
        low=estimate.low,
        high=estimate.high,
        how=estimate.how,
        threshold=threshold,
        balanced_accuracy=float((said[gold].mean() + (~said[~gold]).mean()) / 2)
        if 0 < gold.sum() < len(p)
        else math.nan,
        ece=float(sum(gaps)) if len(p) else math.nan,
        pairs_a_second=len(asked) / seconds,
    )
