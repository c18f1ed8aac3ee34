"""Files of labels: one claim of a run and what a person says of it, a line.

`{"id": "q12", "claim": 3, "label": "supported"}` is a label of the third claim of the answer `q12`. `pi` is the
probability with which the claim was chosen, `stratum` the group it was drawn from; `text` is compared with the run.
`{"id": "q12", "statement": 2, "label": "covered"}` is one of a statement that the answer ought to make; a file holds
labels of claims or of statements. Of a statement, covered, denied and omitted are what supported, contradicted and
unsupported are of a claim, and are called so inside. `{"id": "q12", "claim": 3, "faults": ["incomplete"]}` says what is
wrong with a claim as a claim (`fault_label`). `{"id": "q12", "preferred": "a"}` says which of two runs' answers
is better, `a`, `b` or `tie`; it is the label of a pair, whose number is 1.

A claim may have several of the seven kinds of faults of MedScore's taxonomy (section 2), or none: an empty list.
Inside, a label is their names joined by `+`, or `valid`. `omitted` says that the sentence of the claim states something
that no claim of it holds.
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
from fas.report.labelled import label_of

Of = Literal["claims", "statements", "pairs", "faults"]
"""What labels are of: what an answer says, what it ought to say, two answers to a question, or how claims are made."""
BAD = "bad"
"""The label of a claim that is none: no person could say whether it is true."""
LABELS = ("supported", "contradicted", "unsupported", BAD)
COVERED = {"supported": "covered", "contradicted": "denied", "unsupported": "omitted"}
"""What labels are called in files of labels of statements."""
_FIELD = {"claims": "claim", "statements": "statement", "pairs": "preferred", "faults": "faults"}
PREFERRED = ("a", "b", "tie")
"""What labels of pairs say: which run's answer is better."""
# What stands for the label of a line that has none yet, while it is read.
_STAND_INS: dict[str, Any] = {"preferred": "tie", "faults": [], "label": BAD}
_OF_STATEMENTS = {name: label for label, name in COVERED.items()}
_BAD_NAMES = frozenset({"bad", "bad claim", "no claim", "not a claim", "irrelevant", "ir"})


@dataclass(frozen=True, slots=True)
class ClaimLabel:
    """What a person says of one claim.

    Attributes:
        claim: Number of the claim in its answer, counted from 1.
        label: One of `LABELS`; of faults, their names (`fault_label`).
        pi: Probability with which the claim was chosen, or None if the file does not say.
        severity: How bad it would be to follow the claim, as the labeller has it; empty for none.
        of: What is labelled; `claim` is then the number of the statement.
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
    def key(self) -> tuple[str, int]:
        """Which claim it is of."""
        return self.id, self.claim

    def as_dict(self) -> dict[str, Any]:
        """A line of a file of labels, without the fields that say nothing."""
        said: dict[str, Any] = {"claim": self.claim, "label": self.label}
        if self.of == "pairs":
            said = {"preferred": self.label}
        elif self.of == "faults":
            said = {"claim": self.claim, "faults": list(find_faults(self.label))}
        elif self.of == "statements":
            said = {"statement": self.claim, "label": COVERED.get(self.label, self.label)}
        more = {name: getattr(self, name) for name in ("stratum", "text", "severity", "annotator")}
        probability = {} if self.pi is None else {"pi": self.pi}
        return {"id": self.id, **said, **probability, **{name: value for name, value in more.items() if value}}


@dataclass(frozen=True, slots=True)
class LabelFile:
    """Labels, at most one a claim.

    Attributes:
        digest: First eight digits of the SHA-256 of what they say, for signatures.
        open: Claims that were chosen (`"label": null`) and have no label yet. The probabilities of those that have
            one are multiplied by the share of their stratum that has one: pages show claims in random order.
        chosen: All that were chosen, labelled first, with the probabilities that the file gives.
    """

    path: Path
    labels: tuple[ClaimLabel, ...]
    digest: str
    open: tuple[ClaimLabel, ...] = ()
    chosen: tuple[ClaimLabel, ...] = ()
    of: Of = "claims"

    @property
    def n_open(self) -> int:
        """How many chosen claims have no label."""
        return len(self.open)

    @property
    def has_probabilities(self) -> bool:
        """Whether every label says with which probability its claim was chosen."""
        return all(one.pi is not None for one in self.labels)


def claim_label_of(value: object, of: Of = "claims") -> str | None:
    """One of `LABELS`, by the names that people use; None if unknown.

    >>> claim_label_of("S"), claim_label_of("not settled"), claim_label_of("IR"), claim_label_of("maybe")
    ('supported', 'unsupported', 'bad', None)
    >>> claim_label_of("omitted", "statements"), claim_label_of("omitted")
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
    found = label_of(value)
    return found if found in LABELS else None


def read_labels(path: Path) -> LabelFile:
    """The labels in *path*, JSON Lines.

    Raises:
        InputError: A line cannot be used, a claim has two labels, or only some labels have a `pi`.
    """
    labels, open_ = read_parts(path)
    seen: dict[tuple[str, int], ClaimLabel] = {}
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
    digest = digest_of(labels)
    return LabelFile(path, answered(labels, open_), digest, open_, (*labels, *open_), labels[0].of)


def answered(labels: Sequence[ClaimLabel], open_: Sequence[ClaimLabel]) -> tuple[ClaimLabel, ...]:
    """*labels* with their probabilities brought down by the share of each stratum that has a label."""
    there = Counter(one.stratum for one in labels)
    missing = Counter(one.stratum for one in open_)
    return tuple(
        one if one.pi is None else replace(one, pi=one.pi * there[one.stratum] / (there + missing)[one.stratum])
        for one in labels
    )


def read_parts(path: Path) -> tuple[tuple[ClaimLabel, ...], tuple[ClaimLabel, ...]]:
    """The labels of a file, however many a claim has, and the claims that were chosen and have none."""
    labels: list[ClaimLabel] = []
    open_: list[ClaimLabel] = []
    for number, record in read_rows(path, values=("claim", "statement", "label", "pi", "faults")):
        said = next((name for name in _STAND_INS if name in record), "label")
        if said in record and record[said] is None:
            open_.append(_label({**record, said: _STAND_INS[said]}, path, number))
        else:
            labels.append(_label(record, path, number))
    if not labels:
        raise InputError(f"{path}: no label", kind="empty_file")
    for one in (*labels, *open_):
        if one.of != labels[0].of:
            raise _make_error(
                path, one.line, _FIELD[one.of], f"the other lines label {labels[0].of}; use one file for each"
            )
    return tuple(labels), tuple(open_)


def digest_of(labels: Sequence[ClaimLabel]) -> str:
    """The same for the same labels, in whatever order they stand."""
    said = sorted(
        json.dumps([one.id, one.claim, one.label, one.pi, one.stratum, *([one.of] if one.of != "claims" else [])])
        for one in labels
    )
    return hashlib.sha256("\n".join(said).encode("utf-8", "surrogatepass")).hexdigest()[:8]


def _label(record: Mapping[str, Any], path: Path, number: int) -> ClaimLabel:
    if record.get("chosen") in ("queue", "sample"):
        raise _make_error(
            path,
            number,
            "chosen",
            "these are decisions of a review; estimates need claims drawn at random: "
            "`fas labels import FILE --from report --run DIR` takes those of the page's random sample",
        )
    name = plain_number(record.get("id"))
    if isinstance(name, bool) or not isinstance(name, str | int):
        raise _make_error(path, number, "id", f"expected the id of an answer, got {name!r}")
    of, claim, label = _read_label(record, path, number)
    pi = record.get("pi")
    probability = parse_finite(pi)
    if pi is not None and (isinstance(pi, bool) or probability is None or not 0 < probability <= 1):
        raise _make_error(path, number, "pi", f"expected a probability above 0 and up to 1, got {pi!r}")
    texts = {}
    for text in ("stratum", "text", "severity", "annotator"):
        value = record.get(text)
        if value is not None and not isinstance(value, str):
            raise _make_error(path, number, text, f"expected a string, got {value!r}")
        texts[text] = value or ""
    return ClaimLabel(str(name), claim, label, probability, line=number, of=of, **texts)


def _read_label(record: Mapping[str, Any], path: Path, number: int) -> tuple[Of, int, str]:
    """What a line is a label of, the number of it in its answer, and the label."""
    if "preferred" in record:
        better = record["preferred"]
        if better not in PREFERRED:
            raise _make_error(path, number, "preferred", f"expected one of {', '.join(PREFERRED)}, got {better!r}")
        return "pairs", 1, better
    of: Of = "statements" if "statement" in record and "claim" not in record else "claims"
    if of == "claims" and "faults" in record:
        of = "faults"
    field = "statement" if of == "statements" else "claim"
    claim = plain_number(record.get(field))
    if isinstance(claim, bool) or not isinstance(claim, int) or claim < 1:
        raise _make_error(path, number, field, f"expected the number of a {field}, counted from 1, got {claim!r}")
    if of == "faults":
        faults = fault_label(record["faults"])
        if faults is None:
            raise _make_error(
                path, number, "faults", f"expected a list of {', '.join(KINDS)}, got {record['faults']!r}"
            )
        return of, claim, faults
    label = claim_label_of(record.get("label"), of)
    if label is None:
        names = LABELS if of == "claims" else (*COVERED.values(), BAD)
        raise _make_error(path, number, "label", f"expected one of {', '.join(names)}, got {record.get('label')!r}")
    return of, claim, label


def _make_error(path: Path, line: int, field: str, what: str) -> InputError:
    return InputError(f"{path}, line {line}: field {field!r}: {what}", kind="type", line=line, field=field)


VALID = "valid"
_NAMES = {
    "incorrectly_structured": "misstructured",
    "wrong_structure": "misstructured",
    "hallucination": "hallucinated",
}


def fault_label(names: object) -> str | None:
    """The label that a line's list of *names* stands for; None if it is no list of known names.

    >>> fault_label(["redundant", "Context-dependent"]), fault_label([]), fault_label(["odd"])
    ('context_dependent+redundant', 'valid', None)
    """
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        return None
    plain = {"_".join(name.lower().replace("-", " ").replace("_", " ").split()) for name in names}
    known = {_NAMES.get(name, name) for name in plain}
    return join_faults(known) if known <= set(KINDS) else None


def join_faults(names: Iterable[str]) -> str:
    """One label of several faults, in their order; `valid` for none."""
    kept = set(names)
    return "+".join(name for name in KINDS if name in kept) or VALID


def find_faults(label: str) -> tuple[str, ...]:
    """The faults of a label.

    >>> find_faults("incomplete+redundant"), find_faults("valid")
    (('incomplete', 'redundant'), ())
    """
    return () if label == VALID else tuple(label.split("+"))


def majority(labels: Sequence[str]) -> str | None:
    """The faults that most people found; None where as many say one thing of a fault as the other.

    >>> majority(["incomplete", "incomplete+redundant", "valid"]), majority(["valid", "redundant"])
    ('incomplete', None)
    """
    votes = Counter(name for label in labels for name in find_faults(label))
    if any(2 * n == len(labels) for n in votes.values()):
        return None
    return join_faults(name for name, n in votes.items() if 2 * n > len(labels))
