"""Verification by word overlap: no model, no download; a baseline, and a part for tests.

What it cannot see is the point of comparing with it: paraphrase, direction and negation
beyond a single word.
"""

from __future__ import annotations

from collections.abc import Sequence

from fas.core.records import Judgement, Pair
from fas.core.records.signature import PartSignature
from fas.text.sentences import sentence_spans
from fas.verify.features import content_words, has_negation, numbers_in


class LexicalVerifier:
    """Judges by the sentence that holds the largest share of the claim's content words.

    P(support) is that share; where the sentence is negated and the claim is not (or the other
    way round), or a number of the claim is missing from it while others are there, the share
    counts as P(contradict) instead.
    """

    needs_evidence = True
    signature = PartSignature("lexical", "1")

    def verify(self, pairs: Sequence[Pair]) -> list[Judgement]:
        """One judgement per pair."""
        return [_judge(pair) for pair in pairs]


def _judge(pair: Pair) -> Judgement:
    words = content_words(pair.claim.text)
    text = pair.passage.text if pair.passage is not None else ""
    best, span = 0.0, None
    for start, end in sentence_spans(text):
        share = len(words & content_words(text[start:end])) / len(words) if words else 0.0
        if share > best:
            best, span = share, (start, end)
    if span is None:
        return Judgement(0.0, 0.0)
    sentence = text[span[0] : span[1]]
    numbers, there = set(numbers_in(pair.claim.text)), set(numbers_in(sentence))
    opposed = has_negation(pair.claim.text) != has_negation(sentence) or bool(there and numbers - there)
    support, contradict = (0.0, best) if opposed else (best, 0.0)
    return Judgement(support, contradict, sentence, *span)
