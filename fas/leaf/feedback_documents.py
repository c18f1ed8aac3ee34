"""The documents of the next prompt: the evidence of the claims that failed their check (LEAF, section 2.2).

Joined from two files of a round: `scores.jsonl` says which claims failed, `evidence.jsonl` holds the text of what was
found for each. Claims stand in the order of the answer; their documents follow by rank, the best of the first claim,
the best of the second, ..., then the second best; equal documents once.
"""

from __future__ import annotations

import hashlib
from typing import Literal

from fas.core.records import Answer, Claim, Passage
from fas.core.records.stored import ClaimRecord
from fas.evidence.snapshot import SnapshotRetriever
from fas.leaf.rounds import RevisionRound
from fas.llm.passages import merge_passages

Trigger = Literal["unsupported", "contradicted"]
Whose = Literal["unsupported", "all"]
_EVERY = 1_000_000  # passages a claim: all that were recorded


class Knowledge:
    """The documents that the checks of a revision brought, by question.

    *trigger*: which claims fail: `unsupported` ones and contradicted ones (LEAF), or `contradicted` ones only. *whose*:
    documents of the claims that failed, or of `all`.
    """

    def __init__(self, *, trigger: Trigger, whose: Whose = "unsupported") -> None:
        self.trigger = trigger
        self.whose = whose
        self._open: dict[int, SnapshotRetriever] = {}

    def failed(self, claim: ClaimRecord) -> bool:
        """Whether a claim of `scores.jsonl` is a reason to answer again."""
        labels = ("contradicted",) if self.trigger == "contradicted" else ("contradicted", "unsupported")
        return claim["label"] in labels

    def of(self, identifier: str, rounds: list[RevisionRound]) -> tuple[Passage, ...]:
        """What the checks of *rounds* found for a question, that of the last round first."""
        lists = [self._find_passages(identifier, one) for one in reversed(rounds)]
        return merge_passages([[passage] for several in lists for passage in several])

    def close(self) -> None:
        """Close the files."""
        for reader in self._open.values():
            reader.close()
        self._open.clear()

    def _find_passages(self, identifier: str, one: RevisionRound) -> tuple[Passage, ...]:
        record = one.scores.get(identifier)
        if record is None or not one.evidence.exists():
            return ()
        claims = [Claim(claim["text"]) for claim in record["claims"] if self.whose == "all" or self.failed(claim)]
        if not claims:
            return ()
        if one.number not in self._open:
            self._open[one.number] = SnapshotRetriever(argument=str(one.evidence), k=_EVERY)
        found = self._open[one.number].retrieve(claims, [Answer(identifier, "")] * len(claims))
        return merge_passages([[p for p in retrieval.passages if p.text.strip()] for retrieval in found])


def document_key(passage: Passage) -> str:
    """What tells a document apart: its id, else a hash of its text."""
    if passage.id is not None:
        return passage.id
    return hashlib.sha256(passage.text.encode("utf-8", "replace")).hexdigest()[:12]
