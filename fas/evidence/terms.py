"""How text becomes search terms: one analyser for every BM25 in this package.

Queries and documents must be cut alike, in memory and on disk; whatever changes a term is
therefore here, and `ANALYZER` names the rules in the signature of an index.
"""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

from fas.core.loading import load_once
from fas.core.records import Passage

if TYPE_CHECKING:
    import tantivy

ANALYZER = "en1"
"""Version of the rules; an index built with another one has to be built again."""

_GREEK = {
    "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "ε": "epsilon", "ζ": "zeta",
    "η": "eta", "θ": "theta", "ι": "iota", "κ": "kappa", "λ": "lambda", "μ": "mu",
    "ν": "nu", "ξ": "xi", "ο": "omicron", "π": "pi", "ρ": "rho", "ς": "sigma",
    "σ": "sigma", "τ": "tau", "υ": "upsilon", "φ": "phi", "χ": "chi", "ψ": "psi",
    "ω": "omega", "ϕ": "phi", "ϵ": "epsilon", "ϑ": "theta",
}  # fmt: skip
# Spaces around the name make "TNF-α", "TNFα" and "TNF alpha" the same two terms.
_SPELLED = str.maketrans(
    {letter: f" {name} " for letter, name in _GREEK.items()}
    | {letter.upper(): f" {name} " for letter, name in _GREEK.items() if letter not in "ςϕϵϑ"}
)


def fold(text: str) -> str:
    """*text* with Greek letters spelled out, accents removed and compatibility forms unified.

    >>> fold("TNF-α naïve 5 µg")
    'TNF- alpha  naive 5  mu g'
    """
    if text.isascii():
        return text
    # Lone surrogates are legal in answers but not in tantivy.
    text = text.encode("utf-8", "replace").decode("utf-8")
    folded = unicodedata.normalize("NFKC", text).translate(_SPELLED)
    if folded.isascii():
        return folded
    return "".join(c for c in unicodedata.normalize("NFKD", folded) if not unicodedata.combining(c))


def searchable(passage: Passage) -> str:
    """What of a passage is searched: its title, if it has one, and its text."""
    return f"{passage.title}\n{passage.text}" if passage.title else passage.text


def terms(text: str) -> list[str]:
    """The search terms of *text*, in order, with repetitions: folded, lower case, stemmed, no stop words.

    >>> terms("The patients' treatments with IL-6")
    ['patient', 'treatment', 'il', '6']
    """
    found: list[str] = analyzer().analyze(fold(text))
    return found


@load_once()
def analyzer() -> tantivy.TextAnalyzer:
    """The part of the analysis that tantivy does itself; its input has to be folded first."""
    import tantivy

    return (
        tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple())
        .filter(tantivy.Filter.remove_long(64))
        .filter(tantivy.Filter.lowercase())
        .filter(tantivy.Filter.stopword("english"))
        .filter(tantivy.Filter.stemmer("english"))
        .build()
    )
