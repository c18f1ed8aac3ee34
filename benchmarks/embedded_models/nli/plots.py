"""Draw the card's plots from the predictions that `measure.py` keeps beside its results.

    python plots.py --predictions results.npz --out ../../../fas/models/fas_nli_mini

`reliability.png`: how often pairs with a given P(support) are in fact supported.
`threshold.png`: precision and recall of support and contradiction over thresholds 0.5 to 0.9.
Sets: SciFact (out of fold), HealthVer test, the physicians' labels of K-QA.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import matplotlib

matplotlib.use("agg")
import matplotlib.pyplot as plt
import numpy as np

SETS = ("scifact", "healthver_test", "kqa_physicians")


def reliability(predictions: dict[str, np.ndarray], path: Path) -> None:
    """Observed share of support by predicted probability, ten equal-width bins."""
    figure, axes = plt.subplots(figsize=(4.5, 4.5), layout="constrained")
    axes.plot([0, 1], [0, 1], color="0.6", linestyle="--", label="perfect")
    for name, marker in zip(SETS, "os^", strict=True):
        p = predictions[f"{name}.verifier"][:, 0]
        truth = predictions[f"{name}.gold"] == "entailment"
        bins = np.minimum((p * 10).astype(int), 9)
        filled = [b for b in range(10) if (bins == b).sum() >= 10]
        axes.plot(
            [p[bins == b].mean() for b in filled], [truth[bins == b].mean() for b in filled], marker=marker, label=name
        )
    axes.set(xlabel="P(support)", ylabel="share supported (bins of 10 pairs or more)", xlim=(0, 1), ylim=(0, 1))
    axes.legend()
    figure.savefig(path, dpi=120)


def threshold_sweep(predictions: dict[str, np.ndarray], path: Path) -> None:
    """Precision and recall of the two decided labels by threshold."""
    figure, panels = plt.subplots(1, len(SETS), figsize=(11, 3.6), layout="constrained", sharey=True)
    thresholds = np.linspace(0.5, 0.9, 41)
    for panel, name in zip(panels, SETS, strict=True):
        p, gold = predictions[f"{name}.verifier"], predictions[f"{name}.gold"]
        for label, column, color in (("entailment", 0, "tab:blue"), ("contradiction", 2, "tab:red")):
            other = p[:, 2 - column]
            said = [(p[:, column] >= t) & (p[:, column] >= other) for t in thresholds]
            hits = [float((s & (gold == label)).sum()) for s in said]
            precision = [h / s.sum() if s.sum() else np.nan for h, s in zip(hits, said, strict=True)]
            recall = [h / max(1, (gold == label).sum()) for h in hits]
            panel.plot(thresholds, precision, color=color, label=f"{label}: precision")
            panel.plot(thresholds, recall, color=color, linestyle="--", label=f"{label}: recall")
        panel.set(title=name, xlabel="threshold", ylim=(0, 1))
    panels[0].legend(fontsize=7)
    figure.savefig(path, dpi=120)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--predictions", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    predictions = dict(np.load(options.predictions))
    reliability(predictions, options.out / "reliability.png")
    threshold_sweep(predictions, options.out / "threshold.png")


if __name__ == "__main__":
    main()
