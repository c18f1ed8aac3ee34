"""One replacement in a text, and the two things every rule needs to make one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from spacy.tokens import Token

Kind = Literal["negation", "number", "drug", "direction"]
KINDS: tuple[Kind, ...] = ("negation", "number", "drug", "direction")


class Edit(NamedTuple):
    """Replace `text[start:end]` by `after`; offsets are code points of the whole answer."""

    kind: Kind
    start: int
    end: int
    after: str


def end_of(token: Token) -> int:
    """One past the token's last character."""
    return int(token.idx + len(token.text))


def match_case(model: str, word: str) -> str:
    """*word* with the capitals of *model*.

    >>> match_case("Take", "do not take"), match_case("IBUPROFEN", "codeine"), match_case("aspirin", "NSAIDs")
    ('Do not take', 'CODEINE', 'NSAIDs')
    """
    if len(model) > 1 and model.isupper():
        return word.upper()
    return word[0].upper() + word[1:] if model[0].isupper() else word
