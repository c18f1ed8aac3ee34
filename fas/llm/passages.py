"""Passages as a prompt shows them, and lists of them put together."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

from fas.core.records import Passage


def merge_passages(lists: Sequence[Sequence[Passage]]) -> tuple[Passage, ...]:
    """The passages of several lists by rank, the first of each list first; equal ones (by id, else by text) once."""
    ranked = [passage for rank in zip_longest(*lists) for passage in rank if passage is not None]
    kept: dict[tuple[str, str], Passage] = {}
    for passage in ranked:
        kept.setdefault(("id", passage.id) if passage.id is not None else ("text", passage.text), passage)
    return tuple(kept.values())


def number_passages(passages: Sequence[Passage]) -> str | None:
    """The passages as a prompt shows them, counted from 1; None for none with a word to read."""
    shown = [
        f"{passage.title}\n{passage.text}" if passage.title else passage.text
        for passage in passages
        if passage.text.strip() or (passage.title or "").strip()
    ]
    return "\n\n".join(f"[{i}] {text.strip()}" for i, text in enumerate(shown, start=1)) or None
