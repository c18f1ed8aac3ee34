"""`audit.html`: one file that asks nothing of the network; text reaches it escaped, never as markup."""

from __future__ import annotations

import math
from collections.abc import Sequence
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from fas.core.records import Verdict
from fas.report.tables import interval, number, p_value, percent, signed

if TYPE_CHECKING:
    from fas.integrations.logs.audit import Audit
    from fas.integrations.logs.beside import Apart

_SYMBOLS = {"supported": "✓", "contradicted": "✗", "unsupported": "?", "unverified": "–"}
_WORST, _BEST = 20, 5
_FAR = 0.25
"""Answers are shown whose ranks lie further apart than this part of the order."""
_STYLE = """
article { border-top: 2px solid var(--line); padding: .75rem 0; }
.text { white-space: pre-wrap; background: var(--panel); border: 1px solid var(--line); padding: .5rem .75rem; }
mark { color: inherit; border-radius: .2rem; padding: 0 .2rem; }
mark.supported { background: var(--supported-bg); } mark.contradicted { background: var(--contradicted-bg); }
mark.unsupported { background: var(--unsupported-bg); } mark.unverified { background: var(--unverified-bg); }
"""


def render_page(audit: Audit, *, link: str = "") -> str:
    """The page; *link* is where the report of all claims lies, if there is one."""
    log = audit.log
    parts = [
        _section(
            "What the log says",
            "Means over answers that have a number. Intervals (95%) take each question as one unit. A judgement that "
            "failed is in no mean; as stored: the mean of what the log has in its place.",
            _table(*audit.score_rows()),
        )
    ]
    failures = [[one.name, n, why] for one in audit.scores for why, n in one.failures.items()]
    if failures:
        parts.append(_section("Judgements that failed", "", _table(["score", "n", "why"], failures)))
    if audit.differences:
        rows = [
            [one["name"], one["a"], one["b"], signed(one["difference"]), _limits(one, "signed"), p_value(one["p"]),
             p_value(one["p_holm"]), one["n"]]
            for one in audit.differences
        ]  # fmt: skip
        header = ["score", "A", "B", "A - B", "95% interval", "p", "p (Holm)", "questions"]
        said = "Differences over the questions that both answered, by paired tests; Holm's correction for all."
        parts.append(_section("Systems compared", said, _table(header, rows)))
    if audit.corrected:
        rows = [
            [one["name"], number(one["raw"]), number(one["mean"]), _limits(one), number(one["alone"]), one["n_labels"],
             one.get("labels_to_halve") or "no number is enough"]
            for one in audit.corrected
        ]  # fmt: skip
        header = ["score", "by the judge", "corrected", "95% interval", "labels alone", "labels", "labels to halve it"]
        said = "What people would give on average, from their labels and all scores (prediction-powered)."
        parts.append(_section("Corrected by labels", said, _table(header, rows)))
    if audit.agreement:
        rows = [[one["name"], number(one["spearman"]), _limits(one), one["n"]] for one in audit.agreement if one["n"]]
        said = (
            "Rank correlation of each score with the evidence score of the same answers; negative where less of "
            "a score is better."
        )
        table = _table(["score", "Spearman", "95% interval", "answers"], rows)
        more = Markup('<p><a href="{}">All claims with their evidence</a></p>').format(link) if link else Markup()
        parts.append(_section("Beside evidence", said, table, more))
    if audit.apart:
        parts.append(_apart(audit))
    if audit.features:
        rows = [
            [one["name"], one["feature"], number(one["spearman"]), _limits(one), number(one["given_evidence"]),
             one["n"]]
            for one in audit.features
        ]  # fmt: skip
        said = (
            "Rank correlation of each score with the form of the answers; given evidence: the partial one between "
            "answers that evidence supports alike."
        )
        header = ["score", "feature", "Spearman", "95% interval", "given evidence", "answers"]
        parts.append(_section("What else scores follow", said, _table(header, rows)))
    if audit.reasked is not None:
        parts.append(_reasked(audit))
    style = (files("fas.report") / "page.css").read_text(encoding="utf-8") + _STYLE
    notes = Markup("").join(Markup("<li>{}</li>").format(note) for note in audit.notes)
    return Markup(
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
        "base-uri 'none'; form-action 'none'\">\n"
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n<title>Audit of a log</title>\n'
        '<style>{style}</style>\n</head>\n<body>\n<div class="top">\n'
        '<h1><span class="what">Audit of {logs}</span></h1>\n'
        '<p class="sub">{form}: {n} answers to {units} questions</p>\n<div class="notes"><ul>{notes}</ul></div>\n'
        "</div>\n<main>\n{parts}\n</main>\n</body>\n</html>\n"
    ).format(
        style=Markup(style),
        logs=", ".join(path.name for path in log.paths),
        form=log.form,
        n=len(log.answers),
        units=len({one.unit for one in log.answers}),
        notes=notes,
        parts=Markup("\n").join(parts),
    )


def _apart(audit: Audit) -> Markup:
    """The answers on which log and evidence differ most."""
    high = [one for one in audit.apart if one.by > _FAR][:_WORST]
    low = [one for one in reversed(audit.apart) if one.by < -_FAR][:_BEST]
    said = f"Answers that {audit.main} ranks higher than evidence does, the furthest apart first"
    return _section(
        "Where log and evidence disagree most",
        f"{said}; below them {len(low)} that it ranks lower.",
        *(_answer(one, audit.main) for one in (*high, *low)),
    )


def _answer(one: Apart, name: str) -> Markup:
    claims = Markup("").join(map(_claim, one.checked.verdicts))
    flags = Markup("").join(
        Markup("<li><b>{}</b>: {}</li>").format(flag.flag, flag.message)
        for flag in one.checked.flags
        if flag.status is None
    )
    return Markup(
        "<article>\n<h3>{id} <small>{name} {logged:g}, evidence {checked}{system}</small></h3>\n"
        '<p><b>{question}</b></p>\n<div class="text">{text}</div>\n<ul>{claims}{flags}</ul>\n</article>'
    ).format(
        id=one.answer.id,
        name=name,
        logged=one.logged,
        checked=number(one.checked.fas_evidence),
        system=f", {one.answer.system}" if one.answer.system else "",
        question=one.answer.question or "",
        text=one.answer.prediction or "",
        claims=claims,
        flags=flags,
    )


def _claim(verdict: Verdict) -> Markup:
    side = "p_contradict" if verdict.label == "contradicted" else "p_support"
    judged = [one for one in verdict.evidence if not math.isnan(getattr(one.judgement, side))]
    best = max(judged, key=lambda one: float(getattr(one.judgement, side)), default=None)
    said = (
        (best.judgement.sentence or best.passage.text[:300]) if best is not None else verdict.failure or "no evidence"
    )
    return Markup('<li><mark class="{}">{} {}</mark> {} <small>{}</small></li>').format(
        verdict.label, _SYMBOLS[verdict.label], verdict.label, verdict.claim.text, said
    )


def _reasked(audit: Audit) -> Markup:
    one = audit.reasked or {}
    lost = one["not_survived"]
    rows = [[name, signed(got["mean"]), _limits(got, "signed"), got["n"]] for name, got in one["changes"].items()]
    said = (
        f"{one['judge']} was asked again for {one['n']} answers, {one['n_logged_prompts']} of them with the words that "
        f"the log has ({one['n_requests']} requests, {one['n_unread']} replies could not be read). "
        f"{percent(lost['mean'])} of the {lost['n']} scores {_limits(lost, 'percent')} do not survive: they lie half "
        f"the scale or more from the first one. Form alone moves {percent(one['moved_by_form'])} of the answers so far."
    )
    table = _table(["change of form", "mean change", "95% interval", "answers"], rows)
    return _section(f"{audit.main} asked again", said, table)


def _limits(one: Any, form: str = "number") -> str:
    return interval(one["low"], one["high"], form=form, how=one["how"])


def _section(title: str, text: str, *content: Markup) -> Markup:
    said = Markup("<p>{}</p>\n").format(text) if text else ""
    return Markup("<section>\n<h2>{}</h2>\n{}{}\n</section>").format(title, said, Markup("\n").join(content))


def _table(header: Sequence[str], rows: Sequence[Sequence[Any]]) -> Markup:
    """A table; cells that begin with a digit, a sign or a bracket are numbers."""

    def cell(value: Any, tag: str) -> Markup:
        text = str(value)
        kind = Markup(' class="num"') if text[:1] in "0123456789+-[" else ""
        return Markup("<{0}{1}>{2}</{0}>").format(Markup(tag), kind, text)

    head = Markup("").join(cell(name, "th") for name in header)
    body = Markup("").join(
        Markup("<tr>{}</tr>").format(Markup("").join(cell(one, "td") for one in row)) for row in rows
    )
    return Markup(
        '<div class="scroll" tabindex="0"><table class="compact"><thead><tr>{}</tr></thead><tbody>{}</tbody></table>'
        "</div>"
    ).format(head, body)
