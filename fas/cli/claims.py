"""`fas claims`: what would be verified in each answer."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from fas.cli.common import add_answers, add_part_options, answers_from_options, profile_from, tell_reasoning

if TYPE_CHECKING:
    from fas.claims.kinds import Quality
    from fas.reading.mapped import Span
    from fas.records import Answer, Claim, RecordError
    from fas.report.claim_quality import Share


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "claims", help="list the claims of answers", epilog="example: fas claims examples/answers.jsonl --json"
    )
    add_answers(parser)
    parser.add_argument(
        "--json", action="store_true", help="one {id, claims} a line; `failure` marks a sentence that gave none"
    )
    parser.add_argument(
        "--quality",
        action="store_true",
        help="also the faults that rules find in each claim, by MedScore's taxonomy, and their shares",
    )
    parser.add_argument("--profile", default="mini", metavar="NAME|FILE", help="whose claim extractor to use")
    parser.add_argument("--on-error", choices=("stop", "record"), default="stop", help="what a bad line does")
    add_part_options(parser, verifier=False)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the claims; returns the exit code."""
    from fas.answers.files import BadLine, first_mistake, read_answers, scan
    from fas.parts import extractors
    from fas.parts.language_models import RunModels
    from fas.parts.options import part_spec
    from fas.pipeline import CHUNK, as_error, chunks, claims_seconds, refined
    from fas.report.claim_quality import QualityTally
    from fas.verdicts.one_by_one import contained

    source = answers_from_options(options)
    found = scan(source)
    if found.bad and options.on_error == "stop":
        raise first_mistake(found.bad)
    tell_reasoning(found.n_reasoning)
    profile = profile_from(options)
    models = RunModels(profile.llm)
    extractor = models.create(extractors, part_spec(extractors, profile.claims, profile))
    tally = QualityTally() if options.quality else None
    seconds = claims_seconds(extractor, profile)
    for chunk in chunks(read_answers(source), CHUNK):
        answers = [item for item in chunk if not isinstance(item, BadLine) and item.claims is None]
        extracted = contained(extractor.extract, answers, seconds=seconds)
        outcomes = dict(zip((answer.id for answer in answers), extracted, strict=True))
        given = [item for item in chunk if not isinstance(item, BadLine) and item.claims is not None]
        outcomes |= zip((answer.id for answer in given), refined(extractor, given), strict=True)
        for item in chunk:
            if isinstance(item, BadLine):
                _show_error(item.id, item.as_error(), options.json)
                continue
            claims = outcomes[item.id]
            if isinstance(claims, Exception):
                _show_error(item.id, as_error(item, claims, "prediction"), options.json)
            else:
                _show(item.id, claims, options.json, None if tally is None else tally.add(claims, item), item)
    if tally is not None:
        shares = tally.shares(n_resamples=profile.n_resamples, seed=profile.seed)
        print(_table(shares), file=sys.stderr if options.json else sys.stdout)
    for note in (*getattr(extractor, "notes", list)(), *models.notes()):
        print(f"fas: {note}", file=sys.stderr)
    return 0


def _show(identifier: str, claims: Sequence[Claim], as_json: bool, quality: Quality | None, answer: Answer) -> None:
    read = [claim for claim in claims if claim.failure is None]
    faults: list[list[str]] = [[]] * len(read)
    omitted: list[Span] = []
    if quality is not None:
        from fas.report.claim_quality import LABELS

        faults = [[label for kind, label in LABELS.items() if kind in found] for found in quality.faults]
        omitted = list(quality.omitted) if len(read) == len(claims) else []
    if as_json:
        record: dict[str, Any] = {"id": identifier, "claims": [_record(claim) for claim in claims]}
        if quality is not None:
            left = iter(faults)
            for claim, one in zip(claims, record["claims"], strict=True):
                if claim.failure is None:
                    one["faults"] = next(left)
            record["omitted"] = [{"start": span.start, "end": span.end} for span in omitted]
        print(json.dumps(record, ensure_ascii=False))
        return
    print(f"{identifier}: {len(read)} claim{'' if len(read) == 1 else 's'}")
    for claim, found in zip(read, faults, strict=True):
        print(f"  - {claim.text}" + (f" [{', '.join(found)}]" if found else ""))
    for span in omitted:
        print(f"  omitted: {' '.join(answer.prediction[span.start : span.end].split())}")
    for claim in claims:
        if claim.failure is not None:
            print(f"fas: answer {identifier!r}: no claims from {claim.text!r}: {claim.failure}", file=sys.stderr)


def _table(shares: Mapping[str, Share]) -> str:
    from fas.report.tables import interval, percent, text_table

    rows = [
        [
            name,
            str(one.n),
            str(one.of),
            percent(one.n / one.of) if one.of else "-",
            interval(one.low, one.high, form="percent", how=one.how),
        ]
        for name, one in shares.items()
    ]
    header = ["faults that rules find", "n", "of", "share", "95% interval"]
    return (
        "\n"
        + text_table(header, rows)
        + "\n\nRules see frequent forms only: compare extractors by them, on the same answers."
    )


def _record(claim: Claim) -> dict[str, Any]:
    """A claim as printed; `context`, `failure` and `compound` only where there is one."""
    record: dict[str, Any] = {"text": claim.text, "start": claim.start, "end": claim.end}
    extra = {"context": claim.context, "failure": claim.failure, "compound": claim.compound or None}
    return record | {name: value for name, value in extra.items() if value is not None}


def _show_error(identifier: str, error: RecordError, as_json: bool) -> None:
    if as_json:
        from fas.records.as_json import error_dict

        print(json.dumps({"id": identifier, "claims": [], "error": error_dict(error)}, ensure_ascii=False))
    else:
        print(f"fas: {error.message}", file=sys.stderr)
