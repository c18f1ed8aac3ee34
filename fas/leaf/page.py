"""`report.html` of a revision: every question with its answers side by side, each sentence marked with its verdict.

One file that requests nothing from the network. The template `page.html` escapes all text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from importlib.resources import files
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fas.core.files.own import replace_file
from fas.core.records.stored import ClaimRecord
from fas.report.tables import estimate_text

if TYPE_CHECKING:
    from fas.leaf.revision_report import Revised
    from fas.leaf.rounds import RevisionRound

_SYMBOLS = {"supported": "✓", "contradicted": "✗", "unsupported": "?", "unverified": "–"}
_WORST = ("supported", "unverified", "unsupported", "contradicted")
_STOPS = {
    "correct": "nothing failed the check",
    "limit": "something still fails, and no round was left",
    "unchanged": "the answer or the documents did not change",
    "no_knowledge": "something failed, and no document was found for it",
    "unchecked": "the answer states nothing that could be checked",
    "unverified": "something could not be verified, and nothing failed",
    "failed": "the next answer could not be had",
}
_MEANING = {
    "rafe": "Share of statements that are supported",
    "correct": "Answers whose every statement is supported",
    "right": "Answers that choose the right option",
}


def write_page(path: Path, revised: Revised, articles: Iterable[Mapping[str, Any]]) -> None:
    """Write the page; each of *articles* has a `question`, `answers`, the number of the `final` one and the `stop`."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    rows = {
        _MEANING[name]: (
            estimate_text(*revised.before[name][:3]),
            estimate_text(*revised.after[name][:3]),
            estimate_text(*(getattr(revised.differences[name], part) for part in ("difference", "low", "high"))),
        )
        for name in revised.before
    }
    environment = Environment(
        loader=PackageLoader("fas", "leaf"), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    page = environment.get_template("page.html").stream(
        style=(files("fas.report") / "page.css").read_text(encoding="utf-8"),
        revised=revised,
        rows=rows,
        articles=articles,
        stops=_STOPS,
        symbols=_SYMBOLS,
    )
    with replace_file(path, errors="replace") as out:
        out.writelines(page)


def show_answer(one: RevisionRound, identifier: str) -> dict[str, Any]:
    """What the page shows of the answer to a question in a round."""
    answer, scores = one.answers.get(identifier) or {}, one.scores.get(identifier)
    claims = [] if scores is None else scores["claims"]
    passed = sum(claim["label"] == "supported" for claim in claims)
    documents = f"; {len(answer['knowledge'])} documents in its prompt" if answer.get("knowledge") else ""
    documents += f", {answer['knowledge_cut']} left out" if answer.get("knowledge_cut") else ""
    return {
        "name": f"Answer of round {one.number}" if one.number else "First answer",
        "checked": "not checked" if scores is None else f"{passed} of {len(claims)} statements supported",
        "documents": documents,
        "pieces": list(_split_by_verdict(str(answer.get("prediction", "")), claims)),
        "loose": [claim for claim in claims if claim["start"] is None],
    }


def _split_by_verdict(text: str, claims: Iterable[ClaimRecord]) -> Iterator[tuple[str | None, str, str]]:
    """The pieces of *text* with the worst verdict of the claims taken from each, and the claims; None for no claim."""
    placed = [(one["start"], one["end"], one) for one in claims if one["start"] is not None and one["end"] is not None]
    edges = sorted({0, len(text), *(edge for start, end, _ in placed for edge in (start, end))})
    for first, last in pairwise(edges):
        over = [claim for start, end, claim in placed if start <= first and last <= end]
        piece = text[first:last]
        if over and piece.strip():
            label = max((claim["label"] for claim in over), key=_WORST.index)
            yield label, piece, "; ".join(f"{claim['label']}: {claim['text']}" for claim in over)
        else:
            yield None, piece, ""
