"""`fas claims`: what would be verified in each answer."""

from __future__ import annotations

import json
import sys
from types import SimpleNamespace

from fas.cli import options as shared
from fas.cli.base import command, option
from fas.cli.progress import ProgressBar
from fas.core.checks import count_of


@command(
    "fas claims examples/answers.jsonl --json",
    shared.answers,
    shared.as_json("print one {id, claims} a line; `failure` marks a sentence that gave none"),
    option("--quality", "also the faults that rules find in each claim, by MedScore's taxonomy"),
    shared.on_error,
    shared.progress,
    shared.extractor_profile,
)
def claims(o: SimpleNamespace) -> None:
    """List the claims of answers."""
    from fas.pipeline.claim_list import ClaimLister

    n_claims = n_without = 0
    with ProgressBar.of(o, f"reading {o.answers}") as bar:
        lister = ClaimLister(shared.open_answers(o), o.profile, on_error=o.on_error, quality=o.quality)
        bar.start(lister.scan, 0)
        for one in bar.follow(lister):
            read = sum(claim.failure is None for claim in one.claims)
            n_claims, n_without = n_claims + read, n_without + (not read)
            if o.json:
                print(json.dumps(one.as_dict(), ensure_ascii=False))
            elif one.error is None:
                print(one.as_text())
            for problem in () if o.json else one.problems():
                shared.print_note(problem)
    if o.quality:
        print(lister.quality_text(), file=sys.stderr if o.json else sys.stdout)
    if not o.json:
        without = f"; {count_of(n_without, 'answer')} without one" if n_without else ""
        print(f"\n{count_of(n_claims, 'claim')} in {count_of(lister.scan.n, 'answer')}{without}")
        print(f"next: `fas score {o.answers} -o out/` verifies them")
    for note in lister.notes():
        shared.print_note(note)
