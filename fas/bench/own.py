"""Answers of the user's own model to a benchmark's questions, from a file of answers.

`question_id` names the question of a line, or else its `id` (`QUESTION`, or `QUESTION#SAMPLE` as `fas bench` writes
ids). `model` names the model, or else the file's name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path

from fas.bench.dataset import Candidate, Item
from fas.core.answers.files import BadLine, first_mistake, read_answers
from fas.core.answers.sources import AnswerSource
from fas.core.errors import InputError
from fas.core.records import Answer


def read_own_candidates(
    path: Path, items: Mapping[str, Item], known: Collection[str], *, tell: Callable[[str], None] = lambda _: None
) -> Iterator[Candidate]:
    """The answers in *path*, in any format that `fas score` takes, to *items*, the questions of the run.

    *known*: ids of all questions of the benchmark; *tell* takes a line on the answers to those that are not in the run,
    which are left out.

    Raises:
        InputError: The file cannot be used, an answer is to no question of the benchmark or states another question,
            or none of them is to a question of the run.
    """
    samples: Counter[tuple[str, str]] = Counter()
    answered: set[str] = set()
    left = 0
    for answer in read_answers(AnswerSource(path, str(path))):
        if isinstance(answer, BadLine):
            raise first_mistake([answer])
        item = _find_question(answer, known, path)
        if item not in items:
            left += 1
            continue
        _check_question(answer, items[item], path)
        model = str(answer.meta.get("model") or path.name.partition(".")[0])
        yield Candidate(item, model, samples[model, item], answer.prediction)
        samples[model, item] += 1
        answered.add(item)
    if not answered:
        raise InputError(f"{path}: no answer to any of the {len(items)} questions chosen", kind="empty_input")
    if left:
        tell(f"{path}: {left} answers to questions outside the selection are omitted")
    if len(answered) < len(items):
        tell(f"{path}: {len(items) - len(answered)} of {len(items)} questions have no answer and are not scored")


def _find_question(answer: Answer, known: Collection[str], path: Path) -> str:
    given = answer.meta.get("question_id")
    names = [str(given)] if given is not None else [answer.id, answer.id.rpartition("#")[0]]
    for name in names:
        if name in known:
            return name
    raise InputError(
        f"{path}: {names[0]!r} is not a question of this benchmark; an answer names its question by `question_id` or "
        "`id`, as --questions-out FILE writes them",
        kind="unknown_question",
    )


def _check_question(answer: Answer, item: Item, path: Path) -> None:
    """Refuse an answer that states another question than the one it names."""
    if answer.question is None:
        return
    stated = " ".join(answer.question.split())
    if stated not in {" ".join(text.split()) for text in (item.question, str(item.meta.get("stem", item.question)))}:
        raise InputError(
            f"{path}: the answer {answer.id!r} states another question ({stated[:80]!r}) than {item.id!r} of the "
            "benchmark; take the questions from --questions-out FILE",
            kind="other_question",
        )
