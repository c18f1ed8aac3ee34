"""Word lists and sentence forms of the makers, which lie in `words/` as TOML, and how a form is filled."""

from __future__ import annotations

import random
import re
import tomllib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

WORDS = Path(__file__).parent / "words"


def read(name: str) -> dict[str, Any]:
    """What `words/NAME.toml` holds."""
    return tomllib.loads((WORDS / f"{name}.toml").read_text(encoding="utf-8"))


def upper(text: str) -> str:
    """*text* with a capital at the start."""
    return text[0].upper() + text[1:]


class _Fillings(dict[str, Any]):
    """The fillers of a form's places: texts, or functions that draw one at each call."""

    def __getitem__(self, place: str) -> Any:
        value = super().__getitem__(place)
        return value() if callable(value) else value

    def __missing__(self, place: str) -> str:
        """In "{Drug}" the same as in "{drug}", with a capital."""
        if place[0].islower():
            raise KeyError(place)
        return upper(self[place[0].lower() + place[1:]])


def filled(form: str, **fillings: Any) -> str:
    """*form* with its places filled from left to right, with a capital at the start."""
    return upper(form.format_map(_Fillings(fillings)))


def every(forms: Iterable[str], **fillings: Any) -> list[str]:
    """Each of *forms*, filled."""
    return [filled(form, **fillings) for form in forms]


def one_of(forms: Sequence[str], rng: random.Random, **fillings: Any) -> str:
    """One of *forms*, filled; what the others would draw is not drawn."""
    return filled(rng.choice(forms), **fillings)


_BEHIND_HEAD = re.compile(
    r" (?:of|in|on|for|among|during|after|at|with|to|from|under|by|via|through|across|within|into|towards?|against|"
    r"between|per) "
)
_IRREGULAR = frozenset({"children", "mice", "men", "women", "data", "people", "bacteria"})


def is_plural(phrase: str) -> bool:
    """Whether a noun phrase takes a plural verb, judged by its head before the first preposition."""
    head = _BEHIND_HEAD.split(phrase)[0]
    last = head.split()[-1]
    if " and " in head or last in _IRREGULAR:
        return True
    return last.endswith("s") and last != "diabetes" and not re.search(r"(?:ss|is|us|ics|[A-Z]S|itis|-\w{1,3}s)$", last)
