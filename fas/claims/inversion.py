"""Subject-auxiliary inversion undone: where the subject of a yes/no question ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fas.reading.mapped import Mapped
from fas.reading.trees import Sentence, parse

if TYPE_CHECKING:
    from spacy.language import Language

_NOMINAL = frozenset({"NOUN", "PROPN", "NUM"})
# What can follow a subject: with another tag, the parser did not see where the subject ends.
_BEHIND_BE = frozenset({"VBN", "VBG", "VBD", "JJ", "JJR", "JJS", "RB", "RBR", "RBS", "DT"})
_BEHIND = dict.fromkeys(("is", "are", "was", "were"), _BEHIND_BE) | dict.fromkeys(
    ("can", "could", "should", "will", "may"), frozenset({"VB"})
)
_BEHIND |= dict.fromkeys(("has", "have"), frozenset({"VBN"})) | dict.fromkeys(
    ("do", "does", "did"), frozenset({"VB", "VBP"})
)


def subject_end(auxiliary: str, words: list[str], nlp: Language) -> int | None:
    """How many of *words* are the subject, found by trying.

    Parsers are trained on few questions. Each place that the auxiliary of the statement may have gives a text; the
    one place at which the parser finds all before it to be the subject is taken, none if there are several.
    """
    ends = range(1, len(words))
    texts = [Mapped.whole(" ".join([*words[:end], auxiliary, *words[end:]]) + ".") for end in ends]
    fitting: dict[int, str | None] = {}
    for end, sentences in zip(ends, parse(texts, nlp), strict=True):
        tag = _behind(sentences[0], len(texts[end - 1].text), " ".join(words[:end])) if len(sentences) == 1 else None
        # Behind `would`, `might` and `must` stands what stands behind `will`.
        if tag in _BEHIND.get(auxiliary, _BEHIND["will"]):
            fitting[end] = tag
    if len(fitting) > 1:  # an article right behind a noun begins something else
        fitting = {end: tag for end, tag in fitting.items() if tag == "DT"}
    return next(iter(fitting)) if len(fitting) == 1 else None


def _behind(sentence: Sentence, length: int, subject: str) -> str | None:
    """Tag of the word behind the auxiliary, if all before the auxiliary is the subject of the sentence's predicate."""
    tokens = sentence.tokens
    place = next((token.i for token in tokens if token.start == len(subject) + 1), None)
    noun = sentence.child(sentence.root, "nsubj", "csubj")
    if place is None or noun is None or tokens[-1].end != length or place + 2 >= len(tokens):
        return None
    if (
        noun.pos not in {"NOUN", "PROPN"}
        or tokens[place - 1].pos not in _NOMINAL
        or sentence.subtree(noun.i) != set(range(place))
    ):
        return None
    helps = tokens[place].head == sentence.root and tokens[place].dep.split(":")[0] in {"aux", "cop"}
    return tokens[place + 1].tag if helps else None
