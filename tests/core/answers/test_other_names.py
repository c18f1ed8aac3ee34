"""Files of other tools are read under their documented names; between two columns nothing is guessed."""

import json
from pathlib import Path

import numpy
import pandas
import pytest

from fas.core.answers.columns import parse_columns, recognise
from fas.core.answers.files import answers_from, scan
from fas.core.arguments import speak_of_options
from fas.core.errors import InputError
from fas.pipeline.runs.notes import note_input

QUESTION, ANSWER = "What lowers fever?", "Paracetamol does."
REFERENCE, PASSAGE = "Paracetamol.", "Paracetamol lowers fever."

# As each tool's documentation names the columns of its results or test cases.
RECORDS = {
    "ragas": {"user_input": QUESTION, "response": ANSWER, "reference": REFERENCE, "retrieved_contexts": [PASSAGE]},
    "ragas before 0.2": {"question": QUESTION, "answer": ANSWER, "ground_truth": REFERENCE, "contexts": [PASSAGE]},
    "deepeval": {
        "input": QUESTION, "actual_output": ANSWER, "expected_output": REFERENCE, "retrieval_context": [PASSAGE],
    },
    "Inspect": {"input": QUESTION, "output": ANSWER, "target": REFERENCE, "context": PASSAGE},
    "MLflow": {"inputs": QUESTION, "outputs": ANSWER, "ground_truth": REFERENCE, "retrieved_context": [PASSAGE]},
    "MLflow of generative AI": {
        "inputs": {"question": QUESTION}, "outputs": ANSWER, "expectations": {"expected_response": REFERENCE},
        "retrieved_context": [PASSAGE],
    },
    "HealthBench": {
        "prompt": [{"role": "user", "content": QUESTION}],
        "completion": ANSWER,
        "ideal_completions_data": {"ideal_completion": REFERENCE},
        "contexts": [PASSAGE],
    },
    "chat": {
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": [{"type": "text", "text": QUESTION}]},
            {"role": "assistant", "content": ANSWER},
        ],
        "reference": REFERENCE,
        "contexts": [PASSAGE],
    },
}  # fmt: skip


@pytest.mark.parametrize("tool", RECORDS)
def test_the_columns_of_other_tools_are_read(tool):
    recognised: dict[str, str] = {}
    answer = answers_from([RECORDS[tool]], recognised=recognised)[0]
    assert (answer.question, answer.prediction, answer.references) == (QUESTION, ANSWER, (REFERENCE,))
    assert [passage.text for passage in answer.passages or ()] == [PASSAGE]
    assert set(recognised) >= {"prediction"}
    assert answer.meta == {}


@pytest.mark.parametrize("tool", ["ragas", "deepeval"])
def test_a_file_a_frame_and_dicts_are_read_alike(tmp_path, tool):
    record = RECORDS[tool]
    lines = tmp_path / "answers.jsonl"
    lines.write_text(json.dumps(record) + "\n")
    table = tmp_path / "answers.csv"
    cells = {key: json.dumps(value) if isinstance(value, list) else value for key, value in record.items()}
    pandas.DataFrame([cells]).to_csv(table, index=False)
    expected = answers_from([record])
    assert answers_from(lines)[0].passages == answers_from(table)[0].passages == expected[0].passages
    assert answers_from(pandas.DataFrame([record])) == expected
    assert scan(lines).recognised == scan(table).recognised == recognise(record)


def test_a_file_with_predictions_keeps_its_other_columns_as_they_are():
    record = {"prediction": ANSWER, "context": "seen on a ward", "output": "ignored", "input": "ignored"}
    answer = answers_from([record])[0]
    assert answer.passages is None
    assert answer.question is None
    assert answer.meta == {"context": "seen on a ward", "output": "ignored", "input": "ignored"}


def test_two_columns_that_may_be_the_prediction_are_refused_with_what_to_write():
    row = {"question": QUESTION, "answer": "B", "response": ANSWER}
    with pytest.raises(InputError, match=r"columns={'prediction': 'response'} or columns={'prediction': 'answer'}"):
        answers_from([row])
    with speak_of_options(), pytest.raises(InputError, match="--map prediction=response or --map prediction=answer"):
        answers_from([row])


def test_two_columns_that_may_be_passages_are_both_left_unread_and_named_with_what_to_write(tmp_path):
    record = {"response": ANSWER, "context": PASSAGE, "contexts": [PASSAGE]}
    answer = answers_from([record])[0]
    assert answer.passages is None
    assert set(answer.meta) == {"context", "contexts"}
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps(record) + "\n")
    found = scan(path)
    in_python = note_input(found.misnamed, 0, recognised=found.recognised)
    with speak_of_options():
        notes = note_input(found.misnamed, 0, recognised=found.recognised)
    for name in ("context", "contexts"):
        assert any(note.endswith(f"columns={{'prediction': 'response', 'passages': '{name}'}}") for note in in_python)
        given = f"prediction=response,passages={name}"
        assert any(note.endswith(f"--map {given}") for note in notes)
        assert [one.text for one in answers_from(path, columns=parse_columns(given))[0].passages or ()] == [PASSAGE]


def test_a_list_is_read_as_pandas_writes_it_into_csv_but_not_as_numpy_prints_one(tmp_path):
    path = tmp_path / "a.csv"
    texts = ["It's one.", 'Two "quoted", with commas.']
    pandas.DataFrame([{"response": ANSWER, "retrieved_contexts": texts}]).to_csv(path, index=False)
    assert [one.text for one in answers_from(path)[0].passages or ()] == texts
    pandas.DataFrame([{"response": ANSWER, "retrieved_contexts": numpy.array(["one", "two"])}]).to_csv(
        path, index=False
    )
    with pytest.raises(InputError, match="line 2: field 'passages': not a list"):
        answers_from(path)


def test_a_mapping_turns_recognition_off():
    answer = answers_from([{"reply": ANSWER, "input": QUESTION}], columns={"prediction": "reply"})[0]
    assert answer.question is None


def test_a_conversation_that_ends_with_the_user_has_no_prediction():
    assert recognise({"messages": [{"role": "user", "content": QUESTION}]}) == {}


def test_later_records_are_read_as_the_first_one():
    first, second = {"response": ANSWER}, {"response": "Ibuprofen does.", "answer": "B"}
    assert [answer.prediction for answer in answers_from([first, second])] == [ANSWER, "Ibuprofen does."]


@pytest.mark.parametrize(
    ("name", "n", "has_more"),
    [("promptfoo.json", 6, True), ("deepeval.json", 6, True), ("inspect.eval", 12, True), ("mlflow.jsonl", 6, False)],
)
def test_a_log_that_a_tool_wrote_is_read_as_it_is(root, name, n, has_more):
    """The files in `made` were written by the tools (`tests/integrations/logs/test_log_reading.py`)."""
    path = root / "tests" / "integrations" / "logs" / "made" / name
    answers = answers_from(path)
    assert len({answer.id for answer in answers}) == len(answers) == n
    first = answers[0]
    assert first.prediction == "Metformin lowers glucose. It does not increase body weight."
    assert first.question == "What does metformin do?"
    if has_more:  # MLflow keeps both in the assessments of a trace
        assert first.references == ("Metformin lowers glucose.",)
    if name in ("promptfoo.json", "deepeval.json", "inspect.eval"):
        (passage,) = first.passages
        assert passage.text == "Metformin lowered fasting glucose in adults. Body weight did not increase."


@pytest.mark.parametrize("name", ["ragas.jsonl", "ragas.csv"])
def test_what_ragas_wrote_is_read_as_it_is(name):
    """The files in `made` were written by `EvaluationDataset.to_jsonl` and `to_csv` of ragas 0.4.3."""
    first, second = answers_from(Path(__file__).parent / "made" / name)
    assert first.question == "What does metformin do?"
    assert first.prediction == "Metformin lowers glucose. It does not increase body weight."
    assert [passage.text for passage in first.passages or ()] == [
        "Metformin lowered fasting glucose in adults. Body weight did not increase.",
        "It's taken with meals.",
    ]
    assert second.references == ("Yes, aspirin relieves pain.",)


def test_a_data_set_of_datasets_is_read_as_its_rows():
    datasets = pytest.importorskip("datasets")
    record = RECORDS["ragas"]
    assert answers_from(datasets.Dataset.from_list([record])) == answers_from([record])


def test_the_object_in_which_healthbench_stores_its_examples_is_read(tmp_path):
    """By hand, as simple-evals writes it: it is in no package registry."""
    path = tmp_path / "healthbench.json"
    path.write_text(json.dumps({"score": 0.4, "metadata": {"example_level_metadata": [RECORDS["HealthBench"]]}}))
    assert answers_from(path)[0].references == (REFERENCE,)


def test_a_log_of_inspect_is_read_sample_by_sample(tmp_path):
    sample = {
        "id": 1,
        "epoch": 1,
        "input": QUESTION,
        "target": REFERENCE,
        "output": {"completion": ANSWER, "model": "m"},
    }
    chat = [{"role": "user", "content": QUESTION}]
    second = sample | {"epoch": 2, "input": chat, "metadata": {"context": [PASSAGE], "answer": "B"}}
    path = tmp_path / "log.json"
    path.write_text(json.dumps({"version": 2, "status": "success", "samples": [sample, second]}))
    found = answers_from(path)
    assert [(one.id, one.question, one.prediction, one.references) for one in found] == [
        ("1", QUESTION, ANSWER, (REFERENCE,)),
        ("1#2", QUESTION, ANSWER, (REFERENCE,)),
    ]
    assert found[1].meta["metadata.answer"] == "B"


@pytest.mark.parametrize("n_samples", [0, 1])
def test_a_grade_that_inspect_writes_as_nan_refuses_no_log_and_nan_elsewhere_is_no_json(tmp_path, n_samples):
    sample = {"id": 1, "input": QUESTION, "output": {"completion": ANSWER}, "scores": {"qa": {"value": float("nan")}}}
    path = tmp_path / "log.json"
    path.write_text(json.dumps({"samples": [sample] * n_samples, "results": {"mean": float("nan")}}))
    if n_samples:
        assert [one.prediction for one in answers_from(path)] == [ANSWER]
    else:
        with pytest.raises(InputError, match="NaN is not JSON"):
            answers_from(path)


def test_any_other_json_object_is_refused(tmp_path):
    path = tmp_path / "log.json"
    path.write_text('{"rows": []}')
    with pytest.raises(InputError, match="a log of Inspect, promptfoo"):
        answers_from(path)
