"""The one redactor: it keeps the keys and passwords of a run out of everything that is written or printed.

Code that sends a key or a password passes it to `remember_secret`. `redact` then removes it from any text, also in the
forms in which servers echo it (percent-encoded, escaped for HTML, in Basic authentication). It cannot remove a key that
a server encodes otherwise.

Words of fewer than four characters, and placeholders for a key, are no secrets: removing them would spoil texts.
"""

from __future__ import annotations

import base64
import html
import os
import re
import threading
from typing import TypeVar
from urllib.parse import quote, quote_plus, unquote, urlsplit

from fas.core.guards.characters import map_texts

T = TypeVar("T")

MASK = "[key]"
_SHORTEST = 4
# A shorter secret may be a part of some word, and only the whole word is removed.
_UNMISTAKABLE = 12
_PLACEHOLDERS = frozenset(
    "none null empty test dummy fake local true false unused ollama vllm lm-studio no-key not-needed "
    "sk-no-key-required sk-none key token".split()
)
_VARIABLES = ("OPENAI_API_KEY", "NCBI_API_KEY", "HF_TOKEN", "HUGGING_FACE_HUB_TOKEN")
_ADDRESSES = (
    "OPENAI_BASE_URL", "FAS_ENTREZ_URL", "FAS_RXNAV_URL", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy",
    "https_proxy", "all_proxy",
)  # fmt: skip
_MAKES = re.compile(r"\b(?:sk|pk|key|hf|gsk|xai)[-_][\w*.-]{6,}|\bBearer\s+(?!\[key\])\S+")

_lock = threading.Lock()
_known: set[str] = set()
_pattern: re.Pattern[str] | None = None


def remember_secret(*secrets: str | None) -> None:
    """Remove *secrets* from every text from now on."""
    global _pattern
    new = {form for secret in secrets if secret and _is_secret(secret) for form in _list_forms(secret)}
    with _lock:
        if new <= _known:
            return
        _known.update(new)
        # The longest first: one secret may be the beginning of another.
        _pattern = re.compile("|".join(_make_bound_pattern(form) for form in sorted(_known, key=len, reverse=True)))


def remember_address(url: str | None) -> None:
    """Remember the user's name and password in *url*, if it carries any."""
    netloc = urlsplit(url).netloc if url and "@" in url and "[" not in url else ""
    user_info, at, _ = (url or "").partition("//")[2].rpartition("@") if not netloc else netloc.rpartition("@")
    if not at:
        return
    user, _, password = user_info.partition(":")
    pair = f"{unquote(user)}:{unquote(password)}"
    remember_secret(
        password, unquote(password), user_info if password else None, base64.b64encode(pair.encode()).decode()
    )
    if not password:
        # A name alone is how some services take a token.
        remember_secret(user, unquote(user))


def remember_environment() -> None:
    """Remember the keys and addresses that the environment gives this program."""
    remember_secret(*(os.environ.get(name, "").strip() for name in _VARIABLES))
    for name in _ADDRESSES:
        remember_address(os.environ.get(name))


def strip_user_info(url: str) -> str:
    """*url* as it may be shown and kept.

    >>> strip_user_info("http://me:secret@host/entrez")
    'http://host/entrez'
    """
    scheme, slashes, rest = url.partition("//")
    return f"{scheme}{slashes}{rest.rpartition('@')[2]}" if slashes else url.rpartition("@")[2]


def redact(text: str, *, same_length: bool = False) -> str:
    """*text* without the secrets; with *same_length*, asterisks take their place, so that offsets hold."""
    pattern = _pattern
    if pattern is None:
        return text
    return pattern.sub(lambda found: "*" * len(found[0]) if same_length else MASK, text)


def redact_message(text: str) -> str:
    """As `redact`, and without everything of the form of a well-known kind of key: for messages, which lose nothing."""
    return _MAKES.sub(MASK, redact(text))


def redact_bytes(data: bytes) -> bytes:
    """As `redact`, for a body before it is read."""
    if _pattern is None:
        return data
    return redact(data.decode("latin-1")).encode("latin-1")


def redact_value(value: T, *, same_length: bool = False) -> T:
    """*value* with every text in it redacted: JSON, dataclasses and tuples of such."""
    return value if _pattern is None else map_texts(value, lambda text: redact(text, same_length=same_length))


def _is_secret(text: str) -> bool:
    return len(text) >= _SHORTEST and text.lower() not in _PLACEHOLDERS


def _list_forms(secret: str) -> set[str]:
    forms = {secret, quote(secret, safe=""), quote_plus(secret), html.escape(secret)}
    # As bytes that were read as Latin-1, before a body is parsed.
    return forms | {form.encode().decode("latin-1") for form in forms}


def _make_bound_pattern(form: str) -> str:
    escaped = re.escape(form)
    return escaped if len(form) >= _UNMISTAKABLE else rf"(?<![^\W_]){escaped}(?![^\W_])"
