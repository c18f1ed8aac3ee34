"""Word tokenizers of the reference metrics, by name.

`treebank`      Penn Treebank tokens of the whole text, cased (BLEU-4 of the profiles)
`ptb`           Porter stems of Penn Treebank tokens of the lower-cased text (ROUGE of the profiles)
`rouge_score`   runs of a-z and 0-9, as Google's rouge-score package splits them
`13a`           mteval-v13a, as WMT and sacrebleu split
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any

from fas.loading import once

Tokenizer = Callable[[str], list[str]]

# Rules of nltk's that only put spaces around certain strings, which `str.replace` does much faster.
_SPACED: dict[str, tuple[str, ...]] = {
    r"(``)": ("``",),
    r"\.\.\.": ("...",),
    r"[;@#$%&]": tuple(";@#$%&"),
    r"[?!]": ("?", "!"),
    r"[\]\[\(\)\{\}\<\>]": tuple("][(){}<>"),
    r"--": ("--",),
    r"''": ("''",),
}
# What must occur in a text for one of the other rules to change it. A rule that is in neither
# table (another nltk release) is always applied as it is, so the tables only ever save time.
_NEEDS: dict[str, tuple[str, ...]] = {
    r"([ \(\[{<])(\"|\'{2})": ('"', "''"),
    r"([^'])' ": ("' ",),
    r'"': ('"',),
    r"([^' ])('[sS]|'[mM]|'[dD]|') ": ("'",),
    r"([^' ])('ll|'LL|'re|'RE|'ve|'VE|n't|N'T) ": ("'",),
}
# The contractions ignore case, and so match these letters for i, s and k as well.
_CASE_ODDITIES = {0x130: "i", 0x131: "i", 0x17F: "s", 0x212A: "k"}
_CONTRACTION_WORD = re.compile(r"\(([a-z']+)\)")
_COLON_OR_COMMA = r"([:,])([^\d])"
_COLON, _COMMA = re.compile(r":(?=\D)"), re.compile(r",(?=\D)")
_FINAL_PERIOD = r"""([^\.])(\.)([\]\)}>"\']*)\s*$"""


class Treebank:
    """nltk's `TreebankWordTokenizer`, with the rules that cannot apply to a text left out.

    The rules themselves are nltk's own, in nltk's order; most of its time goes into
    contractions and quotes that a text does not contain.
    """

    def __init__(self) -> None:
        from nltk.tokenize.treebank import TreebankWordTokenizer as Rules

        before = [*Rules.STARTING_QUOTES, *Rules.PUNCTUATION, Rules.PARENS_BRACKETS, Rules.DOUBLE_DASHES]
        self._before = [_rule(*rule) for rule in before]
        self._after = [_rule(*rule) for rule in Rules.ENDING_QUOTES]
        self._contractions = [
            ("".join(_CONTRACTION_WORD.findall(pattern.pattern)), pattern)
            for pattern in [*Rules.CONTRACTIONS2, *Rules.CONTRACTIONS3]
        ]

    def __call__(self, text: str) -> list[str]:
        """Tokens of *text*."""
        for rule in self._before:
            text = rule(text)
        text = f" {text} "
        for rule in self._after:
            text = rule(text)
        lowered = (text if text.isascii() else text.translate(_CASE_ODDITIES)).lower()
        for word, pattern in self._contractions:
            if word in lowered:
                text = pattern.sub(r" \1 \2 ", text)
        return text.split()


def _rule(pattern: Any, replacement: str) -> Callable[[str], str]:
    source: str = pattern.pattern
    spaced = _SPACED.get(source)
    if spaced is not None and replacement in (r" \g<0> ", r" \1 ", f" {spaced[0]} "):
        return lambda text: _put_spaces(text, spaced)
    needs = _NEEDS.get(source)
    if source == _COLON_OR_COMMA and replacement == r" \1 \2":
        return lambda text: _space_colons(text, pattern)
    if source == _FINAL_PERIOD:
        may_apply = _may_end_in_period
    elif source == r"^\"":
        may_apply = _begins_with_quote
    elif source == r"([:,])$":
        may_apply = _may_end_in_comma
    elif needs is not None:
        return lambda text: pattern.sub(replacement, text) if any(need in text for need in needs) else text
    else:
        return lambda text: pattern.sub(replacement, text)
    return lambda text: pattern.sub(replacement, text) if may_apply(text) else text


def _put_spaces(text: str, strings: tuple[str, ...]) -> str:
    for string in strings:
        if string in text:
            text = text.replace(string, f" {string} ")
    return text


def _space_colons(text: str, pattern: Any) -> str:
    """Spaces around colons and commas before anything but a digit, without groups where that is the same."""
    if ":" not in text and "," not in text:
        return text
    # The rule eats the character after the sign, so signs in a row need the rule itself; and
    # nltk's regex engine may know other digits than Python's, but not in ASCII.
    if not text.isascii() or any(row in text for row in (",,", "::", ",:", ":,")):
        result: str = pattern.sub(r" \1 \2", text)
        return result
    return _COLON.sub(" : ", _COMMA.sub(" , ", text))


def _begins_with_quote(text: str) -> bool:
    return text.startswith('"')


def _may_end_in_comma(text: str) -> bool:
    return text.rstrip("\n").endswith((":", ","))


def _may_end_in_period(text: str) -> bool:
    return text.rstrip().rstrip("])}>\"'").endswith(".")


class PorterStems:
    """Porter stems, each word stemmed once.

    Args:
        min_length: Shorter words are left as they are.
    """

    def __init__(self, min_length: int = 0) -> None:
        from nltk.stem.porter import PorterStemmer

        stem = PorterStemmer().stem
        self._stem = lru_cache(maxsize=1 << 17)(
            stem if min_length == 0 else lambda word: stem(word) if len(word) >= min_length else word
        )

    def __call__(self, tokens: Iterable[str]) -> list[str]:
        """The stem of each token."""
        return list(map(self._stem, tokens))


class StudyTokens:
    """Porter stems of Penn Treebank tokens of the lower-cased text; every token is stemmed."""

    def __init__(self) -> None:
        self._split = Treebank()
        self._stems = PorterStems()

    def __call__(self, text: str) -> list[str]:
        """Stems of *text*."""
        return self._stems(self._split(text.lower()))


class GoogleTokens:
    """The tokens of Google's rouge-score: runs of a-z and 0-9 of the lower-cased text.

    Every other character separates, letters with accents and Greek ones included.

    Args:
        use_stemmer: Stem words of more than 3 characters.
    """

    _word = re.compile("[a-z0-9]+")

    def __init__(self, use_stemmer: bool = False) -> None:
        self._stems = PorterStems(min_length=4) if use_stemmer else None

    def __call__(self, text: str) -> list[str]:
        """Tokens of *text*."""
        tokens: list[str] = self._word.findall(text.lower())
        return tokens if self._stems is None else self._stems(tokens)


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
    "ptb": StudyTokens,
    "rouge_score": GoogleTokens,
    "treebank": Treebank,
}


def tokenizer_names() -> list[str]:
    """Names that `load_tokenizer` accepts, sorted."""
    return sorted(_NAMED)


@once()
def load_tokenizer(name: str) -> Tokenizer:
    """The tokenizer called *name*; one instance is shared, with its stems.

    >>> load_tokenizer("rouge_score")("TNF-α rose by 12.5%")
    ['tnf', 'rose', 'by', '12', '5']

    Raises:
        ValueError: There is none of that name; the message lists those there are.
    """
    if name not in _NAMED:
        raise ValueError(f"no tokenizer {name!r}; available: {', '.join(tokenizer_names())}")
    return _NAMED[name]()
