"""What a reader of a run must know besides its numbers, each thing once, with its count: all notes are made here."""

from __future__ import annotations

from collections.abc import Mapping

from fas.core.checks import count_of
from fas.pipeline import Pipeline
from fas.scoring.aggregate import ScoreColumns
from fas.scoring.verdicts.unsupported import describe_reasons

COUNTS = ("n_cut", "n_same", "n_over", "n_long")
"""What a pipeline counts beside its records, by the names under which `run.json` keeps it."""

_REASONS = 3
"""So many reasons for unverified claims are told, the commonest first."""


def reasoning_note(n: int) -> str:
    """That reasoning was left out of so many answers."""
    whose = count_of(n, "answer")
    return f"reasoning around {whose} (as in <think>...</think>) was omitted: it is not scored"


def input_notes(
    misnamed: Mapping[tuple[str, str], int],
    n_labelled: int,
    n_reasoning: int = 0,
    recognised: Mapping[str, str] | None = None,
) -> list[str]:
    """Notes on how the answers were read: columns of another tool, names that look like a field's, labels of claims.

    Args:
        misnamed: (name, field it looks like) to how many answers have it.
        n_labelled: Claims that came with a label.
        n_reasoning: Answers around which reasoning stood.
        recognised: Field to the column of another tool that it was read from.
    """
    notes = []
    chosen = [f"{field}={column}" for field, column in (recognised or {}).items()]
    if recognised:
        read = ", ".join(f"`{field}` from {column!r}" for field, column in recognised.items())
        notes.append(
            f"the input has the columns of another tool; read {read}; to choose others: --map {','.join(chosen)}"
        )
    notes += [
        f"the field {name!r} of {count_of(n, 'answer')} is not read (it is kept as `meta`); if it is meant as "
        f"`{field}`: --map {','.join([*chosen, f'{field}={name}'])}"
        for (name, field), n in sorted(misnamed.items())
    ]
    if n_reasoning:
        notes.append(reasoning_note(n_reasoning))
    if n_labelled:
        notes.append(
            f"the `label` of {count_of(n_labelled, 'given claim')} is not read by scoring "
            "(it is kept as `given_label`); `fas results factuality FILE` reads it"
        )
    return notes


def work_notes(counts: Mapping[str, int], k: int, *, truncated: bool = False) -> list[str]:
    """Notes on passages that were not read, and on texts that are longer than the encoder reads at once."""
    n_cut, n_same, n_over, n_long = (counts.get(name, 0) for name in COUNTS)
    notes = []
    if n_cut:
        notes.append(f"{n_cut} given passages were ranked below the best {k} of a claim and not read")
    if n_same:
        notes.append(f"{n_same} passages repeat another one of their claim and were read once")
    if n_over:
        notes.append(
            f"the evidence source gave more than k={k} passages: {n_over} beyond the first {k} of a claim were not read"
        )
    if n_long:
        what = "1 text is" if n_long == 1 else f"{n_long} texts are"
        how = "cuts them there" if truncated else "reads overlapping windows"
        notes.append(f"{what} longer than the encoder reads at once; BERTScore {how}")
    return notes


def part_notes(pipeline: Pipeline) -> list[str]:
    """What the parts of *pipeline* say of themselves and of what they did, and what its language models cost."""
    notes: list[str] = list(pipeline.notes)
    for part in (pipeline.extractor, pipeline.retriever, pipeline.verifier, pipeline.safety):
        reported = getattr(part, "notes", None)
        if reported is not None:
            notes.extend(reported())
    return [*notes, *pipeline.models.notes()]


def record_notes(columns: ScoreColumns) -> list[str]:
    """Notes on what the records of a run hold: answers, claims and passages that are in no mean, or should be known."""
    notes = [
        f"{n} judged passages are marked {status!r} by their source" for status, n in sorted(columns.statuses.items())
    ]
    scored, counts = columns.n - columns.n_failed, columns.counts
    if columns.clustered:
        notes.append(
            f"{scored} answers share {columns.n_questions} questions; intervals resample questions, not answers"
            + ("" if columns.n_questions > 1 else ", and there is none for a single question")
        )
    if columns.n_failed:
        notes.append(f"{columns.n_failed} of {columns.n} answers failed and are in no mean; see their `error`")
    if columns.n_unscored:
        notes.append(
            f"{columns.n_unscored} of {scored} answers have no verified claim; Support, Contra and FAS leave them out"
            + (f"; {columns.n_abstained} of them abstain: they refuse or say nothing" if columns.n_abstained else "")
        )
    if columns.n_language:
        notes.append(
            f"{columns.n_language} of {scored} answers are not scored: language; they are not in English, the only one "
            "that the embedded models read"
        )
    if counts.n_unverified:
        note = f"{counts.n_unverified} of {counts.n_claims} claims are unverified and omitted from the shares"
        why = [f"{n} times {reason}" for reason, n in columns.failures.most_common(_REASONS)]
        whose = f"; {columns.n_incomplete} of {scored} answers have one"
        notes.append(note + (f": {'; '.join(why)}" if why else "") + whose)
    if columns.n_statements_lost:
        notes.append(
            f"{columns.n_statements_lost} of {columns.n_statements} statements could not be judged and are "
            "omitted from coverage"
        )
    if counts.n_no_evidence:
        notes.append(f"{counts.n_no_evidence} of {counts.n_claims} claims found no evidence and count as unsupported")
    if columns.reasons:
        found = columns.reasons
        said = [f"{n} {words}" for n, words in describe_reasons(found)]
        notes.append(f"of {found.total()} unsupported claims with evidence, {', '.join(said)}")
    if counts.n_conflicting:
        notes.append(
            f"{counts.n_conflicting} of {counts.n_claims} claims are both supported and contradicted by some passage"
        )
    return notes
