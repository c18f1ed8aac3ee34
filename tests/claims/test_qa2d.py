"""A question and an answer of a word or a few make statements; a sentence stays what it was."""

import pytest

from fas.claims.extractor import SpacyClauses
from fas.core.records import Answer
from fas.models.parser import load_parser


@pytest.fixture(scope="module")
def extractor():
    return SpacyClauses(nlp=load_parser())


def claims(extractor, question, answer):
    return [claim.text for claim in extractor.extract([Answer("1", answer, question=question)])[0]]


DECISIONS = [
    ("Does the royal jelly contain proteins?", "Yes.", "The royal jelly contains proteins."),
    # What the parser cannot take apart stays whole: "Honey ease coughses" is no claim.
    ("Does honey ease coughs?", "Yes, it does.", "Does honey ease coughs? Yes, it does."),
    (
        "Are there any anti-amyloid antibody approved as drug for Alzheimer's disease treatment?",
        "No.",
        "There are no anti-amyloid antibody approved as drug for Alzheimer's disease treatment.",
    ),
    ("Is there a vaccine for peanut allergy?", "Yes, there is.", "There is a vaccine for peanut allergy."),
    ("Is there any link between zinc and colds?", "Yes.", "There is some link between zinc and colds."),
    ("Can bergapten cause phototoxicity?", "No", "Bergapten cannot cause phototoxicity."),
    ("Should dacomitinib be used for glioblastoma?", "No.", "Dacomitinib should not be used for glioblastoma."),
    ("Has LB-100 been tested in clinical trials?", "Yes.", "LB-100 has been tested in clinical trials."),
    ("Is the protein Papilin secreted?", "**Yes**", "The protein Papilin is secreted."),
    ("In adults, is colistin effective for sepsis?", "no", "In adults, colistin is not effective for sepsis."),
    ("Is aspirin safe in gout?", "I don't think so.", "Probably aspirin is not safe in gout."),
    ("Is aspirin safe in gout?", "Not usually.", "Usually aspirin is not safe in gout."),
    ("Is aspirin safe in gout?", "Maybe.", "Possibly aspirin is safe in gout."),
]


@pytest.mark.parametrize(("question", "answer", "statement"), DECISIONS)
def test_a_decision_decides_the_question_in_a_declarative_sentence(extractor, question, answer, statement):
    assert claims(extractor, question, answer) == [statement]


FACTOIDS = [
    (
        "What mammal has the lowest known chromosome number?",
        "Indian muntjac",
        "Indian muntjac has the lowest known chromosome number.",
    ),
    (
        "Beremagene Geperpavec is tested for which disease?",
        "recessive dystrophic epidermolysis bullosa",
        "Beremagene Geperpavec is tested for which disease? recessive dystrophic epidermolysis bullosa.",
    ),
    ("What is luteolin?", "a flavonoid", "Luteolin is a flavonoid."),
    ("What is the generic name for Imfinzi?", "Durvalumab.", "The generic name for Imfinzi is Durvalumab."),
    ("Which receptors block it?", "activin receptors", "Activin receptors block it."),
    ("What modification marks active enhancers?", "H3K27ac", "H3K27ac marks active enhancers."),
    ("What is the length of lncRNAs?", ">200 nucleotides", "The length of lncRNAs is >200 nucleotides."),
    ("When did FDA approve pembrolizumab?", "2014", "When did FDA approve pembrolizumab? 2014."),
    ("Where is ghrelin secreted?", "stomach", "Where is ghrelin secreted? stomach."),
]


@pytest.mark.parametrize(("question", "answer", "statement"), FACTOIDS)
def test_a_phrase_fills_the_gap_of_the_question_or_stands_behind_it(extractor, question, answer, statement):
    assert claims(extractor, question, answer) == [statement]


def test_a_list_gives_one_claim_an_item_each_with_the_items_span(extractor):
    answer = "dementia, gait disturbances (slow, broad), and urinary incontinence"
    found = extractor.extract([Answer("1", answer, question="List symptoms of the Hakim Triad?")])[0]
    assert [claim.text for claim in found] == [
        "Symptoms of the Hakim Triad include dementia.",
        "Symptoms of the Hakim Triad include gait disturbances (slow, broad).",
        "Symptoms of the Hakim Triad include urinary incontinence.",
    ]
    assert [answer[claim.start : claim.end] for claim in found] == [
        "dementia",
        "gait disturbances (slow, broad)",
        "urinary incontinence",
    ]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Is aspirin safe in gout?", "I'm not sure."),
        ("Is aspirin safe in gout?", "I can help you with that."),
        ("Is aspirin safe in gout?", "Is aspirin safe in gout?"),
        ("Which gene causes it?", "Yes."),
        ("Is it safe?", "Yes."),
        ("Is aspirin safe in gout?", ""),
        (None, "flavonoid"),
    ],
)
def test_what_says_nothing_that_could_be_checked_has_no_claim(extractor, question, answer):
    assert claims(extractor, question, answer) == []
