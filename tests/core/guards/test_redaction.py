"""Keys and passwords reach no file and no message, however a server sends them back."""

from __future__ import annotations

import base64
import html
import json
from pathlib import Path
from urllib.parse import quote

import pytest
from chat_server import ChatServer, Status
from eutils_server import EUtils, Record

from fas.cli import main
from fas.core.guards.redaction import strip_user_info
from fas.llm import Message, Prompt, chat_model

KEY = "0123456789abcdef0123456789abcdef0042"
PASSWORD = "pa55/w&rd"
FORMS = [
    KEY,
    f"Bearer {KEY}",
    f"x{KEY}y",
    "".join(f"\\u{ord(letter):04x}" for letter in KEY),
]


def files_with(folder: Path, *secrets: str) -> list[str]:
    return [
        f"{path.name}: {secret}"
        for path in folder.rglob("*")
        if path.is_file()
        for secret in secrets
        if secret.encode() in path.read_bytes()
    ]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("stream", [False, True])
def test_a_key_in_a_reply_is_in_no_reply_and_no_cache(monkeypatch, tmp_path, form, stream):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("FAS_CACHE_DIR", str(tmp_path))
    echo = json.loads(f'"{form}"')
    with ChatServer(lambda request: f"You sent {echo}. True.", key=KEY) as server:
        model = chat_model("m", base_url=server.url, stream=stream)
        (reply,) = model.complete([Prompt((Message("user", "q"),))])
    assert KEY not in reply.text
    assert reply.text.endswith(". True.")
    assert list(tmp_path.rglob("llm.sqlite"))
    assert files_with(tmp_path, KEY) == []


@pytest.mark.parametrize("status", [400, 401, 404, 500])
def test_a_key_in_an_error_is_in_no_failure(monkeypatch, tmp_path, status):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    echo = "padding " * 36 + KEY + html.escape(KEY) + quote(KEY)
    with ChatServer(lambda request: Status(status, echo, KEY)) as server:
        model = chat_model("m", base_url=server.url, max_attempts=1, retry_budget_s=0.5, backoff_s=0.01)
        try:
            shown = str(model.complete([Prompt((Message("user", "q"),))]))
        except Exception as error:
            shown = repr(error) + str(error)
    assert KEY[:8] not in shown


ANSWER = {"id": "a", "prediction": "Aspirin thins the blood.", "claims": ["Aspirin thins the blood."]}


@pytest.fixture
def score_over(tmp_path, monkeypatch, capsys):
    """Scores against a server from a folder of its own; gives the exit code and what was printed."""
    (tmp_path / "answers.jsonl").write_text(json.dumps(ANSWER) + "\n")
    (tmp_path / "p.toml").write_text('[verify]\nname = "lexical"\n[safety]\nenabled = false\n[run]\nn_resamples = 20\n')
    monkeypatch.chdir(tmp_path)

    def score(server_url, **environment):
        own = {"FAS_ENTREZ_URL": server_url, "FAS_CACHE_DIR": str(tmp_path / "cache"), **environment}
        for name, value in own.items():
            monkeypatch.setenv(name, value)
        words = "score answers.jsonl -o out --profile p.toml --evidence entrez --save-evidence s.jsonl"
        return main(words.split()), "".join(capsys.readouterr())

    return score


@pytest.mark.parametrize("escaped", [False, True])
def test_the_key_of_ncbi_and_the_password_of_its_address_are_in_no_file_of_a_run(tmp_path, score_over, escaped):
    basic = base64.b64encode(f"me:{PASSWORD}".encode()).decode()
    written = "".join(f"&#{ord(letter)};" for letter in KEY) if escaped else KEY
    echo = f"Aspirin thins the blood of {written} and {html.escape(PASSWORD)} and {basic}."
    xml = (
        f'<PubmedArticle><MedlineCitation><PMID Version="1">7</PMID><Article><ArticleTitle>{echo}</ArticleTitle>'
        f"<Abstract><AbstractText>{echo}</AbstractText></Abstract><Journal><JournalIssue><PubDate><Year>2020</Year>"
        "</PubDate></JournalIssue></Journal></Article></MedlineCitation></PubmedArticle>"
    )
    with EUtils([Record("7", xml=xml)]) as server:
        address = server.url.replace("http://", f"http://me:{quote(PASSWORD, safe='')}@")
        code, printed = score_over(address, NCBI_API_KEY=KEY, NCBI_EMAIL="a@b.c")
    assert code == 0, printed
    evidence = json.loads((tmp_path / "out" / "scores.jsonl").read_text())["claims"][0]["evidence"]
    assert evidence[0]["id"] == "7"
    assert "Aspirin thins the blood" in evidence[0]["title"]
    assert files_with(tmp_path, KEY, PASSWORD, quote(PASSWORD, safe=""), basic, html.escape(PASSWORD)) == []
    for secret in (KEY, PASSWORD, quote(PASSWORD, safe=""), basic):
        assert secret not in printed


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("http://me:pw@host/a", "http://host/a"),
        ("http://me:p@ss/w@host/a", "http://host/a"),
        ("http://host/a", "http://host/a"),
        ("me:pw@host", "host"),
    ],
)
def test_an_address_is_shown_without_its_user(url, shown):
    assert strip_user_info(url) == shown
