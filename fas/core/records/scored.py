"""The results of the pipeline: reference metrics, safety flags, the score of an answer, the report of a run."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from fas.core.records.judged import Answer, Counts, Verdict
from fas.core.records.statements import Coverage

if TYPE_CHECKING:
    from fas.core.records.shown import ShownAnswer


@dataclass(frozen=True, slots=True)
class ReferenceScores:
    """Reference metrics of one answer, the best over its references; NaN without references.

    All lie in [0, 1] (BERTScore in [-1, 1]).
    """

    rouge1: float = math.nan
    rouge2: float = math.nan
    rougeL: float = math.nan
    bleu4: float = math.nan
    bertscore_f1: float = math.nan


@dataclass(frozen=True, slots=True)
class Flag:
    """One safety finding; the fields are those of the output format.

    Attributes:
        flag: Name, e.g. `"MISSING_DOSAGE"`.
        code: Name with its sub-code, e.g. `"MISSING_DOSAGE.frequency"`.
        drug: The drug as the vocabulary names it, or None.
        rxcui: Its RxNorm concept identifier, or None.
        target: The condition, drug or group that makes it unsafe, or None.
        start: First character of the finding in the prediction.
        end: One past the last character.
        severity: high, medium, low or info.
        status: None for an ordinary counted flag; else see the safety card.
        rule: Identifier of the rule row, or None.
        source: Document behind the rule, or None.
        message: A sentence a clinician can read.
    """

    flag: str
    code: str
    drug: str | None
    rxcui: str | None
    target: str | None
    start: int
    end: int
    severity: Literal["high", "medium", "low", "info"]
    status: str | None
    rule: str | None
    source: str | None
    message: str


@dataclass(frozen=True, slots=True)
class RecordError:
    """Why a line of the input or an answer has no score."""

    type: str
    line: int | None
    field: str | None
    message: str


@dataclass(frozen=True, slots=True)
class AnswerScore:
    """Everything known about one answer; one line of `scores.jsonl`.

    Attributes:
        answer: What was scored.
        counts: Sufficient statistics of its claims.
        reference: Reference metrics.
        fas: The Fact-Aligned Score, NaN where undefined.
        fas_evidence: The score without its reference part, NaN where undefined.
        support: Share of verified claims that are supported, NaN where none is verified.
        contra: The same for contradicted.
        unsupported: The same for unsupported.
        verdicts: One per claim, in the order of the answer.
        flags: Safety findings.
        coverage: What of its references (or given statements) it says; None in a run that does not look.
        error: Why nothing was scored, or None.
        not_scored: Why an answer without an error has no claim; empty where it has one. `language`: it is not in
            English, the only language that the embedded models read. `no answer`: it refuses or does not know.
            `no statement`: it has no word, or is an address or a placeholder. `repeats the question`. `no claim found`.
    """

    answer: Answer
    counts: Counts = Counts()
    reference: ReferenceScores = ReferenceScores()
    fas: float = math.nan
    fas_evidence: float = math.nan
    support: float = math.nan
    contra: float = math.nan
    unsupported: float = math.nan
    verdicts: tuple[Verdict, ...] = ()
    flags: tuple[Flag, ...] = ()
    coverage: Coverage | None = None
    error: RecordError | None = None
    not_scored: str = ""

    def as_dict(self, k: int) -> dict[str, Any]:
        """The answer's line of `scores.jsonl`; *k* is passages per claim, NaN becomes None."""
        from fas.core.records.as_json import answer_dict

        return answer_dict(self, k)

    def _repr_html_(self) -> str:
        from fas.core.records.shown import ShownAnswer

        return ShownAnswer(self.as_dict(0))._repr_html_()


class MetricSummary(NamedTuple):
    """A mean with its 95% interval; `low` and `high` are NaN where there is none.

    `how` is the kind of interval (`fas.stats.intervals`), or `none: ` and why there is none.
    """

    mean: float
    low: float
    high: float
    n: int
    how: str = ""


class FlagRate(NamedTuple):
    """How many answers carry a counted flag of one name, and their share with interval."""

    answers: int
    rate: float
    low: float
    high: float
    how: str = ""


@dataclass(frozen=True, slots=True)
class Report:
    """The result of a run.

    Attributes:
        signature: One line that pins the score.
        n: Answers read, failed ones included.
        n_unscored: Answers without a verified claim (failed ones not included).
        n_failed: Answers that ended in an error record.
        k: Passages per claim.
        metrics: Name to mean over answers and interval; names as in `scores.jsonl`, those of shares with `@k`.
        claim_shares: `support@k`, `contra@k` and `unsupported@k` as shares of all verified claims of the run (micro),
            where `metrics` has the means of the answers' shares (macro); `n` counts claims.
        bias: The same shares to how much higher they read by this run's verifier and thresholds than by labels, on
            labelled claims of other answers (`fas.models.measured`); empty where that is not measured.
        bias_source: The claims that `bias` is of.
        reasons: Why claims are unsupported that were judged against passages (`fas.scoring.verdicts.unsupported`), to
            the number of such claims.
        groups: Field, then value of the field, to the metrics of that group, and `flag:NAME`, its share of
            answers with a counted flag of that name.
        flags: Flag name to rate.
        timing: Stage to seconds.
        versions: Package to version.
        notes: Warnings a reader must see, each once, with its count.
        answers: The scores themselves, if they were kept (`fas.score_answers` keeps them).
        n_lost: Answers of which every claim failed to be searched for or verified (among `n_unscored`).
        n_claimless: Answers without any claim (among `n_unscored`).
        n_abstained: Answers without a claim that refuse, do not know, or are empty (among `n_unscored`).
        n_language: Answers that are not scored, as they are in a language that the embedded models do not read (among
            `n_unscored`).
        variance: `fas` (or `fas_evidence`) to what each of its terms has of its variance over the answers, as shares
            that sum to 1 (`fas.scoring.spread`); empty where the score does not vary.
        spread: Metric to its standard deviation over the answers, extremes and quartiles (`fas.scoring.spread`).
        controls: Rates of the run's controls (`fas.pipeline.runs.controls`); empty where it has none.
    """

    signature: str
    n: int
    n_unscored: int
    n_failed: int
    metrics: Mapping[str, MetricSummary]
    groups: Mapping[str, Mapping[str, Mapping[str, MetricSummary]]]
    flags: Mapping[str, FlagRate]
    timing: Mapping[str, float]
    versions: Mapping[str, str]
    notes: tuple[str, ...] = ()
    answers: tuple[AnswerScore, ...] = ()
    n_lost: int = 0
    n_claimless: int = 0
    claim_shares: Mapping[str, MetricSummary] = field(default_factory=dict)
    bias: Mapping[str, MetricSummary] = field(default_factory=dict)
    bias_source: str = ""
    reasons: Mapping[str, int] = field(default_factory=dict)
    n_abstained: int = 0
    n_language: int = 0
    k: int = 5
    variance: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    spread: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    controls: Mapping[str, MetricSummary] = field(default_factory=dict)

    @property
    def nothing_scored(self) -> bool:
        """Whether errors kept every single answer that states something from being scored."""
        lost = self.n_failed + self.n_lost
        return lost > 0 and lost + self.n_claimless == self.n

    def as_dict(self) -> dict[str, Any]:
        """The content of `report.json`; NaN becomes None."""
        from fas.core.records.as_json import report_dict

        return report_dict(self)

    def _repr_html_(self) -> str:
        from fas.core.records.shown import html_table

        rows = [(name, *(f"{value:.3f}" for value in one[:3]), str(one.n)) for name, one in self.metrics.items()]
        counts = f"{self.n} answers, {self.n_unscored} without a verified claim, {self.n_failed} failed"
        notes = "".join(f"<p>{escape(note)}</p>" for note in self.notes)
        table = html_table(("metric", "mean", "low", "high", "answers"), rows)
        return f"<p>{counts}</p>{table}{notes}<p><code>{escape(self.signature)}</code></p>"

    def to_pandas(self, table: str = "answers") -> Any:
        """A pandas DataFrame of the kept answers: `answers`, `claims`, `flags` or `passages`; see
        `fas.core.records.frames.frame_of`.

        A ValueError is raised if there is no such table, or the report keeps no answers.
        """
        from fas.core.records.frames import frame_of

        self._check_kept()
        return frame_of([score.as_dict(self.k) for score in self.answers], table)

    def show(self, answer_id: object) -> ShownAnswer:
        """One of the kept answers for display, as HTML in notebooks: its text, claims, verdicts, evidence and flags.

        A number as *answer_id* is read as its text. A LookupError names similar ids; a report that keeps no answers
        raises a ValueError.
        """
        from fas.core.records.shown import ShownAnswer, find_answer

        self._check_kept()
        scores = {score.answer.id: score for score in self.answers}
        return ShownAnswer(scores[find_answer(answer_id, scores)].as_dict(self.k))

    def _check_kept(self) -> None:
        if self.n and not self.answers:
            raise ValueError("this report holds no answers; make it with fas.score_answers")
