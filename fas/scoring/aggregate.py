"""From per-answer records to a report: means, intervals, groups, flag rates.

Works on the records of `scores.jsonl`, so that a report can be made again without a model.
Intervals resample answers; where several answers share a question (samples of one model, several
models in one file) they resample questions, each with all its answers, because answers to the
same question are not independent.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import platform
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from fas._version import __version__
from fas.core.profile import Profile
from fas.core.records import AnswerScore, Counts, FlagRate, MetricSummary, Report
from fas.core.records.signature import Signature
from fas.core.records.statements import COVERAGE_METRICS
from fas.core.records.stored import SHARES, metric_name
from fas.models.measured import read_measured
from fas.scoring.formula import NOT_ASKED, counts_of_record
from fas.text.abstention import says_nothing

# Statuses of flags that are reported but not counted.
UNCOUNTED = frozenset({"deferred_to_label", "continuation", "weak", "unread"})
_PACKAGES = ("torch", "transformers", "tokenizers", "spacy", "nltk", "numpy", "scipy", "tantivy", "rapidfuzz")


# Reasons for unverified claims are told by their beginning, and so many of them apart.
_REASON, _REASONS = 100, 50
OTHER_REASONS = "other reasons"

# What the signature adds to the number of resamples where questions were resampled.
BY_QUESTION = "question"
METRICS = ("fas", "fas_evidence", *SHARES, "rouge1", "rouge2", "rougeL", "bleu4", "bertscore_f1")
"""Fields of a record that every run has, in the order in which they are shown."""


def question_key(record: Mapping[str, Any]) -> str | None:
    """What answers to the same question have in common, or None if the record does not say.

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
        failures: Why claims are unverified, by the beginning of the reason, to how many are.
        reasons: Why claims are unsupported (`fas.scoring.verdicts.unsupported`) to how many are.
        statuses: Marks that a source gave passages (`retracted`, `concern`) to how often one so marked was judged.
    """

    k: int
    by: Sequence[str] = ()
    metrics: dict[str, list[float]] = field(init=False)
    groups: dict[str, list[str]] = field(default_factory=dict)
    flags: dict[str, dict[int, None]] = field(default_factory=dict)
    units: list[int] = field(default_factory=list)
    statuses: dict[str, int] = field(default_factory=dict)
    n_verified: list[int] = field(default_factory=list)
    _seen: dict[bytes, int] = field(default_factory=dict, init=False, repr=False)
    _n_units: int = field(default=0, init=False)
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
        row = self.n - self.n_failed - 1
        self.units.append(self._unit(record))
        for name in METRICS:
            value = record[name]
            self.metrics[metric_name(name, self.k)].append(float("nan") if value is None else float(value))
        # A run that looks for what was left out has these in every record.
        for name in COVERAGE_METRICS:
            if name in record or name in self.metrics:
                value = record.get(name)
                column = self.metrics.setdefault(name, [float("nan")] * row)
                column.append(float("nan") if value is None else float(value))
        self.n_statements_lost += record.get("n_statements_unverified") or 0
        self.n_statements += record.get("n_statements") or 0
        for name in self.by:
            value = record["meta"].get(name)
            self.groups.setdefault(name, []).append("(none)" if value is None else str(value))
        self.n_unscored += record["support"] is None
        text = record.get("prediction")
        self.n_abstained += text is not None and not record["claims"] and says_nothing(text)
        self.n_language += record.get("not_scored") == "language"
        self.n_lost += _was_lost(record)
        self.n_claimless += not record["claims"]
        self.n_incomplete += record["n_unverified"] > 0
        self.reasons.update(claim["why"] for claim in record["claims"] if claim.get("why"))
        for claim in record["claims"]:
            if claim.get("label") == "unverified" and claim.get("failure"):
                reason = " ".join(claim["failure"].split())[:_REASON]
                known = reason in self.failures or len(self.failures) < _REASONS
                self.failures[reason if known else OTHER_REASONS] += 1
        self.n_verified.append(record["n_claims"] - record["n_unverified"])
        self.counts = self.counts.plus(counts_of_record(record))
        for name in counted_flags(record):
            self.flags.setdefault(name, {})[row] = None
        for claim in record["claims"]:
            for passage in claim["evidence"]:
                if status := passage.get("status"):
                    self.statuses[status] = self.statuses.get(status, 0) + 1

    @property
    def n_questions(self) -> int:
        """Distinct questions among the scored answers; answers without one count as one each."""
        return self._n_units

    @property
    def clustered(self) -> bool:
        """Whether some answers share a question, so that intervals resample questions."""
        return self._n_units < len(self.units)

    def _unit(self, record: Mapping[str, Any]) -> int:
        key = question_key(record)
        if key is not None:
            # 16 bytes instead of the question, so that a run of long questions stays small.
            digest = hashlib.blake2b(key.encode("utf-8", "surrogatepass"), digest_size=16).digest()
            known = self._seen.setdefault(digest, self._n_units)
            if known < self._n_units:
                return known
        self._n_units += 1
        return self._n_units - 1


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

    metrics = _summaries(columns, range(columns.n - columns.n_failed), profile)
    claim_shares, flags = _claim_shares(columns, profile), _flag_rates(columns, profile)
    kinds = {one.how for found in (metrics, claim_shares, flags) for one in found.values()}
    verifier = read_measured(signature)
    bias = (
        {metric_name(name, columns.k): one for name, one in verifier.bias.items()} if verifier and claim_shares else {}
    )
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
        bias=bias,
        bias_source=verifier.source if verifier and bias else "",
        reasons=dict(columns.reasons.most_common()),
        variance=variance_shares(columns.metrics, columns.k, profile.weights),
        spread=spread(columns.metrics) if columns.n > columns.n_failed else {},
        groups={
            name: {
                value: _summaries(columns, [i for i, own in enumerate(values) if own == value], profile, flags=True)
                for value in sorted(set(values))
            }
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
    return dict(_versions())


@lru_cache(maxsize=1)
def _versions() -> dict[str, str]:
    found = {"fact-aligned-score": __version__, "python": platform.python_version()}
    for package in _PACKAGES:
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def _was_lost(record: Mapping[str, Any]) -> bool:
    """Whether errors left an answer without a verified claim; having asked for no evidence is none."""
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


def _summaries(
    columns: ScoreColumns, rows: Sequence[int], profile: Profile, *, flags: bool = False
) -> dict[str, MetricSummary]:
    """Means of the answers *rows*; with *flags* also `flag:NAME`, the share with a counted flag of that name."""
    import numpy as np

    from fas.stats.bootstrap import mean_intervals

    kept = list(rows)
    values = {name: np.asarray(column, dtype=np.float64)[kept] for name, column in columns.metrics.items()}
    if flags:
        for name, flagged in sorted(columns.flags.items()):
            values[f"flag:{name}"] = np.asarray([row in flagged for row in kept], dtype=np.float64)
    units = np.asarray(columns.units, dtype=np.intp)[kept] if columns.clustered else None
    proportions = {name for name in values if name.startswith("flag:")}
    return mean_intervals(
        values, n_resamples=profile.n_resamples, seed=profile.seed, clusters=units, proportions=proportions
    )


def _claim_shares(columns: ScoreColumns, profile: Profile) -> dict[str, MetricSummary]:
    """The shares of all verified claims of the run: ratios of sums, answers (or questions) resampled."""
    import numpy as np

    from fas.stats.bootstrap import ratio_intervals

    names = [metric_name(name, columns.k) for name in SHARES]
    weights = np.asarray(columns.n_verified, dtype=np.float64)
    if not weights.sum():
        return {}
    # A share times the claims it is of is a whole number, up to rounding.
    hits = np.column_stack([np.rint(np.nan_to_num(np.asarray(columns.metrics[name])) * weights) for name in names])
    units = np.asarray(columns.units, dtype=np.intp) if columns.clustered else None
    found = ratio_intervals(names, hits, weights, n_resamples=profile.n_resamples, seed=profile.seed, clusters=units)
    return {name: one._replace(n=int(weights.sum())) for name, one in found.items()}


def _flag_rates(columns: ScoreColumns, profile: Profile) -> dict[str, FlagRate]:
    import numpy as np

    from fas.stats.bootstrap import mean_intervals

    n = columns.n - columns.n_failed
    if not columns.flags or n == 0:
        return {}
    values = {}
    for name in sorted(columns.flags):
        values[name] = np.zeros(n)
        values[name][list(columns.flags[name])] = 1.0
    units = np.asarray(columns.units, dtype=np.intp) if columns.clustered else None
    intervals = mean_intervals(
        values, n_resamples=profile.n_resamples, seed=profile.seed, clusters=units, proportions=set(values)
    )
    return {
        name: FlagRate(len(columns.flags[name]), summary.mean, summary.low, summary.high, summary.how)
        for name, summary in intervals.items()
    }
