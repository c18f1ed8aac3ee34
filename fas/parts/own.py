"""Parts of one's own where a setting asks for one: a name, a class (or any factory), or an instance."""

from __future__ import annotations

from typing import Any

from fas.errors import ProfileError
from fas.parts import detectors, extractors, verifiers
from fas.parts.registry import Registry
from fas.profile import PartSpec

_KINDS: dict[str, Registry[Any]] = {"claims": extractors, "verify": verifiers, "detect": detectors}
_METHODS = {"claims": "extract", "verify": "verify", "detect": "detect"}


def own_parts(overrides: dict[str, Any]) -> dict[str, Any]:
    """*overrides* with a `PartSpec` for every part that is given as a name, a class or an instance.

    A class is built anew for every run and gets the options that its keywords name (`precision`, `threshold`); an
    instance is used as it is, by all runs, and kept as long as the process lives.

    Raises:
        ProfileError: What is given for a part is none of these.
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
            result[setting] = PartSpec(_named(registry, value, value))
        else:
            result[setting] = PartSpec(_named(registry, value, lambda value=value: value))
    return result


def _named(registry: Registry[Any], part: object, factory: Any) -> str:
    """The name under which *part* is registered; of its own for every object, as two may share a class's name."""
    shown = getattr(part, "__qualname__", type(part).__qualname__)
    name = f"{shown}@{id(part):x}"
    if not registry.has(name):
        registry.add(name, factory)
    return name
