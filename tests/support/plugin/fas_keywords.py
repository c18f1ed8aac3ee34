"""A whole verifier in twenty lines: a claim is supported if the passage has all its long words."""

import re
from collections.abc import Sequence

from fas.core.records import Judgement, Pair


class KeywordVerifier:
    needs_evidence = True

    def __init__(self, *, shortest: int = 6) -> None:
        self.shortest = shortest
        self.signature = f"keywords[fas-keywords@1.0,shortest={shortest}]"

    def verify(self, pairs: Sequence[Pair]) -> list[Judgement]:
        return [self._judge(pair.claim.text, pair.passage.text if pair.passage else "") for pair in pairs]

    def _judge(self, claim: str, passage: str) -> Judgement:
        words = {word for word in re.findall(r"\w+", claim.lower()) if len(word) >= self.shortest}
        found = words <= set(re.findall(r"\w+", passage.lower()))
        return Judgement(p_support=0.9 if found else 0.05, p_contradict=0.05)
