"""A run that sends nothing and estimates its requests."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from fas.llm.messages import Prompt, Reply
from fas.llm.usage_tracker import UsageEstimate

if TYPE_CHECKING:
    from fas.llm.local import LocalModel
    from fas.llm.remote import RemoteModel

NOT_SENT = "dry run: not sent"


class DryRun:
    """Records what models would be asked.

    What is in the cache is answered from it, so that a dry run after an interruption says what
    is left. Everything else fails as not sent, unless *reply* makes something up for it; so what
    depends on replies (the verification of claims that a model would have to find first) is
    counted only as far as made-up replies lead there.
    """

    def __init__(self, reply: Callable[[Prompt], Reply] | None = None) -> None:
        self.reply = reply or (lambda prompt: Reply(failure=NOT_SENT))
        self._models: dict[int, RecordingModel] = {}

    def model(self, model: RemoteModel | LocalModel) -> RecordingModel:
        """The recorder that replaces *model*; one for each model."""
        return self._models.setdefault(id(model), RecordingModel(model, self))

    def estimates(self) -> dict[str, UsageEstimate]:
        """What each model would take, by signature."""
        totals: dict[str, UsageEstimate] = {}
        for model in self._models.values():
            known = totals.get(model.signature)
            totals[model.signature] = model.recorded if known is None else known + model.recorded
        return totals

    def total(self) -> UsageEstimate:
        """What all of them would take; the cost is unknown if any model has no price."""
        return sum(self.estimates().values(), start=UsageEstimate())

    def __str__(self) -> str:
        """For people: one line a model."""
        lines = [f"{name}: {estimate}" for name, estimate in self.estimates().items()]
        return "\n".join(lines) or "no language model would be called"


class RecordingModel:
    """A `ChatModel` that counts and does not ask; see `DryRun`."""

    def __init__(self, model: RemoteModel | LocalModel, dry_run: DryRun) -> None:
        self.model = model
        self.signature = model.signature
        self.recorded = UsageEstimate(cost=0.0 if model.price is not None else None)
        self._dry_run = dry_run
        self._asked: set[str] = set()
        self._lock = threading.Lock()

    def complete(self, prompts: Sequence[Prompt]) -> list[Reply]:
        """What the cache has; for the rest, what the dry run makes up."""
        plan = self.model.plan(prompts, count=False)
        with self._lock:
            # A prompt that an earlier batch would have asked would be in the cache by now.
            keeps = self.model.store.keeps
            new = [job for job in plan.jobs if job.key not in self._asked]
            self._asked.update(job.key for job in new if keeps(job.prompt))
            own = self.model.estimate([job.prompt for job in new])
            refused = sum(reply is not None and reply.failure is not None for reply in plan.replies)
            known = UsageEstimate(cached=len(prompts) - refused - len(new), refused=refused)
            self.recorded = self.recorded + own + known
        for job in plan.jobs:
            for place in job.places:
                plan.replies[place] = self._dry_run.reply(job.prompt)
        return plan.finished()

    def gives_logprobs(self, *, ask: bool = True) -> bool | None:
        """As far as the cache knows; None where it does not."""
        del ask
        return self.model.gives_logprobs(ask=False) if hasattr(self.model, "gives_logprobs") else False

    def estimate(self, prompts: Sequence[Prompt]) -> UsageEstimate:
        """What *prompts* would take."""
        return self.model.estimate(prompts)
