"""How good are the claims of several extractors on the same answers, without a judge?

Run from the root of the checkout. Any number of methods, each `LABEL=WHAT` or just WHAT:

    python -m benchmarks.claims.quality answers.jsonl clauses=spacy sentences medscore=claims.jsonl --out results.json

WHAT is the name of a registered extractor, `sentences` (every sentence that is no question is a
claim), either of them with a filter (`spacy+core`), a profile whose [claims] to use (`.toml`), or what
`fas claims FILE --json` printed for the same answers (`.jsonl`). Without a file of answers, `--data` takes the 50 answers of models that physicians judged in K-QA.

One table: a column a method, means over answers with 95% percentile bootstrap intervals over answers
(`claims per sentence` and `tokens per claim` are ratios of sums). The faults are those of
`benchmarks.claims.faults`; read there what they mean and what they do not.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import math
import random
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from fas.claims.core import apply_filter
from benchmarks.claims.faults import FAULTS, Findings, detect
from fas.claims.entailment import ClaimEntailment, NliEntailment
from fas.claims.checkworthiness import is_question
from fas.claims.llm.units import answer_units
from fas.report.claim_faults import inspect_claims
from fas.scoring.verdicts.isolation import isolate_errors
from fas.core.answers.files import BadLine, read_answers
from fas.core.parts import extractors
from fas.core.profile import load_profile
from fas.core.records import Answer, Claim, MetricSummary
from fas.reference.tokenizers import Tokenizer, load_tokenizer
from fas.text.sentences import sentence_spans
from fas.scoring.factuality import Ratios, summaries

JUDGED = "eval/kqa/NLI_medical_annotator.csv.gz"
BEFORE = 3


class Extraction(NamedTuple):
    """The claims of one method; an answer it failed on is None."""

    signature: str
    claims: list[list[Claim] | None]


class SentenceClaims:
    """The baseline: every sentence of the answer that is no question is a claim, as it stands."""

    signature = "sentences"

    def extract(self, answers: Sequence[Answer]) -> list[list[Claim]]:
        """The sentences of each answer."""
        return [
            [Claim(*unit) for unit in answer_units(answer.prediction) if not is_question(unit.text)]
            for answer in answers
        ]


def judged_answers(data: Path, n: int, seed: int) -> list[Answer]:
    """At most *n* of the 50 answers of GPT-4, GPT-3.5, Bard and AskK that physicians judged in K-QA, drawn at random."""
    with gzip.open(data / JUDGED, "rt", encoding="utf-8", newline="") as lines:
        rows = {(row["llm_x"], row["Question"]): row["answer"] for row in csv.DictReader(lines)}
    drawn = random.Random(seed).sample(sorted(rows), min(n, len(rows)))
    return [
        Answer(f"{model}/{number}", rows[model, question], question) for number, (model, question) in enumerate(drawn)
    ]


def claims_from_file(path: Path, answers: Sequence[Answer]) -> list[list[Claim] | None]:
    """What `fas claims --json` printed, in the order of *answers*."""
    found: dict[str, list[Claim] | None] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        failed = record.get("error") is not None
        found[str(record["id"])] = None if failed else [Claim(**claim) for claim in record["claims"]]
    missing = [answer.id for answer in answers if answer.id not in found]
    if missing:
        raise SystemExit(f"{path}: no claims for {len(missing)} of {len(answers)} answers, first {missing[0]!r}")
    return [found[answer.id] for answer in answers]


def extraction(what: str, answers: Sequence[Answer]) -> Extraction:
    """The claims of one method."""
    if what.endswith(".jsonl"):
        return Extraction(what, claims_from_file(Path(what), answers))
    name, plus, narrowed = what.partition("+")
    if what.endswith(".toml"):
        spec = load_profile(what).claims
        extractor = extractors.create(spec.name, **spec.options)
    elif name == "sentences":
        extractor = apply_filter(SentenceClaims(), narrowed or "none")
    else:
        extractor = extractors.create(name, **({"filter": narrowed} if plus else {}))
    outcomes = isolate_errors(extractor.extract, answers)
    return Extraction(extractor.signature, [None if isinstance(o, Exception) else o for o in outcomes])


def measure(
    claims: Sequence[list[Claim] | None], answers: Sequence[Answer], entailment: ClaimEntailment | None, seed: int
) -> dict[str, MetricSummary]:
    """Every measure of one method, with intervals over answers."""
    filled = [several or [] for several in claims]
    alone = detect(filled, answers, entailment)
    wider = detect(filled, answers, entailment, before=BEFORE) if entailment is not None else None
    tokens = load_tokenizer("treebank")
    rows = []
    for number, (several, answer) in enumerate(zip(claims, answers, strict=True)):
        found = (alone[number], wider[number] if wider else None)
        rows.append({} if several is None else _cells(several, answer, *found, tokens))
    names = list(dict.fromkeys(name for row in rows for name in row))
    cells = np.array([[row.get(name, (0.0, 0.0)) for name in names] for row in rows], dtype=float)
    scores = Ratios(tuple(names), cells[:, :, 0], cells[:, :, 1])
    return summaries(scores, seed=seed)


def _cells(
    claims: Sequence[Claim], answer: Answer, alone: Findings, wider: Findings | None, tokens: Tokenizer
) -> dict[str, tuple[float, float]]:
    """Numerator and denominator of every measure of one answer."""
    read = [claim for claim in claims if claim.failure is None]
    failed = len({(claim.start, claim.end) for claim in claims if claim.failure is not None})
    sentences = len(sentence_spans(answer.prediction))
    whole = not failed  # else nobody knows how many claims there are
    row = {
        "claims per answer": _mean(len(read) if whole else math.nan),
        "claims per sentence": (len(read), sentences) if whole else (0.0, 0.0),
        "tokens per claim": (sum(len(tokens(claim.text)) for claim in read), len(read)),
        "answers without a claim": _mean(float(not read) if whole else math.nan),
        "sentences that failed": (failed, sentences),
    }
    row |= {fault.replace("_", " "): _mean(alone.rate(fault)) for fault in FAULTS}
    if wider is not None:
        row[f"not entailed, {BEFORE} sentences before included"] = _mean(wider.rate("not_entailed"))
    free = [not found for found in alone.faults]
    row["no fault found"] = _mean(sum(free) / len(free) if free else math.nan)
    row["claims without a fault per answer"] = _mean(sum(free) if whole else math.nan)
    row["statements without a claim per answer"] = _mean(
        len(inspect_claims(read, answer).omitted) if whole else math.nan
    )
    return row


def _mean(value: float) -> tuple[float, float]:
    return (0.0, 0.0) if math.isnan(value) else (float(value), 1.0)


def table(results: dict[str, dict[str, MetricSummary]]) -> str:
    """The results as Markdown."""
    names = list(dict.fromkeys(name for metrics in results.values() for name in metrics))
    lines = [f"| measure | {' | '.join(results)} |", "|---|" + "---|" * len(results)]
    for name in names:
        cells = []
        for metrics in results.values():
            one = metrics.get(name)
            if one is None:
                cells.append("-")
            elif math.isnan(one.low):
                cells.append(f"{one.mean:.3g}")
            else:
                cells.append(f"{one.mean:.3g} [{one.low:.3g}, {one.high:.3g}]")
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("arguments", nargs="+", metavar="[ANSWERS] METHOD", help="answers (a file), then methods")
    parser.add_argument("--data", type=Path, help="development data: the judged answers of K-QA instead of a file")
    parser.add_argument("--n", type=int, default=50, help="how many of them")
    parser.add_argument("--nli", default="fas-nli-mini", help="NLI model; `none` for the rules alone")
    parser.add_argument("--seed", type=int, default=12345, help="of the draw of answers and of the bootstrap")
    parser.add_argument("--out", type=Path, help="where to write every number as JSON")
    options = parser.parse_args()
    methods = list(options.arguments)
    if options.data is not None:
        answers = judged_answers(options.data, options.n, options.seed)
        origin = f"K-QA, answers judged by physicians, {len(answers)} drawn, seed {options.seed}"
    else:
        origin = methods.pop(0)
        answers = [answer for answer in read_answers(Path(origin)) if not isinstance(answer, BadLine)]
    if not methods:
        parser.error("name at least one method")
    entailment = None if options.nli == "none" else NliEntailment(model=options.nli, precision="fp32")
    results: dict[str, dict[str, MetricSummary]] = {}
    about: dict[str, Any] = {}
    for method in methods:
        label, _, what = method.rpartition("=")
        done = extraction(what, answers)
        results[label or what] = measure(done.claims, answers, entailment, options.seed)
        about[label or what] = {
            "signature": done.signature,
            "answers_failed": sum(several is None for several in done.claims),
        }
        print(label or what, json.dumps(about[label or what]), file=sys.stderr)
    print(f"{len(answers)} answers: {origin}; entailment: {entailment.signature if entailment else 'none'}\n")
    print(table(results))
    if options.out:
        content = {
            "answers": origin,
            "n": len(answers),
            "entailment": entailment.signature if entailment else None,
            "methods": {
                label: {**about[label], "metrics": {name: _plain(one) for name, one in metrics.items()}}
                for label, metrics in results.items()
            },
        }
        options.out.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


def _plain(one: MetricSummary) -> dict[str, float | int | str | None]:
    fields = one._asdict().items()
    return {name: None if isinstance(value, float) and math.isnan(value) else value for name, value in fields}


if __name__ == "__main__":
    main()
