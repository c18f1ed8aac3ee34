"""`fas audit`: a second look at results that another tool logged."""

from __future__ import annotations

from types import SimpleNamespace

from fas.cli import options as shared
from fas.cli.base import argument, command, option


@command(
    "fas audit logs/2026-11-29_medical.eval -o audit/\nfas audit output.json -o audit/ --metric llm-rubric",
    argument("logs", "FILE|DIR...", "logs of one or several systems, or a folder of them"),
    shared.column_map,
    shared.out("folder of the results", required=True),
    option("--metric NAME...", "only this score of the log; may be repeated"),
    shared.as_json("print audit.json instead of the table"),
)
def audit(o: SimpleNamespace) -> None:
    """Check the scores that another tool logged.

    Reads logs of Inspect, lm-evaluation-harness, promptfoo, deepeval, ragas, MLflow, HealthBench and SimpleQA, and
    output of OpenAI batches; the format is recognised by content. Writes audit.html and audit.json.
    """
    from fas.integrations.logs.audit import audit_logs

    found = audit_logs(o.logs, o.out, metrics=o.metric, columns=o.columns)
    shared.print_result(found, o)
    if not o.json:
        print(f"\npage: {o.out / 'audit.html'}")
