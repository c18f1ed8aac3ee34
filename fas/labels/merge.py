"""Labels of several people put together, and how far they agree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from fas.core.errors import InputError
from fas.labels.fault_shares import FaultShare, fault_shares, shares_dict, shares_text
from fas.labels.files import ClaimLabel, LabelFile, digest_of, majority, read_parts
from fas.labels.judged import JudgedRun, match_labels
from fas.report.tables import interval, json_ready, number, text_table, wrap_paragraph
from fas.stats.agreement import cohen_kappa, krippendorff_alpha
from fas.stats.bootstrap import Estimate

_SAID = {"pairs": "preferred", "faults": "faults"}


@dataclass(frozen=True, slots=True)
class Merged:
    """The labels of several people.

    Attributes:
        labels: One a claim: what the settling file says, else what most say; `label` is null (in `open`) for the rest.
        open: Claims that were chosen and have no label, or as many say one thing as another.
        disputed: What was said of the claims that people do not agree on, settled or not.
        kappa: Cohen's kappa of every two people with its number of claims.
        alpha: Krippendorff's alpha of all of them; None for one person.
        people: Number of labels of each.
        faults: Of labels of faults, each kind's shares; else empty.
    """

    labels: tuple[ClaimLabel, ...]
    open: tuple[ClaimLabel, ...]
    disputed: dict[tuple[str, int], tuple[str, ...]]
    kappa: dict[tuple[str, str], Estimate]
    alpha: Estimate | None
    people: dict[str, int]
    faults: Mapping[str, FaultShare] = field(default_factory=dict)

    @property
    def unsettled(self) -> list[tuple[str, int]]:
        """Disputed claims without a label."""
        return [one.key for one in self.open if one.key in self.disputed]

    def rows(self) -> list[dict[str, Any]]:
        """Lines of a file of labels."""
        return [one.as_dict() for one in self.labels] + [
            {**one.as_dict(), _SAID.get(one.of, "label"): None} for one in self.open
        ]

    def as_dict(self) -> dict[str, Any]:
        """For programs."""
        return dict(
            json_ready(
                {
                    "n": len(self.labels),
                    "n_open": len(self.open),
                    "n_disputed": len(self.disputed),
                    "n_unsettled": len(self.unsettled),
                    "annotators": self.people,
                    "kappa": {" - ".join(pair): one._asdict() for pair, one in self.kappa.items()},
                    "alpha": None if self.alpha is None else self.alpha._asdict(),
                    "digest": digest_of(self.labels),
                    **({"faults": shares_dict(self.faults)} if self.faults else {}),
                }
            )
        )

    def as_text(self) -> str:
        """For people."""
        rows = [
            [f"kappa, {' and '.join(pair)}", number(one.value), interval(one.low, one.high, how=one.how), str(one.n)]
            for pair, one in self.kappa.items()
        ]
        if self.alpha is not None:
            one = self.alpha
            rows.append(["alpha, all", number(one.value), interval(one.low, one.high, how=one.how), str(one.n)])
        of = next((one.of for one in (*self.labels, *self.open)), "claims").replace("faults", "claims")
        counted = ", ".join(f"{name} {n}" for name, n in self.people.items())
        lines = [
            f"labels: {counted}",
            f"{len(self.labels)} {of} have a label, {len(self.open)} have none; {len(self.disputed)} are disputed, "
            f"{len(self.unsettled)} of them not settled",
        ]
        table = [text_table(["agreement", "value", "95% interval", of], rows)] if rows else []
        faults = [shares_text(self.faults)] if self.faults else []
        return "\n\n".join(["\n".join(wrap_paragraph(line) for line in lines), *table, *faults])


def merge(run: JudgedRun, paths: Sequence[Path], *, settled: Path | None = None) -> Merged:
    """Put files of labels together and check them against the run; a label without a name is its file's.

    The labels in *settled* count where people disagree.

    Raises:
        InputError: A file cannot be used or is of another run, or one person has two labels of one claim.
    """
    by_claim: dict[tuple[str, int], dict[str, ClaimLabel]] = {}
    chosen: dict[tuple[str, int], ClaimLabel] = {}
    for path in paths:
        labels, open_ = read_parts(path)
        match_labels(run, LabelFile(path, (*labels, *open_), "", of=labels[0].of))
        for one in open_:
            chosen.setdefault(one.key, one)
        for one in labels:
            name = one.annotator or path.stem
            chosen.setdefault(one.key, one)
            own = by_claim.setdefault(one.key, {})
            if name in own:
                raise InputError(
                    f"{path}, line {one.line}: {name!r} has labelled {run.noun} {one.claim} of {one.id!r} already",
                    kind="duplicate",
                    line=one.line,
                )
            own[name] = one
    decided = {}
    if settled is not None:
        labels, _ = read_parts(settled)
        match_labels(run, LabelFile(settled, labels, "", of=labels[0].of))
        decided = {one.key: one for one in labels}
    kept, open_left, disputed = [], [], {}
    for key, first in chosen.items():
        said = by_claim.get(key, {})
        votes = Counter(one.label for one in said.values()).most_common()
        if len(votes) > 1:
            disputed[key] = tuple(f"{name}: {one.label}" for name, one in said.items())
        tie = len(votes) > 1 and votes[0][1] == votes[1][1]
        if key in decided:
            label = decided[key].label
        elif run.of == "faults" and said and (most := majority([one.label for one in said.values()])) is not None:
            label = most
        elif votes and not tie and run.of != "faults":
            label = votes[0][0]
        else:
            open_left.append(first)
            continue
        severity = next((one.severity for one in said.values() if one.label == label and one.severity), "")
        kept.append(replace(first, label=label, severity=severity, annotator="+".join(sorted(said))))
    names = list(dict.fromkeys(name for said in by_claim.values() for name in said))
    return Merged(
        tuple(kept),
        tuple(open_left),
        disputed,
        {pair: _kappa(run, by_claim, pair) for pair in combinations(names, 2)},
        _alpha(by_claim, names) if len(names) > 1 else None,
        {name: sum(name in said for said in by_claim.values()) for name in names},
        fault_shares(run, kept, open_left) if run.of == "faults" else {},
    )


def _kappa(run: JudgedRun, by_claim: dict[tuple[str, int], dict[str, ClaimLabel]], pair: tuple[str, str]) -> Estimate:
    shared = [(key, said) for key, said in by_claim.items() if all(name in said for name in pair)]
    units = run.units
    clusters = np.array([units[run.results.place[key[0]]] for key, _ in shared], dtype=np.intp)
    first, second = ([said[name].label for _, said in shared] for name in pair)
    return cohen_kappa(first, second, clusters=clusters if len(shared) else None)


def _alpha(by_claim: dict[tuple[str, int], dict[str, ClaimLabel]], names: Sequence[str]) -> Estimate:
    labels = sorted({one.label for said in by_claim.values() for one in said.values()})
    ratings = np.full((len(names), len(by_claim)), np.nan)
    for column, said in enumerate(by_claim.values()):
        for name, one in said.items():
            ratings[names.index(name), column] = labels.index(one.label)
    return krippendorff_alpha(ratings)
