"""Members against gold: precision, recall and F1 of answers and of sentences, and tests between all pairs of rows.

A row is a way to decide. Of a single member any finding flags an answer, whatever its confidence; a second row has a
threshold of its own, since a combination has one. Thresholds are chosen by cross-validation over questions
(`fas.detectors.threshold`) or given. Every table has the row that flags everything, which is what a detector must beat.

On the level of sentences a decision is a sentence that a finding touches. It is a hit if finding and gold span share a
token in it; every gold sentence counts once. A finding that is nowhere in the answer is a false alarm.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from fas.core.records import MetricSummary
from fas.detectors.gold import GoldFindings
from fas.detectors.locate import find_touched_spans, token_overlap
from fas.detectors.records import DetectedFinding, Findings, Member, answer_score
from fas.detectors.threshold import FOLDS, LEAST_POSITIVES, assign_folds, check_threshold, cross_validate_threshold
from fas.stats.binary import AnswerSums, PairTest, answer_counts, binary_summaries, pair_tests
from fas.stats.bootstrap import FloatArray
from fas.text.sentences import sentence_spans

FLAG_ALL = "flag everything"


@dataclass(frozen=True, slots=True)
class EvaluationRow:
    """One way to decide.

    Attributes:
        name: E.g. `judge`, `judge, own threshold`, `combination, mean of highest`.
        member: The member it belongs to; None for the row that flags everything.
        measures: `precision`, `recall` and `f1` with intervals; their `n` is how many answers are decided.
        flagged: Answers (or sentences) that are flagged.
        hits: Those of them that the gold has.
        undecided: Answers with gold that the member has no opinion on.
        thresholds: What was used in each fold, or the one that was given; empty for none.
        in_sample: F1 with the best threshold on these same answers, which no row should be read by; NaN for none.
    """

    name: str
    member: str | None
    measures: Mapping[str, MetricSummary]
    flagged: int
    hits: int
    undecided: int
    thresholds: tuple[float, ...] = ()
    in_sample: float = math.nan


@dataclass(frozen=True, slots=True)
class EvaluationTable:
    """The rows of one set of answers on one level.

    Attributes:
        level: `answers` or `sentences`.
        n: Answers with gold.
        positives: Answers (or sentences) that the gold has.
        rows: The rows, the one that flags everything last.
        pairs: Tests on F1 between all pairs of rows.
        notes: What a reader must know.
    """

    level: str
    n: int
    positives: int
    without_gold: int
    rows: tuple[EvaluationRow, ...]
    pairs: tuple[PairTest, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class EvaluationOptions:
    """How tables are made; see `evaluate`."""

    threshold: float | None = None
    folds: int = FOLDS
    n_resamples: int = 10_000
    level: float = 0.95
    seed: int = 12345


@dataclass(frozen=True, slots=True)
class _Decided:
    """A row before its intervals."""

    name: str
    member: str | None
    counts: AnswerSums
    thresholds: tuple[float, ...] = ()
    in_sample: float = math.nan


@dataclass(frozen=True, slots=True)
class Material:
    """Answers with gold.

    Attributes:
        questions: The question of each, what is resampled and split into folds.
        texts: The answers themselves; needed for sentences.
    """

    ids: tuple[str, ...]
    gold: tuple[GoldFindings, ...]
    questions: tuple[str, ...]
    texts: tuple[str, ...]
    without_gold: int = 0

    def only(self, kept: Sequence[int]) -> Material:
        """The answers in these places."""
        names = ("ids", "gold", "questions", "texts")
        columns: dict[str, Any] = {name: tuple(getattr(self, name)[i] for i in kept) for name in names}
        return replace(self, **columns)


def answer_table(
    members: Sequence[Member], material: Material, options: EvaluationOptions = EvaluationOptions()
) -> EvaluationTable:
    """Decisions on whole answers.

    Raises:
        ValueError: An option is out of range.
    """
    if options.threshold is not None:
        check_threshold(options.threshold)
    gold = np.array([one.hallucination for one in material.gold])
    notes: list[str] = []
    decided: list[_Decided] = []
    for member in members:
        lines = [member.answers.get(name) for name in material.ids]
        known = np.array([line is not None and line.failure is None for line in lines])
        if not _is_combination(member):
            any_finding = np.array([float(bool(line and line.findings)) for line in lines])
            decided.append(
                _Decided(member.name, member.name, answer_counts(np.where(known, any_finding, np.nan), gold))
            )
        for name, score in _scores(member):
            values = np.array([math.nan if line is None else score(line) for line in lines])
            row = _with_threshold(name, member.name, values, gold, material, options, notes)
            decided += [row] if row is not None else []
    decided.append(_Decided(FLAG_ALL, None, answer_counts(np.ones(len(gold)), gold)))
    return _table("answers", decided, material, int(gold.sum()), options, notes)


def sentence_table(
    members: Sequence[Member], material: Material, options: EvaluationOptions = EvaluationOptions()
) -> EvaluationTable:
    """Decisions on sentences, over the answers whose gold says where.

    Raises:
        ValueError: An option is out of range.
    """
    placed = [i for i, one in enumerate(material.gold) if one.spans is not None]
    notes = []
    if len(placed) < len(material.gold):
        notes.append(f"{len(material.gold) - len(placed)} answers hold a hallucination and have no span; left out")
    chosen = material.only(placed)
    places = [_Places(text, one) for text, one in zip(chosen.texts, chosen.gold, strict=True)]
    decided: list[_Decided] = []
    for member in members:
        lines = [member.answers.get(name) for name in chosen.ids]
        known = [line if line is not None and line.failure is None else None for line in lines]
        if not _is_combination(member):
            decided.append(_Decided(member.name, member.name, _sentence_counts(known, places, 0.0)))
        if _is_combination(member) or _graded(member):
            name = member.name if _is_combination(member) else f"{member.name}, own threshold"
            decided += _sentences_with_threshold(name, member.name, known, places, chosen, options, notes)
    every = AnswerSums(
        np.array([float(len(place.gold)) for place in places]),
        np.array([float(len(place.sentences)) for place in places]),
        np.array([float(len(place.gold)) for place in places]),
    )
    decided.append(_Decided(FLAG_ALL, None, every))
    return _table("sentences", decided, chosen, int(every.positives.sum()), options, notes)


def _is_combination(member: Member) -> bool:
    return any(line.score is not None for line in member.answers.values())


def _graded(member: Member) -> bool:
    """Whether confidences tell findings apart, so that a threshold can."""
    return len({one.confidence for line in member.answers.values() for one in line.findings}) > 1


def _scores(member: Member) -> Iterator[tuple[str, Callable[[Findings], float]]]:
    """Names of rows with a threshold, and the score each one looks at."""
    if not _is_combination(member):
        if _graded(member):
            yield f"{member.name}, own threshold", answer_score
        return
    yield member.name, answer_score
    for name in next((line.baselines for line in member.answers.values() if line.baselines), {}):
        yield f"{member.name}: {name}, not aligned", lambda line, name=name: line.baselines.get(name, math.nan)  # type: ignore[misc]


def _with_threshold(
    name: str,
    member: str,
    values: FloatArray,
    gold: npt.NDArray[np.bool_],
    material: Material,
    options: EvaluationOptions,
    notes: list[str],
) -> _Decided | None:
    known = ~np.isnan(values)
    flagged = np.full(len(values), np.nan)
    if options.threshold is not None:
        flagged[known] = values[known] >= options.threshold
        return _Decided(name, member, answer_counts(flagged, gold), (options.threshold,))
    try:
        chosen = cross_validate_threshold(
            values[known],
            gold[known],
            [one for one, there in zip(material.questions, known, strict=True) if there],
            folds=options.folds,
            seed=options.seed,
        )
    except ValueError as error:
        notes.append(f"{name}: no row, because no threshold was chosen: {error}")
        return None
    flagged[known] = chosen.flagged
    return _Decided(name, member, answer_counts(flagged, gold), chosen.thresholds, chosen.in_sample.f1)


class _Places:
    """The sentences of an answer, and those that the gold marks."""

    def __init__(self, text: str, gold: GoldFindings) -> None:
        self.text = text
        self.spans = [(span.start, span.end) for span in gold.spans or ()]
        self.sentences = sentence_spans(text)
        self.gold = {
            i
            for i in find_touched_spans(self.sentences, self.spans)
            if any(token_overlap(text, self.sentences[i], span) for span in self.spans)
        }

    def decide(self, findings: Sequence[DetectedFinding]) -> tuple[int, int]:
        """How many gold sentences *findings* hit, and how many sentences they flag."""
        flagged: set[int] = set()
        hit: set[int] = set()
        nowhere = 0
        for finding in findings:
            spans = finding.spans()
            nowhere += not spans
            for span in spans:
                for i in find_touched_spans(self.sentences, [span]):
                    flagged.add(i)
                    if i in self.gold and any(self._overlaps(i, span, gold) for gold in self.spans):
                        hit.add(i)
        return len(hit), len(flagged) + nowhere

    def _overlaps(self, sentence: int, span: tuple[int, int], gold: tuple[int, int]) -> bool:
        start, end = self.sentences[sentence]
        inside = max(start, span[0]), min(end, span[1])
        return token_overlap(self.text, inside, gold)


def _sentence_counts(lines: Sequence[Findings | None], places: Sequence[_Places], least: float) -> AnswerSums:
    """Counts of the sentences that findings of at least this confidence touch."""
    rows = []
    for line, place in zip(lines, places, strict=True):
        if line is None:
            rows.append((math.nan, math.nan, math.nan))
        else:
            hits, flagged = place.decide([one for one in line.findings if one.confidence >= least])
            rows.append((hits, flagged, len(place.gold)))
    columns = np.array(rows, dtype=np.float64).reshape(len(rows), 3).T
    return AnswerSums(columns[0], columns[1], columns[2])


def _sentences_with_threshold(
    name: str,
    member: str,
    lines: Sequence[Findings | None],
    places: Sequence[_Places],
    material: Material,
    options: EvaluationOptions,
    notes: list[str],
) -> list[_Decided]:
    if options.threshold is not None:
        return [_Decided(name, member, _sentence_counts(lines, places, options.threshold), (options.threshold,))]
    n_positive = sum(bool(place.gold) for place in places)
    candidates = sorted({one.confidence for line in lines if line is not None for one in line.findings}, reverse=True)
    if n_positive < LEAST_POSITIVES or not candidates:
        notes.append(
            f"{name}: no row, because no threshold was chosen: {n_positive} answers hold a hallucination by the gold, "
            f"a threshold is chosen from {LEAST_POSITIVES} on; give one with --threshold"
        )
        return []
    every = [_sentence_counts(lines, places, least) for least in candidates]
    fold = assign_folds(material.questions, folds=options.folds, seed=options.seed)
    picked, thresholds = np.zeros(len(lines), dtype=np.intp), []
    for number in range(options.folds):
        inside = fold == number
        best = int(np.argmax([_f1(counts, ~inside) for counts in every]))  # the first one, so the highest threshold
        picked[inside] = best
        thresholds.append(candidates[best])
    rows = np.arange(len(lines))
    columns = [np.stack([getattr(counts, field) for counts in every])[picked, rows] for field in AnswerSums._fields]
    whole = max(_f1(counts, np.ones(len(lines), dtype=bool)) for counts in every)
    return [_Decided(name, member, AnswerSums(*columns), tuple(thresholds), whole)]


def _f1(counts: AnswerSums, kept: npt.NDArray[np.bool_]) -> float:
    hits, flagged, positives = (float(np.nansum(column[kept])) for column in counts)
    return 2 * hits / (flagged + positives) if positives else 0.0


def _table(
    level: str,
    decided: Sequence[_Decided],
    material: Material,
    positives: int,
    options: EvaluationOptions,
    notes: Sequence[str],
) -> EvaluationTable:
    systems = {one.name: one.counts for one in decided}
    settings: dict[str, Any] = {"n_resamples": options.n_resamples, "level": options.level, "seed": options.seed}
    clusters = np.array(material.questions, dtype=object)
    always = [one.name for one in decided if one.member is None]
    measures = binary_summaries(systems, level=options.level, clusters=clusters, always=always)
    rows = tuple(
        EvaluationRow(
            one.name,
            one.member,
            measures[one.name],
            int(np.nansum(one.counts.flagged)),
            int(np.nansum(one.counts.hits)),
            int(np.isnan(one.counts.flagged).sum()),
            one.thresholds,
            one.in_sample,
        )
        for one in decided
    )
    pairs = tuple(pair_tests(systems, clusters=clusters, **settings))
    return EvaluationTable(level, len(material.ids), positives, material.without_gold, rows, pairs, tuple(notes))
