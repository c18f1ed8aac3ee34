"""The parts of the rule-based extractor that can be taken out one at a time without rewriting the others.

Each is a function of `fas.claims`, and what stands in for it where it is used: the clause as it was, no claim of it, nothing found.
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


def _not_apart(*_: Any, **__: Any) -> list[Any]:
    return []


def _unresolved(clause: Any, *_: Any, **__: Any) -> tuple[Any, None]:
    return clause, None


PARTS: dict[str, Part] = {
    "taking apart": (("extractor.decompose", _alone),),
    "coordination": (("decomposition._split_predicates", _not_apart),),
    "clauses beside": (("decomposition._split_clauses_beside", _not_apart),),
    "relative clauses": (("decomposition._split_relatives", _not_apart),),
    "lists": (("decomposition._split_members", _not_apart),),
    "whole sentence where a part fails": (("extractor.is_statement", _no),),
    "pronouns": (("extractor.resolve", _unresolved), ("extractor.resolve_within", _same)),
    "persons": (("extractor.replace_persons", _same),),
    "commands": (("segmentation.complete_command", _nothing),),
    "reports": (("extractor.rewrite_report", _same),),
    "lead-ins": (("segmentation.join_lead", _nothing),),
    "labels": (("segmentation.join_label", _nothing),),
    "headings": (("segmentation.join_heading", _nothing),),
    "decisions": (("extractor.state_decision", _nothing),),
    "short answers": (("extractor.short_claims", _nothing),),
}
"""What is off to what is put in the place of its functions, by the module that calls them."""


@contextmanager
def without(part: str) -> Iterator[None]:
    """The extractor without *part*, as long as the block lasts."""
    with ExitStack() as stack:
        for place, stand_in in PARTS[part]:
            module, _, name = place.rpartition(".")
            stack.enter_context(patch.object(import_module(f"fas.claims.{module}"), name, stand_in))
        yield
