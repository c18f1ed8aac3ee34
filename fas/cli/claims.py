"""`fas claims`: what would be verified in each answer."""

from __future__ import annotations

import json
import sys
from types import SimpleNamespace

from fas.cli import options as shared
from fas.cli.base import command, option


@command(
    "fas claims examples/answers.jsonl --json",
    shared.answers,
    shared.as_json("print one {id, claims} a line; `failure` marks a sentence that gave none"),
    option("--quality", "also the faults that rules find in each claim, by MedScore's taxonomy"),
    shared.on_error,
    shared.extractor_profile,
)
def claims(o: SimpleNamespace) -> None:
    """List the claims of answers."""
    from fas.pipeline.claim_list import ClaimLister

    lister = ClaimLister(shared.open_answers(o), o.profile, on_error=o.on_error, quality=o.quality)
    shared.print_reasoning(lister.n_reasoning)
    for one in lister:
        if o.json:
            print(json.dumps(one.as_dict(), ensure_ascii=False))
        elif one.error is None:
            print(one.as_text())
        for problem in () if o.json else one.problems():
            shared.print_note(problem)
    if o.quality:
        print(lister.quality_text(), file=sys.stderr if o.json else sys.stdout)
    for note in lister.notes():
        shared.print_note(note)
