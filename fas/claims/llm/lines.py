r"""Claims in the lines of a reply, by one small grammar.

Nothing is guessed. A reply is either read in full or it is a failure with a reason, and the
sentence it was about is then marked as failed; it is never taken for "no claim".

Lines (FActScore, VeriScore, MedScore, RND):

    reply   = { lead } { claim | nothing | note | closing }
    claim   = marker text      and deeper-indented lines that go on; a deeper list makes claims of its own,
              and behind a claim that ends in ":" each of them begins with its words
    marker  = "-" | "*" | "•" | number "." | "(" number ")" | letter ")" | "Fact" number ":" | ...
    lead    = a line that ends in ":" or, before the first claim, begins with "Sure", "Here are", ...
    nothing = "No verifiable claim", "The sentence contains no facts." and the like, with or without a marker
    note    = a line that begins with "Note", in brackets or not
    closing = "Hope this helps!", "Let me know if you have questions." and the like

A reply without any marker is read as one claim a line, if no line sounds like talk ("I'm sorry",
"This sentence ..."), or as a list of texts in JSON. "No verifiable claim" beside claims says that the rest of
the sentence has none; at the beginning of a reply without claims it makes a comment of what follows.
What stands in a claim's place and is none (a bare "Yes.", words about the sentence as "This is a factual
statement, and ...", dots in place of text) makes the whole reply unreadable, with a marker or without.
Equal claims of a reply count once; a reply that says one thing more than three times runs in a loop.

| Reply                                             | Outcome                    |
|---------------------------------------------------|----------------------------|
| - A. / * A. / 1) A. / Fact 1: A. / A.\nB.          | the claims                 |
| - A:\n  - b\n  - c                                 | the claims "A b", "A c"    |
| No verifiable claim / - no facts found. / None    | no claim                   |
| No verifiable claim.\n\nHope this helps!           | no claim                   |
| - A.\n\nLet me know if you need more.              | the claims                 |
| ["A.", "B."] / {"facts": ["A.", "B."]}            | the claims                 |
| empty, white space or fences only                 | failure: empty             |
| I'm sorry, I cannot ... / finish `refusal`        | failure: refused           |
| finish `content_filter`                           | failure: withheld          |
| finish `length`                                   | failure: cut off           |
| - A.\n- A.\n- A.\n- A. ...                          | failure: repeats           |
| more than 200 claims                              | failure: too many claims   |
| - Yes. / No. / - This is a factual statement, ...  | failure: no claim          |
| - Yes. (of the sentence "Yes.")                   | no claim                   |
| a line that is none of the above                  | failure: unreadable line   |
| no reply (network, time-out, ...)                 | failure: the client's      |

The words by which leads, closings and the rest are known stand in `talk.toml`.
"""

# ruff: noqa: E501 - patterns are easier to check on one line

from __future__ import annotations

import re
import tomllib
from collections import Counter
from functools import lru_cache
from importlib.resources import files
from typing import Any, NamedTuple

from fas.llm.parsing import parse_json
from fas.llm.said import shorten_reply

LOOPS = 3
"""A reply that says one thing more often than this runs in a loop."""
MOST = 200
"""A sentence holds no more claims than this; a reply with more of them is no answer to what was asked."""

NON_CLAIM = "a line of the reply stands for a claim and is none"
"""Why a reply is unreadable that says yes, or speaks about the sentence, in a claim's place."""


class UnreadableReply(ValueError):  # noqa: N818 - reads as what it is
    """A reply that the grammar does not cover; the message is the reason."""


class Subclaim(NamedTuple):
    """A claim as a reply words it.

    Attributes:
        text: The claim.
        decontextualised: A longer form that can be read alone, if the method gives one.
    """

    text: str
    decontextualised: str | None = None


class _Item(NamedTuple):
    """A claim's place in the reply: how deep its marker stands, and its text."""

    indent: int
    text: str


_MARKER = re.compile(
    r"\s*(?:[-*•–—‣·▪◦○●+]\s+|[-•–—‣·▪◦○●](?=[^\W\d_])|"
    r"(?:\*\*|__)?(?:\(?\d{1,3}[.)]|\d{1,3}:|\[\d{1,3}\]|\(?[a-z]\)|(?:atomic |independent |verifiable )?(?:sub-?)?(?:fact|claim|statement)\s*#?\d{1,3}\s*[:.)–-])"
    r"(?:\*\*|__)?:?\s+)(?=\S)",
    re.IGNORECASE,
)
_FENCE = re.compile(r"^\s*(?:```|~~~)\w*\s*$")
_RULE = re.compile(r"^\W*$")
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
_SENTENCE = re.compile(r"(?<=[.!?])\s+")


def parse_lines(text: str) -> list[Subclaim]:
    r"""The claims of a reply in lines; empty for "No verifiable claim".

    >>> [claim.text for claim in parse_lines("Facts:\n- Aspirin thins the blood.\n- No verifiable claim")]
    ['Aspirin thins the blood.']

    Raises:
        UnreadableReply: A line is no claim, lead-in, note or "no verifiable claim"; or the reply repeats itself, or
            holds more claims than a sentence can.
    """
    lines = [line for line in text.splitlines() if line.strip() and not _FENCE.match(line) and not _RULE.match(line)]
    if not lines:
        raise UnreadableReply("the reply is empty")
    if len(lines) > 20 * MOST:
        raise UnreadableReply(f"the reply holds too many claims: {len(lines)} lines for one sentence, at most {MOST}")
    if text.lstrip("` \n").startswith(("[", "{", "json\n")) and (listed := _read_json_list(text)) is not None:
        found = [claim for claim in listed if not denies(claim)]
    elif any(_MARKER.match(line) for line in lines):
        found = _join_nested(_read_items(lines))
    else:
        found = _read_unmarked(lines)
    return drop_repeated_lines([Subclaim(strip_emphasis(refuse_non_claim(claim))) for claim in found])


def drop_repeated_lines(claims: list[Subclaim]) -> list[Subclaim]:
    """Each claim of a reply once, the first of equal ones; case, blanks and the last mark do not matter.

    Raises:
        UnreadableReply: One of them is repeated without end, or there are more than a sentence can hold.
    """
    keys = [tuple(" ".join((form or "").casefold().split()).rstrip(".!;") for form in claim) for claim in claims]
    counted = Counter(keys).most_common(1)
    if counted and counted[0][1] > LOOPS:
        raise UnreadableReply(f"the reply repeats itself: {counted[0][1]} times {shorten_reply(str(counted[0][0][0]))}")
    first = dict(zip(reversed(keys), reversed(claims), strict=True))
    if len(first) > MOST:
        raise UnreadableReply(f"the reply holds too many claims: {len(first)} for one sentence, at most {MOST}")
    return [first[key] for key in dict.fromkeys(keys)]


def denies(text: str) -> bool:
    """Whether *text* says that there is no claim, and beside that at most comments on it or takes its leave.

    >>> denies("No verifiable claim. Hope this helps!"), denies("No verifiable claim of a cure has been published.")
    (True, False)
    """
    head, *rest = _SENTENCE.split(text.strip())
    return _load_words("nothing").match(head) is not None and all(
        _is_aside(part) or _COMMENT.match(part) for part in rest
    )


def is_bare(text: str) -> bool:
    """Whether *text* is a bare yes, no, true or the like.

    >>> is_bare("**Yes.**"), is_bare("Yes, in adults.")
    (True, False)
    """
    return _BARE.match(text) is not None


def refuse_non_claim(text: str) -> str:
    """*text*, unless it stands where a claim should and is none.

    Raises:
        UnreadableReply: It is a bare yes or no, speaks about the sentence, or has no word.
    """
    if is_bare(text) or _COMMENT.match(text) or not any(character.isalpha() for character in text):
        raise UnreadableReply(f"{NON_CLAIM}: {shorten_reply(text)}")
    return text


def strip_emphasis(claim: str) -> str:
    """A claim without emphasis around the whole of it."""
    match = re.fullmatch(r"(\*\*|__)(.+)\1", claim)
    return " ".join((match.group(2) if match else claim).split())


def _read_items(lines: list[str]) -> list[_Item]:
    """The claims of a list as they stand, denials and talk left out."""
    items: list[_Item] = []
    for i, line in enumerate(lines):
        bare, indent = line.strip(), len(line) - len(line.lstrip())
        text = _unmark(line)
        if text is not None:
            items.append(_Item(indent, text))
        elif denies(bare) or _load_words("note").match(bare) or _is_aside(bare):
            continue
        elif items and indent > items[-1].indent:
            items[-1] = items[-1]._replace(text=f"{items[-1].text} {bare}")
        elif _is_lead(bare, first=not items) and _is_marked_behind(lines, i):
            continue
        elif items and bare[:1].islower() and items[-1].text[-1:] not in ".!?:":
            items[-1] = items[-1]._replace(text=f"{items[-1].text} {bare}")
        elif items or not _is_lead(bare, first=True):
            raise UnreadableReply(f"a line of the reply is neither a claim nor a lead-in: {shorten_reply(bare)}")
    return [item for item in items if not denies(item.text) and not _load_words("chat").match(item.text)]


def _unmark(line: str) -> str | None:
    """*line* without its markers ("- 1.", "**Fact 2:**"), None if it has none."""
    match = _MARKER.match(line)
    if match is None:
        return None
    rest = line[match.end() :].strip()
    inner = _MARKER.match(rest)
    return rest[inner.end() :].strip() if inner and not inner[0].startswith("*") else rest


def _is_marked_behind(lines: list[str], i: int) -> bool:
    return i + 1 < len(lines) and _MARKER.match(lines[i + 1]) is not None


def _join_nested(items: list[_Item]) -> list[str]:
    """The claims of a list whose headings go into what stands below them."""
    claims: list[str] = []
    heads: list[_Item] = []
    for i, item in enumerate(items):
        while heads and heads[-1].indent >= item.indent:
            heads.pop()
        if item.text.rstrip("*_ ").endswith(":") and i + 1 < len(items) and items[i + 1].indent > item.indent:
            heads.append(item)
            continue
        alone = (item.text[:1].isupper() and item.text[-1:] in ".!") or not heads
        claims.append(item.text if alone else f"{strip_emphasis(heads[-1].text).rstrip(':')} {item.text}")
    return claims


def _read_unmarked(lines: list[str]) -> list[str]:
    """One claim a line, where the model forgot the markers and every line can be one."""
    bare = [_load_words("label").sub("", line.strip()) for line in lines]
    bare = [line for line in bare if line]
    if len(bare) > 1 and _is_lead(bare[0], first=True):
        bare = bare[1:]
    stated = [line for line in bare if not denies(line) and not _load_words("note").match(line) and not _is_aside(line)]
    if bare and denies(bare[0]):
        # What comments on the denial is no claim; what states something contradicts it.
        stated = [line for line in stated if not _load_words("talk").match(line) and not _COMMENT.match(line)]
        if stated:
            raise UnreadableReply(f"the reply says that there is no claim, and then: {shorten_reply(stated[0])}")
        return []
    for line in stated:
        if (
            _load_words("talk").match(line)
            or _load_words("lead").match(line)
            or line.endswith((":", "?"))
            or line[:1] in "{[<"
        ):
            raise UnreadableReply(f"the reply has no list, and a line of it is no claim: {shorten_reply(line)}")
    if not stated and not any(denies(line) for line in bare):
        raise UnreadableReply(f"the reply holds no claim and does not say so: {shorten_reply(lines[0])}")
    return stated


def _read_json_list(text: str) -> list[str] | None:
    """The texts of a list in JSON, bare or under the one key of an object; None if the reply is none."""
    value: Any = parse_json(text).value
    if isinstance(value, dict) and len(value) == 1:
        value = next(iter(value.values()))
    if isinstance(value, list) and all(isinstance(item, str) and item.strip() for item in value):
        return [item.strip() for item in value]
    return None


def _is_lead(line: str, *, first: bool) -> bool:
    return line.rstrip("*_ ").endswith(":") or (first and _load_words("lead").match(line) is not None)


def _is_aside(line: str) -> bool:
    return _load_words("chat").match(line) is not None or _load_words("closing").match(line) is not None


@lru_cache(maxsize=16)
def _load_words(kind: str) -> re.Pattern[str]:
    data: dict[str, list[str]] = tomllib.loads((files("fas.claims.llm") / "talk.toml").read_text(encoding="utf-8"))
    if kind == "nothing":
        what = rf"(?:(?:{'|'.join(data['claim_kinds'])}),? (?:and |or )?)*(?:{'|'.join(data['claim'])})s?"
        where = r"(?: (?:was|were|is|are|to be|could be|can be|in|from|within|that|here|present|found|made|identified|stated|given|provided|extracted|verified|verify|extract|to|be|for|checking|fact|the|this|marked|given|sentence|excerpt|text|statement))*"
        whole = rf"(?:no {what}{where}|none|n/a|nothing(?: to (?:extract|verify|check))?)"
        subject = (
            r"(?:(?:the|this|that) (?:(?:given|marked|provided|above) )?(?:sentence|excerpt|text|statement)|there|it)"
        )
        has = r"(?:contains?|has|holds?|includes?|makes?|states?|is|are|(?:does|do)(?:n't| not) (?:contain|have|include|state|make|hold|provide))"
        return re.compile(rf"^\W*(?:{whole}|{subject} {has} (?:no|any|a|an) {what}{where})\W*$", re.IGNORECASE)
    patterns = "|".join(data[kind])
    if kind == "label":
        return re.compile(rf"^(?:\*\*|__)?(?:{patterns})\s*:(?:\*\*|__)?\s*", re.IGNORECASE)
    return re.compile(rf"^[(\[*_\s]*(?:{patterns})", re.IGNORECASE)
