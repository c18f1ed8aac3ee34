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
from fas.labels.files import Of, read_parts
from fas.labels.judged import read_judged
from fas.labels.merge import Merged, merge
from fas.labels.page import collect_items, write_page
from fas.labels.pairs import collect_pairs, read_pairs

_TITLES = {"claims": "Which claims hold?", "faults": "What is wrong with the claims?"}


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
) -> Tasks:
    """Draw *n* claims (or answers) of a run and write them as a page, or as tasks of another tool.

    *by*: half by verdict and confidence, a simple sample of claims, or whole answers. *following* is a file of labels
    whose claims without a label are written, instead of a draw.

    Raises:
        InputError: A file cannot be used, or the other tool has no form for such labels.
    """
    chosen = [] if following is None else read_parts(following)[1]
    run = read_judged(folder, of=chosen[0].of if chosen else of)
    if following is not None:
        claims = {claim.key: claim for claim in run.claims}
        drawn = [DrawnSample(claims[one.key], one.pi or 1.0, one.stratum) for one in chosen if one.key in claims]
    elif by == "answers":
        drawn = draw_answers(run.claims, n, seed=seed)
    else:
        drawn = draw_claims(run.claims, n, seed=seed, stratify=by == "stratum")
    items = collect_items(run, drawn)
    if to == "html":
        write_page(out, items, title=_TITLES.get(run.of, "What do the answers say?"), of=run.of)
    elif run.of == "faults":
        raise InputError("labels of faults are given on the page: --to html", kind="usage")
    else:
        with replace_file(out) as file:
            file.write(json.dumps(export(items, to), indent=1, ensure_ascii=False) + "\n")
    return Tasks(len(items), run.field)


def write_pair_tasks(
    folder: Path,
    against: Path,
    out: Path,
    *,
    n: int = 150,
    metric: str | None = None,
    stratify: bool = True,
    seed: int = 12345,
) -> Tasks:
    """Draw *n* pairs of answers of two runs and write a page that asks which is better.

    With *stratify* half of them are drawn by who is better by *metric* (FAS by default), else all are a simple sample.
    """
    run, name, notes = read_pairs(folder, against, metric=metric)
    drawn = draw_claims(run.claims, n, seed=seed, stratify=stratify)
    items = collect_pairs(run, drawn, name)
    write_page(out, items, title="Which answer is better?", of="pairs")
    return Tasks(len(items), "pairs", notes)


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
        if run.of == "pairs":
            items = collect_pairs(run, drawn, metric, merged.disputed)
        else:
            items = collect_items(run, drawn, merged.disputed)
        write_page(disputed, items, title=f"{run.noun.capitalize()}s to settle", of=run.of)
    return merged


def write_rows(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write a file of labels."""
    with replace_file(path) as out:
        out.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
