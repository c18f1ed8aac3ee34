"""Drug safety flags as an `evaluate` measurement; the checker is `fas.safety`."""

from collections import Counter

import datasets
import evaluate

from fas.core.records import Answer  # From: fact-aligned-score
from fas.core.records.as_json import flag_dict  # From: fact-aligned-score
from fas.integrations.evaluate_modules.inputs import check_list, check_options, numbers  # From: fact-aligned-score
from fas.safety.checker import SafetyChecker  # From: fact-aligned-score

_DESCRIPTION = """
Flags in medical answers what could hurt: advice to take a drug without saying how much, drugs that are contraindicated
for the patient of the question, drug pairs, allergies, doses above the maximum, and their relatives.
Not clinical decision support; no clinician has reviewed the rules.
"""
_INPUTS = """
Args:
    predictions (list of str): Answers.
    questions (list of str or None): The question of each answer; what is known about the patient comes from it.
    numbers_only (bool): True gives `flag_rate` alone.
    info (bool): Also flags that only inform, such as an omitted boxed warning.
Returns:
    flag_rate: Share of answers with a counted flag, in [0, 1].
    rates: Flag to share of answers, for the flags that occur.
    flags: For each answer, its flags: flag, code, drug, rxcui, target, start, end, severity, status, rule, source,
        message.
    signature: Version of the rules.
"""
_NOT_COUNTED = ("deferred_to_label", "continuation", "weak")


class DrugSafety(evaluate.Measurement):
    """The adapter."""

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self._checkers = {}

    def _info(self):
        return evaluate.MeasurementInfo(
            description=_DESCRIPTION,
            citation="",
            inputs_description=_INPUTS,
            features=datasets.Features({"predictions": datasets.Value("string")}),
        )

    def add_batch(self, *, predictions=None, **others):
        """Add answers; a single text is refused."""
        check_list(predictions)
        super().add_batch(predictions=predictions, **others)

    def _compute(self, predictions, questions=None, info=False, numbers_only=False, **others):
        # evaluate.combine hands every module the options of all.
        check_options("drug_safety", others)
        if questions is not None and len(questions) != len(predictions):
            raise ValueError(
                f"`questions` has {len(questions)} entries, `predictions` {len(predictions)}; "
                "give one question per answer, or None"
            )
        asked = questions if questions is not None else [None] * len(predictions)
        answers = [
            Answer(id=str(n), prediction=text, question=question)
            for n, (text, question) in enumerate(zip(predictions, asked, strict=True), start=1)
        ]
        if info not in self._checkers:
            self._checkers[info] = SafetyChecker(info=info)
        checker = self._checkers[info]
        raised = checker.check(answers)
        counted = [{f.flag for f in flags if f.status not in _NOT_COUNTED and f.severity != "info"} for flags in raised]
        totals = Counter(name for names in counted for name in names)
        n = len(answers)
        found = {
            "flag_rate": sum(bool(names) for names in counted) / n,
            "rates": {name: total / n for name, total in sorted(totals.items())},
            "flags": [[flag_dict(flag) for flag in flags] for flags in raised],
            "signature": checker.signature,
        }
        return numbers(found) if numbers_only else found
