"""Random and hostile texts for the tests of the reference metrics."""

from __future__ import annotations

import random

# Everything a tokenizer may trip over: quotes, contractions, brackets, final periods, Greek, odd
# white space, digits next to punctuation, letters whose case is special, a lone surrogate.
PIECES = [
    "the", "cat", "can't", "cannot", "CANNOT", "Gonna", "\"x\"", "''", "``", "a.", "b.)", "e.g.", "5.0,", "α",
    "TNF-α", "'tıs", "'tis", "'TIS", "more'n", "d'ye", "(", ")", "[x]", "{y}", "<z>", "--", "...", "?", "!",
    "\n", "\x1c", "\u00a0", "İ", "ſ", "K", "\u2003", ".\u2003", ".\x85", ". ", ".", ":", "$5", "patients",
    "treated", "running", "runs", "1,000", "p<0.05;", "it's", "I'd", "they'll", "\ud800", "😀", "x\ny", "3-4",
    "&quot;", "&amp;lt;", "-\n", "<skipped>", "µg/mL",
]  # fmt: skip
PLAIN = (
    "aspirin lowers the risk of stroke in patients with atrial fibrillation but raises the rate of major bleeding "
    "compared placebo randomised trial showed reduction mortality treatment dose mg daily adverse events were common "
    "significantly associated outcome hazard ratio confidence interval study group control response therapy cancer"
).split()


def hostile(rng: random.Random, n: int) -> str:
    """A text of about *n* odd pieces, joined in odd ways."""
    return rng.choice([" ", "", "  "]).join(rng.choice(PIECES) for _ in range(n))


def plain(rng: random.Random, n: int) -> str:
    """A text of *n* words that looks like an abstract."""
    words = [rng.choice(PLAIN) for _ in range(n)]
    for i in range(0, n, 14):
        words[i] = words[i].capitalize()
    for i in range(13, n, 14):
        words[i] += rng.choice([".", ".", ",", " (95% CI 0.61-0.92)."])
    return " ".join(words)
