"""What is stored of speed: each row with its provenance, numbers that follow from each other, all of it on the page."""

import pytest

from benchmarks.speed.page import PAGE, RESULTS, TABLES
from benchmarks.speed.scorer import Writer
from benchmarks.stored import read_rows


def test_each_stored_row_says_what_where_when_of_what_version_and_of_how_many():
    rows = read_rows(RESULTS)
    assert {one["what"] for one in rows} == set(TABLES)
    for one in rows:
        assert list(one)[:7] == ["what", "row", "machine", "version", "date", "n", "medians"]
        assert one["version"].startswith("fas 0.")
        assert one["n"] > 0
        assert f"{one['date']}, {one['machine']}; {one['version']}" in PAGE.read_text(encoding="utf-8")


def test_the_stored_rates_of_the_service_follow_from_the_stored_seconds():
    (service,) = read_rows(RESULTS, "service")
    for kind, rate in (("s", "rate"), ("cpu_s", "rate_cpu")):
        assert service["medians"][rate] == pytest.approx(service["score"][kind] / service["service"][kind], abs=2e-3)
    assert sum(service["statuses"].values()) == service["n"] + service["requests_for_memory"]


def test_the_stored_rates_of_the_pipeline_follow_from_the_stored_seconds():
    runs = read_rows(RESULTS, "pipeline")
    assert [run["row"] for run in runs] == ["profile mini", "profile base"]
    for run in runs:
        for kind in ("cold", "warm"):
            middle = sorted(run[f"{kind}_s"])[len(run[f"{kind}_s"]) // 2]
            assert run["medians"][f"{kind}_per_min"] == pytest.approx(60 * run["n"] / middle, rel=0.005)


def test_no_sentence_of_the_made_answers_comes_twice():
    rows = Writer(1).answers(20, "short")
    sentences = [part for row in rows for part in row["prediction"].split("In group ")[1:]]
    assert len(sentences) == len(set(sentences)) > 20
