"""What can be wrong with a claim as a claim: the seven kinds of MedScore's taxonomy (section 2)."""

from __future__ import annotations

from typing import Literal, get_args

Kind = Literal[
    "unverifiable", "hallucinated", "incomplete", "misstructured", "context_dependent", "redundant", "omitted"
]
KINDS: tuple[Kind, ...] = get_args(Kind)
"""Every kind, in the order in which tables and the page's keys have them."""
