"""`fas revise`: answer questions, check the answers, and answer again where the check failed."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from fas.cli import options as shared
from fas.cli.base import argument, collect, command, option, section
from fas.cli.progress import ProgressBar

questions = argument("questions", "FILE", "questions: id, question, options, answer")


def _generator(generate: str, generate_url: str | None, **given: Any) -> dict[str, Any]:
    found = {"model": generate, "base_url": generate_url, **given}
    return {name: value for name, value in found.items() if value is not None}


generator = collect(
    "generator",
    _generator,
    section(
        "who answers",
        option("--generate MODEL", "language model: NAME at an endpoint, or transformers:FOLDER", required=True),
        option("--generate-url URL", "its endpoint (that of the checker, --base-url)"),
        option("--max-new-tokens N", "longest answer (1024)"),
        option("--window N", "tokens of prompt and answer that it reads"),
    ),
)


@command(
    "fas revise questions.jsonl -o out/fc --generate local --base-url http://127.0.0.1:8080/v1 --evidence index:notes",
    questions,
    shared.out("folder of the results"),
    option("--answers FILE", "file of first answers"),
    option("--strict", "exit 1 if any question has no answer"),
    shared.offline,
    shared.dry_run,
    option("--sentences N", "with --dry-run: sentences of a future answer", 8),
    shared.as_json("print report.json instead of the table"),
    shared.progress,
    generator,
    collect(
        "rounds",
        dict,
        section(
            "rounds",
            option("--max-iterations N", "answer again at most N times", 1),
            option("--trigger unsupported|contradicted", "claims that trigger a new answer (by the verifier's labels)"),
            option("--knowledge unsupported|all", "give the documents of these claims", "unsupported"),
            option("--max-documents N", "documents in a prompt", 20),
            option("--first plain|rag", "first answers without documents, or with the question's", "plain"),
            option("--final last|best", "which answer is the final one", "last"),
        ),
    ),
    shared.profile,
)
def revise(o: SimpleNamespace) -> int:
    """Answer questions, check the answers, answer again with what the check found.

    A language model answers, a profile of `fas score` checks, and the model answers again with the documents of the
    claims that failed (Fact-Check-then-RAG, LEAF). After an interruption the same command resumes.
    """
    from fas.leaf.settings import Revising

    settings = Revising(generate=o.generator, **o.rounds)
    if o.dry_run:
        from fas.leaf.estimate import estimate_revision

        kept = shared.pick(o, "answers", "sentences")
        shared.print_result(estimate_revision(o.questions, o.profile, settings, **kept), o)
        return 0
    shared.require_out(o)
    from fas.leaf.revise import revise_file

    with ProgressBar.of(o, f"reading {o.questions}") as bar:
        revised = revise_file(
            o.questions,
            o.out,
            settings=settings,
            tell=shared.print_note,
            started=bar.start,
            progress=bar.update,
            **shared.pick(o, "profile", "answers", "offline"),
        )
    shared.print_result(revised, o)
    if not o.json:
        print(f"\nanswers: {o.out / 'final.jsonl'}\nreport: {o.out / 'report.html'}")
    return 1 if o.strict and revised.n_failures else 0
