"""A reply of a language model that takes too long to read is an unreadable reply, and the others are read."""

from __future__ import annotations

import threading
from typing import cast

import pytest

from fas.claims.llm import replies
from fas.claims.llm.lines import parse_lines
from fas.claims.llm.replies import ReplyFailure, read
from fas.detectors import replies as finding_replies
from fas.detectors.replies import read_findings
from fas.evidence import query_rewriting
from fas.evidence.query_rewriting import read_query
from fas.llm import parsing
from fas.llm.messages import Reply
from fas.llm.parsing import parse_reply
from fas.text import time_limit
from fas.text.choices.reading import read_choice
from fas.verify import llm_verdict, rafe
from fas.verify.llm_verdict import read_verdict
from fas.verify.rafe import read_bracketed

WHY = "the reply could not be read within 0.2 s"
GOOD = Reply("The claim is true.")


def endless(*_, **__):
    """A grammar that does not end by itself."""
    while True:
        pass


# Where a grammar is slow: the module, the name of what it calls, the reader, and the reason in what comes back.
READERS = {
    "verdict": (llm_verdict, "select_own_sentences", lambda: read_verdict(GOOD).failure),
    "bracketed": (rafe, "strip_quotations", lambda: read_bracketed(GOOD).failure),
    "query": (query_rewriting, "extract_answer_text", lambda: read_query(GOOD).failure),
    "claims": (replies, "extract_answer_text", lambda: cast(ReplyFailure, read(GOOD, parse_lines)).reason),
    "findings": (finding_replies, "parse_reply", lambda: read_findings(GOOD, "a").failure),
    "JSON": (parsing, "parse_json", lambda: parse_reply(GOOD).reason),
}


@pytest.fixture(autouse=True)
def a_short_time(monkeypatch):
    monkeypatch.setattr(time_limit, "REPLY_SECONDS", 0.2)


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("thread", [False, True])
def test_a_grammar_that_takes_too_long_makes_the_reply_an_unreadable_one(name, thread, monkeypatch):
    module, slow, reader = READERS[name]
    monkeypatch.setattr(module, slow, endless)
    found: list[str | None] = []
    if thread:
        other = threading.Thread(target=lambda: found.append(reader()))
        other.start()
        other.join(timeout=60)
    else:
        found.append(reader())
    assert found == [WHY]
    monkeypatch.undo()
    assert read_verdict(GOOD).truth == "true"


def test_a_parser_of_claims_that_takes_too_long_gives_a_failure_with_the_reason():
    assert read(Reply("- Aspirin thins blood."), endless) == ReplyFailure(WHY)


def test_a_choice_that_takes_too_long_to_read_is_none(monkeypatch):
    monkeypatch.setattr("fas.text.choices.reading.option_lines", endless)
    choice = read_choice("The answer is A.", {"A": "yes", "B": "no"})
    assert choice.letter is None
    assert WHY in str(choice)
