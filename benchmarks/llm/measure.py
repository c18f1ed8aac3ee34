"""Every method with a real language model, and its verdicts against labels, by word and by log-probability.

    python -m benchmarks.llm.measure MODEL --base-url URL [--pairs N] [--answers N] [--methods NAME,NAME]

Answers are the first ones of examples/answers.jsonl, pairs those of `check_covid` (claims with sentences of journal
abstracts, labelled by experts) in the data that FAS_DATA_DIR names, as many that entail as that do not. Writes benchmarks/llm/MODEL.json and
.md beside this file. What stands there for as many answers or pairs is not measured again, and all replies are kept in
the cache, so that a stopped measurement goes on; tokens are counted only for replies that were sent.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import random
import re
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from fas.core.answers.files import BadLine, read_answers
from fas.llm import RemoteModel
from fas.core.parts import extractors
from fas.core.records import Answer, Case, Claim, Passage
from fas.core.records.as_json import number_or_none
from fas.stats.correlation import auroc_estimate
from fas.verify.llm import ProvidedVerifier

HERE = Path(__file__).resolve().parent
EXAMPLES = HERE.parents[1] / "examples" / "answers.jsonl"
METHODS = ("factscore", "rnd", "medscore", "medscore-general", "veriscore", "dnd")
SEED = 12345


def pairs(n: int) -> list[tuple[str, str, bool]]:
    """*n* pairs of evidence (a few sentences) and claim with whether it entails the claim, half each, by a fixed seed."""
    (file,) = Path(os.environ["FAS_DATA_DIR"]).glob("train/check_covid/check_covid.jsonl.gz")
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        rows = [row for row in map(json.loads, lines) if row["level"] == "evidence"]
    chosen = []
    for wanted in (True, False):
        own = [row for row in rows if (row["label"] == "entailment") is wanted]
        chosen += [(row["premise"], row["hypothesis"], wanted) for row in random.Random(SEED).sample(own, n // 2)]
    return chosen


def of_verdicts(model: RemoteModel, rows: Sequence[tuple[str, str, bool]]) -> dict[str, Any]:
    """How verdicts agree with the labels."""
    verifier = ProvidedVerifier(model=model)
    before, began = model.usage(), time.monotonic()
    judged = verifier.verify_claims([Case(Claim(claim), (Passage(text),)) for text, claim, _ in rows])
    after = model.usage()
    usable = [i for i, one in enumerate(judged) if one.failure is None]
    gold = np.array([rows[i][2] for i in usable])
    p = np.array([judged[i].p_support for i in usable])
    word = p >= 0.5
    return {
        "prompt": verifier.prompt.signature,
        "n": len(rows),
        "usable": len(usable) / len(rows),
        "probabilities": bool(verifier.choices()),
        "accuracy_by_word": float((word == gold).mean()),
        "accuracy_by_threshold_left_one_out": _left_one_out(p, gold),
        "auroc": number_or_none(auroc_estimate(p, gold.astype(float), n_resamples=1).value),
        "calls": after.calls - before.calls,
        "prompt_tokens": after.prompt_tokens - before.prompt_tokens,
        "seconds": time.monotonic() - began,
    }


def of_method(model: RemoteModel, name: str, answers: Sequence[Answer]) -> dict[str, Any]:
    """What taking *answers* apart takes, and how many replies could be used."""
    before, began = model.usage(), time.monotonic()
    extractor = extractors.create(name, model=model)
    claims = [claim for several in extractor.extract(answers) for claim in several]
    without = re.search(r"no claim in (\d+) of", " ".join(getattr(extractor, "notes", list)()))
    after = model.usage()
    asked = after.calls + after.cached - before.calls - before.cached
    failed = [claim for claim in claims if claim.failure is not None]
    return {
        "requests_an_answer": asked / len(answers),
        "prompt_tokens_an_answer": (after.prompt_tokens - before.prompt_tokens) / len(answers),
        "reply_tokens_an_answer": (after.completion_tokens - before.completion_tokens) / len(answers),
        "usable": 1 - len(failed) / max(1, asked),
        "claims": len(claims) - len(failed),
        "no_claim": int(without[1]) if without else 0,
        "why_not": sorted({str(claim.failure).partition(": ")[2][:100] for claim in failed}),
        "seconds": time.monotonic() - began,
    }


def _left_one_out(p: np.ndarray[Any, Any], gold: np.ndarray[Any, Any]) -> float:
    """Accuracy with the threshold that is best on all other pairs."""
    right = []
    for i in range(len(p)):
        rest = np.arange(len(p)) != i
        cuts = np.unique(p[rest])
        best = cuts[int(np.argmax([((p[rest] >= cut) == gold[rest]).mean() for cut in cuts]))]
        right.append((p[i] >= best) == gold[i])
    return float(np.mean(right))


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model")
    parser.add_argument("--base-url", required=True)
    parser.add_argument("--pairs", type=int, default=200)
    parser.add_argument("--answers", type=int, default=5)
    parser.add_argument("--methods", default=",".join(METHODS))
    options = parser.parse_args()
    model = RemoteModel(
        options.model, base_url=options.base_url, concurrency=2, timeout_s=900.0, retry_budget_s=3600.0, stream=True
    )
    answers = [one for one in read_answers(EXAMPLES) if not isinstance(one, BadLine)][: options.answers]
    result: dict[str, Any] = {"model": options.model, "n_answers": len(answers), "verdicts": [], "methods": {}}
    stored = HERE / f"{options.model}.json"
    if stored.exists() and (before := json.loads(stored.read_text(encoding="utf-8")))["n_answers"] == len(answers):
        result = before
    rows = pairs(options.pairs)
    if rows and all(one["n"] != len(rows) for one in result["verdicts"]):
        result["verdicts"].append(of_verdicts(model, rows))
        _write(result)
    for name in filter(None, options.methods.split(",")):
        if name not in result["methods"]:
            result["methods"][name] = of_method(model, name, answers)
            _write(result)


def _write(result: dict[str, Any]) -> None:
    name = str(result["model"])
    (HERE / f"{name}.json").write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    print(table(result), flush=True)
    (HERE / f"{name}.md").write_text(table(result), encoding="utf-8")


def table(result: dict[str, Any]) -> str:
    """The results as Markdown."""
    lines = [f"# {result['model']}", ""]
    if result["verdicts"]:
        lines += [
            "| Prompt | Pairs | Usable | Accuracy by word | by log-probability | AUROC |",
            "|---|---|---|---|---|---|",
        ]
        for one in result["verdicts"]:
            auroc = "-" if one["auroc"] is None else f"{one['auroc']:.3f}"
            lines.append(
                f"| `{one['prompt']}` | {one['n']} | {one['usable']:.0%} | {one['accuracy_by_word']:.3f} | "
                f"{one['accuracy_by_threshold_left_one_out']:.3f} | {auroc} |"
            )
        lines.append("")
    if result["methods"]:
        lines += [
            f"{result['n_answers']} answers of examples/answers.jsonl:",
            "",
            "| Method | Requests an answer | Tokens of prompts | of replies | Usable replies | Sentences without a claim | Claims |",
            "|---|---|---|---|---|---|---|",
        ]
        for name, one in result["methods"].items():
            lines.append(
                f"| `{name}` | {one['requests_an_answer']:.1f} | {one['prompt_tokens_an_answer']:.0f} | "
                f"{one['reply_tokens_an_answer']:.0f} | {one['usable']:.0%} | "
                f"{one.get('no_claim', '-')} | {one['claims']} |"
            )
        lines.append("")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
