"""The combination of findings: the closed formula against the fold, order, abstentions, weights, doubles, harm."""

from __future__ import annotations

import numpy as np
import pytest
from findings_made import WordEmbedder, finding, member, write_findings, write_lines
from hypothesis import given
from hypothesis import strategies as st

from fas.core.errors import InputError
from fas.detectors.combine import Opinion, clusters, combine_findings, run_weights
from fas.detectors.combine_folders import combine
from fas.detectors.member import find_places, read_member
from fas.detectors.records import finding_from


def opinions(*lists, weights=None):
    """One opinion a list of findings."""
    embedder = WordEmbedder()
    made = []
    for i, findings in enumerate(lists):
        vectors = (
            embedder.embed([one.explanation for one in findings]).astype(float) if findings else np.zeros((0, 512))
        )
        made.append(Opinion(f"m{i}", 1.0 if weights is None else weights[i], tuple(findings), vectors))
    return made


def folded(places_, found):
    """A cluster's score by the fold of the paper: lambda = W_(j-1) / W_j, the missing side 0."""
    score = total = 0.0
    confidence = {m: found[m].findings[i].confidence for m, i in places_}
    for j, opinion in enumerate(found):
        before, total = total, total + opinion.weight
        share = before / total
        score = share * score + (1 - share) * confidence.get(j, 0.0)
    return score


@given(
    st.lists(
        st.lists(st.tuples(st.sampled_from("abcdef"), st.floats(0, 1)), max_size=4, unique_by=lambda pair: pair[0]),
        min_size=1,
        max_size=5,
    ),
    st.lists(st.floats(0.1, 3), min_size=5, max_size=5),
)
def test_the_closed_formula_equals_the_fold(lists, weights):
    made = [
        [finding(f"word{letter}", confidence=confidence, at=None, snippet=letter) for letter, confidence in one]
        for one in lists
    ]
    found = opinions(*made, weights=weights)
    groups = clusters(found)
    result = combine_findings("a", found)
    assert sorted(one.confidence for one in result.findings) == pytest.approx(
        sorted(folded(group, found) for group in groups), abs=1e-9
    )
    # Equal words are aligned, others are not: one cluster a letter, one part a member.
    assert len(groups) == len({one.explanation for several in made for one in several})
    assert result.score == pytest.approx(max((one.confidence for one in result.findings), default=0.0))
    assert 0.0 <= result.score <= 1.0


def test_scores_do_not_depend_on_the_order_of_members_when_alignments_agree():
    lists = [[finding("a b", confidence=0.9)], [finding("a b", confidence=0.5), finding("c d", confidence=0.4)], []]
    forward = combine_findings("a", opinions(*lists))
    backward = combine_findings("a", opinions(*lists[::-1]))
    assert [f.confidence for f in forward.findings] == pytest.approx([f.confidence for f in backward.findings])
    assert forward.score == pytest.approx((0.9 + 0.5) / 3)


def test_a_member_that_failed_changes_nothing_but_the_denominator():
    found = [finding("a b", confidence=0.9)]
    three = combine(
        [member("x", {"1": found}), member("y", {"1": found}), member("z", {"1": []})], embedder=WordEmbedder()
    )
    failed = combine(
        [member("x", {"1": found}), member("y", {"1": found}), member("z", {"1": "no reply"})], embedder=WordEmbedder()
    )
    assert three.scores()["1"] == pytest.approx(0.6)
    assert failed.scores()["1"] == pytest.approx(0.9)
    assert failed.member.answers["1"].abstained == ("z",)
    assert "z abstains on 1 answer" in failed.notes


def test_an_answer_on_which_all_abstain_has_no_score_and_is_never_not_flagged():
    made = combine([member("x", {"1": "dead"}), member("y", {"1": "dead", "2": []})], embedder=WordEmbedder())
    assert made.scores() == {"1": None, "2": 0.0}
    assert made.member.answers["1"].failure == "every member abstains"
    assert "1 answers have no score, because every member abstains" in made.notes


def test_two_findings_of_one_member_never_merge():
    same = [finding("a b", at=(0, 5), confidence=0.7), finding("a b", at=(9, 12), confidence=0.6)]
    result = combine_findings("a", opinions(same, [finding("a b", at=(0, 5), confidence=0.5)]))
    assert sorted(len(one.by) for one in result.findings) == [1, 2]


def test_weights_by_family_give_each_family_one():
    families = {"judge/run-0": "judge", "judge/run-1": "judge", "rag": "rag"}
    assert run_weights(families) == {"judge/run-0": 1.0, "judge/run-1": 1.0, "rag": 1.0}
    assert run_weights(families, by="family") == {"judge/run-0": 0.5, "judge/run-1": 0.5, "rag": 1.0}
    with pytest.raises(ValueError, match="'run', 'family' or"):
        run_weights(families, by="model")
    members = [
        member("judge/run-0", {"1": [finding("a b", confidence=0.8)]}, family="judge", run=0),
        member("judge/run-1", {"1": []}, family="judge", run=1),
        member("rag", {"1": [finding("a b", confidence=0.6)]}),
    ]
    assert combine(members, weights="family", embedder=WordEmbedder()).scores()["1"] == pytest.approx((0.4 + 0.6) / 2)


def test_own_weights_and_harm_enter_the_formula():
    # (2 * .8 * .5 + 1 * .6 * 1) / 3: the judge weighs 2 and says low, the second detector is not named and says high.
    members = [
        member("judge", {"1": [finding("a b", confidence=0.8, harm="low")]}),
        member("rag", {"1": [finding("a b", confidence=0.6, harm="high")]}),
    ]
    both = combine(members, weights={"judge": 2.0}, weigh_harm=True, embedder=WordEmbedder())
    assert both.scores()["1"] == pytest.approx((2 * 0.8 * 0.5 + 0.6) / 3)
    assert "w=judge=2,harm=weighed" in both.signature
    for weights, why in (({"jury": 1.0}, "'jury', which is no member"), ({"rag": 0.0}, "must be above 0")):
        with pytest.raises(ValueError, match=why):
            combine(members, weights=weights, embedder=WordEmbedder())


# Folders.


def test_members_on_different_texts_are_refused(tmp_path):
    one = write_findings(tmp_path / "x", {"1": []})
    two = write_findings(tmp_path / "y", {"1": []}, text="Another text.")
    with pytest.raises(InputError, match="another text in each"):
        combine([one, two], embedder=WordEmbedder())


def scores(folder, claims, verify="nli[m,t=0.70]", flags=(), error=None):
    text = "Aspirin cures all colds. Rest helps."
    row = {"id": "1", "question": "q?", "prediction": text, "meta": {}, "claims": claims, "flags": list(flags)}
    write_lines(folder / "scores.jsonl", [{**row, "error": error}])
    (folder / "run.json").write_text(
        f'{{"claims": "spacy[p]", "evidence": "none", "verify": "{verify}", "safety": "r@1"}}'
    )
    return folder


def claim(label, p=0.9, **more):
    return {"text": "Aspirin cures colds.", "start": 0, "end": 20, "label": label, "p_contradict": p, **more}


def test_contradicted_claims_of_a_scored_folder_are_findings_on_their_sentence(tmp_path):
    folder = scores(tmp_path / "s", [claim("contradicted"), claim("unsupported"), claim("supported")])
    (one,) = read_member(find_places([folder])[0]).answers["1"].findings
    assert (one.snippet, one.explanation, one.confidence) == ("Aspirin cures all colds.", "Aspirin cures colds.", 0.9)
    evidence = [{"id": "7", "sentence": "It does not.", "p_contradict": 0.9, "p_support": 0.0}]
    folder = scores(tmp_path / "t", [claim("contradicted", evidence=evidence)])
    (one,) = read_member(find_places([folder])[0], explain=True).answers["1"].findings
    assert one.explanation == "False: Aspirin cures colds. The evidence says (7): It does not."


def test_a_finding_of_a_claim_carries_its_own_words_and_the_probability_of_its_verdict(tmp_path):
    own = {**claim("unsupported", p=0.0), "p_support": 0.2}
    (one,) = (
        read_member(find_places([scores(tmp_path / "s", [own], "internal[m,p=logprobs]")])[0]).answers["1"].findings
    )
    assert (one.claim, one.confidence) == ("Aspirin cures colds.", pytest.approx(0.8))
    assert finding_from(one.as_dict()) == one


def test_answers_that_could_not_be_scored_or_verified_are_failures_not_clean(tmp_path):
    error = {"type": "json", "line": 1, "field": None, "message": "no JSON"}
    bad = scores(tmp_path / "s", [], error=error)
    assert read_member(find_places([bad])[0]).answers["1"].failure == "not scored: no JSON"
    unverified = scores(tmp_path / "t", [claim("unverified", p=None, failure="429")])
    assert read_member(find_places([unverified])[0]).answers["1"].failure == "no claim was verified: 429"
    assert read_member(find_places([scores(tmp_path / "u", [])])[0]).answers["1"].failure is None
