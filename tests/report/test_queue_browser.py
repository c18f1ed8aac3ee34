"""The reviewer's queue in headless Chromium: keys, the address, links, CSV, print, and text that became no claim."""

from __future__ import annotations

import csv
import io
import json

import pytest
from report_data import make_records, make_report, write_records
from review_queue import by_hand

from fas.report.decisions import read_decisions
from fas.report.html import write_html

pytestmark = pytest.mark.browser

N = 160


@pytest.fixture(scope="module")
def records():
    found = make_records(N)
    found[0]["prediction"] += " And this is no claim at all."
    found[0]["references"] = ["What the reference says, with a \U0001f600."]
    found[0]["claims"][0]["label"] = "contradicted"
    found[0]["claims"][0] |= {"p_contradict": 0.9999, "p_support": 0.0}
    found[0]["claims"][0]["evidence"] = [
        {"id": "1", "title": "T", "year": 2020, "sentence": "The window.", "before": "Before it. ",
         "after": " After it.", "p_support": 0.0, "p_contradict": 0.9999},
        {"id": "2", "title": "T", "year": 2020, "sentence": "Another.", "p_support": 0.0, "p_contradict": 0.1},
    ]  # fmt: skip
    return found


@pytest.fixture(scope="module")
def path(tmp_path_factory, records):
    folder = tmp_path_factory.mktemp("run")
    write_html(folder / "report.html", make_report(records), write_records(folder, records))
    return folder / "report.html"


@pytest.fixture
def report(page, path):
    page.size(1280, 900)
    page.scheme("light")
    page.open(path)
    return page


def to_queue(page):
    page.run("document.querySelector('[data-view=claims]').click()")


def shown(page):
    return page.run("[...document.querySelectorAll('.entry')].map(e => [e.dataset.id, e.dataset.number])")


def expected(records, kinds=("contradicted", "flagged", "unsupported")):
    return [
        [records[row]["id"], str(number + 1) if number >= 0 else f"f{-number}"]
        for row, number, kind in by_hand(records)
        if kind in kinds
    ]


def choose(page, control, value):
    page.run(
        f"(() => {{ const c = document.querySelector({control!r}); c.value = {value!r};"
        "c.dispatchEvent(new Event('change', {bubbles: true})); })()"
    )


def focused(page):
    return page.run("[document.activeElement.dataset.id, document.activeElement.dataset.number]")


def press(page, key):
    page.press(key, text=key)


def settle(page):
    """Until what the page does after a change of its address is done."""
    page.run("new Promise(done => setTimeout(done, 150))")


def test_claims_stand_in_the_order_of_the_queue(report, records):
    to_queue(report)
    choose(report, "#size", "all")
    assert shown(report) == expected(records)
    choose(report, "#kind", "all")
    assert len(shown(report)) == len(by_hand(records))


def test_the_csv_is_what_is_shown_and_runs_no_formula(report, records):
    report.run("URL.createObjectURL = (blob) => { window.made = blob; return 'data:,'; }")
    to_queue(report)
    choose(report, "#kind", "contradicted")
    report.run("document.getElementById('save').click()")
    text = report.run("window.made.text()")
    rows = list(csv.DictReader(io.StringIO(text.lstrip("\ufeff"))))
    want = expected(records, ("contradicted",))
    assert [[row["id"], row["claim"]] for row in rows] == want
    assert rows[0]["text"] == records[0]["claims"][0]["text"]
    assert float(rows[0]["p_contradict"]) == pytest.approx(0.9999, abs=5e-4)  # three digits, as the page has them
    assert rows[0]["references"] == records[0]["references"][0]
    report.run("document.querySelector('[data-view=answers]').click()")
    report.run("document.getElementById('save').click()")
    rows = list(csv.DictReader(io.StringIO(report.run("window.made.text()").lstrip("\ufeff"))))
    assert [row["id"] for row in rows] == [record["id"] for record in records]
    assert rows[0]["prediction"] == records[0]["prediction"]


def test_decisions_by_keyboard_are_kept_saved_and_read_back(page, report, path, records, tmp_path):
    report.run("localStorage.clear()")
    page.open(path)
    order = expected(records)
    to_queue(page)
    press(page, "j")
    press(page, "1")  # claimed to be contradicted, said to be supported; on to the next
    at = focused(page)
    if at == order[0]:  # a flag on the claim is open still
        press(page, "x")
    assert focused(page) == order[1]
    press(page, "2")
    press(page, "u")
    assert focused(page) == order[1]
    assert "1 of " in page.run("document.getElementById('decided-count').textContent")
    told = page.run("document.querySelector('.progress[data-kind=contradicted]').textContent")
    assert "Decided here: 1 of" in told
    assert "1 otherwise" in told
    page.open_at(path, "#view=claims")  # as if the browser had been closed
    assert page.run("document.querySelector('.entry .say[aria-pressed=true]').dataset.say") == "supported"
    choose(page, "#decided", "against")
    assert shown(page) == [order[0]]
    assert "decided=against" in page.run("location.hash")
    page.call("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(tmp_path))
    page.run("document.getElementById('reviewer').value = 'Ann'")
    page.run("document.getElementById('reviewer').dispatchEvent(new Event('input'))")
    page.run("document.activeElement.blur()")
    press(page, "e")
    saved = tmp_path / "decisions-Ann.jsonl"
    for _ in range(100):
        if saved.exists() and saved.stat().st_size:
            break
        page.run("new Promise(done => setTimeout(done, 50))")
    (line,) = [json.loads(text) for text in saved.read_text(encoding="utf-8").splitlines()]
    assert [line["id"], str(line["claim"]), line["label"], line["chosen"]] == [*order[0], "supported", "queue"]
    reviewed = read_decisions(path.parent / "scores.jsonl", [saved])
    assert reviewed.counts["contradicted"] == (0, 1)
    page.run("localStorage.clear()")
    page.open_at(path, "#view=claims")
    assert page.run("document.querySelectorAll('.say[aria-pressed=true]').length") == 0
    foreign = json.dumps(line | {"id": "nobody"})
    page.run(
        "(async () => { const t = new DataTransfer(); t.items.add(new File("
        f"[{saved.read_text(encoding='utf-8')!r}, {foreign!r}, '\\n{{torn'], 'd.jsonl'));"
        "const i = document.getElementById('load-decisions'); i.files = t.files;"
        "i.dispatchEvent(new Event('change')); })()"
    )
    settle(page)
    assert page.run("document.querySelectorAll('.say[aria-pressed=true]').length") >= 1
    told = page.run("document.getElementById('loaded').textContent")
    assert told == "Decisions read: 1; lines that are no JSON: 1; of no claim of this run: 1"
    assert page.errors() == []
    page.run("localStorage.clear()")


def test_a_key_goes_on_from_a_flagged_claim_and_the_sample_is_marked(page, report, path):
    report.run("localStorage.clear()")
    page.open(path)
    to_queue(page)
    choose(page, "#kind", "flagged")
    order = shown(page)
    press(page, "j")
    press(page, "2")
    assert focused(page) == order[1]
    choose(page, "#kind", "sample")
    queue = json.loads(page.run("document.getElementById('queue').textContent"))
    numbers = [queue["numbers"][place] + 1 for place in queue["sample"]]
    assert [int(number) for _, number in shown(page)] == numbers[:20]
    press(page, "j")
    press(page, "1")
    kept = page.run("Object.values(localStorage)[0]")
    marks = [made.get("chosen") for _, made in json.loads(kept)["decisions"]]
    assert sorted(marks, key=str) == [None, "sample"]
    page.run("localStorage.clear()")
