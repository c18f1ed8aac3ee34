"""What the evaluate modules of the reference metrics share: reading evaluate's inputs, keeping scorers."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

T = TypeVar("T")

# evaluate.combine hands every module the options of all; one that another of ours takes is no mistake.
OPTIONS: dict[str, frozenset[str]] = {
    name: frozenset(f"{options} numbers_only".split())
    for name, options in {
        "rouge": "rouge_types use_aggregator use_stemmer tokenizer multi_reference details",
        "bleu": "tokenizer max_order smooth method multi_reference use_aggregator details",
        "bertscore": (
            "lang model_type num_layers verbose idf device batch_size nthreads all_layers rescale_with_baseline "
            "baseline_path use_fast_tokenizer multi_reference truncate precision padding details"
        ),
        "qa": "max_answers labels use_aggregator",
        "drug_safety": "questions info",
        "fas": (
            "questions passages claims evidence by profile k threshold weights precision safety coverage n_resamples "
            "seed verify llm reference evidence_options offline statements"
        ),
        **dict.fromkeys(
            ("factscore", "medscore", "dndscore", "veriscore"),
            "questions passages claims evidence profile extractor verify model base_url llm gamma at k threshold "
            "precision n_resamples seed evidence_options offline use_aggregator",
        ),
    }.items()
}


def check_list(values: Any, name: str = "predictions") -> None:
    """Refuse a single text where a list with one item an answer is meant; it would be scored letter by letter.

    Raises:
        ValueError: *values* is a string.
    """
    if isinstance(values, str | bytes):
        raise ValueError(f"`{name}` must be a list with one item per answer, got {type(values).__name__}")


def numbers(result: Mapping[str, Any]) -> dict[str, float]:
    """The numbers of a module's result alone, NaN where nothing was scored; what trainers can compare and log.

    >>> numbers({"fas": None, "n": 3, "ci": {"fas": [0, 1]}, "signature": "n:3"})
    {'fas': nan, 'n': 3.0}
    """
    return {
        name: math.nan if value is None else float(value)
        for name, value in result.items()
        if value is None or (isinstance(value, int | float) and not isinstance(value, bool))
    }


class ReferenceLists:
    """For an evaluate module: references as strings, as lists, or mixed, over any number of batches.

    evaluate itself fixes the form by the first example and turns lists that follow a string
    into their printed form without a word.
    """

    _kept: tuple[Any, Any] = (None, None)

    @staticmethod
    def columns() -> list[Any]:
        """The features of such a module: evaluate tries them in this order."""
        import datasets

        text = datasets.Value("string")
        return [datasets.Features({"predictions": text, "references": each}) for each in (datasets.List(text), text)]

    def get_or_make(self, settings: Any, make: Callable[[], T]) -> T:
        """What *make* gives, kept with the references it has read for as long as the *settings* stay the same."""
        if self._kept[0] != settings:
            self._kept = settings, make()
        kept: T = self._kept[1]
        return kept

    def add_batch(self, *, predictions: Any = None, references: Any = None, **others: Any) -> None:
        """Add predictions and their references (each a string or a list of strings)."""
        given, lists = read_columns(predictions, references)
        super().add_batch(predictions=given, references=lists, **others)  # type: ignore[misc]

    def add(self, *, prediction: Any = None, reference: Any = None, **others: Any) -> None:
        """Add one prediction and its reference or references."""
        reference = others.pop("references", reference)
        self.add_batch(predictions=[prediction], references=[reference], **others)


def read_columns(predictions: Any, references: Any) -> tuple[list[str], list[list[str]]]:
    """The columns as lists, each reference as a list of strings.

    Raises:
        ValueError: A column is missing or of another length, or an item has the wrong type.
    """
    for name, values in (("predictions", predictions), ("references", references)):
        if values is None:
            raise ValueError(f"`{name}` is missing")
        if isinstance(values, str) or not isinstance(values, Iterable):
            raise ValueError(f"`{name}` must be a list with one item per answer, got {type(values).__name__}")
    given, others = list(predictions), list(references)
    if len(given) != len(others):
        raise ValueError(f"there are {len(given)} predictions but {len(others)} references")
    for i, prediction in enumerate(given):
        if not isinstance(prediction, str):
            raise ValueError(f"`predictions`, item {i}: expected a string, got {type(prediction).__name__}")
    return given, [_reference_list(i, item) for i, item in enumerate(others)]


def _reference_list(index: int, item: Any) -> list[str]:
    if isinstance(item, str):
        return [item]
    found = list(item) if isinstance(item, Iterable) else []
    if not found or not all(isinstance(text, str) for text in found):
        raise ValueError(f"`references`, item {index}: expected a string or a non-empty list of strings, got {item!r}")
    return found


def check_options(module: str, options: Mapping[str, Any]) -> None:
    """Refuse options that no module takes.

    Raises:
        TypeError: There is one.
    """
    known = frozenset().union(*OPTIONS.values())
    for name in options:
        if name not in known:
            raise TypeError(f"{module} has no option {name!r}; available: {', '.join(sorted(OPTIONS[module]))}")
