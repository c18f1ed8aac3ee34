"""On how many independent texts does each row of the two readers' patterns fire?

Run from the root of the checkout:

    python -m benchmarks.reading.cues --data DATA --out benchmarks/reading/cues.json    # and the table in README.md
    python -m benchmarks.reading.cues --sample 40    # forty annotated answers; the tests run such a sample

A row is one of the tables beside the modules of `fas.claims`, `fas.text.reading` and `fas.safety` (`patterns/*.tsv`), of
`fas/text/reading/cues.tsv`, or one pattern of a row of the rule tables (`safety/rules`). It fires on a text if, while claims
and flags were made of it, its pattern was found and is found with this row alone; a cue and a pattern of the rule
tables, if it is found in the question or the answer. Texts are independent if they answer different questions. Texts:
the annotated answers of `benchmarks/safety`, and of the folder of data stored answers of models and experts (MedLFQA,
MIRAGE, K-QA, AskDocsAI, CaLMQA, Factcheck-Bench). `--rows` prints those that fire on fewer than two; what it would cost
to drop them is measured on texts that did not choose them.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.reading.counting import Counts, Row, counted
from benchmarks.tables import filled, table, write
from fas.bench import benchmark
from fas.claims.extractor import SpacyClauses
from fas.text.reading.cues import TABLE as CUES
from fas.text.reading.cues import read_cues
from fas.text.reading.cues import load_cues as cues
from fas.core.records import Answer
from fas.safety.checker import SafetyChecker
from fas.safety.rules import rule_folder
from fas.safety.tables import read_table
from fas.safety.text import normalise_text

HERE = Path(__file__).parent
SAFETY = HERE.parent / "safety"
ANNOTATED = ("annotated.jsonl", "examples.jsonl", "blind40.jsonl")
TABLES = {"conditions.tsv": "patterns", "boxed_warnings.tsv": "concepts", "allergies.tsv": "words"}
FEWEST = 2
STORED = HERE / "cues.json"


class Text(NamedTuple):
    """An answer, and what it has in common with those that are not independent of it."""

    group: str
    question: str | None
    prediction: str


def annotated() -> Iterator[Text]:
    """The answers written and labelled for the safety flags, each by itself."""
    for name in ANNOTATED:
        for line in (SAFETY / name).read_text(encoding="utf-8").splitlines():
            record = json.loads(line)
            yield Text(
                f"{name}/{record['id']}",
                record.get("question", record.get("q")),
                record.get("prediction") or record["a"],
            )


def stored(data: Path, per_question: int, seed: int) -> Iterator[Text]:
    """Stored answers: at most so many of models to a question, and the experts' own."""
    rng = random.Random(seed)
    for name in ("medlfqa", "mirage", "kqa"):
        bench = benchmark(name)
        items = {item.id: item for item in bench.items(data)}
        several: dict[str, list[str]] = {}
        for candidate in bench.candidates(data):
            if candidate.text.strip() and candidate.item in items:
                several.setdefault(candidate.item, []).append(candidate.text)
        for key, item in items.items():
            texts = several.get(key, [])
            if name != "mirage":
                texts = rng.sample(texts, min(per_question, len(texts))) + list(item.references)
            else:
                texts = rng.sample(texts, min(1, len(texts)))
            for text in texts:
                yield Text(item.question, item.question, text)
    for path, asked, said in (
        ("medscore/AskDocs.jsonl.gz", "question", "response"),
        ("medscore/calmqa_english.jsonl", "question", "response"),
        ("factcheck_bench/factcheck-GPT-benchmark.jsonl.gz", "prompt", "response"),
    ):
        file = data / "eval" / path
        raw = gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()
        for line in filter(None, raw.decode("utf-8").split("\n")):
            record = json.loads(line)
            if record.get(said):
                yield Text(str(record.get(asked) or record[said]), record.get(asked), record[said])


def read(texts: Sequence[Text], counts: Counts, checker: SafetyChecker) -> dict[str, set[str]]:
    """Claims and flags of every text, counted; the texts that each pattern of the tables is found in."""
    patterns = {
        f"{file}/{row['key'] if 'key' in row.cells else row['id']}/{pattern}": re.compile(pattern, re.IGNORECASE)
        for file, column in TABLES.items()
        for row in _rows(rule_folder() / file)
        for pattern in row.many(column, "||")
    }
    found: dict[str, set[str]] = {key: set() for key in patterns}
    cue_of = {row: f"cues.tsv/line {row.line}/{row.cue}" for row in read_cues(CUES)}
    found |= {key: set() for key in cue_of.values()}
    extractor = SpacyClauses(cache=False)
    for text in texts:
        counts.text = text.group
        answer = Answer("1", text.prediction, text.question)
        extractor.extract([answer])
        checker.check([answer])
        plain = f"{normalise_text(text.question or '').plain}\n{normalise_text(text.prediction).plain}"
        for key, pattern in patterns.items():
            if len(found[key]) < FEWEST and pattern.search(plain):
                found[key].add(text.group)
        for hit in cues().hits(plain):
            found[cue_of[hit.cue]].add(text.group)
    return found


def _rows(path: Path) -> Any:
    from fas.safety.tables import SafetyColumn

    header = path.read_text(encoding="utf-8").split("\n", 1)[0].rstrip("\r").split("\t")
    return read_table(path, [SafetyColumn(name) for name in header])


def result(counts: Counts, tables: dict[str, set[str]], n_texts: int, n_groups: int) -> dict[str, Any]:
    """The counts, by module and by table."""
    by_module: dict[str, Counter[str]] = {}
    for row in counts.rows:
        cells = by_module.setdefault(row.module.removeprefix("fas."), Counter())
        cells["rows"] += 1
        cells[_class(len(counts.fired.get(row, ())))] += 1
    for key, texts in tables.items():
        cells = by_module.setdefault(key.split("/")[0], Counter())
        cells["rows"] += 1
        cells["two or more" if len(texts) >= FEWEST else _class(len(texts))] += 1
    return {
        "texts": n_texts,
        "independent": n_groups,
        "modules": {name: dict(cells) for name, cells in sorted(by_module.items())},
        "patterns": {
            "written": len(counts.patterns),
            "that never fired": sum(key not in counts.whole for key in counts.patterns),
        },
        "fired on one": sum(len(texts) == 1 for texts in counts.fired.values()),
        "held out": held_out(counts),
    }


def held_out(counts: Counts, *, n_splits: int = 20, seed: int = 12345) -> dict[str, list[float]]:
    """What dropping rows would cost: rows are chosen on one random half of the texts that fired any, and looked for in the other.

    Returns:
        For `none` and `fewer than two` (texts of the first half that a row fired on): how many of the rows that
        fired anywhere would go, and the share of the other half's texts in which one of these took part in a
        match; means over the splits, then the lowest and highest share.
    """
    groups = sorted(set().union(*counts.fired.values())) if counts.fired else []
    found: dict[str, list[float]] = {}
    for name, fewest in (("none", 1), ("fewer than two", FEWEST)):
        rows, shares = [], []
        for split in range(n_splits):
            order = groups.copy()
            random.Random(seed + split).shuffle(order)
            chosen, other = set(order[: len(order) // 2]), set(order[len(order) // 2 :])
            gone = [texts for texts in counts.fired.values() if len(texts & chosen) < fewest]
            rows.append(len(gone))
            touched = set().union(*gone) & other if gone else set()
            shares.append(len(touched) / len(other) if other else 0.0)
        found[name] = [sum(rows) / n_splits, sum(shares) / n_splits, min(shares), max(shares)]
    return found


def _class(n: int) -> str:
    return "none" if n == 0 else "one" if n == 1 else "two or more"


def few(counts: Counts, tables: dict[str, set[str]]) -> list[dict[str, Any]]:
    """The rows that fire on fewer than two independent texts."""
    found: list[dict[str, Any]] = [
        {"module": module, "line": row.line, "n": len(counts.fired.get(Row(module, row), ())), "row": row.expression}
        for module, row in counts.rows
        if len(counts.fired.get(Row(module, row), ())) < FEWEST
    ]
    return found + [{"row": key, "n": len(texts)} for key, texts in tables.items() if len(texts) < FEWEST]


def page(made: dict[str, Any]) -> str:
    """The counts as Markdown."""
    parts: dict[str, Counter[str]] = {}
    for name, cells in made["modules"].items():
        part = name if name.endswith(".tsv") else name.split(".")[0]
        for key in (part, "all"):
            parts.setdefault(key, Counter()).update(cells)
    total = parts.pop("all")
    parts = {**dict(sorted(parts.items())), "all": total}
    kinds = ("rows", "none", "one", "two or more")
    return "\n\n".join(
        [
            table(
                ("module or table", "rows", "on no text", "on one", "on two or more"),
                [(name, *(cells[kind] for kind in kinds)) for name, cells in parts.items()],
                right=range(1, 5),
            ),
            f"{made['texts']} texts, {made['independent']} of them independent; {made['patterns']['that never fired']} of "
            f"{made['patterns']['written']} whole patterns fired on none.",
            table(
                (
                    "rows chosen on one half of the texts",
                    "rows that would go",
                    "share of the other half's texts that such a row took part in (20 splits: lowest, highest)",
                ),
                [
                    (f"fired on {name}", f"{rows:.0f}", f"{share:.3f} ({low:.3f}, {high:.3f})")
                    for name, (rows, share, low, high) in made["held out"].items()
                ],
                right=(1, 2),
            ),
        ]
    )


def pages() -> dict[Path, str]:
    """The page with the table of the stored counts."""
    return filled(HERE / "README.md", {"cues": page(json.loads(STORED.read_text(encoding="utf-8")))})


def main(argv: Sequence[str] | None = None) -> dict[str, Any]:
    """Count, store, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="folder of the data; without it only the annotated answers are read")
    parser.add_argument("--sample", type=int, help="so many texts of them, drawn at random")
    parser.add_argument("--stored", type=int, default=2000, help="stored answers at most, drawn at random (2000)")
    parser.add_argument("--per-question", type=int, default=2, help="answers of models to a question of MedLFQA (2)")
    parser.add_argument("--out", type=Path, help="where the counts go")
    parser.add_argument("--rows", type=Path, help="where the rows that fire on fewer than two texts go, one a line")
    parser.add_argument("--seed", type=int, default=12345)
    options = parser.parse_args(argv)
    texts = list(annotated())
    if options.data:
        others = list(stored(options.data, options.per_question, options.seed))
        texts += random.Random(options.seed).sample(others, min(options.stored, len(others)))
    if options.sample:
        texts = random.Random(options.seed).sample(texts, options.sample)
    began = time.process_time()
    checker = SafetyChecker(info=True)  # its tables are kept by the process, and their patterns are counted apart
    with counted() as counts:
        tables = read(texts, counts, checker)
    made = result(counts, tables, len(texts), len({text.group for text in texts}))
    made["seconds"] = round(time.process_time() - began)
    if options.out:
        options.out.write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")
        write(pages())
    if options.rows:
        lines = [json.dumps(one, ensure_ascii=False) for one in few(counts, tables)]
        options.rows.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(json.dumps(made))
    return made


if __name__ == "__main__":
    main()
