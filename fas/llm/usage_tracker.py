"""What local and remote models have in common: the cache, the totals, the price and the budget."""

from __future__ import annotations

import re
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

from fas.core.checks import is_whole
from fas.core.guards.reasoning import remove_reasoning
from fas.llm.budget import Budget, Spending
from fas.llm.messages import Prompt, Reply
from fas.llm.prices import Price
from fas.llm.shapes import Answered
from fas.llm.store import ReplyStore
from fas.llm.tokens import estimate_prompt_tokens

_ROLES = ("system", "user", "assistant")
# Characters with a meaning in a signature, and the percent sign, so that different names stay different.
_RESERVED = re.compile(r"[|:,\[\]%\s]")


def escape_name(name: str) -> str:
    """*name* with the characters that have a meaning in a signature percent-encoded.

    >>> escape_name("llama3.1:8b")
    'llama3.1%3A8b'
    """
    return _RESERVED.sub(lambda match: "".join(f"%{byte:02X}" for byte in match.group().encode()), name)


@dataclass(frozen=True, slots=True)
class Usage:
    """Totals since a model was made.

    Attributes:
        calls: Requests that brought a reply; what a server bills.
        cached: Prompts answered by the cache or by an equal prompt of the batch.
        failed: Prompts without a reply.
        retries: Requests sent again after a fault.
        abandoned: Requests given up without a reply after they were sent (time-out, broken
            connection); a server may bill them, and they are in no other number.
        reasoned: Replies, cached ones included, that held reasoning, which is no part of what they say.
        estimated: Calls whose tokens the server did not count, so that they were estimated.
        cost: US dollars for `calls`; None if the model has no price.
    """

    calls: int = 0
    cached: int = 0
    failed: int = 0
    retries: int = 0
    abandoned: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    reasoned: int = 0
    estimated: int = 0
    cost: float | None = 0.0

    def __add__(self, other: Usage) -> Usage:
        """The sum; its cost is unknown if either is."""
        return Usage(**_combine_fields(self, other, 1))

    def __sub__(self, other: Usage) -> Usage:
        """What was added since *other*; its cost is unknown if either is."""
        return Usage(**_combine_fields(self, other, -1))


@dataclass(frozen=True, slots=True)
class UsageEstimate:
    """What prompts would take, before any is sent.

    Attributes:
        calls: Requests that would be sent: equal prompts once, what is cached not at all.
        cached: Prompts that the cache, or an equal prompt among them, would answer.
        refused: Prompts that would fail without being sent.
        prompt_tokens: Of the calls; an estimate from the length of the texts.
        max_completion_tokens: Of the calls; an upper bound, the sum of `max_tokens`.
        cost: US dollars if every reply were as long as allowed; None if the model has no price.
    """

    calls: int = 0
    cached: int = 0
    refused: int = 0
    prompt_tokens: int = 0
    max_completion_tokens: int = 0
    cost: float | None = 0.0

    def __add__(self, other: UsageEstimate) -> UsageEstimate:
        """The sum; its cost is unknown if either is."""
        return UsageEstimate(**_combine_fields(self, other, 1))

    def __str__(self) -> str:
        """One line for people."""
        cost = "cost unknown (no price for this model)" if self.cost is None else f"at most about ${self.cost:.2f}"
        return (
            f"{self.calls} calls ({self.cached} prompts answered by the cache), about {self.prompt_tokens} tokens of "
            f"prompts (estimated from their length), at most {self.max_completion_tokens} tokens of replies; {cost}"
        )


@dataclass
class Job:
    """One request and the prompts of the batch that it answers, by their *places*; the first one pays."""

    prompt: Prompt
    key: str
    places: list[int] = field(default_factory=list)


@dataclass
class RequestPlan:
    """A batch, sorted into replies that are known (None: not yet) and jobs that must be asked."""

    replies: list[Reply | None]
    jobs: list[Job]

    def finished(self) -> list[Reply]:
        """All replies; a RuntimeError if some are missing."""
        replies = [reply for reply in self.replies if reply is not None]
        if len(replies) != len(self.replies):
            raise RuntimeError(f"{len(self.replies) - len(replies)} of {len(self.replies)} prompts were not answered")
        return replies


class TrackedModel:
    """A model with a cache of its replies, its totals, and a budget; local and remote models are its subclasses.

    Raises:
        ValueError: The budget limits money and the model has no price.
    """

    def __init__(
        self, name: str, signature: str, store: ReplyStore, *, price: Price | None, budget: Budget | None
    ) -> None:
        if budget is not None and budget.cost is not None and price is None:
            raise ValueError(
                f"a budget of money needs the price of {name!r}: put it into a table of prices "
                "(see fas/llm/prices.toml for the format) and name the file in FAS_PRICES"
            )
        self.name, self.store, self.price, self.budget = name, store, price, budget
        self.signature = signature
        """The model's name, and a hash of whatever else decides its replies."""
        self._usage = Usage(cost=None if price is None else 0.0)
        self._counting = threading.Lock()

    def usage(self) -> Usage:
        """Totals since this object was made."""
        return self._usage

    def estimate(self, prompts: Sequence[Prompt]) -> UsageEstimate:
        """What *prompts* would take; nothing is sent or counted."""
        plan = self.plan(prompts, count=False)
        tokens = sum(estimate_prompt_tokens(job.prompt) for job in plan.jobs)
        replies = sum(job.prompt.max_tokens for job in plan.jobs)
        refused = sum(reply is not None and reply.failure is not None for reply in plan.replies)
        return UsageEstimate(
            calls=len(plan.jobs),
            cached=len(prompts) - refused - len(plan.jobs),
            refused=refused,
            prompt_tokens=tokens,
            max_completion_tokens=replies,
            cost=self.price.cost(tokens, replies) if self.price is not None else None,
        )

    def plan(self, prompts: Sequence[Prompt], *, count: bool = True) -> RequestPlan:
        """The replies to *prompts* that are known, and the rest; *count* adds cached and failed ones to the totals."""
        plan = RequestPlan([None] * len(prompts), [])
        jobs: list[Job] = []
        shared: dict[str, Job] = {}
        for place, prompt in enumerate(prompts):
            fault = _find_fault(prompt)
            try:
                key = "" if fault else self.store.key(prompt)
            except (TypeError, ValueError) as error:
                fault = f"the prompt's schema or settings are not JSON: {error}"
            if fault:
                plan.replies[place] = Reply(failure=fault)
            elif self.store.shares(prompt) and key in shared:
                shared[key].places.append(place)
            else:
                jobs.append(Job(prompt, key, [place]))
                shared[key] = jobs[-1]
        found = self.store.get_many([job.key for job in jobs if self.store.keeps(job.prompt)])
        for job in jobs:
            if self.store.keeps(job.prompt) and job.key in found:
                for place in job.places:
                    plan.replies[place] = found[job.key]
            else:
                plan.jobs.append(job)
        if count:
            for reply in filter(None, plan.replies):
                self.count(cached=reply.cached, failed=bool(reply.failure), reasoned=_has_reasoning(reply))
        return plan

    def fill(self, plan: RequestPlan, job: Job, reply: Reply) -> None:
        """Give *reply* to all prompts of *job*; all but the first count as cached."""
        first, *others = job.places
        plan.replies[first] = reply
        for place in others:
            plan.replies[place] = reply if reply.failure else replace(reply, cached=True)
        n = len(job.places)
        if reply.failure:
            self.count(failed=n)
        else:
            self.count(cached=len(others) + reply.cached, reasoned=_has_reasoning(reply) * n)

    def count(self, *, cost: float | None = 0.0, **counts: int) -> None:
        """Add to the totals."""
        with self._counting:
            self._usage += Usage(cost=cost, **counts)

    def charge(self, answered: Answered) -> Spending:
        """Count a reply that was paid for; what it came to."""
        reply = answered.reply
        tokens = {"prompt_tokens": reply.prompt_tokens, "completion_tokens": reply.completion_tokens}
        cost = None
        if self.price is not None:
            cost = self.price.cost(*tokens.values(), cached_prompt_tokens=answered.cached_prompt_tokens)
        self.count(calls=1, cost=cost, estimated=int(answered.estimated), **tokens)
        return Spending(0, sum(tokens.values()), cost or 0.0)

    def most(self, prompt: Prompt, prompt_tokens: int | None = None) -> Spending:
        """The most that *prompt* is expected to use, one call included; its tokens are estimated unless given."""
        tokens = estimate_prompt_tokens(prompt) if prompt_tokens is None else prompt_tokens
        cost = self.price.cost(tokens, prompt.max_tokens) if self.price is not None else 0.0
        return Spending(1, tokens + prompt.max_tokens, cost)


def _combine_fields(one: Any, other: Any, sign: int) -> dict[str, Any]:
    """Each field of *one* plus *sign* times that of *other*; None where either is."""
    both = {field.name: (getattr(one, field.name), getattr(other, field.name)) for field in fields(one)}
    return {name: None if None in pair else pair[0] + sign * pair[1] for name, pair in both.items()}


def _has_reasoning(reply: Reply) -> bool:
    return remove_reasoning(reply.text).text != reply.text


def _find_fault(prompt: Prompt) -> str | None:
    """Why *prompt* cannot be sent to any model, or None."""
    if not prompt.messages:
        return "the prompt has no message"
    if not is_whole(prompt.max_tokens) or prompt.max_tokens < 1:
        return f"`max_tokens` must be a whole number of at least 1, got {prompt.max_tokens!r}"
    if isinstance(prompt.temperature, bool) or not 0 <= prompt.temperature < float("inf"):
        return f"`temperature` must be a number of at least 0, got {prompt.temperature!r}"
    if prompt.sample is not None and (isinstance(prompt.sample, bool) or not isinstance(prompt.sample, int)):
        return f"`sample` must be a whole number or None, got {prompt.sample!r}"
    for message in prompt.messages:
        if message.role not in _ROLES:
            return f"a message's role must be one of {', '.join(_ROLES)}, got {message.role!r}"
        try:
            message.content.encode()
        except UnicodeEncodeError:
            return "the prompt holds an unpaired surrogate, which cannot be sent"
    return None
