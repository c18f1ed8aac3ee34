"""The findings in a model's reply: the JSON, then every finding by itself.

An unreadable reply is a failure, never "nothing found"; an empty list means that the model found nothing. A finding
with an impossible field is left out with its reason, and the others stay; without a usable one the reply is a failure.
Nothing is guessed: a confidence of 85 is not 0.85.
"""

from __future__ import annotations

import re
import reprlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fas.core.records.stored import Harm
from fas.detectors.locate import locate
from fas.detectors.records import DetectedFinding
from fas.detectors.rules import NOT_IN_ANSWER, tag_finding
from fas.llm import Reply, parse_reply
from fas.text.time_limit import read_in_time

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "findings": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "sentence": {"type": "string"},
                    "explanation": {"type": "string"},
                    "harm": {"type": "string", "enum": ["none", "very low", "low", "medium", "high"]},
                    "confidence": {"type": "number"},
                },
                "required": ["sentence", "explanation", "harm", "confidence"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["findings"],
    "additionalProperties": False,
}
"""The requested form; replies are read by `_OBJECT` or as a bare list, finding by finding."""
_OBJECT = {"type": "object", "properties": {"findings": {"type": "array"}}, "required": ["findings"]}
_LIST = {"type": "array", "items": {"type": "object"}}

MOST = 500
"""The most findings of a reply."""

# Words that models use for the five levels.
_HARM: dict[str, Harm] = {
    **dict.fromkeys(("none", "no harm", "no"), "none"),
    **dict.fromkeys(("very low", "minimal", "negligible", "trivial"), "very low"),
    **dict.fromkeys(("low", "mild", "minor"), "low"),
    **dict.fromkeys(("medium", "moderate"), "medium"),
    **dict.fromkeys(
        ("high", "very high", "severe", "serious", "critical", "extreme", "life threatening", "fatal"), "high"
    ),
}


# "This sentence is correct." is no finding.
_SENTENCE = r"(?:sentence|statement|claim|information|advice|recommendation|answer|response|snippet)"
_AGREES = re.compile(
    rf"^\W*(?:(?:this|the|that)(?: \w+)? {_SENTENCE}|this|that|it)(?: here)? (?:is|appears|seems)(?: to be)?"
    r"(?: (?:factually|medically|generally|scientifically|clinically|entirely|completely|mostly|also|indeed|both))*"
    r" (?:correct|accurate|true|right|valid|sound|supported|consistent with|in line with|in agreement with)\b|"
    rf"^\W*(?:this|the|that)(?: \w+)? {_SENTENCE} (?:correctly|accurately|rightly|truthfully) \w+",
    re.IGNORECASE,
)
_OBJECTS = re.compile(
    r"\b(?:but|however|although|though|except|unless|only|not|n't|never|incorrect|inaccurate|wrong|false|misleading|"
    r"outdated|should|instead|rather|lacks?|omits?|fails?)\b|n't\b",
    re.IGNORECASE,
)


class _AgreesError(ValueError): ...


@dataclass(frozen=True, slots=True)
class ParsedReply:
    """The content of a reply.

    Attributes:
        failure: Why it has none; None if it has.
        again: Whether the same request with the reason may help: the reply only lacked the form.
    """

    findings: tuple[DetectedFinding, ...] = ()
    left_out: tuple[str, ...] = ()
    failure: str | None = None
    again: bool = False


@read_in_time(lambda why: ParsedReply(failure=why))
def read_findings(reply: Reply, prediction: str) -> ParsedReply:
    """The findings in *reply* on the answer *prediction*."""
    parsed = parse_reply(reply, _OBJECT)
    listed = parsed if parsed.ok else parse_reply(reply, _LIST)
    if not listed.ok:
        usable = reply.failure is None and reply.finish not in ("content_filter", "refusal", "length")
        return ParsedReply(failure=parsed.reason, again=usable)
    entries = parsed.value["findings"] if parsed.ok else listed.value
    if len(entries) > MOST:
        return ParsedReply(failure=f"the reply holds too many findings: {len(entries)}, at most {MOST}")
    findings: list[DetectedFinding] = []
    left_out: list[str] = []
    n_agreeing = 0
    taken: list[tuple[int, int]] = []
    for number, entry in enumerate(entries, start=1):
        try:
            finding = _finding(entry, prediction, taken)
        except ValueError as error:
            left_out.append(f"finding {number}: {error}")
            n_agreeing += isinstance(error, _AgreesError)
            continue
        findings.append(finding)
        if finding.start is not None and finding.end is not None:
            taken.append((finding.start, finding.end))
    if len(entries) > n_agreeing and not findings:
        return ParsedReply(left_out=tuple(left_out), failure=f"no finding can be used: {left_out[0]}", again=True)
    return ParsedReply(tuple(findings), tuple(left_out))


def parse_harm(word: object) -> Harm:
    """The level that *word* names.

    >>> parse_harm("Very_Low"), parse_harm("life-threatening")
    ('very low', 'high')

    Raises:
        ValueError: It names none.
    """
    key = " ".join(str(word).casefold().replace("_", " ").replace("-", " ").split())
    if not isinstance(word, str) or key not in _HARM:
        raise ValueError(f"harm {reprlib.repr(word)} is no known level")
    return _HARM[key]


def as_json(findings: tuple[DetectedFinding, ...]) -> list[dict[str, Any]]:
    """The findings in the requested form."""
    return [
        {"sentence": one.snippet, "explanation": one.explanation, "harm": one.harm, "confidence": one.confidence}
        for one in findings
    ]


def _finding(entry: object, prediction: str, taken: list[tuple[int, int]]) -> DetectedFinding:
    if not isinstance(entry, Mapping):
        raise ValueError("it is no object")
    snippet, explanation = entry.get("sentence"), entry.get("explanation", "")
    if not isinstance(snippet, str) or not snippet.strip():
        raise ValueError("its sentence is empty")
    if not isinstance(explanation, str):
        raise ValueError(f"its explanation is no text but {reprlib.repr(explanation)}")
    confidence = entry.get("confidence")
    if isinstance(confidence, bool) or not isinstance(confidence, int | float):
        raise ValueError(f"its confidence is no number but {reprlib.repr(confidence)}")
    if not 0.0 <= confidence <= 1.0:  # nor is NaN inside
        raise ValueError(f"its confidence {reprlib.repr(confidence)} is outside [0, 1]")
    if _AGREES.match(explanation) and not _OBJECTS.search(explanation):
        raise _AgreesError("its explanation says that the sentence is right")
    harm = parse_harm(entry.get("harm"))
    span = locate(snippet, prediction, taken=taken)
    start, end = span if span is not None else (None, None)
    tags = () if span is not None else (NOT_IN_ANSWER,)
    return tag_finding(
        DetectedFinding(snippet.strip(), explanation.strip(), start, end, harm, float(confidence), tags), prediction
    )
