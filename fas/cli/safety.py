"""`fas safety`: the safety flags of answers, and a larger drug vocabulary for them."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from types import SimpleNamespace
from typing import TYPE_CHECKING

import click

from fas.cli import options as shared
from fas.cli.base import argument, command, group, option
from fas.cli.progress import ProgressBar

if TYPE_CHECKING:
    from fas.core.answers.files import BadLine
    from fas.core.records import Answer
    from fas.safety.model_reader import ModelReader

safety = group(
    "safety",
    """Flag missing doses, contraindicated drugs and their relatives in answers.

    Not clinical decision support; no clinician has reviewed the rules.
    """,
)


@command(
    """fas safety check answers.jsonl
fas safety check --question "I am 20 weeks pregnant. Can I take isotretinoin?" --text "Yes, take it.\"""",
    argument("answers", "[FILE]", shared.ANSWERS),
    shared.column_map,
    option("--text TEXT", "the text of one answer"),
    option("--question TEXT", "the question that --text answers"),
    option("--explain", "of --text: the entities, modifiers, relations and stances behind its flags"),
    shared.as_json("print one {id, flags} a line"),
    option("--info", "also informative flags, such as an omitted boxed warning"),
    option("--without FLAG...", "leave out a kind of flag, e.g. INTERACTION; may be repeated"),
    option("--rules DIR", "folder of rule tables instead of the built-in one"),
    option("--vocabulary DIR", "additional vocabulary that `fas safety build` wrote"),
    option("--text-timeout SECONDS", "time limit for an answer; 0: none", 60),
    shared.model_of("the reader of answers; tables and arithmetic still decide on flags"),
    shared.on_error,
    shared.progress,
    of=safety,
)
def check(o: SimpleNamespace) -> None:
    """Flag missing doses and contraindicated drugs."""
    if (o.answers is None) == (o.text is None):
        raise ValueError("give a file of answers or --text, one of them")
    if o.text is None and (o.explain or o.question is not None):
        raise ValueError(f"{'--explain' if o.explain else '--question'} goes with --text")
    from fas.core.answers.files import read_answers, scan_tolerantly
    from fas.core.answers.schema import strip_reasoning
    from fas.core.records import Answer
    from fas.pipeline.flag_list import FlagTally, list_flags
    from fas.safety.checker import SafetyChecker

    reader, tally = _make_reader(o), FlagTally()
    with ProgressBar.of(o, "reading the safety tables") as bar:
        checker = SafetyChecker(rules=o.rules, vocabulary=o.vocabulary, info=o.info, reader=reader)
        items: Iterable[Answer | BadLine]
        if o.text is not None:
            one = strip_reasoning(Answer(id="1", prediction=o.text, question=o.question))
            shared.print_reasoning(int(one.reasoning > 0))
            items = [one]
        else:
            source = shared.open_answers(o)
            bar.start(scan_tolerantly(source, o.on_error), 0)
            items = bar.follow(read_answers(source))
        if o.explain:
            from fas.safety.explained import explain, format_table

            print(format_table(explain(checker, Answer(id="1", prediction=o.text, question=o.question))), end="")
            return
        for listed in list_flags(items, checker, seconds=o.text_timeout if reader is None else 0, without=o.without):
            tally.add(listed)
            if o.json:
                print(json.dumps(listed.as_dict(), ensure_ascii=False))
            elif listed.error is None:
                print(listed.as_text())
            else:
                shared.print_note(listed.as_text())
    if not o.json:
        print(f"\n{tally.in_words()}\nlooked in {checker.looked_in()}")
        if o.text is None:
            print(f"next: `fas score {o.answers} -o out/` shows the flags beside claims and evidence")
        else:
            print("next: --explain shows what was read in the text")
    for note in checker.notes():
        shared.print_note(note)


def _make_reader(o: SimpleNamespace) -> ModelReader | None:
    """The language model that reads in place of the rules; None where none is named."""
    given = {name: value for name, value in o.models.items() if value is not None}
    model = given.pop("model", None)
    if model is None:
        if given:
            raise ValueError(f"--{next(iter(given)).replace('_', '-')} goes with --model")
        return None
    if o.explain:
        raise ValueError("--explain shows the fitted reading; leave out --model")
    from fas.llm import Budget
    from fas.safety.model_reader import ModelReader

    limits = {name.removeprefix("max_"): given.pop(name) for name in ("max_calls", "max_cost") if name in given}
    if limits:
        given["budget"] = Budget(**limits)
    return ModelReader(model, **given)


@command(
    "fas safety build --rxnorm RxNorm_full_prescribe/rrf -o vocabulary",
    argument("names", "[NAME]...", "drug names to look up at RxNav (uses the network)"),
    shared.out("folder to write", required=True),
    option("--rxnorm DIR", "folder with RXNCONSO.RRF, RXNREL.RRF and RXNSAT.RRF"),
    of=safety,
)
def build(o: SimpleNamespace) -> None:
    """Build a drug vocabulary from RxNorm.

    `fas safety check --vocabulary DIR` knows it in addition to the built-in one. It is made of the RxNorm Current
    Prescribable Content that you download from NLM (no licence, no login), of names looked up at RxNav, or both.
    """
    from fas.safety.rxnorm.release import build_vocabulary
    from fas.safety.rxnorm.rxnav import BASE_URL

    if o.rxnorm is None and not o.names:
        raise ValueError("name a source: --rxnorm DIR (files) or drug names (network), or both")
    url = os.environ.get("FAS_RXNAV_URL") or BASE_URL
    vocabulary, missing = build_vocabulary(o.out, rxnorm=o.rxnorm, names=o.names, base_url=url)
    n = len(vocabulary.ingredients)
    click.echo(f"{n} ingredients and {len(vocabulary.names) - n} other names written to {o.out}", err=True)
    for name in missing:
        shared.print_note(f"RxNav knows no drug called {name!r}")
