"""One answer as a notebook shows it: its text with the claims marked, their verdicts and evidence, its flags."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from html import escape
from typing import Any

from fas.core.checks import count_of
from fas.core.records.stored import metric_name

_SIGNS = {"supported": "✓", "contradicted": "✗", "unsupported": "?", "unverified": "…"}
# Half transparent, so that the text keeps its contrast on light and on dark pages.
_COLOURS = {
    "supported": "rgba(10, 92, 158, .18)",
    "contradicted": "rgba(200, 70, 0, .25)",
    "unsupported": "rgba(170, 140, 0, .22)",
    "unverified": "rgba(107, 63, 160, .2)",
}
_SCORES = ("fas", "fas_evidence", "support", "contra", "unsupported", "rougeL", "bertscore_f1")


def html_table(header: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A table of texts as HTML."""
    lines = [("th", header), *(("td", row) for row in rows)]
    cells = ("".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in row) for tag, row in lines)
    return f"<table>{''.join(f'<tr>{row}</tr>' for row in cells)}</table>"


@dataclass(frozen=True, slots=True)
class ShownAnswer:
    """An answer for display: notebooks show it as HTML, `print` writes it as text.

    Attributes:
        record: The answer, as a line of `scores.jsonl` has it.
    """

    record: Mapping[str, Any]

    def __str__(self) -> str:
        """Question, answer, scores, then a line for each claim with its passages below, then the flags."""
        one = self.record
        lines = [f"answer {one['id']}", *(f"question: {one['question']}" for _ in range(bool(one["question"])))]
        lines += [one["prediction"] or "(empty)", "  ".join(f"{name} {value}" for name, value in self._list_scores())]
        if one["error"] is not None:
            lines.append(f"not scored: {one['error']['message']}")
        for number, claim in enumerate(one["claims"], start=1):
            lines.append(
                f"{number}. {_SIGNS[claim['label']]} {claim['label']}: {claim['text']}{_format_chances(claim)}"
            )
            lines += [f"     {_name_source(passage)}: {passage['sentence'] or ''}" for passage in claim["evidence"]]
        lines += [f"! {flag['code'] or flag['flag']} ({flag['severity']}): {flag['message']}" for flag in one["flags"]]
        return "\n".join(line for line in lines if line)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        one = self.record
        scores = " &nbsp; ".join(f"{escape(name)} <b>{value}</b>" for name, value in self._list_scores())
        parts = [f"<p><b>{escape(one['id'])}</b> {escape(one['question'] or '')}<br>{scores}</p>"]
        if one["error"] is not None:
            parts.append(f"<p>Not scored: {escape(one['error']['message'] or '')}</p>")
        parts.append(f'<p style="white-space: pre-wrap">{"".join(self._mark_claims())}</p>')
        parts += [claim_html(claim, number) for number, claim in enumerate(one["claims"], start=1)]
        parts += [
            f"<p>⚑ <b>{escape(flag['code'] or flag['flag'])}</b> ({escape(flag['severity'] or '')}): "
            f"{escape(flag['message'])}</p>"
            for flag in one["flags"]
        ]
        return f'<div style="max-width: 60em; text-align: left">{"".join(parts)}</div>'

    def _list_scores(self) -> Iterator[tuple[str, str]]:
        for name, value in self.record.items():
            if name in _SCORES and value is not None:
                yield metric_name(name, self.record["k"]), f"{value:.3f}"

    def _mark_claims(self) -> Iterator[str]:
        """The text with its claims marked; of claims that overlap the one that begins first."""
        text, at = self.record["prediction"] or "", 0
        placed = [claim for claim in self.record["claims"] if claim["start"] is not None]
        for claim in sorted(placed, key=lambda claim: (claim["start"], claim["end"])):
            if claim["start"] < at:
                continue
            yield escape(text[at : claim["start"]])
            style = f"background: {_COLOURS[claim['label']]}; color: inherit"
            marked = escape(text[claim["start"] : claim["end"]])
            yield f'<mark style="{style}" title="{claim["label"]}">{marked}</mark><sup>{_SIGNS[claim["label"]]}</sup>'
            at = claim["end"]
        yield escape(text[at:])


def find_answer(wanted: object, ids: Collection[str]) -> str:
    """The id that *wanted* names; a LookupError, which names similar ids, if no answer has it."""
    name = str(wanted)
    if name in ids:
        return name
    close = get_close_matches(name, ids, n=3)
    hint = (
        f"; did you mean {', '.join(map(repr, close))}?" if close else f"; the run has {count_of(len(ids), 'answer')}"
    )
    raise LookupError(f"no answer {name!r}{hint}")


def claim_html(claim: Mapping[str, Any], number: int | None = None) -> str:
    """A claim of `scores.jsonl` with its verdict and its passages, which are folded if it has a *number* (from 1)."""
    first = "<details open><summary>" if number is None else f"<details><summary>{number}. "
    return (
        f"{first}{_make_badge(claim['label'])} {escape(claim['text'])}<small>{_format_chances(claim)}</small></summary>"
        f"<ul>{''.join(map(_make_item, claim['evidence'])) or '<li>no passage</li>'}</ul></details>"
    )


def _make_badge(label: str) -> str:
    style = f"background: {_COLOURS[label]}; padding: 0 .4em; border-radius: .3em"
    return f'<span style="{style}">{_SIGNS[label]} {label}</span>'


def _format_chances(claim: Mapping[str, Any]) -> str:
    if claim["p_support"] is None:
        return ""
    return f" (supports {claim['p_support']:.3f}, contradicts {claim['p_contradict']:.3f})"


def _name_source(passage: Mapping[str, Any]) -> str:
    found = [passage[name] for name in ("id", "title", "year") if passage[name] is not None]
    return " · ".join(map(str, found)) or "passage"


def _make_item(passage: Mapping[str, Any]) -> str:
    return f"<li><small>{escape(_name_source(passage))}</small><br>{escape(passage['sentence'] or '')}</li>"
