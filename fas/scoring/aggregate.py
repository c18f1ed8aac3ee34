"""From per-answer records to a report: means, intervals, groups, flag rates.

Works on the records of `scores.jsonl`, so that a report can be made again without a model.
Intervals resample answers; where several answers share a question (samples of one model, several
models in one file) they resample questions, each with all its answers, because answers to the
same question are not independent.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import math
import platform
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from fas._version import __version__
from fas.core.profile import Profile
from fas.core.records import AnswerScore, Counts, FlagRate, MetricSummary, Report
from fas.core.records.as_json import number_or_nan
from fas.core.records.signature import Signature
from fas.core.records.statements import COVERAGE_METRICS
from fas.core.records.stored import SHARES, metric_name
from fas.models.measured import read_measured
from fas.scoring.formula import NOT_ASKED, counts_of_record
from fas.text.abstention import says_nothing

if TYPE_CHECKING:
    from fas.stats.bootstrap import BootstrapOptions

UNCOUNTED = frozenset({"deferred_to_label", "continuation", "weak", "unread"})
"""Statuses of flags that are reported but not counted."""
_PACKAGES = ("torch", "transformers", "tokenizers", "spacy", "nltk", "numpy", "scipy", "tantivy", "rapidfuzz")
_REASON, _REASONS = 100, 50  # characters of a reason for unverified claims that are compared, and reasons counted apart
OTHER_REASONS = "other reasons"
BY_QUESTION = "question"
"""A setting of the signature's `boot` where questions were resampled."""
METRICS = ("fas", "fas_evidence", *SHARES, "rouge1", "rouge2", "rougeL", "bleu4", "bertscore_f1")
"""Fields of a record that every run has, in the order in which they are shown."""


def question_key(record: Mapping[str, Any]) -> str | None:
    """A key that answers to the same question share, or None if the record names no question.

    `meta.question_id` within its `meta.dataset` if there is one, else the text of the question
    with its white space evened out. Files that put one instruction ("Summarise the text") as the
    question of every answer need a `question_id`.

    >>> question_key({"question": "Is  it safe?", "meta": {}}) == question_key({"question": "Is it safe? "})
    True
    """
    meta = record.get("meta") or {}
    own = meta.get("question_id")
    if own is not None:
        return f"id\0{meta.get('dataset', '')}\0{own}"
    words = " ".join((record.get("question") or "").split())
    return f"text\0{words}" if words else None


def counted_flags(record: Mapping[str, Any]) -> dict[str, None]:
    """Names of the safety flags of an answer that are counted, each once, in order."""
    return {flag["flag"]: None for flag in record["flags"] if flag["status"] not in UNCOUNTED}


def metric_names(k: int) -> tuple[str, ...]:
    """The metrics of a report, in the order in which they are shown."""
    return tuple(metric_name(field, k) for field in METRICS)


@dataclass
class ScoreColumns:
    """The numbers of a run, one entry per scored answer; about 300 bytes an answer.

    Attributes:
        k: Passages per claim; names the `@` metrics.
        units: Number of each answer's question, in the order of first appearance; an answer
            that names no question has one of its own.
        failures: Reasons for unverified claims, by their beginning, to the number of claims.
        reasons: Reasons for unsupported claims (`fas.scoring.verdicts.unsupported`) to the number of claims.
        statuses: Marks that a source gave passages (`retracted`, `concern`) to how often one so marked was judged.
        n_questions: Distinct questions among the scored answers; answers without one count as one each.
    """

    k: int
    by: Sequence[str] = ()
    metrics: dict[str, list[float]] = field(init=False)
    groups: dict[str, list[str]] = field(default_factory=dict)
    flags: dict[str, dict[int, None]] = field(default_factory=dict)
    units: list[int] = field(default_factory=list)
    statuses: Counter[str] = field(default_factory=Counter)
    n_verified: list[int] = field(default_factory=list)
    _seen: dict[bytes, int] = field(default_factory=dict, init=False, repr=False)
    n_questions: int = field(default=0, init=False)
    n: int = 0
    n_failed: int = 0
    n_lost: int = 0
    n_claimless: int = 0
    failures: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    n_unscored: int = 0
    n_incomplete: int = 0
    n_abstained: int = 0
    n_language: int = 0
    n_statements: int = 0
    n_statements_lost: int = 0
    counts: Counts = field(default_factory=Counts)

    def __post_init__(self) -> None:
        # A run in which every answer failed has the same metrics, without a value.
        self.metrics = {name: [] for name in metric_names(self.k)}

    def add(self, record: Mapping[str, Any]) -> None:
        """Take in one line of `scores.jsonl`."""
        self.n += 1
        if record["error"] is not None:
            self.n_failed += 1
            return
        row, claims, text = len(self.units), record["claims"], record.get("prediction")
        self.units.append(self._number_question(record))
        for name in (*METRICS, *COVERAGE_METRICS):
            shown = metric_name(name, self.k)
            # A run that looks for statements has their metrics in every record.
            if name in METRICS or name in record or shown in self.metrics:
                if shown not in self.metrics:
                    self.metrics[shown] = [math.nan] * row
                self.metrics[shown].append(number_or_nan(record.get(name)))
        for name in self.by:
            value = record["meta"].get(name)
            self.groups.setdefault(name, []).append("(none)" if value is None else str(value))
        self.n_statements_lost += record.get("n_statements_unverified") or 0
        self.n_statements += record.get("n_statements") or 0
        self.n_unscored += record["support"] is None
        self.n_abstained += text is not None and not claims and says_nothing(text)
        self.n_language += record.get("not_scored") == "language"
        self.n_lost += _was_lost(record)
        self.n_claimless += not claims
        self.n_incomplete += record["n_unverified"] > 0
        self.n_verified.append(record["n_claims"] - record["n_unverified"])
        self.counts = self.counts.plus(counts_of_record(record))
        for name in counted_flags(record):
            self.flags.setdefault(name, {})[row] = None
        for claim in claims:
            if claim.get("why"):
                self.reasons[claim["why"]] += 1
            if claim.get("label") == "unverified" and claim.get("failure"):
                reason = " ".join(claim["failure"].split())[:_REASON]
                known = reason in self.failures or len(self.failures) < _REASONS
                self.failures[reason if known else OTHER_REASONS] += 1
            self.statuses.update(passage["status"] for passage in claim["evidence"] if passage.get("status"))

    @property
    def clustered(self) -> bool:
        """Whether some answers share a question, so that intervals resample questions."""
        return self.n_questions < len(self.units)

    def _number_question(self, record: Mapping[str, Any]) -> int:
        key = question_key(record)
        if key is not None:
            # 16 bytes instead of the question, so that a run of long questions stays small.
            digest = hashlib.blake2b(key.encode("utf-8", "surrogatepass"), digest_size=16).digest()
            known = self._seen.setdefault(digest, self.n_questions)
            if known < self.n_questions:
                return known
        self.n_questions += 1
        return self.n_questions - 1


def collect_columns(records: Iterable[Mapping[str, Any]], *, k: int, by: Sequence[str] = ()) -> ScoreColumns:
    """The columns of *records*."""
    columns = ScoreColumns(k, by)
    for record in records:
        columns.add(record)
    return columns


def report_of(
    columns: ScoreColumns,
    *,
    profile: Profile,
    signature: str,
    timing: Mapping[str, float],
    notes: Sequence[str] = (),
    answers: Sequence[AnswerScore] = (),
) -> Report:
    """The report of a run.

    In *signature*, `boot` gets `question` where questions were resampled, and the kinds of interval that are no
    percentiles. *timing* is stage to seconds; *answers* are kept.
    """
    from fas.scoring.spread import spread, variance_shares

    rows = list(range(len(columns.units)))
    metrics = _summarise(columns, _take_metrics(columns, rows), rows, profile)
    claim_shares, flags = _compute_claim_shares(columns, profile), _compute_flag_rates(columns, profile)
    kinds = {one.how for found in (metrics, claim_shares, flags) for one in found.values()}
    verifier = read_measured(signature)
    bias = verifier.bias.items() if verifier and claim_shares else ()
    return Report(
        signature=add_intervals(Signature.of(signature), clustered=columns.clustered, kinds=kinds),
        k=columns.k,
        n=columns.n,
        n_unscored=columns.n_unscored,
        n_abstained=columns.n_abstained,
        n_language=columns.n_language,
        n_failed=columns.n_failed,
        n_lost=columns.n_lost,
        n_claimless=columns.n_claimless,
        metrics=metrics,
        claim_shares=claim_shares,
        bias={metric_name(name, columns.k): one for name, one in bias},
        bias_source=verifier.source if verifier and bias else "",
        reasons=dict(columns.reasons.most_common()),
        variance=variance_shares(columns.metrics, columns.k, profile.weights),
        spread=spread(columns.metrics) if rows else {},
        groups={
            name: {value: _summarise_group(columns, values, value, profile) for value in sorted(set(values))}
            for name, values in columns.groups.items()
        },
        flags=flags,
        timing={stage: round(seconds, 3) for stage, seconds in timing.items()},
        versions=versions(),
        notes=tuple(notes),
        answers=tuple(answers),
    )


def versions() -> dict[str, str]:
    """Versions of everything that can move a score."""
    found = {"fact-aligned-score": __version__, "python": platform.python_version()}
    for package in _PACKAGES:
        with suppress(importlib.metadata.PackageNotFoundError):
            found[package] = importlib.metadata.version(package)
    return found


def _was_lost(record: Mapping[str, Any]) -> bool:
    """Whether errors left an answer without a verified claim; a run without evidence has no such errors."""
    claims = record["claims"]
    reasons = [claim.get("failure") for claim in claims if claim.get("label") == "unverified"]
    return bool(claims) and len(reasons) == len(claims) and any(reason not in (None, NOT_ASKED) for reason in reasons)


def add_intervals(signature: Signature, *, clustered: bool, kinds: Collection[str]) -> Signature:
    """The signature with what its `boot` resamples and with the kinds of interval that are no percentiles of it."""
    from fas.stats.intervals import explain_missing

    boot = signature.part("boot")
    if clustered:
        boot = boot.plus(BY_QUESTION)
    for kind in sorted(kind for kind in kinds if kind not in ("", "percentile") and not explain_missing(kind)):
        boot = boot.plus(kind)
    return signature.with_field("boot", boot)


Rows = Sequence[int]


def _take_metrics(columns: ScoreColumns, rows: Rows) -> dict[str, Any]:
    import numpy as np

    return {name: np.asarray(column, dtype=np.float64)[rows] for name, column in columns.metrics.items()}


def _take_flags(columns: ScoreColumns, rows: Rows) -> dict[str, Any]:
    """`flag:NAME` to whether each of the answers *rows* has a counted flag of that name."""
    import numpy as np

    return {
        f"flag:{name}": np.asarray([row in flagged for row in rows], dtype=np.float64)
        for name, flagged in sorted(columns.flags.items())
    }


def _summarise(
    columns: ScoreColumns, values: Mapping[str, Any], rows: Rows, profile: Profile
) -> dict[str, MetricSummary]:
    """Means of *values*, one for each of the answers *rows*."""
    from fas.stats.bootstrap import mean_intervals

    proportions = {name for name in values if name.startswith("flag:")}
    return mean_intervals(values, proportions=proportions, **_choose_resampling(columns, rows, profile))


def _choose_resampling(columns: ScoreColumns, rows: Rows, profile: Profile) -> BootstrapOptions:
    import numpy as np

    clusters = np.asarray(columns.units, dtype=np.intp)[rows] if columns.clustered else None
    return {"n_resamples": profile.n_resamples, "seed": profile.seed, "clusters": clusters}


def _summarise_group(
    columns: ScoreColumns, values: Sequence[str], value: str, profile: Profile
) -> dict[str, MetricSummary]:
    rows = [i for i, own in enumerate(values) if own == value]
    return _summarise(columns, _take_metrics(columns, rows) | _take_flags(columns, rows), rows, profile)


def _compute_claim_shares(columns: ScoreColumns, profile: Profile) -> dict[str, MetricSummary]:
    """The shares of all verified claims of the run: ratios of sums, answers (or questions) resampled."""
    import numpy as np

    from fas.stats.bootstrap import ratio_intervals

    names = [metric_name(name, columns.k) for name in SHARES]
    weights = np.asarray(columns.n_verified, dtype=np.float64)
    if not weights.sum():
        return {}
    # A share times the claims it is of is a whole number, up to rounding.
    hits = np.column_stack([np.rint(np.nan_to_num(np.asarray(columns.metrics[name])) * weights) for name in names])
    found = ratio_intervals(names, hits, weights, **_choose_resampling(columns, range(len(columns.units)), profile))
    return {name: one._replace(n=int(weights.sum())) for name, one in found.items()}


def _compute_flag_rates(columns: ScoreColumns, profile: Profile) -> dict[str, FlagRate]:
    rows = range(len(columns.units))
    if not columns.flags or not rows:
        return {}
    summaries = _summarise(columns, _take_flags(columns, rows), rows, profile)
    return {
        name: FlagRate(len(columns.flags[name]), one.mean, one.low, one.high, one.how)
        for name, one in ((shown.removeprefix("flag:"), one) for shown, one in summaries.items())
    }
