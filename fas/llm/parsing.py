"""JSON out of a reply: tolerant of how models wrap it, never of what they left out.

Understood: a bare value, a fenced block, a value in the middle of prose, commas before a closing
bracket, line breaks inside strings (reasoning is gone by then, `fas.llm.said`). Not
repaired, because it would be a guess: a value cut off before its last bracket, two different
values, a key given twice, single quotes, missing commas. The outcome is always a value or a reason.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from fas.core.answers.strict_json import find_repeated_key, load_strict_json
from fas.core.guards.characters import check_value
from fas.core.guards.reasoning import remove_reasoning
from fas.core.guards.redaction import redact_value
from fas.llm.messages import Prompt, Reply
from fas.llm.said import extract_answer_text
from fas.llm.schema import find_violation
from fas.llm.shapes import REPLY
from fas.text.time_limit import read_in_time

_FENCE = re.compile(r"^[ \t]*(`{3,}+|~{3,}+)[^\n`]*\n(.*?)(?:\n[ \t]*\1[ \t]*(?=\n|$)|\Z)", re.MULTILINE | re.DOTALL)
_BRACKET = re.compile(r"[\[{]")
# A bracket, or a string, which is skipped; one that does not end reaches to the end of the text.
_TOKEN = re.compile(r'[\[\]{}]|"(?:[^"\\]|\\.)*+(?:"|\\?\Z)', re.DOTALL)
# A reply nested deeper than this is no answer to any prompt, and Python's parser would run out of stack.
_DEEPEST = 100
_CUT_OFF = "the reply was cut off before its JSON ended"


@dataclass(frozen=True, slots=True)
class ParsedVerdict:
    """A value, or the reason why there is none.

    Attributes:
        value: An object or array; None if there is a reason.
        reason: Why nothing could be read; None if there is a value.
    """

    value: Any = None
    reason: str | None = None

    @property
    def ok(self) -> bool:
        """Whether there is a value."""
        return self.reason is None


@read_in_time(lambda why: ParsedVerdict(reason=why))
def parse_reply(reply: Reply, schema: Mapping[str, Any] | None = None) -> ParsedVerdict:
    """The JSON in *reply*, valid by *schema* if one is given.

    A reply that failed, was withheld or refused has no value, whatever its text says.

    Raises:
        ValueError: The schema uses what `fas.llm.schema` does not know.
    """
    spoken = extract_answer_text(reply, cut_off=True)
    if spoken.failure is not None:
        return ParsedVerdict(reason=spoken.failure)
    return parse_json(spoken.text, schema=schema, cut_off=reply.finish == "length")


def strip_echoes(text: str, prompt: Prompt) -> str:
    """*text* without fenced blocks that only repeat a part of *prompt*, such as its example; blanks do not matter.

    Where nothing else is left, *text* as it is.
    """
    said = "".join("".join(message.content for message in prompt.messages).split())

    def kept(block: re.Match[str]) -> str:
        content = "".join(block[2].split())
        return "" if content and content in said else block[0]

    rest = _FENCE.sub(kept, text)
    return rest if rest.strip() else text


def parse_json(text: str, *, schema: Mapping[str, Any] | None = None, cut_off: bool = False) -> ParsedVerdict:
    """The one JSON object or array in *text*.

    Args:
        text: What the model wrote.
        schema: What the value must be; where its `type` is `object` or `array`, values of the other
            kind (a citation `[1]` in prose) are passed over.
        cut_off: The reply is known to end early. A value that ended before that is still whole.

    >>> parse_json('Here it is: {"label": "True",} Hope that helps.').value
    {'label': 'True'}
    >>> parse_json('{"claims": ["Aspirin thins').reason
    'the reply was cut off before its JSON ended'

    Raises:
        ValueError: The schema uses what `fas.llm.schema` does not know.
    """
    outside = remove_reasoning(text.removeprefix("\N{ZERO WIDTH NO-BREAK SPACE}"))
    if outside.cut_off:
        return ParsedVerdict(reason="the reply was cut off while the model was thinking")
    text = outside.text
    if not text.strip():
        return ParsedVerdict(reason="the reply is empty")
    opening = {"object": "{", "array": "["}.get(str((schema or {}).get("type")), "{[")
    fenced = [match.group(2) for match in _FENCE.finditer(text)]
    inside = _find_single_value(fenced, opening)
    outcome = inside or _find_single_value([text], opening)
    if outcome is None:
        reason = _CUT_OFF if cut_off else f"there is no JSON {_name_kind(opening)} in the reply"
        return ParsedVerdict(reason=reason)
    wrong = _find_fault(outcome, schema)
    if wrong:
        return ParsedVerdict(reason=f"the JSON has the wrong shape: {wrong}")
    if inside is not None and inside.ok:
        # One of the two may be an example or a quotation, and nothing says which.
        beside = _find_single_value([_FENCE.sub(" ", text)], opening)
        if beside is not None and beside.ok and not _find_fault(beside, schema) and beside.value != inside.value:
            return ParsedVerdict(reason="the reply holds different JSON values inside and outside of its fenced blocks")
    return outcome


def _find_fault(outcome: ParsedVerdict, schema: Mapping[str, Any] | None) -> str | None:
    """What of *schema* a value violates."""
    return find_violation(outcome.value, schema) if outcome.ok and schema is not None else None


def _find_single_value(texts: list[str], opening: str) -> ParsedVerdict | None:
    """The value that all whole candidates agree on; None if there is not even a broken one."""
    found: list[ParsedVerdict] = []
    for text in texts:
        for candidate in _find_brackets(text, opening):
            if candidate is None:
                return ParsedVerdict(reason=_CUT_OFF)
            found.append(_load(*candidate))
    distinct = {json.dumps(one.value, sort_keys=True) for one in found if one.ok}
    if len(distinct) > 1:
        return ParsedVerdict(reason=f"the reply holds {len(distinct)} different JSON values")
    return next((one for one in found if one.ok), found[0] if found else None)


def _find_brackets(text: str, opening: str) -> Iterator[tuple[str, int] | None]:
    """Outermost bracketed stretches that start with one of *opening*, and their depth; None for one that never ends.

    A bracket closed by one of the other kind ends the stretch, too: it cannot be JSON.
    """
    position = 0
    while match := _BRACKET.search(text, position):
        start = match.start()
        stack: list[str] = []
        depth = 0
        for token in _TOKEN.finditer(text, start):
            if token[0] in "[{":
                stack.append("]" if token[0] == "[" else "}")
                depth = max(depth, len(stack))
            elif token[0] in "]}" and (token[0] != stack.pop() or not stack):
                position = token.end()
                break
        else:
            # Another kind of bracket that never closes is prose, unless what is wanted lies inside it.
            if text[start] in opening or any(bracket in text[start + 1 :] for bracket in opening):
                yield None
            return
        if text[start] in opening:
            yield text[start:position], depth


def _load(candidate: str, depth: int) -> ParsedVerdict:
    if depth > _DEEPEST:
        return ParsedVerdict(reason=f"the JSON is nested deeper than {_DEEPEST}")
    fault = ""
    # A string is matched first, so that commas inside it stay.
    without_last_commas = re.sub(
        r'("(?:[^"\\]|\\.)*")|,(\s*[\]}])', lambda m: m.group(1) or m.group(2), candidate, flags=re.DOTALL
    )
    for attempt in (candidate, without_last_commas):
        try:
            value = load_strict_json(attempt, control_characters=True)
        except ValueError as error:
            fault = fault or f"the JSON cannot be read: {error}"
            continue
        repeated = find_repeated_key(value)
        if repeated is not None:
            return ParsedVerdict(reason=f"the JSON gives the key {repeated[-1]!r} more than once")
        # The text may be valid and spell half of a surrogate pair all the same.
        return ParsedVerdict(redact_value(check_value(value, REPLY)))
    return ParsedVerdict(reason=fault)


def _name_kind(opening: str) -> str:
    return {"{": "object", "[": "array"}.get(opening, "object or array")
