"""Whether the window with a result in numbers should stand before a conclusion that compares without any.

The verifier's regression looks hardest at the window that comes nearest to the claim. Where that is a vague comparison
("appeared more effective than other therapies") and the second window holds the result ("significant reduction in body
weight (WMD: -3.47 kg)"), "increases body weight" comes out supported (PMID 29915538). Tried here: exchange the two
windows before the regression, by rules that are narrower and narrower, or take words of praise out of the directions that the regression sees, and count on sets of expert labels how often a
rule fires, and what it makes right and wrong.

    python -m benchmarks.embedded_models.nli.result_first --data DATA --out benchmarks/embedded_models/nli/results/result-first.json

SciFact's claims are in the last stage's training data: of it only the difference between rows counts.
"""

from __future__ import annotations

import argparse
import json
import random
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.embedded_models.nli import blind, tasks
from benchmarks.embedded_models.nli.data import read_jsonl
from benchmarks.embedded_models.nli.tasks import Item
from fas.records import Claim, Judgement, Pair, Passage
from fas.text.windows import Nearest
from fas.verify import features
from fas.verify.features import directions
from fas.verify.nli import NliVerifier

CAP = 300
CASE = (
    "AIM: To assess the effect of metformin in polycystic ovary syndrome. RESULTS: Nine trials were pooled. There was a "
    "significant reduction in body weight (WMD -3.47 kg) with metformin. No difference was seen in fasting glucose. "
    "CONCLUSIONS: Compared with placebo, metformin showed an effect on body weight, and more on weight than on waist "
    "circumference."
)
"""Made up, of the form of that abstract."""
_MORE = re.compile(r"\b(?:more|less|better|worse|superior|inferior|higher|lower|greater|smaller|most)\b", re.I)
_RESULT = re.compile(r"\d\.\d|\d ?%|\bCI\b|\bP ?[<=>]", re.I)
_THAN = re.compile(r"\bthan\b|\bcompared\b|\bversus\b|\bvs\b", re.I)
RULES = {
    "as it is": "the nearest window first",
    "numbers": "the second first where it has numbers of a result and the first has none",
    "comparison": "only where the first compares in words",
    "clear": "only where the first compares in words or says no direction, and the second says one",
    "praise": "no exchange; 'more effective' and its like are no word of direction to the regression",
}
_PRAISE = (
    r"(?! (?:effective|efficacious|beneficial|favou?rable|acceptable|tolerable|suitable|feasible|useful|convenient|"
    r"accurate|reliable|potent|powerful|appropriate|successful|promising|satisfactory|reasonable|efficient)\b)"
)


def measures(text: str) -> bool:
    """Whether a window holds a number as results have it: a decimal, a percentage, an interval or a P value."""
    return _RESULT.search(text) is not None


def compares(text: str) -> bool:
    """Whether a window compares in words ("more effective than")."""
    return bool(_MORE.search(text) and _THAN.search(text))


def exchanged(rule: str, claim: str, first: str, second: str) -> bool:
    """Whether *rule* puts the second window first; only for claims that say one direction."""
    if rule in ("as it is", "praise") or len(directions(claim)) != 1 or measures(first) or not measures(second):
        return False
    if rule == "numbers":
        return True
    if rule == "comparison":
        return compares(first)
    return bool(directions(second)) and (compares(first) or not directions(first))


@contextmanager
def directions_read(without_praise: bool) -> Iterator[None]:
    """The words of direction as they are, or without those before a word of praise."""
    before = dict(features._DIRECTIONS)
    if without_praise:
        for name, pattern in before.items():
            words = re.compile(r"\|(more|higher|greater|less)(?=\|)")
            text = words.sub(lambda match: match[0] + _PRAISE, pattern.pattern)
            features._DIRECTIONS[name] = re.compile(text)
    try:
        yield
    finally:
        features._DIRECTIONS.update(before)


def check_covid(root: Path) -> list[Item]:
    """Claims against abstracts, all splits."""
    rows = [row for row in read_jsonl(root / "train/check_covid/check_covid.jsonl.gz") if row["level"] == "abstract"]
    return [Item(str(row["premise"]), str(row["hypothesis"]), str(row["label"])) for row in rows]


SETS = {
    "directions_pubmedqa": blind.directions_pubmedqa,
    "scifact": tasks.scifact,
    "check_covid": check_covid,
    "healthver_test": tasks.healthver_test,
    "kqa_physicians": tasks.kqa_physicians,
    "citation_integrity_test": tasks.citation_integrity_test,
}


def label(judged: Judgement) -> str:
    """The label at the threshold 0.7."""
    if judged.p_support >= 0.7 and judged.p_support >= judged.p_contradict:
        return "entailment"
    return "contradiction" if judged.p_contradict >= 0.7 else "neutral"


def macro_f1(gold: Sequence[str], said: Sequence[str]) -> float:
    """Over the labels that *gold* has."""
    found = []
    for name in sorted(set(gold)):
        hit = sum(g == s == name for g, s in zip(gold, said, strict=True))
        found.append(2 * hit / max(1, gold.count(name) + list(said).count(name)))
    return sum(found) / len(found)


def measure(verifier: NliVerifier, items: Sequence[Item]) -> dict[str, Any]:
    """What each rule makes of the pairs."""
    pairs = [Pair(Claim(item.hypothesis), Passage(item.premise)) for item in items]
    rows = verifier._read(pairs, verifier.choose(pairs))
    gold = [item.label for item in items]
    found: dict[str, Any] = {"n": len(items)}
    base: list[str] = []
    for rule in RULES:
        fired, turned = 0, []
        for pair, near, said in rows:
            swap = len(near.windows) > 1 and exchanged(
                rule, pair.claim.text, near.windows[0].text, near.windows[1].text
            )
            fired += swap
            turned.append((pair, _turned(near), said[::-1]) if swap else (pair, near, said))
        with directions_read(rule == "praise"):
            labels = [label(judged) for judged in verifier._weigh(turned)]
        base = base or labels
        found[rule] = {
            "fired": fired,
            "macro_f1": round(macro_f1(gold, labels), 4),
            "made_right": sum(g == s != b for g, s, b in zip(gold, labels, base, strict=True)),
            "made_wrong": sum(g == b != s for g, s, b in zip(gold, labels, base, strict=True)),
        }
    return found


def _turned(near: Nearest) -> Nearest:
    return near._replace(windows=near.windows[::-1], cosines=near.cosines[::-1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, metavar="DIR")
    parser.add_argument("--out", type=Path, required=True, metavar="FILE")
    options = parser.parse_args()
    verifier = NliVerifier(precision="fp32", cache=False)
    case = [
        Item(CASE, "Metformin reduces body weight.", "entailment"),
        Item(CASE, "Metformin increases body weight.", "contradiction"),
    ]
    found: dict[str, Any] = {
        "verifier": verifier.signature,
        "rules": RULES,
        "sets": {"the case": measure(verifier, case)},
    }
    for name, load in SETS.items():
        items = load(options.data)
        if len(items) > CAP:
            items = random.Random(1).sample(items, CAP)
        found["sets"][name] = measure(verifier, items)
        print(name, json.dumps(found["sets"][name]), flush=True)
        options.out.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
