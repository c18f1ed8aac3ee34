"""How long to go on with a prompt, and when to stop a run."""

from __future__ import annotations

import asyncio
import logging
import random

from fas.core.guards.hosts import PATIENCE_S, explain_unresolved
from fas.llm.batch import Batch
from fas.llm.faults import FaultError
from fas.llm.health import Health
from fas.llm.messages import Message, Prompt, Reply
from fas.llm.sending import Call, Sender
from fas.llm.usage_tracker import UsageTracker

logger = logging.getLogger(__name__)

_PROBE = Prompt((Message("user", "Reply with the word OK."),), max_tokens=16)
_PROBES = 3
_ADDRESS = "`base_url` or OPENAI_BASE_URL"


class Retrier:
    """Repeats attempts until there is a reply or it is clear that there will be none.

    Pauses double from `backoff_s` up to `backoff_cap_s`, each shortened at random by up to a
    half; what the server asks for with `Retry-After` is obeyed in full and holds back all requests.

    Args:
        sender: Makes one attempt.
        health: What is known of the endpoint.
        books: Counts retries.
        max_attempts: At most so many tries of a prompt while others are answered.
        retry_budget_s: Longest time for a prompt, and longest time without any reply.
        backoff_s: First pause.
        backoff_cap_s: Longest pause of our own.
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
        self._probing = asyncio.Lock()

    async def ask(self, prompt: Prompt, batch: Batch) -> Reply:
        """The reply to *prompt*, or why there is none.

        Raises:
            ModelUnavailable: Nothing works for any prompt.
            BudgetExceeded: It may not be sent.
        """
        too_large = self._sender.too_large(prompt)
        if too_large:
            return Reply(failure=too_large)
        began = self._health.now()
        attempt = spared = 0
        call = Call()
        while True:
            self._health.check()
            attempt += 1
            try:
                answered = await self._sender.attempt(prompt, batch, call)
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
                return await self._give_up(fault, attempt, batch, suspect=not fault.own)
            waited = self._health.now() - began
            pause = self._pause(fault, attempt)
            if fault.unresolved and self._health.never_replied and waited + pause >= PATIENCE_S:
                why = f"cannot be reached: {explain_unresolved(self._sender.address, _ADDRESS)} (last: {fault})"
                self._health.stop(why, "")
            alive = self._health.replied_since(began)
            if waited + pause >= self._retry_budget_s:
                return await self._give_up(fault, attempt, batch, suspect=not alive, waited=waited)
            if attempt >= self._max_attempts and alive:
                return await self._give_up(fault, attempt, batch, suspect=False)
            if fault.retry_after_s:
                self._sender.pause(fault.retry_after_s)
            self._books.count(retries=1)
            with batch.idle():
                await asyncio.sleep(pause)

    async def _give_up(
        self, fault: FaultError, attempts: int, batch: Batch, *, suspect: bool, waited: float | None = None
    ) -> Reply:
        """The failure of one prompt, unless nothing works for any."""
        often = suspect and self._health.gave_up()
        if suspect and (often or waited is not None):
            began = self._health.now()
            async with self._probing:
                works = self._health.replied_since(began) or await self._probe(batch)
            if not works:
                why = "refuses every request"
                if waited is not None:
                    asked = f" and asks to wait {fault.retry_after_s:.0f} s more" if fault.retry_after_s else ""
                    why = f"has not replied for {waited:.0f} s{asked}"
                self._health.stop(f"{why} (last: {fault})", _advice(fault))
        return Reply(failure=f"{fault} ({attempts} attempts)" if attempts > 1 else str(fault))

    async def _probe(self, batch: Batch) -> bool:
        """Whether the model answers the simplest prompt: then a lasting fault is the other prompts' own."""
        for attempt in range(1, _PROBES + 1):
            self._health.check()
            try:
                await self._sender.attempt(_PROBE, batch, Call())
            except FaultError as fault:
                if fault.filtered:
                    break
                if fault.kind != "transient" or fault.timed_out or attempt == _PROBES:
                    return False
                with batch.idle():
                    await asyncio.sleep(min(self._pause(fault, attempt), self._backoff_cap_s))
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
    return "Check that the server runs and that `base_url` or OPENAI_BASE_URL is its address, ending in /v1."
