"""A user's own parts where a setting names one: a name, a class (or any factory), or an instance."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fas.core.errors import ProfileError
from fas.core.parts import detectors, extractors, retrievers, verifiers
from fas.core.parts.registry import Registry, list_option_names
from fas.core.profile import PartSpec

_KINDS: dict[str, tuple[Registry[Any], str]] = {
    "claims": (extractors, "extract"),
    "verify": (verifiers, "verify"),
    "detect": (detectors, "detect"),
}


def register_own_parts(overrides: dict[str, Any]) -> dict[str, Any]:
    """*overrides* with a `PartSpec` for every part that is given as a name, a class or an instance; else a
    ProfileError.

    A class is built anew for every run, with the options that its keywords name (`precision`, `threshold`); all runs
    share an instance, which is kept as long as the process lives.
    """
    result = dict(overrides)
    for setting, (registry, method) in _KINDS.items():
        value = result.get(setting)
        if isinstance(value, str):
            registry.factory(value)
            result[setting] = PartSpec(value)
        elif value is not None and not isinstance(value, PartSpec):
            kind = f"a {registry.kind}: a name, a PartSpec, a class or an instance"
            factory = _make_factory(value, method, f"setting `{setting}` must be {kind} with `{method}`")
            result[setting] = PartSpec(_register_part(registry, value, factory or (lambda part=value: part)))
    return result


def register_own_evidence(evidence: Any) -> str | None:
    """The `evidence` of a profile, from a choice like `index:DIR`, or a source as an instance or a class; else a
    ProfileError.

    A class is built anew for every run, with `k`, and with `argument` where it takes one; an instance is used as it is,
    and its owner closes it.
    """
    if evidence is None or isinstance(evidence, str):
        return evidence
    choices = "a choice like 'passages' or 'index:DIR', or an evidence source: a class or an instance"
    factory = _make_factory(evidence, "retrieve", f"setting `evidence` must be {choices} with `retrieve`")
    takes = None if factory is None else list_option_names(factory)

    def build(argument: str | None = None, k: int | None = None) -> Any:
        if factory is None:
            return _Lent(evidence)
        given = {"argument": argument, "k": k}
        return factory(**{name: value for name, value in given.items() if takes is None or name in takes})

    return _register_part(retrievers, evidence, build)


def _make_factory(part: Any, method: str, expected: str) -> Callable[..., Any] | None:
    """*part* as a factory; None for an instance, which has *method*."""
    if not isinstance(part, type) and hasattr(part, method):
        return None
    if not callable(part):
        raise ProfileError(f"{expected}, got {part!r}")
    factory: Callable[..., Any] = part
    return factory


class _Lent:
    """A user's source of evidence with everything but `close`."""

    def __init__(self, part: Any) -> None:
        self._part = part

    def __getattr__(self, name: str) -> Any:
        if name == "close":
            raise AttributeError(name)
        return getattr(self._part, name)


def _register_part(registry: Registry[Any], part: object, factory: Any) -> str:
    """The name under which *part* is registered, one for each object, as two may share a class's name."""
    shown = getattr(part, "__qualname__", type(part).__qualname__)
    name = f"{shown}@{id(part):x}"
    if not registry.has(name):
        registry.add(name, factory)
    return name
