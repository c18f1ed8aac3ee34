"""The page of scores where people work says what the stored results say."""

import json

import pytest

from benchmarks.speed.people import HERE, page
from benchmarks.speed.scorer import Writer


def test_the_page_is_made_of_the_stored_results():
    assert (HERE / "SERVICE.md").read_text(encoding="utf-8") == page()


def test_the_stored_rates_follow_from_the_stored_seconds():
    service = json.loads((HERE / "service.json").read_text(encoding="utf-8"))
    assert service["rate"] == pytest.approx(service["score"]["s"] / service["service"]["s"], abs=2e-3)
    assert service["rate_cpu"] == pytest.approx(service["score"]["cpu_s"] / service["service"]["cpu_s"], abs=2e-3)
    assert sum(service["statuses"].values()) == service["answers"] + service["requests_for_memory"]


def test_no_sentence_of_the_made_answers_comes_twice():
    rows = Writer(1).answers(20, "short")
    sentences = [part for row in rows for part in row["prediction"].split("In group ")[1:]]
    assert len(sentences) == len(set(sentences)) > 20
