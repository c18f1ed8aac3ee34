"""Models behind an OpenAI-compatible endpoint: OpenAI, vLLM, llama.cpp, Ollama, gateways."""

from __future__ import annotations

import json
import logging
import os
import threading
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

from fas.core.cache import content_key
from fas.core.checks import whole_number
from fas.core.errors import ModelUnavailable, RunStopped
from fas.llm.budget import Budget, choose_budget
from fas.llm.endpoint import OPENAI_URL, Endpoint, require_package
from fas.llm.faults import FaultError
from fas.llm.features import Features, Structured
from fas.llm.messages import Message, Prompt, Reply
from fas.llm.pace import RateLimiter
from fas.llm.prices import find_price
from fas.llm.retrying import Batch, EndedError, Retrier
from fas.llm.store import CacheMode, ReplyStore
from fas.llm.usage_tracker import Job, RequestPlan, TrackedModel, escape_name

logger = logging.getLogger(__name__)

# What is true of a model at an endpoint whoever asks: shared by every object of the process.
_features: dict[tuple[int, str, str], Features] = {}
_limiters: dict[tuple[int, str, str, float], RateLimiter] = {}

_PROBES = 3
_WORD = Prompt(
    (Message("user", "Reply with one word, and nothing else: True."),), max_tokens=16, choices=(("true",), ("false",))
)
"""What a server is asked once, to find out whether it gives log-probabilities."""


class RemoteModel(TrackedModel):
    """One model at one endpoint.

    A request is repeated after any fault that may pass, with exponential back-off and jitter,
    or after what `Retry-After` asks, which holds back all requests to the model. A prompt fails
    for good when the server refuses it, or after `max_attempts`, or after `retry_budget_s`, if the
    server answers others. If nothing at all works for `retry_budget_s`, the run stops; for an endpoint that never gave
    a usable reply and does not say that it is busy, after pauses of 10 s.

    Args:
        model: Its name at the endpoint.
        base_url: Address up to and including `/v1`; `OPENAI_BASE_URL`, else OpenAI's own, by default.
        key_env: Environment variable of the key; no key is sent where it is unset.
        concurrency: Requests under way at once, over all threads, at most: time-outs halve how many there are, replies
            raise it again, and a request that timed out beside others is asked again at no cost to its tries.
        requests_per_minute: Limit over every 60 s, over all threads and objects for the same model at the
            same address (the tightest one given holds); None for none.
        tokens_per_minute: The same for tokens of prompts and replies, estimated until the server has counted.
        window_s: Length of the window of both limits, for servers that count over another time than a minute.
        timeout_s: Longest time for one attempt, to the last byte; with `stream`, between two pieces of the reply.
        max_attempts: At most so many tries of a prompt while the server answers others.
        retry_budget_s: Longest time for a prompt, and longest time without any reply.
        backoff_s: First pause; doubled after each try up to sixty times this, and shortened at random.
        stream: Receive replies in pieces; changes no reply.
        structured: `auto` finds out whether the server enforces schemas and falls back to `json_object` and
            to plain text; any of `json_schema`, `json_object`, `off` settles it.
        send_temperature: False for models that accept no temperature; their replies are cached all the same.
        extra: More fields of each request, e.g. `{"top_p": 1, "seed": 1}`; part of cache key and signature.
        cache: `greedy` keeps replies at temperature 0 and numbered draws, `off` none.
        budget: What may be spent, shared with other models that get the same object.
        max_calls: Makes a budget of this model's own; so do the next two. Not beside `budget`.
        max_total_tokens: Tokens of prompts and replies.
        max_cost: US dollars.
        prices: Table of prices; `FAS_PRICES` by default.
        offline: Send nothing; what is not in the cache stops the run.

    Raises:
        ValueError: A setting is impossible.
        InputError: A table of prices cannot be used.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        key_env: str = "OPENAI_API_KEY",
        concurrency: int = 16,
        requests_per_minute: int | None = None,
        tokens_per_minute: int | None = None,
        window_s: float = 60.0,
        timeout_s: float = 180.0,
        max_attempts: int = 8,
        retry_budget_s: float = 300.0,
        backoff_s: float = 0.5,
        stream: bool = False,
        structured: Structured = "auto",
        send_temperature: bool = True,
        extra: Mapping[str, Any] | None = None,
        cache: CacheMode = "greedy",
        budget: Budget | None = None,
        max_calls: int | None = None,
        max_total_tokens: int | None = None,
        max_cost: float | None = None,
        prices: str | Path | None = None,
        offline: bool = False,
    ) -> None:
        if structured not in get_args(Structured):
            raise ValueError(f"`structured` must be one of {', '.join(get_args(Structured))}, got {structured!r}")
        whole_number("concurrency", concurrency)
        whole_number("max_attempts", max_attempts)
        positive = {"timeout_s": timeout_s, "retry_budget_s": retry_budget_s, "backoff_s": backoff_s}
        for name, seconds in positive.items():
            if not 0 < seconds < float("inf"):
                raise ValueError(f"`{name}` must be above 0 seconds, got {seconds!r}")
        budget = choose_budget(budget, calls=max_calls, tokens=max_total_tokens, cost=max_cost)
        url = base_url or os.environ.get("OPENAI_BASE_URL") or OPENAI_URL
        fields = dict(extra or {})
        endpoint = Endpoint(
            url, model, key_env=key_env, timeout_s=timeout_s, stream=stream, extra=fields, connections=concurrency
        )
        where = endpoint.url
        settings = {"extra": fields, "structured": structured, "send_temperature": send_temperature}
        written = json.dumps(settings, sort_keys=True)
        store = ReplyStore(("openai", where, model, written), mode=cache)
        changes_replies = fields or not send_temperature
        signature = escape_name(model) + (f"+{content_key(written)[:8]}" if changes_replies else "")
        super().__init__(model, signature, store, price=find_price(model, where, table=prices), budget=budget)
        self._concurrency = concurrency
        self._offline = offline
        self._retrier = Retrier(
            endpoint,
            _features.setdefault((os.getpid(), where, model), Features()),
            _share_limiter(where, model, requests_per_minute, tokens_per_minute, window_s),
            self,
            concurrency=concurrency,
            structured=structured,
            stream=stream,
            send_temperature=send_temperature,
            max_attempts=max_attempts,
            retry_budget_s=retry_budget_s,
            backoff_s=backoff_s,
        )
        self._asking: dict[str, Future[Reply | None]] = {}
        self._lock = threading.Lock()
        self._batches = 0

    def complete(self, prompts: Sequence[Prompt]) -> list[Reply]:
        """One reply per prompt, in order.

        Raises:
            ModelUnavailable: Nothing works at all, or the key is refused, or something is not in the cache
                and `offline` was set.
            BudgetExceeded: The budget does not allow the next request; those under way were finished.
        """
        plan = self.plan(list(prompts))
        if plan.jobs:
            if self._offline:
                raise ModelUnavailable(
                    f"{len(plan.jobs)} of {len(prompts)} prompts for {self.name} are not in the cache, "
                    "but --offline was given; run without it, or use a local model"
                )
            require_package()
            self._answer_all(plan)
        return plan.finished()

    def gives_logprobs(self, *, ask: bool = True) -> bool | None:
        """Whether the server says how probable the words of a reply are; asked once, and kept with the replies.

        A server that does not answer is taken for one that says nothing; that it does not answer, the run itself tells.
        Without *ask*, None says that it is not known yet.
        """
        plan = self.plan([_WORD], count=False)
        if not plan.jobs:
            return bool(plan.finished()[0].logprobs)
        if not ask:
            return None
        if self._offline:
            return False
        require_package()
        reply = self._ask_word(plan)
        return reply is not None and bool(reply.logprobs)

    def _ask_word(self, plan: RequestPlan) -> Reply | None:
        for attempt in range(_PROBES):
            try:
                reply = self._retrier.attempt(_WORD, Batch(plan)).reply
            except RunStopped:
                return None
            except FaultError as fault:
                if fault.kind != "transient" or fault.status is None:
                    return None
                time.sleep(min(2.0**attempt, fault.retry_after_s))
            else:
                self.store.put(plan.jobs[0].key, reply)
                return reply
        return None

    def _answer_all(self, plan: RequestPlan) -> None:
        with self._lock:
            if not self._batches:
                self._retrier.reset()
            self._batches += 1
        batch = Batch(plan)
        try:
            batch.work(lambda: self._work(batch), min(self._concurrency, len(plan.jobs)))
        finally:
            with self._lock:
                self._batches -= 1

    def _work(self, batch: Batch) -> None:
        while not batch.ended:
            try:
                job = batch.queue.popleft()
            except IndexError:
                return
            try:
                reply = self._request_once(job, batch)
            except RunStopped as stopped:
                batch.stop(stopped)
            except EndedError:
                return
            except Exception as error:
                logger.warning("a prompt for %s failed: %s: %s", self.name, type(error).__name__, error)
                logger.debug("where it failed", exc_info=True)
                self.fill(batch.plan, job, Reply(failure=f"{type(error).__name__}: {error}"))
            else:
                self.fill(batch.plan, job, reply)

    def _request_once(self, job: Job, batch: Batch) -> Reply:
        """The reply to *job*; if another thread is asking the same, what that gets."""
        if not self.store.shares(job.prompt):
            return self._retrier.ask(job.prompt, batch)
        mine: Future[Reply | None] = Future()
        while (first := self._asking.setdefault(job.key, mine)) is not mine:
            batch.wait_for(first.done)
            theirs = first.result()
            if theirs is not None:
                return theirs
        try:
            # Another thread may have finished it since the batch was looked up.
            kept = self.store.get_many([job.key]) if self.store.keeps(job.prompt) else {}
            reply = kept.get(job.key)
            if reply is None:
                reply = self._retrier.ask(job.prompt, batch)
                if reply.failure is None and self.store.keeps(job.prompt):
                    self.store.put(job.key, reply)
            mine.set_result(reply if reply.failure else replace(reply, cached=True))
            return reply
        finally:
            del self._asking[job.key]
            if not mine.done():
                mine.set_result(None)


def _share_limiter(where: str, model: str, requests: int | None, tokens: int | None, window_s: float) -> RateLimiter:
    own = RateLimiter(requests=requests, tokens=tokens, window_s=window_s)
    shared = _limiters.setdefault((os.getpid(), where, model, window_s), own)
    shared.requests = min((limit for limit in (shared.requests, requests) if limit is not None), default=None)
    shared.tokens = min((limit for limit in (shared.tokens, tokens) if limit is not None), default=None)
    return shared
