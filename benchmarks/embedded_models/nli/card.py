"""The tables of a model's card from stored results."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

# The measure by which a task is told; the others lie in the results.
MEASURES = ("definite", "accuracy", "auroc_support")
OF_TASK = {"healthver_test": "macro_f1", "kqa_physicians": "auroc_support", "nli4ct_test": "balanced_accuracy"}


def cell(found: Mapping[str, Any] | None, measure: str) -> str:
    """A value with its interval where it has one, or a dash."""
    value = (found or {}).get(measure)
    if not value:
        return "–"
    return f"{value[0]:.3f}" + ("" if value[1] is None else f" [{value[1]:.3f}, {value[2]:.3f}]")


def tables(results: Mapping[str, Any], out_of_fold: Mapping[str, Any], models: list[str]) -> str:
    """Markdown: every task by its measure for each of *models* and the baselines, labels at 0.7, ECE, and SciFact out of fold."""
    columns = [*models, "word overlap", "encoder cosine"]
    lines = [f"| set | n | measure | {' | '.join(columns)} |", "|---|--:|---|" + "---|" * len(columns)]
    for task, by_model in results.items():
        first = next(iter(by_model.values()))
        measure = OF_TASK.get(task) or next(name for name in MEASURES if name in first)
        cells = " | ".join(cell(by_model.get(name), measure) for name in columns)
        lines.append(f"| {task} | {first['n']} | {measure} | {cells} |")
    lines += ["", "| labels at 0.7, macro-F1 (at the best threshold in hindsight) | " + " | ".join(models) + " |"]
    lines.append("|---|" + "---|" * len(models))
    for task, by_model in results.items():
        if "labels" in next(iter(by_model.values())):
            told = [by_model[name]["labels"] for name in models]
            cells = " | ".join(f"{own['macro_f1_at_0.7']:.3f} ({own['best']:.3f} at {own['best_at']})" for own in told)
            lines.append(f"| {task} | {cells} |")
    lines += ["", "| ECE of P(support) | " + " | ".join(models) + " |", "|---|" + "---|" * len(models)]
    for task, by_model in results.items():
        if "ece_support" in next(iter(by_model.values())):
            lines.append(f"| {task} | {' | '.join(cell(by_model[name], 'ece_support') for name in models)} |")
    lines += [
        "",
        "| out of fold | n | macro-F1 | AUROC of support | ECE | labels at 0.7 (best) |",
        "|---|--:|---|---|---|---|",
    ]
    for name, own in out_of_fold.items():
        if isinstance(own, Mapping) and "macro_f1" in own:
            labels = f"{own['labels']['macro_f1_at_0.7']:.3f} ({own['labels']['best']:.3f})"
            measured = [cell(own, measure) for measure in ("macro_f1", "auroc_support", "ece_support")]
            lines.append(f"| {name} | {own['n']} | {' | '.join(measured)} | {labels} |")
    return "\n".join(lines) + "\n"
