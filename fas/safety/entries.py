"""Short entries that allow a drug under a condition: "Yes" in the row of a drug, below "Safe in pregnancy?".

In a table the drug heads the row and the condition the column, or the other way round; in a list the drug is the
heading and an item says "Pregnancy: safe".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from fas.safety.asserted import patient_under
from fas.safety.cells import cells
from fas.safety.cues import ALLOWING, ALLOWING_DEGREE
from fas.safety.directive import Directive
from fas.safety.matcher import Mention
from fas.safety.patient import Patient
from fas.safety.rules import Condition
from fas.safety.segments import Segment

_ASKS_WHETHER = re.compile(
    r"\W*(?:is it |considered )?(?:safe|safety|ok|okay|fine|allowed|suitable|compatible|use|"
    r"(?:can|may) (?:be )?(?:used?|taken?|given))\b",
    re.IGNORECASE,
)
_SAFE = re.compile(
    rf"[\W_]*+(?:yes\W++)?{ALLOWING_DEGREE}(?:{ALLOWING}|can be (?:used|taken|given))\b",
    re.IGNORECASE,
)
_YES = re.compile(r"[\W_]*yes\b|\s*[✅✔☑✓]\ufe0f?\s*$|[\W_]*(?:allowed|permitted)\b", re.IGNORECASE)
# "**Yes**"; one star behind a word leads to a note.
_EMPHASIS = re.compile(r"(\*\*?|__?)(\S[^*_]*)\1")
_FIELD = re.compile(r"\W*(?P<label>[^:\n]{3,60}):(?P<value>[^:\n]{1,80})")
_WARNS = re.compile(r"\b(?:not|avoid\w*|unsafe|contra-?indicat\w*|risks?|harm\w*|problems?)\b", re.IGNORECASE)
_LIMITED = re.compile(
    r"\b(?:not?|n't|never|avoid\w*|unsafe|only|unless|except|but|however|caution\w*|careful\w*|limited|if|consult|ask|talk|"
    r"doctor|monitor\w*|depends?|until|before|after|first|second|third|trimester|sometimes|possibly|maybe|low(?:er|est)?|"
    r"short|contra-?indicated)\b|[❌✗✘⚠🚫?*†‡]",
    re.IGNORECASE,
)


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
        field = _FIELD.fullmatch(item.text)
        if field is None or len({mention.lead for mention in named}) != 1 or _LIMITED.search(field["value"]):
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
            cell = _EMPHASIS.sub(r"\2", raw)
            if _LIMITED.search(cell):
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
    if _WARNS.search(head):
        return False
    return _SAFE.match(cell) is not None or (_ASKS_WHETHER.match(head) is not None and _YES.match(cell) is not None)
