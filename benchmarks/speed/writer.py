"""Answers put together from the sentences of `examples/`, each sentence with a number of its own: no cache answers twice."""

from __future__ import annotations

import itertools
import random

from benchmarks.speed.pipeline import ROOT, sentences

LENGTHS = {"short": (30, 1, 40), "long": (150, 5, 200)}  # words an answer, passages, words a passage


class Writer:
    """Writes answers in which no sentence occurs twice."""

    def __init__(self, seed: int) -> None:
        self._rng = random.Random(seed)
        self._number = itertools.count(1)
        self._answers = sentences(ROOT / "examples/answers.jsonl", "prediction")
        self._notes = sentences(ROOT / "examples/evidence.jsonl", "text")

    def text(self, pool: list[str], words: int) -> str:
        """At least *words* words."""
        parts: list[str] = []
        while sum(len(part.split()) for part in parts) < words:
            sentence = self._rng.choice(pool)
            parts.append(f"In group {next(self._number)}, {sentence[0].lower()}{sentence[1:]}")
        return " ".join(parts)

    def answers(self, n: int, length: str) -> list[dict]:
        """Answers of a length, each with evidence of its own."""
        words, n_passages, passage = LENGTHS[length]
        return [
            {
                "question": "What should I know?",
                "prediction": self.text(self._answers, words),
                "references": [self.text(self._answers, words)],
                "passages": [self.text(self._notes, passage) for _ in range(n_passages)],
            }
            for _ in range(n)
        ]
