r"""The option that an answer chooses, by a small grammar.

The first capital letter of an answer would read "A fever is likely" as (A), and the last one "not (D)" as (D). Only a
statement of a choice counts here:

    statement = "the [correct|best|...] answer|option|choice|diagnosis|... is" option     anywhere in a sentence
              | "answer" ":" option | "option" letter "is" "correct" | "I choose" option   anywhere
              | option, as the first or the last line                                       (the form of a reply)
              | option, as any other line, where nothing else states one; not in a list of several options
              | the text of one option as a whole line, or behind "answer:" or "the answer is"
              | "yes" | "no" | "maybe" at the beginning, where these words are the options
    option    = "(" letter ")" | letter ")" | letter "." | letter ":" | letter

| Answer                                              | Options      | Reading                   |
|-----------------------------------------------------|--------------|---------------------------|
| (E) / **Answer**: (B) / E) Surgical pinning / E     | A to E       | the letter                |
| The answer is E, not D.                             | A to E       | E                         |
| The correct answer is not D.                        | A to E       | unread: none              |
| The answer is (A) or (B). / A and C                 | A to E       | unread: two options       |
| (A) ... Therefore the answer is B.                  | A to E       | unread: two options       |
| The answer is F.                                    | A to E       | unread: no such option    |
| Surgical pinning of the femoral head.               | E is this    | E                         |
| A fever of 39 degrees is expected.                  | A to E       | unread: none              |
| Yes, it does. / Answer: yes / No.                   | yes and no   | its letter                |

An answer that is not read counts as wrong where accuracy is measured, and is counted as unread.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from fas.text.time_limit import read_in_time

_TOKEN = r"(?:\((?P<round>[A-Ja-j])\)|\[(?P<square>[A-J])\]|(?P<bare>[A-J])(?![\w'’-]))"
_NOUN = r"(?:answer|option|choice|response|diagnosis|management|treatment|step|explanation|finding|cause|intervention)"
_IS = r"(?:is|was|would be|will be|should be|remains|must be)"
_GROUPS = ("round", "square", "bare")
_LINE_GROUPS = ("round", "point", "alone")
_MARKS = re.compile(r"[*_`#>]+")
# A choice in words, up to the option.
_STATED = re.compile(
    rf"(?:\b(?:the|my|this|our)\s+(?:[\w-]+\s+){{0,4}}?{_NOUN}\b[^.!?\n]{{0,160}}?\b{_IS}\s*:?\s+(?:therefore\s+|thus\s+)?"
    rf"(?:option\s+|choice\s+|answer\s+)?|\b(?:final\s+|correct\s+|best\s+)?(?:answer|choice)\s*[:=]\s*(?:option\s+)?|"
    rf"\bI\s+(?:would\s+)?(?:choose|chose|select|pick|go with)\s+(?:option\s+|answer\s+)?){_TOKEN}",
    re.IGNORECASE,
)
_CORRECT = re.compile(
    rf"\b(?:option|choice|answer)\s+{_TOKEN}\s*{_IS}\s+(?:therefore\s+|thus\s+|clearly\s+)?(?:the\s+)?"
    r"(?:correct|right|best|most\s+\w+)\b",
    re.IGNORECASE,
)
_PARENTHESISED = re.compile(
    r"\b(?:the|my)\s+(?:[\w-]+\s+){0,4}?" + _NOUN + r"\b[^.!?\n]{0,200}?\b" + _IS + r"\b[^.!?\n()]{1,160}"
    r"\((?:option|choice|answer)\s+(?P<bare>[A-J])\)",
    re.IGNORECASE,
)
_LINE = re.compile(
    r"^\W*(?i:(?:the\s+)?(?:final\s+|correct\s+|best\s+)?(?:answer|choice|option)(?:\s++is)?\s*+[:=-]?\s*+)?"
    r"(?:\((?P<round>[A-J])\)|(?P<point>[A-J])[).:](?!\w)|(?P<alone>[A-J])(?=\W*$))[\s.:,–—-]*(?P<rest>.*)$",
)
_ANOTHER = re.compile(r"^[)\].\s]*(?:,|/|&|\band\b|\bor\b)\s*(?:\(?option\s+)?\(?(?P<letter>[A-J])\)?(?![\w'’-])")
_HEADING = re.compile(
    r"^(?:the\s+)?(?:final\s+|correct\s+|best\s+)?(?:answer|choice)\s*(?:is)?\s*[:=-]?\s+", re.IGNORECASE
)
_ARTICLE = re.compile(r"\s+(?!(?:and|or|because|since|as|for|not|but)\b)[a-z]")
_WORD = re.compile(r"^\W*(?P<word>yes|no|maybe)\b(?!\s+(?:one|evidence|need|study|studies)\b)", re.IGNORECASE)


class Choice(NamedTuple):
    """The option that an answer chooses, or the reason why none can be read."""

    letter: str | None
    reason: str | None = None


class OptionLine(NamedTuple):
    """A line that has the form of an option.

    Attributes:
        letter: Its letter.
        start: Where the line begins, white space left out (code points).
        end: One past its last character.
        rest: Where the text after the letter begins; `end` without such a text.
        outer: It is the first or the last line.
        listed: A line beside it has the form of another option: a list of options chooses none of them.
        second: Another letter that it names as well, as `(A) or (B)` does.
    """

    letter: str
    start: int
    end: int
    rest: int
    outer: bool
    listed: bool
    second: str | None


@read_in_time(lambda why: Choice(None, why))
def read_choice(answer: str, options: Mapping[str, str]) -> Choice:
    """The option that *answer* chooses, of *options* (letter to text); the module's table has every case.

    >>> read_choice("The answer is E, not D.", {"D": "drainage", "E": "pinning"}).letter
    'E'
    """
    if not answer.strip():
        return Choice(None, "the answer is empty")
    plain = _MARKS.sub("", answer)
    found: set[str] = set()
    for match in _find_stated(plain):
        found.add(_read_group(match, *_GROUPS).upper())
        another = _ANOTHER.match(plain[match.end() :])
        if another:
            found.add(another["letter"])
    shaped = option_lines(answer)
    alone = [line for line in shaped if not line.listed]
    found |= {line.letter for line in alone if line.outer}
    found |= {line.second for line in alone if line.outer and line.second}
    if not found:
        found = _find_by_text([line for line in map(str.strip, plain.splitlines()) if line], options)
    listed = {line.letter for line in shaped}
    if not found:
        found = {line.letter for line in alone}
    if not found and len(listed) > 1:
        return Choice(None, f"the answer names the options {', '.join(sorted(listed))} and chooses none")
    if not found:
        return Choice(None, "the answer chooses no option")
    if len(found) > 1:
        return Choice(None, f"the answer chooses the options {', '.join(sorted(found))}")
    (letter,) = found
    if letter not in options:
        return Choice(None, f"the answer chooses {letter}, which is no option")
    return Choice(letter)


def option_lines(answer: str) -> list[OptionLine]:
    """The lines of *answer* that have the form of an option, as `(C) 8` or `**Answer**: (B) 16`."""
    lines: list[tuple[int, str, re.Match[str] | None]] = []
    start = 0
    for raw in answer.splitlines(keepends=True):
        if text := raw.strip():
            # Marks are blanked, not removed, so that places stay.
            blank = _MARKS.sub(lambda match: " " * len(match[0]), text)
            lines.append((start + len(raw) - len(raw.lstrip()), text, _LINE.match(blank)))
        start += len(raw)
    letters = [_read_group(match, *_LINE_GROUPS) if match else None for _, _, match in lines]
    found = []
    for i, (begin, text, match) in enumerate(lines):
        letter = letters[i]
        if match is None or letter is None:
            continue
        group = next(name for name in _LINE_GROUPS if match[name])
        another = _ANOTHER.match(match.string[match.end(group) :])
        found.append(
            OptionLine(
                letter,
                begin,
                begin + len(text),
                begin + (match.start("rest") if match["rest"].strip() else len(text)),
                outer=i in (0, len(lines) - 1),
                listed=bool({*letters[max(i - 1, 0) : i + 2]} - {None, letter}),
                second=another["letter"] if another else None,
            )
        )
    return found


def _find_stated(plain: str) -> Iterator[re.Match[str]]:
    for pattern in (_STATED, _CORRECT, _PARENTHESISED):
        for match in pattern.finditer(plain):
            # "The answer is not D", "the most common cause is a fever": no choice.
            head = match[0]
            letter = _read_group(match, *_GROUPS)
            if letter.islower() and "(" not in head[-4:]:
                continue
            if re.search(r"\bnot\b|n't\b", head, re.IGNORECASE):
                continue
            # "is A fever": an article, unless a mark, a conjunction or the end of the sentence follows.
            if letter == "A" and "(" not in head[-4:] and _ARTICLE.match(plain[match.end() :]):
                continue
            yield match


def _read_group(match: re.Match[str], *groups: str) -> str:
    known = match.re.groupindex
    return next(match[name] for name in groups if name in known and match[name])


def _find_by_text(lines: Sequence[str], options: Mapping[str, str]) -> set[str]:
    """The options whose whole text is a line, or, of yes, no and maybe, begins the first or the last one."""
    texts = {_fold_text(text): letter for letter, text in options.items()}
    whole = {texts[folded] for line in lines if (folded := _fold_text(_HEADING.sub("", line))) in texts}
    if whole or not set(texts) <= {"yes", "no", "maybe"}:
        return whole
    words = set()
    for line in (*lines[:1], *lines[-1:]):  # none where the answer is marks alone
        match = _WORD.match(_HEADING.sub("", line))
        if match and match["word"].lower() in texts:
            words.add(texts[match["word"].lower()])
    return words


def _fold_text(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))
