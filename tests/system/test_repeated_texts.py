"""A text that repeats itself is read in a time proportional to its length, wherever texts are read."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice, product

import pytest
from processor_time import least, units_of

from fas.choices.reading import read_choice
from fas.claims.extractor import SpacyClauses
from fas.claims.llm.lines import parse_lines
from fas.claims.llm.replies import parse_ambiguities, parse_pairs, parse_statement, read
from fas.claims.whole import WholeSentences
from fas.evidence import query
from fas.evidence.query_replies import read_query
from fas.evidence.terms import terms
from fas.findings.replies import read_findings
from fas.llm.messages import Reply
from fas.llm.parsing import parse_json
from fas.models.readout import read_out
from fas.reading.blocks import read_blocks
from fas.records import Answer
from fas.reference import qa
from fas.reference.bleu import Bleu
from fas.reference.rouge import Rouge
from fas.reference.tokenizers import load_tokenizer, tokenizer_names
from fas.safety.checker import SafetyChecker
from fas.text.sentences import sentence_spans
from fas.verify.bracketed import read_bracketed
from fas.verify.llm_verdict import read_verdict

pytestmark = pytest.mark.slow

MARKS = [
    *' \t\n-.#"(*_`~>|',
    ". ",
    ", ",
    "- ",
    "* ",
    "| ",
    "**",
    "://",
    "--:",
    "|-",
    "```\n",
    "<i>",
    "<think>",
    "[",
    '{"a": ',
]
LETTERS = ["a", "é", "\u202e", "\U0001f600", "a ", "a\n", "a-", "a.b", "i ", "and ", "a, "]
DIGITS = ["1", "1 ", "1/2 ", ",111", "5 mg ", "HR 0.5 "]
WORDS = [
    "no ", "my ", "really ", "please ", "what ", "every ", "if you have ", "is recommended-", "from text ", "true ",
    "take 5 mg ", "aspirin 5 mg ", "up to 5 mg of aspirin ", "take aspirin ",
    "aspirin ", "aspirin, ", "Take aspirin. ", "do not take aspirin ",
]  # fmt: skip
OPENINGS = ["- a\n", "1. a\n", "> ", "| a | b |\n", "# a\n", "a\n\n"]
UNITS = [*MARKS, *LETTERS, *DIGITS, *WORDS, *OPENINGS]
LENGTHS = (60, 400, 2_000, 20_000)
TAILS = ("", " Summary")
#: A text ten times as long may take so many times as long; with the square of its length it would take a hundred.
TIMES = 35

Stages = dict[str, Callable[[str], object]]


def queries(text: str) -> None:
    """The searches that a claim leads to."""
    for rung in islice(query.ladder(query.concepts(text)), 50):
        query.tagged(rung)
    terms(text)


@pytest.fixture(scope="module")
def stages() -> Stages:
    """What reads texts: name to reader, each having read one already."""
    clauses, whole, safety = SpacyClauses(cache=False), WholeSentences(), SafetyChecker()
    rouge, bleu = Rouge(tokenizer="ptb"), Bleu(tokenizer="treebank")
    tokenizers = [load_tokenizer(name) for name in tokenizer_names()]
    reference = "Take 5 mg of aspirin every day. " * 60
    found: Stages = {
        "claims": lambda text: clauses.extract([Answer("1", text, question="Does aspirin help?")]),
        "whole sentences": lambda text: whole.extract([Answer("1", text)]),
        "Markdown": read_blocks,
        "safety": lambda text: safety.check([Answer("1", text, question="Can I take aspirin?")]),
        "safety of a question": lambda text: safety.check([Answer("1", "Take 5 g of aspirin.", question=text)]),
        "evidence queries": queries,
        "tokenizers": lambda text: [tokenizer(text) for tokenizer in tokenizers],
        "ROUGE": lambda text: rouge.score(text, [reference]),
        "BLEU": lambda text: bleu.sentence(text, [reference]),
        "SQuAD and BioASQ": lambda text: (qa.span_counts(text, text), qa.bioasq_text(text), qa.first_word(text)),
        "readout": read_out,
        "sentences": sentence_spans,
        "verdict": lambda text: read_verdict(Reply(text), labels=3, shown=[text]),
        "bracketed verdict": lambda text: read_bracketed(Reply(text), statement="a", shown=[text]),
        "subclaims": lambda text: [
            read(Reply(text), parse) for parse in (parse_lines, parse_pairs, parse_ambiguities, parse_statement)
        ],
        "query reply": lambda text: read_query(Reply(text)),
        "JSON": parse_json,
        "findings": lambda text: read_findings(Reply(text), text),
        "choice": lambda text: read_choice(text, {"A": "yes", "B": "no"}),
    }
    for reader in found.values():
        reader("Take 5 mg of aspirin. The claim is true.")
    return found


def measured(reader: Callable[[str], object], texts: dict[int, str]) -> dict[int, float]:
    """Units of work for each of *texts*."""
    return {n: units_of(lambda: reader(text), limit=60) for n, text in texts.items()}  # noqa: B023 - called at once


def out_of_proportion(times: dict[int, float]) -> bool:
    """Whether the longer of two texts took too long."""
    shorter, longer = times.values()
    return longer > TIMES * max(shorter, least())


def slow_ones(stages: Stages, names: list[str], units: list[str], lengths: tuple[int, ...]) -> list[tuple[str, ...]]:
    """Stage, unit, tail and times of each text whose time is out of proportion to that of one a tenth as long."""
    found: list[tuple[str, ...]] = []
    for name, unit, tail, length in product(names, units, TAILS, lengths):
        texts = {n: unit * max(1, n // len(unit)) + tail for n in (length // 10, length)}
        times = measured(stages[name], texts)
        # Measured twice, as a first measure may have met other work.
        if out_of_proportion(times) and out_of_proportion(times := measured(stages[name], texts)):
            found.append((name, unit, tail, str(times)))
    return found


@pytest.mark.parametrize(
    "name", ["safety", "safety of a question", "Markdown", "evidence queries", "verdict", "choice"]
)
def test_some_repeated_texts_are_read_in_proportion(stages, name):
    assert slow_ones(stages, [name], ["-", " ", "# ", "what ", "is recommended-"], (10_000,)) == []


DRUGS = (
    "aspirin, ibuprofen, naproxen, warfarin, metformin, lisinopril, losartan, amlodipine, atorvastatin, simvastatin, "
    "omeprazole, sertraline, fluoxetine, tramadol, codeine, morphine, amoxicillin, doxycycline, ciprofloxacin, "
    "clarithromycin, prednisone, levothyroxine, furosemide, spironolactone, digoxin, "
)


@pytest.mark.parametrize("unit", ["aspirin 5 mg ", "up to 5 mg of aspirin ", "take aspirin ", DRUGS])
def test_repeated_drugs_and_doses_are_read_in_proportion(stages, unit):
    assert slow_ones(stages, ["safety"], [unit], (20_000,)) == []


@pytest.mark.slow
def test_every_repeated_text_is_read_in_proportion(stages):
    assert slow_ones(stages, list(stages), UNITS, LENGTHS) == []


@pytest.mark.parametrize("marks", ["**", "__", "`", "> ", "```\n"])
def test_an_answer_of_marks_alone_chooses_nothing(marks):
    assert read_choice(marks * 3, {"A": "yes", "B": "no"}).letter is None
