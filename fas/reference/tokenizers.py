"""Word tokenizers of the reference metrics, by name.

`treebank`      Penn Treebank tokens of the whole text, cased (BLEU-4 of the profiles)
`ptb`           Porter stems of Penn Treebank tokens of the lower-cased text (ROUGE of the profiles)
`rouge_score`   runs of a-z and 0-9, as Google's rouge-score package splits them
`13a`           mteval-v13a, as WMT and sacrebleu split
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from fas.core.loading import load_once

Tokenizer = Callable[[str], list[str]]


def _load_treebank() -> Tokenizer:
    from nltk.tokenize.treebank import TreebankWordTokenizer

    tokenize: Tokenizer = TreebankWordTokenizer().tokenize
    return tokenize


def _load_stems() -> Tokenizer:
    from nltk.stem.porter import PorterStemmer

    split, stem = load_tokenizer("treebank"), lru_cache(maxsize=1 << 17)(PorterStemmer().stem)
    return lambda text: list(map(stem, split(text.lower())))


def _load_words() -> Tokenizer:
    word = re.compile("[a-z0-9]+")
    return lambda text: word.findall(text.lower())


class Mteval13a:
    """mteval-v13a tokens, the ones of WMT, sacrebleu and evaluate's BLEU."""

    _rules = (
        (re.compile("[!-&(-+/:-@[-`{-~]"), r" \g<0> "),  # ASCII punctuation but for ' , - .
        (re.compile("([^0-9])([.,])"), r"\1 \2 "),
        (re.compile("([.,])([^0-9])"), r" \1 \2"),
        (re.compile("([0-9])(-)"), r"\1 \2 "),
    )
    _entities = (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"))

    def __call__(self, text: str) -> list[str]:
        """Tokens of *text*."""
        text = text.replace("<skipped>", "").replace("-\n", "").replace("\n", " ")
        if "&" in text:
            for entity, character in self._entities:
                text = text.replace(entity, character)
        text = f" {text} "
        for pattern, replacement in self._rules:
            text = pattern.sub(replacement, text)
        return text.split()


_NAMED: dict[str, Callable[[], Tokenizer]] = {
    "13a": Mteval13a,
    "ptb": _load_stems,
    "rouge_score": _load_words,
    "treebank": _load_treebank,
}


def tokenizer_names() -> list[str]:
    """Names that `load_tokenizer` accepts, sorted."""
    return sorted(_NAMED)


@load_once()
def load_tokenizer(name: str) -> Tokenizer:
    """The tokenizer called *name*; one instance is shared, with its stems.

    >>> load_tokenizer("rouge_score")("TNF-α rose by 12.5%")
    ['tnf', 'rose', 'by', '12', '5']
    """
    if name not in _NAMED:
        raise ValueError(f"no tokenizer {name!r}; available: {', '.join(tokenizer_names())}")
    return _NAMED[name]()


def check_tokenizer(tokenizer: str | Tokenizer) -> Tokenizer:
    """The tokenizer a caller named or gave."""
    if isinstance(tokenizer, str):
        return load_tokenizer(tokenizer)
    if not callable(tokenizer):
        raise TypeError(f"`tokenizer` must be a name or a callable from str to a list of tokens, got {tokenizer!r}")
    return tokenizer
