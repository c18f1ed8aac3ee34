"""The digest of the code that makes claims of a language model's replies: the signature changes when that code does."""

from __future__ import annotations

from pathlib import Path

from fas.loading import once
from fas.records.digests import digest_of

BUILT_ON = (
    "answers/strict_json.py",
    "claims/llm/talk.toml",
    "guards/characters.py",
    "guards/reasoning.py",
    "guards/reasoning.toml",
    "llm/logprobs.py",
    "llm/parsing.py",
    "llm/said.py",
    "llm/schema.py",
    "llm/shapes.py",
    "reading/blocks.py",
    "reading/command_words.py",
    "reading/commands.py",
    "reading/document.py",
    "reading/inline.py",
    "reading/mapped.py",
    "reading/pattern_tables.py",
    "reading/patterns/commands.tsv",
    "reading/sentences.py",
    "text/bm25.py",
    "text/sentences.py",
)
"""Modules of `fas` outside this package that decide what is asked of a text and what is read in a reply."""


@once()
def llm_claims_digest() -> str:
    """What these modules and those they are built on say; prompts and models have parts of their own."""
    here = Path(__file__).resolve().parent
    return digest_of([*sorted(here.glob("*.py")), *(here.parents[1] / name for name in BUILT_ON)])
