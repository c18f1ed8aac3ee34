"""Corrected figures of 150 labels, on answers whose every claim people have labelled.

    python -m benchmarks.adjust.real --data DATA --work runs/adjust     score, draw 200 times, write real.json and README.md
    python -m benchmarks.adjust.real --page                             the page alone

K-QA: three physicians say of 399 statements whether an answer makes them (coverage). FActScore: people say of the facts
of biographies whether Wikipedia supports them; the evidence is what they found true in other systems' biographies.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.people.material import Material, drawn
from benchmarks.people.sets import biography_facts, kqa
from benchmarks.tables import write
from fas.api import score_file
from fas.bench.kqa import read_judged_answers
from fas.labels.adjust import adjust_run
from fas.labels.drawing import draw_claims
from fas.labels.files import Of
from fas.labels.judged import JudgedRun, read_judged
from fas.core.profile import load_profile
from fas.report.tables import json_ready

HERE = Path(__file__).parent
STORED, PAGE = HERE / "real.json", HERE / "README.md"
N_LABELS, N_DRAWS, SEED = 150, 200, 20261125
_COVERED = {"Entailment": "supported", "Neutral": "unsupported", "Contradiction": "contradicted"}
_FIGURES: dict[Of, dict[str, tuple[str, str]]] = {
    "statements": {"coverage": ("supported", "must"), "omitted": ("unsupported", "must")},
    "claims": {"support@5": ("supported", ""), "unsupported@5": ("unsupported", "")},
}
"""Figures with the label that counts and the kind of statement."""


def scored(material: Material, folder: Path, coverage: bool) -> Path:
    """The result folder of *material*; an interrupted call resumes."""
    folder.mkdir(parents=True, exist_ok=True)
    source = folder / "answers.jsonl"
    source.write_text("".join(json.dumps(row) + "\n" for row in material.rows.values()), encoding="utf-8")
    profile = load_profile("mini").override(safety=False, precision="fp32", coverage=coverage)
    score_file(source, folder / "run", profile=profile)
    return folder / "run"


def of_kqa(data: Path, work: Path) -> dict[str, Any]:
    """Coverage of K-QA's judged answers."""
    gold = {
        (f"{i}-{one.model}", " ".join(text.split())): _COVERED[label]
        for i, one in enumerate(read_judged_answers(data))
        for text, label in zip((*one.must_have, *one.nice_to_have), one.labels(), strict=True)
    }
    return measured(scored(kqa(data), work / "kqa", True), "statements", gold)


def of_biographies(data: Path, work: Path) -> dict[str, Any]:
    """Support of biographies' facts; of 40 people."""
    material, gold = biography_facts(data)
    return measured(scored(drawn(material, 75, SEED), work / "biographies", False), "claims", gold)


def measured(folder: Path, of: Of, gold: Mapping[tuple[str, str], str]) -> dict[str, Any]:
    """What draws of labels would have said.

    Args:
        folder: Result folder.
        of: What is labelled.
        gold: Id of the answer and text to label; each verdict has one.
    """
    run = read_judged(folder, of=of)
    labels = {one.key: gold[one.id, " ".join(one.text.split())] for one in run.claims}
    right = float(np.mean([one.verdict == labels[one.key] for one in run.claims]))
    figures: dict[str, dict[str, Any]] = {}
    found: dict[str, list[Any]] = defaultdict(list)
    for seed in range(N_DRAWS):
        with tempfile.TemporaryDirectory() as kept:
            path = Path(kept) / "labels.jsonl"
            with path.open("w", encoding="utf-8") as out:
                for one in draw_claims(run.claims, N_LABELS, seed=seed):
                    row = {"id": one.claim.id, of[:-1]: one.claim.claim, "label": labels[one.claim.key]}
                    out.write(json.dumps({**row, "pi": one.pi, "stratum": one.stratum}) + "\n")
            for name, adjusted in adjust_run(folder, path, metrics=list(_FIGURES[of])).figures.items():
                found[name].append(adjusted)
    for name, (label, kind) in _FIGURES[of].items():
        true, (raw, draws) = (
            _true(run, labels, label, kind),
            (found[name][0].raw, [one.adjusted for one in found[name]]),
        )
        figures[name] = {
            "true": true,
            "raw": raw._asdict(),
            "first": {"value": draws[0].value, "low": draws[0].low, "high": draws[0].high},
            "mean": float(np.mean([one.value for one in draws])),
            "held": float(np.mean([one.low <= true <= one.high for one in draws])),
            "width": float(np.mean([one.width for one in draws])),
        }
    signature = run.results.signature
    return {"n": len(run.claims), "answers": len(run.results.lines), "right": right, "figures": figures,
            "signature": signature}  # fmt: skip


def _true(run: JudgedRun, labels: Mapping[tuple[str, int], str], label: str, kind: str) -> float:
    """The mean over answers of the share of *label*."""
    own: dict[str, list[bool]] = defaultdict(list)
    for one in run.claims:
        if one.kind == kind:
            own[one.id].append(labels[one.key] == label)
    return float(np.mean([np.mean(shares) for shares in own.values()]))


def page(stored: Mapping[str, Mapping[str, Any]]) -> str:
    """The page."""
    lines = [
        "# What 150 labels would have said",
        "",
        "Made by `python -m benchmarks.adjust.real --data DATA` from `real.json`; not edited by hand. The simulation, "
        "where the truth is made, is on [its own page](simulated.md).",
        "",
        f"Of these answers every claim (or statement) was labelled by people. `fas labels` draws {N_LABELS} of them, "
        f"{N_DRAWS} times with other seeds; the labels are people's. True: by all labels. Holds: share of the draws "
        "whose 95% interval holds the true value; above 95% is expected, as the intervals are for new answers and the "
        "true value is that of these.",
        "",
        "| set | figure | by verdicts | 95% interval | true | first draw | 95% interval | mean of draws | holds | width |",
        "|:---|:---|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for name, one in stored.items():
        for figure, row in one["figures"].items():
            raw, first = row["raw"], row["first"]
            lines.append(
                f"| {name} | {figure} | {raw['mean']:.3f} | {raw['low']:.3f} to {raw['high']:.3f} | {row['true']:.3f} | "
                f"{first['value']:.3f} | {first['low']:.3f} to {first['high']:.3f} | {row['mean']:.3f} | "
                f"{100 * row['held']:.1f}% | {row['width']:.3f} |"
            )
    lines.append("")
    for name, one in stored.items():
        lines.append(
            f"- {name}: {one['n']} labels by people, {one['answers']} answers; the verdict is the label on "
            f"{100 * one['right']:.1f}%. `{one['signature']}`"
        )
    return "\n".join(lines) + "\n"


def pages() -> dict[Path, str]:
    """The page of the stored results."""
    return {PAGE: page(json.loads(STORED.read_text(encoding="utf-8")))}


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure unless the page alone is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="folder with the sets, one folder each")
    parser.add_argument("--work", type=Path, default=Path("runs/adjust"), help="folder of the runs")
    parser.add_argument("--page", action="store_true", help="only write the page from what is stored")
    options = parser.parse_args(arguments)
    if not options.page:
        made = {
            "K-QA": of_kqa(options.data, options.work),
            "FActScore's biographies": of_biographies(options.data, options.work),
        }
        STORED.write_text(json.dumps(json_ready(made), indent=1) + "\n", encoding="utf-8")
    write(pages())


if __name__ == "__main__":
    main()
