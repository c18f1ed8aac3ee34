"""Study designs from PubMed's publication types, and which of two designs is the stronger.

The order is the usual one of evidence-based medicine for questions of treatment (Oxford Centre for Evidence-Based
Medicine, levels of evidence, 2011), as far as publication types tell: cohort and case-control studies have no type of
their own and are "observational study" where the indexers said so. A guideline is placed below the reviews it rests on.
A design says nothing about how well a study was done.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

# Strongest first; of several types of an article the first counts.
_DESIGNS: Final = (
    ("meta-analysis", ("meta-analysis", "network meta-analysis")),
    ("systematic review", ("systematic review",)),
    ("guideline", ("practice guideline", "guideline", "consensus development conference")),
    (
        "randomized controlled trial",
        ("randomized controlled trial", "pragmatic clinical trial", "equivalence trial", "adaptive clinical trial"),
    ),
    (
        "clinical trial",
        ("controlled clinical trial", "clinical trial", "clinical trial, phase i", "clinical trial, phase ii",
         "clinical trial, phase iii", "clinical trial, phase iv"),
    ),
    ("observational study", ("observational study", "comparative study", "multicenter study", "twin study")),
    ("case report", ("case reports",)),
    ("review", ("review", "scoping review")),
    ("opinion", ("editorial", "comment", "letter", "news", "personal narrative")),
)  # fmt: skip
DESIGNS: Final = tuple(name for name, _ in _DESIGNS)
# A narrative review and an opinion are as far from data as one another.
_RANKS: Final = {name: min(rank, DESIGNS.index("review")) for rank, name in enumerate(DESIGNS)}


def design_of(types: Iterable[str]) -> str | None:
    """The strongest design that *types* (PubMed's publication types) name, or None where they name none.

    >>> design_of(["Journal Article", "Randomized Controlled Trial", "Multicenter Study"])
    'randomized controlled trial'
    >>> design_of(["Journal Article"]) is None
    True
    """
    lowered = {kind.strip().lower() for kind in types}
    return next((name for name, names in _DESIGNS if lowered.intersection(names)), None)


def stronger(a: str | None, b: str | None) -> int:
    """1 if design *a* is the stronger one, -1 if *b* is, 0 if neither is or one is unknown.

    >>> stronger("meta-analysis", "case report"), stronger("review", "opinion"), stronger(None, "review")
    (1, 0, 0)
    """
    if a not in _RANKS or b not in _RANKS:
        return 0
    return (_RANKS[b] > _RANKS[a]) - (_RANKS[b] < _RANKS[a])
