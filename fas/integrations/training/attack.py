"""Attacks on rewards: the earnings of policies that game scores, beside honest answers to the same questions."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from importlib import import_module
from typing import TYPE_CHECKING, Any

from fas.core.answers.files import answers_from
from fas.core.records import AnswerScore
from fas.core.records.as_json import number_or_none
from fas.integrations.training.policies import HONEST, POLICIES, Asked
from fas.integrations.training.reward import METRICS, FasReward
from fas.llm import ChatModel, Message, Prompt
from fas.report.tables import json_ready, number, text_table
from fas.stats.paired import paired_difference
from fas.text.sentences import sentence_spans

if TYPE_CHECKING:
    from fas.core.profile import Profile

BUILT_IN = (*METRICS, "unreferenced", "callback", "support", "rougeL", "bertscore")
"""Rewards by name: those of `FasReward` by metric; `unreferenced`, the default one where nothing says what an
answer ought to say; the callback's `eval_fas`; and beside them Support@k and two reference metrics."""
JUDGE = "judge"
Rewards = list[float | None]
Rate = Callable[[Sequence[AnswerScore]], Rewards]
_SAME = 1e-9


@dataclass(frozen=True, slots=True)
class Outcome:
    """The earnings of a policy (or of the honest answers) from one reward.

    Attributes:
        mean: Mean reward over the *n* questions with a value; NaN without one.
        difference: Mean of the policy's reward less the honest answer's, over questions with both; *low* and *high* are
            its 95% interval.
        wins: Share of these questions in which the policy earns more than the honest answer.
    """

    reward: str
    policy: str
    mean: float
    n: int
    difference: float = math.nan
    low: float = math.nan
    high: float = math.nan
    wins: float = math.nan

    @property
    def beats(self) -> bool:
        """Whether the policy earns more on average than honest answers to the same questions."""
        return self.difference > _SAME


@dataclass(frozen=True, slots=True)
class Attack:
    """The outcome of each policy for each reward.

    Attributes:
        n: Number of questions.
        outcomes: By reward, the honest answer first, then the policies.
        signature: Pins the scores behind the rewards.
        earned: Reward, then policy, to its value for each question; None without a value.
        notes: What else a reader must know.
    """

    n: int
    outcomes: tuple[Outcome, ...]
    signature: str
    earned: Mapping[str, Mapping[str, Rewards]]
    notes: tuple[str, ...] = ()

    def beaten(self) -> dict[str, list[str]]:
        """For each reward the policies that earn more on average than the honest answers."""
        found: dict[str, list[str]] = {one.reward: [] for one in self.outcomes}
        for one in self.outcomes:
            if one.beats:
                found[one.reward].append(one.policy)
        return found

    def as_dict(self) -> dict[str, Any]:
        """For programs."""
        outcomes = [{**asdict(one), "beats": one.beats} for one in self.outcomes]
        made: dict[str, Any] = json_ready(
            {
                "n": self.n,
                "signature": self.signature,
                "beaten": self.beaten(),
                "outcomes": outcomes,
                "earned": self.earned,
                "notes": self.notes,
            }
        )
        return made

    def as_text(self) -> str:
        """A table of means, policies by rewards; a star marks a policy that earns more than honest answers."""
        rewards = list(self.beaten())
        policies = dict.fromkeys(one.policy for one in self.outcomes)
        cells = {(one.policy, one.reward): number(one.mean) + ("*" if one.beats else " ") for one in self.outcomes}
        rows = [[policy, *(cells[policy, reward] for reward in rewards)] for policy in policies]
        beaten = [f"{reward}: {', '.join(names) or 'no policy'}" for reward, names in self.beaten().items()]
        lines = ["", "* earns more on average than the honest answers to the same questions:"]
        return "\n".join([text_table(["policy", *rewards], rows), *lines, *beaten, *self.notes, "", self.signature])


def attack(
    rows: Any,
    *,
    rewards: Sequence[str] = BUILT_IN,
    judge: ChatModel | None = None,
    profile: str | Profile = "mini",
    evidence: str | None = None,
    offline: bool = False,
) -> Attack:
    """Compare the earnings of policies that game scores with those of honest answers.

    Args:
        rows: A file or rows in the input format; `prediction` is an honest answer.
        rewards: Names of `BUILT_IN`, or `package.module:name` for your own reward function, called as TRL calls it.
        judge: A language model whose grade from 0 to 10 is one more reward; None for none.
        profile: As for `fas.Scorer`.
        evidence: As for `fas.Scorer`.
        offline: Refuse evidence that needs the network.

    Raises:
        ValueError: No rows, an empty honest answer, an unknown reward, or a function that returns another number of
            rewards than it gets completions.
    """
    from fas.pipeline.runs.scorer import Scorer

    # An unknown name is an error before anything is scored.
    rates = {name: _RATES.get(name) or _load_reward(name) for name in rewards}
    honest = answers_from(rows)
    if not honest:
        raise ValueError("no honest answers to attack a reward with")
    for answer in honest:
        if not answer.prediction.strip():
            raise ValueError(f"answer {answer.id} is empty; an attack needs an honest answer to each question")
    with Scorer(profile, evidence=evidence, offline=offline, coverage=True) as scorer:
        first = scorer.score(honest)
        texts = _texts(first.answers)
        report = scorer.score(
            [
                replace(answer, id=f"{name}/{answer.id}", prediction=text, claims=None)
                for name, made in texts.items()
                for answer, text in zip(honest, made, strict=True)
            ]
        )
    n = len(honest)
    scores = {HONEST: list(first.answers)}
    scores.update((name, list(report.answers[i * n : (i + 1) * n])) for i, name in enumerate(texts))
    earned = {name: {policy: rate(several) for policy, several in scores.items()} for name, rate in rates.items()}
    notes = []
    if judge is not None:
        earned[JUDGE], lost = _grades(judge, scores)
        notes += [f"the judge gave no grade to {lost} of {n * len(scores)} answers"] if lost else []
    outcomes = [
        _compare(reward, policy, by_policy[policy], by_policy[HONEST])
        for reward, by_policy in earned.items()
        for policy in scores
    ]
    return Attack(n, tuple(outcomes), first.signature, earned, tuple(notes))


def _texts(scores: Sequence[AnswerScore]) -> dict[str, list[str]]:
    """The answers of each policy."""
    asked = []
    for score in scores:
        best = max(score.verdicts, key=lambda verdict: verdict.p_support, default=None)
        text = score.answer.prediction
        start, end = sentence_spans(text)[0]
        claim = text[start:end] if best is None else best.claim.text
        claim = claim if re.search(r"[.!?]\W*$", claim) else f"{claim}."
        passages = [passage.text for passage in score.answer.passages or ()]
        asked.append(Asked(score.answer.question or "", text, claim, passages))
    return {name: [policy(one) for one in asked] for name, policy in POLICIES.items()}


def _each(rate: Callable[[AnswerScore], float | None]) -> Rate:
    return lambda scores: [rate(one) for one in scores]


_RATES: Mapping[str, Rate] = {
    **{metric: _each(FasReward(metric=metric).rate) for metric in METRICS},
    "unreferenced": _each(lambda score: FasReward().rate(replace(score, coverage=None))),
    "callback": _each(lambda score: number_or_none(score.fas)),
    "support": _each(lambda score: number_or_none(score.support)),
    "rougeL": _each(lambda score: number_or_none(score.reference.rougeL)),
    "bertscore": _each(lambda score: number_or_none(score.reference.bertscore_f1)),
}


def _load_reward(name: str) -> Rate:
    """The reward function at `package.module:name`; a class is called without arguments first."""
    module, colon, attribute = name.partition(":")
    if not colon:
        raise ValueError(f"reward is {name!r}; allowed: {', '.join(BUILT_IN)}, or package.module:function")
    try:
        found: Any = getattr(import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise ValueError(f"there is no reward {name!r}: {error}") from error
    function = found() if isinstance(found, type) else found

    def rate(scores: Sequence[AnswerScore]) -> Rewards:
        answers = [score.answer for score in scores]
        questions = [answer.question or "" for answer in answers]
        given = function(
            prompts=questions,
            completions=[answer.prediction for answer in answers],
            question=questions,
            references=[list(answer.references) for answer in answers],
            passages=[[passage.text for passage in answer.passages or ()] for answer in answers],
        )
        if len(given) != len(answers):
            raise ValueError(f"the reward gave {len(given)} values for {len(answers)} completions")
        return [None if value is None else number_or_none(float(value)) for value in given]

    return rate


def _grades(judge: ChatModel, scores: Mapping[str, Sequence[AnswerScore]]) -> tuple[dict[str, Rewards], int]:
    """The grades of a plain judge by policy, in [0, 1], and how many answers got none."""
    flat = [score.answer for several in scores.values() for score in several]
    system = Message("system", "You grade answers to medical questions.")
    asked = (
        f"Question: {answer.question or ''}\n\nAnswer: {answer.prediction}\n\n"
        "How good is this answer, from 0 (useless) to 10 (perfect)? Reply with the number alone."
        for answer in flat
    )
    prompts = [Prompt((system, Message("user", text)), max_tokens=8) for text in asked]
    grades: Rewards = []
    for reply in judge.complete(prompts):
        found = re.match(r"\D{0,20}?(\d+(?:\.\d+)?)", reply.text)
        value = float(found.group(1)) / 10 if found and reply.failure is None else math.nan
        grades.append(value if 0.0 <= value <= 1.0 else None)
    n = len(flat) // len(scores)
    by_policy = {policy: grades[i * n : (i + 1) * n] for i, policy in enumerate(scores)}
    return by_policy, grades.count(None)


def _compare(reward: str, policy: str, values: Rewards, honest: Rewards) -> Outcome:
    there = [value for value in values if value is not None]
    mean = sum(there) / len(there) if there else math.nan
    pairs = [(one, other) for one, other in zip(values, honest, strict=True) if one is not None and other is not None]
    if policy == HONEST or not pairs:
        return Outcome(reward, policy, mean, len(there))
    mine, theirs = zip(*pairs, strict=True)
    found = paired_difference(mine, theirs)
    wins = sum(one > other + _SAME for one, other in pairs) / len(pairs)
    return Outcome(reward, policy, mean, len(there), found.difference, found.low, found.high, wins)
