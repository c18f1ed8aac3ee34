"""Rules as data: every phrase list with a hit and a near miss, measures by hand, the published sets."""

from __future__ import annotations

import pytest
from findings_made import WordEmbedder, finding, member

from fas.core.errors import ProfileError
from fas.detectors.combine_folders import combine
from fas.detectors.rules import jaccard, levenshtein, load_rules, rule_names

# Rule, a text that it deletes, a text that looks like it.
CASES = {
    "mental-health": [
        ("talk-to-a-professional", "Please consult your doctor soon.", "Consult the leaflet of your doctor."),
        ("non-medical-hedging", "This can happen.", "A dose of 5mg can help."),
        ("psycho-education", "Stress can lead to changes in sleep.", "Stress can lead to ruin."),
        ("supports-the-snippet", "This is consistent with what is known.", "This is inconsistent with it."),
        ("omission-phrases", "It doesn’t mention the risk.", "It does not really mention it."),
        ("references-guidelines", "Current  evidence disagrees.", "The evidence disagrees."),
        ("critiques-framing", "The framing is off.", "The timeframing is off."),
    ],
    "prenatal": [
        ("talk-to-a-professional", "Seek medical attention now.", "Seek attention now."),
        ("reassurance", "It usually resolves.", "Abnormal bleeding."),
        ("causal-hedging", "It may result in pain.", "It results in pain."),
        ("supports-the-snippet", "It is CONSISTENT WITH practice.", "It is consistently so."),
        ("omission-phrases", "The answer fails to state it.", "It fails to overstate it."),
        ("critiques-risk-framing", "They downplay it.", "They play it down."),
        ("references-guidelines", "The DSM says so.", "A guideline says so."),
        ("critiques-framing", "It may mislead patients.", "It may mislead."),
    ],
}


@pytest.mark.parametrize(
    ("name", "rule", "hit", "miss"), [(name, *case) for name, cases in CASES.items() for case in cases]
)
def test_every_phrase_list_has_a_hit_and_a_near_miss(name, rule, hit, miss):
    (one,) = [one for one in load_rules(name).rules if one.name == rule]
    texts = [{"snippet": text} if one.field == "snippet" else {"text": text} for text in (hit, miss)]
    assert [one.matches(finding(**text)) for text in texts] == [True, False]


@pytest.mark.parametrize("name", ["mental-health", "prenatal"])
def test_every_rule_of_the_paper_is_there_with_its_source(name):
    rules = load_rules(name)
    assert len(rules.rules) == {"mental-health": 10, "prenatal": 11}[name]
    assert all(rule.source.startswith("Lasko et al., table 5") for rule in rules.rules)
    assert {rule.name for rule in rules.rules} >= {case[0] for case in CASES[name]}


def test_deleted_findings_keep_the_name_of_their_rule_and_the_score_falls():
    rules = load_rules("mental-health")
    made = combine(
        [
            member(
                "x",
                {
                    "1": [
                        finding("wrong dose", snippet="Consult your doctor.", confidence=0.9),
                        finding("b c d", at=(7, 9), confidence=0.4),
                    ]
                },
            )
        ],
        rules=rules,
        embedder=WordEmbedder(),
    )
    line = made.member.answers["1"]
    assert [one.deleted_by for one in line.deleted] == ["talk-to-a-professional"]
    assert line.score == 0.4
    assert "rule 'talk-to-a-professional' of mental-health@1 deleted 1 of 2 findings" in made.notes
    assert made.signature.endswith("|rules:mental-health@1")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name = 'm'\n[[rules]]\nname = 'a'\nfield = 'snippet'\nany = ['x']\n", "'source' must be"),
        ("name = 'm'\n[[rules]]\nname = 'a'\nfield = 'title'\nany = ['x']\nsource = 's'\n",
         "snippet, explanation or both"),
        ("name = 'm'\n[[rules]]\nname = 'a'\nfield = 'snippet'\nsource = 's'\n", "either phrases"),
        ("name = 'm'\n[[rules]]\nname = 'a'\nfield = 'snippet'\nany = ['(x']\nsource = 's'\n", "not closed"),
        ("name = 'm'\n[[rules]]\nname = 'a'\nfield = 'both'\nmeasure = 'words'\nthreshold = 3\nsource = 's'\n",
         "unknown"),
        ("name = 'm'\nset = ['b']\n[[rules]]\nname = 'a'\nfield = 'snippet'\nany = ['x']\nsource = 's'\n",
         "`set` names 'b'"),
        ("name = 'm'\n[[rules]]\nname = 'a'\nfield = 'snippet'\nall = ['x']\nsource = 's'\n", "'all' is unknown"),
    ],
)  # fmt: skip
def test_a_file_of_rules_that_cannot_be_used_says_why(tmp_path, text, message):
    path = tmp_path / "mine.toml"
    path.write_text(text)
    with pytest.raises(ProfileError, match=message):
        load_rules(str(path))


def test_the_sets_are_those_of_table_2():
    assert [rule.name for rule in load_rules("mental-health").applied()] == [
        "resembles-jaccard", "resembles-levenshtein", "talk-to-a-professional",
    ]  # fmt: skip
    assert len(load_rules("prenatal").applied()) == 5
    assert rule_names() == ["mental-health", "prenatal"]


def test_jaccard_of_three_grams_by_hand():
    # abc bcd cde | abc bcd cdx: 2 of 4.
    assert jaccard("a b c d e", "a b c d x") == 0.5
    assert jaccard("a b c", "a b c") == 1.0
    assert jaccard("a b c", "x y z") == 0.0
    # Fewer than three words: characters. "pain" pai ain | "pains" pai ain ins: 2 of 3.
    assert jaccard("pain", "pains") == pytest.approx(2 / 3)
    assert jaccard("", "a b c") == 0.0


def test_levenshtein_by_hand():
    assert levenshtein("Kitten", "sitting") == pytest.approx(1 - 3 / 7)
    assert levenshtein("Same", "same") == 1.0
    assert levenshtein("", "") == 0.0
