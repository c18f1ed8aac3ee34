"""Make sentences of a treebank look like the answers the parser meets, and turn them into spaCy examples.

A language model's answer is paragraphs and lists: lower-cased prompts, items without a full stop, bold markers,
headings, line breaks in place of punctuation. The rules here add and remove such tokens and keep the tree a tree:
a marker hangs on its neighbour, a line break hangs on the token before it.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from recipes.parser.treebanks import Sentence

SPACE_TAG, SPACE_DEP, MARK_TAG, MARK_DEP = "_SP", "dep", "NFP", "punct"


@dataclass(frozen=True, slots=True)
class Rates:
    """How often each change happens: per document for ``lower``, ``items`` and ``bold``, per sentence otherwise."""

    lower: float = 0.0
    items: float = 0.0
    bold: float = 0.0
    drop_stop: float = 0.0
    line_break: float = 0.0
    paragraph: float = 0.0


def groups(
    sentences: Sequence[Sentence], rng: random.Random, longest: int, words: int = 400
) -> Iterator[list[Sentence]]:
    """Yield runs of 1 to ``longest`` consecutive sentences, each run at most about ``words`` long.

    Every second run may go on into the next document, so that boundaries between unlike texts are seen too.
    """
    start = 0
    while start < len(sentences):
        size = rng.randint(1, longest)
        across = rng.random() < 0.5
        end, total = start, 0
        while end < len(sentences) and end - start < size and (across or sentences[end].doc == sentences[start].doc):
            total += len(sentences[end].words)
            if end > start and total > words:
                break
            end += 1
        yield list(sentences[start:end])
        start = end


def _insert(s: Sentence, at: int, words: list[str], spaces: list[bool], tag: str, dep: str, head: int) -> Sentence:
    """Insert ``words`` before position ``at``; ``head`` (an old position) governs them."""
    n = len(words)
    shift = [i + n if i >= at else i for i in range(len(s.words))]
    old_heads = [shift[h] for h in s.heads]
    return replace(
        s,
        words=s.words[:at] + words + s.words[at:],
        spaces=s.spaces[:at] + spaces + s.spaces[at:],
        tags=s.tags[:at] + [tag] * n + s.tags[at:],
        lemmas=s.lemmas[:at] + words + s.lemmas[at:],
        heads=old_heads[:at] + [shift[head]] * n + old_heads[at:],
        deps=s.deps[:at] + [dep] * n + s.deps[at:],
    )


def _drop_last(s: Sentence) -> Sentence:
    n = len(s.words) - 1
    spaces = s.spaces[:n]
    spaces[-1] = s.spaces[n]
    return replace(
        s, words=s.words[:n], spaces=spaces, tags=s.tags[:n], lemmas=s.lemmas[:n], heads=s.heads[:n], deps=s.deps[:n]
    )


def _bold(s: Sentence, rng: random.Random) -> Sentence:
    first = 0 if rng.random() < 0.6 else rng.randrange(len(s.words))
    last = min(len(s.words) - 1, first + rng.randint(0, 2))
    s = _insert(s, first, ["*", "*"], [False, False], MARK_TAG, MARK_DEP, first)
    last += 2
    space = s.spaces[last]
    s = replace(s, spaces=[*s.spaces[:last], False, *s.spaces[last + 1 :]])
    return _insert(s, last + 1, ["*", "*"], [False, space], MARK_TAG, MARK_DEP, last)


def augment(sentences: list[Sentence], rng: random.Random, rates: Rates) -> list[Sentence]:
    """Change one group of consecutive sentences by the given rates; the input is left as it is."""
    as_items = rng.random() < rates.items
    numbered = rng.random() < 0.5
    symbol = rng.choice("-*•")
    bold = rng.random() < rates.bold
    lower = rng.random() < rates.lower
    out: list[Sentence] = []
    for i, s in enumerate(sentences):
        ends_in_stop = len(s.words) > 3 and s.words[-1] in {".", "!", "?"} and s.heads[-1] != len(s.words) - 1
        ends_in_stop = ends_in_stop and len(s.words) - 1 not in s.heads[:-1]
        last = i == len(sentences) - 1
        dropped = ends_in_stop and rng.random() < (0.5 if as_items else rates.drop_stop)
        if dropped:
            s = _drop_last(s)
        new_line = as_items or rng.random() < (
            rates.paragraph if (not last and sentences[i + 1].paragraph) else rates.line_break
        )
        new_line = new_line or (dropped and rng.random() < 0.3)
        if bold and (as_items or rng.random() < 0.3):
            s = _bold(s, rng)
        if as_items:
            root = s.deps.index("ROOT")
            if numbered:
                s = _insert(s, 0, [rng.choice(".)")], [True], MARK_TAG, MARK_DEP, root)
                s = _insert(s, 0, [str(i + 1)], [False], "LS", "discourse", root + 1)
            else:
                s = _insert(s, 0, [symbol], [True], MARK_TAG, MARK_DEP, root)
        if new_line and not (last and rng.random() < 0.7):
            s = replace(s, spaces=[*s.spaces[:-1], False])
            s = _insert(
                s, len(s.words), [rng.choice(["\n", "\n", "\n\n"])], [False], SPACE_TAG, SPACE_DEP, len(s.words) - 1
            )
        elif not last and not s.spaces[-1]:
            s = replace(s, spaces=[*s.spaces[:-1], True])
        if lower:
            s = replace(s, words=[w.lower() for w in s.words])
        out.append(s)
    return out


def to_example(vocab: Any, sentences: list[Sentence]) -> Any:
    """A spaCy ``Example`` over the given tokens; annotation a sentence does not have stays missing."""
    from spacy.tokens import Doc
    from spacy.training import Example

    words = [w for s in sentences for w in s.words]
    spaces = [x for s in sentences for x in s.spaces]
    tags = [t for s in sentences for t in (s.tags or [""] * len(s.words))]
    lemmas = [t for s in sentences for t in (s.lemmas or [""] * len(s.words))]
    heads: list[int] = []
    deps: list[str] = []
    for s in sentences:
        base = len(heads)
        heads += [base + h for h in s.heads]
        deps += s.deps
    reference = Doc(vocab, words=words, spaces=spaces, tags=tags, lemmas=lemmas, heads=heads, deps=deps)
    return Example(Doc(vocab, words=words, spaces=spaces), reference)
