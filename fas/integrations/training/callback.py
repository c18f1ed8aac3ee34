"""A callback for `transformers.Trainer`: answers to held-out questions, scored during the training."""

from __future__ import annotations

import logging
import math
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, wait
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

from transformers import TrainerCallback

from fas.core.checks import whole_number
from fas.core.files.plain import json_lines
from fas.integrations.training.answering import Prompt, generate_answers, means

if TYPE_CHECKING:
    from fas.integrations.training.reward import FasReward
    from fas.pipeline.runs.scorer import Scorer

_log = logging.getLogger(__name__)

Scores = dict[str, float]


class FasCallback(TrainerCallback):  # type: ignore[misc]  # transformers is not read by mypy here
    """Answers held-out questions every *every* steps or at each evaluation, and logs `eval_fas` and its parts.

    The model in training answers, a thread scores, and the callback logs finished values in order, with their step in
    `eval_fas_step`; the end of the training waits for the last ones. If one of the values chooses the best model
    (`metric_for_best_model="fas"`, evaluation at each save), the evaluation waits for them, as does one outside a
    training. A failed scoring is a warning and a gap. In a distributed run only the first process scores, and
    sends the others the values that choose the best model. A sharded model (FSDP, ZeRO-3) cannot answer in one process.

        FasCallback("heldout.jsonl").attach(trainer)

    Without `attach` (`callbacks=[...]`) the values reach `state.log_history` and `metrics`, but no reporter.

    Args:
        data: A file in the input format, or rows as dicts: `question`, and `references` and `passages` if there are.
        every: Steps between two rounds; None for one at each evaluation.
        profile: As for `fas.Scorer`.
        evidence: As for `fas.Scorer`.
        prompt: Makes the model's input of a row; see `fas.integrations.training.answering.generate_answers`.
        batch_size: Questions at a time.
        generate: Settings of `model.generate`.
        background: Score in a thread; False scores before the training goes on.
        reward: Log the mean of its rewards, too, as `eval_fas_reward`. `eval_fas` leaves out answers without a score,
            so that a model that refuses what is hard looks better, and it knows nothing of what is left unsaid.
        **overrides: Settings of the profile.

    Raises:
        ValueError: There are no rows, a row has no question, or a setting is impossible.
    """

    def __init__(
        self,
        data: str | Path | Sequence[Mapping[str, Any]],
        *,
        every: int | None = None,
        profile: Any = "mini",
        evidence: str | None = None,
        prompt: Prompt | None = None,
        batch_size: int = 8,
        generate: Mapping[str, Any] | None = None,
        background: bool = True,
        reward: FasReward | None = None,
        **overrides: Any,
    ) -> None:
        from fas.pipeline.runs.scorer import Scorer

        if every is not None:
            whole_number("every", every)
        self._rows = _rows(data)
        self._every = every
        self._reward = reward
        looked = {} if reward is None else {"coverage": True}
        self._scorer: Scorer = Scorer(profile, evidence=evidence, **{**looked, **overrides})
        self._generation = {"prompt": prompt, "batch_size": batch_size, **(generate or {})}
        self._background = background
        self._waiting: deque[tuple[int, Future[Scores]]] = deque()
        self._trainer: Any = None
        self._training = False

    def attach(self, trainer: Any) -> FasCallback:
        """Add the callback to *trainer*, and log to whatever it reports to; returns the callback."""
        self._trainer = trainer
        trainer.add_callback(self)
        return self

    def on_train_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Note that a training runs, which need not wait for scores."""
        self._training = True

    def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Begin a due round, and log finished ones."""
        if self._every is not None and state.is_world_process_zero and state.global_step % self._every == 0:
            self._begin(state.global_step, kwargs)
        while self._waiting and self._waiting[0][1].done():
            self._log_next(state)

    def on_evaluate(self, args: Any, state: Any, control: Any, metrics: Scores, **kwargs: Any) -> None:
        """Score at an evaluation; at once if one of the values chooses the best model, or without a training."""
        if self._every is None and state.is_world_process_zero:
            self._begin(state.global_step, kwargs)
        decides = _decides(args.metric_for_best_model)
        if decides or not self._training:
            found: Scores = {}
            while self._waiting:
                found = self._log_next(state)
            metrics.update(_of_first_process(found) if decides else found)
        if decides:  # NaN is never best; without the name the Trainer ends the training
            metrics.setdefault(f"eval_{args.metric_for_best_model.removeprefix('eval_')}", math.nan)

    def on_train_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Wait for unfinished scores."""
        self._training = False
        while self._waiting:
            self._log_next(state)

    def _begin(self, step: int, kwargs: Mapping[str, Any]) -> None:
        try:
            tokenizer = kwargs.get("processing_class") or kwargs["tokenizer"]
            answers = generate_answers(kwargs["model"], tokenizer, self._rows, **self._generation)
        except Exception as error:
            _log.warning("step %d: no answers could be generated, so none are scored: %s", step, error)
            return
        rows = [{**row, "prediction": answer} for row, answer in zip(self._rows, answers, strict=True)]
        if self._background:
            future = _in_thread(lambda: self._score(rows), behind=self._waiting[-1][1] if self._waiting else None)
        else:
            future = Future()
            _settle_future(future, lambda: self._score(rows))
        self._waiting.append((step, future))

    def _score(self, rows: Sequence[Mapping[str, Any]]) -> Scores:
        report = self._scorer.score(rows)
        values = means(report, "eval_")
        if self._reward is not None:
            earned = [value for value in map(self._reward.rate, report.answers) if value is not None]
            values["eval_fas_reward"] = sum(earned) / len(earned) if earned else math.nan
        return _prefix_names(values)

    def _log_next(self, state: Any) -> Scores:
        """Wait for the oldest round and log it, unless it failed."""
        step, future = self._waiting.popleft()
        try:
            values = {**future.result(), "eval_fas_step": float(step)}
        except Exception as error:
            _log.warning("step %d: the answers could not be scored: %s: %s", step, type(error).__name__, error)
            return {}
        if self._trainer is not None:
            self._trainer.log(dict(values))
        else:
            state.log_history.append({**values, "step": state.global_step})
        return values


def _in_thread(work: Callable[[], Scores], behind: Future[Scores] | None) -> Future[Scores]:
    """*work* in a new thread, begun when *behind* is done.

    A lasting thread would keep its OpenMP threads; with more of those than processors, OpenMP lets all of them sleep
    between two products, and a training on the processor takes twice as long.
    """
    future: Future[Scores] = Future()

    def run() -> None:
        if behind is not None:
            wait([behind])
        _settle_future(future, work)

    Thread(target=run, name="fas-callback").start()
    return future


def _settle_future(future: Future[Scores], work: Callable[[], Scores]) -> None:
    try:
        future.set_result(work())
    except Exception as error:
        future.set_exception(error)


def _prefix_names(values: Mapping[str, float]) -> Scores:
    """Every name begins with `eval_fas`, so that it differs from those of the Trainer."""
    return {
        name if name.startswith("eval_fas") else f"eval_fas_{name.removeprefix('eval_')}": v
        for name, v in values.items()
    }


def _of_first_process(values: Scores) -> Scores:
    """The values of the first process, in each: all must choose the same best model, or they wait for each other."""
    from torch import distributed

    if not (distributed.is_available() and distributed.is_initialized()):
        return values
    held: list[Scores] = [values]
    distributed.broadcast_object_list(held, src=0)
    return held[0]


def _decides(metric: str | None) -> bool:
    return metric is not None and metric.removeprefix("eval_").partition("_")[0] == "fas"


def _rows(data: str | Path | Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    if isinstance(data, str | Path):
        data = [row for _, row in json_lines(Path(data))]
    rows: list[Mapping[str, Any]] = [{key: value for key, value in row.items() if key != "prediction"} for row in data]
    if not rows:
        raise ValueError("no held-out rows to answer")
    for number, row in enumerate(rows, 1):
        if not isinstance(row.get("question"), str) or not row["question"].strip():
            raise ValueError(f"held-out row {number} has no question")
    return rows
