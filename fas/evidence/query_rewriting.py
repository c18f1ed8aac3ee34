"""Queries that a language model writes, around any source that searches (LEAF, section 2.1).

A statement is searched for up to `queries` times, one after the other: each prompt shows the documents that the
queries before brought, and asks for what they lack. A repeated query ends the search of its statement.
All statements of a batch take a turn together, so that a turn is one batch of requests and one of searches.

The documents of a statement are ordered by rank over its queries: the best of the first query, the best of the
second, ..., then the second best of the first; equal ones once (by id, else by text).

What fails: a reply without a query, or a search that fails, is noted as the failure of the statement, and ends its
search; what was found before is kept. So a statement whose every query failed is unverified, and one of which some
failed is unverified unless what was read supports it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from fas.core.checks import whole_number
from fas.core.parts import Retriever, count_again
from fas.core.records import Answer, Claim, Passage, Retrieval
from fas.core.records.signature import PartSignature
from fas.llm import ChatModel, Prompt, chat_model
from fas.llm.messages import Reply
from fas.llm.passages import merge_passages, number_passages
from fas.llm.prompt_files import PromptFile, load_prompt_file
from fas.llm.said import extract_answer_text, is_refusal, shorten_reply
from fas.text.time_limit import read_in_time

QUERIES = 3
_MAX_TOKENS = 128
_NO_QUESTION = "the answer has no question, so there is no context for a query"

LONGEST = 400
"""A query has no more characters than this; what is longer is prose."""
_FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})[^\n`]*\n(.*?)(?:\n?[ \t]*\1[ \t]*(?=\n|$))", re.MULTILINE | re.DOTALL)
_ON_ONE_LINE = re.compile(r"\A`{3,}([^`\n]+)`{3,}\Z")
_LABEL = re.compile(r"^(?:search\s+)?query\s*:\s*", re.IGNORECASE)


class AskedRetriever:
    """Searches *inner* with the queries that a language model writes for each claim, at most *queries* of them.

    The `k` of *inner* is the number of documents a query. *model* is a name for `fas.llm.chat_model` or a `ChatModel`,
    *prompt* a prompt file (.toml) that replaces the built-in one, *base_url* the endpoint (`OPENAI_BASE_URL`), and
    *max_tokens* the room for a reply; a reply that is cut off is no query.

    Raises:
        ValueError: An option is impossible, or the prompt file cannot be used.
    """

    def __init__(
        self,
        *,
        inner: Retriever,
        model: str | ChatModel | None = None,
        queries: int = QUERIES,
        prompt: str | None = None,
        base_url: str | None = None,
        concurrency: int | None = None,
        max_tokens: int = _MAX_TOKENS,
    ) -> None:
        if not model:
            raise ValueError("queries need the name of a language model: --model NAME, or `model` in [evidence] ask")
        self.inner = inner
        self.queries = whole_number("queries", queries)
        self.max_tokens = whole_number("max_tokens", max_tokens)
        names = ("knowledge", "context", "statement")
        self.prompt: PromptFile = load_prompt_file(
            prompt or "query", package="fas.evidence.prompts", placeholders=names, required=names[1:]
        )
        options = {"base_url": base_url, "concurrency": concurrency}
        given = {key: value for key, value in options.items() if value is not None}
        if given and not isinstance(model, str):
            raise ValueError(f"`{next(iter(given))}` goes with the name of a model, not with one")
        self.model: ChatModel = chat_model(model, **given) if isinstance(model, str) else model
        self._n_asked = self._n_failed = self._n_repeated = 0

    @property
    def signature(self) -> str:
        """That of what is searched, and what the queries depend on."""
        settings = [f"ask={self.model.signature}", f"prompt={self.prompt.signature}", f"queries={self.queries}"]
        settings += [f"max={self.max_tokens}"] if self.max_tokens != _MAX_TOKENS else []
        return PartSignature.of(self.inner.signature).plus(*settings)

    def notes(self) -> list[str]:
        """Counts of queries, and the notes of the searched source."""
        own = []
        if self._n_asked:
            own.append(
                f"queries by {self.model.signature}: {self._n_asked} requested in this run, {self._n_failed} replies "
                f"were not a query, {self._n_repeated} repeated a query and ended a search"
            )
        inner = getattr(self.inner, "notes", None)
        return [*own, *(inner() if inner is not None else ())]

    def recount(self) -> bool:
        """Forget what was counted, here and by what is searched."""
        self._n_asked = self._n_failed = self._n_repeated = 0
        return count_again(self.inner)

    def close(self) -> None:
        """Close what is searched."""
        close = getattr(self.inner, "close", None)
        if close is not None:
            close()

    def retrieve(self, claims: Sequence[Claim], answers: Sequence[Answer]) -> list[Retrieval]:
        """At most `queries` times the documents of a query for each claim; `Retrieval.query` has a query a line.

        Raises:
            RunStopped: The model or the source does not work at all, or the budget is spent.
        """
        searches = [_Search(claim, answer) for claim, answer in zip(claims, answers, strict=True)]
        for _ in range(self.queries):
            active = [search for search in searches if not search.ended]
            if not active:
                break
            self._take_turn(active)
        return [search.retrieval() for search in searches]

    def _take_turn(self, active: Sequence[_Search]) -> None:
        prompts = [Prompt(self.prompt.messages(search.values()), max_tokens=self.max_tokens) for search in active]
        self._n_asked += len(prompts)
        going = []
        for search, reply in zip(active, self.model.complete(prompts), strict=True):
            reading = read_query(reply)
            if reading.query is None:
                self._n_failed += 1
                search.fail(f"no query: {reading.failure}")
            elif not search.take(reading.query):
                self._n_repeated += 1
            else:
                going.append(search)
        if not going:
            return
        found = self.inner.retrieve(
            [Claim(search.queries[-1]) for search in going], [search.answer for search in going]
        )
        for search, retrieval in zip(going, found, strict=True):
            search.add(retrieval)


@dataclass
class _Search:
    """The search for one claim, turn by turn."""

    claim: Claim
    answer: Answer
    queries: list[str] = field(default_factory=list)
    found: list[tuple[Passage, ...]] = field(default_factory=list)
    failure: str | None = None
    n_cut: int = 0
    ended: bool = False

    def __post_init__(self) -> None:
        if not (self.answer.question or "").strip():
            self.fail(_NO_QUESTION)

    def values(self) -> dict[str, str | None]:
        """What the next prompt shows."""
        return {
            "knowledge": number_passages(merge_passages(self.found)),
            "context": self.answer.question,
            "statement": self.claim.text,
        }

    def take(self, query: str) -> bool:
        """Note the next query; False, and the end, for a repeated one."""
        if query.casefold() in map(str.casefold, self.queries):
            self.ended = True
            return False
        self.queries.append(query)
        return True

    def add(self, retrieval: Retrieval) -> None:
        """Take in what the last query brought."""
        self.found.append(retrieval.passages)
        self.n_cut += retrieval.n_cut
        if retrieval.failure is not None:
            # The next prompt would be the one before: nothing new to be read in it.
            self.fail(retrieval.failure)

    def fail(self, reason: str) -> None:
        """End the search."""
        self.failure, self.ended = reason, True

    def retrieval(self) -> Retrieval:
        """All that was found."""
        return Retrieval(merge_passages(self.found), self.failure, self.n_cut, "\n".join(self.queries) or None)


class QueryReading(NamedTuple):
    """What a reply asks for; exactly one of the two is not None."""

    query: str | None
    failure: str | None = None


@read_in_time(lambda why: QueryReading(None, why))
def read_query(reply: Reply) -> QueryReading:
    """The query in *reply*, or why there is none.

    | Reply                                                       | Reading                     |
    |-------------------------------------------------------------|-----------------------------|
    | reasons, then a fenced block with one line                  | the line                    |
    | one line, with or without a label, quotes or backticks      | the line                    |
    | several blocks with the same line                           | the line                    |
    | several different blocks, a block with several lines        | failure: several queries    |
    | an empty block, an empty reply                              | failure: empty              |
    | several lines without a block (prose), a very long line     | failure: no query           |
    | a refusal, a withheld or cut-off reply, no reply            | failure                     |
    """
    spoken = extract_answer_text(reply)
    if spoken.failure is not None:
        return QueryReading(None, spoken.failure)
    text = spoken.text.strip()
    if is_refusal(text):
        return QueryReading(None, f"the model refused: {shorten_reply(text)}")
    blocks = [match[2] for match in _FENCE.finditer(text)]
    if not blocks and text.startswith(("```", "~~~")) and not _ON_ONE_LINE.match(text):
        return QueryReading(None, "the reply does not close its code block")
    lines = [line for block in blocks or [text] for line in block.splitlines() if line.strip()]
    found = list(dict.fromkeys(map(_strip_line, lines)))
    if not found:
        return QueryReading(None, "the code block of the reply is empty")
    if len(found) > 1:
        return QueryReading(None, "the reply holds several queries" if blocks else "the reply is prose without a query")
    query = found[0]
    if not any(character.isalnum() for character in query):
        return QueryReading(None, "the query of the reply has no word")
    if len(query) > LONGEST:
        return QueryReading(None, f"the query of the reply has {len(query)} characters, more than {LONGEST}")
    return QueryReading(query)


def _strip_line(line: str) -> str:
    line = _LABEL.sub("", line.strip().strip("`").strip())
    if len(line) > 1 and (line[0], line[-1]) in (('"', '"'), ("'", "'"), ("“", "”")) and line.count(line[0]) < 3:
        line = line[1:-1]
    return " ".join(line.split())
