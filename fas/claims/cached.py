"""Claims of answers seen before, kept on disk."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from pathlib import Path

from fas.core.cache import Cache, content_key
from fas.core.loading import load_once
from fas.core.records import Answer, Claim
from fas.core.records.digests import digest_of
from fas.models.paths import model_folder

BUILT_ON = (
    "text/choices/reading.py",
    "text/abstention.py",
    "text/language.py",
    "text/sentences.py",
    "core/records/__init__.py",
    "core/records/cited.py",
    "models/parser.py",
)
"""Modules of `fas` outside this package that decide what a claim says."""


class ClaimCache:
    """Remembers what the rules made of an answer, between runs.

    An entry holds for one text and question, one state of the parser's files and one state of the rules
    themselves, so that a change of either never meets old claims.

    Args:
        parser: The embedded parser whose claims these are.
    """

    def __init__(self, parser: str) -> None:
        self._cache = Cache("claims")
        self._identity = f"{_hash_folder(model_folder(parser))} {rules_digest()}"

    def extract(
        self, answers: Sequence[Answer], extract: Callable[[Sequence[Answer]], list[list[Claim]]]
    ) -> list[list[Claim]]:
        """The claims of each answer: those kept, else what *extract* finds, which is then kept."""
        keys = [self._key(answer) for answer in answers]
        known = {key: _read_claims(value) for key, value in self._cache.get_many(list(dict.fromkeys(keys))).items()}
        first: dict[str, Answer] = {}
        for key, answer in zip(keys, answers, strict=True):
            if key not in known:
                first.setdefault(key, answer)
        found = dict(zip(first, extract(list(first.values())), strict=True)) if first else {}
        self._cache.put_many((key, _write_claims(claims)) for key, claims in found.items())
        known.update(found)
        return [list(known[key]) for key in keys]

    def _key(self, answer: Answer) -> str:
        asked = "no question" if answer.question is None else f"question {answer.question}"
        return content_key(self._identity, answer.prediction, asked)


def _write_claims(claims: Sequence[Claim]) -> bytes:
    return json.dumps([[c.text, c.start, c.end, c.context, c.failure, None, c.compound] for c in claims]).encode()


def _read_claims(value: bytes) -> list[Claim]:
    return [Claim(*fields) for fields in json.loads(value)]


@load_once()
def rules_digest() -> str:
    """What the code that makes claims says, all of it: these modules, and those of `fas` they are built on."""
    from importlib.metadata import version

    here = Path(__file__).resolve().parent
    others = [here.parent / name for name in BUILT_ON]
    tables = [
        path for folder in (here, here.parent / "text" / "reading") for path in sorted(folder.glob("patterns/*.tsv"))
    ]
    reading = sorted((here.parent / "text" / "reading").glob("*.py"))
    return digest_of(
        sorted(here.glob("*.py")) + tables + reading + others, f"{version('spacy')} {version('py3langid')}"
    )


@load_once(4)
def _hash_folder(folder: Path) -> str:
    files = hashlib.sha256()
    for path in sorted(each for each in folder.rglob("*") if each.is_file()):
        files.update(path.relative_to(folder).as_posix().encode() + path.read_bytes())
    return files.hexdigest()
