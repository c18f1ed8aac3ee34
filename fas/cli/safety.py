"""`fas safety`: the safety flags of answers, and a larger drug vocabulary for them."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from typing import TYPE_CHECKING

import click

from fas.cli.options import Options, open_answers, print_note, read_model
from fas.cli.progress import ProgressBar

if TYPE_CHECKING:
    from fas.core.answers.files import BadLine
    from fas.core.records import Answer


def check(o: Options) -> None:
    if (o.answers is None) == (o.text is None):
        raise ValueError("give a file of answers or --text, one of them")
    if o.text is None and (o.explain or o.question is not None):
        raise ValueError(f"{'--explain' if o.explain else '--question'} goes with --text")
    from fas.core.answers.files import read_answers, scan_tolerantly
    from fas.core.answers.schema import strip_reasoning
    from fas.core.records import Answer
    from fas.pipeline.flag_list import FlagTally, list_flags
    from fas.pipeline.runs.notes import note_reasoning
    from fas.safety.checker import SafetyChecker
    from fas.safety.explained import explain, format_table
    from fas.safety.model_reader import ModelReader

    model = read_model(o)
    if model and o.explain:
        raise ValueError("--explain shows the fitted reading; leave out --model")
    reader = ModelReader(model.pop("name"), **model) if model else None
    tally = FlagTally()
    with ProgressBar.of(o, "reading the safety tables") as bar:
        checker = SafetyChecker(rules=o.rules, vocabulary=o.vocabulary, info=o.info, reader=reader)
        items: Iterable[Answer | BadLine]
        if o.text is not None:
            one = strip_reasoning(Answer(id="1", prediction=o.text, question=o.question))
            if one.reasoning:
                print_note(note_reasoning(1))
            if o.explain:
                print(format_table(explain(checker, Answer(id="1", prediction=o.text, question=o.question))), end="")
                return
            items = [one]
        else:
            source = open_answers(o)
            bar.start(scan_tolerantly(source, o.on_error), 0)
            items = bar.follow(read_answers(source))
        for listed in list_flags(items, checker, seconds=o.text_timeout if reader is None else 0, without=o.without):
            tally.add(listed)
            if o.json:
                print(json.dumps(listed.as_dict(), ensure_ascii=False))
            elif listed.error is None:
                print(listed.as_text())
            else:
                print_note(listed.as_text())
    if not o.json:
        print(f"\n{tally.in_words()}\nlooked in {checker.looked_in()}")
        if o.text is None:
            print(f"next: `fas score {o.answers} -o out/` shows the flags beside claims and evidence")
        else:
            print("next: --explain shows what was read in the text")
    for note in checker.notes():
        print_note(note)


def build(o: Options) -> None:
    from fas.safety.rxnorm.release import build_vocabulary
    from fas.safety.rxnorm.rxnav import BASE_URL

    if o.rxnorm is None and not o.names:
        raise ValueError("name a source: --rxnorm DIR (files) or drug names (network), or both")
    url = os.environ.get("FAS_RXNAV_URL") or BASE_URL
    vocabulary, missing = build_vocabulary(o.out, rxnorm=o.rxnorm, names=o.names, base_url=url)
    n = len(vocabulary.ingredients)
    click.echo(f"{n} ingredients and {len(vocabulary.names) - n} other names written to {o.out}", err=True)
    for name in missing:
        print_note(f"RxNav knows no drug called {name!r}")
