"""Members against gold: precision, recall and F1 of answers and of sentences, and tests between all pairs of rows.

A row is a way to decide. Any finding of a single member flags an answer, whatever its confidence; a second row has a
threshold, as a combination has one. Thresholds are given, or chosen by cross-validation over questions
(`fas.detectors.threshold`). The last row of a table flags everything: a detector must beat it.

On the level of sentences, a decision is a sentence that a finding touches. It is a hit if finding and gold span share a
token in it; every gold sentence counts once. A finding without a place in the answer is a false alarm.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from fas.core.records import MetricSummary
from fas.detectors.gold import GoldFindings, Material, load_material
from fas.detectors.locate import find_touched_spans, token_overlap
from fas.detectors.member import check_texts, find_places, read_member
from fas.detectors.records import DetectedFinding, Findings, Member, answer_score
from fas.detectors.threshold import FOLDS, LEAST_POSITIVES, assign_folds, check_threshold, cross_validate_threshold
from fas.stats.binary import AnswerSums, PairTest, answer_counts, binary_summaries, pair_tests
from fas.text.sentences import sentence_spans

FLAG_ALL = "flag everything"


@dataclass(frozen=True, slots=True)
class EvaluationRow:
    """One way to decide.

    Attributes:
        name: E.g. `judge`, `judge, own threshold`, `combination: mean of highest, not aligned`.
        member: The member's name; None for the row that flags everything.
        counts: Hits, flags and positives of each answer; NaN where the member has no opinion.
        thresholds: The thresholds of the folds, or the given one; empty for none.
        in_sample: F1 of the best threshold on these same answers, an optimistic number; NaN for none.
        measures: `precision`, `recall` and `f1` with intervals; their `n` is the number of decided answers.
    """

    name: str
    member: str | None
    counts: AnswerSums
    thresholds: tuple[float, ...] = ()
    in_sample: float = math.nan
    measures: Mapping[str, MetricSummary] = field(default_factory=dict)

    @property
    def flagged(self) -> int:
        """Flagged answers (or sentences)."""
        return int(np.nansum(self.counts.flagged))

    @property
    def hits(self) -> int:
        """Flagged answers (or sentences) that the gold has."""
        return int(np.nansum(self.counts.hits))

    @property
    def undecided(self) -> int:
        """Answers with gold on which the member has no opinion."""
        return int(np.isnan(self.counts.flagged).sum())


@dataclass(frozen=True, slots=True)
class EvaluationTable:
    """The rows of one set of answers on one level (`answers` or `sentences`), the one that flags everything last.

    Attributes:
        n: Answers with gold.
        positives: Answers (or sentences) that the gold has.
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
class Evaluation:
    """The tables of one set of answers.

    Attributes:
        groups: Value of the grouping field to the table of its answers.
        false_alarms: As `count_false_alarms` gives them.
        notes: What a reader must know.
    """

    members: tuple[Member, ...]
    answers: EvaluationTable
    sentences: EvaluationTable
    groups: Mapping[str, EvaluationTable]
    false_alarms: Mapping[str, int]
    notes: tuple[str, ...]


def evaluate(
    folders: Sequence[str | Path],
    gold: Mapping[str, GoldFindings],
    *,
    by: str | None = None,
    cluster_by: str | None = None,
    explain: bool = False,
    options: EvaluationOptions = EvaluationOptions(),
) -> Evaluation:
    """Members, combinations among them, against gold; calls no language model.

    *folders* and *explain*: as for `fas.combine`. *by*: also make a table for each value of this field of `meta`.
    *cluster_by*: field of `meta` whose values are resampled and split into folds; by default the question.

    Raises:
        InputError: A folder cannot be read, or no answer has gold.
        ValueError: An option is out of range.
    """
    found = find_places(folders)
    members = [read_member(place, explain=explain) for place in found]
    notes = check_texts(members)
    material, fields = load_material(found, gold, cluster_by=cluster_by, by=by)
    groups = {
        value: answer_table(members, material.only([i for i, one in enumerate(fields) if one == value]), options)
        for value in (sorted(set(fields)) if by else ())
    }
    answers, sentences = answer_table(members, material, options), sentence_table(members, material, options)
    return Evaluation(tuple(members), answers, sentences, groups, count_false_alarms(members, material), tuple(notes))


def count_false_alarms(members: Sequence[Member], material: Material) -> dict[str, int]:
    """Findings on answers without a hallucination by tag, the commonest first (figure 1 of Lasko et al.).

    A finding without a tag counts as `untagged`; one with two tags counts in both, once in `findings`. Combinations,
    which repeat the findings of their members, are left out unless there is nothing else.
    """
    single = [one for one in members if not _is_combination(one)] or members
    sound = [name for name, gold in zip(material.ids, material.gold, strict=True) if not gold.hallucination]
    lines = [member.answers[name] for member in single for name in sound if name in member.answers]
    found = [one for line in lines for one in line.findings]
    counts = Counter(tag for one in found for tag in (one.tags or ("untagged",)))
    return {"findings": len(found), **dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))}


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
    rows: list[EvaluationRow] = []
    for member in members:
        lines = _opinions(member, material)
        if not _is_combination(member):
            flagged = np.array([math.nan if line is None else float(bool(line.findings)) for line in lines])
            rows.append(EvaluationRow(member.name, member.name, answer_counts(flagged, gold)))
        for name, score in _scores(member):
            values = np.array([math.nan if line is None else score(line) for line in lines])
            known = ~np.isnan(values)
            flagged = np.full(len(values), np.nan)
            in_sample = math.nan
            if options.threshold is not None:
                thresholds: tuple[float, ...] = (options.threshold,)
                flagged[known] = values[known] >= options.threshold
            else:
                groups = [one for one, there in zip(material.questions, known, strict=True) if there]
                try:
                    chosen = cross_validate_threshold(
                        values[known], gold[known], groups, folds=options.folds, seed=options.seed
                    )
                except ValueError as error:
                    notes.append(f"{name}: no row, because no threshold was chosen: {error}")
                    continue
                thresholds, in_sample = chosen.thresholds, chosen.in_sample.f1
                flagged[known] = chosen.flagged
            rows.append(EvaluationRow(name, member.name, answer_counts(flagged, gold), thresholds, in_sample))
    rows.append(EvaluationRow(FLAG_ALL, None, answer_counts(np.ones(len(gold)), gold)))
    return _table("answers", rows, material, options, notes)


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
    rows: list[EvaluationRow] = []
    for member in members:
        lines = _opinions(member, chosen)
        if not _is_combination(member):
            rows.append(EvaluationRow(member.name, member.name, _sentence_counts(lines, places, 0.0)))
        for name, _ in list(_scores(member))[:1]:  # scores without alignment have no findings
            try:
                rows.append(_choose_for_sentences(name, member.name, lines, places, chosen, options))
            except ValueError as error:
                notes.append(f"{name}: no row, because no threshold was chosen: {error}")
    n_gold, n_all = (np.array([float(len(getattr(place, of))) for place in places]) for of in ("gold", "sentences"))
    rows.append(EvaluationRow(FLAG_ALL, None, AnswerSums(n_gold, n_all, n_gold)))
    return _table("sentences", rows, chosen, options, notes)


def _opinions(member: Member, material: Material) -> list[Findings | None]:
    """The member's line of each answer; None where it has no opinion."""
    lines = [member.answers.get(name) for name in material.ids]
    return [line if line is not None and line.failure is None else None for line in lines]


def _is_combination(member: Member) -> bool:
    return any(line.score is not None for line in member.answers.values())


def _scores(member: Member) -> Iterator[tuple[str, Callable[[Findings], float]]]:
    """Names of rows with a threshold, and the score that each compares with it."""
    if not _is_combination(member):
        if len({one.confidence for line in member.answers.values() for one in line.findings}) > 1:
            yield f"{member.name}, own threshold", answer_score
        return
    yield member.name, answer_score
    for name in next((line.baselines for line in member.answers.values() if line.baselines), {}):
        yield f"{member.name}: {name}, not aligned", lambda line, name=name: line.baselines.get(name, math.nan)  # type: ignore[misc]


class _Places:
    """The sentences of an answer, and the positions of those that the gold marks."""

    def __init__(self, text: str, gold: GoldFindings) -> None:
        self.text = text
        self.spans = [(span.start, span.end) for span in gold.spans or ()]
        self.sentences = sentence_spans(text)
        touched = find_touched_spans(self.sentences, self.spans)
        self.gold = {i for i in touched if self._overlaps_gold(self.sentences[i])}

    def decide(self, findings: Sequence[DetectedFinding]) -> tuple[int, int]:
        """How many gold sentences *findings* hit, and how many sentences they flag."""
        flagged: set[int] = set()
        hit: set[int] = set()
        nowhere = 0
        for finding in findings:
            spans = finding.spans()
            nowhere += not spans
            for span in spans:
                touched = find_touched_spans(self.sentences, [span])
                flagged |= touched
                for i in touched & self.gold:
                    start, end = self.sentences[i]
                    if self._overlaps_gold((max(start, span[0]), min(end, span[1]))):
                        hit.add(i)
        return len(hit), len(flagged) + nowhere

    def _overlaps_gold(self, part: tuple[int, int]) -> bool:
        return any(token_overlap(self.text, part, span) for span in self.spans)


def _sentence_counts(lines: Sequence[Findings | None], places: Sequence[_Places], least: float) -> AnswerSums:
    """Counts of the sentences that findings of at least this confidence touch."""
    rows = [
        (math.nan,) * 3
        if line is None
        else (*place.decide([one for one in line.findings if one.confidence >= least]), len(place.gold))
        for line, place in zip(lines, places, strict=True)
    ]
    return AnswerSums(*np.array(rows, dtype=np.float64).reshape(len(rows), 3).T)


def _choose_for_sentences(
    name: str,
    member: str,
    lines: Sequence[Findings | None],
    places: Sequence[_Places],
    material: Material,
    options: EvaluationOptions,
) -> EvaluationRow:
    if options.threshold is not None:
        return EvaluationRow(name, member, _sentence_counts(lines, places, options.threshold), (options.threshold,))
    n_positive = sum(bool(place.gold) for place in places)
    candidates = sorted({one.confidence for line in lines if line is not None for one in line.findings}, reverse=True)
    if n_positive < LEAST_POSITIVES or not candidates:
        raise ValueError(
            f"{n_positive} answers hold a hallucination by the gold, a threshold is chosen from {LEAST_POSITIVES} on; "
            "give one with --threshold"
        )
    every = [_sentence_counts(lines, places, least) for least in candidates]
    fold = assign_folds(material.questions, folds=options.folds, seed=options.seed)
    picked, thresholds = np.zeros(len(lines), dtype=np.intp), []
    for number in range(options.folds):
        inside = fold == number
        best = int(np.argmax([_f1(counts, ~inside) for counts in every]))  # the first one, so the highest threshold
        picked[inside] = best
        thresholds.append(candidates[best])
    columns = [np.stack(column)[picked, np.arange(len(lines))] for column in zip(*every, strict=True)]
    whole = max(_f1(counts, np.ones(len(lines), dtype=bool)) for counts in every)
    return EvaluationRow(name, member, AnswerSums(*columns), tuple(thresholds), whole)


def _f1(counts: AnswerSums, kept: npt.NDArray[np.bool_]) -> float:
    hits, flagged, positives = (float(np.nansum(column[kept])) for column in counts)
    return 2 * hits / (flagged + positives) if positives else 0.0


def _table(
    level: str,
    rows: Sequence[EvaluationRow],
    material: Material,
    options: EvaluationOptions,
    notes: Sequence[str],
) -> EvaluationTable:
    """The table of *rows*, the last of which flags everything."""
    systems = {row.name: row.counts for row in rows}
    clusters = np.array(material.questions, dtype=object)
    measures = binary_summaries(systems, level=options.level, clusters=clusters, always=[FLAG_ALL])
    pairs = pair_tests(
        systems, clusters=clusters, n_resamples=options.n_resamples, level=options.level, seed=options.seed
    )
    return EvaluationTable(
        level,
        len(material.ids),
        int(rows[-1].counts.positives.sum()),
        material.without_gold,
        tuple(replace(row, measures=measures[row.name]) for row in rows),
        tuple(pairs),
        tuple(notes),
    )
