"""MIRAGE: explanations by GPT-3.5 and GPT-4 of yes/no questions, and its sets of multiple-choice questions.

Xiong et al. (2024), https://github.com/Teddy-XiongGZ/MIRAGE. The explained questions are BioASQ's yes/no questions of
2019-2023 (618) and PubMedQA's test questions (500); each was answered from the model's memory (`cot`)
and from 32 retrieved snippets (`rag_32`).
"""

from __future__ import annotations

import json
import logging
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from fas.bench.bioasq import read_golden_items
from fas.bench.dataset import Benchmark, Candidate, Item
from fas.bench.files import DataSource, Fields, find, find_all, read_json, read_lines
from fas.bench.pubmedqa import read_pubmedqa_item
from fas.core.errors import InputError
from fas.text.choices.options import append_options, read_options
from fas.text.choices.reading import read_choice

logger = logging.getLogger(__name__)

_URL = "https://github.com/Teddy-XiongGZ/MIRAGE"
_FOLDERS = ("mirage", "mirage_bioasq_pubmedqa", "MIRAGE")
_QUESTIONS = DataSource("MIRAGE", f"{_URL} (rawdata/)", (*_FOLDERS, "rawdata", "mirage/rawdata", "MIRAGE/rawdata"))
_PUBMEDQA = DataSource(
    "MIRAGE",
    f"{_URL} (rawdata/pubmedqa/data/)",
    tuple(f"{folder}/pubmedqa/data" for folder in ("mirage/rawdata", "rawdata", "MIRAGE/rawdata")),
)
_ANSWERS = DataSource("MIRAGE", f"{_URL} (prediction/)", (*_FOLDERS, "prediction"))
_CHOICES_FILE = DataSource("MIRAGE", f"{_URL} (benchmark.json)", ("choices", *_FOLDERS))
_SETS = ("medqa", "mmlu", "medmcqa", "pubmedqa", "bioasq")
_CHOICES = {"bioasq": {"A": "yes", "B": "no"}, "pubmedqa": {"A": "yes", "B": "no", "C": "maybe"}}
_CHOICE = re.compile(r'answer_choice"?\s*:\s*"?\(?([A-D])\b')
# What the owners' client wrote down where no reply came.
_NO_REPLY = re.compile(
    r"\s*(?:Request timed out\b|HTTPS?ConnectionPool\(|Error communicating with |Error code: \d{3}\b|"
    r"Rate limit reached\b|The server (?:is overloaded|had an error)\b|openai\.\w*Error\b|$)"
)
_THINKING = re.compile(r'"step_by_step_thinking"\s*:\s*("(?:[^"\\]|\\.)*")', re.DOTALL)


class Mirage(Benchmark):
    """The benchmark; a candidate's `gold` is 1 where the decision is right, 0 where it is wrong.

    A request of the owners that failed (a time-out stored as text, or nothing) is left out, and the log says so; an
    explanation without a decision has gold None. The gold says nothing of the facts of an explanation.
    """

    name = "mirage"
    title = "MIRAGE: 4,469 explanations of BioASQ's and PubMedQA's questions with a right or wrong decision"
    subset_rule = (
        "All questions of both sets (--subset bioasq for the 618 of BioASQ alone, whose yes/no is the firmer gold). "
        "The study does not use MIRAGE."
    )

    def items(self, folder: Path) -> Iterator[Item]:
        """BioASQ's yes/no questions as `bioasq/ID` with their snippets, PubMedQA's as `pubmedqa/PMID`."""
        golden = [item for item in read_golden_items(folder, _QUESTIONS) if item.kind == "yesno"]
        places = ((_QUESTIONS, "pubmedqa_test_set.json"), (_PUBMEDQA, "test_set.json"))
        test = next((path for source, name in places for path in find_all(folder, source, name)), None)
        if not golden and test is None:
            raise InputError(
                f"{folder}: the questions of MIRAGE are missing: *_golden.json of BioASQ 7B-11B and test_set.json of "
                f"PubMedQA; get them from {_URL} (rawdata/) and put its rawdata folder into {folder / 'mirage'}",
                kind="missing_file",
            )
        for item in golden:
            meta = {**item.meta, "subset": "bioasq", "edition": item.meta["subset"], "decision": item.meta["exact"]}
            yield replace(item, id=f"bioasq/{item.id}", meta=meta)
        if test is not None:
            for pmid, record in Fields(read_json(test), str(test)).record.items():
                item = read_pubmedqa_item(str(pmid), record, f"{test}, {pmid}", subset="pubmedqa")
                yield replace(item, id=f"pubmedqa/{item.id}")

    def candidates(self, folder: Path) -> Iterator[Candidate]:
        """The explanations; the model's name ends with how it answered, e.g. `gpt-4-32k/cot`."""
        decisions = {item.id: str(item.meta["decision"]) for item in self.items(folder)}
        joined = find_all(folder, _ANSWERS, "llm_explanations_with_gold.jsonl")
        stored = _read_joined(joined[0]) if joined else _read_owners(folder)
        left_out: Counter[str] = Counter()
        for candidate in stored:
            if candidate.item not in decisions:
                raise InputError(f"{folder}: an explanation answers {candidate.item}, which is no question of MIRAGE")
            if _NO_REPLY.match(candidate.text):
                left_out[f"{candidate.model} on {candidate.item}"] += 1
                continue
            choice = candidate.meta["decision_given"]
            right = None if choice is None else float(choice == decisions[candidate.item])
            yield replace(candidate, gold=right)
        if left_out:
            logger.warning(
                "mirage: %d stored replies are no answers (an error of the owners' client, or nothing at all) and are "
                "left out: %s",
                left_out.total(),
                ", ".join(left_out),
            )


def _read_owners(folder: Path) -> Iterator[Candidate]:
    """The owners' tree: DATASET/cot/OpenAI/MODEL/test_ID.json, DATASET/rag_32/OpenAI/MODEL/CORPUS/RETRIEVER/..."""
    for place in (*(f"{name}/prediction" for name in _FOLDERS), "prediction"):
        root = folder / place
        for dataset in _CHOICES:
            for path in sorted((root / dataset).glob("**/test_*.json")):
                mode, _, llm, *how = path.parent.relative_to(root / dataset).parts
                replies = read_json(path)
                if not isinstance(replies, list) or not all(isinstance(reply, str) for reply in replies):
                    raise InputError(f"{path}: expected a list of replies as strings", kind="wrong_type")
                # An empty list is a request without a reply.
                for sample, reply in enumerate(replies or [""]):
                    text, choice = _read_reply(reply, dataset)
                    meta = {"llm": llm, "mode": "/".join((mode, *how)), "decision_given": choice}
                    item = f"{dataset}/{path.stem.removeprefix('test_')}"
                    yield Candidate(item, f"{llm}/{mode}", sample, text, meta=meta)


def _read_joined(path: Path) -> Iterator[Candidate]:
    for fields in read_lines(path):
        dataset = fields.choice("dataset", tuple(_CHOICES))
        llm, mode = fields.text("model"), fields.text("mode")
        choice = fields.choice("choice", ("yes", "no", "maybe")) if "choice" in fields else None
        text, _ = _read_reply(fields.string("answer"), dataset)
        meta = {"llm": llm, "mode": mode, "decision_given": choice}
        yield Candidate(f"{dataset}/{fields.text('id')}", f"{llm}/{mode.split('/')[0]}", 0, text, meta=meta)


def _read_reply(reply: str, dataset: str) -> tuple[str, str | None]:
    """The explanation and the decision of a reply; the whole reply where it is not the requested JSON.

    >>> _read_reply('{"step_by_step_thinking": "It does.", "answer_choice": "A"}', "bioasq")
    ('It does.', 'yes')
    """
    try:
        parsed = json.loads(reply)
    except (ValueError, RecursionError):
        parsed = None
    if isinstance(parsed, Mapping) and isinstance(parsed.get("step_by_step_thinking"), str):
        return parsed["step_by_step_thinking"], _CHOICES[dataset].get(str(parsed.get("answer_choice", "")).strip()[:1])
    choice, thinking = _CHOICE.search(reply), _THINKING.search(reply)
    text = reply
    if thinking:
        with suppress(ValueError, RecursionError):
            text = str(json.loads(thinking[1], strict=False))
    return text, _CHOICES[dataset].get(choice[1]) if choice else None


class Choices(Benchmark):
    """Five sets of multiple-choice questions, from `benchmark.json`; the answers are made now.

    A candidate's gold is 1 where it chooses the right option, 0 where it chooses another or none can be read. MedQA has
    1,273 questions with four options, six subjects of MMLU 1,089, MedMCQA 4,183, PubMedQA without its abstracts 500
    (yes, no, maybe), BioASQ's yes/no questions 618. All are test questions.
    """

    name = "choices"
    title = "MIRAGE's 7,663 multiple-choice questions: MedQA, MMLU, MedMCQA, PubMedQA, BioASQ"
    subset_rule = "All questions of all five sets; --subset names some (medqa, mmlu, medmcqa, pubmedqa, bioasq)."

    def items(self, folder: Path) -> Iterator[Item]:
        """The questions as `SET/ID`, with their options in the text; `meta` has `stem`, `options` and `answer`."""
        path = find(folder, _CHOICES_FILE, "benchmark.json")
        found = read_json(path)
        if not isinstance(found, Mapping) or not set(_SETS) & set(found):
            raise InputError(f"{path}: expected an object with the sets {', '.join(_SETS)}", kind="wrong_type")
        for subset in _SETS:
            for identifier, record in Fields(found.get(subset, {}), f"{path}, {subset}").record.items():
                name = f"{subset}/{identifier}"
                fields = Fields(record, f"{path}, {name}")
                stem = fields.string("question").strip()
                options, answer = read_options(record.get("options"), fields.where), record.get("answer")
                if answer not in options:
                    raise InputError(
                        f"{fields.where}: the answer {answer!r} is not one of {', '.join(options)}", kind="answer"
                    )
                meta = {"subset": subset, "stem": stem, "options": options, "answer": answer}
                yield Item(name, append_options(stem, options), (), None, "choice", meta)

    def grade(self, item: Item, candidate: Candidate) -> Candidate:
        """*candidate* with its gold and the option that was read; an answer that cannot be read is wrong."""
        choice = read_choice(candidate.text, item.meta["options"])
        right = float(choice.letter == item.meta["answer"])
        return replace(candidate, gold=right, meta={**candidate.meta, "choice": choice.letter, "unread": choice.reason})
