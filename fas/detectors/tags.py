"""Categories of false positives that a program can tag; a tag deletes nothing.

Of the categories in table 4 of Lasko et al. these need no reader: `copies_snippet`, `omission`,
`agrees_with_literature` and `said_not_in_answer` (phrases and a measure, in tags.toml), `quotes_answer` (the
explanation is only a piece of the answer) and `not_in_answer` (the snippet is not there, even roughly; set where
the snippet is looked for). Whether a point is trivial, dealt with elsewhere, misread, or beside the use case takes a
reader.
"""

from __future__ import annotations

import tomllib
from dataclasses import replace
from functools import lru_cache
from importlib.resources import files

from fas.detectors.records import DetectedFinding
from fas.detectors.rules import CombinationRule, fold_text, load_rule_set

NOT_IN_ANSWER = "not_in_answer"
QUOTES_ANSWER = "quotes_answer"
_LEAST_QUOTED = 3  # words; fewer can stand in any text


def tag_finding(finding: DetectedFinding, prediction: str) -> DetectedFinding:
    """The finding with the tags that its words give it, beside those it has."""
    tags = {*finding.tags, *(rule.name for rule in _rules() if rule.matches(finding))}
    explanation = fold_text(finding.explanation).strip("\"' .")
    if len(explanation.split()) >= _LEAST_QUOTED and explanation in fold_text(prediction):
        tags.add(QUOTES_ANSWER)
    return replace(finding, tags=tuple(sorted(tags)))


@lru_cache(maxsize=1)
def _rules() -> tuple[CombinationRule, ...]:
    text = (files("fas.detectors") / "tags.toml").read_text(encoding="utf-8")
    return load_rule_set(tomllib.loads(text), "tags.toml").rules
