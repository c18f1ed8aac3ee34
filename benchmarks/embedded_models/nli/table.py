"""Print the results of `measure.py` as the Markdown table of `../README.md`.

python table.py results.json [--beside general.json]
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

ROWS = (
    ("snli_test", "bare", "accuracy"),
    ("ling_in_loop_val", "bare", "accuracy"),
    ("ling_in_loop_new", "bare", "accuracy"),
    ("anli_dev", "bare", "accuracy"),
    ("healthver_test", "verifier", "macro_f1"),
    ("nli4ct_test", "verifier", "accuracy"),
    ("nli4ct_rest", "verifier", "accuracy"),
    ("scifact", "verifier", "macro_f1"),
    ("kqa_physicians", "verifier", "macro_f1"),
    ("citation_integrity_test", "verifier", "auroc_support"),
    ("words_by_hand", "verifier", "accuracy"),
    ("numbers_by_hand", "verifier", "accuracy"),
    ("numbers_new_by_hand", "verifier", "accuracy"),
    ("numbers_newer_by_hand", "verifier", "accuracy"),
    ("one_group_by_hand", "verifier", "accuracy"),
    ("small_words_by_hand", "verifier", "accuracy"),
    ("lists_by_hand", "verifier", "accuracy"),
)


def cell(result: dict, task: str, how: str, metric: str) -> str:
    """A value with its interval, or a dash."""
    found = result.get(task, {}).get(how, {}).get(metric)
    return f"{found[0]:.3f} [{found[1]:.3f}, {found[2]:.3f}]" if found else "–"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path)
    parser.add_argument("--beside", type=Path, help="results of another model, for a column of its own")
    options = parser.parse_args()
    own = json.loads(options.results.read_text())
    other = json.loads(options.beside.read_text()) if options.beside else {}
    print("| set | n | measure | fas-nli-mini | cross-encoder alone | general pairs only | word overlap | majority |")
    print("|---|--:|---|---|---|---|---|--:|")
    for task, how, metric in ROWS:
        if task not in own:
            continue
        alone = cell(own, task, "bare", metric) if how == "verifier" else "(the same)"
        majority = f"{own[task][how]['majority_accuracy']:.3f}" if metric == "accuracy" else "–"
        print(
            f"| {task} | {own[task][how]['n']} | {metric} | {cell(own, task, how, metric)} | {alone} | "
            f"{cell(other, task, how, metric)} | {cell(own, task, 'overlap', metric)} | {majority} |"
        )
    print("\n| AUROC of P(support) | fas-nli-mini | word overlap | untrained trunk |\n|---|---|---|---|")
    for task, how, _ in ROWS:
        if task in own:
            cells = (cell(own, task, source, "auroc_support") for source in (how, "overlap", "trunk"))
            print(f"| {task} | {' | '.join(cells)} |")
    print("\n| made pairs, test documents | n | right at 0.7 |\n|---|--:|--:|")
    for kind, found in own.get("perturbation_recall@0.7", {}).items():
        print(f"| {kind} | {found['n']} | {found['right']:.2f} |")


if __name__ == "__main__":
    main()
