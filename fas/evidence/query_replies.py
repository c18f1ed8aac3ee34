"""The search query in a language model's reply.

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

from __future__ import annotations

import re
from typing import NamedTuple

from fas.llm.messages import Reply
from fas.llm.said import extract_answer_text, is_refusal, shorten_reply
from fas.text.time_limit import read_in_time

LONGEST = 400
"""A query has no more characters than this; what is longer is prose."""
_FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})[^\n`]*\n(.*?)(?:\n?[ \t]*\1[ \t]*(?=\n|$))", re.MULTILINE | re.DOTALL)
_ON_ONE_LINE = re.compile(r"\A`{3,}([^`\n]+)`{3,}\Z")
_LABEL = re.compile(r"^(?:search\s+)?query\s*:\s*", re.IGNORECASE)


class QueryReading(NamedTuple):
    """What a reply asks for; exactly one of the two is not None."""

    query: str | None
    failure: str | None = None


@read_in_time(lambda why: QueryReading(None, why))
def read_query(reply: Reply) -> QueryReading:
    """The query in *reply*, or why there is none; the module's table has every case."""
    spoken = extract_answer_text(reply)
    if spoken.failure is not None:
        return QueryReading(None, spoken.failure)
    text = spoken.text.strip()
    if is_refusal(text):
        return QueryReading(None, f"the model refused: {shorten_reply(text)}")
    blocks = [match[2] for match in _FENCE.finditer(text)]
    if not blocks and text.startswith(("```", "~~~")) and not _ON_ONE_LINE.match(text):
        return QueryReading(None, "the reply does not close its code block")
    found = list(dict.fromkeys(_plain(line) for block in blocks or [text] for line in _lines(block)))
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


def _lines(block: str) -> list[str]:
    return [line.strip() for line in block.splitlines() if line.strip()]


def _plain(line: str) -> str:
    line = _LABEL.sub("", line.strip().strip("`").strip())
    if len(line) > 1 and (line[0], line[-1]) in (('"', '"'), ("'", "'"), ("“", "”")) and line.count(line[0]) < 3:
        line = line[1:-1]
    return " ".join(line.split())
