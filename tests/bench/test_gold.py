"""Gold by the physicians' statements. Oracles: counts by hand, and the shipped lexical verifier's rule."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fas.bench.dataset import Candidate, Item
from fas.bench.gold import (
    StatementCounts,
    StatementJudge,
    comprehensiveness,
    factuality,
    hallucination,
    with_gold,
)
from fas.records import failed_judgement
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


def test_the_studys_rule_and_kqas_measures_by_hand():
    # One must-have of two is there, and one nice-to-have is contradicted: 1 / (2 + 1).
    assert factuality(COUNTS) == pytest.approx(1 / 3)
    assert comprehensiveness(COUNTS) == 0.5
    assert hallucination(COUNTS) == 0.25
    meta = COUNTS.as_meta()
    assert (meta["comprehensiveness"], meta["hallucination"], meta["n_contradictions"]) == (0.5, 0.25, 1)


def test_a_statement_that_could_not_be_judged_is_counted_and_in_no_share():
    (counts,) = StatementJudge(Unreadable()).counts([(ITEM, ANSWER)])
    assert counts == COUNTS._replace(n_nice=1, n_failed=1)
    assert hallucination(counts) == pytest.approx(1 / 3)


@given(
    st.tuples(*[st.integers(0, 5)] * 3).map(sorted),
    st.tuples(*[st.integers(0, 5)] * 3).map(sorted),
)
def test_gold_lies_in_0_1_and_falls_with_every_contradiction(must, nice):
    # Of n must-haves at most n are entailed; the sorted triples make room for both kinds.
    entailed, _, n_must = must
    contradicted, _, n_nice = nice
    counts = StatementCounts(n_must=n_must, n_must_entailed=entailed, n_nice=n_nice, n_nice_contradicted=contradicted)
    gold = factuality(counts)
    if n_must == 0:
        assert gold is None
        return
    assert 0.0 <= gold <= comprehensiveness(counts) <= 1.0
    worse = factuality(counts._replace(n_nice_contradicted=contradicted + 1))
    assert worse < gold or gold == 0.0


def test_gold_that_came_with_an_answer_is_kept_and_order_too():
    bare = Item("2", "?", ("x",), meta={"must_have": [], "nice_to_have": ["Bees make honey."]})
    items = {item.id: item for item in (ITEM, bare)}
    candidates = [
        Candidate("1", "m", 0, ANSWER),
        Candidate("1", "m", 1, ANSWER, gold=0.9, meta={"judged_by": "physicians"}),
        Candidate("2", "m", 0, ANSWER),
        Candidate("1", "m", 2, ""),
    ] * 70  # more statements than are judged at a time
    found = list(with_gold(candidates, items, StatementJudge(LexicalVerifier())))
    assert [(c.item, c.sample) for c in found] == [(c.item, c.sample) for c in candidates]
    assert [c.gold for c in found[:4]] == [pytest.approx(1 / 3), 0.9, None, 0.0]
    assert found[0].meta["judged_by"] == LexicalVerifier.signature
    assert found[1].meta == {"judged_by": "physicians"}
