"""LEAF's check of a statement: is it supported by the question it answers, read together with what was found?

The prompt as the paper prints it (table 12) lets the question itself support a statement and offers the documents as
help: so a statement without any document is judged, too, and evidence `none` is an ablation that says what retrieval
brings. Section 2.1 reads differently, support must come from the retrieved knowledge: that is `rafe-strict`.

The question matters to either: an answer without one has failed judgements, never a verdict without context. Of a
multiple-choice question the options belong into the question (`fas.text.choices.with_options`).
"""

from __future__ import annotations

from collections.abc import Sequence

from fas.core.records import Case, Passage
from fas.llm import ChatModel, Reply
from fas.llm.passages import number_passages
from fas.verify.bracketed import read_bracketed
from fas.verify.llm import LlmVerifier, list_shown_texts
from fas.verify.llm_verdict import VerdictReading

_MAX_TOKENS = 1024  # reasons first, so that there must be room for them


class RafeVerifier(LlmVerifier):
    """Judges each statement in the context of its question, with all documents found for it in one request.

    *prompt* is `rafe`, `rafe-strict`, or a file of your own (.toml), which offers two labels; else a ValueError. The
    reply holds reasons; one that is cut off at *max_tokens* is a failed judgement.
    """

    name = "rafe"
    by_word = False
    needs_evidence = False
    reads_passages = True

    def __init__(
        self,
        *,
        model: str | ChatModel | None = None,
        prompt: str | None = None,
        base_url: str | None = None,
        concurrency: int | None = None,
        max_tokens: int = _MAX_TOKENS,
    ) -> None:
        super().__init__(
            model=model,
            prompt=prompt,
            labels=2,
            base_url=base_url,
            concurrency=concurrency,
            max_tokens=max_tokens,
        )

    def _lacking(self, case: Case) -> str | None:
        return None if (case.question or "").strip() else "no question: the answer comes without its context"

    def _read(self, reply: Reply, case: Case) -> VerdictReading:
        return read_bracketed(reply, statement=case.claim.text, shown=list_shown_texts(case))

    def _shown(self, passages: Sequence[Passage]) -> str | None:
        return number_passages(passages)

    def _settings(self) -> list[str]:
        return [f"max={self.max_tokens}"] if self.max_tokens != _MAX_TOKENS else []


class StrictRafeVerifier(RafeVerifier):
    """`rafe` in the reading of LEAF's section 2.1: what was retrieved must support the statement."""

    name = "rafe-strict"
