"""The changelog in the form of Keep a Changelog: one outcome a line, short, under the headings there are."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from fas._version import __version__

KINDS = ("Added", "Changed", "Deprecated", "Removed", "Fixed", "Security")
LONGEST = 40


@pytest.fixture(scope="module")
def changelog(root: Path) -> str:
    return (root / "CHANGELOG.md").read_text(encoding="utf-8")


def entries(text: str) -> list[str]:
    """Every item, with the lines it runs on."""
    return re.findall(r"^- .*(?:\n(?!- |#|\n|\[).+)*", text, flags=re.MULTILINE)


def test_no_entry_is_longer_than_forty_words_and_each_is_one_line(changelog: str) -> None:
    found = entries(changelog)
    assert len(found) > 30
    assert [entry for entry in found if len(entry.split()) - 1 > LONGEST] == []
    assert [entry for entry in found if "\n" in entry] == []


def test_a_long_entry_is_seen_even_when_it_runs_over_lines() -> None:
    (entry,) = entries("### Added\n\n- " + "word " * 30 + "\n  " + "word " * 11 + "\n\n### Fixed\n")
    assert len(entry.split()) - 1 == 41


def test_versions_come_latest_first_with_their_dates_and_the_package_is_the_latest(changelog: str) -> None:
    heads = re.findall(r"^## (.+)$", changelog, flags=re.MULTILINE)
    assert heads[0] == "[Unreleased]"
    released = [re.fullmatch(r"\[(\d+\.\d+\.\d+)\] - (\d{4}-\d\d-\d\d)", head) for head in heads[1:]]
    assert all(released)
    dates = [match[2] for match in released if match]
    assert dates == sorted(dates, reverse=True)
    assert released[0] is not None
    assert released[0][1] == __version__


def test_every_section_is_one_of_the_formats(changelog: str) -> None:
    assert set(re.findall(r"^### (.+)$", changelog, flags=re.MULTILINE)) <= set(KINDS)
