"""The few inflections that rewriting a sentence needs."""

# ruff: noqa: E501 - word lists and patterns are easier to check on one line

from __future__ import annotations

_DOUBLED = frozenset(
    "stop get cut put run sit swim quit set plan drop chat rub dab pat wrap skip slip strip snap sip shop jog hug grab dip "
    "cap clip trim blot begin forget admit permit refer let shut submit prefer spit tap mop scrub scan map grip tip shed".split()
)


def gerund(lemma: str) -> str:
    """The -ing form of a verb, e.g. `stop` -> `stopping`."""
    if lemma in _DOUBLED:
        return lemma + lemma[-1] + "ing"
    if lemma.endswith("ie"):
        return lemma[:-2] + "ying"
    if lemma.endswith("e") and not lemma.endswith(("ee", "oe", "ye")) and len(lemma) > 2:
        return lemma[:-1] + "ing"
    if lemma in {"panic", "mimic"}:
        return lemma + "king"
    return lemma + "ing"


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
