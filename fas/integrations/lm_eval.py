"""The study's benchmarks as tasks of lm-evaluation-harness: `fas_bioasq`, `fas_pubmedqa` and `fas_medlfqa`.

    lm_eval run --model hf --model_args pretrained=MODEL --tasks fas_bioasq
        --include_path $(python -m fas.integrations.lm_eval) --metadata '{"data": "DATA"}'

Questions are read from their owners' files, as `fas bench` reads them, and put in the study's words. An answer without
a value counts in no mean: the metrics are averaged without NaN, and `unscored` is the share that has none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fas.integrations.rows import answer_row, read_values

if TYPE_CHECKING:
    from datasets import Dataset

    from fas.pipeline.runs.scorer import Scorer

TASKS = Path(__file__).parent / "tasks"
_OPTIONS = ("profile", "evidence")


def bioasq(**options: Any) -> dict[str, Dataset]:
    """BioASQ's questions with their snippets; see `documents`."""
    return documents("bioasq", **options)


def pubmedqa(**options: Any) -> dict[str, Dataset]:
    """PubMedQA's questions with their abstracts; see `documents`."""
    return documents("pubmedqa", **options)


def medlfqa(**options: Any) -> dict[str, Dataset]:
    """MedLFQA's questions, by default with the expert answer as the evidence; see `documents`."""
    return documents("medlfqa", **{"passages": "references", **options})


def documents(
    name: str,
    *,
    data: str | None = None,
    subset: Sequence[str] | None = None,
    kind: Sequence[str] | None = None,
    passages: str = "own",
    profile: str = "mini",
    evidence: str | None = None,
    **_of_harness: Any,
) -> dict[str, Dataset]:
    """The questions of a benchmark as the split `test`, with `prompt`, `question`, `references` and `passages`.

    Args:
        name: The benchmark.
        data: Folder of the owners' files; `FAS_DATA_DIR` by default.
        subset: Sets of questions; the benchmark's choice by default.
        kind: Types of question, likewise.
        passages: Evidence that goes along: `own`, `references`, `question` or `none`.
        profile: Name of the profile that scores, or its file.
        evidence: As for `fas.Scorer`; the passages by default.

    Raises:
        InputError: The files are not there or not as their owners publish them.
    """
    from datasets import Dataset

    from fas.bench import Candidate, benchmark
    from fas.bench.files import data_folder
    from fas.bench.generate import prompt_for
    from fas.bench.prepare import PASSAGE_SOURCES, answer_record, select_items

    if passages not in PASSAGE_SOURCES:
        raise ValueError(f"passages is {passages!r}; allowed: {', '.join(PASSAGE_SOURCES)}")
    bench = benchmark(name)
    items = select_items(bench, data_folder(Path(data) if data else None), subsets=subset, kinds=kind)
    rows = []
    for item in items:
        record = answer_record(name, item, Candidate(item.id, "", 0, ""), passages)
        rows.append(
            {
                "id": item.id,
                "prompt": prompt_for(item, bench.template),
                **{key: record.get(key) for key in ("question", "references", "passages")},
                "profile": profile,
                "evidence": evidence,
            }
        )
    return {"test": Dataset.from_list(rows)}


def process_results(doc: Mapping[str, Any], results: Sequence[str]) -> dict[str, float]:
    """The metrics of one answer, NaN where there is none; `unscored` is 1 for an answer without shares.

    Args:
        doc: A question from `documents`.
        results: The answer, alone.
    """
    given = doc["passages"]
    row = answer_row(
        results[0],
        question=doc["question"],
        references=doc["references"],
        # A column of passages has every field of any of them, None where one has it not.
        passages=None if given is None else [_drop_none(one) for one in given],
    )
    score = _scorer(*(doc[name] for name in _OPTIONS)).score([row]).answers[0]
    values = read_values(score)
    return {**values, "unscored": float(values["support"] != values["support"])}


@lru_cache(maxsize=4)
def _scorer(profile: str, evidence: str | None) -> Scorer:
    from fas.pipeline.runs.scorer import Scorer

    return Scorer(profile, evidence=evidence)


def _drop_none(passage: Any) -> Any:
    return {key: value for key, value in passage.items() if value is not None} if isinstance(passage, dict) else passage


if __name__ == "__main__":
    print(TASKS)  # noqa: T201  # for --include_path
