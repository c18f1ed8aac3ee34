"""MedLFQA: long answers to patients' questions with the statements they must and may contain.

Jeong et al., OLAPH (2024), https://github.com/dmis-lab/OLAPH. The statements are physicians' own only
in `kqa_golden`; those of the other sets were written by GPT-4 from the expert's answer.
"""

from __future__ import annotations

import logging
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from fas.bench.dataset import Benchmark, Candidate, Item, Preference
from fas.bench.files import DataSource, Fields, find, find_all, plain_name, read_lines
from fas.core.errors import InputError

logger = logging.getLogger(__name__)

SUBSETS = ("kqa_golden", "kqa_silver_wogold", "live_qa", "medication_qa", "healthsearch_qa")
_URL = "https://github.com/dmis-lab/OLAPH"
_QUESTIONS = DataSource("MedLFQA", f"{_URL} (MedLFQA/)", ("medlfqa", "MedLFQA", "OLAPH/MedLFQA"))
_PREDICTIONS = DataSource(
    "MedLFQA",
    f"{_URL} (alignment-handbook/predictions/)",
    (
        "medlfqa/predictions",
        "alignment-handbook/predictions",
        "medlfqa/alignment-handbook/predictions",
        "OLAPH/alignment-handbook/predictions",
        "predictions",
    ),
)
_HUMAN = DataSource(
    "MedLFQA",
    f"{_URL} (Human-Evaluation/)",
    ("medlfqa", "Human-Evaluation", "medlfqa/Human-Evaluation", "OLAPH/Human-Evaluation"),
)
_FILE_NAME = re.compile(rf"pdata_(?P<model>.+)_(?P<subset>{'|'.join(SUBSETS)})_sampling\.jsonl(?:_tmp)?")
_CRITERION = re.compile(r"^[^\S\n]*(\d)\)\s*([^:]+):\s*(Option A|Option B|Tie)\b", re.MULTILINE)
_VOTES = {"Option A": "a", "Option B": "b", "Tie": "tie"}
_TURNED = {"a": "b", "b": "a", "tie": "tie"}
# Of the nine criteria the first four name a virtue, the others a fault.
_N_CRITERIA, _FIRST_FAULT = 9, 5


class MedLFQA(Benchmark):
    """The benchmark; its stored answers are the samples that OLAPH was trained on."""

    name = "medlfqa"
    title = "MedLFQA: patients' questions, long answers, statements an answer must and may contain"
    template = "summary"
    subsets = ("kqa_golden",)
    subset_rule = (
        "All 201 questions of kqa_golden, the only set whose statements physicians wrote. The study evaluates "
        "'a 200-instance evaluation subset' and does not say which; no published file has 200 rows."
    )

    def items(self, folder: Path) -> Iterator[Item]:
        """Every question; the id is the set's name and the row's number from 0, as in the stored answers."""
        names = {subset: f"{subset}_test_MedLFQA.jsonl" for subset in SUBSETS}
        present = [subset for subset, name in names.items() if find_all(folder, _QUESTIONS, name)]
        for subset in present or SUBSETS[:1]:
            for number, fields in enumerate(read_lines(find(folder, _QUESTIONS, names[subset]))):
                question, answer = fields.text("Question"), fields.string("Free_form_answer")
                # One row of LiveQA has an empty answer: an item without a reference, not with an empty one.
                references = (answer,) if answer.strip() else ()
                statements = {"must_have": fields.strings("Must_have"), "nice_to_have": fields.strings("Nice_to_have")}
                yield Item(f"{subset}/{number}", question, references, meta={"subset": subset, **statements})

    def candidates(self, folder: Path) -> Iterator[Candidate]:
        """The models' stored answers to the questions that are there.

        Answers to questions that are not in the set (three rows of LiveQA's files have none) are
        left out, and counted in the log.
        """
        questions = _Questions(self.items(folder))
        left_out: Counter[str] = Counter()
        seen: set[tuple[str, str, int]] = set()
        for subset, number, question, stored in _read_stored(folder):
            item = questions.find(subset, number, question)
            if item is None:
                left_out[f"{stored.model} on {subset}"] += 1
            elif (key := (item, stored.model, stored.sample)) not in seen:
                seen.add(key)
                yield replace(stored, item=item)
        for where, n in left_out.items():
            logger.warning("medlfqa: %d stored answers of %s belong to no question of the set; left out", n, where)

    def preferences(self, folder: Path) -> Iterator[Preference]:
        """Experts' judgements between GPT-4's answer (`a`) and the physicians' (`b`) to kqa_golden's questions.

        Three experts vote on nine criteria. Five of them name a fault (irrelevant content,
        omission, bias, extent and likelihood of harm), where the option named is the one that has it;
        these votes are turned round.
        """
        questions = _Questions(self.items(folder))
        for fields in read_lines(find(folder, _HUMAN, "human_evaluation_medlfqa.jsonl")):
            item = questions.find("kqa_golden", -1, fields.text("Question"))
            if item is None:
                fields.fail("Question", "is not among the questions of kqa_golden")
            ballots = [_read_ballot(fields, f"medical_expert_{i}") for i in (1, 2, 3)]
            yield Preference(
                item,
                Candidate(item, "gpt-4", 0, fields.string("gpt4 (Option A)")),
                Candidate(item, "physicians", 0, fields.string("medical expert (Option B)")),
                {criterion: tuple(ballot[criterion] for ballot in ballots) for criterion in ballots[0]},
            )


class _Questions:
    """Finds a question's id by its row, or where rows were added or left out, by its text."""

    def __init__(self, items: Iterator[Item]) -> None:
        self._text: dict[str, str] = {}
        self._by_text: dict[tuple[str, str], list[str]] = {}
        for item in items:
            self._text[item.id] = item.question
            self._by_text.setdefault((str(item.meta["subset"]), item.question), []).append(item.id)

    def find(self, subset: str, number: int, question: str) -> str | None:
        """The id, or None where the text is in no row or, at another row, in several."""
        if self._text.get(f"{subset}/{number}") == question:
            return f"{subset}/{number}"
        found = self._by_text.get((subset, question), [])
        return found[0] if len(found) == 1 else None


def _read_stored(folder: Path) -> Iterator[tuple[str, int, str, Candidate]]:
    """Set, row and question of each stored answer, and the answer, whose item is yet to be found.

    Of both shapes: the owners' files, one a model and set, and joined files of samples.
    """
    for path in _drop_unfinished(find_all(folder, _PREDICTIONS, "pdata_*_sampling.jsonl*")):
        name = _FILE_NAME.fullmatch(plain_name(path))
        if name is None:
            raise InputError(f"{path}: expected a name of the form pdata_MODEL_SET_sampling.jsonl", kind="file_name")
        for number, fields in enumerate(read_lines(path)):
            scores = fields.objects("prediction_scores") if "prediction_scores" in fields else []
            question = fields.string("Question")
            for sample, text in enumerate(fields.strings("sample_predictions")):
                kept = _read_scores(scores[sample]) if sample < len(scores) else {}
                yield name["subset"], number, question, Candidate("", name["model"], sample, text, meta=kept)
    for path in find_all(folder, _PREDICTIONS, "model_samples*.jsonl"):
        for fields in read_lines(path):
            scored = Fields(fields.record.get("prediction_score") or {}, f"{fields.where}: prediction_score")
            place = fields.choice("dataset", SUBSETS), fields.whole("q_index"), fields.string("question")
            model, sample = fields.text("model"), fields.whole("sample")
            yield *place, Candidate("", model, sample, fields.string("answer"), meta=_read_scores(scored))


def _drop_unfinished(paths: Sequence[Path]) -> list[Path]:
    """Without the unfinished `_tmp` of a file that is there as a whole."""
    names = {plain_name(path) for path in paths}
    return [path for path in paths if plain_name(path).removesuffix("_tmp") not in names - {plain_name(path)}]


def _read_scores(fields: Fields) -> dict[str, Any]:
    """OLAPH's own automatic scores, by similarity to the statements; not a human's judgement."""
    names = {"comprehensive": "olaph_comprehensiveness", "hallucination": "olaph_hallucination"}
    return {ours: fields.record[theirs] for theirs, ours in names.items() if theirs in fields}


def _read_ballot(fields: Fields, key: str) -> dict[str, str]:
    votes = {}
    for number, criterion, vote in _CRITERION.findall(fields.text(key)):
        cast = _VOTES[vote]
        votes[criterion.strip()] = _TURNED[cast] if int(number) >= _FIRST_FAULT else cast
    if len(votes) != _N_CRITERIA:
        fields.fail(key, f"expected {_N_CRITERIA} lines 'N) CRITERION: Option A|Option B|Tie', found {len(votes)}")
    return votes
