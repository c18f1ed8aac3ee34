"""Training data: answers that pass their check, or pairs of a better and a worse one (LEAF, section 2.3).

    for `sft`      every answer of which each statement is verified and supported; equal texts of a question once
    for `simpo`    of each question the answer with the highest score, and the one with the lowest

The score is the share of verified statements that are supported. Of equal scores the higher end is the answer with more
verified statements, then the lower number; the lower end the one with fewer, then the lower number. A question gives no
pair if fewer than two answers have a score, if all scores are equal, or if both ends are the same text. An answer that
was cut off is never learnt from, and neither is one that could not be checked.

What is written is read by TRL, too: `prompt` is a user's turn, `chosen`, `rejected` and `completion` an assistant's.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

from fas.core.checks import whole_number
from fas.core.errors import InputError
from fas.core.files.own import SCORES, replace_file
from fas.leaf.rounds import Checks
from fas.leaf.stopping import check_of
from fas.pipeline.runs.lines import Lines

For = Literal["sft", "simpo"]
FILES: Mapping[For, str] = {"sft": "sft.jsonl", "simpo": "pairs.jsonl"}


class Checked(NamedTuple):
    """One answer with its check.

    Attributes:
        number: Which of the answers to it.
        score: Share of verified statements that are supported.
        correct: Every statement is verified and supported.
    """

    item: str
    number: int
    prompt: str
    stem: str
    text: str
    score: float
    n_verified: int
    correct: bool


class Selected(NamedTuple):
    """What was chosen.

    Attributes:
        counts: What became of the answers and questions, by reason.
    """

    path: Path
    n: int
    counts: Mapping[str, int]


def select(folder: Path, *, purpose: For, scores: Path | None = None, per_question: int | None = None) -> Selected:
    """Choose among the checked samples in *folder*, and write `sft.jsonl` or `pairs.jsonl` there.

    Args:
        folder: Of `fas train sample`.
        purpose: What for.
        scores: Folder of their scores; `checked` within *folder* by default.
        per_question: For `sft`: at most so many answers a question, those with the lowest numbers.

    Raises:
        InputError: Something is missing, or nothing can be chosen.
        ValueError: A setting is impossible.
    """
    if purpose not in get_args(For):
        raise ValueError(f"choose for 'sft' or 'simpo', got {purpose!r}")
    if per_question is not None:
        whole_number("per_question", per_question)
    counts: Counter[str] = Counter()
    # Answers to a question stand together in the order of their numbers only where nothing was retried.
    ordered = sorted(
        _read_checked(folder, scores or folder / "checked", counts), key=lambda one: (one.item, one.number)
    )
    groups = (list(group) for _, group in groupby(ordered, key=lambda one: one.item))
    lines = list(_select_passed(groups, per_question, counts) if purpose == "sft" else _select_pairs(groups, counts))
    if not lines:
        reasons = ", ".join(f"{n} {reason}" for reason, n in counts.items()) or "no answers"
        what = "no answer passed its check" if purpose == "sft" else "no question gave a pair"
        raise InputError(f"{folder}: {what} ({reasons}); nothing was written", kind="nothing_selected")
    path = folder / FILES[purpose]
    with replace_file(path) as out:
        out.writelines(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    return Selected(path, len(lines), dict(counts))


def _read_checked(folder: Path, checks: Path, counts: Counter[str]) -> Iterator[Checked]:
    answers, scores = Lines(folder / "answers.jsonl"), Checks(checks / SCORES)
    for one, command in ((answers, "fas train sample QUESTIONS"), (scores, f"fas score {answers.path}")):
        if not one.path.is_file():
            raise InputError(
                f"{one.path}: no such file; `{command} -o {one.path.parent}` writes it", kind="missing_file"
            )
    for answer in answers:
        counts["answers"] += 1
        record = scores.get(answer["id"])
        if record is None:
            counts["not checked"] += 1
            continue
        missing = [name for name in ("item", "sample", "prompt", "stem") if name not in answer]
        if missing:
            raise InputError(
                f"{answers.path}: the answer {answer['id']!r} has no {missing[0]!r}: not from `fas train sample`",
                kind="not_sampled",
            )
        check = check_of(record, lambda claim: claim["label"] != "supported")
        if answer.get("finish") == "length":
            counts["cut off"] += 1
        elif check.error or not check.n_verified:
            counts["without a score"] += 1
        else:
            yield Checked(
                answer["item"], answer["sample"], answer["prompt"], answer["stem"], answer["prediction"], check.score,
                check.n_verified, check.correct,
            )  # fmt: skip


def _select_passed(groups: Iterable[list[Checked]], most: int | None, counts: Counter[str]) -> Iterator[dict[str, Any]]:
    for group in groups:
        counts["questions"] += 1
        passed = {one.text: one for one in reversed(group) if one.correct}
        kept = sorted(passed.values(), key=lambda one: one.number)[:most]
        counts["questions without an answer that passed"] += not kept
        for one in kept:
            yield {**_make_turns(one, completion=one), "score": one.score, "number": one.number}


def _select_pairs(groups: Iterable[list[Checked]], counts: Counter[str]) -> Iterator[dict[str, Any]]:
    for group in groups:
        counts["questions"] += 1
        pair = select_pair(group)
        if isinstance(pair, str):
            counts[pair] += 1
            continue
        chosen, rejected = pair
        yield {
            **_make_turns(chosen, chosen=chosen, rejected=rejected),
            "score_chosen": chosen.score,
            "score_rejected": rejected.score,
            "numbers": [chosen.number, rejected.number],
        }


def _make_turns(asked: Checked, **answers: Checked) -> dict[str, Any]:
    """The question, its prompt as a user's turn, and *answers* as an assistant's."""
    replies = {name: [{"role": "assistant", "content": one.text}] for name, one in answers.items()}
    return {
        "item": asked.item,
        "question": asked.stem,
        "prompt": [{"role": "user", "content": asked.prompt}],
        **replies,
    }


def select_pair(group: list[Checked]) -> tuple[Checked, Checked] | str:
    """The better and the worse answer to one question, or why there is no pair."""
    if len(group) < 2:
        return "questions with fewer than two scored answers"
    if len({one.score for one in group}) == 1:
        return "questions whose answers all have the same score"
    chosen = max(group, key=lambda one: (one.score, one.n_verified, -one.number))
    rejected = min(group, key=lambda one: (one.score, one.n_verified, one.number))
    return (
        (chosen, rejected)
        if chosen.text != rejected.text
        else "questions whose best and worst answer have the same text"
    )
