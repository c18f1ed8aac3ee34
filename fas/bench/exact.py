"""Exact answers as answers to be scored: the owners' own, and beside each another question's.

What the owners give should be supported and another question's answer of the same type should not, so that the
two tell how well a verifier works on short answers: an honest positive and negative control. The gold of an answer
is 1 for the owners' and 0 for the other; a decision is turned (`yes` to `no` and back) instead of taken from elsewhere,
and `maybe` is met by `yes`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from random import Random

from fas.bench.dataset import Candidate, Item

MODEL = "exact"
_OTHER_DECISION = {"yes": "No.", "no": "Yes.", "maybe": "Yes."}


def _write_answer(item: Item) -> str | None:
    """The owners' exact answer as a model would write it; None where they give none.

    The first synonym of each entry is taken; the entries of a list have a line each.
    """
    decision = item.meta.get("decision")
    exact = item.meta.get("exact") if decision is None else decision
    if not exact:
        return None
    if isinstance(exact, str):
        return f"{exact.capitalize()}."
    names = [entry[0].strip() for entry in exact if entry and entry[0].strip()]
    return names[0] if len(names) == 1 else "\n".join(f"- {name}" for name in names) or None


def exact_candidates(items: Iterable[Item], *, seed: int) -> Iterator[Candidate]:
    """Two answers to each question that has an exact one: the owners' (gold 1) and a wrong one (gold 0).

    *seed*: seed of the draw of wrong answers, which depends on it and the questions alone.
    """
    chosen = [(item, answer) for item in items if (answer := _write_answer(item)) is not None]
    types = [item.kind or ("decision" if "decision" in item.meta else "answer") for item, _ in chosen]
    by_type: dict[str, list[tuple[str, frozenset[str]]]] = defaultdict(list)
    for kind, (item, answer) in zip(types, chosen, strict=True):
        by_type[kind].append((answer, _collect_names(item, answer)))
    random = Random(seed)
    for kind, (item, answer) in zip(types, chosen, strict=True):
        wrong = _OTHER_DECISION.get(answer.rstrip(".").lower())
        if wrong is None:
            wrong = _draw_wrong_answer(_collect_names(item, answer), by_type[kind], random)
        yield Candidate(item.id, MODEL, 0, answer, gold=1.0, meta={"type": kind, "control": "right"})
        if wrong is not None:
            yield Candidate(item.id, MODEL, 1, wrong, gold=0.0, meta={"type": kind, "control": "wrong"})


def _draw_wrong_answer(right: frozenset[str], others: list[tuple[str, frozenset[str]]], random: Random) -> str | None:
    """An answer of another question that names none of *right*; None where 100 draws find none."""
    for _ in range(100):
        other, names = random.choice(others)
        if not names & right:
            return other
    return None


def _collect_names(item: Item, answer: str) -> frozenset[str]:
    """Everything that the exact answer names, synonyms too."""
    exact = item.meta.get("exact")
    return frozenset(n.lower() for entry in exact for n in entry) if isinstance(exact, list) else frozenset({answer})
