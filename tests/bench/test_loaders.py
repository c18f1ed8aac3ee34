"""The loaders, on small trees in the owners' shapes (`bench_trees`) and on the development copies.

Oracles: the texts of the trees; for the copies the counts in the owners' papers and in SOURCE.md, and pandas.
"""

from __future__ import annotations

import gzip
import json
from collections import Counter

import bench_trees as trees
import pandas as pd
import pytest

from fas.bench import benchmark
from fas.core.errors import InputError


def loaded(name, folder):
    bench = benchmark(name)
    items, candidates = list(bench.items(folder)), list(bench.candidates(folder))
    return {item.id: item for item in items}, candidates


# --- MedLFQA ----------------------------------------------------------------------------------


def test_medlfqa_gives_statements_and_every_sample_of_every_model(tmp_path):
    items, candidates = loaded("medlfqa", trees.medlfqa(tmp_path))
    assert list(items) == ["kqa_golden/0", "kqa_golden/1", "kqa_golden/2", "live_qa/0"]
    assert items["kqa_golden/1"].references == (trees.EXPERT[1],)
    assert items["kqa_golden/1"].meta["must_have"] == trees.MUST[1]
    assert items["live_qa/0"].references == ()
    gamma = [c for c in candidates if c.model == "gamma-7b_wo-kqa_silver_wogold"]
    assert [(c.item, c.sample) for c in gamma] == [(f"kqa_golden/{i}", s) for i in range(3) for s in range(2)]
    assert gamma[1].text == "I do not know."
    assert gamma[1].meta == {"olaph_comprehensiveness": 0.0, "olaph_hallucination": 50.0}


# --- K-QA -------------------------------------------------------------------------------------


def test_kqas_gold_is_what_the_physicians_said_counted_by_hand(tmp_path):
    items, candidates = loaded("kqa", trees.kqa(tmp_path))
    assert list(items) == ["0", "1", "2", "judged/0"]
    found = {c.item: c for c in candidates}
    assert found["1"].gold == 0.5  # two must-haves, one entailed
    assert found["1"].meta["hallucination"] == 0.5  # of two statements one contradicted
    assert found["2"].gold == 1.0
    assert found["2"].meta["comprehensiveness"] == 1.0
    assert found["judged/0"].gold == 0.0
    assert items["judged/0"].meta["must_have"] == ["Water is wet."]


def test_a_statement_of_kqa_that_is_labelled_twice_is_refused(tmp_path):
    folder = trees.kqa(tmp_path)
    (path,) = folder.rglob("NLI_medical_annotator.csv")
    lines = path.read_text().splitlines()
    path.write_text("\n".join([*lines, lines[1]]))
    with pytest.raises(InputError, match="field 'claim': has a label in an earlier row"):
        list(benchmark("kqa").candidates(folder))


# --- BioASQ, PubMedQA, MIRAGE, AskDocsAI -------------------------------------------------------


def test_bioasq_gives_ideal_and_exact_answers_snippets_and_documents(tmp_path):
    items, candidates = loaded("bioasq", trees.bioasq(tmp_path))
    assert candidates == []
    assert list(items) == ["b1", "a1", "a2", "a3", "a4"]  # by edition
    assert items["a1"].references == ("It is aspirin.", "Aspirin.")
    assert items["a1"].meta == {"subset": "10B", "exact": [["aspirin", "ASA"]], "documents": ["123"]}
    assert [(p.text, p.id) for p in items["a2"].passages] == [("S1.", "123"), ("S2.", "123")]
    assert items["a3"].meta["exact"] is None
    assert items["a4"].meta["exact"] == "yes"
    assert items["b1"].references == ("No, it does not.",)
    assert items["b1"].passages == ()


def test_pubmedqa_keeps_the_conclusion_out_of_the_abstract(tmp_path):
    items, _ = loaded("pubmedqa", trees.pubmedqa(tmp_path))
    assert {i: item.meta["subset"] for i, item in items.items()} == {"11": "train", "12": "test"}
    item = items["12"]
    assert item.references == ("It seems to work.",)
    assert item.meta["abstract"] == "We gave it to ten people.\nNine got well."
    assert [(p.text, p.id, p.year) for p in item.passages] == [(item.meta["abstract"], "12", 2011)]


def test_mirages_gold_is_whether_the_decision_is_right(tmp_path):
    items, candidates = loaded("mirage", trees.mirage(tmp_path))
    assert set(items) == {"bioasq/a4", "bioasq/b1", "pubmedqa/12"}
    found = {(c.item, c.model): c for c in candidates}
    right = found["bioasq/a4", "gpt-x/cot"]
    assert (right.text, right.gold, right.meta["decision_given"]) == ("It helps.", 1.0, "yes")
    wrong = found["bioasq/b1", "gpt-x/rag_32"]  # cut off before the brace closed
    assert (wrong.text, wrong.gold) == ('A "quoted" word', 0.0)
    assert wrong.meta["mode"] == "rag_32/medcorp/RRF-4"
    undecided = found["pubmedqa/12", "gpt-x/cot"]
    assert (undecided.text, undecided.gold) == ("I cannot tell.", None)


def test_askdocs_judges_the_rewriting_by_the_doctors_words(tmp_path):
    items, candidates = loaded("askdocs", trees.askdocs(tmp_path))
    assert [p.text for p in items["x1"].passages] == ["No honey."]
    assert [(c.model, c.text) for c in candidates] == [("rewritten", "Please give no honey.")]


def test_factscores_gold_is_the_share_of_supported_facts_without_irrelevant_ones(tmp_path):
    items, candidates = loaded("factscore", trees.factscore(tmp_path))
    assert items["Ada Vale"].question == "Tell me a bio of Ada Vale."
    assert [(c.model, c.gold) for c in candidates] == [("InstructGPT", 0.5), ("ChatGPT", None), ("PerplexityAI", None)]


@pytest.mark.parametrize("form", ["lines", "parquet"])
def test_aggrefact_has_a_document_with_its_sentences_and_their_labels(form, tmp_path):
    folder = trees.aggrefact(tmp_path)
    if form == "parquet":
        (folder / "LLM-AggreFact" / "data" / "test.jsonl").unlink()
        pd.DataFrame(trees.AGGREFACT).to_parquet(folder / "LLM-AggreFact" / "data" / "test-00000-of-00001.parquet")
    items, candidates = loaded("aggrefact", folder)
    assert [(item.meta["subset"], item.passages[0].text) for item in items.values()] == [
        ("LFQA", "A bit is 0 or 1."),
        ("RAGTruth", "Cats purr."),
    ]
    assert [(items[c.item].meta["subset"], c.sample, c.gold) for c in candidates] == [
        ("LFQA", 0, 1.0),
        ("RAGTruth", 0, 0.0),
        ("LFQA", 1, 0.0),
    ]


# --- malformed files --------------------------------------------------------------------------


def rewrite(path, change):
    records = [json.loads(line) for line in path.read_text().splitlines()]
    change(records)
    trees.write_lines(path, records)


BROKEN = {
    "a statement is no text": (
        lambda folder: rewrite(folder / "MedLFQA/kqa_golden_test_MedLFQA.jsonl", lambda r: r[1].update(Must_have=[1])),
        r"kqa_golden_test_MedLFQA\.jsonl, line 2: field 'Must_have': expected a list of strings, got list \[1\]",
    ),
    "a key is missing": (
        lambda folder: rewrite(folder / "MedLFQA/kqa_golden_test_MedLFQA.jsonl", lambda r: r[2].pop("Question")),
        r"line 3: field 'Question': missing; fields found: Free_form_answer, Must_have",
    ),
    "a line is torn": (
        lambda folder: (folder / "MedLFQA/live_qa_test_MedLFQA.jsonl").write_text('{"Question": "a'),
        r"live_qa_test_MedLFQA\.jsonl, line 1: not JSON",
    ),
    "a line is no object": (
        lambda folder: (folder / "MedLFQA/live_qa_test_MedLFQA.jsonl").write_text("[1]\n"),
        r"line 1: expected a JSON object, got list",
    ),
    "an archive is cut off": (
        lambda folder: (
            (folder / "MedLFQA/live_qa_test_MedLFQA.jsonl").unlink(),
            (folder / "MedLFQA/live_qa_test_MedLFQA.jsonl.gz").write_bytes(gzip.compress(b"{}" * 999)[:-9]),
        ),
        r"live_qa_test_MedLFQA\.jsonl\.gz: cannot be read",
    ),
    "an archive is damaged in its middle": (
        lambda folder: (
            (folder / "MedLFQA/live_qa_test_MedLFQA.jsonl").unlink(),
            # The first byte after the header says what kind of block follows; there is no kind 3.
            (folder / "MedLFQA/live_qa_test_MedLFQA.jsonl.gz").write_bytes(gzip.compress(b"")[:10] + b"\x07"),
        ),
        r"live_qa_test_MedLFQA\.jsonl\.gz: cannot be read \(.*invalid block type",
    ),
    "a file is not UTF-8": (
        lambda folder: (folder / "MedLFQA/live_qa_test_MedLFQA.jsonl").write_bytes(b'{"Question": "\xff"}\n'),
        r"line 1: not UTF-8 \(byte 15 of the line\)",
    ),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_malformed_file_names_file_line_and_field(tmp_path, case):
    damage, message = BROKEN[case]
    folder = trees.medlfqa(tmp_path)
    damage(folder)
    with pytest.raises(InputError, match=message):
        list(benchmark("medlfqa").items(folder))


# --- the development copies -------------------------------------------------------------------


def test_calmqa_is_read_as_its_owners_publish_it(shared_data):
    items, candidates = loaded("calmqa", shared_data / "eval")
    assert len(items) == len(candidates) == 96
    assert {candidate.item for candidate in candidates} == set(items) == {str(i) for i in range(96)}


def test_factscores_copies_hold_the_answers_that_people_labelled(shared_data):
    _, candidates = loaded("factscore", shared_data / "eval")
    gold = pd.DataFrame([(c.model, c.gold) for c in candidates], columns=["model", "gold"]).groupby("model").gold
    assert gold.size().to_dict() == {"ChatGPT": 183, "InstructGPT": 183, "PerplexityAI": 183}
    assert gold.count().to_dict() == {"ChatGPT": 157, "InstructGPT": 180, "PerplexityAI": 156}


def test_medlfqas_copies_have_the_sizes_their_source_states(shared_data):
    bench = benchmark("medlfqa")
    items = {item.id: item for item in bench.items(shared_data)}
    sizes = Counter(item.meta["subset"] for item in items.values())
    assert sizes == {"kqa_golden": 201, "kqa_silver_wogold": 904, "live_qa": 100, "medication_qa": 666}
    found = Counter((c.model, items[c.item].meta["subset"]) for c in bench.candidates(shared_data))
    # Six samples a question; the files of mistral and selfbiorag on LiveQA hold 103 rows, three without a question.
    assert found["mistral-7b", "kqa_golden"] == 6 * 201
    assert found["mistral-7b", "live_qa"] == found["selfbiorag-7b", "live_qa"] == 6 * 100
    assert found["selfbiorag-7b", "medication_qa"] == 6 * 666
    assert len(list(bench.preferences(shared_data))) == 198


def test_kqas_measures_against_pandas(shared_data):
    import pandas as pd

    rows = pd.read_csv(shared_data / "eval" / "kqa" / "NLI_medical_annotator.csv.gz")
    by_answer = rows.groupby(["Question", "llm_x"])
    contradicted = by_answer["majority_label"].apply(lambda labels: (labels == "Contradiction").mean())
    must = rows[rows["category_x"] == "Must_have"].groupby(["Question", "llm_x"])["majority_label"]
    entailed = must.apply(lambda labels: (labels == "Entailment").mean())
    candidates = list(benchmark("kqa").candidates(shared_data))
    assert len(candidates) == len(by_answer) == 50
    assert sorted(c.meta["hallucination"] for c in candidates) == pytest.approx(sorted(contradicted))
    assert sorted(c.meta["comprehensiveness"] for c in candidates) == pytest.approx(sorted(entailed))


def test_bioasqs_and_pubmedqas_copies_have_the_counts_their_cards_state(shared_data):
    kinds = Counter(i.kind for i in benchmark("bioasq").items(shared_data) if i.meta["subset"] == "10B")
    assert kinds == {"factoid": 166, "yesno": 123, "summary": 112, "list": 85}
    test = [i for i in benchmark("pubmedqa").items(shared_data) if i.meta["subset"] == "test"]
    assert Counter(i.meta["decision"] for i in test) == {"yes": 276, "no": 169, "maybe": 55}


def test_mirages_copies_agree_with_the_judgement_stored_beside_them(shared_data):
    path = shared_data / "eval" / "mirage_bioasq_pubmedqa" / "llm_explanations_with_gold.jsonl.gz"
    with gzip.open(path, "rt", encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    # Two time-outs and one request without a reply are stored among them.
    stored = Counter(line["correct"] for line in lines if line["answer"] and "timed out:" not in line["answer"])
    gold = Counter(c.gold for c in benchmark("mirage").candidates(shared_data))
    assert gold == {1.0: stored[True], 0.0: stored[False], None: stored[None]}
