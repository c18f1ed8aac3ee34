"""What the weights in use find of cases that they were not fitted to.

    python -m benchmarks.safety.evaluate --as LABEL            # realistic_gate.jsonl, which nobody reads; kept under LABEL
    python -m benchmarks.safety.evaluate --file mine.jsonl --errors

A file has one case a line: `id`, `question`, `prediction`, `kind` (what it tries) and `expect` (names of flags, none for
a near miss). Every run of the gate set is added to `results/gate.json`, which the page shows.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from benchmarks.safety.cases import GATE, HERE, count_flags, find_candidates, print_counts, read_realistic, select_flags
from fas.safety.checker import SafetyChecker
from fas.safety.stance import load_models, load_thresholds

GATE_RUNS = HERE / "results" / "gate.json"


def main() -> None:
    """Count the flags of the cases by name."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--file", type=Path, default=HERE / f"{GATE}.jsonl", help="cases instead of the gate set")
    options.add_argument("--errors", action="store_true", help="print the cases with a missed or a wrong flag")
    options.add_argument("--as", dest="label", help="what the page calls this run of the gate set")
    given = options.parse_args()
    gated = given.file.stem == GATE
    if gated and (given.errors or not given.label):
        options.error("the gate set is counted, not read: give --as and no --errors, or another --file")
    cases, models = list(read_realistic(given.file)), load_models()
    find_candidates(SafetyChecker(), models, cases)
    raised = {item.key: select_flags(item, models, load_thresholds()) for item in cases}
    counts = count_flags(cases, raised)
    print_counts(counts)
    if gated:
        runs = [*json.loads(GATE_RUNS.read_text(encoding="utf-8")), {"engine": given.label, "counts": counts}]
        GATE_RUNS.write_text("[\n" + ",\n".join(map(json.dumps, runs)) + "\n]\n", encoding="utf-8")
    for item in cases if given.errors else ():
        own = count_flags([item], raised)[item.name]
        if own["missed"] or own["wrong"]:
            wanted = sorted(name for flag in item.wanted for name in flag.names)
            got = sorted(f"{flag.flag} {flag.drug}" for flag in raised[item.key])
            print(f"{item.id}: wanted {wanted}, raised {got}\n  {item.answer.question}\n  {item.answer.prediction}")


if __name__ == "__main__":
    main()
