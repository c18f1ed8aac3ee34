"""Arguments of public functions: misspelt ones, and their names in messages, on the command line and in Python."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import wraps
from inspect import Parameter, signature
from typing import Any, ParamSpec, TypeVar

from fas.core.checks import suggest_word
from fas.core.errors import ProfileError

P = ParamSpec("P")
T = TypeVar("T")

_KINDS = (Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY)
_on_command_line = False


def suggest_arguments(function: Callable[P, T], name: str | None = None) -> Callable[P, T]:
    """*function*, called *name* in messages, with a message about an unknown keyword that names the nearest known one.

    A function that passes keywords on (`**overrides`) takes the settings of `Profile` as well; for it the error is a
    `ProfileError`, which is a `ValueError`. For any other it is the `TypeError` that Python raises.

    >>> @suggest_arguments
    ... def greet(*, whom="you"): ...
    >>> greet(who="me")
    Traceback (most recent call last):
    TypeError: greet() takes no argument 'who'; did you mean 'whom'?
    """
    known, passes_on = list_keywords(function)
    owner = name or function.__qualname__.removesuffix(".__init__")
    shape = signature(function)

    @wraps(function)
    def call(*given: P.args, **named: P.kwargs) -> T:
        from fas.core.profile import Profile

        settings = Profile.__dataclass_fields__ if passes_on else ()
        refuse_unknown(owner, [*known, *settings], named, ProfileError if passes_on else TypeError)
        try:
            shape.bind(*given, **named)
        except TypeError as error:
            raise TypeError(f"{owner}() is called wrongly: {error}") from None
        return function(*given, **named)

    if name is not None:
        call.__name__ = call.__qualname__ = name
    return call


def refuse_unknown(owner: str, names: Iterable[str], given: Iterable[str], error: type[Exception] = TypeError) -> None:
    """Refuse keywords *given* to *owner* that are not in *names*, with an *error* that names the nearest, or all."""
    names = list(names)
    unknown = next((name for name in given if name not in names), None)
    if unknown is not None:
        hint = suggest_word(unknown, names) or f"; it takes {', '.join(names)}"
        raise error(f"{owner}() takes no argument {unknown!r}{hint}")


def list_keywords(function: Callable[..., Any]) -> tuple[list[str], bool]:
    """The keywords of *function*, and whether it passes further ones on."""
    parameters = signature(function).parameters.values()
    names = [one.name for one in parameters if one.kind in _KINDS and one.name not in ("self", "cls")]
    return names, any(one.kind is Parameter.VAR_KEYWORD for one in parameters)


@contextmanager
def speak_of_options() -> Iterator[None]:
    """While the context is open, messages name options of the command line, and not arguments of Python."""
    global _on_command_line
    before, _on_command_line = _on_command_line, True
    try:
        yield
    finally:
        _on_command_line = before


def option_or_argument(option: str, argument: str) -> str:
    """The name of a choice in a message: *option* on the command line, *argument* in Python.

    >>> option_or_argument("--overwrite", "overwrite=True")
    'overwrite=True'
    """
    return option if _on_command_line else argument
