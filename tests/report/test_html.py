"""The page as a file: what it holds, what it must not hold, and the small charts in it."""

from __future__ import annotations

import json
import math
import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
from page_parts import Parts
from report_data import make_records, make_report, write_records

from fas.errors import InputError
from fas.report.html import write_html
from fas.report.svg import ForestRow, forest_plot, histogram
from fas.report.tables import number

HOSTILE = "</script><!-- <script>alert('x')</script> & <img src=x> \u2028\u2029 \U0001f600"


def write(folder, records, **options):
    path = folder / "report.html"
    write_html(path, make_report(records, **options), write_records(folder, records))
    return path, Parts(path.read_text(encoding="utf-8"))


def answers_of(parts):
    blocks = sorted((int(name.split("-")[1]), json.loads(text)) for name, text in parts.blocks.items() if "-" in name)
    return [answer for _, block in blocks for answer in block]


def test_every_answer_is_in_the_file_in_order(tmp_path):
    records = make_records(130)
    _, parts = write(tmp_path, records)
    answers = answers_of(parts)
    assert [answer["id"] for answer in answers] == [record["id"] for record in records]
    assert [answer["prediction"] for answer in answers] == [record["prediction"] for record in records]
    index = json.loads(parts.blocks["index"])
    assert index["n"] == 130
    assert len(index["metrics"]["fas"]) == len(index["masks"]) == len(index["flags"]) == 130
    evidence = [claim["evidence"] for record in records for claim in record["claims"]]
    kept = [claim["evidence"] for answer in answers for claim in answer["claims"]]
    assert [[e["sentence"] for e in one] for one in kept] == [[e["sentence"] for e in one] for one in evidence]


def test_the_page_s_numbers_have_the_decimals_that_the_terminal_prints(tmp_path):
    records = make_records(2)
    values = [0.65149, 0.0625, 0.3125, 0.99951]  # by way of four decimals, or with the halves of JavaScript, another
    records[0] |= {"fas": values[0], "fas_evidence": values[1]}
    records[0]["claims"][0] |= {"p_support": values[2], "p_contradict": values[3]}
    _, parts = write(tmp_path, records)
    metrics = json.loads(parts.blocks["index"])["metrics"]
    claim = answers_of(parts)[0]["claims"][0]
    shown = [metrics["fas"][0], metrics["fas_evidence"][0], claim["ps"], claim["pc"]]
    assert [str(value) for value in shown] == ["0.651", "0.062", "0.312", "1.0"] == [
        str(float(number(value))) for value in values
    ]


def test_hostile_text_changes_no_tag_and_comes_back_whole(tmp_path):
    plain, hostile = make_records(3), make_records(3)
    for record in hostile:
        record["prediction"] = record["question"] = HOSTILE
        record["meta"] = {"type": HOSTILE}
        for claim in record["claims"]:
            claim |= {"text": HOSTILE, "start": None, "end": None}
            for evidence in claim["evidence"]:
                evidence |= {"id": HOSTILE, "title": HOSTILE, "sentence": HOSTILE}
    for record in plain:
        record["meta"] = {"type": "x"}
    _, calm = write(tmp_path, plain, by=("type",), notes=("note",))
    path, parts = write(tmp_path, hostile, by=("type",), notes=(HOSTILE,))
    assert [tag for tag, _ in parts.tags] == [tag for tag, _ in calm.tags]
    assert all(answer["prediction"] == answer["question"] == HOSTILE for answer in answers_of(parts))
    assert HOSTILE in "".join(parts.text)
    assert "\u2028" not in "".join(parts.blocks.values())
    assert "<" not in "".join(parts.blocks.values())
    assert path.read_text(encoding="utf-8").count("</script>") == 5  # block, index, queue, decisions, script


def test_nothing_in_the_page_points_to_another_place(tmp_path):
    _, parts = write(tmp_path, make_records(10))
    for tag, attributes in parts.tags:
        assert tag not in ("iframe", "object", "embed", "img", "base", "form action")
        for name in ("src", "href", "action", "data", "srcset"):
            value = attributes.get(name)
            assert value is None or value.startswith(("#", "data:,")), f"<{tag} {name}={value!r}>"
    policy = next(a["content"] for t, a in parts.tags if t == "meta" and a.get("http-equiv"))
    assert policy.startswith("default-src 'none'")


def test_half_of_a_surrogate_pair_survives(tmp_path):
    records = make_records(2)
    records[0] |= {"prediction": "a \ud800 b", "claims": [], "flags": [], "question": "\udfff"}
    _, parts = write(tmp_path, records, notes=("note \ud800",))
    assert answers_of(parts)[0]["prediction"] == "a \ud800 b"
    assert answers_of(parts)[0]["question"] == "\udfff"


def test_offsets_become_utf16_units(tmp_path):
    records = make_records(1)
    text = "\U0001f600\U0001f600 Aspirin helps."
    claim = records[0]["claims"][0] | {"start": text.index("Aspirin"), "end": len(text)}
    records[0] |= {"prediction": text, "claims": [claim], "flags": []}
    _, parts = write(tmp_path, records)
    found = answers_of(parts)[0]["claims"][0]
    units = text.encode("utf-16-le")
    assert units[2 * found["start"] : 2 * found["end"]].decode("utf-16-le") == "Aspirin helps."


def test_headline_is_the_mean_with_its_interval_and_signature(tmp_path):
    records = make_records(60)
    report = make_report(records)
    _, parts = write(tmp_path, records)
    text = " ".join("".join(parts.text).split())
    fas = report.metrics["fas"]
    assert f"{fas.mean:.3f} Fact-Aligned Score" in text
    assert f"95% interval [{fas.low:.3f}, {fas.high:.3f}], mean over {fas.n} of 60 answers" in text
    assert report.signature in text


@pytest.mark.parametrize(("boot", "units"), [("10000", "answers"), ("10000[question]", "questions")])
def test_the_page_says_what_was_resampled(tmp_path, boot, units):
    records = make_records(6)
    report = replace(make_report(records), signature=f"n:6|boot:{boot}")
    write_html(tmp_path / "report.html", report, write_records(tmp_path, records))
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert f"Means over answers with 95% intervals over {units}" in page


def test_run_without_references_shows_the_evidence_part(tmp_path):
    records = make_records(20)
    for record in records:
        record |= {"fas": None, "bertscore_f1": None}
    _, parts = write(tmp_path, records)
    assert "no answer has a reference" in " ".join("".join(parts.text).split())


@pytest.mark.parametrize("n", [0, 1])
def test_runs_of_no_answer_and_of_one(tmp_path, n):
    _, parts = write(tmp_path, make_records(n), by=())
    assert len(answers_of(parts)) == n
    assert ("No answer could be scored" in "".join(parts.text)) == (n == 0)


def test_run_in_which_every_answer_failed(tmp_path):
    records = [record for record in make_records(120) if record["error"]]
    _, parts = write(tmp_path, records)
    assert "No answer could be scored" in "".join(parts.text)
    assert answers_of(parts)[0]["error"]["type"] == "missing_prediction"


def test_fields_with_few_values_become_filters_and_groups_always_do(tmp_path):
    records = make_records(130)
    for i, record in enumerate(records):
        record["meta"] |= {"source": f"s{i}", "same": 1, "nested": {"a": 1}}
    _, parts = write(tmp_path, records, by=("source",))
    fields = json.loads(parts.blocks["index"])["fields"]
    assert set(fields) == {"type", "model", "source"}
    assert len(fields["source"]["values"]) == 130
    assert fields["type"]["of"][39] == -1, "a failed line has no type"


def test_fields_are_dropped_when_they_pass_the_number_of_values(tmp_path):
    records = make_records(120)
    for i, record in enumerate(records):
        # The second has too many values at first, and would be a filter if it were begun again after that.
        record["meta"] = {"fifty": i % 50, "early": i if i < 60 else i % 2, "grouped": i}
    _, parts = write(tmp_path, records, by=("grouped",))
    fields = json.loads(parts.blocks["index"])["fields"]
    assert set(fields) == {"fifty", "grouped"}
    assert fields["fifty"]["of"] == [i % 50 for i in range(120)]
    assert "more than" not in "".join(parts.text)


def test_a_field_that_comes_late_is_empty_before(tmp_path):
    records = make_records(6)
    for i, record in enumerate(records):
        record["meta"] = {"late": i % 2} if i > 2 else {}
    _, parts = write(tmp_path, records, by=())
    assert json.loads(parts.blocks["index"])["fields"] == {"late": {"values": ["1", "0"], "of": [-1, -1, -1, 0, 1, 0]}}


@pytest.mark.parametrize("n_fields", [50, 51])
def test_more_fields_than_the_page_can_filter_by_are_named(tmp_path, n_fields):
    records = make_records(4)
    for i, record in enumerate(records):
        record["meta"] = {"nested": [1], "none": None} | {f"f{k}": i for k in range(n_fields)}
        record["meta"]["grouped"] = i
    _, parts = write(tmp_path, records, by=("grouped",), notes=())
    fields = json.loads(parts.blocks["index"])["fields"]
    assert set(fields) == {"grouped"} | {f"f{k}" for k in range(50)}
    note = "The answers have more than 50 fields; the filters of this page are made from the first 50 of them"
    assert (note in "".join(parts.text)) == (n_fields > 50)
    assert len(answers_of(parts)[0]["meta"]) == n_fields + 3, "every field is shown with its answer"


def peak_of_writing(target, report, scores):
    """Most bytes that Python holds while the page is written."""
    write_html(target, report, scores)  # what is imported and compiled once is not counted
    tracemalloc.start()
    write_html(target, report, scores)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def test_memory_does_not_grow_with_the_number_of_names(tmp_path):
    records = make_records(2000)
    for i, record in enumerate(records):
        record["meta"] = {f"field {i}": i, "type": "x"}
    path, report = write_records(tmp_path, records), make_report(records, by=())
    del records
    peak = peak_of_writing(tmp_path / "report.html", report, path)
    assert peak < 8e6  # a list as long as the run for each of 2,000 names takes 32 MB


@pytest.mark.parametrize(
    ("evidence", "known"),
    [
        ("entrez[2014-2024,k=5,q1]", True),
        ("passages[k=5]", False),
        ("passages[k=5,rerank=entrez[1]]", False),
        ("index[3f0c9a21b7de,k=5]", False),
        ("index[3f0c9a21b7de,k=5,pmid]", True),
        ("snapshot[91c1f0aa52de,k=5]", False),
        ("snapshot[91c1f0aa52de,k=5,pmid]", True),
        ("index[3f0c9a21b7de,k=5,rerank=hub_pmid@1,n=40]", False),
        ("my-entrez[k=5]", False),
    ],
)
def test_ids_are_said_to_be_pmids_only_where_pubmed_was_searched(tmp_path, evidence, known):
    records = make_records(3)
    report = replace(make_report(records), signature=f"n:3|evidence:{evidence}|ref:ptb")
    write_html(tmp_path / "report.html", report, write_records(tmp_path, records))
    parts = Parts((tmp_path / "report.html").read_text(encoding="utf-8"))
    assert json.loads(parts.blocks["index"])["pmids"] is known


def test_torn_scores_are_named(tmp_path):
    records = make_records(2)
    path = write_records(tmp_path, records)
    path.write_text(path.read_text() + "{torn", encoding="utf-8")
    with pytest.raises(InputError, match=r"scores\.jsonl, line 3: not JSON"):
        write_html(tmp_path / "report.html", make_report(records), path)
    assert not (tmp_path / "report.html").exists()


def test_memory_does_not_grow_with_the_size_of_answers(tmp_path):
    records = make_records(1000)
    for record in records:
        record["prediction"] += " padding" * 1500
    path, report = write_records(tmp_path, records), make_report(records)
    del records
    peak = peak_of_writing(tmp_path / "report.html", report, path)
    assert path.stat().st_size > 12e6
    assert peak < 6e6


def test_forest_plot_names_every_row_and_keeps_to_its_scale():
    svg = forest_plot([ForestRow("<a>", 0.5, 0.4, 0.6, 9), ForestRow("b", -0.3, math.nan, math.nan, 1)], title="T & U")
    assert "&lt;a&gt;" in svg
    assert "T &amp; U: &lt;a&gt; 0.500 (0.400 to 0.600); b -0.300" in svg
    assert svg.count('class="point"') == 2
    assert svg.count('class="whisker"') == 1
    assert forest_plot([ForestRow("a", math.nan, math.nan, math.nan, 0)], title="t") == ""


def test_histogram_counts_every_value_once():
    values = np.array([0.0, 0.02, 0.5, 1.0, 1.0, np.nan, -5e-17, 1 + 2e-16])
    svg = histogram(values, title="t")
    counts = [int(part.split("</title>")[0]) for part in svg.split(": ") if "</title>" in part]
    assert sum(counts) == 7
    assert "7 answers" in svg
    assert histogram(np.array([np.nan]), title="t") == ""
    assert ">-1<" in histogram(np.array([-0.4, 0.2]), title="t")
