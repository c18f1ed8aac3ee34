"""Controlled corruption: expert answers of which a known share of statements is made false.

A statement is a sentence with a verb that asks nothing. Of an answer's statements the wanted share is replaced, each by
one edit of `fas.bench.falsify`, as the seed and the answer alone decide. A larger share replaces the statements of a
smaller one, too, by the same edits. The gold of a corrupted answer is the share of its statements left as they were.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import NamedTuple

from fas.bench.dataset import Candidate, Item
from fas.bench.falsify import KINDS, Edit, Kind, draw_edit, read_statements

SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)


class Change(NamedTuple):
    """One statement (counted from 0) made false: *after* is at `[start:end]` of the corrupted answer (code points)."""

    kind: Kind
    statement: int
    start: int
    end: int
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Corruption:
    """An answer with its changes in the order of the text; *n_fixed* statements no rule could make false."""

    text: str
    changes: tuple[Change, ...]
    n_statements: int
    n_fixed: int

    @property
    def share(self) -> float:
        """Share of the statements that were made false; 0 for an answer without any."""
        return len(self.changes) / self.n_statements if self.n_statements else 0.0


class Corruptor:
    """Makes shares of one answer's statements false; parses the answer once.

    A statement's rule is drawn among those of *kinds* that it allows; a ValueError where there is no such kind.
    """

    def __init__(self, text: str, *, seed: int = 0, kinds: Sequence[Kind] = KINDS) -> None:
        unknown = [kind for kind in kinds if kind not in KINDS]
        if unknown or not kinds:
            raise ValueError(f"`kinds` must be some of {', '.join(KINDS)}, got {list(kinds)!r}")
        self.text = text
        sentences = [tokens for _, tokens in read_statements(text)]
        self.n_statements = len(sentences)
        self._edits: dict[int, Edit] = {}
        for number, sentence in enumerate(sentences):
            edit = draw_edit(kinds, sentence, text, Random(f"{seed}|{number}|{text}"))
            if edit is not None:
                self._edits[number] = edit
        self._order = sorted(self._edits)
        Random(f"{seed}|{text}").shuffle(self._order)

    @property
    def n_fixed(self) -> int:
        """Statements that no rule can make false."""
        return self.n_statements - len(self._edits)

    def corrupt(self, share: float) -> Corruption:
        """The answer with *share* of its statements made false, as near as they allow; a ValueError outside [0, 1].

        The number is rounded half up; `Corruption.share` is the share reached.
        """
        if not 0.0 <= share <= 1.0:
            raise ValueError(f"`share` must be in [0, 1], got {share!r}")
        wanted = int(share * self.n_statements + 0.5)
        pieces, changes, position, length = [], [], 0, 0
        for number in sorted(self._order[:wanted]):
            edit = self._edits[number]
            start = length + edit.start - position
            length = start + len(edit.after)
            pieces += [self.text[position : edit.start], edit.after]
            changes.append(Change(edit.kind, number, start, length, self.text[edit.start : edit.end], edit.after))
            position = edit.end
        text = "".join([*pieces, self.text[position:]])
        return Corruption(text, tuple(changes), self.n_statements, self.n_fixed)


def corrupt_items(items: Iterable[Item], *, shares: Sequence[float] = SHARES, seed: int = 0) -> Iterator[Candidate]:
    """One candidate per question and share, made of the question's first reference; gold is the share left true.

    The models are called `corrupted-000` to `corrupted-100`. `meta["source_reference"]` is the reference's number: a
    run must not compare the answer with the text it was made of where there is another. Questions without a reference,
    or whose reference holds no statement, give nothing. A ValueError where a share is outside [0, 1].
    """
    for item in items:
        corruptor = Corruptor(item.references[0], seed=seed) if item.references else None
        if corruptor is None or corruptor.n_statements == 0:
            continue
        for share in shares:
            result = corruptor.corrupt(share)
            meta = {
                "judged_by": "corruption",
                "source_reference": 0,
                "share_wanted": share,
                "share_false": result.share,
                "n_statements": result.n_statements,
                "n_fixed": result.n_fixed,
                "changes": [change._asdict() for change in result.changes],
                **{f"n_{kind}": n for kind, n in Counter(change.kind for change in result.changes).items()},
            }
            yield Candidate(item.id, f"corrupted-{round(100 * share):03d}", 0, result.text, 1.0 - result.share, meta)
