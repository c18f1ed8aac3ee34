"""All notes of a run: what a reader must know besides the numbers, each with its count."""

from __future__ import annotations

from collections.abc import Mapping

from fas.core.answers.columns import name_columns
from fas.core.checks import agree, count_of
from fas.pipeline import Pipeline
from fas.scoring.aggregate import ScoreColumns
from fas.scoring.verdicts.unsupported import describe_reasons

COUNTS = ("n_cut", "n_same", "n_over", "n_long")
"""Names in `run.json` of the counts that a pipeline keeps beside its records."""

_REASONS = 3
"""Number of reasons for unverified claims that a note gives, the commonest first."""


def note_reasoning(n: int) -> str:
    """Note that reasoning was left out of *n* answers."""
    whose = count_of(n, "answer")
    return f"reasoning around {whose} (as in <think>...</think>) was omitted: it is not scored"


def note_input(
    misnamed: Mapping[tuple[str, str], int],
    n_labelled: int,
    n_reasoning: int = 0,
    recognised: Mapping[str, str] | None = None,
) -> list[str]:
    """Notes on how the answers were read: columns of another tool, names that look like a field's, labels of claims.

    Args:
        misnamed: (name, field that was probably meant) to how many answers have it.
        n_labelled: Claims that came with a label.
        n_reasoning: Answers with reasoning around them.
        recognised: Field to the column of another tool that it was read from.
    """
    notes = []
    recognised = recognised or {}
    if recognised:
        read = ", ".join(f"`{field}` from {column!r}" for field, column in recognised.items())
        notes.append(
            f"the input has the columns of another tool; read {read}; to choose others: {name_columns(recognised)}"
        )
    notes += [
        f"the field {name!r} of {count_of(n, 'answer')} is not read (it is kept as `meta`); if it is meant as "
        f"`{field}`: {name_columns({**recognised, field: name})}"
        for (name, field), n in sorted(misnamed.items())
    ]
    if n_reasoning:
        notes.append(note_reasoning(n_reasoning))
    if n_labelled:
        notes.append(
            f"the `label` of {count_of(n_labelled, 'given claim')} is not read by scoring "
            "(it is kept as `given_label`); `fas results factuality FILE` reads it"
        )
    return notes


def note_work(counts: Mapping[str, int], k: int, *, truncated: bool = False) -> list[str]:
    """Notes on passages that were not read, and on texts that are longer than the encoder reads at once."""
    n_cut, n_same, n_over, n_long = (counts.get(name, 0) for name in COUNTS)
    notes = []
    if n_cut:
        given = count_of(n_cut, "given passage")
        notes.append(f"{given} ranked below the best {k} of a claim and {agree(n_cut, 'was', 'were')} not read")
    if n_same:
        repeating = f"{count_of(n_same, 'passage')} {agree(n_same, 'repeats', 'repeat')}"
        notes.append(f"{repeating} another passage of the same claim; the verifier read such a text once")
    if n_over:
        notes.append(
            f"the evidence source gave more than k={k} passages for a claim: {count_of(n_over, 'passage')} beyond the "
            f"first {k} {agree(n_over, 'was', 'were')} not read"
        )
    if n_long:
        what = f"{count_of(n_long, 'text')} {agree(n_long, 'is', 'are')}"
        how = "cuts them there" if truncated else "reads overlapping windows"
        notes.append(f"{what} longer than the encoder reads at once; BERTScore {how}")
    return notes


def note_parts(pipeline: Pipeline) -> list[str]:
    """Notes of the parts of *pipeline* on their work, and the cost of its language models."""
    notes: list[str] = list(pipeline.notes)
    for part in (pipeline.extractor, pipeline.retriever, pipeline.verifier, pipeline.safety):
        reported = getattr(part, "notes", None)
        if reported is not None:
            notes.extend(reported())
    return [*notes, *pipeline.models.notes()]


def note_records(columns: ScoreColumns) -> list[str]:
    """Notes on what the records of a run hold: answers, claims and passages that are in no mean, or should be known."""
    notes = [
        f"the source marks {count_of(n, 'judged passage')} as {status!r}"
        for status, n in sorted(columns.statuses.items())
    ]
    scored, counts = columns.n - columns.n_failed, columns.counts
    if columns.clustered:
        notes.append(
            f"{scored} answers share {count_of(columns.n_questions, 'question')}; "
            "intervals resample questions, not answers"
            + ("" if columns.n_questions > 1 else ", so that a single question has no interval")
        )
    if columns.n_failed:
        them = agree(columns.n_failed, "it", "them")
        notes.append(
            f"{columns.n_failed} of {columns.n} answers failed; no mean includes {them}, and the field `error` says why"
        )
    if columns.n_unscored:
        notes.append(
            f"{columns.n_unscored} of {scored} answers {agree(columns.n_unscored, 'has', 'have')} no verified claim; "
            f"Support, Contra and FAS leave {agree(columns.n_unscored, 'it', 'them')} out"
            + _describe_abstentions(columns)
        )
    if columns.n_language:
        notes.append(
            f"{columns.n_language} of {scored} answers {agree(columns.n_language, 'is', 'are')} not scored: language; "
            "the embedded models read English only"
        )
    if counts.n_unverified:
        are = agree(counts.n_unverified, "is", "are")
        note = f"{counts.n_unverified} of {counts.n_claims} claims {are} unverified and omitted from the shares"
        why = [f"{count_of(n, 'time')} {reason}" for reason, n in columns.failures.most_common(_REASONS)]
        whose = (
            f"; {columns.n_incomplete} of {scored} answers {agree(columns.n_incomplete, 'has', 'have')} such a claim"
        )
        notes.append(note + (f": {'; '.join(why)}" if why else "") + whose)
    if columns.n_statements_lost:
        notes.append(
            f"{columns.n_statements_lost} of {columns.n_statements} statements could not be judged; coverage omits "
            + agree(columns.n_statements_lost, "it", "them")
        )
    if counts.n_no_evidence:
        count = agree(counts.n_no_evidence, "has no evidence and counts", "have no evidence and count")
        notes.append(f"{counts.n_no_evidence} of {counts.n_claims} claims {count} as unsupported")
    if columns.reasons:
        found = columns.reasons
        said = [f"{n} {words}" for n, words in describe_reasons(found)]
        notes.append(f"of {count_of(found.total(), 'unsupported claim')} with evidence, {', '.join(said)}")
    if counts.n_conflicting:
        notes.append(f"passages both support and contradict {counts.n_conflicting} of {counts.n_claims} claims")
    return notes


def _describe_abstentions(columns: ScoreColumns) -> str:
    n = columns.n_abstained
    return f"; {n} {agree(n, 'abstains: it refuses or says', 'abstain: they refuse or say')} nothing" if n else ""
