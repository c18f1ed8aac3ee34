"""The embedded parser: Penn Treebank tags, Universal Dependencies, lemmas and sentences."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from fas.core.loading import fork_safe_lock, load_once
from fas.models.paths import EMBEDDED, model_folder

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

PARSER_NAME = "fas-en-mini"
_PIECE = 50_000

parsing = fork_safe_lock()
"""Held while a pipeline reads: the parts of one are shared, and what is read within a memory zone of one thread is gone
with it for all."""


def load_parser(name: str | Path = PARSER_NAME) -> Language:
    """The parser, loaded once per process and shared; it may be asked for from any thread.

    Tokens carry `tag_` (Penn Treebank, as in UD English EWT), `dep_` and `head` (Universal Dependencies with EWT's
    subtypes, the root is `ROOT`), and `lemma_`; sentences come from the tree. White-space tokens have the tag `_SP`
    and the relation `dep`. Coarse parts of speech, features and entities are not predicted. Components added to
    the returned pipeline are seen by everyone who loads it.

    Args:
        name: `fas-en-mini`, an installed spaCy pipeline package, or the folder of a pipeline. Only the embedded one
            is known to give Universal Dependencies.

    Raises:
        LookupError: No such pipeline, or the files of the embedded one are missing.
    """
    return _load(str(name))


@load_once()
def _load(name: str) -> Language:
    import spacy

    embedded = name in EMBEDDED
    source = model_folder(name) if embedded else name
    try:
        nlp = spacy.load(source)
    except OSError as error:
        if embedded:
            raise
        raise LookupError(
            f"no parser {name!r}: not an embedded model ({PARSER_NAME}), an installed spaCy package or a folder"
        ) from error
    if embedded:
        _use_numpy(nlp)
    return nlp


def _use_numpy(nlp: Language) -> None:
    """Let numpy multiply the matrices of *nlp*, in place of spaCy's own BLIS.

    Numpy's BLAS uses AVX-512 where there is one: 1.8 times the words a second of one core. Only this pipeline's layers
    are touched; `require_cpu` and the like would change every pipeline of the process.
    """
    layers = [
        layer
        for _, component in nlp.pipeline
        for layer in (component.model.walk() if hasattr(component, "model") else ())
        if getattr(layer.ops, "use_blis", False)  # none that lies on a GPU
    ]
    if layers:
        ops = type(layers[0].ops)(use_blis=False)
        for layer in layers:
            layer.ops = ops


def parse_text(text: str, nlp: Language | None = None, *, piece: int = _PIECE) -> Doc:
    """One `Doc` over *text*, however long.

    A pipeline takes some 6 KB of memory a character and refuses more than `nlp.max_length` characters (1,000,000);
    here a text longer than *piece* is read in pieces that end at a line break, else after a full stop, else at a
    space, else where they must. A sentence that runs over such a cut is parsed as two.

    Args:
        text: The text; `doc.text` gives it back unchanged.
        nlp: The pipeline; the embedded parser by default.
        piece: Characters in a piece, at least 1.

    Raises:
        ValueError: *piece* is below 1.
    """
    if piece < 1:
        raise ValueError(f"piece must be at least 1 character, but is {piece}")
    from spacy.tokens import Doc

    nlp = nlp or load_parser()
    # One at a time: a batch of pieces would take the memory that cutting them saved.
    with parsing:
        docs = list(nlp.pipe(_pieces(text, piece), batch_size=1)) or [nlp("")]
    if len(docs) < 2:
        return docs[0]
    whole = Doc.from_docs(docs, ensure_whitespace=False)
    if whole is None:
        raise RuntimeError("spaCy joined no pieces")
    return whole


def _pieces(text: str, longest: int) -> Iterator[str]:
    start = 0
    while len(text) - start > longest:
        window = text[start : start + longest]
        ends = (window.rfind(mark) + len(mark) for mark in ("\n", ". ", " ") if mark in window)
        end = start + next(ends, longest)
        yield text[start:end]
        start = end
    if start < len(text):
        yield text[start:]
