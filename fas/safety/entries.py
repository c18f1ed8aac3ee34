"""Short entries that allow a drug under a condition: "Yes" in the row of a drug, below "Safe in pregnancy?".

In a table the drug heads the row and the condition the column, or the other way round; in a list the drug is the
heading and an item says "Pregnancy: safe".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from fas.reading.pattern_tables import patterns_of
from fas.safety.asserted import patient_under
from fas.safety.cells import cells
from fas.safety.directive import Directive
from fas.safety.matcher import Mention
from fas.safety.patient import Patient
from fas.safety.rules import Condition
from fas.safety.segments import Segment

ENTRIES = patterns_of(__file__)


def allowed_in_entries(
    plain: str,
    segments: Sequence[Segment],
    mentions: Sequence[Sequence[Mention]],
    patient: Patient,
    conditions: Mapping[str, Condition],
) -> Iterator[tuple[Mention, int, Directive, Patient]]:
    """Each drug that an entry allows without a limit, the number of its segment, the permission, and to whom.

    A head that asks whether it is safe is answered by "yes", by a tick or by "safe"; one that only names the condition
    by "safe" alone, as "yes" may say that the drug is one for it.

    Args:
        plain: The answer.
        segments: Its segments.
        mentions: Drug mentions of each segment; offsets are into *plain*.
        patient: What is known of the patient.
        conditions: Conditions that can be found.
    """
    yield from _in_rows(plain, segments, mentions, patient, conditions)
    for number, item in enumerate(segments):
        if item.kind not in ("item", "sentence") or item.head is None or mentions[number]:
            continue
        named = mentions[item.head]
        field = ENTRIES.field.fullmatch(item.text)
        if field is None or len({mention.lead for mention in named}) != 1 or ENTRIES.limited.search(field["value"]):
            continue
        under = patient_under(field["label"], patient, conditions) if _allows(field["label"], field["value"]) else None
        if under is not None:
            yield named[0], number, _permission((0, len(item.text.rstrip()))), under


def _in_rows(
    plain: str,
    segments: Sequence[Segment],
    mentions: Sequence[Sequence[Mention]],
    patient: Patient,
    conditions: Mapping[str, Condition],
) -> Iterator[tuple[Mention, int, Directive, Patient]]:
    top = 0
    for number, row in enumerate(segments):
        before = segments[number - 1] if number else None
        if row.kind != "row" or before is None or before.kind != "row" or before.block != row.block:
            top = number  # the first row of a table, if it is one
            continue
        if not mentions[number] and not mentions[top]:
            continue
        own, heads = cells(plain, row), cells(plain, segments[top])
        first = next((n for n, (start, end) in enumerate(own) if plain[start:end].strip()), len(own))
        opening = plain[slice(*own[first])] if first < len(own) else ""
        for column in range(first + 1, min(len(own), len(heads))):
            start, end = own[column]
            raw = plain[start:end]
            cell = ENTRIES.emphasis.sub(r"\2", raw)
            if ENTRIES.limited.search(cell):
                continue
            for drug, where, condition in ((own[first], number, heads[column]), (heads[column], top, own[first])):
                named = [m for m in mentions[where] if drug[0] <= m.start and m.end <= drug[1]]
                head = plain[slice(*condition)]
                if not named or not _allows(head, cell):
                    continue
                under = patient_under(head, patient, conditions)
                if under is not None:
                    # From the first cell on, so that whoever reads the span sees what is allowed or when.
                    left = own[first][0] + len(opening) - len(opening.lstrip())
                    clause = (left - row.start, start + len(raw.rstrip()) - row.start)
                    yield from ((mention, number, _permission(clause), under) for mention in named)


def _permission(clause: tuple[int, int]) -> Directive:
    return Directive("weak", permissive=True, compatible=True, allowed=True, in_entry=True, clause=clause)


def _allows(head: str, cell: str) -> bool:
    if ENTRIES.warns.search(head):
        return False
    return ENTRIES.safe.match(cell) is not None or (
        ENTRIES.asks_whether.match(head) is not None and ENTRIES.yes.match(cell) is not None
    )
