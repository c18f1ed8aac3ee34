"""The settings of a revision."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from fas.core.checks import whole_number
from fas.core.errors import ProfileError
from fas.core.parts import verifiers
from fas.core.profile import Profile
from fas.leaf.feedback_documents import Trigger, Whose
from fas.llm.parts import uses_language_model

First = Literal["plain", "rag"]
Final = Literal["last", "best"]
MAX_DOCUMENTS = 20


@dataclass(frozen=True, slots=True)
class Revising:
    """How answers are revised.

    Attributes:
        generate: Options of the generator (`fas.leaf.generator.AnswerGenerator`), `model` among them.
        max_iterations: How often a question is answered again, at most; 0 only checks.
        trigger: Which claims cause another attempt; see `fas.leaf.feedback_documents.Knowledge`. None means
            `contradicted` for a verifier that distinguishes it from unsupported, because missing evidence would flag
            nearly every answer, and `unsupported` otherwise.
        max_documents: At most so many documents in a prompt.
        first: `plain` asks the question alone, `rag` with the documents that the question finds.
        final: `last` takes the last answer, `best` the one with the highest score.
    """

    generate: Mapping[str, Any] = field(default_factory=dict)
    max_iterations: int = 1
    trigger: Trigger | None = None
    knowledge: Whose = "unsupported"
    max_documents: int = MAX_DOCUMENTS
    first: First = "plain"
    final: Final = "last"

    def __post_init__(self) -> None:
        try:
            whole_number("max_iterations", self.max_iterations, least=0)
            whole_number("max_documents", self.max_documents)
        except ValueError as error:
            raise ProfileError(str(error)) from error
        for name, kinds in (("trigger", Trigger), ("knowledge", Whose), ("first", First), ("final", Final)):
            value = getattr(self, name)
            if value not in get_args(kinds) and (name, value) != ("trigger", None):
                raise ProfileError(f"`{name}` must be one of {', '.join(get_args(kinds))}, got {value!r}")

    def trigger_for(self, profile: Profile) -> Trigger:
        """The trigger, by the verifier of *profile* where none was named."""
        if self.trigger is not None:
            return self.trigger
        asks_model = uses_language_model(verifiers, profile.verify.name)
        return "unsupported" if asks_model and profile.verify.options.get("labels", 2) == 2 else "contradicted"
