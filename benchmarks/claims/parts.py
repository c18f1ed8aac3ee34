"""The parts of the rule-based extractor that can be taken out one at a time without rewriting the others.

Each is a module of `fas.claims`, and what stands in for it where it is used: the clause as it was, no claim of it, nothing found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from importlib import import_module
from typing import Any
from unittest.mock import patch

Part = tuple[tuple[str, Callable[..., Any]], ...]


def _same(value: Any, *_: Any, **__: Any) -> Any:
    return value


def _alone(value: Any, *_: Any, **__: Any) -> list[Any]:
    return [value]


def _no(*_: Any, **__: Any) -> bool:
    return False


def _nothing(*_: Any, **__: Any) -> None:
    return None


def _none_replaced(*_: Any, **__: Any) -> dict[int, str]:
    return {}


def _nobody(*_: Any, **__: Any) -> tuple[dict[int, str], set[int], None]:
    return {}, set(), None


def _nobody_shown(*_: Any, **__: Any) -> tuple[dict[int, str], set[int]]:
    return {}, set()


PARTS: dict[str, Part] = {
    "taking apart (lists, lifting, coordination)": (
        ("statements.distribute", _alone),
        ("statements.lift", _alone),
        ("statements.split_predicates", _alone),
    ),
    "fallback": (("statements.is_statement", _no),),
    "impersonal": (("statements.impersonal", _same),),
    "relational": (("statements.specified", _same),),
    "topics": (("spacy_clauses.question_topic", _nothing),),
    "together": (("lists.is_one_thing", _no), ("lists.is_exemplary", _no), ("lists.is_open_ended", _no)),
    "needs_more": (("references.needs_more", _no),),
    "kinds": (("statements.kinds_named", _none_replaced),),
    "inversion": (("decisions.subject_end", _nothing), ("question_shapes.subject_end", _nothing)),
    "labels": (("compose.with_label", _nothing),),
    "headings": (("compose.with_heading", _nothing),),
    "references": (
        ("references.resolve_subject", _nobody),
        ("references.resolve_shown", _nobody_shown),
        ("references.resolve_within", _same),
    ),
    "decisions": (("passages.decision", _nothing), ("spacy_clauses.decision", _nothing)),
    "short_answers": (("spacy_clauses.short_claims", _nothing),),
    "advice": (("passages.commanding", _nothing),),
    "narrative": (("statements.is_narrative", _no),),
    "lists": (("statements.distribute", _alone),),
    "lifting": (("statements.lift", _alone),),
    "coordination": (("statements.split_predicates", _alone),),
    "seams": (("coordination.broken", _no), ("lists.broken", _no), ("lifting.broken", _no)),
}
"""Name of a module (or of several together) to what is put in the place of its functions, by the module that calls them."""


@contextmanager
def without(part: str) -> Iterator[None]:
    """The extractor without *part*, as long as the block lasts."""
    with ExitStack() as stack:
        for place, stand_in in PARTS[part]:
            module, _, name = place.rpartition(".")
            stack.enter_context(patch.object(import_module(f"fas.claims.{module}"), name, stand_in))
        yield
