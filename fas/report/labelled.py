"""Answers whose claims people labelled, read as if a run had judged them.

A file of answers in the input format serves, if every claim is an object with `text` and `label`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from fas.core.answers.schema import to_answer
from fas.core.errors import InputError

Irrelevant = Literal["leave-out", "unsupported", "supported"]
_NAMES = {
    "supported": ("s", "supported", "support", "supports", "entailed", "entailment", "entails", "true", "yes"),
    "contradicted": ("contradicted", "contradiction", "contradicts", "refuted", "refutes", "refute", "c"),
    "unsupported": (
        "ns", "not supported", "unsupported", "not entailed", "neutral", "false", "no", "nei", "not enough info",
        "not enough evidence", "not enough information", "n",
    ),
    "irrelevant": ("ir", "irrelevant", "not relevant"),
    "unverified": ("unverified",),
}  # fmt: skip
_LABELS = {name: label for label, names in _NAMES.items() for name in names}


def read_label(value: object) -> str | None:
    """The label that *value* names: supported, contradicted, unsupported, irrelevant, unverified; None if unknown.

    FActScore's people wrote S (supported), NS (not supported) and IR (irrelevant to the prompt).

    >>> read_label("NS"), read_label("Not_Supported"), read_label("IR"), read_label(True), read_label("perhaps")
    ('unsupported', 'unsupported', 'irrelevant', 'supported', None)
    """
    if isinstance(value, bool):
        return "supported" if value else "unsupported"
    if not isinstance(value, str):
        return None
    return _LABELS.get(re.sub(r"[\s_-]+", " ", value).strip().lower())


def attach_labels(
    record: Mapping[str, Any], number: int, source: Path, *, irrelevant: Irrelevant = "leave-out"
) -> dict[str, Any]:
    """A line of a file of labelled answers in the form of a line of `scores.jsonl`.

    Args:
        record: The line.
        number: Its number; the id of an answer without one.
        source: The file, for messages.
        irrelevant: What becomes of a claim labelled IR: it is left out, or counts as (un)supported.

    Raises:
        InputError: It is no answer, or a claim has no label that is known.
    """
    where = f"{source}, line {number}"
    answer = to_answer(record, line=number, where=where)
    if answer.claims is None:
        raise InputError(
            f"{where}: neither a line of a scores.jsonl nor an answer with labelled `claims`", kind="type", line=number
        )
    claims = []
    for i, claim in enumerate(answer.claims, start=1):
        label = read_label(claim.given_label)
        if label is None:
            names = ", ".join(dict.fromkeys(names[0] for names in _NAMES.values()))
            raise InputError(
                f"{where}: field 'claims': item {i} needs a `label` ({names}, or their longer names), got "
                f"{claim.given_label!r}",
                kind="type",
                line=number,
                field="claims",
            )
        if label == "irrelevant":
            if irrelevant == "leave-out":
                continue
            label = irrelevant
        claims.append(
            {"text": claim.text, "start": claim.start, "end": claim.end, "context": claim.context, "label": label}
        )
    return {
        "id": answer.id,
        "question": answer.question,
        "prediction": answer.prediction,
        "meta": dict(answer.meta),
        "claims": claims,
        "error": None,
    }
