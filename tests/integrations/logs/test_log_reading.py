"""Logs of each tool give the answers and numbers that the tool stored.

The files in `made` were written by the tools, offline, for six questions: Inspect 0.3.285, promptfoo 0.121.20,
lm-evaluation-harness 0.4.13, deepeval 4.3.1 and MLflow 3.17.2 (without the columns of its traces). Graders were
scripts, which fail on the fifth question. The other logs are written here by hand as each tool documents its results.
"""

import json
import math
from pathlib import Path

import pandas
import pytest

from fas.core.answers.columns import ColumnMapping
from fas.core.answers.files import answers_from
from fas.core.answers.formats import read_objects
from fas.core.answers.logged import _unpack
from fas.core.errors import InputError
from fas.integrations.logs.reading import read_logs
from fas.integrations.logs.records import make_score
from fas.integrations.logs.scores import compare_systems, summarise_scores

MADE = Path(__file__).parent / "made"
QUESTION, ANSWER, REFERENCE, PASSAGE = (
    "What lowers fever?",
    "Paracetamol does.",
    "Paracetamol.",
    "Paracetamol lowers fever.",
)


def write_lines(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def values(log, name):
    return [one.scores[name].value if name in one.scores else None for one in log.answers]


def test_a_log_of_inspect_has_its_grades_and_failed_judgements_are_no_zeros():
    log = read_logs([MADE / "inspect.eval"])
    assert (log.form, len(log.answers)) == ("Inspect", 12)
    first = log.answers[0]
    assert (first.unit, first.system, first.question) == ("q1", "mockllm/model", "What does metformin do?")
    assert first.prediction == "Metformin lowers glucose. It does not increase body weight."
    assert first.references == ("Metformin lowers glucose.",)
    assert first.passages == ("Metformin lowered fasting glucose in adults. Body weight did not increase.",)
    # As the log's own reader prints them: C C C I and two grades that could not be read, in both epochs.
    grades = values(log, "model_graded_qa")
    assert grades[:4] == [1.0, 1.0, 1.0, 0.0]
    assert all(math.isnan(value) for value in grades[4:6])
    score = first.scores["model_graded_qa"]
    assert score.judge == "model_graded_qa by mockllm/grader"
    assert first.prediction in score.prompt
    (found,) = (one for one in summarise_scores(log, ["model_graded_qa"]))
    assert (found.mean.n, found.n_failed, found.n_units) == (8, 4, 6)
    assert found.mean.mean == pytest.approx(6 / 8)


def test_the_json_form_of_a_log_of_inspect_reads_alike(tmp_path):
    import zipfile

    with zipfile.ZipFile(MADE / "inspect.eval") as packed:
        whole = json.loads(_unpack(packed, "header.json"))
        names = [name for name in packed.namelist() if name.startswith("samples/")]
        whole["samples"] = [json.loads(_unpack(packed, name)) for name in names]
    path = tmp_path / "log.json"
    path.write_text(json.dumps(whole).replace("NaN", "null"), encoding="utf-8")  # answers are read as strict JSON
    packed_log, plain = read_logs([MADE / "inspect.eval"]), read_logs([path])
    assert [repr(one) for one in plain.answers] == [repr(one) for one in packed_log.answers]
    assert read_to_score(path) == [(one.id, one.question, one.prediction, one.references) for one in plain.answers]


def read_to_score(path):
    return [(one.id, one.question, one.prediction, one.references) for one in answers_from(path)]


def test_what_is_scored_of_a_log_has_its_attachments_and_no_answer_where_there_was_an_error(tmp_path):
    sample = {"id": 1, "input": QUESTION, "target": REFERENCE, "output": {"completion": "attachment://a1"}}
    failed = {"id": 2, "input": QUESTION, "output": {"completion": ""}, "error": {"message": "timeout"}}
    path = tmp_path / "log.json"
    path.write_text(json.dumps({"samples": [sample | {"attachments": {"a1": ANSWER}}, failed]}))
    first, second = read_objects(path, columns=ColumnMapping())
    assert first.record["prediction"] == ANSWER
    assert "prediction" not in second.record


def test_promptfoo_counts_a_reply_that_it_could_not_read_as_zero_and_we_do_not():
    log = read_logs([MADE / "promptfoo.json"])
    (found,) = summarise_scores(log, ["llm-rubric"])
    assert found.judges == {"llm-rubric by exec:./grader.sh": 6}
    assert (found.n_failed, found.mean.n) == (1, 5)
    assert found.mean.mean == pytest.approx(4 / 5)
    assert found.stored == pytest.approx(4 / 6)
    (whole,) = summarise_scores(log, ["score"])
    assert whole.stored == pytest.approx((5 * 1 + 0.5 - 1) / 6)  # as promptfoo's own results: 1 1 1 .5 0 1
    assert log.answers[0].passages == ("Metformin lowered fasting glucose in adults. Body weight did not increase.",)
    scored = read_to_score(MADE / "promptfoo.json")
    assert [one[:3] for one in scored] == [(one.id, one.question, one.prediction) for one in log.answers]


@pytest.mark.parametrize(
    ("name", "form", "score", "judge", "why"),
    [
        ("deepeval.json", "deepeval", "Correctness", "Correctness by rule-1", "ValueError: no grade in the reply"),
        ("mlflow.jsonl", "MLflow", "correct", "correct by judge-1", "no grade in the reply"),
    ],
)
def test_stored_results_have_five_grades_and_one_that_failed(name, form, score, judge, why):
    log = read_logs([MADE / name])
    (found,) = summarise_scores(log, log.metrics)
    assert (log.form, found.name, found.failures) == (form, score, {why: 1})
    assert judge in found.judges
    by_question = {one.question: one for one in log.answers}
    assert by_question["Does amoxicillin treat viral colds?"].scores[score].value == 0.0
    first = by_question["What does metformin do?"]
    assert first.scores[score].value == 1.0
    assert first.references == ("Metformin lowers glucose.",)
    assert first.passages == ("Metformin lowered fasting glucose in adults. Body weight did not increase.",)
    assert first.prediction == "Metformin lowers glucose. It does not increase body weight."


def test_samples_that_lm_evaluation_harness_wrote():
    log = read_logs([MADE / "said" / "samples_medical.jsonl"])
    # bleu is a metric of the whole corpus: its lines hold texts and no number.
    assert (log.form, log.metrics, values(log, "exact_match")) == ("lm-evaluation-harness", ["exact_match"], [0.0] * 6)
    assert {one.system for one in log.answers} == {"said"}
    assert log.answers[1].passages == ("Aspirin relieved pain within two hours in most patients.",)


def test_samples_of_lm_evaluation_harness(tmp_path):
    folder = tmp_path / "my-model"
    folder.mkdir()
    row = {
        "doc_id": 0, "doc": {"question": QUESTION, "passages": [PASSAGE]}, "target": REFERENCE,
        "arguments": {"gen_args_0": {"arg_0": "Q: ...", "arg_1": {}}}, "resps": [[ANSWER]], "filtered_resps": [ANSWER],
        "filter": "none", "metrics": ["exact_match", "fas"], "exact_match": 0.0, "fas": float("nan"), "doc_hash": "x",
    }  # fmt: skip
    log = read_logs([write_lines(folder / "samples_task_2026.jsonl", [row, {**row, "doc_id": 1, "fas": 0.5}])])
    (one, two) = log.answers
    assert (log.form, one.system, one.prediction, one.passages) == (
        "lm-evaluation-harness", "my-model", ANSWER, (PASSAGE,),
    )  # fmt: skip
    assert math.isnan(one.scores["fas"].value)
    assert one.scores["fas"].failure == "missing"
    assert two.scores["fas"].value == 0.5


def test_ragas_as_pandas_writes_it(tmp_path):
    row = {"user_input": QUESTION, "retrieved_contexts": [PASSAGE], "response": ANSWER, "reference": REFERENCE}
    frame = pandas.DataFrame([{**row, "faithfulness": 1.0}, {**row, "faithfulness": math.nan}])
    frame.to_csv(tmp_path / "ragas.csv", index=False)
    frame.to_json(tmp_path / "ragas.jsonl", orient="records", lines=True)
    for name in ("ragas.csv", "ragas.jsonl"):
        log = read_logs([tmp_path / name])
        assert (log.form, log.metrics, log.answers[0].passages) == ("ragas", ["faithfulness"], (PASSAGE,))
        assert log.answers[0].scores["faithfulness"].value == 1.0
        assert log.answers[1].scores["faithfulness"].failure == "missing"
        assert log.answers[0].unit == log.answers[1].unit


def test_a_test_run_of_deepeval_names_the_model_that_judged_and_its_errors(tmp_path):
    metric = {"name": "Faithfulness", "threshold": 0.5, "success": True, "score": 0.9, "evaluationModel": "gpt-4.1"}
    case = {"name": "case 1", "input": QUESTION, "actualOutput": ANSWER, "retrievalContext": [PASSAGE]}
    cases = [
        {**case, "metricsData": [metric]},
        {**case, "metricsData": [{**metric, "score": None, "error": "invalid JSON"}]},
    ]
    path = tmp_path / "run.json"
    path.write_text(json.dumps({"testCases": cases}))
    (found,) = summarise_scores(log := read_logs([path]), ["Faithfulness"])
    assert (log.form, found.judges, found.failures) == (
        "deepeval", {"Faithfulness by gpt-4.1": 2}, {"invalid JSON": 1},
    )  # fmt: skip
    assert log.answers[0].id != log.answers[1].id


def test_healthbench_scores_points_and_an_open_criterion_makes_the_score_missing(tmp_path):
    items = [
        {"criterion": "Names a drug", "points": 6, "tags": ["axis:accuracy"], "criteria_met": True, "explanation": ""},
        {"criterion": "Names a dose", "points": 4, "tags": ["axis:accuracy"], "criteria_met": False, "explanation": ""},
    ]
    row = {
        "score": 0.6, "rubric_items": items, "prompt": [{"role": "user", "content": QUESTION}],
        "completion": [{"role": "assistant", "content": ANSWER}], "prompt_id": "p", "completion_id": "c",
    }  # fmt: skip
    open_ = {**row, "rubric_items": [items[0], {**items[1], "criteria_met": None}]}
    path = tmp_path / "healthbench_allresults.json"
    path.write_text(json.dumps({"score": 0.6, "metrics": {}, "metadata": {"example_level_metadata": [row, open_]}}))
    log = read_logs([path])
    lines = read_logs([write_lines(tmp_path / "h.jsonl", [row, open_])])
    assert [repr(one) for one in lines.answers] == [repr(one) for one in log.answers]
    assert (log.form, log.answers[0].question, log.answers[0].prediction) == ("HealthBench", QUESTION, ANSWER)
    assert log.answers[0].scores["axis:accuracy"].value == pytest.approx(6 / 10)
    assert log.answers[1].scores["score"].failure == "1 of 2 criteria were not judged"


def test_simpleqa_letters_are_grades(tmp_path):
    rows = [{"problem_id": n, "question": QUESTION, "answer": ANSWER, "grade": grade} for n, grade in enumerate("ABC")]
    log = read_logs([write_lines(tmp_path / "simpleqa.jsonl", rows)])
    assert values(log, "grade") == [1.0, 0.0, 0.0]
    assert log.form == "SimpleQA"
    words = [{**row, "grade": word} for row, word in zip(rows, ("CORRECT", "INCORRECT", "NOT_ATTEMPTED"), strict=True)]
    assert read_logs([write_lines(tmp_path / "words.jsonl", words)]).form == "SimpleQA"
    assert read_logs([write_lines(tmp_path / "other.jsonl", [{**row, "grade": "D"} for row in rows])]).form == "table"


def test_no_interval_of_healthbench_goes_beyond_all_points(tmp_path):
    row = {"rubric_items": [], "prompt": [{"role": "user", "content": QUESTION}], "completion": ANSWER}
    # An answer may lose more points than there are, and none gets more than all.
    rows = [
        {**row, "score": score, "prompt_id": str(n)} for n, score in enumerate([-0.2, 0.9, 1, -0.1, 0.95, 1, 0.9, 1])
    ]
    path = tmp_path / "allresults.json"
    path.write_text(json.dumps({"score": 0.6, "metrics": {}, "metadata": {"example_level_metadata": rows}}))
    (found,) = summarise_scores(read_logs([path]), ["score"])
    assert (found.mean.mean, found.mean.high) == (pytest.approx(5.45 / 8), 1.0)


def test_mlflow_tables_of_both_kinds(tmp_path):
    old = {
        "columns": ["inputs", "outputs", "ground_truth", "faithfulness/v1/score", "faithfulness/v1/justification"],
        "data": [[QUESTION, ANSWER, REFERENCE, 5, "It agrees."]],
    }
    path = tmp_path / "eval_results_table.json"
    path.write_text(json.dumps(old))
    assert values(log := read_logs([path]), "faithfulness") == [5.0]
    assert (log.form, log.answers[0].question, log.answers[0].prediction) == ("MLflow", QUESTION, ANSWER)
    said = {"name": "correct", "source": {"source_type": "LLM_JUDGE", "source_id": "openai:/gpt-4.1"}}
    new = [
        {"request": {"question": QUESTION}, "response": ANSWER, "assessments": [{**said, **one}]}
        for one in ({"feedback": {"value": "yes"}}, {"feedback": {}, "error": {"error_message": "time-out"}})
    ]
    log = read_logs([write_lines(tmp_path / "traces.jsonl", new)])
    (found,) = summarise_scores(log, ["correct"])
    assert (found.mean.mean, found.judges, found.failures) == (
        1.0, {"correct by openai:/gpt-4.1": 2}, {"time-out": 1},
    )  # fmt: skip


def test_batches_of_answers_and_of_a_judge(tmp_path):
    def reply(name, text):
        body = {"model": "gpt-4.1", "choices": [{"message": {"role": "assistant", "content": text}}]}
        return {"id": "b", "custom_id": name, "response": {"status_code": 200, "body": body}, "error": None}

    lost = {"id": "b", "custom_id": "3", "response": None, "error": {"code": "batch_expired", "message": "expired"}}
    asked = [
        {"custom_id": n, "method": "POST", "url": "/v1/chat/completions",
         "body": {"model": "gpt-4.1", "messages": [{"role": "user", "content": QUESTION}]}}
        for n in "123"
    ]  # fmt: skip
    requests = write_lines(tmp_path / "in.jsonl", asked)
    answers = write_lines(tmp_path / "out.jsonl", [reply("1", ANSWER), reply("2", ANSWER), lost])
    log = read_logs([answers, requests])
    assert [(one.question, one.prediction, one.error) for one in log.answers] == [
        (QUESTION, ANSWER, ""), (QUESTION, ANSWER, ""), (QUESTION, None, "expired"),
    ]  # fmt: skip
    judged = write_lines(tmp_path / "judged.jsonl", [reply("1", '{"score": 1}'), reply("2", "Sorry."), lost])
    (found,) = summarise_scores(read_logs([judged]), ["score"])
    assert (found.mean.mean, found.mean.n, found.n_failed) == (1.0, 1, 2)


def test_what_is_no_answer_is_refused_with_its_columns(tmp_path):
    path = write_lines(tmp_path / "x.jsonl", [{"a": 1, "b": "c"}])
    with pytest.raises(InputError, match="available: a, b"):
        read_logs([path])


def test_columns_that_measure_the_run_are_no_scores(tmp_path):
    rows = [{"id": 1, "prediction": ANSWER, "latency_ms": 12, "total_tokens": 9, "seed": 1, "helpful": True}]
    assert read_logs([write_lines(tmp_path / "x.jsonl", rows)]).metrics == ["helpful"]


@pytest.mark.parametrize(
    ("value", "said", "number"),
    [
        ("I", "GRADE: I", 0.0),
        ("I", "Grade not found in model output: Well", None),
        ("maybe", "", None),
        (True, "", 1.0),
    ],
)
def test_a_judgement_that_failed_is_no_number(value, said, number):
    score = make_score(value, "judge", said=said)
    assert (score.value == number) if number is not None else (math.isnan(score.value) and score.failure)


def test_systems_are_compared_over_their_questions(tmp_path):
    rows = [
        {"question": f"{QUESTION} {n}", "model": model, "prediction": ANSWER, "score": value}
        for n in range(8)
        for model, value in (("a", 0.6 + n / 100), ("b", 0.4))
    ]
    log = read_logs([write_lines(tmp_path / "two.jsonl", rows)])
    (found,) = compare_systems(log, ["score"])
    assert found["difference"] == pytest.approx(0.2 + sum(range(8)) / 800)
    assert found["p"] == pytest.approx(2 / 2**8)  # all eight signs alike
