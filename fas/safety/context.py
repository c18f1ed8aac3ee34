"""What the words around an entity say of it: the ConText model (Harkema et al., 2009), by the rows of `context.tsv`.

A row is a trigger: a modifier, the side of the entity that its words stand on, and the words. Its scope ends where the
sentence does or where a word begins a new thought (`but`, `however`, a semicolon). All triggers and terminators of a
text are found once, whatever the number of its entities, so that the work grows with the text alone.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from functools import cache
from pathlib import Path

from fas.safety.tables import SafetyColumn, read_table

TABLE = Path(__file__).with_name("context.tsv")
SIDES = frozenset({"before", "after"})
COLUMNS = (
    SafetyColumn("modifier", required=True, pattern=r"[a-z]+", example="denied"),
    SafetyColumn("side", required=True, allowed=SIDES),
    SafetyColumn("words", required=True),
    SafetyColumn("example", required=True, pattern=r".*\[.+\].*", example="You have no [asthma]."),
)
FARTHEST = 160
"""Characters over which a trigger reaches at most."""
_ENDS = re.compile(
    r"[.!?](?=\s|$)|[;:()\n|]|,? (?:but|however|although|though|whereas|while|yet|because|so that|"
    r"which|until|except)\b",
    re.IGNORECASE,
)


@cache
def load_triggers() -> tuple[tuple[str, str, re.Pattern[str]], ...]:
    """Modifier, side and compiled words; the rows of one modifier and side are one expression."""
    words: dict[tuple[str, str], list[str]] = {}
    for row in read_table(TABLE, COLUMNS):
        words.setdefault((row["modifier"], row["side"]), []).append(row["words"])
    return tuple(
        (modifier, side, re.compile(rf"(?<![\w-])(?:{'|'.join(rows)})(?![\w-])", re.IGNORECASE))
        for (modifier, side), rows in words.items()
    )


class Context:
    """The triggers of one text.

    Args:
        text: A sentence, item or row, or several.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self._ends = [match.start() for match in _ENDS.finditer(text)]
        self._found = [
            (f"{modifier} {side}", side, spans)
            for modifier, side, pattern in load_triggers()
            if (spans := [match.span() for match in pattern.finditer(text)])
        ]

    def said(self, start: int, end: int) -> dict[str, float]:
        """The modifiers of the entity from *start* to *end*, each with its side and its nearness.

        1 for a trigger beside the entity, falling to 0.5 at the farthest that it reaches; a modifier that no trigger in
        scope gives is missing.
        """
        at = bisect_left(self._ends, start)
        first = self._ends[at - 1] if at else 0
        at = bisect_left(self._ends, end)
        last = self._ends[at] if at < len(self._ends) else len(self.text)
        found = {}
        for name, side, spans in self._found:
            if side == "before":
                at = bisect_right(spans, (start, -1)) - 1
                gap = start - spans[at][1] if at >= 0 and spans[at][0] >= first and spans[at][1] <= start else None
            else:
                at = bisect_left(spans, (end, -1))
                gap = spans[at][0] - end if at < len(spans) and spans[at][0] < last else None
            if gap is not None and gap <= FARTHEST:
                found[name] = 1 - gap / (2 * FARTHEST)
        return found

    def anywhere(self) -> frozenset[str]:
        """The modifiers whose words occur anywhere in the text."""
        return frozenset(name for name, _, _ in self._found)
