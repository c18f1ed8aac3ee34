"""What tests of the safety flags compare: the flags that count."""

from __future__ import annotations

from fas.core.records import Answer, Flag
from fas.safety.checker import SafetyChecker


def counted(checker: SafetyChecker, question: str, prediction: str) -> set[tuple[str, str | None]]:
    """Flag and drug of each counted flag of one answer."""
    flags = checker.check([Answer(id="1", prediction=prediction, question=question)])[0]
    return {(flag.flag, flag.drug) for flag in flags if flag.status in (None, "inconsistent", "family")}


def flags_named(flags: tuple[Flag, ...], name: str) -> list[tuple[str | None, str | None]]:
    """Drug and target of each flag called *name*."""
    return [(flag.drug, flag.target) for flag in flags if flag.flag == name]
