"""Sentences quoted from the passages of labelled cases, as claims: supported, and contradicted once one thing is changed.

Real claims seldom repeat a passage word for word, and contrast claims that nearly do are mostly contradicted. Without quotes the
regression of `calibrate` learns from both that a claim in a passage's own words is doubtful.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from benchmarks.verdicts.labels import Label
from fas.bench.controls import make_panel
from fas.core.cache import content_key
from fas.core.records import Passage
from fas.pipeline.runs.controls import ControlSample, Kind, Seen

_LABELS: dict[Kind, Label] = {"quoted": "S", "changed": "C"}


def quotes_of(cases: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Rows as those of the contrast claims: at most one quote and one changed quote of each passage of *cases*."""
    of = {own["text"]: (own, row["question"]) for row in cases for own in row["passages"]}
    sample = ControlSample()
    sample.passages = [Seen(content_key(text), text, question, Passage(text)) for text, (_, question) in of.items()]
    rows = []
    for control in make_panel(sample, len(of)):
        passage, question = of[control.passage.text]
        label = _LABELS[control.kind]
        rows.append({"claim": control.claim, "label": label, "passage": passage, "question": question})
    return rows
