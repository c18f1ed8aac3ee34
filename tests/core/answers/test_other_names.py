"""Files of other tools are read under their documented names; between two columns nothing is guessed."""

import json

import pandas
import pytest

from fas.core.answers.columns import recognise
from fas.core.answers.files import answers_from, scan
from fas.core.errors import InputError

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
    "HealthBench": {
        "prompt": [{"role": "user", "content": QUESTION}],
        "completion": ANSWER,
        "reference": REFERENCE,
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
    with pytest.raises(InputError, match="--map prediction=response or --map prediction=answer"):
        answers_from([{"question": QUESTION, "answer": "B", "response": ANSWER}])


def test_two_columns_that_may_be_passages_are_both_left_unread():
    answer = answers_from([{"response": ANSWER, "context": PASSAGE, "contexts": [PASSAGE]}])[0]
    assert answer.passages is None
    assert set(answer.meta) == {"context", "contexts"}


def test_a_mapping_turns_recognition_off():
    answer = answers_from([{"reply": ANSWER, "input": QUESTION}], columns={"prediction": "reply"})[0]
    assert answer.question is None


def test_a_conversation_that_ends_with_the_user_has_no_prediction():
    assert recognise({"messages": [{"role": "user", "content": QUESTION}]}) == {}


def test_later_records_are_read_as_the_first_one():
    first, second = {"response": ANSWER}, {"response": "Ibuprofen does.", "answer": "B"}
    assert [answer.prediction for answer in answers_from([first, second])] == [ANSWER, "Ibuprofen does."]


def test_a_log_that_promptfoo_wrote_is_read_as_it_is(root):
    """`tests/integrations/logs/made/promptfoo.json` was written by `promptfoo eval -o`."""
    path = root / "tests" / "integrations" / "logs" / "made" / "promptfoo.json"
    results = json.loads(path.read_text())["results"]["results"]
    answers = answers_from(path)
    assert [answer.prediction for answer in answers] == [one["response"]["output"] for one in results]
    assert len({answer.id for answer in answers}) == len(results)
    assert [answer.question for answer in answers] == [one["vars"]["question"] for one in results]


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


def test_any_other_json_object_is_refused(tmp_path):
    path = tmp_path / "log.json"
    path.write_text('{"rows": []}')
    with pytest.raises(InputError, match="a log of Inspect or promptfoo"):
        answers_from(path)
