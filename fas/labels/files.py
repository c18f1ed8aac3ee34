"""Files of labels: JSON Lines, one judgement of a person a line.

`{"id": "q12", "claim": 3, "label": "supported"}` labels the third claim of the answer `q12`. `pi` is the probability
with which the claim was chosen, `stratum` the group it was drawn from; `text` is compared with the run. A file labels
one kind of thing:

    {"statement": 2, "label": "covered"}    a statement that the answer ought to make: covered, denied or omitted,
                                            called supported, contradicted and unsupported inside
    {"claim": 3, "faults": ["incomplete"]}  what is wrong with a claim as a claim: any of the seven kinds of MedScore's
                                            taxonomy (section 2), or none; inside one label, their names joined by `+`,
                                            or `valid`. `omitted`: no claim of the sentence holds what it states
    {"preferred": "a"}                      which of two runs' answers is better: `a`, `b` or `tie`; the pair is claim 1
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from fas.core.answers.formats import read_rows
from fas.core.checks import parse_finite, plain_number
from fas.core.errors import InputError
from fas.core.records.claim_faults import KINDS
from fas.report.labelled import read_label

Of = Literal["claims", "statements", "pairs", "faults"]
"""Subject of labels: what an answer says, what it ought to say, two answers to a question, or faults of claims."""
Key = tuple[str, int]
"""A claim (statement, pair): the answer's id, and the number of the claim in it, from 1."""
BAD = "bad"
"""The label of a text that nobody could call true or false."""
LABELS = ("supported", "contradicted", "unsupported", BAD)
COVERED = {"supported": "covered", "contradicted": "denied", "unsupported": "omitted"}
"""Names of labels in files of labels of statements."""
VALID = "valid"
"""The label of a claim without a fault."""
_PREFERRED = ("a", "b", "tie")
_FIELDS: dict[Of, str] = {"pairs": "preferred", "faults": "faults"}
_OF_STATEMENTS = {name: label for label, name in COVERED.items()}
_BAD_NAMES = frozenset({"bad", "bad claim", "no claim", "not a claim", "irrelevant", "ir"})
_FAULT_NAMES = {
    "incorrectly_structured": "misstructured",
    "wrong_structure": "misstructured",
    "hallucination": "hallucinated",
}


@dataclass(frozen=True, slots=True)
class ClaimLabel:
    """One claim's label by a person.

    Attributes:
        label: One of `LABELS`; of faults, their names joined by `+`; of pairs, the better answer. Empty for a claim
            that was chosen and has no label yet.
        pi: Probability with which the claim was chosen, or None if the file does not say.
        severity: How bad it would be to follow the claim, as the labeller has it; empty for none.
    """

    id: str
    claim: int
    label: str
    pi: float | None = None
    stratum: str = ""
    text: str = ""
    severity: str = ""
    annotator: str = ""
    line: int = 0
    of: Of = "claims"

    @property
    def key(self) -> Key:
        """The claim."""
        return self.id, self.claim

    def as_dict(self) -> dict[str, Any]:
        """A line of a file of labels, without empty fields but for a label that is still missing (null)."""
        label: Any = self.label or None
        if label and self.of == "faults":
            label = list(find_faults(label))
        elif self.of == "statements":
            label = COVERED.get(self.label, label)
        number = {} if self.of == "pairs" else {"statement" if self.of == "statements" else "claim": self.claim}
        more = {name: value for name in ("stratum", "text", "severity", "annotator") if (value := getattr(self, name))}
        probability = {} if self.pi is None else {"pi": self.pi}
        return {"id": self.id, **number, _FIELDS.get(self.of, "label"): label, **probability, **more}


@dataclass(frozen=True, slots=True)
class LabelFile:
    """Labels, at most one a claim.

    Attributes:
        labels: With their probabilities brought down by the share of each stratum that has a label: pages show claims
            in random order.
        open: Claims that were chosen (`"label": null`) and have no label yet.
        chosen: All that were chosen, labelled first, with the probabilities that the file gives.
    """

    path: Path
    labels: tuple[ClaimLabel, ...]
    open: tuple[ClaimLabel, ...]
    chosen: tuple[ClaimLabel, ...]

    @classmethod
    def of_labels(cls, path: Path, labels: Sequence[ClaimLabel], open_: Sequence[ClaimLabel]) -> LabelFile:
        """From the labels and the open claims of one file, with the probabilities that it gives."""
        given = Counter(one.stratum for one in labels)
        all_ = given + Counter(one.stratum for one in open_)
        brought_down = (
            one if one.pi is None else replace(one, pi=one.pi * given[one.stratum] / all_[one.stratum])
            for one in labels
        )
        return cls(path, tuple(brought_down), tuple(open_), (*labels, *open_))

    @property
    def of(self) -> Of:
        """Subject of the labels."""
        return self.chosen[0].of

    @property
    def digest(self) -> str:
        """First eight digits of the SHA-256 of what the labels say, for signatures."""
        return digest_labels(self.chosen[: len(self.labels)])


def parse_claim_label(value: object, of: Of = "claims") -> str | None:
    """One of `LABELS`, by the names that people use; None if unknown.

    >>> parse_claim_label("S"), parse_claim_label("not settled"), parse_claim_label("IR"), parse_claim_label("maybe")
    ('supported', 'unsupported', 'bad', None)
    >>> parse_claim_label("omitted", "statements"), parse_claim_label("omitted")
    ('unsupported', None)
    """
    if isinstance(value, str):
        name = " ".join(value.replace("_", " ").replace("-", " ").split()).lower()
        if of == "statements" and name in _OF_STATEMENTS:
            return _OF_STATEMENTS[name]
        if name in _BAD_NAMES:
            return BAD
        if name in ("not settled", "unsettled"):
            return "unsupported"
    found = read_label(value)
    return found if found in LABELS else None


def read_labels(path: Path) -> LabelFile:
    """The labels in *path*, JSON Lines.

    An InputError where a line cannot be used, a claim has two labels, or only some labels have a `pi`.
    """
    labels, open_ = read_parts(path)
    seen: dict[Key, ClaimLabel] = {}
    for one in labels:
        other = seen.setdefault(one.key, one)
        if other is not one:
            raise _make_error(
                path,
                one.line,
                "claim",
                f"claim {one.claim} of {one.id!r} has a label in line {other.line} already; labels of several people "
                "are put together by `fas labels merge`",
            )
    without = [one for one in labels if one.pi is None]
    if without and len(without) < len(labels):
        raise _make_error(
            path,
            without[0].line,
            "pi",
            f"missing here but not in every line ({len(labels) - len(without)} have it): give all of them or none",
        )
    return LabelFile.of_labels(path, labels, open_)


def read_parts(path: Path) -> tuple[list[ClaimLabel], list[ClaimLabel]]:
    """The labels of a file, however many a claim has, and the claims that were chosen and have none."""
    rows = read_rows(path, values=("claim", "statement", "label", "pi", "faults"))
    found = [_read_line(record, path, number) for number, record in rows]
    labels = [one for one in found if one.label]
    if not labels:
        raise InputError(f"{path}: no label", kind="empty_file")
    for one in found:
        if one.of != labels[0].of:
            field = _FIELDS.get(one.of, one.of[:-1])
            raise _make_error(path, one.line, field, f"the other lines label {labels[0].of}; use one file for each")
    return labels, [one for one in found if not one.label]


def digest_labels(labels: Iterable[ClaimLabel]) -> str:
    """Eight digits, the same for the same labels in any order."""
    said = sorted(
        json.dumps([one.id, one.claim, one.label, one.pi, one.stratum, *([one.of] if one.of != "claims" else [])])
        for one in labels
    )
    return hashlib.sha256("\n".join(said).encode("utf-8", "surrogatepass")).hexdigest()[:8]


def _read_line(record: Mapping[str, Any], path: Path, number: int) -> ClaimLabel:
    def expect(right: bool, field: str, what: str) -> None:
        if not right:
            raise _make_error(path, number, field, f"expected {what}, got {record.get(field)!r}")

    if record.get("chosen") in ("queue", "sample"):
        raise _make_error(
            path,
            number,
            "chosen",
            "these are decisions of a review; estimates need claims drawn at random: "
            "`fas labels import FILE --from report --run DIR` takes those of the page's random sample",
        )
    name, pi = plain_number(record.get("id")), parse_finite(record.get("pi"))
    expect(isinstance(name, str | int) and not isinstance(name, bool), "id", "the id of an answer")
    of: Of = "claims"
    if "preferred" in record:
        of = "pairs"
    elif "statement" in record and "claim" not in record:
        of = "statements"
    elif "faults" in record:
        of = "faults"
    claim: Any = 1
    if of != "pairs":
        thing = "statement" if of == "statements" else "claim"
        claim = plain_number(record.get(thing))
        whole = isinstance(claim, int) and not isinstance(claim, bool) and claim >= 1
        expect(whole, thing, f"the number of a {thing}, counted from 1")
    field = _FIELDS.get(of, "label")
    label: str | None = ""
    if field not in record or record[field] is not None:
        label, allowed = _read_label(record.get(field), of)
        expect(label is not None, field, allowed)
    right = pi is not None and not isinstance(record["pi"], bool) and 0 < pi <= 1
    expect(record.get("pi") is None or right, "pi", "a probability above 0 and up to 1")
    texts = {text: record.get(text) for text in ("stratum", "text", "severity", "annotator")}
    for text, value in texts.items():
        expect(value is None or isinstance(value, str), text, "a string")
    return ClaimLabel(
        str(name), claim, label or "", pi, line=number, of=of, **{text: value or "" for text, value in texts.items()}
    )


def _read_label(value: Any, of: Of) -> tuple[str | None, str]:
    """The label that *value* gives, None for none, and which are allowed."""
    if of == "pairs":
        return value if value in _PREFERRED else None, f"one of {', '.join(_PREFERRED)}"
    if of == "faults":
        return parse_faults(value), f"a list of {', '.join(KINDS)}"
    return parse_claim_label(value, of), f"one of {', '.join(LABELS if of == 'claims' else (*COVERED.values(), BAD))}"


def _make_error(path: Path, line: int, field: str, what: str) -> InputError:
    return InputError(f"{path}, line {line}: field {field!r}: {what}", kind="type", line=line, field=field)


def parse_faults(names: object) -> str | None:
    """The label of a list of *names* of faults; None if it is no list of known names.

    >>> parse_faults(["redundant", "Context-dependent"]), parse_faults([]), parse_faults(["odd"])
    ('context_dependent+redundant', 'valid', None)
    """
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        return None
    plain = {"_".join(name.lower().replace("-", " ").replace("_", " ").split()) for name in names}
    known = {_FAULT_NAMES.get(name, name) for name in plain}
    return _join_faults(known) if known <= set(KINDS) else None


def _join_faults(names: Iterable[str]) -> str:
    kept = set(names)
    return "+".join(name for name in KINDS if name in kept) or VALID


def find_faults(label: str) -> tuple[str, ...]:
    """The faults of a label.

    >>> find_faults("incomplete+redundant"), find_faults("valid")
    (('incomplete', 'redundant'), ())
    """
    return () if label == VALID else tuple(label.split("+"))


def find_majority(labels: Sequence[str]) -> str | None:
    """The faults that most people found; None where as many say one thing of a fault as the other.

    >>> find_majority(["incomplete", "incomplete+redundant", "valid"]), find_majority(["valid", "redundant"])
    ('incomplete', None)
    """
    votes = Counter(name for label in labels for name in find_faults(label))
    if any(2 * n == len(labels) for n in votes.values()):
        return None
    return _join_faults(name for name, n in votes.items() if 2 * n > len(labels))
