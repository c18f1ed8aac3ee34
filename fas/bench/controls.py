"""A panel of assay controls from the passages and claims of a run (`fas.pipeline.runs.controls`)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random
from typing import TYPE_CHECKING

from fas.bench.falsify import Kind, draw_edit, read_statements
from fas.claims.checkworthiness import is_worth_checking
from fas.pipeline.runs.controls import Control, ControlSample, Seen
from fas.text.asking import is_asking
from fas.text.language import is_english

if TYPE_CHECKING:
    from spacy.tokens import Token

N_EACH = 20
"""Controls of each kind."""
_CHANGES: tuple[Kind, ...] = ("number", "direction", "drug")
_WORD = re.compile(r"[a-z]{4,}")


def make_panel(sample: ControlSample, n: int = N_EACH) -> list[Control]:
    """At most *n* controls of each kind, the same for the same sample; passages that are not English give none.

    One sentence of 6 to 40 words is quoted of a passage, and one changed in which a rule of `fas.bench.falsify` finds a
    number, a direction or a drug. Sentences that only ask or aim state nothing, and those that tell of their writer are
    no claims: neither are quoted. A claim of another question is set beside the passage that shares fewest words with
    it.
    """
    quoted: list[Control] = []
    changed: list[Control] = []
    for seen in sample.passages:
        if len(quoted) >= n and len(changed) >= n:
            break
        passage = seen.passage
        if passage is None or not is_english(passage.text):
            continue
        rng = Random(seen.key)
        statements = _read_quotable(passage.text[:4000])
        if statements and len(quoted) < n:
            text = passage.text[slice(*_span(rng.choice(statements)))]
            quoted.append(Control("quoted", text, passage, text))
        if len(changed) < n and (found := _change_statement(statements, passage.text, rng)):
            changed.append(Control("changed", found[1], passage, found[0]))
    return [*quoted, *changed, *_pair_others(sample, n)]


def _read_quotable(text: str) -> list[list[Token]]:
    return [
        tokens
        for one, tokens in read_statements(text)
        if 6 <= len(one.split()) <= 40 and is_worth_checking(one) and not is_asking(one)
    ]


def _change_statement(statements: list[list[Token]], text: str, rng: Random) -> tuple[str, str] | None:
    """A statement and the same with one change; None where no rule finds one."""
    for tokens in rng.sample(statements, len(statements)):
        if edit := draw_edit(_CHANGES, tokens, text, rng):
            start, end = _span(tokens)
            return text[start:end], text[start : edit.start] + edit.after + text[edit.end : end]
    return None


def _pair_others(sample: ControlSample, n: int) -> Iterator[Control]:
    words = [(seen, set(_WORD.findall(seen.text.lower()))) for seen in sample.passages if seen.passage is not None]
    taken: list[Seen] = [seen for seen in sample.claims if len(seen.text.split()) >= 4][:n]
    for claim in taken:
        own = set(_WORD.findall(claim.text.lower()))
        far = [(len(own & there), seen.key, seen) for seen, there in words if seen.question != claim.question]
        if far and (passage := min(far)[2].passage) is not None:
            yield Control("other", claim.text, passage)


def _span(tokens: list[Token]) -> tuple[int, int]:
    return tokens[0].idx, tokens[-1].idx + len(tokens[-1].text)
