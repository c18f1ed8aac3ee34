"""MedExpert's annotation export: the shape on a made file, and the published sample where it is at hand."""

from __future__ import annotations

import json

from fas.bench.medexpert import read_export, write_files
from fas.detectors.gold import GoldSpan

ANSWER = "Rest helps. Wine cures it \U0001f377. Call if it lasts."


def result(name, key, **value):
    return {"from_name": name, "id": key, "value": value}


def task(title="MH-olmo2-q10", results=(), answer=ANSWER):
    data = {"title": title, "question": "What helps?", "response": answer}
    return {"data": data, "completions": [{"result": list(results)}]}


def marked(label="Severe", start=12, end=25, key="s1"):
    return [
        result("factuality_label", key, start=start, end=end, text=ANSWER[start:end], labels=[label]),
        result("answer_factuality", key, start=start, end=end, text=["It does not."]),
        result("completeness_opts", "c", choices=["𝗠𝗼𝗱𝗲𝗿𝗮𝘁𝗲 - may matter"]),
        result("llmcertainty_opts", "l", choices=["𝗛𝗶𝗴𝗵 - sure"]),
    ]


def export(tmp_path, *tasks):
    path = tmp_path / "export.json"
    path.write_text(json.dumps(tasks, ensure_ascii=False), encoding="utf-8")
    return path


def test_a_task_is_an_answer_with_spans_corrections_and_choices(tmp_path):
    (one,) = read_export(export(tmp_path, task(results=marked())))
    assert one.answer | {"id": one.id, "domain": "MH", "model": "olmo2", "question_id": "MH-q10"} == one.answer
    assert one.gold.spans == (GoldSpan(12, 25, "severe"),)
    assert [span["correction"] for span in one.annotation["spans"]] == ["It does not."]
    # The letters of the choices are mathematical bold ones.
    assert (one.annotation["omission"], one.annotation["certainty"]) == ("moderate", "high")
    assert one.gold.hallucination


def test_the_published_sample_has_10_answers_three_of_them_with_spans(shared_data, tmp_path):
    path = shared_data / "eval" / "medexpert_questions" / "sample_data_export_from_JSL.json"
    tasks = read_export(path, doubles=True)
    assert (len(tasks), len({one.id for one in tasks})) == (11, 10)
    assert [one.id for one in tasks if one.annotation["double"]] == ["MH-gemma2-q26"]
    assert sum(len(one.gold.spans) for one in tasks) == 4
    assert {span.severity for one in tasks for span in one.gold.spans} == {"mild", "moderate"}
    assert sum(one.gold.hallucination for one in read_export(path)) == 3
    assert write_files(path, tmp_path) == (1, 0)  # annotated twice: 1, agreed upon: none
