"""`audit.html`: one file without network access, made by an escaping template."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from importlib.resources import files
from typing import TYPE_CHECKING, Any, NamedTuple

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from fas.core.records import Verdict
from fas.report.tables import interval, number, p_value, percent, signed

if TYPE_CHECKING:
    from fas.integrations.logs.audit import Audit
    from fas.integrations.logs.beside import Apart

_SYMBOLS = {"supported": "✓", "contradicted": "✗", "unsupported": "?", "unverified": "–"}
_WORST, _BEST = 20, 5
_FAR = 0.25
"""The page shows answers whose ranks differ by more than this share of the order."""


class _Section(NamedTuple):
    title: str
    text: str = ""
    header: Sequence[str] = ()
    rows: Sequence[Sequence[Any]] = ()
    link: str = ""
    answers: Sequence[Apart] = ()


def render_page(audit: Audit, *, link: str = "") -> str:
    """The page; *link* leads to the report of all claims, if there is one."""
    environment = Environment(
        loader=PackageLoader("fas.integrations", "logs"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("audit.html").render(
        log=audit.log,
        n_questions=len({one.unit for one in audit.log.answers}),
        main=audit.main,
        notes=audit.notes,
        sections=list(_sections(audit, link)),
        css=Markup((files("fas.report") / "page.css").read_text(encoding="utf-8")),
        symbols=_SYMBOLS,
        number=number,
        evidence_of=_find_evidence,
    )


def _sections(audit: Audit, link: str) -> Iterator[_Section]:
    yield _Section(
        "What the log says",
        "Means over answers that have a number. Intervals (95%) take each question as one unit. A judgement that "
        "failed is in no mean; as stored: the mean of what the log has in its place.",
        *audit.score_rows(),
    )
    failures = [[one.name, n, why] for one in audit.scores for why, n in one.failures.items()]
    if failures:
        yield _Section("Judgements that failed", "", ["score", "n", "why"], failures)
    if audit.differences:
        yield _Section(
            "Systems compared",
            "Differences over the questions that both answered, by paired tests; Holm's correction for all.",
            ["score", "A", "B", "A - B", "95% interval", "p", "p (Holm)", "questions"],
            [
                [one["name"], one["a"], one["b"], signed(one["difference"]), _limits(one, "signed"),
                 p_value(one["p"]), p_value(one["p_holm"]), one["n"]]
                for one in audit.differences
            ],
        )  # fmt: skip
    if audit.corrected:
        yield _Section(
            "Corrected by labels",
            "What people would give on average, from their labels and all scores (prediction-powered).",
            ["score", "by the judge", "corrected", "95% interval", "labels alone", "labels", "labels to halve it"],
            [
                [one["name"], number(one["raw"]), number(one["mean"]), _limits(one), number(one["alone"]),
                 one["n_labels"], one.get("labels_to_halve") or "no number is enough"]
                for one in audit.corrected
            ],
        )  # fmt: skip
    if audit.agreement:
        yield _Section(
            "Beside evidence",
            "Rank correlation of each score with the evidence score of the same answers; negative where less of "
            "a score is better.",
            ["score", "Spearman", "95% interval", "answers"],
            [[one["name"], number(one["spearman"]), _limits(one), one["n"]] for one in audit.agreement if one["n"]],
            link,
        )
    if audit.apart:
        high = [one for one in audit.apart if one.by > _FAR][:_WORST]
        low = [one for one in reversed(audit.apart) if one.by < -_FAR][:_BEST]
        yield _Section(
            "Where log and evidence disagree most",
            f"Answers that {audit.main} ranks higher than evidence does, the furthest apart first; below them "
            f"{len(low)} that it ranks lower.",
            answers=[*high, *low],
        )
    if audit.features:
        yield _Section(
            "What else scores follow",
            "Rank correlation of each score with the form of the answers; given evidence: the partial one between "
            "answers that evidence supports alike.",
            ["score", "feature", "Spearman", "95% interval", "given evidence", "answers"],
            [
                [one["name"], one["feature"], number(one["spearman"]), _limits(one), number(one["given_evidence"]),
                 one["n"]]
                for one in audit.features
            ],
        )  # fmt: skip
    if audit.reasked is not None:
        one = audit.reasked
        lost = one["not_survived"]
        yield _Section(
            f"{audit.main} asked again",
            f"{one['judge']} was asked again for {one['n']} answers, {one['n_logged_prompts']} of them with the words "
            f"that the log has ({one['n_requests']} requests, {one['n_unread']} replies could not be read). "
            f"{percent(lost['mean'])} of the {lost['n']} scores {_limits(lost, 'percent')} do not survive: they lie "
            f"half the scale or more from the first one. Form alone moves {percent(one['moved_by_form'])} of the "
            "answers so far.",
            ["change of form", "mean change", "95% interval", "answers"],
            [[name, signed(got["mean"]), _limits(got, "signed"), got["n"]] for name, got in one["changes"].items()],
        )


def _find_evidence(verdict: Verdict) -> str:
    """The sentence that weighed most for the label, or why there is none."""
    side = "p_contradict" if verdict.label == "contradicted" else "p_support"
    judged = [one for one in verdict.evidence if not math.isnan(getattr(one.judgement, side))]
    best = max(judged, key=lambda one: float(getattr(one.judgement, side)), default=None)
    if best is None:
        return verdict.failure or "no evidence"
    return best.judgement.sentence or best.passage.text[:300]


def _limits(one: Any, form: str = "number") -> str:
    return interval(one["low"], one["high"], form=form, how=one["how"])
