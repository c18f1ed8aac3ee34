"""One prompt on its way to a reply: inside the limits and the budget, counted, repeated, and when a run stops."""

from __future__ import annotations

import logging
import random
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

from fas.core.errors import ModelUnavailable
from fas.core.guards.hosts import PATIENCE_S, explain_unresolved
from fas.llm.batch import Batch
from fas.llm.budget import Spending
from fas.llm.endpoint import Endpoint
from fas.llm.faults import FaultError
from fas.llm.features import Features, Structured
from fas.llm.messages import Message, Prompt, Reply
from fas.llm.pace import Pace, RateLimiter, Turn
from fas.llm.shapes import Answered
from fas.llm.usage_tracker import UsageTracker

logger = logging.getLogger(__name__)

_PROBE = Prompt((Message("user", "Reply with the word OK."),), max_tokens=16)
_PROBES = 3
_ADDRESS = "`base_url` or OPENAI_BASE_URL"
# So many prompts in a row given up, with no reply to any other between, make the endpoint suspect;
# twice as many each time that suspicion was wrong.
_SUSPICIOUS = 3


class Health:
    """The fate of one model's requests; shared by threads, each count a single step.

    Args:
        name: What messages call the model and its endpoint.
        clock: Monotone seconds.
    """

    def __init__(self, name: str, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._name = name
        self._clock = clock
        self._last_reply: float | None = None
        self._given_up = 0
        self._suspicious = _SUSPICIOUS
        self._stopped: str | None = None

    def now(self) -> float:
        """The clock that `replied_since` goes by."""
        return self._clock()

    def check(self) -> None:
        """Raise what stopped the run, if anything did.

        Raises:
            ModelUnavailable: The endpoint was found not to work.
        """
        if self._stopped is not None:
            raise ModelUnavailable(self._stopped)

    def replied(self) -> None:
        """A reply arrived."""
        self._last_reply = self._clock()
        self._given_up = 0
        self._stopped = None

    def replied_since(self, moment: float) -> bool:
        """Whether any reply arrived since then."""
        return self._last_reply is not None and self._last_reply >= moment

    @property
    def never_replied(self) -> bool:
        """Whether no reply has ever arrived."""
        return self._last_reply is None

    def gave_up(self) -> bool:
        """Count a prompt given up; whether that makes the endpoint suspect."""
        self._given_up += 1
        return self._given_up >= self._suspicious

    def probed(self) -> None:
        """The endpoint was suspected and works."""
        self.replied()
        self._suspicious *= 2

    def stop(self, why: str, advice: str) -> NoReturn:
        """Stop the run.

        Raises:
            ModelUnavailable: Always.
        """
        told = f"{self._name} {why}. {advice}".rstrip()
        self._stopped = f"{told} Finished replies are in the cache: the same command resumes"
        raise ModelUnavailable(self._stopped)

    def reset(self) -> None:
        """Forget what stopped an earlier run; a new one tries again."""
        if self._stopped is not None:
            self._stopped = None
            self._given_up = 0


class Call:
    """One prompt on its way to a reply.

    Attributes:
        counted: Whether the budget has counted it as a call; it is one, however often it is sent.
    """

    def __init__(self) -> None:
        self.counted = False


class Sender:
    """Makes attempts, from any thread.

    Args:
        endpoint: Where to.
        features: What the server understands.
        limiter: Lets requests through.
        books: Counts them.
        pace: Bounds how many are under way.
        structured: How to ask for a schema.
        stream: Whether replies come in pieces.
        send_temperature: Whether the model accepts one.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        features: Features,
        limiter: RateLimiter,
        books: UsageTracker,
        pace: Pace,
        *,
        structured: Structured,
        stream: bool,
        send_temperature: bool,
    ) -> None:
        self.endpoint, self.limiter, self.pace = endpoint, limiter, pace
        self._features = features
        self._books = books
        self._structured: Structured = structured
        self._stream = stream
        self._send_temperature = send_temperature

    def too_large(self, prompt: Prompt) -> str | None:
        """Why *prompt* can never be sent, or None."""
        most = self._books.most(prompt).tokens
        if self.limiter.allows(most):
            return None
        limit = f"the limit of {self.limiter.tokens} tokens per minute"
        return f"the prompt and its reply may take {most} tokens, above {limit}"

    def attempt(self, prompt: Prompt, batch: Batch, call: Call) -> Answered:
        """The reply to one attempt, in the best form that the server understands.

        Raises:
            FaultError: There was no reply.
            BudgetExceeded: It may not be sent.
            EndedError: The batch was stopped before it was sent.
        """

        def send(prompt: Prompt, settings: Mapping[str, Any]) -> Answered:
            if not self._send_temperature:
                settings = {name: value for name, value in settings.items() if name != "temperature"}
            batch.until(self.pace.take)
            try:
                return self._send(prompt, settings, batch, call)
            finally:
                self.pace.release()

        return self._features.ask(prompt, send, wanted=self._structured, stream=self._stream)

    def _send(self, prompt: Prompt, settings: Mapping[str, Any], batch: Batch, call: Call) -> Answered:
        most, budget = self._books.most(prompt), self._books.budget
        held = Spending(0 if call.counted else 1, most.tokens, most.cost)
        turn = self._let_through(held, batch)
        call.counted = True
        actual = held  # given up half-way, it may have been billed
        begun = self.pace.now()
        try:
            answered = self.endpoint.send(prompt, settings)
            spent = self._books.charge(answered)
            actual = Spending(held.calls, spent.tokens, spent.cost)
            turn.tokens = spent.tokens
            self.pace.replied()
            return answered
        except FaultError as fault:
            fault.crowded = fault.timed_out and self.pace.timed_out(begun)
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
        with self.limiter.queue:
            turn = batch.until(lambda: self.limiter.take(held.tokens))
        budget = self._books.budget
        if budget is not None:
            try:
                batch.until(lambda: budget.hold(held))
            except BaseException:
                self.limiter.cancel(turn)
                raise
        return turn


class Retrier:
    """Repeats attempts until there is a reply or it is clear that there will be none.

    Pauses double from `backoff_s` up to `backoff_cap_s`, each shortened at random by up to a
    half; what the server asks for with `Retry-After` is obeyed in full and holds back all requests. The client of
    `openai` repeats requests, too, but within their slot, without a count, and not what a body of status 200 lacks.

    Args:
        sender: Makes one attempt.
        health: Judges the endpoint by all its requests.
        books: Counts.
        max_attempts: Per prompt, while the endpoint answers others.
        retry_budget_s: Per prompt, and without any reply. An endpoint that never gave a reply, and whose faults do
            not say that it is busy, gets pauses of `PATIENCE_S` together.
        backoff_s: First pause.
        backoff_cap_s: Longest pause.
    """

    def __init__(
        self,
        sender: Sender,
        health: Health,
        books: UsageTracker,
        *,
        max_attempts: int,
        retry_budget_s: float,
        backoff_s: float,
        backoff_cap_s: float,
    ) -> None:
        self._sender = sender
        self._health = health
        self._books = books
        self._max_attempts = max_attempts
        self._retry_budget_s = retry_budget_s
        self._backoff_s, self._backoff_cap_s = backoff_s, backoff_cap_s
        # Only spreads pauses; no reply depends on it.
        self._random = random.Random()
        self._probing = threading.Lock()

    def ask(self, prompt: Prompt, batch: Batch) -> Reply:
        """The reply to *prompt*, or why there is none.

        Raises:
            ModelUnavailable: Nothing works for any prompt.
            BudgetExceeded: It may not be sent.
            EndedError: The batch was stopped.
        """
        too_large = self._sender.too_large(prompt)
        if too_large:
            return Reply(failure=too_large)
        began = self._health.now()
        attempt = spared = 0
        idle = 0.0
        call = Call()
        while True:
            self._health.check()
            attempt += 1
            try:
                answered = self._sender.attempt(prompt, batch, call)
            except FaultError as error:
                fault = error
            else:
                self._health.replied()
                return answered.reply
            logger.debug("attempt %d: %s", attempt, fault)
            if fault.crowded and spared < self._sender.pace.most.bit_length():
                # The server is slower than it was asked: that is no try of this prompt, and none of its time.
                spared += 1
                attempt -= 1
                began = self._health.now()
                self._books.count(retries=1)
                continue
            if fault.filtered:
                self._health.replied()
                return Reply(finish="content_filter")
            if fault.kind == "fatal":
                self._health.stop(f"cannot be used: {fault}", _advice(fault))
            if fault.kind == "refused":
                return self._give_up(fault, attempt, batch, suspect=not fault.own)
            waited = self._health.now() - began
            pause = self._pause(fault, attempt)
            idle += pause
            # To find no name may take long itself; a fault of a server that took long is one of a slow server.
            tried = max(idle, waited + pause) if fault.unresolved else idle
            if self._health.never_replied and tried >= PATIENCE_S and not fault.busy:
                self._probe_model(fault, batch, waited=waited)
            alive = self._health.replied_since(began)
            if waited + pause >= self._retry_budget_s:
                return self._give_up(fault, attempt, batch, suspect=not alive, waited=waited)
            if attempt >= self._max_attempts and alive:
                return self._give_up(fault, attempt, batch, suspect=False)
            if fault.retry_after_s:
                self._sender.limiter.pause(fault.retry_after_s)
            self._books.count(retries=1)
            batch.pause(pause)

    def _give_up(
        self, fault: FaultError, attempts: int, batch: Batch, *, suspect: bool, waited: float | None = None
    ) -> Reply:
        """The failure of one prompt, unless nothing works for any."""
        often = suspect and self._health.gave_up()
        if suspect and (often or waited is not None):
            self._probe_model(fault, batch, waited=waited)
        return Reply(failure=f"{fault} ({attempts} attempts)" if attempts > 1 else str(fault))

    def _probe_model(self, fault: FaultError, batch: Batch, *, waited: float | None) -> None:
        """Stop the run unless the model answers the simplest prompt.

        Raises:
            ModelUnavailable: It does not.
        """
        began = self._health.now()
        unknown = fault.unresolved and self._health.never_replied
        with self._probing:
            if self._health.replied_since(began) or (not unknown and self._probe(batch)):
                return
        if unknown:
            address = explain_unresolved(self._sender.endpoint.url, _ADDRESS)
            self._health.stop(f"cannot be reached: {address} (last: {fault})", "")
        why = "refuses every request"
        if waited is not None:
            asked = f" and asks to wait {fault.retry_after_s:.0f} s more" if fault.retry_after_s else ""
            never = "has given no usable reply in" if self._health.never_replied else "has not replied for"
            why = f"{never} {waited:.0f} s{asked}"
        self._health.stop(f"{why} (last: {fault})", _advice(fault))

    def _probe(self, batch: Batch) -> bool:
        """Whether the model answers the simplest prompt: then a lasting fault is the other prompts' own."""
        for attempt in range(1, _PROBES + 1):
            self._health.check()
            try:
                self._sender.attempt(_PROBE, batch, Call())
            except FaultError as fault:
                if fault.filtered:
                    break
                if fault.kind != "transient" or fault.timed_out or attempt == _PROBES:
                    return False
                batch.pause(min(self._pause(fault, attempt), self._backoff_cap_s))
            else:
                break
        self._health.probed()
        return True

    def _pause(self, fault: FaultError, attempt: int) -> float:
        pause = min(self._backoff_cap_s, self._backoff_s * 2.0 ** min(attempt - 1, 30))
        return max(pause * self._random.uniform(0.5, 1.0), fault.retry_after_s)


def _advice(fault: FaultError) -> str:
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
