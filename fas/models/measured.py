"""What labelled claims say of an embedded verifier: the `measured.json` beside it (`recipes.verifier.calibrate`)."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any, NamedTuple

from fas.core.records import MetricSummary
from fas.core.records.signature import Signature
from fas.models.paths import EMBEDDED, model_folder

FILE = "measured.json"
SUPPORT, CONTRA, UNSUPPORTED = "support", "contra", "unsupported"
_VERDICTS = {"supported": "S", "contradicted": "C"}


class Measured(NamedTuple):
    """How a run's verifier did on labelled claims.

    Attributes:
        right: Verdict to the number that is right and the number that was given.
        bias: Share to how much higher verdicts put it than labels, in [-1, 1], with its 95% interval by question
            and the number of claims. Empty unless the run used the version and the thresholds that were measured.
    """

    name: str
    model: str
    used: str
    source: str
    right: Mapping[str, tuple[int, int]]
    bias: Mapping[str, MetricSummary]


def read_measured(signature: str) -> Measured | None:
    """What is measured of the verifier in a run's *signature*; None where there is no measurement."""
    verifier = Signature.of(signature).part("verify")
    for name in EMBEDDED:
        used = next((one for one in verifier.settings if one == name or one.startswith(f"{name}@")), None)
        path = model_folder(name) / FILE
        if used is None or not path.is_file():
            continue
        card = json.loads(path.read_text(encoding="utf-8"))
        found, turns = card["measured"], card["thresholds"]
        # A difference to a trunk names the parts' hashes behind its version.
        used = used.partition("+")[0]
        t = verifier.value("t")
        at = (f"{turns['support']:.2f}", f"{turns['contradiction']:.2f}")
        right = {label: (found[key]["right"], found[key]["called"]) for label, key in _VERDICTS.items()}
        is_this = (used, t, verifier.value("tc") or t) == (card["model"], *at)
        bias = {share: _summarise(one) for share, one in found["bias"].items()} if is_this else {}
        return Measured(name, card["model"], used, card["source"], right, bias)
    return None


def _summarise(one: Mapping[str, Any]) -> MetricSummary:
    low, high = (math.nan if one[end] is None else one[end] for end in ("low", "high"))
    return MetricSummary(one["mean"], low, high, one["n"], one["interval"])
