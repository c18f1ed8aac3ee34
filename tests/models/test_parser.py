"""The embedded parser: loading, robustness, and sentences whose trees were written out by hand."""

from __future__ import annotations

import pytest

from fas.models.parser import load_parser, parse_text

pytest.importorskip("spacy")


@pytest.fixture(scope="module")
def nlp():
    return load_parser()


def arcs(doc):
    """What the tree says, word by word: (word, relation, head word)."""
    return {(t.text, t.dep_, t.head.text) for t in doc if not t.is_punct and not t.is_space}


@pytest.mark.parametrize("text", ["", " ", "\n\n", "\t", ".", "-", "**", "•", "mg", "1.", "\u200b", "💊💊", "ß" * 500])
def test_odd_and_empty_texts_give_a_doc_of_the_same_text(nlp, text):
    assert nlp(text).text == text


def test_the_same_text_gives_the_same_tree_again_and_in_any_batch(nlp):
    texts = ["Warfarin interacts with aspirin.", "take it with food", "- rest\n- drink water", "It is safe, isn't it?"]

    def rows(doc):
        return [(t.text, t.tag_, t.dep_, t.head.i, t.lemma_, t.is_sent_start) for t in doc]

    alone = [rows(nlp(text)) for text in texts]
    assert [rows(doc) for doc in nlp.pipe(texts * 5, batch_size=7)] == alone * 5


def test_a_long_text_is_parsed_in_pieces_and_given_back_unchanged(nlp):
    text = "Rest well. Drink water.\nTake  it daily, and do not stop\n\nSee a doctor. " * 3 + "x" * 90
    for piece in (1, 7, 40, 100, 10_000):
        doc = parse_text(text, piece=piece)
        assert doc.text == text
        assert doc.has_annotation("DEP")
    assert parse_text("").text == ""
    with pytest.raises(ValueError, match="piece must be at least 1"):
        parse_text(text, piece=0)


# Written out by hand after the UD guidelines, before the model had been asked: word, relation, head word.
TREES = {
    "Metformin reduces blood sugar.": (
        "Metformin nsubj reduces; reduces ROOT reduces; sugar obj reduces; blood compound sugar"
    ),
    "The drug was not approved by the agency.": (
        "drug nsubj:pass approved; was aux:pass approved; not advmod approved; approved ROOT approved; by case agency"
    ),
    "Aspirin is a common painkiller.": (
        "Aspirin nsubj painkiller; is cop painkiller; painkiller ROOT painkiller; common amod painkiller"
    ),
    "If you have asthma, you should avoid aspirin.": (
        "If mark have; have advcl avoid; should aux avoid; aspirin obj avoid; asthma obj have"
    ),
    "Patients who smoke have a higher risk.": (
        "who nsubj smoke; smoke acl:relcl Patients; Patients nsubj have; risk obj have"
    ),
    "It can cause nausea, vomiting, and headache.": (
        "nausea obj cause; vomiting conj nausea; headache conj nausea; and cc headache"
    ),
    "Studies show that exercise lowers blood pressure.": (
        "that mark lowers; lowers ccomp show; exercise nsubj lowers; pressure obj lowers"
    ),
    "Vitamin D deficiency is common in older adults.": (
        "is cop common; deficiency nsubj common; adults obl common; in case adults"
    ),
}


@pytest.mark.parametrize("text", TREES)
def test_plain_medical_sentences_are_parsed_as_by_hand(nlp, text):
    expected = {tuple(arc.split()) for arc in TREES[text].split("; ")}
    assert expected <= arcs(nlp(text))


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("Take it daily. Do not stop.", ["Take it daily.", "Do not stop."]),
        ("Drink water\nRest\nSee a doctor", ["Drink water", "Rest", "See a doctor"]),
        ("Dr. Lee gave 0.5 mg twice. It helped.", ["Dr. Lee gave 0.5 mg twice.", "It helped."]),
    ],
)
def test_sentences_end_where_a_reader_ends_them(nlp, text, sentences):
    assert [span.text.strip() for span in nlp(text).sents] == sentences
