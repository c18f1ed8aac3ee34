"""Stored scores read back for tables: answers with their metrics, gold and claim probabilities.

Everything a table needs is in `scores.jsonl` and the signature beside it, so no table runs a
model. What a threshold, or reading fewer passages, would have changed is decided anew from the
stored probabilities by `fas.scoring.formula.decide`, the same function that decided it the first time.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from fas.bench.prepare import RESERVED
from fas.core.checks import parse_finite
from fas.core.errors import InputError
from fas.core.profile import Weights
from fas.core.records import Claim, Evidence, Judgement, Passage, Verdict, failed_judgement
from fas.core.records.signature import Signature
from fas.core.records.stored import AnswerRecord, ClaimRecord
from fas.results import read_records, scores_path, signature_of
from fas.scoring.aggregate import UNCOUNTED, add_intervals, question_key
from fas.scoring.formula import count, decide, evidence_score, fact_aligned_score, shares
from fas.stats.bootstrap import FloatArray

NO_VALUE = "(none)"
"""What stands where a record does not say."""
_CLAIM = Claim("")
_PASSAGE = Passage("")
_METRIC = re.compile(r"rouge1|rouge2|rougeL|bleu4|bertscore_f1|fas|fas_evidence|(support|contra|unsupported)@\d+")


class StoredClaim(NamedTuple):
    """What decides a claim's label.

    Attributes:
        pairs: P(support) and P(contradict) of every passage judged, best rank first; NaN where
            the judgement failed.
        failure: What failed, or None.
        label: The label it was given.
        together: Both probabilities of a claim that was judged by all passages at once, or by none; its
            passages have none of their own.
        corpora: Which corpus each passage came from; None where the record does not say.
    """

    pairs: tuple[tuple[float, float], ...]
    failure: str | None
    label: str
    together: tuple[float, float] | None = None
    corpora: tuple[str | None, ...] = ()


@dataclass(frozen=True, slots=True)
class StoredAnswer:
    """One scored answer.

    Attributes:
        id: Its id in the run.
        model: Who gave it, `"(none)"` where the record does not say.
        dataset: Where its question comes from.
        kind: Type of the question.
        unit: What answers to the same question share; resampled as one.
        n_references: Reference answers it was compared with, or None if the record does not say.
        gold: Name to judgement: the fields of `meta` called `gold` or `gold_...`.
        metrics: Name to value, NaN where undefined; the names carry no `@k`.
        n_words: Words of the answer.
        flags: Names of its counted safety flags.
        claims: What decides the labels of its claims.
    """

    id: str
    model: str
    dataset: str
    kind: str
    unit: str
    n_references: int | None
    gold: Mapping[str, float]
    metrics: Mapping[str, float]
    n_words: int
    flags: frozenset[str]
    claims: tuple[StoredClaim, ...]


@dataclass(frozen=True, slots=True)
class StoredRun:
    """The scored answers of one or several result folders with the same settings.

    Attributes:
        paths: The files they were read from.
        signatures: Their signatures.
        k: Passages per claim.
        threshold: The threshold their labels were decided with; NaN if no signature says.
        weights: Weights of their FAS.
        answers: The answers, failed ones left out.
        n_failed: How many were left out.
        threshold_contradiction: Another threshold of contradiction; None for the same.
    """

    paths: tuple[Path, ...]
    signatures: tuple[str, ...]
    k: int
    threshold: float
    weights: Weights
    answers: tuple[StoredAnswer, ...]
    n_failed: int
    threshold_contradiction: float | None = None

    def select(self, **wanted: str) -> StoredRun:
        """The answers whose `model`, `dataset` or `kind` are those wanted."""
        kept = [a for a in self.answers if all(getattr(a, name) == value for name, value in wanted.items())]
        return replace(self, answers=tuple(kept))

    def values(self, field: str) -> list[str]:
        """Distinct values of `model`, `dataset` or `kind`, in the order of first appearance."""
        return list(dict.fromkeys(getattr(answer, field) for answer in self.answers))

    def column(self, metric: str) -> FloatArray:
        """A metric over the answers, NaN where undefined."""
        return np.array([answer.metrics.get(metric, math.nan) for answer in self.answers], dtype=np.float64)

    def gold(self, name: str) -> FloatArray:
        """A gold judgement over the answers, NaN where there is none."""
        return np.array([answer.gold.get(name, math.nan) for answer in self.answers], dtype=np.float64)

    def golds(self) -> list[str]:
        """Names of the gold judgements any answer has."""
        return list(dict.fromkeys(name for answer in self.answers for name in answer.gold))

    def signature_lines(self, kinds: Collection[str] = ()) -> list[str]:
        """The signatures, those that differ in nothing but the number of answers as one with their sum.

        Args:
            kinds: What `how` says of the intervals beside them.
        """
        clustered = self.n_questions < len(self.answers)
        counts: dict[str, int] = {}
        for signature in self.signatures:
            own = Signature.of(signature)
            if "boot" in own.fields:
                # Of a run alone the line says what its report resampled; these tables resample what they merge.
                own = own.with_field("boot", own.part("boot").name)
                own = add_intervals(own, clustered=clustered, kinds=kinds)
            fields = dict(own.fields)
            n = int(fields.pop("n", "0"))
            rest = str(Signature(fields))
            counts[rest] = counts.get(rest, 0) + n
        return [f"n:{n}|{rest}" for rest, n in counts.items()]

    @property
    def units(self) -> list[str]:
        """The question of each answer."""
        return [answer.unit for answer in self.answers]

    @property
    def n_questions(self) -> int:
        """Distinct questions."""
        return len(set(self.units))


def find_runs(folder: Path) -> list[Path]:
    """Result folders in *folder*: itself, or those directly below it.

    Raises:
        InputError: There is none.
    """
    if (folder / "scores.jsonl").is_file():
        return [folder]
    found = sorted(path.parent for path in folder.glob("*/scores.jsonl") if path.parent.name not in RESERVED)
    if not found:
        raise InputError(
            f"{folder}: no scores.jsonl in it or in a folder directly below; `fas bench run NAME -o DIR` and "
            "`fas score FILE -o DIR` write one",
            kind="missing_file",
        )
    return found


def read_runs(paths: Sequence[Path]) -> StoredRun:
    """The answers of several result folders as one run.

    Raises:
        InputError: A file is missing or cannot be used, or the folders were made with different
            settings (k, threshold, weights), so that their scores do not belong in one table.
    """
    runs = [_read(path) for path in paths]
    if not runs:
        raise InputError("no result folder to make tables of", kind="missing_file")
    first = runs[0]
    for run in runs[1:]:
        for name in ("k", "threshold", "threshold_contradiction", "weights"):
            mine, other = getattr(first, name), getattr(run, name)
            if mine != other and not (mine != mine and other != other):
                raise InputError(
                    f"{first.paths[0]} and {run.paths[0]}: scored with different settings ({name} {mine} and {other}); "
                    "make the tables of each alone",
                    kind="settings",
                )
    return StoredRun(
        paths=tuple(path for run in runs for path in run.paths),
        signatures=tuple(signature for run in runs for signature in run.signatures),
        k=first.k,
        threshold=first.threshold,
        weights=first.weights,
        answers=tuple(answer for run in runs for answer in run.answers),
        n_failed=sum(run.n_failed for run in runs),
        threshold_contradiction=first.threshold_contradiction,
    )


def rescored(run: StoredRun, *, threshold: float | None = None, n_passages: int | None = None) -> StoredRun:
    """The run as it would have been with another threshold, or with fewer passages per claim.

    A run with a threshold of contradiction of its own keeps it.

    Passages are stored best rank first, so the first *n_passages* are those that a smaller k would
    have read (an evidence source that ranks the same way for every k is assumed; all built-in ones
    do). BERTScore and the other reference metrics stay as they are.

    Args:
        run: The run.
        threshold: Threshold, in [0.5, 1); that of the run by default.
        n_passages: Passages to read of each claim; all by default.
    """
    changed = replace(
        run,
        threshold=run.threshold if threshold is None else threshold,
        k=run.k if n_passages is None else n_passages,
    )
    return replace(changed, answers=tuple(_rescored(answer, changed, n_passages) for answer in run.answers))


def verdict_of(
    claim: StoredClaim, threshold: float, n_passages: int | None = None, contradiction: float | None = None
) -> Verdict:
    """The verdict on a stored claim; see `fas.scoring.formula.decide`.

    Raises:
        InputError: Its passages were judged together, and fewer of them are asked for.
    """
    pairs = claim.pairs[:n_passages]
    if claim.together is not None:
        if len(pairs) < len(claim.pairs):
            raise InputError(
                "a run whose verifier reads all passages of a claim at once cannot be rescored with fewer passages; "
                "score the answers again with a smaller k",
                kind="together",
            )
        evidence = [Evidence(_PASSAGE, Judgement(p, q)) for p, q in pairs]
        return decide(
            _CLAIM,
            evidence,
            threshold=threshold,
            contradiction=contradiction,
            failure=claim.failure,
            together=Judgement(*claim.together),
        )
    evidence = [
        Evidence(_PASSAGE, failed_judgement("stored as failed") if math.isnan(p + q) else Judgement(p, q))
        for p, q in pairs
    ]
    # A failure that no passage shows is one of the search.
    failed_search = claim.failure is not None and not any(math.isnan(p + q) for p, q in claim.pairs)
    failure = claim.failure if failed_search else None
    return decide(_CLAIM, evidence, threshold=threshold, contradiction=contradiction, failure=failure)


def _rescored(answer: StoredAnswer, run: StoredRun, n_passages: int | None) -> StoredAnswer:
    weights = run.weights
    share = shares(
        count(verdict_of(claim, run.threshold, n_passages, run.threshold_contradiction) for claim in answer.claims)
    )
    changed = {
        "support": share.support,
        "contra": share.contra,
        "unsupported": share.unsupported,
        "fas": fact_aligned_score(share, answer.metrics.get("bertscore_f1", math.nan), weights),
        "fas_evidence": evidence_score(share, weights),
    }
    return replace(answer, metrics={**answer.metrics, **changed})


def _read(path: Path) -> StoredRun:
    source = scores_path(path)
    signature = signature_of(source)
    threshold, contradiction, weights = _settings(signature, source)
    answers: list[StoredAnswer] = []
    ks: set[int] = set()
    n_failed = 0
    for number, record in read_records(source):
        if record["error"] is None:
            ks.update(_k(record))
            answers.append(_answer(record, f"{source}, line {number}"))
        else:
            n_failed += 1
    if not answers:
        raise InputError(f"{source}: no scored answer", kind="empty_file")
    if len(ks) != 1:
        raise InputError(f"{source}: expected one field support@k in every record, found k in {sorted(ks)}", kind="k")
    return StoredRun(
        paths=(source,),
        signatures=(signature,) if signature else (),
        k=ks.pop(),
        threshold=threshold,
        weights=weights,
        answers=tuple(answers),
        n_failed=n_failed,
        threshold_contradiction=contradiction,
    )


def _settings(signature: Signature | None, source: Path) -> tuple[float, float | None, Weights]:
    if signature is None:
        return math.nan, None, Weights()
    threshold, apart = (signature.part("verify").value(name) for name in ("t", "tc"))
    try:
        bertscore, support, no_contradiction = (float(part) for part in signature.fields["w"].split("/"))
        weights = Weights(bertscore, support, no_contradiction)
        return (
            math.nan if threshold is None else float(threshold),
            None if apart is None else float(apart),
            weights,
        )
    except (KeyError, ValueError) as error:
        raise InputError(
            f"{source.with_name('report.json')}: signature {signature!r} names no weights: {error}", kind="signature"
        ) from error


def _k(record: Mapping[str, Any]) -> Iterator[int]:
    for name in record:
        if name.startswith("support@"):
            yield int(name.removeprefix("support@"))


def _answer(record: AnswerRecord, where: str) -> StoredAnswer:
    meta = record["meta"]
    metrics = {
        key.split("@")[0]: _nan(value)  # type: ignore[arg-type]  # checked by the reader
        for key, value in record.items()
        if _METRIC.fullmatch(key)
    }
    n_references = meta.get("n_references")
    return StoredAnswer(
        id=record["id"],
        model=_text(meta.get("model")),
        dataset=_text(meta.get("dataset")),
        kind=_text(meta.get("kind", meta.get("type"))),
        unit=question_key(record) or f"answer\0{record['id']}",
        n_references=n_references if isinstance(n_references, int) else None,
        gold=dict(_golds(meta, where)),
        metrics=metrics,
        n_words=len((record["prediction"] or "").split()),
        flags=frozenset(flag["flag"] for flag in record["flags"] if flag["status"] not in UNCOUNTED),
        claims=tuple(_claim(claim) for claim in record["claims"]),
    )


def _golds(meta: Mapping[str, Any], where: str) -> Iterator[tuple[str, float]]:
    for name, value in meta.items():
        if (name == "gold" or name.startswith("gold_")) and value is not None:
            if parse_finite(value) is None:
                raise InputError(
                    f"{where}: field 'meta.{name}': must be a number, true, false or null, got {value!r}",
                    kind="gold",
                    field=name,
                )
            yield name, float(value)


def _claim(claim: ClaimRecord) -> StoredClaim:
    pairs = tuple((_nan(e["p_support"]), _nan(e["p_contradict"])) for e in claim["evidence"])
    whole = (_nan(claim["p_support"]), _nan(claim["p_contradict"]))
    # A claim has probabilities and none of its passages has: they were judged together.
    together = not math.isnan(sum(whole)) and all(math.isnan(p + q) for p, q in pairs)
    corpora = tuple(e["corpus"] for e in claim["evidence"])
    return StoredClaim(pairs, claim["failure"], claim["label"], whole if together else None, corpora)


def _nan(value: float | None) -> float:
    return math.nan if value is None else float(value)


def _text(value: Any) -> str:
    return NO_VALUE if value is None else str(value)
