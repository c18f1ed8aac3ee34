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


def test_a_relative_clause_after_a_comma_is_lifted_out():
    assert claims(
        "Warfarin, which thins the blood, prevents stroke.",
        "Warfarin/NN/nsubj/8 ,/,/punct/4 which/WDT/nsubj/4 thins/VBZ/acl:relcl/1 the/DT/det/6 blood/NN/obj/4 ,/,/punct/4 prevents/VBZ/ROOT/0 stroke/NN/obj/8 ././punct/8",
    ) == ["Warfarin prevents stroke.", "Warfarin thins the blood."]


def test_a_report_keeps_its_reporter():
    assert claims(
        "Your doctor explained that fever is common.",
        "Your/PRP$/nmod:poss/2 doctor/NN/nsubj/3 explained/VBD/ROOT/0 that/IN/mark/7 fever/NN/nsubj/7 is/VBZ/cop/7 common/JJ/ccomp/3 ././punct/3",
    ) == ["A doctor explained that fever is common."]


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
