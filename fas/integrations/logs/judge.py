"""A judge examined without labels: correlations of its scores with form, and the scores of a second judgement."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from fas.integrations.logs.reading import Log
from fas.integrations.logs.records import LoggedAnswer, make_score
from fas.integrations.logs.scores import clusters_of, values_of
from fas.llm import ChatModel, Message, Prompt, Reply, parse_reply
from fas.llm.prompt_files import load_prompt_file
from fas.stats.bootstrap import mean_intervals
from fas.stats.correlation import correlation
from fas.stats.ranking import rank_rows
from fas.text.sentences import sentence_spans

_MARKED = re.compile(r"^\s*(?:[-*+]|\d+[.)]|#{1,6}|\|)\s*|\*\*|__", re.MULTILINE)
_GRADE = re.compile(r"GRADE:\s*\**\s*([A-Za-z_]+)", re.IGNORECASE)
HALF = 0.5
"""A score that moves by this share of its scale does not survive."""


def follow_features(log: Log, name: str, ours: Mapping[str, float]) -> list[dict[str, Any]]:
    """Spearman's correlation of a score with length, formatting and place, also given the evidence.

    The latter is the partial rank correlation given *ours* (the evidence scores, by identifier).
    """
    texts = [one.prediction or "" for one in log.answers]
    features = {
        "length (words)": [float(len(text.split())) for text in texts],
        "formatting (marks per 100 words)": [
            100 * len(_MARKED.findall(text)) / max(1, len(text.split())) for text in texts
        ],
        "place in the log": [float(place) for place in range(len(texts))],
    }
    values = values_of(log.answers, name)
    kept = np.array([one.prediction is not None for one in log.answers]) & ~np.isnan(values)
    given = np.array([ours.get(one.id, math.nan) for one in log.answers])
    known = kept & ~np.isnan(given)
    clusters = clusters_of([one for one, keep in zip(log.answers, kept, strict=True) if keep])
    found = []
    for feature, data in features.items():
        x = np.array(data)
        plain = correlation(values[kept], x[kept], clusters=clusters)
        row = {"spearman": plain.value, "low": plain.low, "high": plain.high, "how": plain.how, "n": plain.n}
        partial = {"given_evidence": _partial(values[known], x[known], given[known]), "n_given": int(known.sum())}
        found.append({"name": name, "feature": feature, **row, **partial})
    return found


def ask_again(
    log: Log, name: str, judge: ChatModel, *, n: int = 100, seed: int = 12345
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Ask *judge* again for *n* answers drawn at random, as they are and in other forms.

    Sends the prompt in the log, if there is one, else our own, which asks for a number from 0 to 1. Forms: plain
    sentences, a list, longer by sentences that state nothing, and (our prompt) the reference before the answer. A score
    does not survive if the reply lies half the scale or more from the logged one. Unreadable replies are counted.

    Returns:
        Shares and mean changes with intervals, and each answer's scores.
    """
    values = values_of(log.answers, name)
    scored = [one for one, value in zip(log.answers, values, strict=True) if one.prediction and not math.isnan(value)]
    drawn = random.Random(seed).sample(scored, min(n, len(scored)))
    drawn.sort(key=scored.index)
    low, high = _scale(values)
    asked = [(one, form, _prompt(one, name, form)) for one in drawn for form in _FORMS]
    sent = [(one, form, prompt) for one, form, prompt in asked if prompt is not None]
    replies = judge.complete([prompt for _, _, prompt in sent])
    read: dict[tuple[str, str], float] = {}
    for (one, form, _), reply in zip(sent, replies, strict=True):
        value = read_reply(reply)
        read[one.id, form] = (value - low) / (high - low) if _uses_logged(one, name) else value
    rows = [
        {"id": one.id, "logged": (one.scores[name].value - low) / (high - low),
         **{form: read.get((one.id, form), math.nan) for form in _FORMS}}
        for one in drawn
    ]  # fmt: skip
    column = {form: np.array([row[form] for row in rows], dtype=np.float64) for form in ("logged", *_FORMS)}
    moved = np.abs(column["again"] - column["logged"])
    lost = np.where(np.isnan(moved), math.nan, (moved >= HALF - 1e-9).astype(float))
    changes = {
        "list instead of sentences": column["listed"] - column["plain"],
        "longer, with nothing stated": column["longer"] - column["again"],
        "reference first": column["moved"] - column["again"],
    }
    found = mean_intervals({"not_survived": lost, **changes}, unbounded=changes, clusters=clusters_of(drawn))
    flipped = np.nanmax(np.abs(np.vstack([np.nan_to_num(one) for one in changes.values()])), axis=0) >= HALF - 1e-9
    return {
        "name": name, "judge": judge.signature, "n": len(drawn), "n_requests": len(sent),
        "n_unread": sum(map(math.isnan, read.values())),
        "n_logged_prompts": sum(_uses_logged(one, name) for one in drawn), "scale": [low, high],
        "not_survived": found["not_survived"]._asdict(),
        "changes": {key: found[key]._asdict() for key in changes},
        "moved_by_form": float(flipped.mean()) if len(drawn) else math.nan,
    }, rows  # fmt: skip


def read_reply(reply: Reply) -> float:
    """The number in a judge's reply: `GRADE: C`, or JSON with a score or a decision; NaN without one."""
    if reply.failure is not None:
        return math.nan
    grades = _GRADE.findall(reply.text)
    if grades:
        return make_score(grades[-1], "").value
    value = parse_reply(reply).value
    if isinstance(value, Mapping):
        value = next((value[key] for key in ("score", "criteria_met", "pass", "grade") if key in value), None)
        return make_score(value, "").value
    return math.nan


def _prompt(one: LoggedAnswer, name: str, form: str) -> Prompt | None:
    said, logged = one.prediction or "", one.scores[name].prompt
    changed = _FORMS[form](said, one.question or "")
    if _uses_logged(one, name):
        if form == "moved":
            return None
        return Prompt((Message("user", logged.replace(said, changed)),))
    if form == "moved" and not one.references:
        return None
    source = "reask-reference-first" if form == "moved" else "reask"
    file = load_prompt_file(
        source, package=__package__, placeholders=("question", "answer", "reference"), required=("answer",)
    )
    return Prompt(
        file.messages({"question": one.question, "answer": changed, "reference": "\n".join(one.references) or None})
    )


def _uses_logged(one: LoggedAnswer, name: str) -> bool:
    return bool(one.prediction) and one.scores[name].prompt.count(one.prediction or "") == 1


def _strip_marks(text: str, _: str = "") -> str:
    return " ".join(_MARKED.sub("", text).split())


def _list_sentences(text: str, _: str = "") -> str:
    plain = _strip_marks(text)
    return "\n".join(f"- {plain[start:end].strip()}" for start, end in sentence_spans(plain)) or plain


def _lengthen(text: str, question: str) -> str:
    about = f'The question was: "{question}" ' if question else ""
    return f"{about}This is an important question, and it deserves a careful reply.\n\n{text}\n\nThat is the answer."


_FORMS: Mapping[str, Callable[[str, str], str]] = {
    "again": lambda text, _: text,
    "plain": _strip_marks,
    "listed": _list_sentences,
    "longer": _lengthen,
    "moved": lambda text, _: text,
}


def _scale(values: npt.NDArray[np.float64]) -> tuple[float, float]:
    """The least and the greatest possible score: 0 and 1, or the observed ones if some lie outside."""
    if not len(values) or np.isnan(values).all():
        return 0.0, 1.0
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    return (0.0, 1.0) if low >= 0 and high <= 1 else (min(0.0, low), high) if high > low else (low, low + 1)


def _partial(y: npt.NDArray[np.float64], x: npt.NDArray[np.float64], given: npt.NDArray[np.float64]) -> float:
    """The partial rank correlation of *y* and *x* given *given*; NaN for fewer than 10 answers."""
    if len(y) < 10:
        return math.nan
    ranks = rank_rows(np.vstack([y, x, given]))
    if any(np.ptp(one) == 0 for one in ranks):
        return math.nan
    r: npt.NDArray[np.float64] = np.asarray(np.corrcoef(ranks))
    rest = math.sqrt((1 - r[0, 2] ** 2) * (1 - r[1, 2] ** 2))
    return float((r[0, 1] - r[0, 2] * r[1, 2]) / rest) if rest > 1e-9 else math.nan
