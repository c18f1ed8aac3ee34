"""A client for RxNav, NLM's web service over RxNorm: names to concepts, brands to ingredients.

At most 20 requests a second (NLM's terms of service); over the limit the service answers 403
or 429, which are waited out. Answers are cached. The drug interaction calls were discontinued
in January 2024 and are not used.
"""

from __future__ import annotations

import json
import logging
import random
import threading
import time
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import httpx

from fas.core.cache import Cache, content_key
from fas.core.errors import FasError
from fas.core.guards.characters import check_value
from fas.core.guards.redaction import redact_bytes, redact_value, remember_address, strip_user_info
from fas.safety.vocabulary import Ingredient, Name, Vocabulary

logger = logging.getLogger(__name__)

BASE_URL = "https://rxnav.nlm.nih.gov/REST"
_BUSY = frozenset({403, 429, 500, 502, 503, 504})


class RxNavError(FasError):
    """The service did not answer within the retries."""


class RxConcept(NamedTuple):
    """A concept as RxNav names it."""

    rxcui: str
    name: str
    tty: str


class RxNav:
    """The calls the vocabulary needs.

    Args:
        base_url: Root of the service, without a slash at the end.
        rate: Most requests a second.
        tries: How often one request is tried.
        backoff_s: First wait after a refusal; doubles each time, at most 30 s.
        cache: Where answers are kept; the cache `rxnav` by default.
        client: HTTP client; one with a timeout of 20 s by default.
    """

    def __init__(
        self,
        *,
        base_url: str = BASE_URL,
        rate: float = 20.0,
        tries: int = 5,
        backoff_s: float = 1.0,
        cache: Cache | None = None,
        client: httpx.Client | None = None,
    ) -> None:
        remember_address(base_url)
        self._address = base_url.rstrip("/")
        self._base = strip_user_info(self._address)
        self._interval = 1.0 / rate
        self._tries = tries
        self._backoff = backoff_s
        self._cache = cache if cache is not None else Cache("rxnav")
        self._client = client if client is not None else httpx.Client(timeout=20.0)
        self._next = 0.0
        self._lock = threading.Lock()

    def rxcui(self, name: str) -> list[str]:
        """Identifiers whose name is *name*, exactly or after normalisation; [] if there is none."""
        group = self._get("rxcui.json", name=name, search="2").get("idGroup") or {}
        return [str(item) for item in _list(group.get("rxnormId"))]

    def approximate(self, term: str, *, most: int = 4) -> list[RxConcept]:
        """Concepts whose name is like *term*, best first; each once, those without a name left out."""
        group = self._get("approximateTerm.json", term=term, maxEntries=str(most)).get("approximateGroup") or {}
        found: dict[str, RxConcept] = {}
        for item in _list(group.get("candidate")):
            if item.get("rxcui") and item.get("name"):
                found.setdefault(str(item["rxcui"]), RxConcept(str(item["rxcui"]), str(item["name"]), ""))
        return list(found.values())

    def related(self, rxcui: str, ttys: Sequence[str] = ("IN",)) -> list[RxConcept]:
        """Concepts of the types *ttys* that *rxcui* is related to."""
        answer = self._get(f"rxcui/{rxcui}/related.json", tty=" ".join(ttys))
        return _concepts(answer.get("relatedGroup") or {})

    def ingredients(self, name: str) -> list[RxConcept]:
        """The ingredients of the drug called *name*; the nearest name is taken if none is exact; [] if unknown."""
        for rxcui in self.rxcui(name) or [concept.rxcui for concept in self.approximate(name, most=1)]:
            found = self.related(rxcui)
            if found:
                return found
        return []

    def _get(self, path: str, **parameters: str) -> dict[str, Any]:
        url = f"{self._base}/{path}"
        key = content_key(url, json.dumps(parameters, sort_keys=True))
        stored = self._cache.get(key)
        if stored is not None:
            return _object(stored)
        body = self._fetch(path, parameters)
        answer = _object(body)
        self._cache.put(key, body)
        return answer

    def _fetch(self, path: str, parameters: Mapping[str, str]) -> bytes:
        url, problem = f"{self._base}/{path}", "no attempt"
        for attempt in range(self._tries):
            self._wait_turn()
            wait: float | None = None
            try:
                response = self._client.get(f"{self._address}/{path}", params=dict(parameters))
            except httpx.TransportError as error:
                problem = f"{type(error).__name__}: {error}"
            else:
                if response.status_code == 200:
                    return redact_bytes(response.content)
                if response.status_code not in _BUSY:
                    raise RxNavError(f"{url}: answered {response.status_code}, which is not retried")
                problem = f"answered {response.status_code}"
                after = response.headers.get("Retry-After", "")
                wait = float(after) if after.isdigit() else None
            if attempt + 1 < self._tries:
                pause = wait if wait is not None else self._backoff * 2**attempt * random.uniform(0.75, 1.25)
                logger.info("RxNav %s; trying again in %.1f s", problem, min(pause, 30.0))
                time.sleep(min(pause, 30.0))
        raise RxNavError(
            f"{url}: {problem} after {self._tries} tries; try again later, or build from the files with --rxnorm"
        )

    def _wait_turn(self) -> None:
        with self._lock:
            now = time.monotonic()
            turn = max(now, self._next)
            self._next = turn + self._interval
        if turn > now:
            time.sleep(turn - now)


def _object(body: bytes) -> dict[str, Any]:
    try:
        answer = json.loads(body)
    except ValueError as error:
        raise RxNavError(f"RxNav answered with something that is not JSON: {body[:80]!r}") from error
    return redact_value(check_value(answer, "an answer of RxNav")) if isinstance(answer, dict) else {}


def _list(value: Any) -> list[Any]:
    # Some servers give a list of one as the element itself, and an empty list as null.
    return [] if value is None else value if isinstance(value, list) else [value]


def _concepts(group: Mapping[str, Any]) -> list[RxConcept]:
    return [
        RxConcept(str(item["rxcui"]), str(item.get("name", "")), str(item.get("tty", "")))
        for part in _list(group.get("conceptGroup"))
        for item in _list(part.get("conceptProperties"))
        if item.get("rxcui")
    ]


def look_up(vocabulary: Vocabulary, names: Sequence[str], service: RxNav) -> tuple[Vocabulary, list[str]]:
    """The vocabulary with *names* as RxNav resolves them, and the names it does not know."""
    ingredients = dict(vocabulary.ingredients)
    added: list[Name] = []
    missing = []
    known = {name.text.casefold() for name in vocabulary.names}
    for name in names:
        found = service.ingredients(name)
        if not found:
            missing.append(name)
            continue
        for concept in found:
            ingredients.setdefault(concept.name, Ingredient(concept.name, concept.rxcui))
            known.add(concept.name.casefold())
        if name.casefold() not in known:
            known.add(name.casefold())
            added.append(Name(name, "synonym", tuple(concept.name for concept in found)))
    own = [name for name in vocabulary.names if name.kind != "ingredient"]
    return Vocabulary(ingredients.values(), [*own, *added]), missing
