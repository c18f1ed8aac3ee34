"""Trial records of a registry: what their counts and values say, group beside group.

A record lists each group by itself, "Adverse Events 1: Total: 6/62 (9.68%) Nausea 0/62 (0.00%) ... Adverse Events 2:
...", so that what is compared stands far apart.
"""

from __future__ import annotations

import re
from collections import defaultdict

from fas.models.readout.sentences import Note

_GROUP = re.compile(r"\b(?P<section>[A-Z][A-Za-z/ ]{2,30}?) (?P<number>[1-9]): ")
_COUNT = re.compile(r"(?<!\d)(?P<n>\d++)/(?P<of>\d+)(?: \((?P<share>\d+(?:\.\d+)?)%\))?")
_LAST_VALUE = re.compile(r"(?<![\w.(-])(?P<value>\d+(?:\.\d+)?)(?P<spread>\s*\([^()]*\))?\s*$")


def is_record(text: str) -> bool:
    """Whether *text* has the headings of a record's groups."""
    return _GROUP.search(text) is not None


def record_notes(text: str) -> list[Note]:
    """Words to put into a record, each with its place.

    A count of nobody gets the word "none", one of everybody "all". If the two groups of a trial have a count of the
    same name, or a value at their end, both get a word for which is higher.
    """
    heads = list(_GROUP.finditer(text))
    notes: list[Note] = []
    ends = [head.start() for head in heads[1:]] + [len(text)]
    trial: list[tuple[int, int]] = []
    for number, (head, end) in enumerate(zip(heads, ends, strict=True)):
        if head["number"] == "1":
            trial = []
        trial.append((head.end(), end))
        following = heads[number + 1] if number + 1 < len(heads) else None
        if following is None or following["number"] == "1":
            notes += _note_trial(text, trial)
    return notes


def _note_trial(text: str, groups: list[tuple[int, int]]) -> list[Note]:
    named: dict[str, list[tuple[int, int, float]]] = defaultdict(list)
    for group, (start, end) in enumerate(groups):
        done = start
        for match in _COUNT.finditer(text, start, end):
            total = int(match["of"])
            if total and int(match["n"]) <= total:
                name = re.sub(r"\W+", " ", text[done : match.start()]).strip().lower()
                named[name].append((group, match.end(), int(match["n"]) / total))
            done = match.end()
    if not named:
        return _note_values(text, groups)
    notes: list[Note] = []
    for found in named.values():
        shares = [share for _, _, share in found]
        compared = len(groups) == 2 and [group for group, _, _ in found] == [0, 1]
        for _, place, share in found:
            words = ["none"] if share == 0 else ["all"] if share == 1 else []
            if compared:
                other = shares[0] if place == found[1][1] else shares[1]
                words.append("higher" if share > other else "lower" if share < other else "the same")
            if words:
                notes.append(Note(place, f" ({', '.join(words)})"))
    return notes


def _note_values(text: str, groups: list[tuple[int, int]]) -> list[Note]:
    if len(groups) != 2:
        return []
    found = []
    for start, end in groups:
        # The next trial's heading may follow the last group.
        stop = re.search(r"\s(?:\w+ trial|Study \w|Trial \w)[:.]\s", text[start:end])
        match = _LAST_VALUE.search(text[start : start + stop.start() if stop else end])
        if match is None:
            return []
        found.append((start + match.end("value"), float(match["value"])))
    (one, first), (two, second) = found
    words = (
        ("the same", "the same") if first == second else ("lower", "higher") if first < second else ("higher", "lower")
    )
    return [Note(one, f" ({words[0]})"), Note(two, f" ({words[1]})")]
