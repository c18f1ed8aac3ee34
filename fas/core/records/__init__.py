"""The records of the pipeline: answers, claims, passages, verdicts, counts, scores.

Each is a frozen dataclass without behaviour beyond `as_dict`, so that a score can be recomputed, stored and compared
without a model.
"""

from __future__ import annotations

from fas.core.records.judged import LABELS as LABELS
from fas.core.records.judged import Answer as Answer
from fas.core.records.judged import Case as Case
from fas.core.records.judged import Claim as Claim
from fas.core.records.judged import Counts as Counts
from fas.core.records.judged import Evidence as Evidence
from fas.core.records.judged import Judgement as Judgement
from fas.core.records.judged import Label as Label
from fas.core.records.judged import Pair as Pair
from fas.core.records.judged import Passage as Passage
from fas.core.records.judged import Retrieval as Retrieval
from fas.core.records.judged import Side as Side
from fas.core.records.judged import Verdict as Verdict
from fas.core.records.judged import failed_judgement as failed_judgement
from fas.core.records.scored import AnswerScore as AnswerScore
from fas.core.records.scored import Flag as Flag
from fas.core.records.scored import FlagRate as FlagRate
from fas.core.records.scored import MetricSummary as MetricSummary
from fas.core.records.scored import RecordError as RecordError
from fas.core.records.scored import ReferenceScores as ReferenceScores
from fas.core.records.scored import Report as Report
