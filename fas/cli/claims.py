"""`fas claims`: what would be verified in each answer."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from fas.cli.common import add_answers, add_part_options, answers_from_options, profile_from

if TYPE_CHECKING:
    from fas.records import Claim, RecordError


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "claims", help="list the claims of answers", epilog="example: fas claims examples/answers.jsonl --json"
    )
    add_answers(parser)
    parser.add_argument(
        "--json", action="store_true", help="one {id, claims} a line; `failure` marks a sentence that gave none"
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
    from fas.verdicts.one_by_one import contained

    source = answers_from_options(options)
    found = scan(source)
    if found.bad and options.on_error == "stop":
        raise first_mistake(found.bad)
    profile = profile_from(options)
    models = RunModels(profile.llm)
    extractor = models.create(extractors, part_spec(extractors, profile.claims, profile))
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
                _show(item.id, claims, options.json)
    for note in (*getattr(extractor, "notes", list)(), *models.notes()):
        print(f"fas: {note}", file=sys.stderr)
    return 0


def _show(identifier: str, claims: Sequence[Claim], as_json: bool) -> None:
    if as_json:
        print(json.dumps({"id": identifier, "claims": [_record(claim) for claim in claims]}, ensure_ascii=False))
        return
    read = [claim for claim in claims if claim.failure is None]
    print(f"{identifier}: {len(read)} claims")
    for claim in read:
        print(f"  - {claim.text}")
    for claim in claims:
        if claim.failure is not None:
            print(f"fas: answer {identifier!r}: no claims from {claim.text!r}: {claim.failure}", file=sys.stderr)


def _record(claim: Claim) -> dict[str, Any]:
    """A claim as printed; `context` and `failure` only where there is one."""
    record: dict[str, Any] = {"text": claim.text, "start": claim.start, "end": claim.end}
    extra = {"context": claim.context, "failure": claim.failure}
    return record | {name: value for name, value in extra.items() if value is not None}


def _show_error(identifier: str, error: RecordError, as_json: bool) -> None:
    if as_json:
        from fas.records.as_json import error_dict

        print(json.dumps({"id": identifier, "claims": [], "error": error_dict(error)}, ensure_ascii=False))
    else:
        print(f"fas: {error.message}", file=sys.stderr)
