"""What leaving out a statement could do: the harm of an omission, by the kind of statement.

`omission_harm.tsv` has a row for each way to say such a statement: kind, severity in the words of the safety tables,
source of the kind, review, a regular expression and an example. The sources say that labels or services must tell
patients this kind of thing; severities are ordered like those of the flags in `safety/README.md`. No row has been
reviewed by a clinician.
"""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import NamedTuple

from fas.core.records.statements import HARM_WEIGHTS, CoveredStatement, Harm, Statement

TABLE = Path(__file__).with_suffix(".tsv")
# Words of inputs (K-QA, MedExpert's export, the safety tables) for how bad an omission is.
_GIVEN = {
    **dict.fromkeys(("high", "severe", "life-threatening", "critical"), "high"),
    **dict.fromkeys(("medium", "moderate"), "medium"),
    **dict.fromkeys(("low", "mild"), "low"),
    **dict.fromkeys(("info", "none"), "info"),
}


class HarmRow(NamedTuple):
    """A way to say something whose omission could harm."""

    kind: str
    severity: str
    source: str
    review: str
    expression: str
    example: str

    def finds(self, text: str) -> bool:
        """Whether *text* says it this way."""
        return re.search(self.expression, text, re.IGNORECASE) is not None


@cache
def harm_rows() -> tuple[HarmRow, ...]:
    """The rows of the table, in its order."""
    with TABLE.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    return tuple(HarmRow(**row) for row in rows)


def find_harm(statement: Statement) -> Harm | None:
    """What leaving out *statement* could do; None where nothing says that it could do harm.

    A severity that came with the statement counts if its word is known; else the gravest kind that the table finds.

    >>> find_harm(Statement("The maximum daily dose is 4 grams."))
    Harm(severity='high', kind='dose limit')
    """
    found = [row for row in harm_rows() if row.finds(statement.text)]
    worst = max(found, key=lambda row: HARM_WEIGHTS[row.severity], default=None)
    given = _GIVEN.get((statement.severity or "").strip().lower())
    if given is not None:
        return Harm(given, worst.kind if worst else None)
    return Harm(worst.severity, worst.kind) if worst else None


def weigh_omissions(statements: Iterable[CoveredStatement]) -> float:
    """The share of the harm of the judged `must` statements that lies on those the answer does not cover, in [0, 1].

    A statement that the answer denies leaves its reader as unwarned as one that it omits. NaN where no statement has
    harm.

    >>> high, low = Harm("high", "red flag"), Harm("low", "monitoring")
    >>> one = CoveredStatement(Statement("Seek immediate help for chest pain."), "omitted", harm=high)
    >>> weigh_omissions([one, CoveredStatement(Statement("Have it monitored."), "covered", harm=low)])
    0.8
    """
    judged = [one for one in statements if one.statement.kind == "must" and one.label != "unverified" and one.harm]
    weights = [(HARM_WEIGHTS[one.harm.severity], one.label != "covered") for one in judged if one.harm]
    total = sum(weight for weight, _ in weights)
    return sum(weight for weight, left in weights if left) / total if total else math.nan
