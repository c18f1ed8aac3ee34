"""What flows through the pipeline: answers, claims, passages, verdicts, counts, scores.

Everything here is a frozen dataclass without behaviour beyond `as_dict`, so that a score
can be recomputed, stored and compared without a model.
"""

from __future__ import annotations

from fas.core.records.judged import (
    LABELS,
    Answer,
    Case,
    Claim,
    Counts,
    Evidence,
    Judgement,
    Label,
    Pair,
    Passage,
    Retrieval,
    Side,
    Verdict,
    failed_judgement,
)
from fas.core.records.scored import (
    AnswerScore,
    Flag,
    FlagRate,
    MetricSummary,
    RecordError,
    ReferenceScores,
    Report,
)

__all__ = [
    "LABELS",
    "Answer",
    "AnswerScore",
    "Case",
    "Claim",
    "Counts",
    "Evidence",
    "Flag",
    "FlagRate",
    "Judgement",
    "Label",
    "MetricSummary",
    "Pair",
    "Passage",
    "RecordError",
    "ReferenceScores",
    "Report",
    "Retrieval",
    "Side",
    "Verdict",
    "failed_judgement",
]
