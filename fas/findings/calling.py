"""`fas.detect_answers`: detectors of hallucinations from Python, on objects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from fas.answers.files import answers_from
from fas.errors import InputError
from fas.findings.detecting import detect as find
from fas.findings.records import Findings, Harm
from fas.parts import Detector, Retriever
from fas.parts.own import own_evidence, own_parts
from fas.profile import PartSpec, Profile, load_profile
from fas.records import Answer


def detect_answers(
    answers: Any,
    *,
    detect: str | PartSpec | Detector | type[Detector] | None = None,
    profile: str | Path | Profile = "judge",
    evidence: str | Retriever | type[Retriever] | None = None,
    columns: Mapping[str, str] | None = None,
    min_harm: Harm | None = None,
    offline: bool = False,
    **overrides: Any,
) -> list[Findings]:
    """What a detector says of *answers*: one `Findings` an answer, in order. Nothing is written.

    Args:
        answers: As for `fas.score_answers`.
        detect: A detector: its name, a class or an instance of one's own; the profile's by default.
        profile: Name of a built-in profile, path of a TOML file, or a `Profile`.
        evidence: For detectors that read passages; as for `fas.score_answers`.
        columns: Field to the column it is read from.
        min_harm: Leave out findings below this level of harm.
        offline: Ask for nothing that is not in the cache.
        **overrides: Settings of `Profile`.

    Raises:
        ValueError: No answers, a bad field, no detector, or not what it needs.
        RunStopped: No evidence or no model at all, or the budget is spent.
    """
    checked: Sequence[Answer] = answers_from(answers, columns=columns)
    if not checked:
        raise InputError("no answers to look at", kind="empty_input")
    settings = load_profile(profile).override(
        evidence=own_evidence(evidence), **own_parts({**overrides, **({} if detect is None else {"detect": detect})})
    )
    return find(checked, profile=settings, offline=offline, min_harm=min_harm)
