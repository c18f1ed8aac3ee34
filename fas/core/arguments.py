"""Misspelt arguments of public functions: the message suggests the one that was probably meant."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import Parameter, signature
from typing import ParamSpec, TypeVar

from fas.core.checks import suggest_word
from fas.core.errors import ProfileError
from fas.core.profile import Profile

P = ParamSpec("P")
T = TypeVar("T")


def suggest_arguments(function: Callable[P, T]) -> Callable[P, T]:
    """*function* with a message about an unknown keyword that names the nearest one it takes.

    A function that passes keywords on (`**overrides`) takes the settings of `Profile` as well; for it the error is a
    `ProfileError`, which is a `ValueError`. For any other it is the `TypeError` that Python raises.

    >>> @suggest_arguments
    ... def greet(*, whom="you"): ...
    >>> greet(who="me")
    Traceback (most recent call last):
    TypeError: greet() takes no argument 'who'; did you mean 'whom'?
    """
    parameters = signature(function).parameters.values()
    kinds = (Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY)
    known = [one.name for one in parameters if one.kind in kinds and one.name != "self"]
    passes_on = any(one.kind is Parameter.VAR_KEYWORD for one in parameters)

    @wraps(function)
    def call(*given: P.args, **named: P.kwargs) -> T:
        names = [*known, *Profile.__dataclass_fields__] if passes_on else known
        unknown = next((name for name in named if name not in names), None)
        if unknown is None:
            return function(*given, **named)
        owner, hint = function.__qualname__.removesuffix(".__init__"), suggest_word(unknown, names)
        said = f"{owner}() takes no argument {unknown!r}{hint or '; it takes ' + ', '.join(names)}"
        raise ProfileError(said) if passes_on else TypeError(said)

    return call
