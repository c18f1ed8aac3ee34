"""Pairs that teach a small model that "lowers" and "reduced" agree, and "raises" and "reduced" do not.

Rules that only ever change the direction of a verb teach a shortcut: another word of change means
contradiction. Here the word is changed every time; half of the changes keep the direction
(entailment), half turn it round (contradiction), so the word itself gives nothing away.
"""

from __future__ import annotations

import random
import re
from pathlib import Path

from benchmarks.embedded_models.nli.abstracts import documents
from benchmarks.embedded_models.nli.claim_forms import is_claim, strip_lead, tidy
from benchmarks.embedded_models.nli.data import MAX_HYPOTHESIS, Pair
from benchmarks.embedded_models.nli.phrases import read

_LISTS = read("synonyms")
_SLOTS: list[tuple[list[str], list[str]]] = _LISTS["slots"]
_WORDS = sorted({word for down, up in _SLOTS for word in (*down, *up)}, key=len, reverse=True)
_ANY = re.compile(r"\b(?:" + "|".join(map(re.escape, _WORDS)) + r")\b")
# "X reduced Y" can be told in the present tense; "was reduced" and "a reduced risk" cannot.
_TRANSITIVE = re.compile(r"(?<=[a-z0-9)])\s+$")
_NOT_BEFORE = re.compile(
    r"\b(?:is|are|was|were|be|been|being|has|have|had|a|an|the|of|with|and|or|by|in|to|for|not|significantly|markedly|that|as|than)\s+$", re.I
)
_OBJECT = re.compile(r"^\s+(?:the|a|an|all|both|mean|total|serum|plasma|blood|risk|mortality|death|[a-z]+)\b")


def claim_and_word(sentence: str) -> tuple[str, re.Match[str] | None]:
    """*sentence* as a claim, and its word of change, where it is a claim and has exactly one."""
    claim = tidy(strip_lead(sentence)[1])
    found = list(_ANY.finditer(claim))
    return claim, found[0] if len(found) == 1 and is_claim(claim) and len(claim) <= MAX_HYPOTHESIS else None


def synonym_pairs(root: Path, *, seed: int) -> list[Pair]:
    """Pairs from sentences with exactly one word of change; balanced, in random order."""
    rng = random.Random(seed)
    pairs: list[Pair] = []
    for document in documents(root, "train"):
        for number, sentence in enumerate(document.sentences):
            claim, word = claim_and_word(sentence)
            if word is None:
                continue
            premise = sentence
            if rng.random() < 0.3 and number + 1 < len(document.sentences):
                premise = f"{sentence} {document.sentences[number + 1]}"
            for label in (0, 2):
                told = changed(claim, word, keep=label == 0, rng=rng)
                if told is not None:
                    pairs.append(Pair(premise, told, label))
    rng.shuffle(pairs)
    return pairs


def changed(claim: str, match: re.Match[str], *, keep: bool, rng: random.Random) -> str | None:
    """*claim* with its word of change as another of the same direction (*keep*) or of the other; None where none fits."""
    word = match.group()
    slots = [(down, up) for down, up in _SLOTS if word in down or word in up]
    if word in ("lower", "increase", "decrease"):
        # A verb, an adjective or a noun: told by what stands before it.
        before = claim[: match.start()].rstrip().rsplit(None, 1)[-1].lower() if claim[: match.start()].strip() else ""
        verbal = before in {"to", "can", "may", "could", "would", "will", "should", "might", "not", "did", "does", "do"}
        slots = [slot for slot in slots if ("reduce" in slot[0]) == verbal]
    if not slots:
        return None
    down, up = slots[0]
    own, other = (down, up) if word in down else (up, down)
    new = rng.choice([w for w in own if w != word] or [word]) if keep else rng.choice(other)
    before, after = claim[: match.start()], claim[match.end() :]
    if new in _LISTS["present"] and rng.random() < 0.5 and not _NOT_BEFORE.search(before) and _TRANSITIVE.search(before) and _OBJECT.match(after):
        new = _LISTS["present"][new]
    return before + new + after
