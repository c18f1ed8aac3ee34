r"""What a reply to a decomposition or decontextualisation prompt says, by a small grammar.

Nothing is guessed. A reply is either read in full or it is a failure with a reason, and the
sentence it was about is then marked as failed; it is never taken for "no claim".

Lines (FActScore, VeriScore, MedScore):

    reply  = { lead } { claim | nothing | note }
    claim  = ( "-" | "*" | "•" | number "." | number ")" ) text      and deeper-indented lines that go on
    lead   = a line before the first claim that ends in ":" or begins with "Sure", "Here are", ...
    nothing = "No verifiable claim" and the like, with or without a bullet
    note   = a line that begins with "Note", in brackets or not

A reply without any bullet is read as one claim a line, if no line sounds like talk ("I'm sorry",
"This sentence ..."). "No verifiable claim" beside claims says that the rest of the sentence has none.
What stands in a claim's place and is none (a bare "Yes.", words about the sentence as "This is a factual
statement, and ...", dots in place of text) makes the whole reply unreadable, with a bullet or without.

| Reply                                             | Outcome                    |
|---------------------------------------------------|----------------------------|
| - A. / * A. / 1. A. / Facts:\n- A. / A.\nB.        | the claims                 |
| No verifiable claim / - no facts found. / None    | no claim                   |
| empty, white space or fences only                 | failure: empty             |
| I'm sorry, I cannot ... / finish `refusal`        | failure: refused           |
| finish `content_filter`                           | failure: withheld          |
| finish `length`                                   | failure: cut off           |
| - Yes. / No. / - This is a factual statement, ...  | failure: no claim          |
| a line that is none of the above                  | failure: unreadable line   |
| no reply (network, time-out, ...)                 | failure: the client's      |

The other methods answer in JSON, which may stand in prose or in a fence.
"""

# ruff: noqa: E501 - patterns are easier to check on one line

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple, TypeVar

from fas.llm.messages import Prompt, Reply
from fas.llm.parsing import parse_json, without_echoes, without_reasoning
from fas.text.time_limit import read_in_time

T = TypeVar("T")


class UnreadableReply(ValueError):  # noqa: N818 - reads as what it is
    """A reply that the grammar does not cover; the message is the reason."""


class Failure(NamedTuple):
    """Why a reply could not be used."""

    reason: str


class Subclaim(NamedTuple):
    """A claim as a reply words it.

    Attributes:
        text: The claim.
        decontextualised: Its longer form, where the method gives one.
    """

    text: str
    decontextualised: str | None = None


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


_BULLET = re.compile(r"^\s*(?:[-*•–—‣·]\s+|[-•–—‣·](?=[^\W\d_])|\(?\d{1,3}[.)]\s+)(?=\S)")
_SUBJECT = r"(?:verifiable |checkable |factual |medical |such |independent )*(?:claims?|facts?|subclaims?|statements?)"
_NOTHING = re.compile(
    rf"^\W*(?:no {_SUBJECT}(?: (?:found|present|here|can be extracted|in (?:this|the) (?:marked )?sentence))?|none|n/a)\W*$",
    re.IGNORECASE,
)
_LEAD = re.compile(
    r"^(?:sure|certainly|of course|okay|ok|here (?:are|is)|below (?:are|is)|the following|(?:independent |verifiable )?(?:facts|claims))\b",
    re.IGNORECASE,
)
_NOTE = re.compile(r"^[(\[*_]*note\b", re.IGNORECASE)
_FENCE = re.compile(r"^\s*(?:```|~~~)\w*\s*$")
_TALK = re.compile(
    r"^(?:i(?:'m| am)? |i['’]?m\b|sorry\b|unfortunately\b|as an ai\b|(?:this|the)(?: \w+)? (?:sentence|excerpt|text|statement|context)\b|"
    r"there (?:is|are) no\b|since (?:the|this)\b|yes\b|please\b)",
    re.IGNORECASE,
)
_BARE = re.compile(
    r"^\W*(?:yes|no|true|false|correct|incorrect|right|wrong|ok|okay|sure|maybe|unknown|unclear)\W*$", re.IGNORECASE
)
# Some of these are also medical words ("the response is good within a week", "the passage is blocked").
_ABOUT = r"(?:sentence|statement|claim|excerpt|text|paragraph)"
_ALSO_ABOUT = r"(?:passage|context|answer|response|question)"
_SAYS = r"(?:states?|says?|mentions?|asks|expresses|implies|(?:does|do)\s*(?:not|n't)\s+(?:state|say|mention|contain|provide))"
_COMMENT = re.compile(
    rf"^(?:(?:this|that|it)\s+(?:is|was|isn['’]?t)\s+(?:not\s+)?(?:an?\s+|the\s+)?(?:[\w-]+,?\s+){{0,3}}"
    r"(?:statement|claim|fact(?!\s+that)|opinion|sentence|assertion|greeting|question)\b|"
    rf"(?:this|that|the)\s+(?:(?:given|marked|provided|above|original|whole)\s+)?{_ABOUT}\s+"
    r"(?:is|are|was|does|do|states?|says?|contains?|provides?|describes?|mentions?|makes?|can|cannot|refers?|"
    r"expresses|asks|implies|appears|seems|has|holds)\b|"
    rf"(?:this|that|the)\s+(?:(?:given|marked|provided|above|original|whole)\s+)?{_ALSO_ABOUT}\s+{_SAYS}\b)",
    re.IGNORECASE,
)
_LABEL = re.compile(r"^(?:(?:independent|verifiable|medical)\s+)?(?:facts|claims)\s*:\s*(?=\S)", re.IGNORECASE)
_REFUSED = re.compile(
    r"^\W*(?:i(?:['’]?m| am)(?: very| so| really)? sorry|sorry|i (?:cannot|can['’]?t|can not|am unable|won['’]?t)|as an ai)\b",
    re.IGNORECASE,
)
_THINKING = re.compile(r"<think(?:ing)?>.*?</think(?:ing)?>", re.IGNORECASE | re.DOTALL)
_SHOWN = 60


def read(reply: Reply, parse: Callable[[str], T], prompt: Prompt | None = None) -> T | Failure:
    """What *parse* makes of a whole reply, or why there is none.

    What a reasoning model writes between <think> tags, or before a closing one alone, is not part of its reply. Nor
    is a fenced block that stands in the *prompt*, where something else is left.
    """

    def unreadable(why: str) -> T | Failure:
        return Failure(why)

    return read_in_time(unreadable)(lambda: _read_whole(reply, parse, prompt))()


def _read_whole(reply: Reply, parse: Callable[[str], T], prompt: Prompt | None) -> T | Failure:
    if reply.failure is not None:
        return Failure(reply.failure)
    if reply.finish == "length":
        return Failure("the reply was cut off; raise `max_tokens`")
    if reply.finish == "content_filter":
        return Failure("the reply was withheld by the server's content filter")
    whole = without_reasoning(_THINKING.sub("", reply.text))
    if whole is None:
        return Failure("the reply was cut off while the model was thinking; raise `max_tokens`")
    text = (whole if prompt is None else without_echoes(whole, prompt)).strip()
    if reply.finish == "refusal":
        return Failure(f"the model refused: {_shown(text)}")
    if not text:
        return Failure("the reply is empty")
    if "<think" in text.lower():
        return Failure("the reply was cut off while the model was thinking; raise `max_tokens`")
    try:
        return parse(text)
    except UnreadableReply as error:
        if _REFUSED.match(text):
            return Failure(f"the model refused: {_shown(text)}")
        return Failure(str(error))


def parse_lines(text: str) -> list[Subclaim]:
    r"""The claims of a reply in lines; empty for "No verifiable claim".

    >>> [claim.text for claim in parse_lines("Facts:\n- Aspirin thins the blood.\n- No verifiable claim")]
    ['Aspirin thins the blood.']

    Raises:
        UnreadableReply: A line is no claim, lead-in, note or "no verifiable claim".
    """
    lines = [line for line in text.splitlines() if line.strip() and not _FENCE.match(line)]
    if not lines:
        raise UnreadableReply("the reply is empty")
    if not any(_BULLET.match(line) for line in lines):
        return _unmarked(lines)
    claims: list[str] = []
    depth = 0
    for line in lines:
        bullet = _BULLET.match(line)
        bare = line.strip()
        if bullet is not None:
            claims.append(_checked(line[bullet.end() :].strip()))
            depth = len(line) - len(line.lstrip())
        elif _NOTHING.match(bare) or _NOTE.match(bare):
            continue
        elif claims and len(line) - len(line.lstrip()) > depth:
            claims[-1] += f" {bare}"
        elif claims or not (bare.endswith(":") or _LEAD.match(bare)):
            raise UnreadableReply(f"a line of the reply is neither a claim nor a lead-in: {_shown(bare)}")
    return [Subclaim(_plain(claim)) for claim in claims if not _NOTHING.match(claim)]


def _unmarked(lines: list[str]) -> list[Subclaim]:
    """One claim a line, where the model forgot the bullets and every line can be one."""
    bare = [_LABEL.sub("", line.strip()) for line in lines]
    if len(bare) > 1 and (bare[0].endswith(":") or _LEAD.match(bare[0])):
        bare = bare[1:]
    stated = [line for line in bare if not _NOTHING.match(line) and not _NOTE.match(line)]
    for line in stated:
        if _TALK.match(line) or _LEAD.match(line) or line.endswith((":", "?")) or line[:1] in "{[<":
            raise UnreadableReply(f"the reply has no list, and a line of it is no claim: {_shown(line)}")
    if not stated and not any(_NOTHING.match(line) for line in bare):
        raise UnreadableReply(f"the reply holds no claim and does not say so: {_shown(lines[0])}")
    return [Subclaim(_plain(_checked(line))) for line in stated]


def _checked(text: str) -> str:
    """*text*, unless it stands where a claim should and is none.

    Raises:
        UnreadableReply: It is a bare yes or no, speaks about the sentence, or has no word.
    """
    if _BARE.match(text) or _COMMENT.match(text) or not any(character.isalpha() for character in text):
        raise UnreadableReply(f"a line of the reply stands for a claim and is none: {_shown(text)}")
    return text


def parse_pairs(text: str) -> list[Subclaim]:
    """Subclaims with their decontextualised forms, from JSON; `{"pairs": [...]}` or the bare list.

    Raises:
        UnreadableReply: There is no such JSON, or a pair lacks one of its two texts.
    """
    if _NOTHING.match(text):
        return []
    pairs = _list_in(text, "pairs")
    found = []
    for number, pair in enumerate(pairs, start=1):
        fields = pair if isinstance(pair, dict) else {}
        subclaim = _string(fields, "subclaim")
        form = _string(fields, "decontextualised", "decontextualized")
        if subclaim is None or form is None:
            raise UnreadableReply(
                f"pair {number} of the reply lacks `subclaim` or `decontextualised`: {_shown(str(pair))}"
            )
        found.append(Subclaim(_checked(subclaim), _checked(form)))
    return found


def parse_ambiguities(text: str) -> list[Ambiguity]:
    """The ambiguous expressions with their meanings, from JSON; `{"ambiguities": [...]}` or the bare list.

    Raises:
        UnreadableReply: There is no such JSON, or an entry lacks one of its two texts.
    """
    entries = _list_in(text, "ambiguities")
    found = []
    for number, entry in enumerate(entries, start=1):
        fields = entry if isinstance(entry, dict) else {}
        expression, meaning = _string(fields, "expression"), _string(fields, "meaning")
        if expression is None or meaning is None:
            raise UnreadableReply(f"entry {number} of the reply lacks `expression` or `meaning`: {_shown(str(entry))}")
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
    statement = _string(value.value, "statement")
    if statement is None:
        raise UnreadableReply(f"the reply has no `statement`: {_shown(text)}")
    return statement


def _list_in(text: str, key: str) -> list[Any]:
    """The list under *key* of the reply's JSON object, or the JSON array that the reply is."""
    value = parse_json(text, schema={"type": "object"})
    if not value.ok and "[" in text:
        array = parse_json(text, schema={"type": "array"})
        value = array if array.ok else value
    if value.reason is not None:
        raise UnreadableReply(value.reason)
    found = value.value.get(key) if isinstance(value.value, dict) else value.value
    if not isinstance(found, list):
        raise UnreadableReply(f"the reply's JSON has no list `{key}`: {_shown(text)}")
    return found


def _string(fields: Mapping[str, Any], *names: str) -> str | None:
    """The first of the fields that is a text with something in it."""
    values = (fields.get(name) for name in names)
    return next((" ".join(value.split()) for value in values if isinstance(value, str) and value.strip()), None)


def _plain(claim: str) -> str:
    """A claim without emphasis around the whole of it."""
    match = re.fullmatch(r"(\*\*|__)(.+)\1", claim)
    return " ".join((match.group(2) if match else claim).split())


def _shown(text: str) -> str:
    return repr(text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…")
