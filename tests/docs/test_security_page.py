"""SECURITY.md promises what the code does."""

from __future__ import annotations

import re

from fas.guards.redaction import redact, remember


def test_the_words_that_are_no_secrets_are_those_that_the_page_names(root):
    page = (root / "SECURITY.md").read_text(encoding="utf-8")
    named = re.search(r"words that stand for no key\s+\(([^)]*)\)", page)
    assert named is not None
    words = re.findall(r"`([^`]+)`", named[1])
    assert len(words) >= 3
    remember(*words)
    assert redact(" ".join(words)) == " ".join(words)
    shortest = "a9#"
    remember(shortest)
    assert redact(shortest) == shortest
