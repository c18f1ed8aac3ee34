"""Small folders in the shapes in which the benchmarks' owners publish them; every text is our own."""

from __future__ import annotations

import csv
import json

QUESTIONS = (
    "Can honey be given to babies?",
    "Does ibuprofen lower a fever?",
    "Is amoxicillin an antibiotic?",
)
EXPERT = (
    "Honey must not be given before the first birthday. It may carry spores of botulism.",
    "Ibuprofen lowers a fever within 2 hours. It is not given to babies under 3 months.",
    "Amoxicillin is an antibiotic. It treats infections with bacteria.",
)
MUST = (
    ["Honey must not be given before the first birthday."],
    ["Ibuprofen lowers a fever.", "Ibuprofen is not given to babies under 3 months."],
    ["Amoxicillin is an antibiotic."],
)
NICE = (["Honey may carry spores of botulism."], [], ["Amoxicillin treats infections with bacteria."])


def write_lines(path, records):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")


def write_json(path, value):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), encoding="utf-8")


def statements_rows():
    return [
        {"Question": q, "Free_form_answer": a, "Must_have": m, "Nice_to_have": n, "ICD_10_diag": None}
        for q, a, m, n in zip(QUESTIONS, EXPERT, MUST, NICE, strict=True)
    ]


def choices(folder):
    """MIRAGE's repository: benchmark.json."""
    options = {"A": "yes", "B": "no"}
    questions = {f"{i:04}": {"question": q, "options": options, "answer": "AB"[i % 2]} for i, q in enumerate(QUESTIONS)}
    write_json(folder / "benchmark.json", {"medqa": questions, "bioasq": {"b1": questions["0000"]}})
    return folder


def medlfqa(folder):
    """OLAPH's repository: MedLFQA/ and alignment-handbook/predictions/."""
    write_lines(folder / "MedLFQA" / "kqa_golden_test_MedLFQA.jsonl", statements_rows())
    extra = [
        {"Question": "How long does flu last?", "Free_form_answer": "", "Must_have": ["A week."], "Nice_to_have": []}
    ]
    write_lines(folder / "MedLFQA" / "live_qa_test_MedLFQA.jsonl", extra)
    predictions = folder / "alignment-handbook" / "predictions"
    write_lines(
        predictions / "pdata_gamma-7b_wo-kqa_silver_wogold_kqa_golden_sampling.jsonl",
        [
            {
                **row,
                "sample_predictions": [f"{answer} Sure.", "I do not know."],
                "prediction_scores": [
                    {"idx": 0, "comprehensive": 100.0, "hallucination": 0.0},
                    {"idx": 1, "comprehensive": 0.0, "hallucination": 50.0},
                ],
            }
            for row, answer in zip(statements_rows(), EXPERT, strict=True)
        ],
    )
    # A file with a row more than the set: the numbers of its rows do not fit, the questions do.
    rows = [{"Question": "None", "sample_predictions": ["?"]}, {**extra[0], "sample_predictions": ["Some days."]}]
    write_lines(predictions / "pdata_delta-7b_live_qa_sampling.jsonl", rows)
    write_lines(predictions / "pdata_delta-7b_live_qa_sampling.jsonl_tmp", rows[:1])
    names = ("Consensus", "Comprehension", "Recall", "Reasoning", "Irrelevant", "Omission", "Bias", "Extent",
             "Likelihood")  # fmt: skip
    vote = "\n".join(f"{i}) {name}: {'Option A' if i in (1, 6) else 'Tie'}" for i, name in enumerate(names, start=1))
    write_lines(
        folder / "Human-Evaluation" / "human_evaluation_medlfqa.jsonl",
        [
            {
                "Question": QUESTIONS[0],
                "gpt4 (Option A)": "No honey for babies.",
                "medical expert (Option B)": EXPERT[0],
                **{f"medical_expert_{i}": vote for i in (1, 2, 3)},
            }
        ],
    )
    return folder


def kqa(folder):
    """K-QA's repository: dataset/."""
    write_lines(folder / "dataset" / "questions_w_answers.jsonl", statements_rows())
    labels = [
        (QUESTIONS[1], "gpt4", "It does, also in newborns.", MUST[1][0], "Must_have", "Entailment"),
        (QUESTIONS[1], "gpt4", "It does, also in newborns.", MUST[1][1], "Must_have", "Contradiction"),
        (QUESTIONS[2] + "\n", "bard", "It is.", MUST[2][0], "Must_have", "Entailment"),
        (QUESTIONS[2] + "\n", "bard", "It is.", NICE[2][0], "Nice_to_have", "Neutral"),
        ("Is water wet?", "bard", "No.", "Water is wet.", "Must_have", "Neutral"),
    ]
    with (folder / "dataset" / "NLI_medical_annotator.csv").open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["", "Question", "llm_x", "answer", "claim", "category_x", "majority_label", "label_0"])
        rows.writerows([i, *label, label[-1]] for i, label in enumerate(labels))
    return folder


def bioasq_question(identifier, kind, exact, *, ideal, snippets=("Aspirin helps.",)):
    question = {
        "id": identifier,
        "type": kind,
        "body": f"Question {identifier}?",
        "ideal_answer": ideal,
        "documents": ["http://www.ncbi.nlm.nih.gov/pubmed/123"],
        "snippets": [
            {
                "text": text,
                "document": "http://www.ncbi.nlm.nih.gov/pubmed/123",
                "beginSection": "abstract",
                "offsetInBeginSection": 0,
            }
            for text in snippets
        ],
    }
    return question if exact is None else {**question, "exact_answer": exact}


def bioasq(folder):
    """BioASQ's archives, unpacked side by side, and one early file with a single ideal answer."""
    write_json(
        folder / "Task10BGoldenEnriched" / "10B1_golden.json",
        {
            "questions": [
                bioasq_question("a1", "factoid", [["aspirin", "ASA"]], ideal=["It is aspirin.", "Aspirin."]),
                bioasq_question(
                    "a2", "list", [["one"], ["two", "2"]], ideal=["One and two."], snippets=("S1.", "S1.", "S2.")
                ),
                bioasq_question("a3", "summary", None, ideal=["A summary."]),
                bioasq_question("a4", "yesno", "Yes", ideal=["Yes, it does."]),
            ]
        },
    )
    write_json(
        folder / "Task9BGoldenEnriched" / "9B1_golden.json",
        {"questions": [bioasq_question("b1", "yesno", "no", ideal="No, it does not.", snippets=())]},
    )
    return folder


def pubmedqa_record(decision):
    return {
        "QUESTION": "Does it work?",
        "CONTEXTS": ["We gave it to ten people.", "Nine got well."],
        "LABELS": ["METHODS", "RESULTS"],
        "MESHES": [],
        "YEAR": "2011",
        "final_decision": decision,
        "LONG_ANSWER": "It seems to work.",
    }


def pubmedqa(folder):
    """PubMedQA's repository: data/."""
    write_json(folder / "data" / "ori_pqal.json", {"11": pubmedqa_record("yes"), "12": pubmedqa_record("maybe")})
    write_json(folder / "data" / "test_ground_truth.json", {"12": "maybe"})
    return folder


def mirage(folder):
    """MIRAGE's repository: rawdata/ and prediction/."""
    bioasq(folder / "rawdata" / "bioasq")
    write_json(folder / "rawdata" / "pubmedqa" / "data" / "test_set.json", {"12": pubmedqa_record("maybe")})
    answers = folder / "prediction"
    reply = json.dumps({"step_by_step_thinking": "It helps.", "answer_choice": "A"})
    write_json(answers / "bioasq" / "cot" / "OpenAI" / "gpt-x" / "test_a4.json", [reply])
    torn = '{"step_by_step_thinking": "A \\"quoted\\" word", "answer_choice": "A. yes"'
    write_json(answers / "bioasq" / "rag_32" / "OpenAI" / "gpt-x" / "medcorp" / "RRF-4" / "test_b1.json", [torn])
    write_json(answers / "pubmedqa" / "cot" / "OpenAI" / "gpt-x" / "test_12.json", ["I cannot tell."])
    return folder


def askdocs(folder):
    """MedScore's repository: data/."""
    write_lines(
        folder / "data" / "AskDocs.jsonl",
        [{"id": "x1", "question": "Honey?", "doctor_response": "No honey.", "response": "Please give no honey."}],
    )
    return folder


def calmqa(folder):
    """MedScore's repository: data/."""
    row = {"id": 0, "question": "Why is the sky blue?", "response": "Air scatters blue light most.", "model": "human"}
    write_lines(folder / "data" / "calmqa_english.jsonl", [{**row, "language": 4, "question_type": 1}])
    return folder


def factscore(folder):
    """The repository with FActScore's labels: third_party/factscore/labeled_data/."""
    facts = [{"text": "A.", "label": "S"}, {"text": "B.", "label": "NS"}, {"text": "C.", "label": "IR"}]
    labelled = [{"text": "A, B.", "human-atomic-facts": facts}, {"text": "D.", "human-atomic-facts": None}]
    row = {"input": "Question: Tell me a bio of Ada Vale.", "output": "Ada.", "topic": "Ada Vale", "cat": ["rare"]}
    for model, parts in (("InstructGPT", labelled), ("ChatGPT", None), ("PerplexityAI", [])):
        path = folder / "third_party" / "factscore" / "labeled_data" / f"{model}.jsonl"
        write_lines(path, [{**row, "annotations": parts}])
    return folder


AGGREFACT = [
    {"dataset": "LFQA", "doc": "A bit is 0 or 1.", "claim": "A bit is 0 or 1.", "label": 1},
    {"dataset": "RAGTruth", "doc": "Cats purr.", "claim": "Cats bark.", "label": 0},
    {"dataset": "LFQA", "doc": "A bit is 0 or 1.", "claim": "A bit is 7.", "label": 0},
]


def aggrefact(folder):
    """LLM-AggreFact's data/, as lines; its owners' file is Parquet."""
    write_lines(folder / "LLM-AggreFact" / "data" / "test.jsonl", AGGREFACT)
    return folder
