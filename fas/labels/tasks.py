"""From a run to tasks for people, and from what they saved to one file of labels."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from fas.core.errors import InputError
from fas.core.files.own import replace_file
from fas.labels.drawing import DrawnSample, draw_answers, draw_claims
from fas.labels.exchange import Tool, export
from fas.labels.files import Key, Of, read_parts
from fas.labels.judged import JudgedRun, read_judged
from fas.labels.merge import Merged, merge
from fas.labels.page import collect_items, write_page
from fas.labels.pairs import collect_pairs, read_pairs

_TITLES: dict[Of, str] = {
    "claims": "Which claims hold?",
    "statements": "What do the answers say?",
    "pairs": "Which answer is better?",
    "faults": "What is wrong with the claims?",
}


@dataclass(frozen=True, slots=True)
class Tasks:
    """Number and kind of the items written for people to label, with notes."""

    n: int
    what: str
    notes: Sequence[str] = ()


def write_tasks(
    folder: Path,
    out: Path,
    *,
    n: int = 150,
    of: Of = "claims",
    by: Literal["stratum", "simple", "answers"] = "stratum",
    following: Path | None = None,
    to: Literal["html"] | Tool = "html",
    seed: int = 12345,
    against: Path | None = None,
    metric: str | None = None,
) -> Tasks:
    """Draw *n* claims (or answers) of a run and write them as a page, or as tasks of another tool.

    *by*: half by verdict and confidence, a simple sample of claims, or whole answers. *following* is a file of labels
    whose claims without a label are written, instead of a draw. With *against*, another run, pairs of answers are drawn
    for a page that asks which is better, half of them by who is better by *metric* (FAS by default).

    Raises:
        InputError: A file cannot be used, or the other tool has no form for such labels.
        ValueError: Pairs are drawn by stratum or simple, and for the page alone.
    """
    chosen = [] if following is None else read_parts(following)[1]
    notes: Sequence[str] = ()
    name = ""
    if against is None:
        run = read_judged(folder, of=chosen[0].of if chosen else of)
    elif to != "html" or following is not None or by == "answers" or of != "claims":
        raise ValueError("--against draws pairs for the page, by stratum or simple")
    else:
        run, name, notes = read_pairs(folder, against, metric=metric)
    if following is not None:
        claims = {claim.key: claim for claim in run.claims}
        drawn = [DrawnSample(claims[one.key], one.pi or 1.0, one.stratum) for one in chosen if one.key in claims]
    elif by == "answers":
        drawn = draw_answers(run.claims, n, seed=seed)
    else:
        drawn = draw_claims(run.claims, n, seed=seed, stratify=by == "stratum")
    items = _collect(run, drawn, name)
    if to == "html":
        write_page(out, items, title=_TITLES[run.of], of=run.of)
    elif run.of == "faults":
        raise InputError("labels of faults are given on the page: --to html", kind="usage")
    else:
        with replace_file(out) as file:
            file.write(json.dumps(export(items, to), indent=1, ensure_ascii=False) + "\n")
    return Tasks(len(items), "claims" if run.of == "faults" else run.of, notes)


def _collect(
    run: JudgedRun, drawn: Sequence[DrawnSample], metric: str, said: Mapping[Key, Sequence[str]] | None = None
) -> list[dict[str, Any]]:
    return collect_pairs(run, drawn, metric, said) if run.of == "pairs" else collect_items(run, drawn, said)


def merge_labels(
    folder: Path,
    labels: Sequence[Path],
    out: Path,
    *,
    against: Path | None = None,
    settled: Path | None = None,
    disputed: Path | None = None,
) -> Merged:
    """Check files of labels against their run, write them as one, and say how far people agree.

    *against* is the other run, of labels of pairs; *settled* are labels that count where people disagree, *disputed* a
    page to write of the claims that people disagree on.
    """
    first, _ = read_parts(labels[0])
    metric = ""
    if first[0].of != "pairs":
        run = read_judged(folder, of=first[0].of)
    elif against is None:
        raise InputError("labels of pairs need the other run, too: --against DIR", kind="usage")
    else:
        run, metric, _ = read_pairs(folder, against)
    merged = merge(run, labels, settled=settled)
    all_ = [*merged.labels, *merged.open]
    write_rows(out, (one.as_dict() for one in all_))
    if disputed is not None:
        known = {one.key: one for one in all_ if one.key in merged.disputed}
        drawn = [
            DrawnSample(claim, one.pi or 1.0, one.stratum) for claim in run.claims if (one := known.get(claim.key))
        ]
        items = _collect(run, drawn, metric, merged.disputed)
        write_page(disputed, items, title=f"{run.noun.capitalize()}s to settle", of=run.of)
    return merged


def write_rows(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write a file of labels."""
    with replace_file(path) as out:
        out.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
