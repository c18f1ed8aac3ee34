"""One line that says everything a reader needs to reproduce a score."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

_RESERVED = frozenset("|:\n\r")


def with_setting(part: str, setting: str, *, second: bool = False) -> str:
    """A part's signature with one more setting in its list, at the end, or after the first one.

    >>> with_setting("nli[fas-nli-mini@1,win=2]", "t=0.70", second=True)
    'nli[fas-nli-mini@1,t=0.70,win=2]'
    >>> with_setting("nli[fas-nli-mini@1,win=2]", "prec=bf16"), with_setting("lexical", "t=0.70")
    ('nli[fas-nli-mini@1,win=2,prec=bf16]', 'lexical[t=0.70]')
    """
    if not part.endswith("]"):
        return f"{part}[{setting}]"
    name, _, settings = part[:-1].partition("[")
    first, comma, rest = settings.partition(",")
    inner = f"{first},{setting}{comma}{rest}" if second else f"{settings},{setting}"
    return f"{name}[{inner}]"


@dataclass(frozen=True, slots=True)
class Signature:
    """Ordered settings, written `key:value|key:value`.

    Values may not contain `|`, `:` or a line break, so that the line can be read back.

    >>> str(Signature({"n": "30", "seed": "12345", "v": "0.1.0"}))
    'n:30|seed:12345|v:0.1.0'
    """

    fields: Mapping[str, str]

    def __post_init__(self) -> None:
        for key, value in self.fields.items():
            if not key or _RESERVED & set(key) or _RESERVED & set(value):
                raise ValueError(
                    f"signature field {key!r} with value {value!r}: '|', ':' and line breaks are not allowed"
                )

    def __str__(self) -> str:
        return "|".join(f"{key}:{value}" for key, value in self.fields.items())

    @classmethod
    def parse(cls, text: str) -> Signature:
        """The signature that *text* was written from.

        Raises:
            ValueError: A field has no colon.
        """
        fields = {}
        for part in text.split("|") if text else []:
            key, colon, value = part.partition(":")
            if not colon:
                raise ValueError(f"signature field {part!r} has no ':'")
            fields[key] = value
        return cls(fields)
