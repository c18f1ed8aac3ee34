"""One line that says everything a reader needs to reproduce a score.

Both kinds of signature are texts, with the parts of the text as attributes.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

_RESERVED = frozenset("|:\n\r")


class PartSignature(str):
    """The signature of one part of a run: a name and its settings, written `name[setting,setting]`.

    >>> own = PartSignature("nli", "fas-nli-mini@1", "win=2")
    >>> own.plus("t=0.70", at=1)
    'nli[fas-nli-mini@1,t=0.70,win=2]'
    >>> own.plus("prec=bf16"), own.settings, own.value("win"), PartSignature("lexical")
    ('nli[fas-nli-mini@1,win=2,prec=bf16]', ('fas-nli-mini@1', 'win=2'), '2', 'lexical')

    Attributes:
        name: Name of the part.
        settings: Its settings, in the order in which they are written; no comma in any.
    """

    name: str
    settings: tuple[str, ...]

    def __new__(cls, name: str, *settings: str) -> PartSignature:
        """The signature of the part *name* with *settings*, in this order."""
        own = super().__new__(cls, f"{name}[{','.join(settings)}]" if settings else name)
        own.name, own.settings = name, settings
        return own

    def __getnewargs__(self) -> tuple[str, ...]:  # type: ignore[override]  # what `__new__` takes, for copies and pickles
        return self.name, *self.settings

    @classmethod
    def of(cls, signature: str) -> PartSignature:
        """*signature* itself, or one read from the text of a part from another package or of a stored run.

        >>> PartSignature.of("nli[fas-nli-mini@1,win=2]").settings
        ('fas-nli-mini@1', 'win=2')
        """
        if isinstance(signature, cls):
            return signature
        if not signature.endswith("]") or "[" not in signature:
            return cls(signature)
        name, _, settings = signature[:-1].partition("[")
        return cls(name, *settings.split(","))

    def plus(self, *settings: str, at: int | None = None) -> PartSignature:
        """The same part with more settings, after the others or before setting number *at*, counted from 0."""
        place = len(self.settings) if at is None else at
        return PartSignature(self.name, *self.settings[:place], *settings, *self.settings[place:])

    def value(self, key: str) -> str | None:
        """The value of the setting `key=...`, or None."""
        return next((text.removeprefix(f"{key}=") for text in self.settings if text.startswith(f"{key}=")), None)


class Signature(str):
    """The signature of a run: ordered fields, written `key:value|key:value`.

    A key or value with `|`, `:` or a line break is a ValueError, so that the line can be read back.

    >>> Signature({"n": "30", "seed": "12345", "v": "0.1.0"})
    'n:30|seed:12345|v:0.1.0'

    Attributes:
        fields: Key to value.
    """

    fields: Mapping[str, str]

    def __new__(cls, fields: Mapping[str, str]) -> Signature:
        """The signature of *fields*, in their order."""
        for key, value in fields.items():
            if not key or _RESERVED & set(key) or _RESERVED & set(value):
                raise ValueError(
                    f"signature field {key!r} with value {value!r}: '|', ':' and line breaks are not allowed"
                )
        own = super().__new__(cls, "|".join(f"{key}:{value}" for key, value in fields.items()))
        own.fields = MappingProxyType(dict(fields))
        return own

    def __reduce__(self) -> tuple[type[Signature], tuple[dict[str, str]]]:
        return Signature, (dict(self.fields),)

    @classmethod
    def of(cls, signature: str) -> Signature:
        """*signature* itself, or as `parse` reads it from a stored text."""
        return signature if isinstance(signature, cls) else cls.parse(signature)

    @classmethod
    def parse(cls, text: str) -> Signature:
        """The signature that *text* was written from; a ValueError if a field has no colon."""
        fields = {}
        for part in text.split("|") if text else []:
            key, colon, value = part.partition(":")
            if not colon:
                raise ValueError(f"signature field {part!r} has no ':'")
            fields[key] = value
        return cls(fields)

    def part(self, key: str) -> PartSignature:
        """The field *key* as a part's signature; empty if there is no such field."""
        return PartSignature.of(self.fields.get(key, ""))

    def with_field(self, key: str, value: str) -> Signature:
        """The same signature with another value of the field *key*."""
        return Signature({**self.fields, key: value})
