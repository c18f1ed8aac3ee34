"""The embedded parser: loading, robustness, and sentences whose trees were written out by hand."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import pytest

from fas.models.parser import PARSER_NAME, PARSER_VERSION, load_parser, parse_text
from fas.models.paths import model_folder

pytest.importorskip("spacy")


@pytest.fixture(scope="module")
def nlp():
    return load_parser()


def arcs(doc):
    """What the tree says, word by word: (word, relation, head word)."""
    return {(t.text, t.dep_, t.head.text) for t in doc if not t.is_punct and not t.is_space}


def test_the_model_says_its_name_version_and_licence(nlp):
    assert nlp.meta["name"] == PARSER_NAME == "fas-en-mini"
    assert nlp.meta["version"] == PARSER_VERSION == "3"
    assert nlp.meta["license"] == "CC BY-SA 4.0"
    assert nlp.pipe_names == ["tok2vec", "tagger", "parser", "lemmatizer"]


def test_vectors_are_looked_up_in_lower_case_after_loading(nlp):
    from spacy.attrs import LOWER

    assert nlp.vocab.vectors.attr == LOWER
    assert nlp.vocab.vectors.shape == (19000, 64)


def test_the_folder_is_under_15_megabytes():
    size = sum(p.stat().st_size for p in model_folder(PARSER_NAME).rglob("*") if p.is_file())
    assert size < 15_000_000


def test_it_loads_with_little_work_beyond_the_imports():
    code = (
        "import sys, spacy, spacy.lang.en, spacy.pipeline\n"
        "sys.path.insert(0, sys.argv[1])\n"
        "from processor_time import units_of\n"
        "from fas.models.parser import load_parser\n"
        "print(units_of(load_parser, limit=60))"
    )
    command = [sys.executable, "-c", code, str(Path(__file__).parents[1] / "support")]

    def units():
        return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)

    # Another program on the machine can lengthen one measurement, hence up to three.
    assert any(units() < 4.0 for _ in range(3))


def test_importing_the_module_does_not_import_spacy():
    code = "import sys, fas.models.parser; print('spacy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_it_needs_no_lookup_tables_beside_it():
    code = (
        "import sys\n"
        "sys.modules['spacy_lookups_data'] = None\n"
        "from fas.models.parser import load_parser\n"
        "print([t.lemma_ for t in load_parser()('Patients were treated.')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['patient', 'be', 'treat', '.']"


def test_every_thread_gets_the_same_pipeline():
    found = []
    threads = [threading.Thread(target=lambda: found.append(load_parser())) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8
    assert all(one is found[0] for one in found)


def test_an_unknown_name_is_a_lookup_error():
    with pytest.raises(LookupError, match="no parser 'en_no_such_pipeline'"):
        load_parser("en_no_such_pipeline")


def test_a_folder_loads_by_its_path(nlp):
    other = load_parser(Path(model_folder(PARSER_NAME)))
    text = "Ibuprofen can raise blood pressure."
    assert arcs(other(text)) == arcs(nlp(text))


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


def test_pieces_cut_at_line_breaks_change_no_tree(nlp):
    lines = ["Metformin reduces blood sugar.\n", "It can cause nausea, vomiting, and headache.\n"]
    doc = parse_text("".join(lines), piece=len(lines[1]))
    expected = [(t.text, t.tag_, t.dep_, t.head.text, t.lemma_) for line in lines for t in nlp(line)]
    assert [(t.text, t.tag_, t.dep_, t.head.text, t.lemma_) for t in doc] == expected
    assert [t.i for t in doc if t.is_sent_start] == [0, 6]


@pytest.mark.slow
def test_a_text_of_more_than_a_megabyte_is_parsed_whole(nlp):
    text = "The dose was raised to 0.5 mg/kg, because the pain did not stop.\n" * 16_000
    assert len(text) > nlp.max_length
    with nlp.memory_zone():
        doc = parse_text(text)
        assert doc.text == text
        assert len(list(doc.sents)) == 16_000


def test_every_sentence_is_a_tree_over_neighbouring_tokens(nlp):
    doc = nlp("Metformin is safe. It lowers glucose, and it rarely causes harm.\n\n1. Eat well\n2. Sleep well")
    for sentence in doc.sents:
        assert [t.dep_ for t in sentence].count("ROOT") >= 1
        assert all(sentence.start <= t.head.i < sentence.end for t in sentence)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("Take 0.5 mg/kg.", ["Take", "0.5", "mg", "/", "kg", "."]),
        ("500mg b.i.d. p.o.", ["500", "mg", "b.i.d.", "p.o."]),
        ("5mg/day", ["5", "mg", "/", "day"]),
        ("p<0.05", ["p", "<", "0.05"]),
        ("aged ≥65", ["aged", "≥", "65"]),
        ("e.g. q8h", ["e.g.", "q8h"]),
        ("Dr. Lee et al. agree.", ["Dr.", "Lee", "et", "al.", "agree", "."]),
        ("for 30 min.", ["for", "30", "min", "."]),
    ],
)
def test_doses_and_abbreviations_are_cut_as_the_treebanks_cut_them(nlp, text, tokens):
    assert [t.text for t in nlp.tokenizer(text)] == tokens


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


def test_the_embedded_parser_multiplies_with_numpy_and_others_are_left_alone(nlp):
    import spacy

    def blis(pipeline):
        return {
            layer.ops.use_blis
            for _, component in pipeline.pipeline
            if hasattr(component, "model")
            for layer in component.model.walk()
        }

    assert blis(nlp) == {False}
    own = spacy.load(model_folder("fas-en-mini"))
    assert blis(own) == {True}
    text = "Metformin lowers blood sugar in adults with diabetes, and it is taken with food."
    assert [(t.tag_, t.head.i, t.dep_) for t in nlp(text)] == [(t.tag_, t.head.i, t.dep_) for t in own(text)]
