"""Verifiers: NLI cross-encoders, word overlap, language models. Called like a function it is `fas.verify_claim`."""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import Any


class _Callable(ModuleType):
    """This package, which shares its name with `fas.verify(claim, passages)`: importing it must not hide that."""

    def __call__(self, *args: Any, **options: Any) -> Any:
        """As `fas.verify_claim`, which is looked up where the public names are: no verifier imports what uses it."""
        return import_module("fas").verify_claim(*args, **options)


sys.modules[__name__].__class__ = _Callable
