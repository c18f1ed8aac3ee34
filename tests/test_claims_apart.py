"""What is taken apart, what is kept whole, and what a pointing word is given: with the embedded parser."""

from __future__ import annotations

import pytest

from fas.claims.spacy_clauses import SpacyClauses
from fas.records import Answer


@pytest.fixture(scope="module")
def claims():
    extractor = SpacyClauses(cache=False)

    def of(text: str, question: str | None = None) -> list[str]:
        return [claim.text for claim in extractor.extract([Answer(id="a", prediction=text, question=question)])[0]]

    return of


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        (
            "Chlamydia and gonorrhea can be detected through a urine sample.",
            ["Chlamydia can be detected through a urine sample.", "Gonorrhea can be detected through a urine sample."],
        ),
        (
            "Daptacel and IPOL are both vaccines.",
            ["Daptacel is a vaccine.", "IPOL is a vaccine."],
        ),
        (
            "Saxenda and Ozempic are both injectable medications that work by mimicking a hormone.",
            [
                "Saxenda is an injectable medication that works by mimicking a hormone.",
                "Ozempic is an injectable medication that works by mimicking a hormone.",
            ],
        ),
    ],
)
def test_each_of_two_subjects_is_said_to_be_or_do_the_same(claims, sentence, expected):
    assert claims(sentence) == expected


@pytest.mark.parametrize(
    "sentence",
    [
        "Saxenda and Ozempic have different dosing schedules.",
        "The combination of high fat content and smooth texture creates a cooling sensation.",
        "Height and weight are related.",
        "Heart, liver, and kidney diseases can cause swelling.",
        "The device was approved by the Food and Drug Administration.",
    ],
)
def test_what_is_only_true_of_both_together_stays_whole(claims, sentence):
    assert claims(sentence) == [sentence]


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        (
            "The timing depends on the depth and length of the wound.",
            ["The timing depends on the depth of the wound.", "The timing depends on the length of the wound."],
        ),
        (
            "The drug reduces bleeding in children and adults undergoing surgery.",
            [
                "The drug reduces bleeding in children undergoing surgery.",
                "The drug reduces bleeding in adults undergoing surgery.",
            ],
        ),
    ],
)
def test_what_the_last_member_has_is_lent_to_the_others_and_no_condition_is_lost(claims, sentence, expected):
    assert claims(sentence) == expected


def test_two_lists_of_a_sentence_are_both_taken_apart(claims):
    assert sorted(claims("The virus can be present in the lining or fluids of the vagina or rectum.")) == [
        "The virus can be present in the fluids of the rectum.",
        "The virus can be present in the fluids of the vagina.",
        "The virus can be present in the lining of the rectum.",
        "The virus can be present in the lining of the vagina.",
    ]


def test_lists_that_multiply_to_many_claims_are_taken_apart_once(claims):
    text = "Zinc and copper can cause nausea, vomiting, headache, and cramps in children or adults."
    assert len(claims(text)) <= 6


def test_no_evidence_of_either_is_no_evidence_of_each(claims):
    assert claims("There is no evidence that surveillance improves overall survival or recurrence rates.") == [
        "There is no evidence that surveillance improves overall survival.",
        "There is no evidence that surveillance improves recurrence rates.",
    ]


def test_a_row_of_examples_is_one_claim_an_example_with_a_remark_where_it_belongs(claims):
    assert claims("There are several types of drugs available, including antacids, laxatives (stool softeners).")[0]
    assert claims("It is a vaccine used to protect against diphtheria, tetanus, and pertussis (whooping cough).") == [
        "It is a vaccine used to protect against diphtheria.",
        "It is a vaccine used to protect against tetanus.",
        "It is a vaccine used to protect against pertussis (whooping cough).",
    ]


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        (
            "Warts need blood vessels because they are caused by a virus.",
            ["Warts need blood vessels.", "Warts are caused by a virus."],
        ),
        (
            "Lutein protects the eyes from light, while omega-3 fatty acids support retinal function.",
            ["Lutein protects the eyes from light.", "Omega-3 fatty acids support retinal function."],
        ),
        (
            "While chemotherapy can have severe side effects, it has proven to be a beneficial treatment.",
            [
                "Chemotherapy can have severe side effects.",
                "Chemotherapy has proven to be a beneficial treatment.",
            ],
        ),
        (
            "Activated charcoal is a popular remedy, as it is believed to absorb toxins.",
            ["Activated charcoal is a popular remedy.", "Activated charcoal is believed to absorb toxins."],
        ),
    ],
)
def test_a_reason_and_a_contrast_are_facts_of_their_own(claims, sentence, expected):
    assert claims(sentence) == expected


@pytest.mark.parametrize(
    "sentence",
    [
        "Patients should avoid alcohol while they are taking metronidazole.",
        "If the fever lasts, aspirin is avoided because it can cause Reye syndrome.",
        "Antibiotics are not given because the patient asks for them.",
        "Symptoms change as the disease gets worse.",
        "While it is not contracted through sexual activity, sexual activity can increase the risk.",
    ],
)
def test_a_time_a_denied_reason_and_what_stands_under_a_condition_stay_in_their_sentence(claims, sentence):
    assert claims(sentence) == [sentence]


def test_a_comparison_with_as_keeps_both_its_words(claims):
    assert claims("Masks were encouraged, although they were not as effective as vaccines.")[-1].endswith(
        "not as effective as vaccines."
    )


def test_the_object_of_two_verbs_side_by_side_is_lent_to_the_first(claims):
    assert claims("Essential oils can prevent or treat infections.") == [
        "Essential oils can prevent infections.",
        "Essential oils can treat infections.",
    ]


@pytest.mark.parametrize(
    ("text", "last"),
    [
        (
            "Celiac disease is a digestive disorder. The disease can damage the small intestine.",
            "Celiac disease can damage the small intestine.",
        ),
        (
            "The herpes simplex virus is common. Sores appear on the lips. The virus can be present in saliva.",
            "The herpes simplex virus can be present in saliva.",
        ),
    ],
)
def test_a_bare_noun_takes_the_full_name_that_the_answer_gave(claims, text, last):
    assert claims(text, "Is vitamin D deficiency a feature of celiac disease?")[-1] == last


@pytest.mark.parametrize(
    ("text", "last"),
    [
        # somebody else's disease
        ("Gout is an inflammatory disease. The disease can damage joints.", "The disease can damage joints."),
        # any liver
        ("Fatty liver disease is common. The liver can heal.", "The liver can heal."),
    ],
)
def test_a_bare_noun_is_left_alone_where_it_may_be_another(claims, text, last):
    assert claims(text, "What is lupus?")[-1] in {last, "Gout can damage joints."}


def test_he_is_whom_the_sentence_before_names(claims):
    assert claims("Georg Friedrich Parrot was born in 1767. He studied medicine at Jena.")[-1] == (
        "Georg Friedrich Parrot studied medicine at Jena."
    )


@pytest.mark.parametrize(
    ("text", "last"),
    [
        (
            "Alcohol widens the blood vessels. This leads to heat loss.",
            "Alcohol widening the blood vessels leads to heat loss.",
        ),
        (
            "Marginal pricing is a strategy of utilities. This promotes efficiency in the market.",
            "Marginal pricing promotes efficiency in the market.",
        ),
        # what is common, and what may be any of several things, is not the whole sentence
        ("Some drugs upset the stomach. This is common.", "This is common."),
        ("Take it with food. Alcohol dries the skin. This happens in winter.", "This happens in winter."),
    ],
)
def test_this_is_what_the_sentence_before_defines_or_tells(claims, text, last):
    assert claims(text)[-1] == last
