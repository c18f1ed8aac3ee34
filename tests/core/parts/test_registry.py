"""Named parts: adding, listing, building, and errors."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TypedDict, Unpack

import pytest

from fas.core.parts.registry import Registry, list_option_names


def shout(text: str = "hi", *, marks: int = 1) -> str:
    return text.upper() + "!" * marks


def anything(**options: object) -> str:
    return ",".join(sorted(options))


@pytest.fixture
def voices() -> Registry[str]:
    registry: Registry[str] = Registry("voice")
    registry.add("shout", shout)
    registry.add("anything", anything)
    return registry


def test_an_option_called_name_does_not_collide_with_the_name_of_the_part(voices: Registry[str]) -> None:
    assert voices.create("anything", name=1, self=2) == "name,self"


def test_a_taken_name_is_replaced_with_a_word(voices: Registry[str], caplog: pytest.LogCaptureFixture) -> None:
    voices.add("shout", shout)
    assert not caplog.text
    voices.add("shout", anything)
    assert "voice 'shout' is now tests.parts.test_registry:anything" in caplog.text.replace(
        __name__, "tests.parts.test_registry"
    )
    assert voices.create("shout", a=1) == "a"


def test_a_factory_given_as_text_is_imported_when_it_is_built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "lazy_voice_for_test.py").write_text("def make(n=1):\n    return 'la' * n\n", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    registry: Registry[str] = Registry("voice")
    registry.add("sing", "lazy_voice_for_test:make")
    assert registry.names() == ["sing"]
    assert registry.describe() == {"sing": "lazy_voice_for_test:make"}
    assert "lazy_voice_for_test" not in sys.modules
    assert registry.create("sing", n=2) == "lala"


def test_an_installed_package_does_not_replace_a_name_of_our_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    info = tmp_path / "fas_registry_test-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: fas-registry-test\nVersion: 1.0\n", encoding="utf-8")
    (info / "entry_points.txt").write_text(
        "[fas.test_voices]\nshout = other_package:shout\nwhisper = other_package:whisper\n", encoding="utf-8"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    registry: Registry[str] = Registry("voice", group="fas.test_voices")
    registry.add("shout", shout)
    assert registry.names() == ["shout", "whisper"]
    assert registry.create("shout") == "HI!"
    assert registry.describe()["whisper"] == "other_package:whisper"


class Volume(TypedDict, total=False):
    loudness: int
    echo: bool


class Speaker:
    def __init__(self, *, words: str, **volume: Unpack[Volume]) -> None: ...


def test_options_that_several_parts_share_are_named_like_their_own() -> None:
    assert list_option_names(Speaker) == ["words", "loudness", "echo"]
