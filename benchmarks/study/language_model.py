"""The tables of the five papers with one language model on one machine, beside the papers' numbers.

    python -m benchmarks.study.language_model MODEL --base-url URL -o runs/language-model --budget-minutes 60

Runs `fas` commands cell by cell, most telling first, each on a small sample with a fixed seed, and stores what came of
them in language_model.json, of which language_model.md is made. Replies and runs are kept, so that the same command goes
on where it stopped; a cell that the budget left out is listed with what it would take. `--only CELL` runs one.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from benchmarks.detectors.members import write_inputs
from benchmarks.study.experiments import Setting
from benchmarks.study.printed import printed

from fas.bench import benchmark
from fas.bench.files import data_folder
from fas.bench.prepare import slug
from fas.core.profile import load_profile, profile_text
from fas.report.tables import interval, number

HERE = Path(__file__).resolve().parent
STORED = HERE / "language_model.json"
SEED = 12345
ANSWERS = HERE.parents[1] / "examples" / "answers.jsonl"
# Two requests at once and a long time-out: a small server on one core. Otherwise the papers' profiles.
PATIENCE = "concurrency = 2\ntimeout_s = 900.0\nretry_budget_s = 3600.0\nstream = true\n"
CLAIMS = '[claims]\nname = "{}"\n[verify]\nname = "{}"\nthreshold = 0.5\n'
PROFILES = {
    "judge": '[detect]\nname = "judge"\n',
    "embedded": "",
    "mini": profile_text("mini"),
    "rafe": CLAIMS.format("sentences", "rafe") + '[evidence]\nsource = "passages"\nk = 3\n',
    **{
        f"{claims}-{verify}": CLAIMS.format(claims, verify) + "[evidence]\nk = 1\n"
        for claims in ("factscore", "medscore", "veriscore", "dnd")
        for verify in ("internal", "provided", "retrieved", "dnd")
    },
}
# What the papers print, and our names of it: the study's tables 1 to 3, MedScore's tables 2 and 4, the detectors' table 1 (mental health, prenatal care).
STUDY = ((1, "rougeL", "rougeL"), (2, "support", "support@5"), (2, "contra", "contra@5"), (3, "fas", "fas"))
COUNTS = ("claims_per_answer", "claims_per_sentence", "zero_claim_rate")
MEDSCORE = {
    "factscore": ("28.60", "4.24", "0", ".320 to .843", ".809"),
    "medscore": ("11.94", "1.77", "0", ".765 to .956", ".947"),
    "veriscore": ("3.87", "0.57", ".147", ".772 to .943", ".944"),
}
DETECTORS = {
    "judge": ".435, .405 (8B); .466, .486 (GPT-5)",
    "claims": "-",
    "both": ".519, .518 (12 members)",
    "flag everything": ".431, .424",
}
HEAD = """# The papers' tables with a language model of 1.5 billion parameters

`{model}` on one core, every cell end to end by the commands of [docs/papers](../../docs/papers/index.md), beside what the
papers print of models at least five times as large. Other models, other samples, other evidence: agreement is no replication, and a difference
no refutation. The page shows that the methods run, what they cost, and how wide intervals of so few answers are. Twenty
answers a cell, five where a decomposer or RAFE reads every sentence (about seven requests an answer and one more a claim, ten minutes a cell), so that
some have no interval. Gold of section 5.3 is judged by the verifier that scores. Brackets: 95% interval.
Written by `benchmarks/study/language_model.py`."""

TABLES_4_AND_5 = "the study's tables 4 and 5 (`fas bench ablations`: no model, minutes of a processor)"
Rows = Iterator[list[Any]]


def row(table: str, what: str, paper: str, one: dict[str, Any]) -> list[Any]:
    """A number of a paper beside ours: table, what is measured, what the paper prints, and ours with limits and n."""
    value = next(one[name] for name in ("mean", "difference", "value") if name in one)
    return [table, what, paper, value, one.get("low"), one.get("high"), one["n"]]


class Study:
    """Runs `fas` for one model.

    Args:
        model: Its name at the server.
        url: The server's address.
        out: Folder of the runs.
    """

    def __init__(self, model: str, url: str, out: Path) -> None:
        self.model, self.url, self.out = model, url, out
        self.signatures: dict[str, str] = {}
        out.mkdir(parents=True, exist_ok=True)
        for name, text in PROFILES.items():
            asks = "[llm]\n" if name in ("embedded", "mini") else f'[llm]\nmodel = "{model}"\nbase_url = "{url}"\n'
            (out / f"{name}.toml").write_text(text + asks + PATIENCE, encoding="utf-8")

    def fas(self, *words: object) -> str:
        """What a command prints; one that fails ends the study."""
        print("fas", *words, file=sys.stderr, flush=True)
        done = subprocess.run(
            [sys.executable, "-m", "fas", *map(str, words)], stdout=subprocess.PIPE, text=True, check=True
        )
        return done.stdout

    def profile(self, name: str) -> list[object]:
        """The option that names one of `PROFILES`."""
        return ["--profile", self.out / f"{name}.toml"]

    def report(self, folder: Path) -> dict[str, Any]:
        """The report of a scored folder, whose signature is kept."""
        found: dict[str, Any] = json.loads((folder / "report.json").read_text(encoding="utf-8"))
        self.signatures[str(folder.relative_to(self.out))] = found["signature"]
        return found

    def generated(self, name: str, *more: object, n: int) -> Path:
        """Answers of the model to *n* questions, scored by `mini`; their folder."""
        out = self.out / f"{name}-generated"
        asked = ["--generate", f"openai:{self.model}", "--base-url", self.url, *self.profile("mini")]
        self.fas("bench", "run", name, "-o", out, "--limit", n, "--max-new-tokens", 192, *asked, *more, "--no-safety")
        return out / slug(self.model)

    def judged(self, claims: str, verify: str, *, n: int) -> Path:
        """AskDocsAI's first answers by a decomposer and a verifier of the model; their folder."""
        out = self.out / f"askdocs-{claims}-{verify}"
        self.fas("bench", "run", "askdocs", "-o", out, "--limit", n, *self.profile(f"{claims}-{verify}"), "--no-tables")
        (folder,) = (path.parent for path in out.glob("*/report.json"))
        self.report(folder)
        return folder


def study_tables(study: Study, name: str, title: str, *more: object, n: int = 20) -> Rows:
    """Tables 1 to 3 of the study on one set."""
    metrics = study.report(study.generated(name, *more, n=n))["metrics"]
    for table, key, metric in STUDY:
        if models := printed()[key].get(title):
            values = [value[0] for model, value in models.items() if model != "PubMedBERT"]
            paper = f"{min(values):.3f} to {max(values):.3f} (7B, 13B)"
            yield row(f"FAS, {table}", f"{title}: {metric}", paper, metrics[metric])


def medlfqa(study: Study) -> Rows:
    """Also section 5.3: correlations with gold, which the verifier that scores judges."""
    yield from study_tables(study, "medlfqa", "MedLFQA", "--passages", "references")
    folder = study.out / "medlfqa-generated" / slug(study.model)
    found = json.loads(study.fas("results", "correlate", folder, folder / "gold.jsonl", "--json"))["metrics"]
    for metric, paper in {"fas": ".68", "support@5": ".61", "rougeL": ".41", "bleu4": ".36"}.items():
        yield row("FAS, 5.3", f"MedLFQA: Spearman's rho of {metric} with gold", paper, found[metric]["spearman"])


def medscore(study: Study, claims: str, n: int = 5) -> Rows:
    """MedScore's tables 2 and 4 on AskDocsAI."""
    *counts, internal, provided = MEDSCORE[claims]
    for verify, paper in (("internal", internal), ("provided", provided)):
        folder = study.judged(claims, verify, n=n)
        metrics = json.loads(study.fas("results", "factuality", folder, "--json"))["runs"][0]["metrics"]
        for metric, one in zip(COUNTS, counts, strict=True) if verify == "internal" else ():
            yield row("MedScore, 2", f"`{claims}`: {metric}", one, metrics[metric])
        yield row("MedScore, 4", f"`{claims}`: factuality, `{verify}`", paper, metrics["factuality"])


def dndscore(study: Study, n: int = 5) -> Rows:
    """DnDScore's tables 2 and 3 on our example answers with their passages."""
    source = study.out / "examples.jsonl"
    source.write_text("".join(ANSWERS.read_text(encoding="utf-8").splitlines(keepends=True)[:n]), encoding="utf-8")
    folders = [study.out / f"dnd-{verify}" for verify in ("retrieved", "dnd")]
    for folder in folders:
        study.fas("score", source, "-o", folder, *study.profile(folder.name), "--no-safety")
        study.report(folder)
    found = json.loads(study.fas("results", "factuality", *folders, "--entailment", "mini", "--json"))
    first, second = (run["metrics"] for run in found["runs"])
    yield row("DnDScore, 2", "DecompScore of subclaims", ".961", first["decompscore_share"])
    yield row("DnDScore, 2", "subclaims an answer", "36.03", first["claims_per_answer"])
    yield row("DnDScore, 3", "subclaims by FActScore's question (`retrieved`)", ".359, .704", first["factuality"])
    yield row("DnDScore, 3", "subclaims with their longer form (`dnd`)", ".516, .908", second["factuality"])


def fact_check_then_rag(study: Study, n: int = 20) -> Rows:
    """LEAF's tables 2 and 3 on yes/no questions of MIRAGE's BioASQ part, the check by the embedded verifier at 0.7."""
    drawn, questions, out = (study.out / name for name in ("drawn.jsonl", "yesno.jsonl", "revise"))
    study.fas("bench", "questions", "mirage", "--subset", "bioasq", "--limit", n, "-o", drawn)
    right = {item.id: item.meta["decision"] for item in benchmark("mirage").items(data_folder(None))}
    with questions.open("w", encoding="utf-8") as file:
        for one in map(json.loads, drawn.read_text(encoding="utf-8").splitlines()):
            answer = {"yes": "A", "no": "B"}[right[one["id"]]]
            file.write(json.dumps({**one, "options": {"A": "yes", "B": "no"}, "answer": answer}) + "\n")
    asked = ["--generate", study.model, "--generate-url", study.url, "--max-new-tokens", 192, "--max-documents", 5]
    study.fas(
        "revise", questions, "-o", out, *asked, *study.profile("embedded"), "--trigger", "unsupported", "--no-safety"
    )
    study.report(out / "round-0")
    found = json.loads((out / "report.json").read_text(encoding="utf-8"))
    yield row("LEAF, 2", "BioASQ: right at first", ".806 (70B), .743 (8B)", found["before"]["right"])
    cut = found["stops"].get("failed", 0)  # what was cut off leaves the answer before
    after = f"BioASQ: right after fact-check-then-RAG ({cut} second answers cut off)"
    yield row("LEAF, 2", after, ".879 (70B)", found["after"]["right"])
    yield row("LEAF, 2", "BioASQ: gain", "+.073 (70B)", found["differences"]["right"])
    for which in ("first", "all"):
        mean = {"mean": found["tokens"][which], "n": found["n"]}
        yield row("LEAF, 3", f"generated tokens a question, {which} answers", "-", mean)


def rafe(study: Study, n: int = 5) -> Rows:
    """LEAF's table 9: whether the check agrees with right answers, here GPT-3.5's."""
    out, asked = study.out / "rafe", ["--subset", "bioasq", "--models", "gpt-35-turbo-16k/cot", "--limit", n]
    study.fas("bench", "run", "mirage", "-o", out, *asked, *study.profile("rafe"), "--no-tables", "--no-safety")
    folder = out / slug("gpt-35-turbo-16k/cot")
    yield row("LEAF, 9", "RAFE: statements supported", "-", study.report(folder)["metrics"]["support@3"])
    (found,) = json.loads(study.fas("results", "align", folder, "--json"))["runs"]
    for name, paper in (("all supported", ".60"), ("always right", ".806 (derived)")):
        yield row("LEAF, 9", f"BioASQ: alignment, {name}", paper, found["decisions"][name]["alignment"])


def detectors(study: Study, n: int = 10) -> Rows:
    """Table 1 of the paper on detectors: a judge, embedded claims and both, on answers made false by rule."""
    out, mini = study.out / "detectors", load_profile("mini")
    out.mkdir(exist_ok=True)
    answers, gold = write_inputs(Setting(data_folder(None), out / "shared", mini, mini, n, None, SEED), "bioasq", out)
    judge, claims, both = (out / name for name in ("judge", "claims", "both"))
    study.fas("detect", "run", answers, "-o", judge, *study.profile("judge"))
    study.fas("score", answers, "-o", claims, "--no-safety")
    study.report(claims)
    study.fas("detect", "combine", judge, claims, "-o", both, "--threshold", 0.3)
    study.report(both)
    found = json.loads(study.fas("detect", "eval", judge, claims, both, "--gold", gold, "--threshold", 0.3, "--json"))
    for name, paper in DETECTORS.items():
        yield row("Detectors, 1", f"F1 of answers: {name}", paper, found["answers"]["rows"][name]["f1"])


# What each cell takes with a model that reads 33 tokens a second and writes 13, and what runs it.
CELLS: dict[str, tuple[str, Callable[[Study], Rows]]] = {
    "bioasq": ("20 requests, 5 minutes", lambda s: study_tables(s, "bioasq", "BioASQ")),
    "detectors": ("20 requests, 6 minutes", detectors),
    "revise": ("40 requests, 10 minutes", fact_check_then_rag),
    "dndscore": ("60 requests, 6 minutes", dndscore),
    "pubmedqa": ("20 requests, 5 minutes", lambda s: study_tables(s, "pubmedqa", "PubMedQA")),
    "factscore": ("170 requests, 11 minutes", lambda s: medscore(s, "factscore")),
    "medscore": ("170 requests, 15 minutes", lambda s: medscore(s, "medscore")),
    "medlfqa": ("20 requests, 6 minutes", medlfqa),
    "rafe": ("25 requests, 8 minutes", rafe),
    "veriscore": ("100 requests, 10 minutes", lambda s: medscore(s, "veriscore")),
}


def pages() -> dict[Path, str]:
    """The page of the stored results."""
    return {STORED.with_suffix(".md"): page(json.loads(STORED.read_text(encoding="utf-8")))}


def page(found: dict[str, Any]) -> str:
    """The results as Markdown."""
    lines = [HEAD.format(**found), "", "| Paper, table | What | Paper | Here | Answers |", "|---|---|---|--:|--:|"]
    for cell in found["cells"].values():
        for table, what, paper, value, low, high, n in cell["rows"]:
            limits = "" if low is None or high is None else f" {interval(low, high)}"
            lines.append(f"| {table} | {what} | {paper} | {'-' if value is None else number(value)}{limits} | {n} |")
    left = [f"`{name}` ({takes})" for name, (takes, _) in CELLS.items() if name not in found["cells"]]
    lines += [
        "",
        f"Not run: {'; '.join([*left, TABLES_4_AND_5])}.",
        "",
        "| Cell | Minutes of the longest start | Signatures |",
        "|---|--:|---|",
    ]
    for name, cell in found["cells"].items():
        signatures = "<br>".join(f"`{one.replace('|', ' ')}`" for one in cell["signatures"].values())
        lines.append(f"| `{name}` | {cell['minutes']:.0f} | {signatures} |")
    return "\n".join([*lines, ""])


def main() -> None:
    """Run what the budget allows, store and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("--base-url", required=True)
    parser.add_argument("-o", "--out", type=Path, required=True)
    parser.add_argument("--budget-minutes", type=float, default=60.0)
    parser.add_argument("--only", help="names of cells, by commas")
    options = parser.parse_args()
    study, began = Study(options.model, options.base_url, options.out), time.monotonic()
    for name, (_, run) in CELLS.items():
        since = time.monotonic()
        if name not in (options.only or name).split(",") or since - began > 60 * options.budget_minutes:
            continue
        study.signatures = {}
        cell = {"rows": list(run(study)), "signatures": study.signatures, "minutes": (time.monotonic() - since) / 60}
        result: dict[str, Any] = json.loads(STORED.read_text(encoding="utf-8")) if STORED.exists() else {"cells": {}}
        result["model"] = options.model
        if name in result["cells"]:  # a resumed run is short
            cell["minutes"] = max(cell["minutes"], result["cells"][name]["minutes"])
        result["cells"][name] = cell
        STORED.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
        for path, text in pages().items():
            path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
