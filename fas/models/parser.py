"""The embedded parser: Penn Treebank tags, Universal Dependencies, lemmas and sentences."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING

from fas.models.paths import EMBEDDED, VERSIONS, model_folder

if TYPE_CHECKING:
    from spacy.language import Language

PARSER_NAME = "fas-en-mini"
PARSER_VERSION = VERSIONS[PARSER_NAME]
MAX_CHARACTERS = 5_000_000
"""Texts longer than this are refused by spaCy (E088); its own limit, 1,000,000, is too low for a book."""

_loaded: dict[str, Language] = {}
_lock = threading.Lock()


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
    key = str(name)
    with _lock:
        if key not in _loaded:
            _loaded[key] = _load(key)
        return _loaded[key]


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
    nlp.max_length = max(nlp.max_length, MAX_CHARACTERS)
    return nlp
