"""The page as a file: what it holds, what it must not hold, and the small charts in it."""

from __future__ import annotations

import json
from dataclasses import replace

from page_parts import Parts
from report_data import make_records, make_report, write_records

from fas.report.html import write_html

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


def test_reasons_of_unsupported_claims_are_a_bar_whose_parts_are_their_shares(tmp_path):
    records = make_records(5)
    report = replace(make_report(records), reasons={"related": 60, "off_topic": 30, "part": 10})
    write_html(tmp_path / "report.html", report, write_records(tmp_path, records))
    parts = Parts((tmp_path / "report.html").read_text(encoding="utf-8"))
    widths = [a["style"] for _, a in parts.tags if a.get("class") == "share"]
    assert widths == ["width:30.00%", "width:60.00%", "width:10.00%"]
    assert "30 have no passage about them" in " ".join("".join(parts.text).split())


def test_headline_is_the_mean_with_its_interval_and_signature(tmp_path):
    records = make_records(60)
    report = make_report(records)
    _, parts = write(tmp_path, records)
    text = " ".join("".join(parts.text).split())
    fas = report.metrics["fas"]
    assert f"{fas.mean:.3f} Fact-Aligned Score" in text
    assert f"95% interval [{fas.low:.3f}, {fas.high:.3f}], mean over {fas.n} of 60 answers" in text
    assert report.signature in text


def test_the_head_names_run_input_and_time_and_says_the_result_in_words(tmp_path):
    folder = tmp_path / "my-run"
    folder.mkdir()
    noted = {"made_by": "fas", "answers_file": "<i>.csv", "written": "2026-03-01T23:30:00-01:00"}
    (folder / "run.json").write_text(json.dumps(noted))
    records = make_records(60)
    path, _ = write(folder, records)
    head = path.read_text(encoding="utf-8").split("</header>")[0]
    assert "<b>my-run</b> · &lt;i&gt;.csv · 2026-03-02 00:30 UTC" in head
    shares = [record["support"] for record in records if record["support"] is not None]
    assert f"the evidence supports {100 * sum(shares) / len(shares):.1f}% [" in head
