"""What would be verified in each answer of a file: its claims, and what rules find wrong with them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from fas.core.answers.files import BadLine, read_answers, scan_tolerantly
from fas.core.answers.sources import AnswerSource
from fas.core.checks import count_of
from fas.core.loading import track_loading
from fas.core.parts import extractors
from fas.core.parts.options import part_spec
from fas.core.profile import Profile
from fas.core.records import Answer, Claim, RecordError
from fas.core.records.as_json import error_dict
from fas.core.records.claim_faults import KINDS, Kind
from fas.llm.parts import RunModels
from fas.pipeline import CHUNK, limit_claims_time, make_error, refine_claims, split_into_chunks
from fas.report.claim_faults import Quality, inspect_claims
from fas.report.tables import limits, percent, text_table
from fas.scoring.verdicts.isolation import isolate_errors
from fas.stats.bootstrap import ratio_intervals
from fas.stats.intervals import MeanKind

_LABELS: dict[Kind, str] = {kind: kind.replace("_", "-") for kind in KINDS} | {
    "misstructured": "incorrectly structured"
}


@dataclass(frozen=True, slots=True)
class ListedClaims:
    """The claims of one answer, or why there are none.

    Attributes:
        id: The answer's.
        claims: With a `failure` where a sentence gave none.
        prediction: The answer's text.
        error: Why the answer could not be read.
        quality: Faults of the claims that were read; None if they were not looked for.
    """

    id: str
    claims: Sequence[Claim] = ()
    prediction: str = ""
    error: RecordError | None = None
    quality: Quality | None = None

    def as_dict(self) -> dict[str, Any]:
        """For programs; `context`, `failure` and `compound` only where there is one."""
        if self.error is not None:
            return {"id": self.id, "claims": [], "error": error_dict(self.error)}
        faults = iter(self._label_faults())
        rows = []
        for claim in self.claims:
            extra = {"context": claim.context, "failure": claim.failure, "compound": claim.compound or None}
            row: dict[str, Any] = {"text": claim.text, "start": claim.start, "end": claim.end}
            row |= {name: value for name, value in extra.items() if value is not None}
            if self.quality is not None and claim.failure is None:
                row["faults"] = next(faults)
            rows.append(row)
        omitted = {"omitted": [{"start": one.start, "end": one.end} for one in self._find_omitted()]}
        return {"id": self.id, "claims": rows} | (omitted if self.quality is not None else {})

    def as_text(self) -> str:
        """For people."""
        read = [claim for claim in self.claims if claim.failure is None]
        lines = [f"{self.id}: {count_of(len(read), 'claim')}"]
        for claim, found in zip(read, self._label_faults(), strict=True):
            lines.append(f"  - {claim.text}" + (f" [{', '.join(found)}]" if found else ""))
        lines += [f"  omitted: {' '.join(self.prediction[a.start : a.end].split())}" for a in self._find_omitted()]
        return "\n".join(lines)

    def problems(self) -> list[str]:
        """Why there are no claims of the answer, or of some of its sentences."""
        if self.error is not None:
            return [self.error.message]
        failed = [claim for claim in self.claims if claim.failure is not None]
        return [f"answer {self.id!r}: no claims from {claim.text!r}: {claim.failure}" for claim in failed]

    def _label_faults(self) -> list[list[str]]:
        if self.quality is None:
            return [[] for claim in self.claims if claim.failure is None]
        return [[label for kind, label in _LABELS.items() if kind in found] for found in self.quality.faults]

    def _find_omitted(self) -> Sequence[Any]:
        whole = all(claim.failure is None for claim in self.claims)  # else what failed would count as omitted
        return self.quality.omitted if self.quality is not None and whole else ()


class Share(NamedTuple):
    """A share with its 95% interval, answers resampled.

    Attributes:
        n: How many.
        of: Of how many.
        low: Lower limit; NaN where there is none.
        how: Kind of interval, or why there is none.
    """

    n: int
    of: int
    low: float
    high: float
    how: str


class QualityTally:
    """Counts faults of claims, answer by answer; holds a few numbers for each."""

    def __init__(self) -> None:
        self._rows: list[list[int]] = []

    def add(self, claims: Sequence[Claim], answer: Answer) -> Quality:
        """The faults of the *claims* of *answer*; claims that failed are left out."""
        read = [claim for claim in claims if claim.failure is None]
        quality = inspect_claims(read, answer)
        found = [sum(kind in faults for faults in quality.faults) for kind in KINDS if kind != "omitted"]
        whole = len(read) == len(claims)  # else what failed would count as omitted
        self._rows.append([*found, sum(map(bool, quality.faults)), len(read), not read and whole, whole])
        return quality

    def shares(self, *, n_resamples: int = 10_000, seed: int = 12345) -> dict[str, Share]:
        """Label of each kind, `any of these` and `answers without a claim`, to its share; empty without an answer."""
        if not self._rows:
            return {}
        rows = np.array(self._rows, dtype=np.float64)
        names = [_LABELS[kind] for kind in KINDS if kind != "omitted"] + ["any of these", "answers without a claim"]
        above = np.delete(rows, [-3, -1], axis=1)
        below = np.column_stack([np.repeat(rows[:, [-3]], len(names) - 1, axis=1), rows[:, -1]])
        kinds = [MeanKind(share=True)] * (len(names) - 1) + [MeanKind(proportion=True)]
        found = ratio_intervals(names, above, below, kinds, n_resamples=n_resamples, seed=seed)
        totals = zip(names, above.sum(axis=0), below.sum(axis=0), strict=True)
        return {
            name: Share(int(n), int(of), found[name].low, found[name].high, found[name].how) for name, n, of in totals
        }


class ClaimLister:
    """Lists the claims of a file, answer by answer.

    Args:
        source: The answers.
        profile: Whose extractor is used.
        on_error: `stop` refuses a file with a bad line; `record` lists the line with its error.
        quality: Also look for faults of the claims.

    Attributes:
        scan: What the input holds.

    Raises:
        InputError: A line is bad, and *on_error* is `stop`.
    """

    def __init__(
        self, source: AnswerSource, profile: Profile, *, on_error: Literal["stop", "record"], quality: bool
    ) -> None:
        self.scan = scan_tolerantly(source, on_error)
        self._source, self._profile = source, profile
        self._models = RunModels(profile.llm)
        self._extractor = self._models.create(extractors, part_spec(extractors, profile.claims, profile))
        self._tally = QualityTally() if quality else None

    def __iter__(self) -> Iterator[ListedClaims]:
        seconds = limit_claims_time(self._extractor, self._profile)
        for chunk in split_into_chunks(read_answers(self._source), CHUNK):
            whole = [item for item in chunk if not isinstance(item, BadLine)]
            answers = [item for item in whole if item.claims is None]
            with track_loading("finding claims"):
                extracted = isolate_errors(self._extractor.extract, answers, seconds=seconds)
            outcomes = dict(zip((answer.id for answer in answers), extracted, strict=True))
            given = [item for item in whole if item.claims is not None]
            outcomes |= zip((answer.id for answer in given), refine_claims(self._extractor, given), strict=True)
            for item in chunk:
                if isinstance(item, BadLine):
                    yield ListedClaims(item.id, error=item.as_error())
                    continue
                claims = outcomes[item.id]
                if isinstance(claims, Exception):
                    yield ListedClaims(item.id, error=make_error(item, claims, "prediction"))
                else:
                    quality = None if self._tally is None else self._tally.add(claims, item)
                    yield ListedClaims(item.id, claims, item.prediction, quality=quality)

    def notes(self) -> list[str]:
        """What the extractor and its language models have to say after the last answer."""
        return [*getattr(self._extractor, "notes", list)(), *self._models.notes()]

    def quality_text(self) -> str:
        """A table of the shares of faults over all answers."""
        if self._tally is None:
            return ""
        shares = self._tally.shares(n_resamples=self._profile.n_resamples, seed=self._profile.seed)
        rows = [
            [
                name,
                str(one.n),
                str(one.of),
                percent(one.n / one.of) if one.of else "-",
                limits(one, "percent"),
            ]
            for name, one in shares.items()
        ]
        table = text_table(["faults that rules find", "n", "of", "share", "95% interval"], rows)
        return f"\n{table}\n\nRules see frequent forms only: compare extractors by them, on the same answers."
