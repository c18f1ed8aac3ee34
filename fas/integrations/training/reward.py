"""A reward for TRL's online trainers (GRPO, RLOO): how much of a completion is backed by evidence."""

from __future__ import annotations

import hashlib
import json
import logging
import math
from collections import Counter, OrderedDict
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from fas.core.checks import is_whole
from fas.integrations.training.guards import copied_share, exceeding_share, repeated_share
from fas.scoring.aggregate import UNCOUNTED

if TYPE_CHECKING:
    from fas.core.records import AnswerScore
    from fas.pipeline.runs.scorer import Scorer

Metric = Literal["fas", "fas_evidence", "support", "soft"]
METRICS: tuple[Metric, ...] = ("fas", "fas_evidence", "support", "soft")
_KEPT = 20_000
_NEARLY_ALL = 0.95

_log = logging.getLogger(__name__)


class FasReward:
    """A reward function for TRL; picklable, and named `fas` in its logs.

    Called with the columns of the data set as lists: `question` (the last user turn of the prompt without it),
    `references` and `passages`, as in the input format. Completions may be plain or conversational. What cannot be
    scored (no claim, or an error) has the reward None, which TRL leaves out of a group's baseline; beside other rewards
    it counts as 0 in their sum, so give `unscored` a value there.

    The reward is `metric`, scaled down by what earns a score without answering, less costs:

        metric * min(1, claims / claims_expected) * (1 - copied beyond `copy_free`) * (1 - repeated)
        - length_cost * words beyond `length_free` / 100 - flag_cost * safety flags

    Args:
        profile: As for `fas.Scorer`.
        metric: `fas` (needs references), `fas_evidence`, `support`, or `soft`: the mean over claims of
            (1 + P(support) - P(contradict)) / 2, which moves before a label does. All lie in [0, 1].
        claims_expected: Distinct verified claims a full answer has; 1 switches the scaling off. Without it one
            supported triviality earns as much as an answer.
        copy_free: Share of an answer's words that may stand in runs copied from the evidence; 1 switches it off.
        length_free: Words that cost nothing; None for no length penalty.
        length_cost: What a hundred words more cost.
        flag_cost: What each counted safety flag costs.
        abstained: The reward of an answer that refuses, does not know or is empty.
        unscored: The reward of any other answer without a verified claim, and of one that failed.
        evidence: As for `fas.Scorer`.
        offline: Refuse evidence that needs the network.
        **overrides: Settings of the profile.

    Raises:
        ValueError: A setting is out of range.
    """

    def __init__(
        self,
        profile: Any = "mini",
        *,
        metric: Metric = "fas_evidence",
        claims_expected: int = 3,
        copy_free: float = 0.5,
        length_free: int | None = None,
        length_cost: float = 0.1,
        flag_cost: float = 0.0,
        abstained: float | None = None,
        unscored: float | None = None,
        evidence: str | None = None,
        offline: bool = False,
        **overrides: Any,
    ) -> None:
        if metric not in METRICS:
            raise ValueError(f"metric is {metric!r}; allowed: {', '.join(METRICS)}")
        if not is_whole(claims_expected) or claims_expected < 1:
            raise ValueError(f"claims_expected must be a whole number of at least 1, got {claims_expected!r}")
        if not 0.0 <= copy_free <= 1.0:
            raise ValueError(f"copy_free must lie in [0, 1], got {copy_free!r}")
        self.__name__ = "fas" if metric == "fas_evidence" else f"fas_{metric.removeprefix('fas_')}"
        self._metric = metric
        self._claims_expected = claims_expected
        self._copy_free = copy_free
        self._length = (length_free, length_cost)
        self._flag_cost = flag_cost
        self._abstained, self._unscored = abstained, unscored
        self._options = {"profile": profile, "evidence": evidence, "offline": offline, **overrides}
        self._scorer: Scorer | None = None
        self._known: OrderedDict[str, tuple[float | None, Mapping[str, int]]] = OrderedDict()
        self._warned = False

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_scorer": None, "_known": OrderedDict()}

    def __call__(
        self,
        prompts: Sequence[Any] | None = None,
        completions: Sequence[Any] = (),
        *,
        question: Sequence[str | None] | None = None,
        references: Sequence[Any] | None = None,
        passages: Sequence[Any] | None = None,
        log_extra: Callable[[str, list[Any]], None] | None = None,
        log_metric: Callable[[str, float], None] | None = None,
        **_columns: Any,
    ) -> list[float | None]:
        """The reward of each completion, in order.

        Raises:
            ValueError: A column has another length than the completions, or there is no evidence to be had.
            RuntimeError: Not one completion could be scored for an error.
        """
        asked = (
            question if question is not None else [_asked(prompt) for prompt in prompts or [None] * len(completions)]
        )
        columns = {"question": asked, "references": references, "passages": passages}
        for name, column in columns.items():
            if column is not None and len(column) != len(completions):
                raise ValueError(f"{name} has {len(column)} entries for {len(completions)} completions")
        rows = [
            {
                "prediction": _text(completion),
                **{name: column[n] for name, column in columns.items() if column is not None and column[n] is not None},
            }
            for n, completion in enumerate(completions)
        ]
        keys = [_key(row) for row in rows]
        new = {key: row for key, row in zip(keys, rows, strict=True) if key not in self._known}
        known = {key: self._known[key] for key in keys if key in self._known}
        if new:
            known.update(zip(new, self._score(list(new.values())), strict=True))
        for key in keys:
            self._known[key] = known[key]
            self._known.move_to_end(key)
        while len(self._known) > _KEPT:
            self._known.popitem(last=False)
        rewards = [known[key][0] for key in keys]
        self._tell([known[key][1] for key in keys], rewards, log_extra, log_metric)
        return rewards

    def _score(self, rows: Sequence[Mapping[str, Any]]) -> list[tuple[float | None, Mapping[str, int]]]:
        if self._scorer is None:
            from fas.pipeline.runs.scorer import Scorer

            self._scorer = Scorer(**self._options)
        report = self._scorer.score(rows)
        failed = [score.error for score in report.answers if score.error is not None]
        if len(failed) == len(rows):
            raise RuntimeError(f"no completion could be scored: {failed[0].type}: {failed[0].message}")
        for error in failed[:1]:
            _log.warning("%d of %d completions could not be scored: %s", len(failed), len(rows), error.message)
        return [(self.rate(score), Counter(v.label for v in score.verdicts)) for score in report.answers]

    def rate(self, score: AnswerScore) -> float | None:
        """The reward of an answer that a `fas.Scorer` scored; None where it has none."""
        from fas.text.abstention import says_nothing

        value = self._value(score)
        text = score.answer.prediction
        if value is None:
            return (
                self._abstained if not score.verdicts and score.error is None and says_nothing(text) else self._unscored
            )
        claims = len({v.claim.text.lower() for v in score.verdicts if v.label != "unverified"})
        value *= min(1.0, claims / self._claims_expected)
        evidence = [passage.text for passage in score.answer.passages or ()]
        if self._copy_free < 1.0:
            value *= 1.0 - exceeding_share(copied_share(text, evidence), self._copy_free)
        value *= 1.0 - repeated_share(text)
        free, cost = self._length
        if free is not None:
            value -= cost * max(0, len(text.split()) - free) / 100
        return value - self._flag_cost * sum(flag.status not in UNCOUNTED for flag in score.flags)

    def _value(self, score: AnswerScore) -> float | None:
        if self._metric == "soft":
            read = [v for v in score.verdicts if v.label != "unverified"]
            if score.error is not None or not read:
                return None
            return sum((1.0 + v.p_support - v.p_contradict) / 2 for v in read) / len(read)
        value = float(getattr(score, self._metric))
        return None if math.isnan(value) else value

    def _tell(
        self,
        labels: Sequence[Mapping[str, int]],
        rewards: Sequence[float | None],
        log_extra: Callable[[str, list[Any]], None] | None,
        log_metric: Callable[[str, float], None] | None,
    ) -> None:
        counts: Counter[str] = Counter()
        for each in labels:
            counts.update(each)
        total = sum(counts.values())
        if log_extra is not None:
            log_extra("fas_claims", [sum(each.values()) for each in labels])
        if log_metric is not None:
            log_metric("fas/unscored", sum(reward is None for reward in rewards) / len(rewards) if rewards else 0.0)
            for label in ("supported", "contradicted", "unsupported"):
                if total:
                    log_metric(f"fas/{label}", counts[label] / total)
        if not self._warned and total >= 20 and counts["unsupported"] > _NEARLY_ALL * total:
            self._warned = True
            _log.warning(
                "%d of %d claims are unsupported: nearly all completions get the same reward, and there is nothing to "
                "learn from; give better evidence, or use metric='soft'",
                counts["unsupported"],
                total,
            )


def _text(completion: Any) -> str:
    """The text of a plain or conversational completion."""
    if isinstance(completion, str):
        return completion
    turns = [turn for turn in completion if turn.get("role") == "assistant"]
    return str(turns[-1].get("content") or "") if turns else ""


def _asked(prompt: Any) -> str | None:
    """The last thing the user said."""
    if prompt is None or isinstance(prompt, str):
        return prompt
    turns = [turn for turn in prompt if turn.get("role") == "user"]
    return str(turns[-1].get("content") or "") if turns else None


def _key(row: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(row, sort_keys=True, default=str).encode("utf-8", "surrogatepass")).hexdigest()
