"""Parts of one's own where a setting asks for one: a name, a class (or any factory), or an instance."""

from __future__ import annotations

from typing import Any

from fas.core.errors import ProfileError
from fas.core.parts import detectors, extractors, retrievers, verifiers
from fas.core.parts.registry import Registry, list_option_names
from fas.core.profile import PartSpec

_KINDS: dict[str, Registry[Any]] = {"claims": extractors, "verify": verifiers, "detect": detectors}
_METHODS = {"claims": "extract", "verify": "verify", "detect": "detect"}


def register_own_parts(overrides: dict[str, Any]) -> dict[str, Any]:
    """*overrides* with a `PartSpec` for every part that is given as a name, a class or an instance.

    A class is built anew for every run and gets the options that its keywords name (`precision`, `threshold`); an
    instance is used as it is, by all runs, and kept as long as the process lives.

    Raises:
        ProfileError: A part has another type.
    """
    result = dict(overrides)
    for setting, registry in _KINDS.items():
        value = result.get(setting)
        if value is None or isinstance(value, PartSpec):
            continue
        if isinstance(value, str):
            registry.factory(value)
            result[setting] = PartSpec(value)
        elif isinstance(value, type) or not hasattr(value, _METHODS[setting]):
            if not callable(value):
                raise ProfileError(
                    f"setting `{setting}` must be a {registry.kind}: a name, a PartSpec, a class or an instance with "
                    f"`{_METHODS[setting]}`, got {value!r}"
                )
            result[setting] = PartSpec(_register_part(registry, value, value))
        else:
            result[setting] = PartSpec(_register_part(registry, value, lambda value=value: value))
    return result


def register_own_evidence(evidence: Any) -> str | None:
    """What `evidence=` of a profile is, of a choice like `index:DIR`, or a source given as an instance or a class.

    A class is built anew for every run, with `k`, and with `argument` where it takes one; an instance is used as it
    is, and whoever made it closes it.

    Raises:
        ProfileError: It has another type.
    """
    if evidence is None or isinstance(evidence, str):
        return evidence
    if isinstance(evidence, type) or not hasattr(evidence, "retrieve"):
        if not callable(evidence):
            raise ProfileError(
                "setting `evidence` must be a choice like 'passages' or 'index:DIR', or an evidence source: a class or "
                f"an instance with `retrieve`, got {evidence!r}"
            )
        return _register_part(retrievers, evidence, _with_fitting(evidence))
    return _register_part(retrievers, evidence, lambda argument=None, k=None: _Lent(evidence))


def _with_fitting(factory: Any) -> Any:
    """*factory*, called with those of `argument` and `k` that it takes."""
    takes = list_option_names(factory)

    def build(argument: str | None = None, k: int | None = None) -> Any:
        given = {"argument": argument, "k": k}
        return factory(**{name: value for name, value in given.items() if takes is None or name in takes})

    return build


class _Lent:
    """Somebody else's source of evidence: all that it is but `close`."""

    def __init__(self, part: Any) -> None:
        self._part = part

    def __getattr__(self, name: str) -> Any:
        if name == "close":
            raise AttributeError(name)
        return getattr(self._part, name)


def _register_part(registry: Registry[Any], part: object, factory: Any) -> str:
    """The name under which *part* is registered; of its own for every object, as two may share a class's name."""
    shown = getattr(part, "__qualname__", type(part).__qualname__)
    name = f"{shown}@{id(part):x}"
    if not registry.has(name):
        registry.add(name, factory)
    return name
