"""The reviewer's queue as its description has it."""

from __future__ import annotations

from fas.report.review import KINDS


def meets(claim, flag):
    return claim["start"] < flag["end"] and flag["start"] < claim["end"]


def by_hand(records):
    """The queue as its description has it, sorted by plain tuples."""
    gravity = {"high": 0, "medium": 1}
    found = []
    for row, record in enumerate(records):
        counted = [(i, flag) for i, flag in enumerate(record["flags"]) if flag["status"] is None]
        for i, claim in enumerate(record["claims"]):
            own = [flag for _, flag in counted if meets(claim, flag)]
            contra, support = claim["p_contradict"] or 0, claim["p_support"] or 0
            if claim["label"] == "contradicted":
                key = (0, -contra)
            elif own:
                key = (1, min(gravity[flag["severity"]] for flag in own))
            else:
                key = {"unsupported": (2, -contra), "unverified": (3, 0), "supported": (4, support)}[claim["label"]]
            found.append((key, len(found), row, i))
        for k, flag in counted:
            if not any(meets(claim, flag) for claim in record["claims"]):
                found.append(((1, gravity[flag["severity"]]), len(found), row, -k - 1))
    return [(row, number, KINDS[key[0]]) for key, _, row, number in sorted(found)]
