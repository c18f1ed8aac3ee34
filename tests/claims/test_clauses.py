"""Clause rules on trees written by hand: what is taken apart, what stays together, and how it is worded."""

# ruff: noqa: E501 - a tree is easier to read on one line

import pytest
from claim_trees import tree

from fas.claims.coreference import Discourse, Referent, question_topic
from fas.claims.extractor import sentence_claims


def claims(text, annotation, topic=None, subject=None):
    discourse = Discourse(topic=topic, subject=subject)
    return [claim.text for claim in sentence_claims(tree(text, annotation), discourse)]


def test_objects_of_one_verb_become_one_claim_each():
    assert claims(
        "Metformin causes nausea, vomiting and severe diarrhea.",
        "Metformin/NNP/nsubj/2 causes/VBZ/ROOT/0 nausea/NN/obj/2 ,/,/punct/5 vomiting/NN/conj/3 and/CC/cc/8 severe/JJ/amod/8 diarrhea/NN/conj/3 ././punct/2",
    ) == ["Metformin causes nausea.", "Metformin causes vomiting.", "Metformin causes severe diarrhea."]


def test_coordinated_verbs_share_their_subject():
    assert claims(
        "Ibuprofen reduces fever and relieves pain.",
        "Ibuprofen/NNP/nsubj/2 reduces/VBZ/ROOT/0 fever/NN/obj/2 and/CC/cc/5 relieves/VBZ/conj/2 pain/NN/obj/5 ././punct/2",
    ) == ["Ibuprofen reduces fever.", "Ibuprofen relieves pain."]


def test_clauses_with_their_own_subjects_are_separate_claims():
    assert claims(
        "Rest usually helps, but ice prevents swelling.",
        "Rest/NN/nsubj/3 usually/RB/advmod/3 helps/VBZ/ROOT/0 ,/,/punct/7 but/CC/cc/7 ice/NN/nsubj/7 prevents/VBZ/conj/3 swelling/NN/obj/7 ././punct/3",
    ) == ["Rest usually helps.", "Ice prevents swelling."]


def test_a_combination_is_not_taken_apart():
    text = "A combination of rest and ice helps."
    assert claims(
        text,
        "A/DT/det/2 combination/NN/nsubj/7 of/IN/case/4 rest/NN/nmod/2 and/CC/cc/6 ice/NN/conj/4 helps/VBZ/ROOT/0 ././punct/7",
    ) == [text]


def test_between_is_not_taken_apart():
    text = "Doctors see a difference between colds and flu."
    assert claims(
        text,
        "Doctors/NNS/nsubj/2 see/VBP/ROOT/0 a/DT/det/4 difference/NN/obj/2 between/IN/case/6 colds/NNS/nmod/4 and/CC/cc/8 flu/NN/conj/6 ././punct/2",
    ) == [text]


def test_and_or_is_not_taken_apart():
    text = "Metformin causes nausea and/or diarrhea."
    assert claims(
        text,
        "Metformin/NNP/nsubj/2 causes/VBZ/ROOT/0 nausea/NN/obj/2 and/CC/cc/7 //SYM/punct/7 or/CC/cc/7 diarrhea/NN/conj/3 ././punct/2",
    ) == [text]


def test_alternatives_stay_together_unless_possible_or_denied():
    tagged = "fever/NN/obj/{v} or/CC/cc/{w} pain/NN/conj/{o} ././punct/{v}"
    together = claims("Flu causes fever or pain.", "Flu/NN/nsubj/2 causes/VBZ/ROOT/0 " + tagged.format(v=2, w=5, o=3))
    assert together == ["Flu causes fever or pain."]
    apart = claims(
        "Flu can cause fever or pain.", "Flu/NN/nsubj/3 can/MD/aux/3 cause/VB/ROOT/0 " + tagged.format(v=3, w=6, o=4)
    )
    assert apart == ["Flu can cause fever.", "Flu can cause pain."]


def test_a_tail_that_may_belong_to_both_nouns_keeps_them_together():
    text = "Eczema causes swelling and redness of the skin."
    assert claims(
        text,
        "Eczema/NN/nsubj/2 causes/VBZ/ROOT/0 swelling/NN/obj/2 and/CC/cc/5 redness/NN/conj/3 of/IN/case/8 the/DT/det/8 skin/NN/nmod/5 ././punct/2",
    ) == [text]


def test_two_subjects_of_an_ordinary_verb_stay_together():
    text = "Warfarin and aspirin increase bleeding."
    assert claims(
        text, "Warfarin/NN/nsubj/4 and/CC/cc/3 aspirin/NN/conj/1 increase/VBP/ROOT/0 bleeding/NN/obj/4 ././punct/4"
    ) == [text]


def test_a_relative_clause_after_a_comma_is_lifted_out():
    assert claims(
        "Warfarin, which thins the blood, prevents stroke.",
        "Warfarin/NN/nsubj/8 ,/,/punct/4 which/WDT/nsubj/4 thins/VBZ/acl:relcl/1 the/DT/det/6 blood/NN/obj/4 ,/,/punct/4 prevents/VBZ/ROOT/0 stroke/NN/obj/8 ././punct/8",
    ) == ["Warfarin prevents stroke.", "Warfarin thins the blood."]


def test_a_restrictive_relative_clause_stays():
    text = "Drugs that thin the blood prevent stroke."
    assert claims(
        text,
        "Drugs/NNS/nsubj/6 that/WDT/nsubj/3 thin/VBP/acl:relcl/1 the/DT/det/5 blood/NN/obj/3 prevent/VBP/ROOT/0 stroke/NN/obj/6 ././punct/6",
    ) == [text]


def test_a_report_keeps_its_reporter():
    assert claims(
        "Your doctor explained that fever is common.",
        "Your/PRP$/nmod:poss/2 doctor/NN/nsubj/3 explained/VBD/ROOT/0 that/IN/mark/7 fever/NN/nsubj/7 is/VBZ/cop/7 common/JJ/ccomp/3 ././punct/3",
    ) == ["A doctor explained that fever is common."]


def test_a_denied_report_stays_whole():
    text = "Studies have not shown that garlic helps."
    assert claims(
        text,
        "Studies/NNS/nsubj/4 have/VBP/aux/4 not/RB/advmod/4 shown/VBN/ROOT/0 that/IN/mark/7 garlic/NN/nsubj/7 helps/VBZ/ccomp/4 ././punct/4",
    ) == [text]


def test_a_recommendation_keeps_its_adviser():
    assert claims(
        "They recommend that you see a urologist.",
        "They/PRP/nsubj/2 recommend/VBP/ROOT/0 that/IN/mark/5 you/PRP/nsubj/5 see/VB/ccomp/2 a/DT/det/7 urologist/NN/obj/5 ././punct/2",
    ) == ["They recommend that patients see a urologist."]


def test_advice_to_the_reader_becomes_impersonal():
    assert claims(
        "You should ask your doctor about your liver.",
        "You/PRP/nsubj/3 should/MD/aux/3 ask/VB/ROOT/0 your/PRP$/nmod:poss/5 doctor/NN/obj/3 about/IN/case/8 your/PRP$/nmod:poss/8 liver/NN/obl/3 ././punct/3",
    ) == ["Patients should ask a doctor about their liver."]


@pytest.mark.parametrize(
    ("text", "annotation"),
    [
        (
            "I had this pain too.",
            "I/PRP/nsubj/2 had/VBD/ROOT/0 this/DT/det/4 pain/NN/obj/2 too/RB/advmod/2 ././punct/2",
        ),
        (
            "You are experiencing pain.",
            "You/PRP/nsubj/3 are/VBP/aux/3 experiencing/VBG/ROOT/0 pain/NN/obj/3 ././punct/3",
        ),
        ("Your fever was high.", "Your/PRP$/nmod:poss/2 fever/NN/nsubj/4 was/VBD/cop/4 high/JJ/ROOT/0 ././punct/4"),
    ],
)
def test_what_happened_to_one_person_is_no_claim(text, annotation):
    assert claims(text, annotation) == []


def test_a_pronoun_stands_for_the_subject_before():
    found = claims(
        "It reduces fever.",
        "It/PRP/nsubj/2 reduces/VBZ/ROOT/0 fever/NN/obj/2 ././punct/2",
        subject=Referent("ibuprofen", False),
    )
    assert found == ["Ibuprofen reduces fever."]


def test_a_pronoun_of_the_wrong_number_is_left():
    found = claims(
        "It reduces fever.",
        "It/PRP/nsubj/2 reduces/VBZ/ROOT/0 fever/NN/obj/2 ././punct/2",
        subject=Referent("tablets", True),
    )
    assert found == ["It reduces fever."]


def test_a_pronoun_stands_for_the_subject_of_the_clause_before():
    assert claims(
        "Ibuprofen reduces fever, and it relieves pain.",
        "Ibuprofen/NN/nsubj/2 reduces/VBZ/ROOT/0 fever/NN/obj/2 ,/,/punct/7 and/CC/cc/7 it/PRP/nsubj/7 relieves/VBZ/conj/2 pain/NN/obj/7 ././punct/2",
    ) == ["Ibuprofen reduces fever.", "Ibuprofen relieves pain."]


def test_effects_are_said_of_what_the_question_asks_about():
    found = claims(
        "Common effects include nausea.",
        "Common/JJ/amod/2 effects/NNS/nsubj/3 include/VBP/ROOT/0 nausea/NN/obj/3 ././punct/3",
        topic=Referent("Lexapro", False),
    )
    assert found == ["Common effects of Lexapro include nausea."]


@pytest.mark.parametrize(
    ("question", "topic"),
    [
        ("What are the side effects of Lexapro?", "Lexapro"),
        ("What is blepharitis?", "blepharitis"),
        ("What causes kidney stones?", "kidney stones"),
        ("Would you tell me more about amoxicillin?", "amoxicillin"),
        ("Is shingles contagious?", "shingles"),
        ("What should I do about it?", None),
        ("Why does my head hurt when I get up?", None),
        (None, None),
        ("x" * 1000, None),
    ],
)
def test_a_plain_question_names_its_topic(question, topic):
    found = question_topic(question)
    assert (found.text if found else None) == topic


def test_spans_hold_the_words_of_the_claim():
    text = "Ibuprofen reduces fever and relieves pain."
    sentence = tree(
        text,
        "Ibuprofen/NNP/nsubj/2 reduces/VBZ/ROOT/0 fever/NN/obj/2 and/CC/cc/5 relieves/VBZ/conj/2 pain/NN/obj/5 ././punct/2",
        start=50,
    )
    spans = [(claim.start - 50, claim.end - 50) for claim in sentence_claims(sentence, Discourse())]
    assert [text[start:end] for start, end in spans] == [
        "Ibuprofen reduces fever",
        "Ibuprofen reduces fever and relieves pain",
    ]
