"""Whole passages: how they are cut into pieces, what the regression sees of them, and why a claim is unsupported."""

from __future__ import annotations

import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fas.core.records import Case, Claim, Judgement, Pair, Passage
from fas.core.records.signature import PartSignature
from fas.scoring.verdicts.judge import judge
from fas.scoring.verdicts.unsupported import missing_words
from fas.text.windows import pieces
from fas.verify.passage_features import FEATURES, PieceReading, passage_features

SENTENCES = st.lists(
    st.sampled_from(["Pain fell by half.", "No bleeding was seen in either group.", "It rained."]), min_size=1
)


def count_words(text: str) -> int:
    return len(text.split())


def test_a_short_passage_is_one_piece_with_its_title_in_front():
    (piece,) = pieces(Passage("Pain fell by half.", title="A trial of aspirin"), 50, count_words)
    assert piece.text == "A trial of aspirin Pain fell by half."
    assert (piece.start, piece.end) == (0, 18)


@given(SENTENCES, st.integers(4, 30))
def test_pieces_cover_the_passage_in_order_share_a_sentence_and_keep_the_limit(sentences, most):
    text = " ".join(sentences)
    found = list(pieces(Passage(text), most, count_words))
    assert found[0].start == 0
    assert found[-1].end == len(text)
    for before, after in itertools.pairwise(found):
        assert before.start < after.start
        assert before.end < after.end
        assert after.start <= before.end + 1
    for piece in found:
        assert text[piece.start : piece.end] == piece.text
        assert count_words(piece.text) <= most or len(piece.sentences) == 1


def test_every_feature_by_hand():
    claim = "Aspirin 100 mg reduces stroke in 40 patients"
    sentences = ["Aspirin 100 mg did not reduce stroke.", "Bleeding rose."]
    pieces_read = [PieceReading(-2.0, -0.5, -1.5), PieceReading(-0.1, -3.0, -4.0)]
    found = passage_features(claim, " ".join(sentences), sentences, pieces_read, "Does aspirin prevent stroke?")
    # Content words of the claim: aspirin, 100, reduces, stroke, 40, patients; two are in the question, four above.
    assert dict(zip(FEATURES, found, strict=True)) == {
        "log_p_entail": -0.1,
        "log_p_neutral": -3.0,
        "log_p_contradict": -1.5,
        "margin": pytest.approx(3.9),
        "overlap": pytest.approx(4 / 6),
        "overlap_sentence": pytest.approx(4 / 6),
        "rare_missing": 0.0,
        "number_missing": 0.5,  # 100 is there, 40 is not
        "number_present": 0.0,
        "negation_in_claim": 0.0,
        "negation_differs": 1.0,
        "claim_length": pytest.approx(math.log1p(8)),
        "commas": 0.0,
        "passage_length": pytest.approx(math.log1p(9)),
        "p_entail": pytest.approx(math.exp(-0.1)),
        "p_contradict": pytest.approx(math.exp(-1.5)),
        "entail_where_words_are_shared": pytest.approx(-0.1 * 4 / 6),
        "contradict_where_words_are_shared": pytest.approx(-1.5 * 4 / 6),
        "entail_where_a_sentence_shares_words": pytest.approx(-0.1 * 4 / 6),
        "margin_where_a_sentence_shares_words": pytest.approx(3.9 * 4 / 6),
        "margin_of_a_negated_claim": 0.0,
        "margin_where_negation_differs": pytest.approx(3.9),
        "question_overlap": pytest.approx(2 / 6),
    }


def test_without_a_question_its_share_of_the_words_is_not_known():
    assert math.isnan(passage_features("Pain fell.", "x", ["x"], [PieceReading(-0.2, -2.0, -5.0)])[-1])


def test_of_several_pieces_each_probability_is_the_highest():
    row = passage_features("Pain fell.", "x", ["x"], [PieceReading(-3.0, -0.1, -4.0), PieceReading(-0.2, -2.0, -5.0)])
    assert row[:3] == [-0.2, -2.0, -4.0]


def test_missing_words_are_the_content_words_that_no_passage_holds_in_the_order_of_the_claim():
    passages = [Passage("Zinc shortened colds by a day."), Passage("Adults took lozenges.")]
    assert missing_words("Zinc lozenges shorten colds and fever in children.", passages) == ("fever", "children")


class Undecided:
    """A verifier that finds every passage undecided."""

    needs_evidence = True
    signature = PartSignature("undecided")

    def verify(self, pairs: list[Pair]) -> list[Judgement]:
        return [Judgement(0.1, 0.1) for _ in pairs]


def test_an_unsupported_claim_says_why_and_one_without_evidence_does_not():
    cases = [Case(Claim("Zinc cures colds."), (Passage("Rain fell on Monday."),)), Case(Claim("Zinc cures colds."))]
    found = judge(Undecided(), cases, [None, None], threshold=0.7, evidence_less=False).verdicts
    assert [verdict.why is None for verdict in found] == [False, True]
    assert found[0].missing == ("Zinc", "cures", "colds")
