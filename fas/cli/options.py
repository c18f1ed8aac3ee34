"""The values of options and their types, what several commands make of them, and the ways in which commands print."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import click

from fas.core.profile import Profile, parse_weights

if TYPE_CHECKING:
    from fas.core.answers.sources import AnswerSource

_PROFILE_NAMES = """profile evidence include_retracted rerank dense queries k threshold weights precision safety
coverage n_resamples seed claims verify detect model verify_model decontextualise_model base_url max_cost
max_calls""".split()
DRAWS = ("n_resamples", "level", "seed")
NOTHING_SCORED = "no answer could be scored, because of errors; see `error` and `failure` in scores.jsonl"


class Options(SimpleNamespace):
    """The values of a command's parameters."""

    def pick(self, *names: str) -> dict[str, Any]:
        """The values of these names."""
        return {name: getattr(self, name) for name in names}

    def given(self, *names: str) -> dict[str, Any]:
        """The values of these names that the user gave."""
        return {name: value for name, value in self.pick(*names).items() if value is not None}


class Value(click.ParamType[Any]):
    """The value that *read* makes of a text; the user sees its ValueError."""

    name = "text"

    def __init__(self, read: Callable[[str], Any]) -> None:
        self._read = read

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """As click asks."""
        try:
            return self._read(value)
        except ValueError as error:
            self.fail(str(error), param, ctx)


def _read_columns(text: str) -> dict[str, str]:
    from fas.core.answers.columns import ColumnMapping, parse_columns

    return ColumnMapping(parse_columns(text)).names


def _read_limits(text: str) -> dict[str, float]:
    from fas.scoring.limits import parse_limits

    return parse_limits(text)


def _read_shard(text: str) -> Any:
    from fas.pipeline.runs.shards import Shard

    return Shard.parse(text)


def _read_names(text: str) -> tuple[str, ...]:
    if not (found := tuple(part.strip() for part in text.split(",") if part.strip())):
        raise ValueError(f"{text!r}: expected names with commas between")
    return found


def _read_shares(text: str) -> tuple[float, ...]:
    shares = tuple(float(part) for part in (text or "0,0.25,0.5,0.75,1").split(","))
    if not all(0.0 <= share <= 1.0 for share in shares):
        raise ValueError(f"{text!r}: shares lie in [0, 1]")
    return shares


def _read_pair(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not (name.strip() and equals):
        raise ValueError(f"expected NAME=VALUE, got {text!r}")
    return name.strip(), value


def _read_member_weights(text: str) -> str | dict[str, float]:
    """`run`, `family`, or the weight of each name."""
    try:
        return {name: float(weight) for name, weight in map(_read_pair, text.split(","))} if "=" in text else text
    except ValueError as error:
        raise ValueError(f"expected run, family or NAME=WEIGHT with commas between: {error}") from error


TYPES: dict[str, click.ParamType[Any]] = {
    **dict.fromkeys(("N", "BYTES", "MB"), click.INT),
    **dict.fromkeys(("X", "USD", "SECONDS"), click.FLOAT),
    **dict.fromkeys(("FILE", "DIR", "FILE|DIR"), click.Path(path_type=Path)),
    **dict.fromkeys(("FIELD=VALUE", "NAME=FILE"), Value(_read_pair)),
    "FIELD=COLUMN": Value(_read_columns),
    "NAME=X": Value(_read_limits),
    "I/N": Value(_read_shard),
    "A,B": Value(_read_names),
    "X,X": Value(_read_shares),
    "B,S,C": Value(parse_weights),
    "WEIGHTS": Value(_read_member_weights),
}


def refuse_network() -> None:
    """Keep libraries that are imported later from opening a socket."""
    names = ("HF_HUB_OFFLINE", "HF_DATASETS_OFFLINE", "HF_EVALUATE_OFFLINE", "TRANSFORMERS_OFFLINE")
    os.environ.update(dict.fromkeys(names, "1"))


def open_answers(o: Options) -> AnswerSource:
    """The answers at the path or URL that the options name, or on standard input."""
    from fas.core.answers.sources import locate_source, read_stdin_source

    if str(o.answers) == "-":
        return read_stdin_source(o.columns or {})
    return locate_source(o.answers, o.columns or {}, offline=getattr(o, "offline", False))


def build_profile(o: Options) -> Profile:
    """The profile that the options name, with their settings in place of its own."""
    from fas.llm.parts import build_profile

    given = {name: getattr(o, name) for name in _PROFILE_NAMES if hasattr(o, name)}
    if getattr(o, "thresholds", None) is not None:
        from fas.labels.thresholds import read_thresholds

        given |= read_thresholds(o.thresholds)
    return build_profile(**given)


def read_statistics(o: Options) -> dict[str, Any]:
    """The values of the statistics; without --metric every metric is meant."""
    return {"metrics": o.metrics or None, **o.pick("cluster_by", *DRAWS)}


def read_model(o: Options) -> dict[str, Any]:
    """The language model that the options name, with its endpoint and budget; empty if they name none."""
    given = o.given("base_url", "max_cost", "max_calls")
    if o.model is None and given:
        raise ValueError(f"--{next(iter(given)).replace('_', '-')} goes with --model")
    return {"name": o.model, **given} if o.model is not None else {}


def require_out(o: Options) -> None:
    """Refuse a command without `-o`, which it can do without only under `--dry-run`."""
    if o.out is None:
        raise click.UsageError("missing: -o or --out (or --dry-run)", click.get_current_context())


def print_note(line: str) -> None:
    """Print *line* on standard error, as a message of ours."""
    click.echo(f"fas: {line}", err=True)


def print_result(result: Any, o: Options) -> None:
    """Print *result* on stdout: as JSON if `--json` was given, or if it has no text."""
    if isinstance(result, dict | list):
        print(json.dumps(result, indent=2, ensure_ascii=False, allow_nan=False))
    elif o.json:
        print_result(result.as_dict(), o)
    else:
        print(result.as_text())
