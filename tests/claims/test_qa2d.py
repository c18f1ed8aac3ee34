"""A question and an answer of a word or a few make statements; a sentence stays what it was."""

import pytest
from claim_texts import texts

from fas.claims.qa2d import state_decision
from fas.core.records import Answer
from fas.models.parser import load_parser


def claims(extractor, question, answer):
    return texts(extractor, answer, question)


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
    ("Is it safe to take zinc with copper?", "No.", "It is not safe to take zinc with copper."),
    ("Should I stop my metformin before surgery?", "No.", "Patients should not stop their metformin before surgery."),
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
        "Beremagene Geperpavec is tested for recessive dystrophic epidermolysis bullosa.",
    ),
    ("What is luteolin?", "a flavonoid", "Luteolin is a flavonoid."),
    ("What is the generic name for Imfinzi?", "Durvalumab.", "The generic name for Imfinzi is Durvalumab."),
    ("Which receptors block it?", "activin receptors", "Activin receptors block it."),
    ("What modification marks active enhancers?", "H3K27ac", "H3K27ac marks active enhancers."),
    ("What is the length of lncRNAs?", ">200 nucleotides", "The length of lncRNAs is >200 nucleotides."),
    ("When did FDA approve pembrolizumab?", "2014", "FDA did approve pembrolizumab in 2014."),
    ("Where is ghrelin secreted?", "stomach", "Ghrelin is secreted in stomach."),
    ("Where does metformin act?", "The liver.", "Metformin acts in the liver."),
    ("How long does a cold last?", "7 days", "A cold lasts 7 days."),
    ("How long does a cold last?", "About 7 to 10 days.", "A cold lasts about 7 to 10 days."),
    ("How often should metformin be taken?", "Twice daily", "Metformin should be taken twice daily."),
    ("How many chromosomes do humans have?", "46", "Humans have 46 chromosomes."),
    ("How many chromosomes do humans have?", "46 chromosomes", "Humans have 46 chromosomes."),
    ("How many people have diabetes in the US?", "37 million", "37 million have diabetes in the US."),
    ("At what age does menopause start?", "51", "Menopause starts at 51."),
    ("In which organ would one find the receptor?", "liver", "One would find the receptor in liver."),
    ("Which disease is colchicine used for?", "gout", "Colchicine is used for gout."),
    ("What is the Versene solution used for?", "detaching", "The Versene solution is used for detaching."),
    ("Mutations in which genes cause it?", "GRIA3", "Mutations in GRIA3 cause it."),
    ("What's the treatment for gout?", "colchicine", "The treatment for gout is colchicine."),
    ("What is the dose of metformin?", "500 mg", "The dose of metformin is 500 mg."),
    ("What treats gout?", "## Answer\ncolchicine", "Colchicine treats gout."),
    ("Is influenza a viral or bacterial infection?", "Viral", "Influenza is a viral infection."),
    ("Does honey or zinc shorten colds?", "Honey", "Honey shortens colds."),
]


@pytest.mark.parametrize(("question", "answer", "statement"), FACTOIDS)
def test_a_phrase_fills_the_gap_of_the_question(extractor, question, answer, statement):
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
        ("Is aspirin safe in gout?", "copper"),
        ("I want to know which foods help gout", "cherries"),
        ("Why does aspirin cause bleeding?", "platelets"),
        ("How long does a cold last?", "It varies."),
        ("Does zinc or vitamin C shorten colds?", "Zinc."),
        ("Does vitamin C or zinc shorten colds?", "Zinc."),
        ("What causes gout?", "TODO"),
        ("What causes gout?", "{{answer}}"),
        ("What causes gout?", "<answer here>"),
    ],
)
def test_what_says_nothing_that_could_be_checked_has_no_claim(extractor, question, answer):
    assert claims(extractor, question, answer) == []


def test_a_placeholder_among_items_is_no_item_and_a_heading_above_them_neither(extractor):
    found = claims(extractor, "What are the symptoms of flu?", "## Symptoms\n- fever\n- <symptom>\n- cough")
    assert found == ["The symptoms of flu include fever.", "The symptoms of flu include cough."]


def test_sentences_among_items_that_have_no_place_in_the_question_are_claims(extractor):
    answer = "- Surgery\n- Treatment lasts 10 to 14 days\n- Antibiotics"
    assert claims(extractor, "How is an ulcer treated?", answer) == ["Treatment lasts 10 to 14 days."]


def test_a_sentence_whose_verb_looks_like_a_participle_is_no_phrase(extractor):
    answer = "Lifestyle change reduced new cases of diabetes by 58%."
    assert claims(extractor, "How much does it lower the risk of diabetes?", answer) == [answer]


@pytest.mark.parametrize(
    ("question", "answer", "claim"),
    [
        ("Are antibiotics effective in colds?", "No, they aren't.", "Antibiotics are not effective in colds."),
        ("Can aspirin cause ulcers?", "Yes, it can.", "Aspirin can cause ulcers."),
        ("Can aspirin cause ulcers?", "No, it cannot.", "Aspirin cannot cause ulcers."),
        ("Is gout a form of arthritis?", "Yes, it certainly is!", "Gout is a form of arthritis."),
    ],
)
def test_a_decision_that_echoes_the_question_says_what_the_question_asks(extractor, question, answer, claim):
    assert texts(extractor, answer, question) == [claim]


@pytest.mark.parametrize(
    ("question", "yes", "no"),
    [
        ("Does Axitinib prolong survival of pancreatic cancer patients?",
         "Axitinib prolongs survival of pancreatic cancer patients.",
         "Axitinib does not prolong survival of pancreatic cancer patients."),
        ("Is atenolol metabolized by CYP2D6?", "Atenolol is metabolized by CYP2D6.",
         "Atenolol is not metabolized by CYP2D6."),
        ("Is folate deficiency a common consequence of coeliac disease?",
         "Folate deficiency is a common consequence of coeliac disease.",
         "Folate deficiency is not a common consequence of coeliac disease."),
        ("Is there a role for TFII-I in megakaryopoiesis?", "There is a role for TFII-I in megakaryopoiesis.",
         "There is no role for TFII-I in megakaryopoiesis."),
        ("Is aspirin safe?", "Aspirin is safe.", "Aspirin is not safe."),
    ],
)  # fmt: skip
def test_a_decision_is_what_it_says_of_the_question(extractor, question, yes, no):
    assert state_decision(question, "Yes.", load_parser()) == yes
    assert state_decision(question, "No.", load_parser()) == no


@pytest.mark.parametrize(
    "prediction",
    ["Yes.", "**Answer:** Yes", "Answer: yes\n\nThat is all.", "A. yes", "Therefore, the answer is A. yes."],
)
def test_a_decision_anywhere_becomes_a_claim_with_its_span(extractor, prediction):
    found = extractor.extract([Answer("1", prediction, "Is aspirin safe?")])[0]
    assert [claim.text for claim in found] == ["Aspirin is safe."]
    assert "yes" in prediction[found[0].start : found[0].end].lower()
