"""The gates of the claim extractor, on real answers and on short ones: faults and omissions that rules see, claims of a word.

    python -m benchmarks.claims.gates --data DATA --half dev --name today      # stores gates.json, writes README.md

Two halves of 100 answers, parted by the hash of the question: rules are made on `dev`, `test` is only measured. 45 answers are of
MedLFQA's seven models, 30 of MIRAGE, 15 of AskDocsAI, 10 of the models that K-QA's physicians judged. Short answers are exact
answers of BioASQ (92 of each type), echoes are the last two words of a question without a choice, refusals are six of people's.
Run it on two checkouts to compare them: a name is a column.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks.claims.quality import judged_answers
from fas.claims.extractor import SpacyClauses
from fas.report.claim_faults import inspect_claims, stem_content
from fas.core.records import Answer

STORED = Path(__file__).with_name("gates.json")
_OF_EACH = {"medlfqa": 45, "mirage": 30, "askdocs": 15, "kqa": 10}
_SHORT = 92
_REFUSALS = (
    "I don't know.",
    "No answer.",
    "I cannot answer this question.",
    "Not sure.",
    "N/A",
    "I'm sorry, I can't help with that.",
)


def drawn_answers(data: Path, half: str) -> list[Answer]:
    """The 100 answers of a half: one a question, 20 to 400 words."""
    folder, rng, chosen = data / "eval", random.Random(20261129), []
    pools = {
        "medlfqa": [
            (row["question"], row["answer"])
            for name in ("model_samples", "model_samples_from_history")
            for row in _rows(folder / f"medlfqa/predictions/{name}.jsonl.gz")
        ],
        "mirage": [
            (row["question"], row["answer"])
            for row in _rows(folder / "mirage_bioasq_pubmedqa/llm_explanations_with_gold.jsonl.gz")
        ],
        "askdocs": [(row["question"], row["response"]) for row in _rows(folder / "medscore/AskDocs.jsonl.gz")],
        "kqa": [(one.question or "", one.prediction) for one in judged_answers(data, 50, 0)],
    }
    for kind, n in _OF_EACH.items():
        own = [pair for pair in pools[kind] if _half(pair[0]) == half and 20 <= len(pair[1].split()) <= 400]
        rng.shuffle(own)
        one_each = list(dict(reversed(own)).items())
        chosen += [Answer(f"{kind}/{i}", answer, question) for i, (question, answer) in enumerate(one_each[:n])]
    return chosen


def short_answers(data: Path) -> tuple[list[tuple[Answer, list[str]]], list[Answer]]:
    """Exact answers with what each must be found to say, and answers that say nothing."""
    rng, exact, echoes = random.Random(20261129), [], []
    pools: dict[str, list[dict[str, Any]]] = {"yesno": [], "factoid": [], "list": []}
    for path in sorted((data / "eval/mirage_bioasq_pubmedqa").glob("*_golden.json.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as file:
            for question in json.load(file)["questions"]:
                if question["type"] in pools and question.get("exact_answer"):
                    pools[question["type"]].append(question)
    for kind, pool in pools.items():
        for question in rng.sample(pool, _SHORT):
            items = (
                [question["exact_answer"]] if kind == "yesno" else [_first(item) for item in question["exact_answer"]]
            )
            items = items[:1] if kind == "factoid" else items
            answer = Answer(f"{kind}/{len(exact)}", ", ".join(items), question["body"])
            exact.append((answer, [] if kind == "yesno" else items))
    asked = [question["body"].rstrip("? .") for question in pools["factoid"] if " or " not in question["body"]]
    for number, body in enumerate(rng.sample(asked, 45)):
        echoes.append(Answer(f"echo/{number}", " ".join(body.split()[-2:]), f"{body}?"))
    echoes += [Answer(f"refusal/{number}", text, asked[0] + "?") for number, text in enumerate(_REFUSALS)]
    return exact, echoes


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def _half(question: str) -> str:
    digest = hashlib.sha256(" ".join(question.lower().split()).encode()).hexdigest()
    return "test" if int(digest, 16) % 2 else "dev"


def _first(item: Sequence[str] | str) -> str:
    return item if isinstance(item, str) else item[0]


def measure(data: Path, half: str) -> dict[str, float]:
    """Every gate of a half, with the kinds of faults."""
    extractor = SpacyClauses(cache=False)
    faults: Counter[str] = Counter()
    claims, omitted = 0, 0
    answers = drawn_answers(data, half)
    for answer, found in zip(answers, extractor.extract(answers), strict=True):
        quality = inspect_claims(found, answer)
        claims, omitted = claims + len(found), omitted + len(quality.omitted)
        for own in quality.faults:
            faults.update(own or {"none"})
    exact, echoes = short_answers(data)
    said = extractor.extract([answer for answer, _ in exact])
    right = sum(
        bool(found) and all(any(stem_content(item) <= stem_content(claim.text) for claim in found) for item in items)
        for (_, items), found in zip(exact, said, strict=True)
    )
    return {
        "answers": len(answers),
        "claims": claims,
        "no faulty kind": faults.pop("none", 0) / claims,
        **{kind: n / claims for kind, n in sorted(faults.items())},
        "omitted": omitted,
        "short answers with their claims": right,
        "short answers": len(exact),
        "echoes and refusals without a claim": sum(not found for found in extractor.extract(echoes)),
        "echoes and refusals": len(echoes),
    }


def main() -> None:
    """Measure, store and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="development data")
    parser.add_argument("--half", choices=("dev", "test"), default="dev")
    parser.add_argument("--name", required=True, help="column of the table")
    options = parser.parse_args()
    stored = json.loads(STORED.read_text(encoding="utf-8")) if STORED.exists() else {}
    stored[f"{options.name}, {options.half}"] = measure(options.data, options.half)
    STORED.write_text(json.dumps(stored, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(stored, indent=1))


if __name__ == "__main__":
    main()
