"""Decontextualisation in two steps: find what cannot be understood alone, then rewrite.

After Molecular Facts (Anisha Gunjal and Greg Durrett, 2024), which DnDScore combines with
decomposition in both orders. A statement in which the first step finds nothing ambiguous is left
as it stands, without a second call.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from fas.claims.llm.asking import ask
from fas.claims.llm.prompts import DecomposerPrompt, load_prompt
from fas.claims.llm.replies import (
    AMBIGUITIES_SCHEMA,
    STATEMENT_SCHEMA,
    Ambiguity,
    ReplyFailure,
    parse_ambiguities,
    parse_statement,
)
from fas.llm.messages import ChatModel, Prompt


class DecontextualisedStatement(NamedTuple):
    """A statement and the text it was taken from."""

    text: str
    context: str


class Decontextualiser:
    """Rewrites statements so that they can be read alone.

    Args:
        model: The language model.
        max_tokens: The longest reply to either step.
    """

    def __init__(self, model: ChatModel, *, max_tokens: int) -> None:
        self.model = model
        self.max_tokens = max_tokens
        base = frozenset({"context", "statement"})
        self.find: DecomposerPrompt = load_prompt("ambiguities", reply="ambiguities", allowed=base, required=base)
        every = base | {"ambiguities"}
        self.rewrite_prompt: DecomposerPrompt = load_prompt("rewrite", reply="statement", allowed=every, required=every)

    @property
    def signature(self) -> str:
        """Both prompts, e.g. `1-abcdef12+1-12345678`."""
        return f"{self.find.signature}+{self.rewrite_prompt.signature}"

    def rewrite(self, statements: Sequence[DecontextualisedStatement]) -> list[str | ReplyFailure]:
        """Each statement in a form that can be read alone, or why there is none."""
        values = ({"context": statement.context, "statement": statement.text} for statement in statements)
        prompts = (
            Prompt(self.find.messages(own), schema=AMBIGUITIES_SCHEMA, max_tokens=self.max_tokens) for own in values
        )
        found = ask(self.model, prompts, parse_ambiguities)
        unclear = {i: several for i, several in enumerate(found) if several and not isinstance(several, ReplyFailure)}
        requests = (self._make_request(statements[i], several) for i, several in unclear.items())
        rewritten = dict(zip(unclear, ask(self.model, requests, parse_statement), strict=True))
        return [
            several if isinstance(several, ReplyFailure) else rewritten.get(i, statements[i].text)
            for i, several in enumerate(found)
        ]

    def _make_request(self, statement: DecontextualisedStatement, ambiguities: Sequence[Ambiguity]) -> Prompt:
        listed = "\n".join(f"- {ambiguity.expression}: {ambiguity.meaning}" for ambiguity in ambiguities)
        values = {"context": statement.context, "statement": statement.text, "ambiguities": listed}
        return Prompt(self.rewrite_prompt.messages(values), schema=STATEMENT_SCHEMA, max_tokens=self.max_tokens)
