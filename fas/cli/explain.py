"""`fas explain`: why the claims of an answer have their verdicts."""

from __future__ import annotations

from types import SimpleNamespace

import click

from fas.cli import options as shared
from fas.cli.base import argument, command, option
from fas.cli.progress import ProgressBar


@command(
    "fas explain out/ q01",
    argument("folder", "DIR", "folder of fas score"),
    argument("answer", "ID", "id of the answer"),
    argument("claim", "[CLAIM]", "number of the claim, from 1, or its text (all claims)"),
    option("--answers FILE", "the run's input, if its file moved or changed"),
    shared.offline,
    shared.as_json(),
    shared.progress,
    shared.profile,
)
def explain(o: SimpleNamespace) -> None:
    """Explain the verdicts of a scored answer's claims.

    Prints the sentence, what was searched for and found, what of it was read, what that came to, and the answer's
    score otherwise. A run keeps no passages: they come from its evidence again (the input, an index, a snapshot of
    --save-evidence), where the run had it.
    """
    from fas.pipeline.runs.explaining import explain_run

    evidence = click.get_current_context().params["evidence"]
    kept = shared.pick(o, "claim", "answers", "offline")
    with ProgressBar.of(o, f"reading {o.folder}"):
        found = explain_run(o.folder, o.answer, o.profile, evidence=evidence, **kept)
    if o.json:
        shared.print_json([one.as_dict() for one in found])
    else:
        print("\n\n---\n\n".join(one.as_text() for one in found) or "no claims")
