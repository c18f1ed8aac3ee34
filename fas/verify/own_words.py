r"""The model's own statements in a reply, without quotations, fenced blocks and text that it was shown.

A reply that quotes a passage ("> The claim is true.") says what the passage says, and a passage may hold the very
form of an answer, put there by whoever wrote it. So before a verdict is looked for, these go:

| In the reply                                                | Treatment                                         |
|-------------------------------------------------------------|---------------------------------------------------|
| lines that begin with ">"                                   | left out                                          |
| fenced blocks, closed or not                                | left out, other than a label alone                |
| a reply of fenced blocks alone                              | what is in them                                   |
| words in quotation marks, other than a label alone          | left out, an ellipsis in their place               |
| a sentence of the passages, claim or question               | left out, other than a label alone                |
| the instructions of the prompt, if more than one sentence   | left out; one alone is the choice of an option    |

What is left may state a verdict. If nothing is left the reply is unreadable: whether the model meant the quotation
for its verdict cannot be known.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

_QUOTED_LINE = re.compile(r"^[ \t]*(?:[-*•][ \t]+)?>.*$", re.MULTILINE)
_FENCE = re.compile(r"^[ \t]*(?:```|~~~)[^\n]*$", re.MULTILINE)
# Straight marks open behind a blank or a bracket only: an apostrophe and inches do not. No mark, no line, is crossed.
_QUOTATION = re.compile(
    '“([^“”\n]*)”|«([^«»\n]*)»|„([^„“”\n]*)[“”]|(?<![^\\s(\\[{:,])"([^"\n]*)"|‘([^‘’\n]*)’(?!\\w)|'
    "(?<![^\\s(\\[{:,])'([^'\n]*(?:\\w'\\w[^'\n]*)*)'(?!\\w)"
)
_LABEL_ALONE = re.compile(
    r"\W*(?:(?:is|was)\s+)?(?:not\s+)?\w+(?:\s+(?:enough\s+)?(?:evidence|information|context))?\W*"
)


def strip_quotations(text: str) -> str:
    """*text* without its quoted lines, fenced blocks and quotations."""
    text = _QUOTED_LINE.sub("", _strip_fences(text))
    return _QUOTATION.sub(_strip_quotation, text)


def select_own_sentences(
    text: str, shown: Sequence[str], instructions: str, split: Callable[[str], list[str]]
) -> list[str]:
    """The sentences of *text* that are the model's own; "" in the place of each that is not.

    *shown* is what the model was given to read, *instructions* what else the prompt says; *split* cuts a text into
    sentences, with its marks of emphasis taken out.
    """
    sentences = split(strip_quotations(text))
    plain = [_fold_words(sentence) for sentence in sentences]
    longer = {part for part in plain if not _LABEL_ALONE.fullmatch(part)}
    given = f" {' '.join(_fold_words(part) for whole in shown for part in split(whole))} "
    repeated = longer & set(map(_fold_words, split(instructions)))
    foreign = {part for part in longer if f" {part} " in given} | (repeated if len(repeated) > 1 else set())
    return ["" if part in foreign else sentence for sentence, part in zip(sentences, plain, strict=True)]


def is_repeated(sentence: str, given: str) -> bool:
    """Whether *given* holds *sentence*, which is more than a label; only their words are compared."""
    words = _fold_words(sentence)
    return not _LABEL_ALONE.fullmatch(words) and f" {words} " in f" {_fold_words(given)} "


def _strip_fences(text: str) -> str:
    """*text* without fenced blocks, other than a label alone; the blocks themselves where there is nothing else.

    A block that is not closed reaches to the end.
    """
    outside: list[str] = []
    blocks: list[str] = []
    position, opened = 0, ""
    for fence in _FENCE.finditer(text):
        mark = fence[0].lstrip()[:3]
        if not opened:
            outside.append(text[position : fence.start()])
            position, opened = fence.end(), mark
        elif mark == opened:
            blocks.append(text[position : fence.start()])
            outside.append(blocks[-1] if _LABEL_ALONE.fullmatch(blocks[-1]) else "")
            position, opened = fence.end(), ""
    (blocks if opened else outside).append(text[position:])
    words = "".join(outside)
    return words if any(character.isalnum() for character in words) else "\n".join(blocks)


def _strip_quotation(match: re.Match[str]) -> str:
    inside = next((group for group in match.groups() if group is not None), "")
    return inside if _LABEL_ALONE.fullmatch(inside) or not inside.strip() else " … "


def _fold_words(sentence: str) -> str:
    return " ".join(re.findall(r"[^\W_]+", sentence.lower()))
