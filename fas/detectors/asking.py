"""The language model of a detector: its settings, and one repair of an unreadable reply."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

from fas.core.checks import is_whole
from fas.core.records import Answer
from fas.detectors.records import Findings
from fas.detectors.replies import SCHEMA, ParsedReply, read_findings
from fas.llm import ChatModel, Message, Prompt, chat_model
from fas.llm.prompt_files import PromptFile, load_prompt_file

MAX_TOKENS = 2048
_PACKAGE = "fas.detectors.prompts"


class Asking(TypedDict, total=False):
    """The options of every detector with a language model.

    Attributes:
        model: Name for `fas.llm.chat_model`, or a `ChatModel`.
        base_url: The endpoint; `OPENAI_BASE_URL` by default.
        max_tokens: Room for a reply; a reply that is cut off is a failure.
        temperature: 0 by default, 1 for draws.
        draw: Number of the draw; None for a single run without drawing.
    """

    model: str | ChatModel | None
    base_url: str | None
    concurrency: int | None
    max_tokens: int
    temperature: float | None
    draw: int | None


class Asker:
    """A language model with the options of `Asking`; *detector* names itself in messages.

    Raises:
        ValueError: An option is impossible.
    """

    def __init__(
        self,
        detector: str,
        *,
        model: str | ChatModel | None = None,
        base_url: str | None = None,
        concurrency: int | None = None,
        max_tokens: int = MAX_TOKENS,
        temperature: float | None = None,
        draw: int | None = None,
    ) -> None:
        if model is None or model == "":
            raise ValueError(
                f"detector {detector!r} needs the name of a language model: --model NAME, or `model` in [detect]"
            )
        check_positive(detector, "max_tokens", max_tokens)
        options = {"base_url": base_url, "concurrency": concurrency}
        given = {key: value for key, value in options.items() if value is not None}
        if given and not isinstance(model, str):
            raise ValueError(
                f"detector {detector!r}: `{next(iter(given))}` goes with the name of a model, not with one"
            )
        chosen = (0.0 if draw is None else 1.0) if temperature is None else temperature
        if draw is not None and chosen == 0:
            raise ValueError(
                f"detector {detector!r}: runs at temperature 0 are all the same; leave out --runs, or draw"
            )
        self.model: ChatModel = chat_model(model, **given) if isinstance(model, str) else model
        self.max_tokens, self.temperature = max_tokens, float(chosen)
        self.draw = 0 if draw is None and chosen > 0 else draw
        self.repair: PromptFile = load_prompt_file(
            "repair", package=_PACKAGE, placeholders=("reason",), required=("reason",)
        )

    def settings(self) -> list[str]:
        """The settings in a signature."""
        drawn = [] if self.draw is None else [f"T={self.temperature:g}", f"run={self.draw}"]
        return drawn + ([f"max={self.max_tokens}"] if self.max_tokens != MAX_TOKENS else [])

    def prompt(self, messages: Sequence[Message], schema: dict[str, object] | None = None) -> Prompt:
        """A request with the detector's settings."""
        return Prompt(tuple(messages), schema, self.max_tokens, self.temperature, self.draw)

    def findings(self, conversations: Sequence[tuple[Message, ...]], answers: Sequence[Answer]) -> list[Findings]:
        """The findings of each conversation; an unreadable reply is requested once more, with the reason.

        Raises:
            RunStopped: The model cannot be reached at all, or the budget is spent.
        """
        first = self.model.complete([self.prompt(messages, SCHEMA) for messages in conversations])
        reads = [read_findings(reply, answer.prediction) for reply, answer in zip(first, answers, strict=True)]
        again = [i for i, read in enumerate(reads) if read.again]
        prompts = []
        for i in again:
            repair = self.repair.messages({"reason": str(reads[i].failure)})
            prompts.append(self.prompt((*conversations[i], Message("assistant", first[i].text), *repair), SCHEMA))
        for i, reply in zip(again, self.model.complete(prompts) if prompts else (), strict=True):
            second = read_findings(reply, answers[i].prediction)
            if second.failure is not None:
                reason = f"{reads[i].failure}; asked again: {second.failure}"
                second = ParsedReply(left_out=(*reads[i].left_out, *second.left_out), failure=reason)
            reads[i] = second
        return [
            Findings(
                answer.id, read.findings, failure=read.failure, left_out=read.left_out, n_messages=1 + (i in again)
            )
            for i, (answer, read) in enumerate(zip(answers, reads, strict=True))
        ]


def check_positive(detector: str, name: str, value: object) -> None:
    """Raise ValueError unless the option *name* is a whole number of at least 1."""
    if not is_whole(value) or value < 1:
        raise ValueError(f"detector {detector!r}: `{name}` must be a whole number of at least 1, got {value!r}")


def load_findings_prompt(source: str, placeholders: Sequence[str], required: Sequence[str]) -> PromptFile:
    """A prompt of this package by name, or your own file.

    Raises:
        ProfileError: There is no such prompt, or it cannot be used.
    """
    return load_prompt_file(source, package=_PACKAGE, placeholders=placeholders, required=required)
