"""`fas safety`: the safety flags of answers."""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from fas.cli.common import add_map, answers_from_options, tell_reasoning

if TYPE_CHECKING:
    from fas.answers.files import BadLine
    from fas.records import Answer, Flag, RecordError
    from fas.safety.checker import SafetyChecker

_CHUNK = 64


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "safety",
        help="flag missing doses and contraindicated drugs",
        description="Flags in answers: missing doses, contraindicated drugs and their relatives. "
        "Not clinical decision support; no clinician has reviewed the rules.",
        epilog='example: fas safety --question "I am 20 weeks pregnant. Can I take isotretinoin?" --text '
        '"Yes, take it."',
    )
    parser.add_argument(
        "answers",
        nargs="?",
        type=Path,
        metavar="FILE",
        help="answers as .jsonl, .json, .csv, .tsv (each also with .gz) or .parquet; - is JSON Lines on stdin; "
        "the word explain shows of --text the entities, modifiers, relations and stances that flags are made of",
    )
    parser.add_argument("--text", metavar="TEXT", help="one answer, given here")
    add_map(parser)
    parser.add_argument("--question", metavar="TEXT", help="the question that --text answers")
    parser.add_argument("--json", action="store_true", help="one {id, flags} a line")
    parser.add_argument(
        "--info", action="store_true", help="also flags that only inform, such as an omitted boxed warning"
    )
    parser.add_argument(
        "--without", action="append", default=[], metavar="FLAG", help="leave out a kind of flag, e.g. INTERACTION"
    )
    parser.add_argument("--rules", type=Path, metavar="DIR", help="folder of rule tables instead of the built-in one")
    parser.add_argument(
        "--vocabulary", type=Path, metavar="DIR", help="folder made by fas safety-build, known in addition"
    )
    parser.add_argument(
        "--text-timeout",
        type=float,
        default=60,
        metavar="SECONDS",
        help="what an answer may take; then it is an error and the others go on (default: %(default)s; 0: no end)",
    )
    parser.add_argument("--on-error", choices=("stop", "record"), default="stop", help="what a bad line does")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the flags; returns the exit code."""
    from fas.answers.files import first_mistake, read_answers, scan
    from fas.answers.schema import without_reasoning
    from fas.records import Answer, RecordError
    from fas.records.as_json import error_dict
    from fas.safety.checker import SafetyChecker

    explains = options.answers == Path("explain")
    if (options.answers is None or explains) == (options.text is None):
        problem = "explain needs --text" if explains else "give a file of answers or --text, one of them"
        print(f"fas: {problem}", file=sys.stderr)
        return 2
    if options.question is not None and options.text is None:
        print("fas: --question goes with --text; a file brings its own questions", file=sys.stderr)
        return 2
    if not 0 <= options.text_timeout < math.inf:
        print(f"fas: --text-timeout must be seconds, 0 or more, got {options.text_timeout}", file=sys.stderr)
        return 2
    items: Iterable[Answer | BadLine]
    if options.text is not None:
        given = without_reasoning(Answer(id="1", prediction=options.text, question=options.question))
        tell_reasoning(given.reasoning > 0)
        items = [given]
    else:
        source = answers_from_options(options)
        found = scan(source)
        if found.bad and options.on_error == "stop":
            raise first_mistake(found.bad)
        tell_reasoning(found.n_reasoning)
        items = read_answers(source)
    checker = SafetyChecker(rules=options.rules, vocabulary=options.vocabulary, info=options.info)
    if explains:
        from fas.safety.explained import as_text, explain

        print(as_text(explain(checker, Answer(id="1", prediction=options.text, question=options.question))), end="")
        return 0
    for item, flags in _checked(items, checker, options.text_timeout):
        if isinstance(flags, RecordError):
            if options.json:
                print(json.dumps({"id": item.id, "flags": [], "error": error_dict(flags)}, ensure_ascii=False))
            else:
                whose = f"answer {item.id!r}: " if isinstance(item, Answer) else ""
                print(f"fas: {whose}{flags.message}", file=sys.stderr)
        elif isinstance(item, Answer):
            shown = tuple(flag for flag in flags if not {flag.flag, flag.code} & set(options.without))
            _show(item, shown, as_json=options.json)
    if not options.json:
        print(f"looked in {checker.looked_in()}")
    for note in checker.notes():
        print(f"fas: {note}", file=sys.stderr)
    return 0


def _checked(
    items: Iterable[Answer | BadLine], checker: SafetyChecker, seconds: float
) -> Iterator[tuple[Answer | BadLine, tuple[Flag, ...] | RecordError]]:
    from fas.answers.files import BadLine
    from fas.pipeline import as_error, chunks
    from fas.verdicts.one_by_one import contained

    for chunk in chunks(items, _CHUNK):
        answers = [item for item in chunk if not isinstance(item, BadLine)]
        outcomes = iter(contained(checker.check, answers, seconds=seconds))
        for item in chunk:
            if isinstance(item, BadLine):
                yield item, item.as_error()
                continue
            found = next(outcomes)
            yield item, as_error(item, found, "prediction") if isinstance(found, Exception) else found


def _show(answer: Answer, flags: tuple[Flag, ...], *, as_json: bool) -> None:
    from fas.records.as_json import flag_dict

    if as_json:
        print(json.dumps({"id": answer.id, "flags": [flag_dict(flag) for flag in flags]}, ensure_ascii=False))
        return
    print(f"{answer.id}: {len(flags)} flag{'' if len(flags) == 1 else 's'}")
    for flag in flags:
        status = f" [{flag.status}]" if flag.status else ""
        print(f"  {flag.severity:6} {flag.code}{status}: {flag.message}")
        quoted = " ".join(answer.prediction[flag.start : flag.end].split())
        print(f"         {flag.start}-{flag.end}: {quoted!r}")
