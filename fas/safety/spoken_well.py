"""Whether a sentence speaks well of what it names: it allows, praises or doses, and holds no word of warning.

Beside a rule that forbids a drug to the very people whom a sentence names, how the sentence is built matters little:
whoever writes correctly of the two writes a word of warning. What is said against the drug and taken back ("is no
obstacle to", "does not rule out") is praise. The words are rows of `verdicts.tsv`, each with an example; in a row
`{no}` stands for a negation with up to three words behind it.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Literal, get_args

from fas.safety.tables import Column, read_table

TABLE = Path(__file__).with_name("verdicts.tsv")
Says = Literal["taken back", "neutral", "warns", "good"]
COLUMNS = (
    Column("says", required=True, allowed=frozenset(get_args(Says))),
    Column("words", required=True),
    Column("example", required=True),
)
_NO = r"(?:\b(?:no|not|never|nothing|without|hardly|neither|need not|cannot)|n['’]t)\s(?:(?!but\b|and\b)[\w-]+\s){0,3}?"
_SIGNS = r"|n['’]t\b|[?❌⚠🚫]"
# What stands before "safer than" is praised, what stands behind it is not.
_COMPARED = re.compile(
    r"\b(?:(?:safer|better|gentler|milder|kinder|more (?:effective|suitable|appropriate|gentle|reliable|useful)|"
    r"less (?:harmful|risky|dangerous|toxic))\s(?:[\w-]+\s){0,4}?than|prefer(?:able|red) (?:to|over))\b[^.;:,]*",
    re.IGNORECASE,
)


def rows() -> tuple[tuple[Says, str, str], ...]:
    """The rows of the table: what the words say, the words as a pattern, and an example."""
    kinds: dict[str, Says] = {kind: kind for kind in get_args(Says)}
    return tuple((kinds[row["says"]], _pattern(row["words"]), row["example"]) for row in read_table(TABLE, COLUMNS))


def _pattern(written: str) -> str:
    return written.replace("{no}", _NO) if written.startswith("{no}") else rf"\b(?:{written})"


@cache
def words(says: Says) -> re.Pattern[str]:
    """What finds any word that says so."""
    joined = "|".join(pattern for kind, pattern, _ in rows() if kind == says)
    return re.compile(rf"(?:{joined})\b{_SIGNS if says == 'warns' else ''}", re.IGNORECASE)


def speaks_well(sentence: str, at: int | None = None) -> bool:
    """Whether *sentence* allows or praises something and warns of nothing.

    Args:
        sentence: The sentence.
        at: Where the drug stands that is asked about; what it is compared with ("safer than ...") is praised less.

    >>> speaks_well("Epilepsy is no obstacle to bupropion."), speaks_well("Bupropion is unsafe in epilepsy.")
    (True, False)
    """
    if at is not None:
        for compared in reversed(list(_COMPARED.finditer(sentence))):
            if compared.start() <= at < compared.end():
                return False
            if at < compared.start():
                sentence = f"{sentence[: compared.start()]}good{sentence[compared.end() :]}"
    rest = words("taken back").sub(" ", sentence)
    taken_back = rest != sentence
    rest = words("neutral").sub(" ", rest)
    return words("warns").search(rest) is None and (taken_back or words("good").search(rest) is not None)


def contradicts(sentence: str, at: int) -> bool:
    """Whether a sentence that speaks well takes a warning back, or calls what stands *at* safer."""
    praised = any(at < compared.start() for compared in _COMPARED.finditer(sentence))
    return praised or words("taken back").search(sentence) is not None
