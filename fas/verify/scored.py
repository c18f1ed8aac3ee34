"""Entailment with a score from a language model: MedScore's check of claims against labelled spans (table 18).

The reply has two lines, `Label: True` or `False` and `Score: 0.6`. The score is P(support); the run's threshold (0.8 in
the paper) decides, so that thresholds can be chosen and swept as for an embedded model. A reply without a score in
[0, 1], with two different ones, or whose label says the opposite of its score (False above 0.8, True below 0.5) is a
failure: some models score their confidence in the label instead.
"""

from __future__ import annotations

import re

from fas.core.records import Case, Judgement
from fas.llm import Reply
from fas.llm.said import extract_answer_text, shorten_reply
from fas.verify.llm import ProvidedVerifier
from fas.verify.llm_verdict import Truth, VerdictReading

_LABEL = re.compile(r"^\W*label\W*(true|false)\W*$", re.IGNORECASE | re.MULTILINE)
_SCORE = re.compile(r"^\W*score\W*?(-?\d+(?:\.\d+)?|\.\d+)\W*$", re.IGNORECASE | re.MULTILINE)
_FALSE_MOST, _TRUE_LEAST = 0.8, 0.5


class ScoredEntailmentVerifier(ProvidedVerifier):
    """Asks whether the passages entail the claim, and how likely that is.

    See `LlmVerifier` for the options; verdicts are True or False, and the probability is the one that the model writes.
    """

    name = "entailment"
    by_word = False

    def _read(self, reply: Reply, case: Case) -> VerdictReading:
        spoken = extract_answer_text(reply)
        if spoken.failure is not None:
            return VerdictReading(None, spoken.failure)
        shown = shorten_reply(spoken.text)
        labels = {found.lower() for found in _LABEL.findall(spoken.text)}
        scores = {float(found) for found in _SCORE.findall(spoken.text)}
        if len(scores) != 1 or not 0 <= (score := scores.pop()) <= 1:
            return VerdictReading(None, f"the reply does not state one score from 0 to 1: {shown}")
        if len(labels) != 1:
            return VerdictReading(None, f"the reply does not state one label: {shown}")
        truth: Truth = "true" if labels == {"true"} else "false"
        if (truth == "false" and score > _FALSE_MOST) or (truth == "true" and score < _TRUE_LEAST):
            return VerdictReading(None, f"label and score disagree: {shown}")
        return VerdictReading(truth)

    def _make_judgement(self, truth: Truth, reply: Reply) -> Judgement:
        return Judgement(float(_SCORE.findall(extract_answer_text(reply).text)[0]), 0.0)
