"""Requests within limits and budget, counted and repeated until a reply, a failure, or the end of the run."""

from __future__ import annotations

import logging
import random
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any, NoReturn, TypeVar

from fas.core.errors import ModelUnavailable, RunStopped
from fas.core.guards.hosts import PATIENCE_S, explain_unresolved
from fas.llm.budget import LOOK_S, Spending
from fas.llm.endpoint import Endpoint
from fas.llm.faults import FaultError
from fas.llm.features import Features, Structured
from fas.llm.messages import Message, Prompt, Reply
from fas.llm.pace import Pace, RateLimiter, Turn
from fas.llm.shapes import Answered
from fas.llm.usage_tracker import RequestPlan, TrackedModel

logger = logging.getLogger(__name__)
T = TypeVar("T")

_PROBE = Prompt((Message("user", "Reply with the word OK."),), max_tokens=16)
_PROBES = 3
_MOST_DOUBLED = 60
_ADDRESS = "`base_url` or OPENAI_BASE_URL"
# So many prompts in a row given up, with no reply to any other between, make the endpoint suspect;
# twice as many each time that suspicion was wrong.
_SUSPICIOUS = 3


class EndedError(Exception):
    """The batch was stopped while a thread waited."""


class Batch:
    """The jobs of one call and the threads that do them, stopped without losing what is under way."""

    def __init__(self, plan: RequestPlan) -> None:
        self.plan = plan
        self.queue = deque(plan.jobs)
        self._stopped: RunStopped | None = None
        self._ended = threading.Event()

    @property
    def ended(self) -> bool:
        """Whether nothing more may be started."""
        return self._ended.is_set()

    def work(self, do: Callable[[], None], n_threads: int) -> None:
        """Run *do* in so many threads; an interrupt (Ctrl-C) leaves requests under way to themselves.

        What stopped the batch is raised when all that was under way is finished.
        """
        # Daemons, so that a reply that never comes does not keep an interrupted program alive.
        threads = [threading.Thread(target=do, name="fas-llm", daemon=True) for _ in range(n_threads)]
        try:
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        finally:
            self._ended.set()
        if self._stopped is not None:
            raise self._stopped

    def stop(self, why: RunStopped) -> None:
        """Start nothing more."""
        self._stopped = self._stopped or why
        self._ended.set()

    def pause(self, seconds: float) -> None:
        """Wait; an EndedError where the batch was stopped."""
        if self._ended.wait(seconds):
            raise EndedError

    def wait_for(self, look: Callable[[], T | None]) -> T:
        """The first true value of *look*, which is called again and again; an EndedError if the batch is stopped."""
        while not (found := look()):
            self.pause(LOOK_S)
        return found


class Retrier:
    """Sends the prompts of one model, from any thread, until there is a reply or it is clear that there will be none.

    Pauses double from `backoff_s` up to sixty times that, each shortened at random by up to a half; a pause that the
    server asks for with `Retry-After` is obeyed in full and holds back all requests. The client of `openai` repeats
    requests, too, but within their slot, without a count, and not what a body of status 200 lacks. An endpoint that
    never gave a reply, and whose faults do not say that it is busy, gets pauses of `PATIENCE_S` together. The arguments
    are those of `fas.llm.remote.RemoteModel`.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        features: Features,
        limiter: RateLimiter,
        books: TrackedModel,
        *,
        concurrency: int,
        structured: Structured,
        stream: bool,
        send_temperature: bool,
        max_attempts: int,
        retry_budget_s: float,
        backoff_s: float,
    ) -> None:
        self._endpoint, self._features, self._limiter, self._books = endpoint, features, limiter, books
        self._pace = Pace(concurrency)
        self._structured, self._stream, self._send_temperature = structured, stream, send_temperature
        self._max_attempts, self._retry_budget_s = max_attempts, retry_budget_s
        self._backoff_s = backoff_s
        self._random = random.Random()  # only spreads pauses; no reply depends on it
        self._probing = threading.Lock()
        # The fate of all requests; each change is a single step.
        self._last_reply: float | None = None
        self._given_up, self._suspicious = 0, _SUSPICIOUS
        self._stopped: str | None = None

    def reset(self) -> None:
        """Forget what stopped an earlier run; a new one tries again."""
        if self._stopped is not None:
            self._stopped, self._given_up = None, 0

    def attempt(self, prompt: Prompt, batch: Batch, counted: list[bool] | None = None) -> Answered:
        """The reply to one attempt, in the best form that the server understands.

        The budget counts a prompt once: *counted* is not empty after its first request.

        Raises:
            FaultError: There was no reply.
            BudgetExceeded: It may not be sent.
            EndedError: The batch was stopped before it was sent.
        """
        counted = [] if counted is None else counted

        def send(prompt: Prompt, settings: Mapping[str, Any]) -> Answered:
            if not self._send_temperature:
                settings = {name: value for name, value in settings.items() if name != "temperature"}
            batch.wait_for(self._pace.take)
            try:
                return self._send(prompt, settings, batch, counted)
            finally:
                self._pace.release()

        return self._features.ask(prompt, send, wanted=self._structured, stream=self._stream)

    def _send(self, prompt: Prompt, settings: Mapping[str, Any], batch: Batch, counted: list[bool]) -> Answered:
        most, budget = self._books.most(prompt), self._books.budget
        held = Spending(0 if counted else 1, most.tokens, most.cost)
        turn = self._let_through(held, batch)
        counted.append(True)
        actual = held  # given up half-way, it may have been billed
        begun = self._pace.now()
        try:
            answered = self._endpoint.send(prompt, settings)
            spent = self._books.charge(answered)
            actual = Spending(held.calls, spent.tokens, spent.cost)
            turn.tokens = spent.tokens
            self._pace.replied()
            return answered
        except FaultError as fault:
            fault.crowded = fault.timed_out and self._pace.timed_out(begun)
            if fault.sent:
                self._books.count(abandoned=1)
            else:
                actual = Spending(held.calls)
                turn.tokens = most.tokens - prompt.max_tokens
            raise
        finally:
            if budget is not None:
                budget.settle(held, actual)

    def _let_through(self, held: Spending, batch: Batch) -> Turn:
        """Wait for the limits and for the budget, which requests of other models may hold, too."""
        with self._limiter.queue:
            turn = batch.wait_for(lambda: self._limiter.take(held.tokens))
        budget = self._books.budget
        if budget is not None:
            try:
                batch.wait_for(lambda: budget.hold(held))
            except BaseException:
                self._limiter.cancel(turn)
                raise
        return turn

    def ask(self, prompt: Prompt, batch: Batch) -> Reply:
        """The reply to *prompt*, or why there is none.

        Raises:
            ModelUnavailable: Nothing works for any prompt.
            BudgetExceeded: It may not be sent.
            EndedError: The batch was stopped.
        """
        most = self._books.most(prompt).tokens
        if not self._limiter.allows(most):
            limit = f"the limit of {self._limiter.tokens} tokens per minute"
            return Reply(failure=f"the prompt and its reply may take {most} tokens, above {limit}")
        began = time.monotonic()
        attempt = spared = 0
        idle = 0.0
        counted: list[bool] = []
        while True:
            self._check()
            attempt += 1
            try:
                answered = self.attempt(prompt, batch, counted)
            except FaultError as error:
                fault = error
            else:
                self._note_reply()
                return answered.reply
            logger.debug("attempt %d: %s", attempt, fault)
            if fault.crowded and spared < self._pace.most.bit_length():
                # The server is slower than it was asked: that is no try of this prompt, and none of its time.
                spared += 1
                attempt -= 1
                began = time.monotonic()
                self._books.count(retries=1)
                continue
            if fault.filtered:
                self._note_reply()
                return Reply(finish="content_filter")
            if fault.kind == "fatal":
                self._stop(f"cannot be used: {fault}", _advise(fault))
            if fault.kind == "refused":
                return self._give_up(fault, attempt, batch, suspect=not fault.own)
            waited = time.monotonic() - began
            pause = self._pause(fault, attempt)
            idle += pause
            # To find no name may take long itself; a fault of a server that took long is one of a slow server.
            tried = max(idle, waited + pause) if fault.unresolved else idle
            if self._last_reply is None and tried >= PATIENCE_S and not fault.busy:
                self._probe_model(fault, batch, waited=waited)
            alive = self._replied_since(began)
            if waited + pause >= self._retry_budget_s:
                return self._give_up(fault, attempt, batch, suspect=not alive, waited=waited)
            if attempt >= self._max_attempts and alive:
                return self._give_up(fault, attempt, batch, suspect=False)
            if fault.retry_after_s:
                self._limiter.pause(fault.retry_after_s)
            self._books.count(retries=1)
            batch.pause(pause)

    def _check(self) -> None:
        """Raise what stopped the run, if anything did."""
        if self._stopped is not None:
            raise ModelUnavailable(self._stopped)

    def _note_reply(self) -> None:
        self._last_reply = time.monotonic()
        self._given_up, self._stopped = 0, None

    def _replied_since(self, moment: float) -> bool:
        return self._last_reply is not None and self._last_reply >= moment

    def _stop(self, why: str, advice: str) -> NoReturn:
        """Stop the run with a ModelUnavailable."""
        explained = f"{self._endpoint.model} at {self._endpoint.url} {why}. {advice}".rstrip()
        self._stopped = f"{explained} Finished replies are in the cache: the same command resumes"
        raise ModelUnavailable(self._stopped)

    def _give_up(
        self, fault: FaultError, attempts: int, batch: Batch, *, suspect: bool, waited: float | None = None
    ) -> Reply:
        """The failure of one prompt, unless nothing works for any."""
        if suspect:
            self._given_up += 1
            if self._given_up >= self._suspicious or waited is not None:
                self._probe_model(fault, batch, waited=waited)
        return Reply(failure=f"{fault} ({attempts} attempts)" if attempts > 1 else str(fault))

    def _probe_model(self, fault: FaultError, batch: Batch, *, waited: float | None) -> None:
        """Stop the run with a ModelUnavailable unless the model answers the simplest prompt."""
        began = time.monotonic()
        unknown = fault.unresolved and self._last_reply is None
        with self._probing:
            if self._replied_since(began) or (not unknown and self._probe(batch)):
                return
        if unknown:
            address = explain_unresolved(self._endpoint.url, _ADDRESS)
            self._stop(f"cannot be reached: {address} (last: {fault})", "")
        why = "refuses every request"
        if waited is not None:
            asked = f" and asks to wait {fault.retry_after_s:.0f} s more" if fault.retry_after_s else ""
            never = "has given no usable reply in" if self._last_reply is None else "has not replied for"
            why = f"{never} {waited:.0f} s{asked}"
        self._stop(f"{why} (last: {fault})", _advise(fault))

    def _probe(self, batch: Batch) -> bool:
        """Whether the model answers the simplest prompt: then a lasting fault is the other prompts' own."""
        for attempt in range(1, _PROBES + 1):
            self._check()
            try:
                self.attempt(_PROBE, batch)
            except FaultError as fault:
                if fault.filtered:
                    break
                if fault.kind != "transient" or fault.timed_out or attempt == _PROBES:
                    return False
                batch.pause(min(self._pause(fault, attempt), _MOST_DOUBLED * self._backoff_s))
            else:
                break
        self._note_reply()
        self._suspicious *= 2
        return True

    def _pause(self, fault: FaultError, attempt: int) -> float:
        pause = self._backoff_s * min(_MOST_DOUBLED, 2.0 ** min(attempt - 1, 30))
        return max(pause * self._random.uniform(0.5, 1.0), fault.retry_after_s)


def _advise(fault: FaultError) -> str:
    if fault.status in (401, 403) or (fault.status is None and fault.kind == "fatal"):
        return "Set OPENAI_API_KEY (or the variable that `key_env` names) to a key that the endpoint accepts."
    if fault.kind == "fatal":
        return "See the account at the provider."
    if fault.kind == "refused" and "temperature" in str(fault):
        return "If the model accepts no temperature, set `send_temperature` to false."
    if fault.kind == "refused":
        return "Check the model's name and the settings."
    if fault.status is not None:
        return "The server runs and fails: see its log or its provider's status page, or try another model."
    return "Check that the server runs and that `base_url` or OPENAI_BASE_URL is its address, ending in /v1."
