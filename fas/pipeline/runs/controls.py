"""Assay controls: claims of known verdict about passages of the run, judged beside its answers and never in its score.

As a laboratory runs positive and negative controls beside its samples, they tell without a label whether the verifier
can read this evidence: a sentence quoted from a passage must be supported by it, the same with one changed number,
direction or drug contradicted, and a claim of an answer to another question neither. `fas.bench.controls` makes them.
"""

from __future__ import annotations

import json
import math
from bisect import insort
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal, NamedTuple

from fas.core.cache import Cache, content_key
from fas.core.files.own import CONTROLS, replace_file
from fas.core.records import Case, Claim, MetricSummary, Passage
from fas.core.records.as_json import number_or_none
from fas.core.records.signature import PartSignature
from fas.pipeline import Pipeline
from fas.scoring.verdicts.judge import judge

Kind = Literal["quoted", "changed", "other"]
EXPECTED: Mapping[Kind, str] = {"quoted": "supported", "changed": "contradicted", "other": "unsupported"}
RATES = ("supports_found", "contradictions_found", "false_support")
"""Quoted claims that are supported; changed ones that are contradicted; changed and other ones that are supported."""
FEWEST_ANSWERS = 20
"""Runs over fewer answers have no controls."""
VERSION = "2"
"""Raised whenever another panel would be made of the same passages."""
_KEPT = 96


class Control(NamedTuple):
    """One control: a claim of which the verdict on *passage* is known, and the words of the passage it was made of."""

    kind: Kind
    claim: str
    passage: Passage
    source: str = ""


class Seen(NamedTuple):
    """A text of the run, and the question that it was found or given for."""

    key: str
    text: str
    question: str
    passage: Passage | None = None


class ControlSample:
    """Some passages and claims of a run, the same ones for every order of its answers."""

    def __init__(self) -> None:
        self.passages: list[Seen] = []
        self.claims: list[Seen] = []

    def take(self, cases: Sequence[Case]) -> None:
        """Look at the claims and passages of a chunk; those with the smallest hashes are kept."""
        for case in cases:
            question = case.question or ""
            _keep(self.claims, Seen(content_key(case.claim.text), case.claim.text, question))
            for passage in case.passages:
                _keep(self.passages, Seen(content_key(passage.text), passage.text, question, passage))


Make = Callable[[ControlSample], Sequence[Control]]


class JudgedControls(NamedTuple):
    """The controls of a run.

    Attributes:
        rates: `RATES` with Wilson's intervals; a control that could not be judged is in none.
        records: Each control with its verdict.
        digest: What pins the panel.
    """

    rates: Mapping[str, MetricSummary]
    records: Sequence[Mapping[str, Any]]
    digest: str

    @property
    def signature(self) -> str:
        """E.g. `60-1f0a9c3e`: how many, and the digest."""
        return f"{len(self.records)}-{self.digest}"

    def write(self, folder: Path) -> None:
        """Write `controls.json`."""
        rates = {name: one._asdict() for name, one in self.rates.items()}
        content = {"controls": self.signature, "rates": rates, "records": list(self.records)}
        with replace_file(folder / CONTROLS, errors="replace") as out:
            out.write(json.dumps(content, indent=1, ensure_ascii=False) + "\n")


def judge_controls(pipeline: Pipeline, sample: ControlSample, make: Make) -> JudgedControls | None:
    """The controls that *make* finds in *sample*, judged by the run's verifier and thresholds; None if it finds none.

    Verdicts are cached by verifier, thresholds and texts, so that the same evidence is judged once.
    """
    settings = pipeline.settings()
    key = content_key("controls", VERSION, settings["verify"], settings["prec"], *(s.key for s in sample.passages),
                      "", *(s.key for s in sample.claims))  # fmt: skip
    store = Cache("controls")
    stored = store.get(key)
    if stored is not None:
        records = json.loads(stored)
    else:
        records = _judge(pipeline, make(sample))
        if not any(record["label"] == "unverified" for record in records):
            store.put(key, json.dumps(records).encode("utf-8", "surrogatepass"))
    if not records:
        return None
    texts = [text for record in records for text in (record["kind"], record["claim"], record["passage_key"])]
    return JudgedControls(_compute_rates(records), records, content_key(VERSION, *texts)[:8])


def compare_with_usual(rates: Mapping[str, MetricSummary], verifier: str) -> list[str]:
    """What a reader must know: rates whose whole interval lies on the worse side of what is usual for the verifier."""
    usual = read_usual_rates().get(next(iter(PartSignature.of(verifier).settings), ""), {})
    notes = []
    for name, (low, high, panels) in usual.items():
        one = rates[name]
        worse = one.low > high if name == "false_support" else one.high < low
        if one.n and worse:
            side = "above" if name == "false_support" else "below"
            seen = f"{name.replace('_', ' ')} {one.mean:.0%} [{one.low:.0%}, {one.high:.0%}]"
            notes.append(
                f"controls: {seen} is {side} the usual range of this verifier ({low:.0%} to {high:.0%} on {panels} "
                f"panels): it reads this evidence worse than other evidence; see {CONTROLS}"
            )
    return notes


def _judge(pipeline: Pipeline, panel: Sequence[Control]) -> list[dict[str, Any]]:
    verdicts = judge(
        pipeline.verifier,
        [Case(Claim(one.claim), (one.passage,), None, one.claim) for one in panel],
        [None] * len(panel),
        threshold=pipeline.profile.threshold,
        contradiction=pipeline.profile.threshold_contradiction,
        evidence_less=False,
    ).verdicts
    return [
        {
            "kind": one.kind, "expected": EXPECTED[one.kind], "label": verdict.label, "claim": one.claim,
            "source": one.source, "passage": one.passage.id, "passage_key": content_key(one.passage.text)[:16],
            "p_support": number_or_none(verdict.p_support), "p_contradict": number_or_none(verdict.p_contradict),
        }
        for one, verdict in zip(panel, verdicts, strict=True)
    ]  # fmt: skip


def _compute_rates(records: Sequence[Mapping[str, Any]]) -> dict[str, MetricSummary]:
    def compute_rate(label: str, *kinds: Kind) -> MetricSummary:
        among = [one["label"] for one in records if one["kind"] in kinds and one["label"] != "unverified"]
        return _estimate_share(among.count(label), len(among))

    found = (
        compute_rate("supported", "quoted"),
        compute_rate("contradicted", "changed"),
        compute_rate("supported", "changed", "other"),
    )
    return dict(zip(RATES, found, strict=True))


def _estimate_share(k: int, n: int) -> MetricSummary:
    """The share *k* of *n* with Wilson's 95% interval."""
    from scipy.stats import binomtest

    if not n:
        return MetricSummary(math.nan, math.nan, math.nan, 0, "none: no control")
    limits = binomtest(k, n).proportion_ci(0.95, "wilson")
    return MetricSummary(k / n, float(limits.low), float(limits.high), n, "wilson")


def _keep(kept: list[Seen], one: Seen) -> None:
    """Put *one* into *kept*, which holds the smallest keys in order, each once."""
    if len(kept) == _KEPT and one.key >= kept[-1].key:
        return
    if all(other.key != one.key for other in kept):
        insort(kept, one, key=lambda seen: seen.key)
        del kept[_KEPT:]


@cache
def read_usual_rates() -> Mapping[str, Mapping[str, tuple[float, float, int]]]:
    """Verifier to rate, to the least and the greatest value on other panels and how many: `controls.tsv`."""
    found: dict[str, dict[str, tuple[float, float, int]]] = {}
    for line in (files("fas.pipeline.runs") / "controls.tsv").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            verifier, name, low, high, panels = line.split("\t")
            found.setdefault(verifier, {})[name] = (float(low), float(high), int(panels))
    return found
