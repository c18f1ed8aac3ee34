"""The answer of a model, without the reasoning that it or its chat template left in the text.

One place knows the marks (`reasoning.toml`, and the channels of harmony here): replies of judges and answers to be
scored are read alike.

| Text                                                     | What is left                              |
|----------------------------------------------------------|-------------------------------------------|
| `<think>A</think> B`, `A</think> B`, `[THINK]A[/THINK]B` | B                                         |
| `A <answer>B</answer>`, `A <answer>B`                    | B                                         |
| `<|channel|>analysis<|message|>A ... final<|message|>B`  | B                                         |
| `analysisA ... assistantfinalB` (marks stripped)         | B                                         |
| `<think>A`, `analysisA`                                  | nothing: cut off before the answer        |
| `B <think>A`                                             | B, and cut off: the answer may not be whole |
| a mark in a string of JSON or between backticks          | text like any other                       |
"""

from __future__ import annotations

import json
import re
import tomllib
from bisect import bisect
from collections.abc import Iterator
from functools import lru_cache
from importlib.resources import files
from typing import Any, Literal, NamedTuple

_CHANNEL = re.compile(r"<\|channel\|>\s*(\w*)[^<]*(?:<\|constrain\|>[^<]*)?<\|message\|>")
_CHANNEL_END = re.compile(r"<\|(?:end|return|call|start|channel)\|>|\Z")
_STRIPPED = re.compile(r"\A\s*(?:assistant)?analysis(?=[A-Z\s*\"'(])")
_STRIPPED_FINAL = re.compile(r"assistantfinal|assistant\sfinal(?=[^a-z]|\Z)")
_ONLY_FINAL = re.compile(r"\A\s*assistantfinal")
_NEST = 2_000  # what an attempt costs that ends in Python's limit on recursion


class Outside(NamedTuple):
    """The part of a text that is not reasoning.

    Attributes:
        text: The remaining text; the text itself, to the last blank, where it holds no mark.
        spans: The spans of the remaining text in the original, in order.
        cut_off: Reasoning begins and never ends, so that the answer is missing or may not be whole.
    """

    text: str
    spans: tuple[tuple[int, int], ...]
    cut_off: bool = False

    def place(self, start: int, end: int) -> tuple[int, int] | None:
        """Map *start* to *end* of the whole text to the remaining text; None if part of the span was removed."""
        begins = 0
        for first, last in self.spans:
            if first <= start and end <= last:
                return begins + start - first, begins + end - first
            begins += last - first + 1  # and the line end between two
        return None


class _Mark(NamedTuple):
    kind: Literal["reasoning", "answer"]
    name: str
    closes: bool
    start: int
    end: int


def remove_reasoning(text: str) -> Outside:
    """*text* without reasoning and without the marks of it; the module's table has every case.

    >>> remove_reasoning("<think>Is it?</think> Yes.").text
    'Yes.'
    >>> remove_reasoning("<think>Is it").cut_off
    True
    """
    spans, cut_off = _find_kept_spans(text)
    if spans == [(0, len(text))]:
        return Outside(text, tuple(spans))
    trimmed = []
    for start, end in spans:
        inside = text[start:end]
        start += len(inside) - len(inside.lstrip())
        if inside.strip():
            trimmed.append((start, start + len(inside.strip())))
    return Outside("\n".join(text[start:end] for start, end in trimmed), tuple(trimmed), cut_off)


def _find_kept_spans(text: str) -> tuple[list[tuple[int, int]], bool]:
    if "<|channel|>" in text and (channels := list(_CHANNEL.finditer(text))):
        final = [match.end() for match in channels if match[1].lower() == "final"]
        spans = [(start, _find_channel_end(text, start)) for start in final]
        return spans, not final
    if begun := _STRIPPED.match(text):
        ends = [match.end() for match in _STRIPPED_FINAL.finditer(text)]
        if ends:
            return [(ends[-1], len(text))], False
        if text[begun.end() : begun.end() + 1].isupper():  # "analysisWe need to": no text of anybody begins so
            return [], True
    if found := _ONLY_FINAL.match(text):
        return [(found.end(), len(text))], False
    for pair in _read_marks()["headings"]:
        first, second = pair
        if re.match(rf"\s*{re.escape(first)}[ \t]*\n", text, re.IGNORECASE):
            line = re.search(rf"^[ \t]*{re.escape(second)}[ \t]*$", text, re.IGNORECASE | re.MULTILINE)
            return ([(line.end(), len(text))], False) if line else ([], True)
    return _find_tagged(text)


def _find_channel_end(text: str, start: int) -> int:
    end = _CHANNEL_END.search(text, start)
    return end.start() if end else len(text)


def _find_tagged(text: str) -> tuple[list[tuple[int, int]], bool]:
    marks = _list_marks(text)
    last = {mark[:2]: n for n, mark in enumerate(marks) if mark.closes}
    outside: list[tuple[int, int]] = []
    answers: list[tuple[int, int]] = []
    start, in_answer, n = 0, False, 0
    while n < len(marks):
        mark = marks[n]
        if mark.kind == "answer":
            if mark.closes or not in_answer:
                (answers if mark.closes else outside).append((start, mark.start))
            in_answer = not mark.closes
        elif mark.closes:  # some templates write the opening mark into the prompt
            outside, answers, in_answer = [], [], False
        else:
            (answers if in_answer else outside).append((start, mark.start))
            if last.get(mark[:2], -1) < n:
                return answers or outside, True
            n = next(i for i in range(n, len(marks)) if marks[i].closes and marks[i][:2] == mark[:2])
        start = marks[n].end
        n += 1
    (answers if in_answer else outside).append((start, len(text)))
    return answers or outside, False


def _list_marks(text: str) -> list[_Mark]:
    pattern, pairs = _make_pattern()
    found = []
    for match in pattern.finditer(text):
        if text[max(0, match.start() - 1) : match.start()] == "`" and text[match.end() : match.end() + 1] == "`":
            continue
        if match["pair"]:
            found.append(_Mark("reasoning", pairs[match["pair"]][0], pairs[match["pair"]][1], *match.span()))
            continue
        name = re.sub(r"[\s_-]+", " ", next(match[g] for g in match.groupdict() if g[0] == "n" and match[g])).lower()
        closes = any(match[g] for g in match.groupdict() if g[0] == "c")
        found.append(_Mark("answer" if name in _read_marks()["answer"] else "reasoning", name, closes, *match.span()))
    strings = list(_read_json_strings(text, found[-1].start)) if found else []
    before = [bisect(strings, (mark.start, len(text))) - 1 for mark in found]
    return [mark for mark, i in zip(found, before, strict=True) if i < 0 or strings[i][1] <= mark.start]


def _read_json_strings(text: str, last: int) -> Iterator[tuple[int, int]]:
    """The stretches of whole JSON objects and arrays that begin before *last*, outermost only."""
    decoder = json.JSONDecoder(strict=False)
    # Text that does not parse is read up to its fault and again from the next bracket, in all at most twenty times.
    left = 20 * len(text) + _NEST
    position = 0
    while left > 0 and (match := re.compile(r"[{\[](?=\s*[\"{\[])").search(text, position, last)):
        start = match.start()
        try:
            _, end = decoder.raw_decode(text, start)
        except json.JSONDecodeError as error:
            # The exception itself counts the lines of the whole text.
            left -= error.pos - start + len(text) // 100 + 1
            position = start + 1
        except RecursionError:
            left -= _NEST + len(text) // 100
            position = start + 1
        else:
            yield start, end
            position = end


@lru_cache(maxsize=1)
def _read_marks() -> dict[str, Any]:
    return tomllib.loads((files("fas.core.guards") / "reasoning.toml").read_text(encoding="utf-8"))


@lru_cache(maxsize=1)
def _make_pattern() -> tuple[re.Pattern[str], dict[str, tuple[str, bool]]]:
    """The pattern of a mark; and for each mark of a pair, the first mark of the pair and whether it closes."""
    data = _read_marks()
    spelled = sorted((*data["reasoning"], *data["answer"]), key=len, reverse=True)
    names = "|".join(r"[\s_-]".join(map(re.escape, name.split())) for name in spelled)
    parts = []
    for i, forms in enumerate(data["tags"]):
        for j, form in enumerate(forms):
            before, after = map(re.escape, form.split("NAME"))
            group = f"(?P<n{i}{j}>{names})"
            parts.append(f"(?P<c{i}>{before}{group}{after})" if j else f"{before}{group}{after}")
    pairs = {mark: (pair[0], bool(j)) for pair in data["pairs"] for j, mark in enumerate(pair)}
    parts.append(f"(?P<pair>{'|'.join(map(re.escape, pairs))})")
    return re.compile("|".join(parts), re.IGNORECASE), pairs
