"""One request on the wire, inside the limits and the budget, and counted."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from fas.llm.batch import Batch
from fas.llm.budget import LOOK_S, Spending
from fas.llm.endpoint import Endpoint
from fas.llm.faults import FaultError
from fas.llm.features import Features, Structured
from fas.llm.limits import PromptRateLimiter
from fas.llm.messages import Prompt
from fas.llm.pace import Pace
from fas.llm.shapes import Answered
from fas.llm.usage_tracker import UsageTracker


class Call:
    """One prompt on its way to a reply.

    Attributes:
        counted: Whether the budget has counted it as a call; it is one, however often it is sent.
    """

    def __init__(self) -> None:
        self.counted = False


class Sender:
    """Makes attempts; belongs to the shared event loop.

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
        limiter: PromptRateLimiter,
        books: UsageTracker,
        pace: Pace,
        *,
        structured: Structured,
        stream: bool,
        send_temperature: bool,
    ) -> None:
        self._endpoint = endpoint
        self._features = features
        self._limiter = limiter
        self._books = books
        self.pace = pace
        self._structured: Structured = structured
        self._stream = stream
        self._send_temperature = send_temperature

    @property
    def address(self) -> str:
        """Where requests go."""
        return self._endpoint.url

    def too_large(self, prompt: Prompt) -> str | None:
        """Why *prompt* can never be sent, or None."""
        most = self._books.most(prompt).tokens
        if self._limiter.allows(most):
            return None
        return (
            f"the prompt and its reply may take {most} tokens, above the limit of "
            f"{self._limiter.tokens} tokens per minute"
        )

    def pause(self, seconds: float) -> None:
        """Send nothing for so long, because the server asked for it."""
        self._limiter.pause(seconds)

    async def attempt(self, prompt: Prompt, batch: Batch, call: Call) -> Answered:
        """The reply to one attempt, in the best form that the server understands.

        Raises:
            FaultError: There was no reply.
            BudgetExceeded: It may not be sent.
        """

        async def send(prompt: Prompt, settings: Mapping[str, Any]) -> Answered:
            return await self._send(prompt, settings, batch, call)

        return await self._features.ask(prompt, send, wanted=self._structured, stream=self._stream)

    async def _send(self, prompt: Prompt, settings: Mapping[str, Any], batch: Batch, call: Call) -> Answered:
        if not self._send_temperature:
            settings = {name: value for name, value in settings.items() if name != "temperature"}
        most = self._books.most(prompt)
        calls = 0 if call.counted else 1
        held = Spending(calls, most.tokens, most.cost)
        async with batch.slot(self.pace):
            with batch.idle():
                turn = await self._limiter.take_turn(most.tokens)
            try:
                await self._hold(held, batch)
            except BaseException:
                self._limiter.cancel(turn)
                raise
            call.counted = True
            actual = held  # given up half-way, it may have been billed
            begun = self.pace.now()
            try:
                answered = await self._endpoint.send(prompt, settings, lambda: self._limiter.left(turn))
                spent = self._books.charge(answered)
                actual = Spending(calls, spent.tokens, spent.cost)
                turn.tokens = spent.tokens
                self.pace.replied()
                return answered
            except FaultError as fault:
                fault.crowded = fault.timed_out and self.pace.timed_out(begun)
                if fault.sent:
                    self._books.count(abandoned=1)
                else:
                    actual = Spending(calls)
                    turn.tokens = most.tokens - prompt.max_tokens
                raise
            finally:
                self._limiter.left(turn)
                if self._books.budget is not None:
                    self._books.budget.settle(held, actual)

    async def _hold(self, most: Spending, batch: Batch) -> None:
        budget = self._books.budget
        while budget is not None and not budget.hold(most):
            # Requests under way, perhaps of other models in other threads, must be settled first.
            with batch.idle():
                await asyncio.sleep(LOOK_S)
