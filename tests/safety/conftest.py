"""The checker and what several tests of flags ask it."""

from __future__ import annotations

import pytest

from fas.core.records import Answer
from fas.safety.checker import SafetyChecker


@pytest.fixture(scope="session")
def checker():
    return SafetyChecker()


@pytest.fixture(scope="session")
def flags_of(checker):
    """Every flag of an answer to a question."""
    return lambda question, answer: checker.check([Answer(id="1", prediction=answer, question=question)])[0]


@pytest.fixture(scope="session")
def told(flags_of):
    """Flag, drug and severity of each flag without a status."""
    return lambda question, answer: [
        (flag.flag, flag.drug, flag.severity) for flag in flags_of(question, answer) if flag.status is None
    ]


@pytest.fixture(scope="session")
def flagged(flags_of):
    """Drug, target and place of each contraindication and dose above the maximum."""
    return lambda text, question=None: {
        (flag.drug or "", flag.target, text[flag.start : flag.end])
        for flag in flags_of(question, text)
        if flag.code in ("CONTRAINDICATED", "DOSE_ABOVE_MAX")
    }
