"""The log-probabilities of the choices of a reply, from those of its tokens."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

from fas.core.guards.reasoning import remove_reasoning

TOP = (20, 5)
"""How many alternatives of each token are asked for; the next number where a server refuses one."""

_AROUND = re.compile(r"^[\W_▁Ġ]+|[\W_]+$")


def find_choice_logprobs(text: str, tokens: Any, choices: Sequence[Sequence[str]]) -> tuple[tuple[str, float], ...]:
    """The log-probability of each choice at the first token of *text* that decides between them.

    The spellings of a choice are pooled: upper and lower case, with and without blanks and marks, and its other words.
    A choice that is not among the alternatives has at most the probability of the least of these, and gets that.

    Args:
        text: The reply.
        tokens: Its tokens in the form of OpenAI's `logprobs.content`.
        choices: As in `Prompt.choices`.

    Returns:
        Name and natural log-probability, the choice that was written first; empty if no token decides.
    """
    begins = next((start for start, _ in remove_reasoning(text).spans), len(text))
    position, first = 0, True
    for token in tokens if isinstance(tokens, list) else ():
        if not isinstance(token, dict) or not isinstance(token.get("token"), str):
            return ()
        written = token["token"]
        position += len(written)
        if position <= begins or not _fold_token(written):
            continue
        chosen = _find_choice(written, choices, first=first)
        if chosen is not None:
            return _pool_choices(chosen, token, choices, first=first)
        first = False
    return ()


def _pool_choices(
    chosen: str, token: dict[str, Any], choices: Sequence[Sequence[str]], *, first: bool
) -> tuple[tuple[str, float], ...]:
    given = [token, *(one for one in token.get("top_logprobs") or () if isinstance(one, dict))]
    found = {one["token"]: one["logprob"] for one in given if _is_sound(one)}
    if len(found) < 2:
        return ()  # without alternatives the other choices are unknown
    sums: dict[str, float] = {}
    for spelling, value in found.items():
        name = _find_choice(spelling, choices, first=first)
        if name is not None:
            sums[name] = sums.get(name, 0.0) + math.exp(value)
    least = min(found.values())
    names = [chosen, *(names[0] for names in choices if names[0] != chosen)]
    return tuple((name, math.log(sums[name]) if sums.get(name) else least) for name in names)


def _find_choice(token: str, choices: Sequence[Sequence[str]], *, first: bool) -> str | None:
    """The choice that a token is a word of; at the beginning of a reply, also one that it is the beginning of."""
    word = _fold_token(token)
    whole = [names[0] for names in choices if word in names]
    if whole or not first or len(word) < 2:
        return whole[0] if whole else None
    begun = [names[0] for names in choices if any(name.startswith(word) for name in names)]
    return begun[0] if len(begun) == 1 else None


def _fold_token(token: str) -> str:
    return _AROUND.sub("", token).casefold()


def _is_sound(one: dict[str, Any]) -> bool:
    value = one.get("logprob")
    number = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value) and value <= 1e-3
    return isinstance(one.get("token"), str) and number
