"""Who answers: a language model with the prompts of LEAF, and what counts as an answer of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from fas.core.checks import whole_number
from fas.core.parts.registry import Registry
from fas.core.records import Passage
from fas.leaf.questions import Question
from fas.llm import ChatModel, Message, Prompt, Reply, chat_model
from fas.llm.passages import number_passages
from fas.llm.prompt_files import PromptFile, load_prompt_file
from fas.llm.tokens import estimate_prompt_tokens
from fas.text.choices.options import options_text

MAX_NEW_TOKENS = 1024
generators: Registry[AnswerGenerator]


class Fitted(NamedTuple):
    """A prompt and how much of the knowledge it holds.

    Attributes:
        n_cut: Documents left out because there was no room.
    """

    text: str
    shown: tuple[Passage, ...]
    n_cut: int


class AnswerGenerator:
    """Answers questions.

    Args:
        model: Name for `fas.llm.chat_model`, or a `ChatModel`.
        base_url: The endpoint; `OPENAI_BASE_URL` by default.
        concurrency: Requests under way at once.
        max_new_tokens: Longest answer.
        temperature: 0 for the likeliest answer.
        window: Tokens of prompt and answer together that the model reads; documents that do not fit are left out, the
            last ones first. A model that runs here knows its own.

    Raises:
        ValueError: An option is impossible.
        LookupError: There is no such local model.
    """

    def __init__(
        self,
        *,
        model: str | ChatModel | None = None,
        base_url: str | None = None,
        concurrency: int | None = None,
        max_new_tokens: int = MAX_NEW_TOKENS,
        temperature: float = 0.0,
        window: int | None = None,
    ) -> None:
        if not model:
            raise ValueError("who answers? Name a language model with --generate MODEL")
        self.max_new_tokens = whole_number("max_new_tokens", max_new_tokens)
        if not 0 <= temperature < float("inf"):
            raise ValueError(f"`temperature` must be at least 0, got {temperature!r}")
        self.temperature = float(temperature)
        self.window = None if window is None else whole_number("window", window)
        self._choice = _load_prompt("choice", ("knowledge", "question", "options"))
        self._open = _load_prompt("open", ("knowledge", "question"))
        options = {"base_url": base_url, "concurrency": concurrency}
        given = {key: value for key, value in options.items() if value is not None}
        self.model: ChatModel = chat_model(model, **given) if isinstance(model, str) else model

    @property
    def signature(self) -> str:
        """What pins the answers: the model, the prompts and the settings."""
        settings = [f"choice={self._choice.signature}", f"open={self._open.signature}", f"max={self.max_new_tokens}"]
        settings += [f"T={self.temperature:g}"] if self.temperature else []
        settings += [f"window={self.window}"] if self.window is not None else []
        return f"{self.model.signature}[{','.join(settings)}]"

    def prompt(self, question: Question, knowledge: Sequence[Passage] = (), *, most: int | None = None) -> Fitted:
        """The prompt of *question*, with as many of the documents as are allowed and fit, the first ones first.

        Args:
            question: What to answer.
            knowledge: Documents, best first.
            most: At most so many of them.
        """
        allowed = list(knowledge if most is None else knowledge[:most])
        while True:
            text = self._write_text(question, allowed)
            if not allowed or self._fits(text):
                return Fitted(text, tuple(allowed), len(knowledge) - len(allowed))
            allowed.pop()

    def ask(self, prompts: Sequence[str], *, samples: Sequence[int] | None = None) -> list[Reply]:
        """One reply a prompt, in order.

        *samples*: number of the draw for each; needed above temperature 0 for replies that can be had again.

        Raises:
            RunStopped: The model does not work at all, or the budget is spent.
        """
        return self.model.complete(
            [self.request(text, None if samples is None else samples[i]) for i, text in enumerate(prompts)]
        )

    def request(self, text: str, sample: int | None = None) -> Prompt:
        """What is sent for a prompt."""
        settings: dict[str, Any] = {} if sample is None else {"sample": sample}
        return Prompt(
            (Message("user", text),), max_tokens=self.max_new_tokens, temperature=self.temperature, **settings
        )

    def _write_text(self, question: Question, knowledge: Sequence[Passage]) -> str:
        values = {"question": question.text, "knowledge": number_passages(knowledge)}
        if question.options is None:
            return self._open.text(values)
        return self._choice.text({**values, "options": options_text(question.options)})

    def _fits(self, text: str) -> bool:
        request = self.request(text)
        if self.window is not None:
            return estimate_prompt_tokens(request) + self.max_new_tokens <= self.window
        fits = getattr(self.model, "fits", None)
        return True if fits is None else bool(fits(request))


def _load_prompt(source: str, names: tuple[str, ...]) -> PromptFile:
    required = [name for name in names if name != "knowledge"]
    return load_prompt_file(source, package="fas.leaf.prompts", placeholders=names, required=required)


generators = Registry("generator")
generators.add("chat", AnswerGenerator)
