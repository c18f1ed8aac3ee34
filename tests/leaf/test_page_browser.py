"""The page of a revision in headless Chromium: before beside after, marks, escaping, a phone's width, no request."""

from __future__ import annotations

import leaf_world
import pytest
from chat_server import ChatServer
from leaf_world import build_notes, question, write_lines

from fas.cli import main

pytestmark = pytest.mark.browser
HOSTILE = "<script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\"> in case 1?"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("revision")
    build_notes(made / "index")
    rows = [question(0), {**question(1), "question": HOSTILE}]
    write_lines(made / "q.jsonl", rows)
    settings = ["--profile", "leaf", "--queries", "0", "--evidence", f"index:{made / 'index'}", "--no-safety"]
    with pytest.MonkeyPatch.context() as patch, ChatServer(leaf_world.model) as server:
        patch.setenv("FAS_CACHE_DIR", str(made / "cache"))
        patch.delenv("OPENAI_BASE_URL", raising=False)
        patch.delenv("FAS_PRICES", raising=False)
        models = ["--generate", "writer", "--model", "checker", "--base-url", server.url, "--n-resamples", "50"]
        assert main(["revise", str(made / "q.jsonl"), "-o", str(made / "out"), *models, *settings, "--quiet"]) == 0
    return made / "out"


def test_every_sentence_carries_its_verdict_and_text_never_becomes_markup(page, folder):
    page.size(1280, 900)
    page.show(folder / "report.html")
    marks = page.run("[...document.querySelectorAll('article:first-of-type mark')].map(m => m.className)")
    assert marks == ["supported", "unsupported", "supported", "unsupported", *["supported"] * 4]
    assert page.run("document.title") == "Answers before and after"
    assert page.run("document.querySelectorAll('article img, article script').length") == 0
    assert "onerror" in page.run("document.body.innerText")
    assert set(page.requests()) <= {"about:blank", (folder / "report.html").as_uri()}
    assert page.errors() == []
