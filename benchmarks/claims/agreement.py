"""Sentences or claims? How FAS follows gold with today's claims, with whole sentences, and with each part of the rules off.

Run from the root of the checkout:

    python -m benchmarks.claims.agreement --data DATA            # sentences against claims: agreement.json, README.md
    python -m benchmarks.claims.agreement --data DATA --parts 200    # and every part of `benchmarks.claims.parts` off

Gold at hand: MIRAGE's explanations (right or wrong decision; AUROC), expert answers of BioASQ of which a known share was
made false (Spearman), the fifty K-QA answers whose statements three physicians judged (Spearman), and Factcheck-Bench
(share of true claims of an answer, Spearman; a sentence with a claim that people called false, AUROC). The verifier is
that of the profile `mini`, evidence goes with the answers, references are left out, so that nothing differs but the
claims. Differences are paired over the same answers, whole questions are drawn, intervals are 95%.
"""

from __future__ import annotations

import argparse
import gzip
import json
import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.claims.parts import PARTS, without
from benchmarks.stored import processor
from benchmarks.study.experiments import Material, Setting, corruption, kqa, mirage
from benchmarks.tables import estimate, filled, write
from fas._version import __version__
from fas.pipeline.runs.scorer import Scorer
from fas.bench.dataset import Item
from fas.claims.extractor import SpacyClauses
from fas.core.profile import load_profile
from fas.core.records import Answer, AnswerScore
from fas.stats.coefficients import auroc, coefficient
from fas.stats.correlation import complete, weigh_units, resample_statistic
from fas.stats.draws import FloatArray, Resampling
from fas.stats.intervals import statistic_interval

HERE = Path(__file__).parent
STORED = HERE / "agreement.json"
LABELLED = "eval/factcheck_bench/factcheck-GPT-benchmark.jsonl.gz"
SCORES = ("fas_evidence", "support")


@dataclass
class Sample:
    """Answers with gold.

    Attributes:
        answers: What is scored.
        questions: The question of each answer.
        golds: Name of a gold to its value for each answer.
        sentences: Place and gold of labelled sentences of each answer, if there are any.
    """

    answers: list[dict[str, Any]] = field(default_factory=list)
    questions: list[str] = field(default_factory=list)
    golds: dict[str, list[float]] = field(default_factory=dict)
    sentences: list[list[tuple[int, int, bool]]] = field(default_factory=list)

    def add(self, answer: dict[str, Any], question: str, golds: Mapping[str, float]) -> None:
        """One more answer."""
        self.answers.append({"id": str(len(self.answers)), **answer})
        self.questions.append(question)
        for name, value in golds.items():
            self.golds.setdefault(name, []).append(value)

    def first(self, n: int) -> Sample:
        """The first *n* answers."""
        golds = {name: values[:n] for name, values in self.golds.items()}
        return Sample(self.answers[:n], self.questions[:n], golds, self.sentences[:n])

    def only(self, numbers: Sequence[int]) -> Sample:
        """Some of the answers, without gold."""
        return Sample([self.answers[n] for n in numbers])


def samples(data: Path, work: Path, sizes: Mapping[str, int], seed: int) -> dict[str, Sample]:
    """Every sample by name."""
    profile = load_profile("mini")

    def made(make: Callable[[Setting], Material], limit: int | None, golds: Sequence[str]) -> Sample:
        material = make(Setting(data, work, profile, profile, limit=limit, seed=seed))
        sample = Sample()
        for candidate in material.candidates:
            item = material.items[candidate.item]
            given = _passages(item, material.passages)
            values = {name: candidate.gold if name == "gold" else candidate.meta.get(name) for name in golds}
            if "no_hallucination" in values:
                values["no_hallucination"] = 1.0 - candidate.meta["hallucination"]
            answer = {"question": item.question, "prediction": candidate.text, "passages": given}
            sample.add(answer, item.id, {k: math.nan if v is None else float(v) for k, v in values.items()})
        return sample

    return {
        "MIRAGE": made(mirage("own"), sizes["mirage"], ("gold",)),
        "corrupted": made(corruption, sizes["corrupted"], ("gold",)),
        "K-QA": made(kqa, None, ("comprehensiveness", "no_hallucination", "gold")),
        "Factcheck-Bench": labelled(data / LABELLED, sizes["labelled"]),
    }


def _passages(item: Item, source: str) -> list[str]:
    if source == "references":
        return list(item.references)
    return [passage.text for passage in item.passages or ()]


def labelled(path: Path, limit: int) -> Sample:
    """Answers of which every claim was labelled by people; the evidence people and a search engine found for them."""
    sample = Sample()
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            if len(sample.answers) == limit:
                break
            record = json.loads(line)
            labels, passages, places = [], [], []
            for sentence in record["sentences"].values():
                known = [label for label in sentence.get("claims_factuality_label") or () if isinstance(label, bool)]
                labels += known
                for several in [sentence.get("human_evidence") or (), *(sentence.get("auto_evidence") or ())]:
                    passages += [text for text in several if isinstance(text, str) and text.strip()]
                at = record["response"].find(sentence["text"].strip())
                if known and at >= 0:
                    places.append((at, at + len(sentence["text"].strip()), all(known)))
            if not labels or not passages:
                continue
            answer = {"question": record["prompt"], "prediction": record["response"]}
            sample.add(
                answer | {"passages": list(dict.fromkeys(passages))},
                record["prompt"],
                {"gold": sum(labels) / len(labels)},
            )
            sample.sentences.append(places)
    return sample


def score(sample: Sample, extractor: Any, seed: int) -> list[AnswerScore]:
    """The answers' scores; nothing but the claims is the extractor's."""
    if not sample.answers:
        return []
    with Scorer("mini", safety=False, claims=extractor, evidence="passages", n_resamples=100, seed=seed) as scorer:
        return list(scorer.score(sample.answers).answers or ())


def columns(sample: Sample, scores: Sequence[AnswerScore]) -> dict[str, tuple[FloatArray, FloatArray, list[str]]]:
    """Score, gold and question of every measure, by its name."""
    found: dict[str, tuple[FloatArray, FloatArray, list[str]]] = {}
    for gold, values in sample.golds.items():
        for name in SCORES:
            measured = np.array([getattr(one, name) for one in scores])
            found[f"{name} with {gold}"] = (measured, np.array(values), sample.questions)
    if sample.sentences:
        cells = [
            (_sentence(one, start, end), float(true), question)
            for one, places, question in zip(scores, sample.sentences, sample.questions, strict=True)
            for start, end, true in places
        ]
        values, golds, questions = zip(*cells, strict=True)
        found["sentences, p_support"] = (np.array(values), np.array(golds), list(questions))
    return found


def _sentence(score: AnswerScore, start: int, end: int) -> float:
    """The lowest probability of support of the claims within a sentence; NaN where it has none."""
    inside = [
        verdict.p_support
        for verdict in score.verdicts
        if verdict.claim.start is not None and verdict.claim.end is not None
        if verdict.claim.start < end and start < verdict.claim.end
        if verdict.label != "unverified"
    ]
    return min(inside) if inside else math.nan


def compare(
    first: tuple[FloatArray, FloatArray, list[str]], second: tuple[FloatArray, FloatArray, list[str]], seed: int
) -> dict[str, Any]:
    """How much better *first* follows gold than *second*, on what both have a score for."""
    (x, y, gold), units, _ = complete({"first": first[0], "second": second[0], "gold": first[1]}, first[2])
    binary = set(np.unique(gold)) <= {0.0, 1.0} and len(set(gold)) == 2 and len(gold) > 60
    of_x, of_y = (
        (auroc(x, gold == 1), auroc(y, gold == 1))
        if binary
        else (coefficient("spearman", x, gold), coefficient("spearman", y, gold))
    )
    everything = np.ones((1, len(gold)))

    def interval(statistic: Callable[[FloatArray], FloatArray], scale: str) -> list[float | None]:
        value = float(statistic(everything)[0])
        draws = resample_statistic(statistic, units, Resampling(2_000, seed=seed))
        limits = statistic_interval(value, draws, weigh_units(statistic, units), units.n, level=0.95, scale=scale)  # type: ignore[arg-type]
        return [None if math.isnan(one) else one for one in (value, limits.low, limits.high)]

    own = "logit" if binary else "fisher"
    return {
        "statistic": "AUROC" if binary else "Spearman",
        "n": len(gold),
        "n_questions": units.n,
        "first": interval(of_x, own),
        "second": interval(of_y, own),
        "difference": interval(lambda counts: of_x(counts) - of_y(counts), "plain"),
        "scored": [int(np.isfinite(first[0]).sum()), int(np.isfinite(second[0]).sum())],
    }


def measure(
    found: Mapping[str, Sample], seed: int, parts: int, stored: Callable[[dict[str, Any]], None]
) -> dict[str, Any]:
    """Everything; with each part of the rules off on the first *parts* answers of every sample. *stored* is told as it grows."""
    result: dict[str, Any] = {"samples": {}, "parts": {}}
    base: dict[str, list[AnswerScore]] = {}
    for name, sample in found.items():
        base[name] = score(sample, SpacyClauses(cache=False), seed)
        whole = score(sample, "sentences", seed)
        by_claims, by_sentences = columns(sample, base[name]), columns(sample, whole)
        result["samples"][name] = {
            "answers": len(sample.answers),
            "claims": sum(len(one.verdicts) for one in base[name]),
            "sentences": sum(len(one.verdicts) for one in whole),
            "without": [sum(not one.verdicts for one in several) for several in (base[name], whole)],
            "measures": {key: compare(by_claims[key], by_sentences[key], seed) for key in by_claims},
        }
        print(name, json.dumps(result["samples"][name]), flush=True)
    stored(result)
    few = {name: sample.first(parts) for name, sample in found.items()} if parts else {}
    for part in PARTS if parts else ():
        changed = 0
        measures: dict[str, Any] = {}
        with without(part):
            for name, sample in few.items():
                off = base[name][: len(sample.answers)]
                before = columns(sample, off)
                other = [n for n, one in enumerate(off) if _claims(sample, n) != _texts(one)]
                for n, one in zip(other, score(sample.only(other), SpacyClauses(cache=False), seed), strict=True):
                    off[n] = one
                changed += len(other)
                after = columns(sample, off)
                for key in before:
                    measures[f"{name}: {key}"] = compare(before[key], after[key], seed)
        result["parts"][part] = {"answers_changed": changed, "measures": measures}
        result["answers_of_parts"] = sum(len(sample.answers) for sample in few.values())
        moved = [key for key, one in measures.items() if _moves(one)]
        print(part, changed, moved, flush=True)
        stored(result)
    return result


def _claims(sample: Sample, number: int) -> list[str]:
    """What the extractor makes of one answer now."""
    made = sample.answers[number]
    answer = Answer(made["id"], made["prediction"], made["question"])
    return [claim.text for claim in SpacyClauses(cache=False).extract([answer])[0]]


def _texts(score: AnswerScore) -> list[str]:
    return [verdict.claim.text for verdict in score.verdicts]


def _moves(one: Mapping[str, Any]) -> bool:
    _, low, high = one["difference"]
    return low is not None and (low > 0 or high < 0)


def page(result: Mapping[str, Any]) -> str:
    """The tables as Markdown."""
    lines = [
        f"Profile `mini`, measured {result['date']} with fas {result['version']} on {result['processor']}: {result['seconds']} s.",
        "",
        "| gold | score | statistic | n (questions) | claims | sentences | claims less sentences |",
        "|---|---|---|--:|--:|--:|--:|",
    ]
    for name, sample in result["samples"].items():
        for key, one in sample["measures"].items():
            score, _, gold = key.partition(" with ")
            lines.append(
                f"| {name}{': ' + gold if gold not in ('', 'gold') else ''} | {score} | {one['statistic']} | "
                f"{one['n']} ({one['n_questions']}) | {estimate(*one['first'])} | {estimate(*one['second'])} | {estimate(*one['difference'], sign=True)} |"
            )
    lines += [
        "",
        "| sample | answers | claims | sentences | answers without a claim | without a sentence |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    for name, sample in result["samples"].items():
        lines.append(
            f"| {name} | {sample['answers']} | {sample['claims']} | {sample['sentences']} | {sample['without'][0]} | {sample['without'][1]} |"
        )
    if result["parts"]:
        lines += [
            "",
            f"One part of the rules off at a time, on {result['answers_of_parts']} of these answers; the difference is all rules less all but that part. A measure is named where its interval leaves out 0.",
            "",
            "| part that is off | answers with other claims | largest difference | differences beyond chance |",
            "|---|--:|--:|---|",
        ]
        for part, found in result["parts"].items():
            largest = max(found["measures"].values(), key=lambda one: abs(one["difference"][0] or 0.0))
            moved = [
                f"{key} {estimate(*one['difference'], sign=True)}"
                for key, one in found["measures"].items()
                if _moves(one)
            ]
            lines.append(
                f"| `{part}` | {found['answers_changed']} | {estimate(*largest['difference'], sign=True)} | {'; '.join(moved) or 'none'} |"
            )
    return "\n".join(lines)


def pages() -> dict[Path, str]:
    """The page with the tables of the stored numbers."""
    return filled(HERE / "README.md", {"agreement": page(json.loads(STORED.read_text(encoding="utf-8")))})


def main(argv: Sequence[str] | None = None) -> None:
    """Measure, store, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=HERE.parents[2] / "shared" / "data", help="folder of the data")
    parser.add_argument(
        "--out", type=Path, default=STORED, help="where the numbers go; the page is made of agreement.json"
    )
    parser.add_argument(
        "--parts", type=int, default=0, help="also with every part of the rules off, on so many answers of each sample"
    )
    parser.add_argument("--stored", action="store_true", help="only write the page from the stored numbers")
    parser.add_argument("--mirage", type=int, default=60, help="questions of MIRAGE (60)")
    parser.add_argument("--corrupted", type=int, default=25, help="expert answers that are corrupted (25)")
    parser.add_argument("--labelled", type=int, default=94, help="answers of Factcheck-Bench (94)")
    parser.add_argument(
        "--work", type=Path, default=Path("runs") / "agreement", help="folder for what is built (runs/agreement)"
    )
    parser.add_argument("--seed", type=int, default=12345)
    options = parser.parse_args(argv)
    if not options.stored:
        began = time.process_time()
        sizes = {name: getattr(options, name) for name in ("mirage", "corrupted", "labelled")}
        found = samples(options.data, options.work, sizes, options.seed)
        about = {
            "sizes": sizes,
            "seed": options.seed,
            "date": datetime.now(UTC).date().isoformat(),
            "version": __version__,
            "processor": processor(),
        }

        def stored(result: dict[str, Any]) -> None:
            content = result | about | {"seconds": round(time.process_time() - began)}
            options.out.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")

        measure(found, options.seed, options.parts, stored)
    if options.out == STORED:
        write(pages())


if __name__ == "__main__":
    main()
