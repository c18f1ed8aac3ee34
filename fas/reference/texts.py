"""Tokenized texts in a form that compiled code compares fast, and a cache bounded by size."""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Callable, Hashable, Sequence
from typing import Generic, TypeVar

from fas.reference.packed import MAX_N, Packed, pack, shared
from fas.reference.tokenizers import Tokenizer

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

# Unicode has room for 0x110000 different tokens; the vocabulary starts anew well before.
_MAX_VOCABULARY = 1_000_000


class BoundedCache(Generic[K, V]):
    """The most recently used values whose sizes sum to at most *budget*.

    Args:
        budget: Largest sum of sizes, in any unit; a value larger than that is not kept.
    """

    def __init__(self, budget: int) -> None:
        self.budget = budget
        self.size = 0
        self._entries: OrderedDict[K, tuple[V, int]] = OrderedDict()

    def get(self, key: K) -> V | None:
        """The value of *key*, now the most recently used, or None."""
        entry = self._entries.get(key)
        if entry is None:
            return None
        self._entries.move_to_end(key)
        return entry[0]

    def put(self, key: K, value: V, size: int) -> None:
        """Keep *value*, forgetting the least recently used ones until it fits."""
        if size > self.budget or key in self._entries:
            return
        self._entries[key] = (value, size)
        self.size += size
        while self.size > self.budget:
            _, (_, freed) = self._entries.popitem(last=False)
            self.size -= freed

    def clear(self) -> None:
        """Forget everything."""
        self._entries.clear()
        self.size = 0

    def __len__(self) -> int:
        return len(self._entries)


class _Characters(dict[str, str]):
    """One character per distinct token, given out in order of appearance."""

    def __missing__(self, token: str) -> str:
        number = len(self)
        # Surrogates are left out: some C code refuses strings that hold them.
        self[token] = character = chr(number if number < 0xD800 else number + 0x800)
        return character


class Text:
    """A tokenized text, written as one character per token.

    Equal tokens are equal characters, so an n-gram is a substring, and a longest common
    subsequence of tokens is one of characters.

    Attributes:
        tokens: The text as characters.
        lines: The same for each of its non-empty lines alone, if asked for.
    """

    __slots__ = ("_different", "_packed", "_repeated", "lines", "tokens")

    def __init__(self, tokens: str, lines: tuple[str, ...] | None = None) -> None:
        self.tokens = tokens
        self.lines = lines
        self._different: dict[int, frozenset[str]] = {}
        self._repeated: dict[int, dict[str, int]] = {}
        self._packed: Packed | bool | None = False  # not tried yet

    def grams(self, n: int) -> Counter[str]:
        """How often each n-gram occurs."""
        return Counter(self._list(n))

    def n_grams(self, n: int) -> int:
        """Number of n-grams, repetitions counted."""
        return max(0, len(self.tokens) - n + 1)

    def overlap(self, other: Text, n: int) -> int:
        """Number of n-grams the texts share, each clipped to the smaller of its two counts."""
        mine, others = self._set(n), other._set(n)
        n_shared = len(mine & others)
        # Few n-grams occur more than once, and only those that do in both texts count more than once.
        if n_shared and len(mine) < self.n_grams(n) and len(others) < other.n_grams(n):
            first, second = self._counts_above_1(n), other._counts_above_1(n)
            n_shared += sum([min(first[gram], second[gram]) - 1 for gram in first.keys() & second.keys()])
        return n_shared

    def overlaps(self, other: Text, max_n: int) -> list[int]:
        """`overlap` for n from 1 to *max_n*."""
        if max_n <= MAX_N:
            first, second = self._pack(), other._pack()
            if first is not None and second is not None:
                return shared(first, second)[:max_n]
        found = [0] * max_n
        for n in range(1, max_n + 1):
            found[n - 1] = self.overlap(other, n)
            if not found[n - 1]:
                break  # nor is a longer one shared
        return found

    def _pack(self) -> Packed | None:
        if isinstance(self._packed, bool):
            self._packed = pack(self.tokens)
        return self._packed

    def _list(self, n: int) -> Sequence[str]:
        tokens = self.tokens
        return tokens if n == 1 else [tokens[i : i + n] for i in range(len(tokens) - n + 1)]

    def _set(self, n: int) -> frozenset[str]:
        different = self._different.get(n)
        if different is None:
            self._different[n] = different = frozenset(self._list(n))
        return different

    def _counts_above_1(self, n: int) -> dict[str, int]:
        repeated = self._repeated.get(n)
        if repeated is None:
            repeated = {gram: count for gram, count in self.grams(n).items() if count > 1}
            self._repeated[n] = repeated
        return repeated


class TextReader:
    """Turns strings into `Text`, remembering those it is asked to.

    Args:
        tokenizer: Splits a string.
        with_lines: Also tokenize each non-empty line alone (for ROUGE-Lsum).
        budget: Most tokens of remembered texts, in sum.
        vocabulary: A new vocabulary is started, and texts are forgotten, at so many different tokens.
    """

    def __init__(
        self,
        tokenizer: Tokenizer,
        *,
        with_lines: bool = False,
        budget: int = 300_000,
        vocabulary: int = _MAX_VOCABULARY // 2,
    ) -> None:
        self.tokenizer = tokenizer
        self.with_lines = with_lines
        self.vocabulary = vocabulary
        self._characters = _Characters()
        self._kept: BoundedCache[str, Text] = BoundedCache(budget)

    def read_pair(self, prediction: str, reference: str) -> tuple[Text, Text]:
        """Both texts over the same vocabulary; the reference is remembered."""
        self.make_room()
        return self.read(prediction), self.read(reference, keep=True)

    def make_room(self) -> None:
        """Start a new vocabulary if the old one is full; to be called before texts are compared."""
        if len(self._characters) > self.vocabulary:
            self._characters = _Characters()
            self._kept.clear()

    def read(self, string: str, *, keep: bool = False) -> Text:
        """*string* as a `Text`, comparable with those read since the last `make_room`.

        Raises:
            ValueError: The texts that are compared have more than a million different tokens.
        """
        text = self._kept.get(string)
        if text is not None:
            return text
        text = Text(self._encode(string), self._encode_lines(string) if self.with_lines else None)
        if len(self._characters) > _MAX_VOCABULARY:
            raise ValueError(f"more than {_MAX_VOCABULARY:,} different tokens in one prediction and its references")
        if keep:
            self._kept.put(string, text, len(text.tokens) + 50)
        return text

    def _encode(self, string: str) -> str:
        return "".join(map(self._characters.__getitem__, self.tokenizer(string)))

    def _encode_lines(self, string: str) -> tuple[str, ...]:
        return tuple(self._encode(line) for line in string.split("\n") if line)


def check_tokenizer(tokenizer: str | Callable[[str], list[str]]) -> Tokenizer:
    """The tokenizer a caller named or gave.

    Raises:
        TypeError: It is neither a name nor callable.
        ValueError: There is none of that name.
    """
    from fas.reference.tokenizers import load_tokenizer

    if isinstance(tokenizer, str):
        return load_tokenizer(tokenizer)
    if not callable(tokenizer):
        raise TypeError(f"`tokenizer` must be a name or a callable from str to a list of tokens, got {tokenizer!r}")
    return tokenizer
