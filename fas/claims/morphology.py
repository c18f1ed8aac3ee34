"""The few inflections that rewriting a sentence needs."""

from __future__ import annotations


def third_person(lemma: str) -> str:
    """The third person singular of a verb, e.g. `carry` -> `carries`."""
    irregular = {"be": "is", "have": "has", "do": "does", "go": "goes"}.get(lemma)
    if irregular:
        return irregular
    if lemma.endswith(("s", "x", "z", "ch", "sh")):
        return lemma + "es"
    if lemma.endswith("y") and lemma[-2:-1] not in "aeiou":
        return lemma[:-1] + "ies"
    return lemma + "s"
