"""The digest of the code that makes claims of a language model's replies: the signature changes when that code does."""

from __future__ import annotations

from pathlib import Path

from fas.core.loading import load_once
from fas.core.records.digests import digest_of

BUILT_ON = (
    "core/answers/strict_json.py",
    "claims/llm/talk.toml",
    "core/guards/characters.py",
    "core/guards/reasoning.py",
    "core/guards/reasoning.toml",
    "llm/logprobs.py",
    "llm/parsing.py",
    "llm/said.py",
    "llm/schema.py",
    "llm/shapes.py",
    "text/reading/blocks.py",
    "text/reading/command_words.py",
    "text/reading/commands.py",
    "text/reading/document.py",
    "text/reading/inline.py",
    "text/reading/mapped.py",
    "text/reading/pattern_tables.py",
    "text/reading/patterns/commands.tsv",
    "text/reading/sentences.py",
    "text/bm25.py",
    "text/sentences.py",
)
"""Modules of `fas` outside this package that decide what is asked of a text and what is read in a reply."""


@load_once()
def llm_claims_digest() -> str:
    """What these modules and those they are built on say; prompts and models have parts of their own."""
    here = Path(__file__).resolve().parent
    return digest_of([*sorted(here.glob("*.py")), *(here.parents[1] / name for name in BUILT_ON)])
