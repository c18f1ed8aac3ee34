"""`fas audit`: a second look at results that another tool logged."""

from __future__ import annotations

from types import SimpleNamespace

from fas.cli import options as shared
from fas.cli.base import argument, command, option, section
from fas.cli.progress import ProgressBar


@command(
    "fas audit logs/medical.eval -o audit/\nfas audit output.json -o audit/ --metric llm-rubric --reask gpt-4.1",
    argument("logs", "FILE|DIR...", "logs of one or several systems, or a folder of them"),
    shared.column_map,
    shared.out("folder of the results", required=True),
    option("--metric NAME...", "only this score of the log; may be repeated"),
    option("--labels FILE", 'labels of people: lines of {"id": "...", "value": 1}, on the scale of the score'),
    option("--no-claims", "do not check claims"),
    shared.offline,
    shared.as_json("print audit.json instead of the table"),
    shared.progress,
    section(
        "ask the judge again",
        option("--reask NAME", "language model to ask again, at an OpenAI-compatible endpoint"),
        option("--reask-url URL", "its endpoint up to /v1; else OPENAI_BASE_URL, OpenAI"),
        option("--reask-n N", "answers to ask for, drawn at random; up to five requests each", 100),
    ),
    shared.profile,
)
def audit(o: SimpleNamespace) -> None:
    """Check the scores that another tool logged.

    Reads logs of Inspect, lm-evaluation-harness, promptfoo, deepeval, ragas, MLflow, HealthBench and SimpleQA, and
    output of OpenAI batches; the format is recognised by content. Writes audit.html, audit.json and claims/, a result
    folder as of `fas score`. Evidence is the passages of the log unless another source is named.
    """
    from fas.integrations.logs.audit import audit_logs

    judge = None
    if o.reask is not None:
        from fas.llm import chat_model

        judge = chat_model(o.reask, base_url=o.reask_url, offline=o.offline)
    kept = shared.pick(o, "columns", "labels", "offline")
    profile = None if o.no_claims else o.profile
    with ProgressBar.of(o, f"reading {', '.join(map(str, o.logs))}"):
        found = audit_logs(o.logs, o.out, profile=profile, metrics=o.metric, judge=judge, n_reask=o.reask_n, **kept)
    shared.print_result(found, o)
    if not o.json:
        print(f"\npage: {o.out / 'audit.html'}")
