"""The table that `fas score` prints."""

from __future__ import annotations

from collections.abc import Mapping

from fas.core.checks import count_of
from fas.core.records import MetricSummary, Report
from fas.core.records.stored import metric_field
from fas.report.tables import kinds_text, limits, means_table, number, percent, share_text, text_table, wrap_paragraph
from fas.report.wrong import describe_bias_source, format_bias


def render_table(report: Report) -> str:
    """The report as plain text: metrics, groups, flags, notes, signature.

    An undefined mean shows as a dash, and a missing interval as its reason. There are no colour codes.
    """
    blocks = [_format_headline(report)]
    if said := say_controls(report):
        blocks.append(wrap_paragraph(said))
    if report.metrics:
        header = ["metric", "mean over answers", "SD", "95% interval", "answers"]
        blocks.append(means_table(header, report.metrics, report.spread))
    if report.claim_shares:
        blocks.append(_format_claims(report))
    for score, parts in report.variance.items():
        rows = [[name, percent(one)] for name, one in parts.items()]
        blocks.append(text_table([f"variance of {score} by term", "share"], rows))
    for field, values in report.groups.items():
        blocks.append(_format_group(field, values))
    if report.flags:
        rows = [
            [name, str(rate.answers), percent(rate.rate), limits(rate, "percent")]
            for name, rate in report.flags.items()
        ]
        blocks.append(text_table(["safety flag", "answers", "rate", "95% interval"], rows))
    if kinds := explain_kinds(report):
        blocks.append(wrap_paragraph(f"Intervals: {kinds}."))
    if report.notes:
        blocks.append("\n".join(wrap_paragraph(note, bullet="! ") for note in report.notes))
    blocks.append(report.signature)
    return "\n\n".join(blocks)


def say_result(report: Report) -> str:
    """The result in a sentence: mean shares of an answer's claims with their intervals, and the share of all claims.

    >>> from types import SimpleNamespace as Some
    >>> support, contra = MetricSummary(0.75, 0.5, 0.9, 2), MetricSummary(0.125, 0, 0.25, 2)
    >>> of_all = MetricSummary(0.7, 0.5, 0.9, 8)
    >>> given = Some(n=3, metrics={"support@5": support, "contra@5": contra}, claim_shares={"support@5": of_all})
    >>> print(wrap_paragraph(say_result(given)))
    On average over 2 of 3 answers, the evidence supports 75.0% [50.0%, 90.0%] of an answer's claims and
    contradicts 12.5% [0.0%, 25.0%]; of all 8 verified claims it supports 70.0%.
    """
    means = {metric_field(name): one for name, one in report.metrics.items()}
    shares = {metric_field(name): one for name, one in report.claim_shares.items()}
    if "support" not in means or not means["support"].n:
        return f"No claim of {count_of(report.n, 'answer')} was verified."
    support, contra = means["support"], means["contra"]
    said = (
        f"On average over {support.n} of {report.n} answers, the evidence supports {share_text(support)} of an "
        f"answer's claims and contradicts {share_text(contra)}"
    )
    if (of_all := shares.get("support")) is not None and of_all.n:
        said += f"; of all {of_all.n} verified claims it supports {percent(of_all.mean)}"
    return said + "."


def say_controls(report: Report) -> str:
    """How the verifier did on the run's controls, in a sentence; empty where there are none.

    >>> from types import SimpleNamespace as Some
    >>> rate = MetricSummary(0.9, 0.7, 0.97, 20)
    >>> rates = {"supports_found": rate, "contradictions_found": rate, "false_support": rate._replace(n=40)}
    >>> print(wrap_paragraph(say_controls(Some(controls=rates))))
    On 60 controls of this run: supports found 90.0% [70.0%, 97.0%], contradictions found 90.0% [70.0%,
    97.0%], false support 90.0% [70.0%, 97.0%].
    """
    rates = report.controls
    if not rates:
        return ""
    said = ", ".join(f"{name.replace('_', ' ')} {share_text(one)}" for name, one in rates.items() if one.n)
    n = rates["supports_found"].n + rates["false_support"].n
    return f"On {n} controls of this run: {said}."


def _format_headline(report: Report) -> str:
    parts = [f"{report.n} answer{'' if report.n == 1 else 's'}"]
    if report.n_unscored:
        abstained = f" ({report.n_abstained} abstained)" if report.n_abstained else ""
        parts.append(f"{report.n_unscored} without a verified claim{abstained}")
    if report.n_language:
        parts.append(f"{report.n_language} not scored: language")
    if report.n_failed:
        parts.append(f"{report.n_failed} failed")
    return ", ".join(parts)


def _format_claims(report: Report) -> str:
    header, rows = ["share of all claims", "share", "95% interval", "claims"], []
    for name, one in report.claim_shares.items():
        rows.append([name, percent(one.mean), limits(one, "percent"), str(one.n)])
        if report.bias:
            rows[-1].append(format_bias(report.bias.get(name)))
    if not report.bias:
        return text_table(header, rows)
    return f"{text_table([*header, 'reads, in points'], rows)}\n{wrap_paragraph(describe_bias_source(report))}"


def explain_kinds(report: Report) -> str:
    """The kinds of its intervals, in words; empty for none."""
    return kinds_text(
        one.how for found in (report.metrics, report.claim_shares, report.flags) for one in found.values()
    )


def _format_group(field: str, values: Mapping[str, Mapping[str, MetricSummary]]) -> str:
    """One row per value of *field*, with the metrics that have a mean in any of them.

    The last column is the largest number of values behind a mean of the row.
    """
    names = list(dict.fromkeys(name for metrics in values.values() for name in metrics))
    shown = [name for name in names if any(name in metrics and metrics[name].n > 0 for metrics in values.values())]
    undefined = MetricSummary(float("nan"), float("nan"), float("nan"), 0)
    rows = []
    for value, metrics in values.items():
        most = max((summary.n for summary in metrics.values()), default=0)
        rows.append([value, *(number(metrics.get(name, undefined).mean) for name in shown), str(most)])
    return text_table([field, *shown, "n (most)"], rows)
