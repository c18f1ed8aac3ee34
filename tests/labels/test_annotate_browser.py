"""The page of `fas labels` in headless Chromium: twenty claims by keyboard, a reload, the saved file, the merge."""

from __future__ import annotations

import json
import time

import pytest
from labelled_runs import made_run

from fas.cli import main

pytestmark = pytest.mark.browser

HOSTILE = "</script><script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\"> \u2028"
KEYS = {"supported": "1", "contradicted": "2", "unsupported": "3", "bad": "4"}


@pytest.fixture
def made(tmp_path):
    truth = made_run(tmp_path / "out", n=30)
    scores = tmp_path / "out" / "scores.jsonl"
    records = [json.loads(line) for line in scores.read_text(encoding="utf-8").splitlines()]
    for record in records:
        texts = [claim["text"] for claim in record["claims"]]
        record["prediction"] = "\U0001f600 " + " ".join(texts)
        for claim in record["claims"]:
            claim["start"] = record["prediction"].index(claim["text"])
            claim["end"] = claim["start"] + len(claim["text"])
            claim["evidence"] = [{"id": "1", "title": "A title", "year": 2020, "sentence": HOSTILE}]
    scores.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    file = tmp_path / "label-me.html"
    assert main(["labels", "draw", str(tmp_path / "out"), "-n", "20", "-o", str(file)]) == 0
    return tmp_path, file, truth


def shown(page):
    return page.run("document.getElementById('claim').textContent")


def key_of(text):
    i, j = text.split()[1].rstrip(".").split(".")
    return f"q{i}", int(j) + 1


def press(page, key):
    names = {"ArrowRight": 39, "ArrowLeft": 37}
    page.press(key, code=names.get(key, ord(key.upper()) if len(key) == 1 else 0), text=key if len(key) == 1 else "")


def test_twenty_claims_are_labelled_by_keyboard_reloaded_in_the_middle_saved_and_merged(page, made, capsys):
    folder, file, truth = made
    page.size(1280, 900)
    page.open(file)
    assert page.run("document.getElementById('verdict').textContent") == ""
    page.run("document.getElementById('annotator').focus()")
    for letter in "ada":
        page.press(letter, code=ord(letter.upper()), text=letter)
    page.press("Enter", code=13)
    for _ in range(10):
        press(page, KEYS[truth[key_of(shown(page))]])
    assert page.run("document.getElementById('count').textContent") == "10 of 20 labelled"

    page.open(file)  # as if the browser had been closed
    assert page.run("document.getElementById('count').textContent") == "10 of 20 labelled"
    assert page.run("document.getElementById('annotator').value") == "ada"
    mark = page.run("document.querySelector('mark').textContent")
    assert mark == shown(page)  # the claim in the answer, behind a character of two UTF-16 units

    here = shown(page)
    press(page, "4")  # a slip
    press(page, "u")
    assert shown(page) == here
    assert page.run("document.getElementById('count').textContent") == "10 of 20 labelled"
    press(page, "s")
    assert page.run("document.getElementById('severity-value').textContent") == "low"
    press(page, "v")
    assert "supports" in page.run("document.getElementById('verdict').textContent")
    for _ in range(10):
        press(page, KEYS[truth[key_of(shown(page))]])
    assert page.run("document.getElementById('count').textContent") == "20 of 20 labelled"

    page.call("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(folder))
    press(page, "e")
    saved = folder / "labels-ada.jsonl"
    deadline = time.monotonic() + 20
    while not saved.exists() and time.monotonic() < deadline:
        page.run("new Promise((done) => setTimeout(done, 100))")
    rows = [json.loads(line) for line in saved.read_text(encoding="utf-8").splitlines()]
    assert all(row["label"] == truth[row["id"], row["claim"]] for row in rows)
    assert sum(row["saw_verdict"] for row in rows) == 1
    assert sum(row.get("severity") == "low" for row in rows) == 1

    merged = folder / "labels.jsonl"
    assert main(["labels", "merge", str(folder / "out"), str(saved), "-o", str(merged)]) == 0
    assert "20 claims have a label, 0 have none" in capsys.readouterr().out
    assert page.run("document.title") == "Labels"
    assert [address for address in page.requests() if not address.startswith(("file:", "data:", "blob:"))] == []
    assert [event for event in page.errors() if event["method"] == "Runtime.exceptionThrown"] == []
