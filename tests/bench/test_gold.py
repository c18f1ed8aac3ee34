"""Gold by the physicians' statements. Oracles: counts by hand, and the shipped lexical verifier's rule."""

from __future__ import annotations

import pytest

from fas.bench.dataset import Candidate, Item
from fas.bench.gold import (
    StatementCounts,
    StatementJudge,
    attach_gold,
    hallucination,
)
from fas.core.records import failed_judgement
from fas.verify.lexical import LexicalVerifier

ITEM = Item(
    "1",
    "Can honey be given to babies?",
    ("No.",),
    meta={
        "must_have": ["Honey carries spores.", "Honey tastes sweet."],
        "nice_to_have": ["Bees make honey.", "Honey keeps 12 months."],
    },
)
# The lexical verifier: a statement whose words all stand in one sentence is supported, the same with
# another number contradicted, any other unsupported.
ANSWER = "Raw honey carries spores. Honey keeps 3 months."
COUNTS = StatementCounts(
    n_must=2, n_must_entailed=1, n_must_contradicted=0, n_nice=2, n_nice_entailed=0, n_nice_contradicted=1
)


class Unreadable(LexicalVerifier):
    """Cannot read statements about bees."""

    def verify(self, pairs):
        judged = super().verify(pairs)
        return [
            failed_judgement("unreadable") if "Bees" in pair.claim.text else judgement
            for pair, judgement in zip(pairs, judged, strict=True)
        ]


def test_a_statement_that_could_not_be_judged_is_counted_and_in_no_share():
    (counts,) = StatementJudge(Unreadable()).counts([(ITEM, ANSWER)])
    assert counts == COUNTS._replace(n_nice=1, n_failed=1)
    assert hallucination(counts) == pytest.approx(1 / 3)


def test_gold_that_came_with_an_answer_is_kept_and_order_too():
    bare = Item("2", "?", ("x",), meta={"must_have": [], "nice_to_have": ["Bees make honey."]})
    items = {item.id: item for item in (ITEM, bare)}
    candidates = [
        Candidate("1", "m", 0, ANSWER),
        Candidate("1", "m", 1, ANSWER, gold=0.9, meta={"judged_by": "physicians"}),
        Candidate("2", "m", 0, ANSWER),
        Candidate("1", "m", 2, ""),
    ] * 70  # more statements than are judged at a time
    found = list(attach_gold(candidates, items, StatementJudge(LexicalVerifier())))
    assert [(c.item, c.sample) for c in found] == [(c.item, c.sample) for c in candidates]
    assert [c.gold for c in found[:4]] == [pytest.approx(1 / 3), 0.9, None, 0.0]
    assert found[0].meta["judged_by"] == LexicalVerifier.signature
    assert found[1].meta == {"judged_by": "physicians"}
