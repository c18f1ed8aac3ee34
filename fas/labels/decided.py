"""Decisions on the page of a run as labels: those from the beginning of its random order, which are a sample."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import Any

from fas.core.errors import InputError
from fas.labels.files import Key
from fas.labels.judged import read_judged
from fas.report.decisions import read_decisions
from fas.report.review import draw_key


@dataclass(frozen=True, slots=True)
class DecidedSample:
    """Labels that reviewers gave on the page of a run, those of several reviewers on one claim behind each other.

    *n_all* counts the claims of the run that have a verdict, *n_left_out* decided claims that are not of the sample.
    """

    rows: tuple[dict[str, Any], ...]
    n_claims: int
    n_all: int
    n_left_out: int

    def __str__(self) -> str:
        """What was taken, and what was not."""
        said = f"{self.n_claims} of {self.n_all} claims are a sample, decided without a gap in the page's random order"
        if self.n_left_out:
            said += f"; {self.n_left_out} other decided claims were looked for and are left out"
        return said


def sample_decisions(folder: Path, files: Sequence[Path]) -> DecidedSample:
    """The decisions in *files*, one for each reviewer, on claims from the beginning of the random order of a run.

    The sample ends with the last claim that was decided in that order and has no undecided one before it: claims behind
    it that were looked for and decided elsewhere would favour the verdicts that people look for. Every label carries
    the probability that its claim was in the sample.

    Raises:
        InputError: A file cannot be used or is of another run, one reviewer has two files, or the first claim of the
            random order was not decided in that order.
    """
    run = read_judged(folder)
    said: dict[Key, dict[str, str]] = {}
    in_order: set[Key] = set()
    for path in files:
        for line in read_decisions(run.results.path, [path]).lines:
            if "claim" not in line or "label" not in line:
                continue
            key = line["id"], line["claim"]
            own, name = said.setdefault(key, {}), line.get("reviewer") or path.stem
            if name in own:
                raise InputError(
                    f"{path}: {name!r} has decided claim {line['claim']} of {line['id']!r} in another file already",
                    kind="duplicate",
                )
            own[name] = line["label"]
            if line.get("chosen") == "sample":
                in_order.add(key)
    order = sorted(run.claims, key=lambda one: draw_key(*one.key))
    drawn = list(takewhile(lambda claim: claim.key in said, order))
    while drawn and drawn[-1].key not in in_order:
        drawn.pop()
    if not drawn:
        raise InputError(
            f"{', '.join(map(str, files))}: no decided claim is of the random sample; on the page choose the claims "
            "`random sample` and decide them in their order",
            kind="no_sample",
        )
    pi = len(drawn) / len(run.claims)
    rows = tuple(
        {"id": claim.id, "claim": claim.claim, "label": label, "pi": pi, "text": claim.text, "annotator": name}
        for claim in drawn
        for name, label in said[claim.key].items()
    )
    return DecidedSample(rows, len(drawn), len(run.claims), len(said) - len(drawn))
