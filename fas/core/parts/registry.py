"""Named parts that a profile chooses between."""

from __future__ import annotations

import inspect
import logging
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any, Generic, TypeVar, get_args, get_type_hints

from fas.core.checks import suggest_word
from fas.core.errors import ProfileError

logger = logging.getLogger(__name__)

T = TypeVar("T")


class Registry(Generic[T]):
    """Factories of one kind of part, by name.

    A factory is a callable, or `"package.module:attribute"`, which is imported when the part is first built. Other
    packages add parts through the entry-point group *group*.

    >>> greeters: Registry[str] = Registry("greeter")
    >>> greeters.add("hello", lambda who: f"hello {who}")
    >>> greeters.create("hello", who="Ada")
    'hello Ada'

    Args:
        kind: Name of the kind in messages.
        group: Entry-point group of parts from other packages.
        common: Options that every part of this kind takes: name to `"package.module:function"`, a function of the part
            and the option's value that returns the part to use instead.
    """

    def __init__(self, kind: str, *, group: str | None = None, common: Mapping[str, str] | None = None) -> None:
        self.kind = kind
        self.group = group
        self.common = dict(common or {})
        self._factories: dict[str, Callable[..., T] | str] = {}
        self._packages: dict[str, str] = {}
        self._discovered = group is None

    def add(self, name: str, factory: Callable[..., T] | str) -> None:
        """Register *factory* under *name*; another factory of that name is replaced, with a warning."""
        earlier = self._factories.get(name)
        if earlier is not None and earlier is not factory:
            logger.warning(
                "%s %r is now %s; it was %s", self.kind, name, _describe_factory(factory), _describe_factory(earlier)
            )
        self._factories[name] = factory
        self._packages.pop(name, None)

    def has(self, name: str) -> bool:
        """Whether a part of this name was added; asks no other package."""
        return name in self._factories

    def names(self) -> list[str]:
        """All registered names, sorted."""
        self._discover()
        return sorted(self._factories)

    def create(self, name: str, /, **options: Any) -> T:
        """Build the part called *name* with *options*, which `check` or the part itself may refuse."""
        self.check(name, options)
        wrapping = {key: options.pop(key) for key in self.common if key in options}
        part = self.factory(name)(**options)
        for key, value in wrapping.items():
            part = _import_function(self.common[key])(part, value)
        return part

    def check(self, name: str, options: Iterable[str]) -> None:
        """Refuse an unknown name (LookupError) or options that the part lacks (ValueError), and build nothing."""
        accepted = list_option_names(self.factory(name))
        unknown = [] if accepted is None else sorted(set(options) - set(accepted) - set(self.common))
        if unknown and accepted is not None:
            allowed = [*accepted, *self.common]
            raise ValueError(
                f"{self.kind} {name!r} has no option {unknown[0]!r}; allowed: {', '.join(allowed) or '(none)'}"
                f"{suggest_word(unknown[0], allowed)}"
            )

    def factory(self, name: str) -> Callable[..., T]:
        """The factory of the part called *name*, imported if need be; a LookupError, with all names, if unknown."""
        self._discover()
        if name not in self._factories:
            hint = suggest_word(name, self._factories) or "."
            raise LookupError(f"no {self.kind} named {name!r}{hint} Available: {', '.join(self.names())}.")
        factory = self._factories[name]
        if not isinstance(factory, str):
            return factory
        try:
            return _import_function(factory)
        except Exception as error:
            if name not in self._packages:
                raise
            # Whatever a foreign module does when it is imported, the message names its package.
            raise ProfileError(
                f"{self.kind} {name!r} of the package {self._packages[name]!r} cannot be loaded from {factory!r}: "
                f"{type(error).__name__}: {error}"
            ) from error

    def describe(self) -> Mapping[str, str]:
        """Name to where its factory lives, sorted by name, without importing anything."""
        self._discover()
        return {name: _describe_factory(self._factories[name]) for name in sorted(self._factories)}

    def _discover(self) -> None:
        if self._discovered:
            return
        self._discovered = True
        for point in entry_points(group=self.group or ""):
            # A name of our own wins: an installed package must not change what `mini` means.
            if point.name not in self._factories:
                self._factories[point.name] = point.value
                self._packages[point.name] = point.dist.name if point.dist is not None else "?"


def list_option_names(factory: Callable[..., object]) -> list[str] | None:
    """Keyword options that *factory* accepts; None if it takes any.

    Options that several parts share may be declared once, as a `TypedDict` (`**shared: Unpack[Shared]`).
    """
    names = []
    for parameter in inspect.signature(factory).parameters.values():
        if parameter.kind in (parameter.KEYWORD_ONLY, parameter.POSITIONAL_OR_KEYWORD):
            names.append(parameter.name)
        elif parameter.kind is parameter.VAR_KEYWORD:
            if "Unpack[" not in str(parameter.annotation):
                return None
            declared: Any = factory
            hints = get_type_hints(declared.__init__ if isinstance(factory, type) else declared)
            names += get_args(hints[parameter.name])[0].__annotations__
    return names


def _import_function(where: str) -> Callable[..., Any]:
    module, _, attribute = where.partition(":")
    resolved: Callable[..., Any] = getattr(import_module(module), attribute)
    return resolved


def _describe_factory(factory: Callable[..., object] | str) -> str:
    if isinstance(factory, str):
        return factory
    # An instance that is called has no name of its own.
    named = factory if hasattr(factory, "__qualname__") else type(factory)
    return f"{named.__module__}:{named.__qualname__}"
