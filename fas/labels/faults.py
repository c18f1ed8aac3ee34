"""Labels of faults: what is wrong with a claim as a claim, by the seven kinds of MedScore's taxonomy (section 2).

A claim may have several. Inside, a label is their names joined by `+`, or `valid`; a line of a file has a list:
`{"id": "q12", "claim": 3, "faults": ["incomplete"]}`, an empty one for a claim without a fault. `omitted` says that the
sentence of the claim states something that no claim of it holds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from fas.core.records.claim_faults import KINDS

VALID = "valid"
_NAMES = {
    "incorrectly_structured": "misstructured",
    "wrong_structure": "misstructured",
    "hallucination": "hallucinated",
}


def fault_label(names: object) -> str | None:
    """The label that a line's list of *names* stands for; None if it is no list of known names.

    >>> fault_label(["redundant", "Context-dependent"]), fault_label([]), fault_label(["odd"])
    ('context_dependent+redundant', 'valid', None)
    """
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        return None
    plain = {"_".join(name.lower().replace("-", " ").replace("_", " ").split()) for name in names}
    known = {_NAMES.get(name, name) for name in plain}
    return join_faults(known) if known <= set(KINDS) else None


def join_faults(names: Iterable[str]) -> str:
    """One label of several faults, in their order; `valid` for none."""
    kept = set(names)
    return "+".join(name for name in KINDS if name in kept) or VALID


def find_faults(label: str) -> tuple[str, ...]:
    """The faults of a label.

    >>> find_faults("incomplete+redundant"), find_faults("valid")
    (('incomplete', 'redundant'), ())
    """
    return () if label == VALID else tuple(label.split("+"))


def majority(labels: Sequence[str]) -> str | None:
    """The faults that most people found; None where as many say one thing of a fault as the other.

    >>> majority(["incomplete", "incomplete+redundant", "valid"]), majority(["valid", "redundant"])
    ('incomplete', None)
    """
    votes = Counter(name for label in labels for name in find_faults(label))
    if any(2 * n == len(labels) for n in votes.values()):
        return None
    return join_faults(name for name, n in votes.items() if 2 * n > len(labels))
