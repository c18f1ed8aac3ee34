"""A little medicine for the tests of LEAF: notes to search, questions with options, a scripted model for every role.

The answer to each question has three sentences, of which the second is false: the notes say otherwise.
"""

from __future__ import annotations

import json
import re

NOTES = [
    {"id": "n1", "title": "Ibuprofen", "text": "Ibuprofen lowers fever in children and adults."},
    {
        "id": "n2",
        "title": "Aspirin and Reye",
        "text": "Aspirin must not be given to children because of Reye syndrome.",
    },
    {"id": "n3", "title": "Fluids", "text": "Drinking enough fluids helps children with fever."},
    {"id": "n4", "title": "Aspirin dose", "text": "Aspirin in low dose prevents heart attacks in adults."},
    {
        "id": "n5",
        "title": "Reye syndrome",
        "text": "Reye syndrome follows aspirin during viral infections in children.",
    },
    {"id": "n6", "title": "Metformin", "text": "Metformin is the first drug for diabetes."},
]
OPTIONS = {"A": "ibuprofen", "B": "aspirin", "C": "metformin"}
FALSE = "Aspirin is safe for children with fever in case {}."
TRUE = ("Ibuprofen lowers fever in case {}.", "Children with fever need fluids in case {}.")
CORRECTED = "Aspirin must not be given to children in case {}."


def question(i, *, options=True):
    row = {"id": f"q{i}", "question": f"What should a child with fever get in case {i}?", "answer": "A"}
    return {**row, "options": OPTIONS} if options else {k: v for k, v in row.items() if k != "answer"}


def first_answer(i):
    """Two true sentences around a false one, which speaks for the wrong option."""
    return "\n".join([TRUE[0].format(i), FALSE.format(i), TRUE[1].format(i), "Answer: (B) aspirin"])


def second_answer(i):
    return "\n".join([TRUE[0].format(i), CORRECTED.format(i), TRUE[1].format(i), "Answer: (A) ibuprofen"])


def write_lines(path, rows):
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def build_notes(folder):
    """An index of the notes."""
    from fas.evidence.build import build_index

    folder.parent.mkdir(parents=True, exist_ok=True)
    build_index(folder, [write_lines(folder.parent / "notes.jsonl", NOTES)])
    return folder


def section(text, name):
    """What stands under a heading of a prompt; None if the heading is not there."""
    match = re.search(
        rf"^{name}:\n(.*?)(?=^(?:KNOWLEDGE|CONTEXT|STATEMENT|QUESTION|OPTIONS):\n|^ANSWER:|\Z)", text, re.M | re.S
    )
    return None if match is None else match[1].strip()


def role(request):
    """Which stage asks: `query`, `verdict` or `answer`."""
    if "STATEMENT:" not in request.text:
        return "answer"
    return "query" if "search query" in request.text else "verdict"


def case_of(text):
    return int(re.search(r"case (\d+)", text)[1])


def is_true(statement):
    return not statement.startswith("Aspirin is safe") and "(B)" not in statement


def model(request):
    """All three roles, honest: the second answer is better because the prompt holds what was found."""
    if role(request) == "query":
        known = section(request.text, "KNOWLEDGE")
        statement = section(request.text, "STATEMENT")
        words = " ".join(re.findall(r"[A-Za-z]{5,}", statement)[:3])
        n = 0 if known is None else known.count("[")
        return f"The knowledge lacks this.\n```\n{words} part {n}\n```"
    if role(request) == "verdict":
        statement = section(request.text, "STATEMENT")
        label = "Supported" if is_true(statement) else "Not Supported"
        return f"Step by step: the notes speak of it.\nSTATEMENT: {statement}\n\nFinal answer: [{label}]"
    i = case_of(request.text)
    return second_answer(i) if section(request.text, "KNOWLEDGE") else first_answer(i)
