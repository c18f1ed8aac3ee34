"""False claims and safety flags of a scored folder as findings, without a model.

A claim is false if it is contradicted; with a verifier of two labels (supported or not), also if it is unsupported.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from fas.core.records import Answer
from fas.core.records.stored import AnswerRecord, ClaimRecord, Harm
from fas.detectors.locate import expand_to_sentences
from fas.detectors.records import DetectedFinding, Findings
from fas.detectors.rules import NOT_IN_ANSWER, tag_finding
from fas.scoring.aggregate import UNCOUNTED

# Verifiers with two labels unless their signature says three.
_TWO_LABELS = frozenset({"internal", "provided", "retrieved", "dnd", "entailment", "rafe", "rafe-strict"})
_HARM: dict[str, Harm] = {"high": "high", "medium": "medium", "low": "low", "info": "very low"}


class ClaimsDetector:
    """The false claims of a folder of `fas score`, or with *flags* its counted safety flags, as findings.

    *explain*: add the evidence against a claim to its explanation.

    Raises:
        InputError: The folder holds no scores.
    """

    def __init__(self, *, folder: str | Path, flags: bool = False, explain: bool = False) -> None:
        from fas.detectors.member import FolderPlace, read_member

        place = FolderPlace(Path(folder), flags, Path(folder).name, Path(folder).name, 0)
        self._member = read_member(place, explain=explain)
        self.signature = self._member.signature

    def detect(self, answers: Sequence[Answer]) -> list[Findings]:
        """The findings on each answer; a failure for one that the folder does not have."""
        missing = "the scored folder has no such answer"
        return [self._member.answers.get(one.id) or Findings(one.id, failure=missing) for one in answers]


def has_two_labels(verifier: str) -> bool:
    """Whether the verifier with this signature tells only supported from not supported.

    A published checker of two classes behind `nli` is recognised by its checkpoint.

    >>> has_two_labels("internal[gpt-4o,prompt=1-5f0c2a9b]"), has_two_labels("internal[gpt-4o,labels=3]")
    (True, False)
    """
    name, _, inside = verifier.partition("[")
    settings = re.split(r"[,\]]", inside)
    if name == "nli":
        from fas.verify.checkers import checkers

        two_way = {one.model for one in checkers().values() if one.two_way} | {
            known for known, one in checkers().items() if one.two_way
        }
        return settings[0].partition("@")[0] in two_way
    return name in _TWO_LABELS and "labels=3" not in settings


def false_claims(record: AnswerRecord, *, two_labels: bool = False, explain: bool = False) -> Findings:
    """The false claims of a line of `scores.jsonl`.

    The snippet is the sentence of the claim, the explanation the claim itself, with *explain* also the evidence against
    it. Confidence is P(contradict), or 1 - P(support) of an unsupported claim. An answer that could not be scored, or
    whose claims are all unverified, is a failure.
    """
    name = record["id"]
    if record["error"] is not None:
        return Findings(name, failure=f"not scored: {record['error']['message']}")
    claims = record["claims"]
    if claims and all(claim["label"] == "unverified" for claim in claims):
        return Findings(name, failure=f"no claim was verified: {claims[0]['failure'] or 'no reason is given'}")
    wanted = ("contradicted", "unsupported") if two_labels else ("contradicted",)
    text = record["prediction"] or ""
    return Findings(name, tuple(_claim(claim, text, explain) for claim in claims if claim["label"] in wanted))


def flag_findings(record: AnswerRecord) -> Findings:
    """The counted safety flags of a line of `scores.jsonl`, each with its message as the explanation."""
    name = record["id"]
    if record["error"] is not None:
        return Findings(name, failure=f"not scored: {record['error']['message']}")
    text = record["prediction"] or ""
    found = []
    for flag in record["flags"]:
        if flag["status"] not in UNCOUNTED:
            start, end = expand_to_sentences(text, flag["start"], flag["end"])
            harm = _HARM.get(flag["severity"] or "")
            found.append(tag_finding(DetectedFinding(text[start:end], flag["message"], start, end, harm), text))
    return Findings(name, tuple(found))


def _claim(claim: ClaimRecord, text: str, explain: bool) -> DetectedFinding:
    start, end, own = claim["start"], claim["end"], claim["text"]
    contradicted = claim["label"] == "contradicted"
    p = claim["p_contradict"] if contradicted else claim["p_support"]
    confidence = 1.0 if p is None else p if contradicted else 1.0 - p
    explanation = f"False: {own}{_find_contradiction(claim)}" if explain else own
    snippet: str = own
    tags: tuple[str, ...] = (NOT_IN_ANSWER,)  # a given claim may be nowhere in the answer
    if start is not None and end is not None:
        start, end = expand_to_sentences(text, start, end)
        snippet, tags = text[start:end], ()
    found = DetectedFinding(snippet, explanation, start, end, confidence=confidence, tags=tags, claim=own)
    return tag_finding(found, text)


def _find_contradiction(claim: ClaimRecord) -> str:
    """The sentence that contradicts the claim most."""
    said = [(one["p_contradict"], one) for one in claim["evidence"] if one["sentence"] and one["p_contradict"]]
    if claim["label"] != "contradicted" or not said:
        return ""
    _, best = max(said, key=lambda one: one[0])
    where = f" ({best['id']})" if best["id"] else ""
    return f" The evidence says{where}: {best['sentence']}"
