"""Fit what says why a claim is unsupported (`fas.scoring.verdicts.unsupported`), on the labelled reasons.

    python -m recipes.verifier.reasons FOLDER

FOLDER is the verifier whose P(support) the regression looks at. Fitted on all unsettled cases with the reason off_topic, related or
part; printed is what a regression says of questions that it has not met.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import classification_report
from sklearn.model_selection import GroupKFold, cross_val_predict

from benchmarks.verdicts.labels import held_out_cases
from fas.core.records import Claim, Pair, Passage
from fas.scoring.verdicts.unsupported import REASON_FEATURES, reason_features
from fas.verify.nli import NliVerifier

REPOSITORY = Path(__file__).resolve().parents[2]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", help="embedded model or folder")
    options = parser.parse_args()
    # Held-out cases alone: of those that trained the model its probabilities are too sure.
    cases = [row for row in held_out_cases() if row["why"] in ("off_topic", "related", "part")]
    verifier = NliVerifier(model=options.model, cache=False)
    passages = [[Passage(own["text"], title=own.get("title") or None) for own in row["passages"]] for row in cases]
    pairs = [Pair(Claim(row["claim"]), own) for row, found in zip(cases, passages, strict=True) for own in found]
    judged = iter(verifier.verify(pairs))
    p = [max(next(judged).p_support for _ in found) for found in passages]
    x = np.array(
        [
            reason_features(row["claim"], found, row["question"], s)
            for row, found, s in zip(cases, passages, p, strict=True)
        ]
    )
    y = np.array([row["why"] for row in cases])
    mean, scale = x.mean(axis=0), np.maximum(x.std(axis=0), 1e-6)
    model = LogisticRegression(C=0.5, max_iter=4000)
    said = cross_val_predict(model, (x - mean) / scale, y, groups=[row["question"] for row in cases], cv=GroupKFold(5))
    print(classification_report(y, said))
    model.fit((x - mean) / scale, y)
    content = {
        "features": list(REASON_FEATURES),
        "reasons": model.classes_.tolist(),
        "mean": mean.round(6).tolist(),
        "scale": scale.round(6).tolist(),
        "coefficients": model.coef_.round(6).tolist(),
        "intercept": model.intercept_.round(6).tolist(),
    }
    path = REPOSITORY / "fas" / "scoring" / "verdicts" / "unsupported.json"
    path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
