"""What a reply to a decomposition or decontextualisation prompt says.

Replies in lines are read by `fas.claims.llm.lines`; the other methods answer in JSON, which may stand in prose or in a
fence. Nothing is guessed: a reply is either read in full or it is a failure with a reason, and the sentence it was
about is then marked as failed; it is never taken for "no claim".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple, TypeVar

from fas.claims.llm.lines import Subclaim, UnreadableReply, denies, drop_repeated_lines, refuse_non_claim
from fas.llm.messages import Prompt, Reply
from fas.llm.parsing import parse_json, strip_echoes
from fas.llm.said import extract_answer_text, is_refusal, shorten_reply
from fas.text.time_limit import read_in_time

T = TypeVar("T")


class ReplyFailure(NamedTuple):
    """Why a reply could not be used."""

    reason: str


class Ambiguity(NamedTuple):
    """An expression that cannot be understood alone, and what it stands for."""

    expression: str
    meaning: str


PAIRS_SCHEMA: Final[Mapping[str, Any]] = {
    "type": "object",
    "properties": {
        "ambiguities": {"type": "string"},
        "pairs": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"subclaim": {"type": "string"}, "decontextualised": {"type": "string"}},
                "required": ["subclaim", "decontextualised"],
                "additionalProperties": False,
            },
        },
    },
    "required": ["ambiguities", "pairs"],
    "additionalProperties": False,
}
AMBIGUITIES_SCHEMA: Final[Mapping[str, Any]] = {
    "type": "object",
    "properties": {
        "ambiguities": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"expression": {"type": "string"}, "meaning": {"type": "string"}},
                "required": ["expression", "meaning"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["ambiguities"],
    "additionalProperties": False,
}
STATEMENT_SCHEMA: Final[Mapping[str, Any]] = {
    "type": "object",
    "properties": {"statement": {"type": "string"}},
    "required": ["statement"],
    "additionalProperties": False,
}


def read(reply: Reply, parse: Callable[[str], T], prompt: Prompt | None = None) -> T | ReplyFailure:
    """What *parse* makes of a whole reply, or why there is none.

    Reasoning is not part of a reply (`fas.llm.said`), nor is a fenced block that stands in the *prompt*, where
    something else is left.
    """

    def unreadable(why: str) -> T | ReplyFailure:
        return ReplyFailure(why)

    return read_in_time(unreadable)(lambda: _read_whole(reply, parse, prompt))()


def _read_whole(reply: Reply, parse: Callable[[str], T], prompt: Prompt | None) -> T | ReplyFailure:
    spoken = extract_answer_text(reply)
    if spoken.failure is not None:
        return ReplyFailure(spoken.failure)
    text = (spoken.text if prompt is None else strip_echoes(spoken.text, prompt)).strip()
    try:
        return parse(text)
    except UnreadableReply as error:
        return ReplyFailure(f"the model refused: {shorten_reply(text)}" if is_refusal(text) else str(error))


def parse_pairs(text: str) -> list[Subclaim]:
    """Subclaims with their decontextualised forms, from JSON; `{"pairs": [...]}` or the bare list.

    Raises:
        UnreadableReply: There is no such JSON, or a pair lacks one of its two texts.
    """
    if denies(text):
        return []
    pairs = _find_list(text, "pairs")
    found = []
    for number, pair in enumerate(pairs, start=1):
        fields = pair if isinstance(pair, dict) else {}
        subclaim = _find_string(fields, "subclaim")
        form = _find_string(fields, "decontextualised", "decontextualized")
        if subclaim is None or form is None:
            raise UnreadableReply(
                f"pair {number} of the reply lacks `subclaim` or `decontextualised`: {shorten_reply(str(pair))}"
            )
        found.append(Subclaim(refuse_non_claim(subclaim), refuse_non_claim(form)))
    return drop_repeated_lines(found)


def parse_ambiguities(text: str) -> list[Ambiguity]:
    """The ambiguous expressions with their meanings, from JSON; `{"ambiguities": [...]}` or the bare list.

    Raises:
        UnreadableReply: There is no such JSON, or an entry lacks one of its two texts.
    """
    entries = _find_list(text, "ambiguities")
    found = []
    for number, entry in enumerate(entries, start=1):
        fields = entry if isinstance(entry, dict) else {}
        expression, meaning = _find_string(fields, "expression"), _find_string(fields, "meaning")
        if expression is None or meaning is None:
            raise UnreadableReply(
                f"entry {number} of the reply lacks `expression` or `meaning`: {shorten_reply(str(entry))}"
            )
        found.append(Ambiguity(expression, meaning))
    return found


def parse_statement(text: str) -> str:
    """The rewritten statement, from `{"statement": "..."}`.

    Raises:
        UnreadableReply: There is no such JSON, or the statement is empty.
    """
    value = parse_json(text, schema={"type": "object"})
    if value.reason is not None:
        raise UnreadableReply(value.reason)
    statement = _find_string(value.value, "statement")
    if statement is None:
        raise UnreadableReply(f"the reply has no `statement`: {shorten_reply(text)}")
    return statement


def _find_list(text: str, key: str) -> list[Any]:
    """The list under *key* of the reply's JSON object, or the JSON array that the reply is."""
    value = parse_json(text, schema={"type": "object"})
    if not value.ok and "[" in text:
        array = parse_json(text, schema={"type": "array"})
        value = array if array.ok else value
    if value.reason is not None:
        raise UnreadableReply(value.reason)
    found = value.value.get(key) if isinstance(value.value, dict) else value.value
    if not isinstance(found, list):
        raise UnreadableReply(f"the reply's JSON has no list `{key}`: {shorten_reply(text)}")
    return found


def _find_string(fields: Mapping[str, Any], *names: str) -> str | None:
    """The first of the fields that is a text with something in it."""
    values = (fields.get(name) for name in names)
    return next((" ".join(value.split()) for value in values if isinstance(value, str) and value.strip()), None)
