"""`report.html` of a revision: every question with its answers side by side, each sentence marked with its verdict.

One file that asks nothing of the network. Text reaches it escaped, never as markup. Questions are written as they come
and shown by the browser as they scroll into sight; the numbers above them are written last.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from importlib.resources import files
from itertools import pairwise
from pathlib import Path
from types import TracebackType
from typing import IO, TYPE_CHECKING, Any, Self

from markupsafe import Markup, escape

from fas.core.files.own import replace_file
from fas.core.records.stored import AnswerRecord
from fas.report.tables import estimate_text

if TYPE_CHECKING:
    from fas.leaf.questions import Question
    from fas.leaf.revision_report import Revised
    from fas.leaf.rounds import RevisionRound

_SYMBOLS = {"supported": "✓", "contradicted": "✗", "unsupported": "?", "unverified": "–"}
_STOPS = {
    "correct": "nothing failed the check",
    "limit": "something still fails, and no round was left",
    "unchanged": "the answer or the documents did not change",
    "no_knowledge": "something failed, and no document was found for it",
    "unchecked": "the answer states nothing that could be checked",
    "unverified": "something could not be verified, and nothing failed",
    "failed": "the next answer could not be had",
}
_STYLE = """
article { border-top: 2px solid var(--line); padding: 1rem 0; }
article { content-visibility: auto; contain-intrinsic-size: auto 24rem; }
.answers { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 22rem), 1fr)); gap: 1.25rem; }
.answer { background: var(--panel); border: 1px solid var(--line); border-radius: .4rem; padding: .75rem .9rem; }
.answer.final { border-color: var(--accent); border-width: 2px; }
.answer h4 { margin: 0 0 .4rem; font-size: .95rem; }
.text { white-space: pre-wrap; }
.question { white-space: pre-wrap; font-weight: 600; }
mark { color: inherit; border-radius: .2rem; padding: 0 .1rem; }
mark::after { content: attr(data-symbol); font-size: .75em; vertical-align: super; margin-left: .1em; }
mark.supported { background: var(--supported-bg); } mark.contradicted { background: var(--contradicted-bg); }
mark.unsupported { background: var(--unsupported-bg); } mark.unverified { background: var(--unverified-bg); }
"""


class PageWriter:
    """Writes the page; use as a context manager, the file appears when `close` was called and the block ends well."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._spool: IO[str] = tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace")  # noqa: SIM115
        self._revised: Revised | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        try:
            if kind is None and self._revised is not None:
                with replace_file(self._path, errors="replace") as out:
                    out.write(_head(self._revised))
                    self._spool.seek(0)
                    for piece in iter(lambda: self._spool.read(1 << 16), ""):
                        out.write(piece)
                    out.write("</main>\n</body>\n</html>\n")
        finally:
            self._spool.close()

    def add(self, question: Question, rounds: Sequence[RevisionRound], final: int, stop: str) -> None:
        """A question with its answers."""
        answers = Markup("\n").join(
            _answer(one.number, one.answers.get(question.id) or {}, one.scores.get(question.id), final=i == final)
            for i, one in enumerate(rounds)
        )
        right = f"; the right option is ({question.answer})" if question.answer is not None else ""
        self._spool.write(
            Markup(
                '<article id="{id}">\n<h3>{id} <small>{stop}: {why}{right}</small></h3>\n'
                '<p class="question">{question}</p>\n<div class="answers">\n{answers}\n</div>\n</article>\n'
            ).format(id=question.id, stop=stop, why=_STOPS[stop], right=right, question=question.shown, answers=answers)
        )

    def close(self, revised: Revised) -> None:
        """The numbers above the questions."""
        self._revised = revised


def _answer(number: int, answer: Mapping[str, Any], scores: AnswerRecord | None, *, final: bool) -> Markup:
    claims = [] if scores is None else scores["claims"]
    text = str(answer.get("prediction", ""))
    passed = sum(claim["label"] == "supported" for claim in claims)
    checked = f"{passed} of {len(claims)} statements supported" if scores is not None else "not checked"
    shown = answer.get("knowledge")
    documents = f"; {len(shown)} documents in its prompt" if shown else ""
    documents += f", {answer['knowledge_cut']} left out" if answer.get("knowledge_cut") else ""
    loose = [claim for claim in claims if claim["start"] is None]
    listed = Markup("").join(Markup("<li>{}</li>").format(_mark(c["label"], c["text"])) for c in loose)
    return Markup(
        '<section class="answer{final}"><h4>{name}: {checked}{documents}</h4>'
        '<div class="text">{text}</div>{rest}</section>'
    ).format(
        final=" final" if final else "",
        name=("First answer" if number == 0 else f"Answer of round {number}") + (" (final)" if final else ""),
        checked=checked,
        documents=documents,
        text=_mark_claims(text, [claim for claim in claims if claim["start"] is not None]),
        rest=Markup("<ul>{}</ul>").format(listed) if loose else "",
    )


def _mark_claims(text: str, claims: Sequence[Mapping[str, Any]]) -> Markup:
    """*text* with each claim's source marked; where several claims share characters, the worst verdict shows."""
    worst = ("supported", "unverified", "unsupported", "contradicted")
    # Where any claim begins or ends, the marks may change.
    edges = sorted({0, len(text), *(claim["start"] for claim in claims), *(claim["end"] for claim in claims)})
    parts = []
    for start, end in pairwise(edges):
        over = [claim for claim in claims if claim["start"] <= start and end <= claim["end"]]
        piece = text[start:end]
        if not over or not piece.strip():
            parts.append(escape(piece))
            continue
        label = max((claim["label"] for claim in over), key=worst.index)
        title = "; ".join(f"{claim['label']}: {claim['text']}" for claim in over)
        parts.append(_mark(label, piece, title))
    return Markup("").join(parts)


def _mark(label: str, text: str, title: str = "") -> Markup:
    """*text* marked with a verdict."""
    said = Markup(' title="{}"').format(title) if title else ""
    return Markup('<mark class="{}" data-symbol="{}"{}>{}</mark>').format(label, _SYMBOLS[label], said, text)


def _head(revised: Revised) -> Markup:
    style = (files("fas.report") / "page.css").read_text(encoding="utf-8") + _STYLE
    rows = Markup("").join(
        Markup('<tr><td>{}</td><td class="num">{}</td><td class="num">{}</td><td class="num">{}</td></tr>').format(
            _MEANING[name],
            estimate_text(*revised.before[name][:3]),
            estimate_text(*revised.after[name][:3]),
            estimate_text(*(getattr(revised.differences[name], part) for part in ("difference", "low", "high"))),
        )
        for name in revised.before
    )
    stops = Markup("").join(
        Markup("<li><b>{}</b> {}: {}</li>").format(n, name, _STOPS[name]) for name, n in revised.stops.items()
    )
    notes = Markup("").join(Markup("<li>{}</li>").format(note) for note in revised.notes)
    legend = Markup(" ").join(_mark(label, label) for label in _SYMBOLS)
    return Markup(
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
        "base-uri 'none'; form-action 'none'\">\n"
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        "<title>Answers before and after</title>\n"
        '<style>{style}</style>\n</head>\n<body>\n<div class="top">\n<h1><span class="what">Answers before and after '
        'their check</span></h1>\n<p class="sub">{n} questions; answers in each round: {rounds}</p>\n'
        '<div class="scroll" tabindex="0">\n'
        '<table class="compact"><thead><tr><th>Mean over questions, 95% interval</th><th class="num">first answer</th>'
        '<th class="num">final answer</th><th class="num">difference</th></tr></thead><tbody>{rows}</tbody></table>\n'
        "</div>\n"
        '<ul class="facts">{stops}</ul>\n<div class="notes"><ul>{notes}</ul></div>\n<p>{legend}</p>\n</div>\n<main>\n'
    ).format(
        style=Markup(style),
        n=revised.n,
        rounds=", ".join(map(str, revised.rounds)),
        rows=rows,
        stops=stops,
        notes=notes,
        legend=legend,
    )


_MEANING = {
    "rafe": "Share of statements that are supported",
    "correct": "Answers whose every statement is supported",
    "right": "Answers that choose the right option",
}
