"""Gold by the physicians' statements. Oracles: counts by hand, and the shipped lexical verifier's rule."""

from __future__ import annotations

import json

import pytest

from fas.bench.dataset import Candidate, Item
from fas.bench.gold import LabelledStatements, StatementCounts, StatementJudge, attach_gold, hallucination
from fas.core.errors import InputError
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
    found = list(attach_gold(candidates, items, lambda: StatementJudge(LexicalVerifier())))
    assert [(c.item, c.sample) for c in found] == [(c.item, c.sample) for c in candidates]
    assert [c.gold for c in found[:4]] == [pytest.approx(1 / 3), 0.9, None, 0.0]
    assert found[0].meta["judged_by"] == LexicalVerifier.signature
    assert found[1].meta == {"judged_by": "physicians"}


def test_labels_of_people_make_gold_and_statements_without_one_are_added_to_be_filled_in(tmp_path):
    path = tmp_path / "labels.jsonl"
    first = LabelledStatements(path)
    assert first.counts([(ITEM, ANSWER)]) == [StatementCounts(n_failed=4)]
    assert first.add_missing() == 4
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    assert [row["statement"] for row in rows] == [*ITEM.meta["must_have"], *ITEM.meta["nice_to_have"]]
    for row, label in zip(rows, ("supported", "unsupported", None, "contradicted"), strict=True):
        row["label"] = label
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))

    second = LabelledStatements(path)
    (counts,) = second.counts([(ITEM, ANSWER)])
    assert counts == COUNTS._replace(n_nice=1, n_failed=1)
    (found,) = attach_gold([Candidate("1", "m", 0, ANSWER)], {"1": ITEM}, lambda: second)
    # By hand: one of two must-haves entailed, and one nice-to-have contradicted.
    assert (found.gold, found.meta["judged_by"]) == (pytest.approx(1 / 3), "labels[labels.jsonl]")
    before = path.read_bytes()
    assert second.add_missing() == 1
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([{"question_id": "1", "statement": "S.", "answer": "A.", "label": "true"}], "line 1: expected question_id"),
        ([{"question_id": 1, "statement": "S.", "answer": "A.", "label": None}], "line 1: expected question_id"),
        (
            [{"question_id": "1", "statement": "S.", "answer": "A.", "label": label} for label in ("supported", None)]
            + [{"question_id": "1", "statement": "S.", "answer": "A.", "label": "contradicted"}],
            "line 3: another label than before",
        ),
    ],
)
def test_a_file_of_labels_that_cannot_be_right_is_refused_with_its_line(rows, message, tmp_path):
    path = tmp_path / "labels.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    with pytest.raises(InputError, match=message):
        LabelledStatements(path)
