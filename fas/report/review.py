"""The reviewer's queue: every claim of a run, in the order in which somebody should look at it.

First what is contradicted, the surest first; then what a safety flag lies on, the gravest first, and flags that lie
on no claim; then what is unsupported, nearest to a contradiction first; then unverified and supported claims, for
whoever wants to see these, too. A claim takes 21 bytes until the page is written.

The queue also has a random order of the claims with a verdict: those that somebody decided without a gap from its
beginning on are a simple random sample, from which `fas labels` may estimate.
"""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Mapping
from heapq import heappush, heappushpop
from typing import Any, NamedTuple

import numpy as np

from fas.core.records import LABELS
from fas.core.records.stored import AnswerRecord, ClaimRecord, FlagRecord
from fas.report.tables import number
from fas.scoring.aggregate import UNCOUNTED

KINDS = ("contradicted", "flagged", "unsupported", "unverified", "supported")
_SEVERITIES = ("high", "medium", "low", "info")
_FEW = 5  # entries at the top of the page
_CONFLICTING = 64
NO_LABEL = 7


class First(NamedTuple):
    """An entry for the top of the page: the claim or the flagged text, and what to say of it."""

    answer: str
    number: int
    kind: str
    text: str
    beside: str


class Queue:
    """The claims of a run as they come; `data` has them in order.

    Attributes:
        n: Label, or `flagged`, to the number of entries; a claim with a flag counts for both.
        answers: The same to the number of answers with one.
    """

    def __init__(self) -> None:
        self._rows, self._numbers = array("I"), array("i")
        self._codes, self._keys = array("B"), array("f")
        self._draws = array("Q")
        self._flags: dict[int, list[int]] = {}
        self._first: dict[str, list[tuple[float, int, First]]] = {kind: [] for kind in KINDS[:2]}
        self.n = dict.fromkeys(KINDS, 0)
        self.answers = dict.fromkeys(KINDS, 0)

    def add(self, row: int, record: AnswerRecord, names: Mapping[str, int]) -> None:
        """Take the claims and flags of an answer; *names* has the number of every flag's name."""
        counted = [(i, flag) for i, flag in enumerate(record["flags"]) if flag["status"] not in UNCOUNTED]
        free = {i for i, _ in counted}
        seen: set[str] = set()
        for i, claim in enumerate(record["claims"]):
            own = [(k, flag) for k, flag in counted if meet(claim, flag)]
            free -= {k for k, _ in own}
            kind: str = claim["label"] if claim["label"] == "contradicted" or not own else "flagged"
            code = KINDS.index(kind) | LABELS.index(claim["label"]) << 3
            code |= _CONFLICTING if claim["conflicting"] else 0
            flags = sorted({names[flag["flag"]] for _, flag in own})
            self._add_row(row, i, code, _rank_entry(kind, claim, own), flags, draw_key(record["id"], i + 1))
            seen |= {claim["label"], *(["flagged"] if own else [])}
            if kind == "contradicted":
                p = claim["p_contradict"]
                sure = "" if p is None else f"P(contradict) {number(p)}"
                self._keep(kind, -_rank_entry(kind, claim, own), record["id"], i, claim["text"], sure)
            elif kind == "flagged":
                flag = min((flag for _, flag in own), key=_rank_flag)
                self._keep(kind, -_rank_flag(flag), record["id"], i, claim["text"], _describe_flag(flag))
        for k, flag in counted:
            if k in free:
                code = KINDS.index("flagged") | NO_LABEL << 3
                self._add_row(row, -k - 1, code, float(_rank_flag(flag)), [names[flag["flag"]]])
                seen.add("flagged")
                text = (record["prediction"] or "")[flag["start"] : flag["end"]]
                self._keep("flagged", -_rank_flag(flag), record["id"], -k - 1, text, _describe_flag(flag))
        for name in seen:
            self.answers[name] += 1

    def first(self, kind: str) -> list[First]:
        """The first entries of a kind, for the top of the page."""
        return [one for _, _, one in sorted(self._first[kind], key=lambda entry: (-entry[0], -entry[1]))]

    def data(self) -> dict[str, Any]:
        """For the page's script: row, number (-1 and below: a flag) and code of every entry, and the flags on it.

        `sample` has the places of the claims with a verdict in random order.
        """
        kinds = np.frombuffer(self._codes, dtype=np.uint8) & 7
        order = np.lexsort((np.arange(len(kinds)), np.frombuffer(self._keys, dtype=np.float32), kinds))
        place = {int(old): new for new, old in enumerate(order)} if self._flags else {}
        codes = np.frombuffer(self._codes, dtype=np.uint8)[order]
        judged = np.flatnonzero(codes >> 3 & 7 < LABELS.index("unverified"))
        draws = np.frombuffer(self._draws, dtype=np.uint64)[order][judged]
        return {
            "rows": np.frombuffer(self._rows, dtype=np.uint32)[order].tolist(),
            "numbers": np.frombuffer(self._numbers, dtype=np.int32)[order].tolist(),
            "codes": codes.tolist(),
            "sample": judged[np.argsort(draws, kind="stable")].tolist(),
            "flags": {str(place[old]): names for old, names in self._flags.items()},
        }

    def _add_row(self, row: int, number: int, code: int, key: float, flags: list[int], draw: int = 0) -> None:
        if flags:
            self._flags[len(self._rows)] = flags
        self._rows.append(row)
        self._numbers.append(number)
        self._codes.append(code)
        self._keys.append(key)
        self._draws.append(draw)
        label = code >> 3 & 7
        if label != NO_LABEL:
            self.n[LABELS[label]] += 1
        if flags:
            self.n["flagged"] += 1

    def _keep(self, kind: str, weight: float, answer: str, number: int, text: str, beside: str) -> None:
        entry = (weight, -len(self._rows), First(answer, number, kind, text, beside))
        (heappush if len(self._first[kind]) < _FEW else heappushpop)(self._first[kind], entry)


def draw_key(answer: str, number: int) -> int:
    """What the claim *number* (from 1) of an answer is sorted by in random order: the same in every run and process."""
    name = f"{answer}\0{number}".encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(name, digest_size=8).digest(), "big")


def meet(claim: ClaimRecord, flag: FlagRecord) -> bool:
    """Whether a claim and a flag share text of the answer; not where the claim has no place in it."""
    if claim["start"] is None or claim["end"] is None:
        return False
    return claim["start"] < flag["end"] and flag["start"] < claim["end"]


def _rank_entry(kind: str, claim: ClaimRecord, flags: list[tuple[int, FlagRecord]]) -> float:
    """What orders the entries of a kind, lowest first."""
    if kind == "flagged":
        return float(min(_rank_flag(flag) for _, flag in flags))
    if kind == "supported":
        return claim["p_support"] or 0.0
    return -(claim["p_contradict"] or 0.0)


def _rank_flag(flag: FlagRecord) -> int:
    severity = flag["severity"]
    return _SEVERITIES.index(severity) if severity in _SEVERITIES else len(_SEVERITIES)


def _describe_flag(flag: FlagRecord) -> str:
    return f"{flag['code']}: {flag['message']}"
