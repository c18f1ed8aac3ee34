"""A language model that reads question and answer and names wrong sentences (Lasko et al., section 3.1).

`judge` (LLM-as-Judge) has only the model's own knowledge; `grounded` (LLM-as-Judge with RAG) also reads passages.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Unpack

from fas.core.errors import ProfileError
from fas.core.parts import Retriever
from fas.core.records import Answer, Claim, Passage
from fas.detectors.asking import Asker, Asking, load_findings_prompt
from fas.detectors.records import Findings
from fas.llm import Prompt, Reply
from fas.llm.passages import merge_passages, number_passages
from fas.text.sentences import sentence_spans

By = Literal["question", "sentence"]


class Judge:
    """One request an answer; the model's own knowledge.

    Args:
        prompt: A prompt file of your own (.toml) instead of the built-in one.
        asking: The model and its options (`fas.detectors.asking.Asking`).

    Raises:
        ValueError: An option is impossible, or the prompt file cannot be used.
    """

    _name = "judge"
    _placeholders: tuple[str, ...] = ("question", "answer")

    def __init__(self, *, prompt: str | None = None, **asking: Unpack[Asking]) -> None:
        self._asker = Asker(self._name, **asking)
        names = self._placeholders
        self._prompt = load_findings_prompt(prompt or self._name, names, names[1:])

    @property
    def signature(self) -> str:
        """E.g. `judge[gpt-5,prompt=1-5f0c2a9b,repair=1-8c1d2e3f]`."""
        return f"judge[{self._settings()}]"

    def _settings(self) -> str:
        asker = self._asker
        parts = [asker.model.signature, f"prompt={self._prompt.signature}", f"repair={asker.repair.signature}"]
        return ",".join([*parts, *asker.settings()])

    def detect(self, answers: Sequence[Answer]) -> list[Findings]:
        """The findings on each answer; an empty answer has none and needs no request.

        Raises:
            RunStopped: The model cannot be reached at all, or the budget is spent.
        """
        worded = [answer for answer in answers if answer.prediction.strip()]
        values, failures = self._values(worded)
        asked = [answer for answer in worded if answer.id not in failures]
        for one in asked:
            values.setdefault(one.id, {}).update(question=one.question, answer=one.prediction.strip())
        found = self._asker.findings([self._prompt.messages(values[one.id]) for one in asked], asked)
        by_id = {one.id: one for one in (*found, *(Findings(name, failure=why) for name, why in failures.items()))}
        return [by_id.get(answer.id) or Findings(answer.id) for answer in answers]

    def _values(self, answers: Sequence[Answer]) -> tuple[dict[str, dict[str, str | None]], dict[str, str]]:
        """More values of each answer's prompt, by identifier; and why there is none for other answers."""
        return {}, {}

    @staticmethod
    def made_up(prompt: Prompt) -> Reply:
        """For a dry run: a reply that finds nothing."""
        return Reply('{"findings": []}', finish="stop")


class Grounded(Judge):
    """One request an answer, with passages found for the question (or for every sentence of the answer).

    Args:
        retriever: Where passages come from.
        by: `question`, as published, or `sentence`: the sentences of the answer are searched for, and their
            passages read by rank.
        prompt: A prompt file of your own (.toml) instead of the built-in one.
        asking: The model and its options (`fas.detectors.asking.Asking`).

    Raises:
        ValueError: An option is impossible, or there is no source of passages.
    """

    _name = "grounded"
    _placeholders = ("question", "answer", "passages")

    def __init__(
        self,
        *,
        retriever: Retriever | None = None,
        by: By = "question",
        prompt: str | None = None,
        **asking: Unpack[Asking],
    ) -> None:
        if by not in ("question", "sentence"):
            raise ValueError(f"detector 'grounded': `by` must be 'question' or 'sentence', got {by!r}")
        if retriever is None or retriever.signature == "none":
            raise ProfileError("detector 'grounded' reads passages: name their source, e.g. --evidence index:DIR")
        self._retriever, self._by = retriever, by
        super().__init__(prompt=prompt, **asking)

    @property
    def signature(self) -> str:
        """E.g. `grounded[gpt-5,prompt=1-5f0c2a9b,repair=1-8c1d2e3f,by=question;index[...,k=10]]`."""
        return f"grounded[{self._settings()},by={self._by};{self._retriever.signature}]"

    def _values(self, answers: Sequence[Answer]) -> tuple[dict[str, dict[str, str | None]], dict[str, str]]:
        """The passages. A failed search, or no question to search for, is a failure."""
        passages, failures = self._passages(answers)
        # The model judges by the passages, so it must know if there are none.
        shown = {name: number_passages(found) or "(The search found nothing.)" for name, found in passages.items()}
        return {name: {"passages": text} for name, text in shown.items()}, failures

    def _passages(self, answers: Sequence[Answer]) -> tuple[dict[str, tuple[Passage, ...]], dict[str, str]]:
        """The passages of each answer, by identifier; and the failures of searches."""
        failures: dict[str, str] = {}
        queries: list[tuple[Claim, Answer]] = []
        for answer in answers:
            own = self._queries(answer)
            if not own:
                failures[answer.id] = "no question to search passages for"
            queries += [(Claim(text), answer) for text in own]
        results = self._retriever.retrieve([claim for claim, _ in queries], [answer for _, answer in queries])
        lists: dict[str, list[tuple[Passage, ...]]] = {answer.id: [] for answer in answers}
        for (_, answer), result in zip(queries, results, strict=True):
            if result.failure is not None:
                failures.setdefault(answer.id, f"the search failed: {result.failure}")
            lists[answer.id].append(result.passages)
        return {name: merge_passages(found) for name, found in lists.items()}, failures

    def _queries(self, answer: Answer) -> list[str]:
        if self._by == "question":
            return [answer.question] if answer.question and answer.question.strip() else []
        return [answer.prediction[start:end] for start, end in sentence_spans(answer.prediction)]
