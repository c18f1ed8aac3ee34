"""A reward for TRL's online trainers (GRPO, RLOO): how much of a completion the evidence supports."""

from __future__ import annotations

import hashlib
import json
import logging
import math
from collections import Counter, OrderedDict
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from fas.core.checks import whole_number
from fas.core.records.as_json import number_or_none
from fas.core.records.statements import HARM_WEIGHTS
from fas.integrations.training import guards
from fas.scoring.aggregate import UNCOUNTED
from fas.scoring.formula import count, evidence_score, fact_aligned_score, shares

if TYPE_CHECKING:
    from fas.core.records import AnswerScore, Verdict
    from fas.pipeline.runs.scorer import Scorer

Metric = Literal["fas", "fas_evidence", "soft"]
METRICS: tuple[Metric, ...] = ("fas", "fas_evidence", "soft")
_KEPT = 20_000
_NEARLY_ALL = 0.95

_log = logging.getLogger(__name__)


class FasReward:
    """A reward function for TRL; picklable, and named `fas` in its logs.

    Called with the columns of the data set as lists: `question` (the last user turn of the prompt without it),
    `references`, `statements` and `passages`, as in the input format. Completions may be plain or conversational.

        F2(right, told) * (1 - copied beyond `copy_free`) * (1 - hedged beyond `hedge_free`) * (1 - repeated)
        - length_cost * words beyond `length_free` / 100 - harm_cost * harm

    F2 is the F-measure that weighs `told` twice; `right` is `metric` over the answer's distinct claims. `told` is the
    share of the `must` statements (or else of the best reference's claims) that the answer entails; without either it
    is the number of supported distinct claims over `claims_expected`, at most 1. Harm is 1 for each counted safety flag
    of high severity, 0.5 for medium, 0.25 for low: with a `harm_cost` of 1 an answer with a flag of high severity never
    earns more than one that refuses.

    A failed search or judgement gives None, which TRL leaves out of a group's baseline. `fas train attack` shows what
    texts that do not answer earn.

    Args:
        profile: As for `fas.Scorer`.
        metric: `fas` (needs references), `fas_evidence`, or `soft`: the mean over claims of
            (1 + P(support) - P(contradict)) / 2, with probabilities for `told`, too; it moves before a label does. All
            lie in [0, 1].
        claims_expected: Distinct supported claims of a full answer, where nothing says what it ought to say.
        copy_free: Share of the words of supported claims that may stand in runs copied from the evidence; 1 switches it
            off. An answer that quotes its evidence from end to end earns 0, an honest one too.
        length_free: Words that cost nothing; None for no length penalty.
        length_cost: What a hundred words more cost.
        hedge_free: Share of an answer's sentences that may take back what they say; 1 switches it off.
        harm_cost: What a harm of 1 costs; 0 switches it off.
        abstained: The reward of an answer that refuses, does not know or is empty; None to leave it out of the
            baseline, which makes refusing as good as the average of the others.
        unscored: The same of any other answer without a claim: another language, decoration, the question again.
        evidence: As for `fas.Scorer`.
        offline: Refuse evidence that needs the network.
        **overrides: Settings of the profile; `coverage=False` for a verifier that reads no passages, which then leaves
            references and statements out.

    Raises:
        ValueError: A setting is out of range.
    """

    def __init__(
        self,
        profile: Any = "mini",
        *,
        metric: Metric = "fas_evidence",
        claims_expected: int = 5,
        copy_free: float = 0.5,
        length_free: int | None = None,
        length_cost: float = 0.1,
        hedge_free: float = 0.5,
        harm_cost: float = 1.0,
        abstained: float | None = 0.0,
        unscored: float | None = 0.0,
        evidence: str | None = None,
        offline: bool = False,
        **overrides: Any,
    ) -> None:
        if metric not in METRICS:
            raise ValueError(f"metric is {metric!r}; allowed: {', '.join(METRICS)}")
        whole_number("claims_expected", claims_expected)
        for name, free in (("copy_free", copy_free), ("hedge_free", hedge_free)):
            if not 0.0 <= free <= 1.0:
                raise ValueError(f"{name} must lie in [0, 1], got {free!r}")
        self.__name__ = "fas" if metric == "fas_evidence" else f"fas_{metric.removeprefix('fas_')}"
        self._metric = metric
        self._claims_expected = claims_expected
        self._copy_free = copy_free
        self._length = (length_free, length_cost)
        self._hedge_free, self._harm_cost = hedge_free, harm_cost
        self._abstained, self._unscored = abstained, unscored
        self._options = {"profile": profile, "evidence": evidence, "offline": offline, "coverage": True, **overrides}
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
        statements: Sequence[Any] | None = None,
        log_extra: Callable[[str, list[Any]], None] | None = None,
        log_metric: Callable[[str, float], None] | None = None,
        **_columns: Any,
    ) -> list[float | None]:
        """The reward of each completion, in order.

        Raises:
            ValueError: A column has another length than the completions, or there is no evidence to be had.
            RuntimeError: Not one completion could be scored for an error.
        """
        asked = question
        if asked is None:
            asked = [_last_turn(prompt, "user") for prompt in prompts or [None] * len(completions)]
        columns = {"question": asked, "references": references, "passages": passages, "statements": statements}
        for name, column in columns.items():
            if column is not None and len(column) != len(completions):
                raise ValueError(f"{name} has {len(column)} entries for {len(completions)} completions")
        rows = [
            {
                "prediction": _last_turn(completion, "assistant") or "",
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
        report = self._load().score(rows)
        failed = [score.error for score in report.answers if score.error is not None]
        if len(failed) == len(rows):
            raise RuntimeError(f"no completion could be scored: {failed[0].type}: {failed[0].message}")
        for error in failed[:1]:
            _log.warning("%d of %d completions could not be scored: %s", len(failed), len(rows), error.message)
        return [(self.rate(score), Counter(v.label for v in score.verdicts)) for score in report.answers]

    def rate(self, score: AnswerScore) -> float | None:
        """The reward of an answer that a `fas.Scorer` scored; None where scoring failed or a reference is missing."""
        from fas.text.abstention import says_nothing

        text = score.answer.prediction
        claims = guards.keep_distinct(score.verdicts, score.answer.question or "")
        if score.error is not None or (score.verdicts and not claims):
            return None
        value = self._earned(score, claims) if claims else self._abstained if says_nothing(text) else self._unscored
        if value is None:
            return None
        free, cost = self._length
        if free is not None:
            value -= cost * max(0, len(text.split()) - free) / 100
        harm = sum(HARM_WEIGHTS[flag.severity] for flag in score.flags if flag.status not in UNCOUNTED)
        return value - self._harm_cost * harm

    def _earned(self, score: AnswerScore, claims: Sequence[Verdict]) -> float | None:
        right = self._right(score, claims)
        if right is None:
            return None
        text, evidence = score.answer.prediction, [passage.text for passage in score.answer.passages or ()]
        value = guards.f2(right, self._told(score, claims)) * (1.0 - guards.repeated_share(text))
        # Only of supported claims: other words beside a quotation would make the copied share smaller.
        earning = " ".join(text[c.start : c.end] for c in (v.claim for v in claims if v.label == "supported"))
        copied = guards.copied_share(earning, evidence)
        for free, share in ((self._copy_free, copied), (self._hedge_free, guards.hedged_share(text))):
            value *= 1.0 - guards.exceeding_share(share, free)
        return value

    def _right(self, score: AnswerScore, claims: Sequence[Verdict]) -> float | None:
        """How right the distinct claims are, by `metric`; None without the reference that it needs."""
        if self._metric == "soft":
            return sum(map(_soft, claims)) / len(claims)
        share, weights = shares(count(claims)), self._load().profile.weights
        if self._metric == "fas_evidence":
            return evidence_score(share, weights)
        return number_or_none(fact_aligned_score(share, score.reference.bertscore_f1, weights))

    def _told(self, score: AnswerScore, claims: Sequence[Verdict]) -> float:
        """The covered share of the statements or references, else of `claims_expected`."""
        if score.coverage is not None and not math.isnan(score.coverage.coverage):
            musts = [
                one for one in score.coverage.statements if one.statement.kind == "must" and one.label != "unverified"
            ]
            if self._metric == "soft":
                return sum(0.0 if math.isnan(one.p_support) else one.p_support for one in musts) / len(musts)
            return score.coverage.coverage
        right = sum(one.p_support if self._metric == "soft" else one.label == "supported" for one in claims)
        return min(1.0, right / self._claims_expected)

    def _load(self) -> Scorer:
        if self._scorer is None:
            from fas.pipeline.runs.scorer import Scorer

            self._scorer = Scorer(**self._options)
        return self._scorer

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
                "%d of %d claims are unsupported: nearly all completions get the same reward, so nothing can be "
                "learned; give better evidence, or use metric='soft'",
                counts["unsupported"],
                total,
            )


def _soft(verdict: Verdict) -> float:
    """How far evidence bears out a claim, from 0 (contradicted) to 1 (supported), before a label is decided."""
    return (1.0 + verdict.p_support - verdict.p_contradict) / 2


def _last_turn(text: Any, role: str) -> str | None:
    """A plain text itself; of a conversation the last message of *role*."""
    if text is None or isinstance(text, str):
        return text
    turns = [turn for turn in text if turn.get("role") == role]
    return str(turns[-1].get("content") or "") if turns else None


def _key(row: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(row, sort_keys=True, default=str).encode("utf-8", "surrogatepass")).hexdigest()
