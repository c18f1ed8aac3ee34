"""Named parts: adding, listing, building, and what is said when something is wrong."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TypedDict, Unpack

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fas.parts.registry import Registry, option_names

# A busy machine is no failure of the code.
patient = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
NAMES = st.text("abcdefghij-_0123456789", min_size=1, max_size=12)


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


@patient
@given(st.lists(NAMES, unique=True))
def test_names_are_those_added_in_sorted_order(names: list[str]) -> None:
    registry: Registry[str] = Registry("part")
    for name in names:
        registry.add(name, lambda n=name: n)
    assert registry.names() == sorted(names)
    assert list(registry.describe()) == sorted(names)
    assert [registry.create(name) for name in names] == names


def test_create_passes_the_options_on(voices: Registry[str]) -> None:
    assert voices.create("shout", text="stop", marks=3) == "STOP!!!"


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


def test_an_unknown_name_lists_what_there_is_and_guesses(voices: Registry[str]) -> None:
    with pytest.raises(LookupError) as caught:
        voices.create("shuot")
    message = str(caught.value)
    assert "no voice named 'shuot'" in message
    assert "did you mean 'shout'?" in message
    assert "Available: anything, shout." in message


def test_an_unknown_name_without_a_near_one_gets_no_guess(voices: Registry[str]) -> None:
    with pytest.raises(LookupError, match=r"no voice named 'zzz'\. Available") as caught:
        voices.create("zzz")
    assert "did you mean" not in str(caught.value)


def test_an_unknown_option_is_named_with_those_allowed(voices: Registry[str]) -> None:
    with pytest.raises(ValueError, match="voice 'shout' has no option 'volume'; allowed: text, marks"):
        voices.create("shout", volume=11)


def test_a_part_without_options_says_so(voices: Registry[str]) -> None:
    voices.add("mute", lambda: "")
    with pytest.raises(ValueError, match=r"allowed: \(none\)"):
        voices.create("mute", volume=1)


def test_the_error_of_a_factory_comes_through(voices: Registry[str]) -> None:
    def strict(*, n: int) -> str:
        raise ValueError(f"n must be odd, got {n}")

    voices.add("strict", strict)
    with pytest.raises(ValueError, match="n must be odd, got 2"):
        voices.create("strict", n=2)


def test_a_factory_given_as_text_is_imported_when_it_is_built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "lazy_voice_for_test.py").write_text("def make(n=1):\n    return 'la' * n\n", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    registry: Registry[str] = Registry("voice")
    registry.add("sing", "lazy_voice_for_test:make")
    assert registry.names() == ["sing"]
    assert registry.describe() == {"sing": "lazy_voice_for_test:make"}
    assert "lazy_voice_for_test" not in sys.modules
    assert registry.create("sing", n=2) == "lala"


def test_describe_says_where_a_callable_lives(voices: Registry[str]) -> None:
    assert voices.describe()["shout"].endswith(":shout")


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
    assert option_names(Speaker) == ["words", "loudness", "echo"]


def test_option_names_are_keywords_only_and_none_if_any_is_taken() -> None:
    def positional(a: int, /, b: int, *rest: int, c: int) -> None: ...

    assert option_names(shout) == ["text", "marks"]
    assert option_names(positional) == ["b", "c"]
    assert option_names(anything) is None
