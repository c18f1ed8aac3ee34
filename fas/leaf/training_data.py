"""The exported lines as tokens, filtered by length and checked for leaks.

Prompts become the tokens that the samples were drawn with, and a completion ends with one end token, so that nothing
depends on how a chat template closes a turn. What is too long is left out and counted, never cut.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from fas.core.errors import InputError
from fas.core.files.plain import json_lines
from fas.leaf.questions import open_questions
from fas.leaf.selecting import FILES, For
from fas.llm.messages import Message
from fas.llm.templates import tokenize_conversation

_MAX_PROMPT_LENGTH = 1800  # LEAF, table 11


class Example(NamedTuple):
    """One line as tokens.

    Attributes:
        prompt: Tokens of the prompt.
        chosen: Tokens of the (better) completion, the end token included.
        rejected: Those of the worse one; empty for `sft`.
    """

    item: str
    prompt: list[int]
    chosen: list[int]
    rejected: list[int]


def read_lines(folder: Path, purpose: For) -> list[dict[str, Any]]:
    """The exported lines.

    Raises:
        InputError: There are none.
    """
    path = folder / FILES[purpose]
    if not path.is_file():
        raise InputError(
            f"{path}: no such file; `fas train select {folder} --for {purpose}` writes it", kind="missing_file"
        )
    lines = [record for _, record in json_lines(path)]
    if not lines:
        raise InputError(f"{path}: holds nothing to learn from", kind="empty_file")
    return lines


def find_leaked(lines: Sequence[Mapping[str, Any]], held_out: Sequence[Path]) -> list[str]:
    """Questions of *lines* that are in a file of held-out questions too, compared without case and punctuation.

    Raises:
        InputError: A file cannot be used.
    """
    evaluated = {fold_examples(question.text) for path in held_out for question in open_questions(path)}
    return sorted({str(line["item"]) for line in lines if fold_examples(str(line["question"])) in evaluated})


def fold_examples(text: str) -> str:
    """*text* as leaks are compared: its words in lower case.

    >>> fold_examples("Is  Aspirin an NSAID?") == fold_examples("is aspirin, an NSAID")
    True
    """
    return " ".join(re.findall(r"\w+", text.casefold()))


def tokenize_examples(
    lines: Sequence[Mapping[str, Any]], tokenizer: Any, *, max_length: int
) -> tuple[list[Example], Counter[str]]:
    """The lines as tokens, and how many were left out, by reason: prompts above 1,800 tokens, as in LEAF, and the rest.

    Raises:
        InputError: The tokenizer has no end token, or nothing is left.
    """
    if tokenizer.eos_token_id is None:
        raise InputError("the model's tokenizer has no end token, so that it cannot learn where to stop", kind="no_eos")
    kept, left_out = [], Counter[str]()
    for line in lines:
        one = _tokenize(line, tokenizer)
        longest = len(one.prompt) + max(len(one.chosen), len(one.rejected))
        if len(one.prompt) > _MAX_PROMPT_LENGTH:
            left_out[f"prompt longer than {_MAX_PROMPT_LENGTH} tokens"] += 1
        elif longest > max_length:
            left_out[f"prompt and completion longer than {max_length} tokens"] += 1
        else:
            kept.append(one)
    if not kept:
        reasons = ", ".join(f"{n} {why}" for why, n in left_out.items())
        raise InputError(f"no training data is left: {reasons}", kind="too_long")
    return kept, left_out


def _tokenize(line: Mapping[str, Any], tokenizer: Any) -> Example:
    prompt = tokenize_conversation(tokenizer, [Message("user", line["prompt"][-1]["content"])])
    names = ("completion",) if "completion" in line else ("chosen", "rejected")
    texts = [line[name][-1]["content"] for name in names]
    # Without a template the prompt ends where the text goes on.
    lead = "" if getattr(tokenizer, "chat_template", None) else "\n"
    ends = [
        [*tokenizer(lead + text, add_special_tokens=False, verbose=False)["input_ids"], tokenizer.eos_token_id]
        for text in texts
    ]
    return Example(str(line["item"]), prompt, ends[0], ends[1] if len(ends) > 1 else [])
