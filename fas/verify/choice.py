"""Which windows of a passage a claim is judged against: those most likely to settle it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from fas.records import Pair, Passage
from fas.text.asking import is_asking
from fas.text.windows import NOTHING_TO_READ, Nearest, Sentences, Window, nearest, split_passage, windows
from fas.verify.features import content_words

if TYPE_CHECKING:
    from fas.models.encoder import Encoder
    from fas.text.windows import Floats, Vectors


class WindowChoice:
    """Chooses windows by the cosine of sentence vectors, by shared words and by place (`windows.nearest`).

    Sentences that ask, aim or leave open (`fas.text.asking`) are in no window: they say what somebody wanted to know.

    Args:
        encoder: Gives the vectors; every text is encoded once per call.
        n: Windows per passage at most.
        reads_asking: Read such sentences all the same, to measure what leaving them out does.
    """

    def __init__(self, encoder: Encoder, n: int, *, reads_asking: bool = False) -> None:
        self.encoder = encoder
        self.reads_asking = reads_asking
        self._n = n

    def choose(self, pairs: Sequence[Pair], *, among: Sequence[Sequence[Window]] | None = None) -> list[Nearest]:
        """The nearest windows of each pair's passage; none without a passage, or where it states nothing.

        Args:
            pairs: Claims with passages.
            among: For each pair the windows to choose from; all by default. Only their sentences are encoded.
        """
        import numpy as np

        passages = list(dict.fromkeys(pair.passage for pair in pairs if pair.passage is not None))
        split = {passage: split_passage(passage) for passage in passages}
        if among is None:
            every = {passage: self._windows(passage, split[passage]) for passage in passages}
            among = [() if pair.passage is None else every[pair.passage] for pair in pairs]
        wanted: dict[Passage, set[int]] = {passage: set() for passage in passages}
        for pair, candidates in zip(pairs, among, strict=True):
            if pair.passage is not None:
                wanted[pair.passage].update(i for window in candidates for i in window.sentences)
        texts = [pair.claim.text for pair in pairs]
        texts += [split[passage].texts[i] for passage, chosen in wanted.items() for i in sorted(chosen)]
        row = {text: i for i, text in enumerate(dict.fromkeys(texts))}
        vectors = self.encoder.embed(list(row))
        words = {text: content_words(text) for text in row}
        own: dict[Passage, Vectors] = {}
        for passage, chosen in wanted.items():
            # Sentences that no candidate is made of stay zero: nothing reads them.
            own[passage] = np.zeros((len(split[passage].texts), vectors.shape[1]), dtype=np.float32)
            for i in chosen:
                own[passage][i] = vectors[row[split[passage].texts[i]]]
        found: list[Nearest] = []
        for pair, candidates in zip(pairs, among, strict=True):
            if pair.passage is None:
                found.append(NOTHING_TO_READ)
                continue
            of_sentence = {i: words[split[pair.passage].texts[i]] for window in candidates for i in window.sentences}
            shared = _shared(words[pair.claim.text], of_sentence, candidates)
            vector = vectors[row[pair.claim.text]]
            found.append(nearest(vector, own[pair.passage], candidates, self._n, shared=shared))
        return found

    def _windows(self, passage: Passage, sentences: Sentences) -> list[Window]:
        """The windows of a passage that state something."""
        states = [self.reads_asking or not is_asking(text) for text in sentences.texts]
        return [window for window in windows(passage, sentences) if all(states[i] for i in window.sentences)]

    def left_out(self, passage: Passage) -> tuple[str, ...]:
        """The sentences of *passage* that no window holds, as they ask."""
        return () if self.reads_asking else tuple(text for text in split_passage(passage).texts if is_asking(text))


def _shared(claim: frozenset[str], of_sentence: Mapping[int, frozenset[str]], candidates: Sequence[Window]) -> Floats:
    """The share of the claim's words that each window holds; 0 for a claim without any."""
    import numpy as np

    held = {i: claim & words for i, words in of_sentence.items()}
    counts = [len(frozenset().union(*(held[i] for i in window.sentences))) for window in candidates]
    return np.array(counts, dtype=np.float64) / max(1, len(claim))
