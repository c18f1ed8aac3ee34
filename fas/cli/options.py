"""Options that several commands share, each declared once, and the ways in which commands print."""

from __future__ import annotations

import json
import os
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Protocol

import click

from fas.cli.base import Decorator, argument, collect, option, section, several
from fas.core.profile import PRECISIONS, Profile, parse_weights
from fas.core.records.evidence_source import EVIDENCE_CHOICES

if TYPE_CHECKING:
    from fas.core.answers.sources import AnswerSource
    from fas.core.records import Report

NOTHING_SCORED = "no answer could be scored, because of errors; see `error` and `failure` in scores.jsonl"
ANSWERS = "answers: .jsonl, .json, .csv, .tsv (also .gz) or .parquet, a folder or a URL; - reads JSON Lines from stdin"


def _go_offline(_ctx: click.Context, _param: click.Parameter, value: bool) -> bool:
    """Keep the libraries underneath from opening a socket; happens before they are imported."""
    if value:
        names = ("HF_HUB_OFFLINE", "HF_DATASETS_OFFLINE", "HF_EVALUATE_OFFLINE", "TRANSFORMERS_OFFLINE")
        os.environ.update(dict.fromkeys(names, "1"))
    return value


def _columns(text: str) -> dict[str, str]:
    from fas.core.answers.columns import ColumnMapping, parse_columns

    return ColumnMapping(parse_columns(text)).names


def as_json(text: str = "print JSON instead of text") -> Decorator:
    """`--json`."""
    return option("--json", text)


def out(text: str, metavar: str = "DIR", *, required: bool = False) -> Decorator:
    """`-o`."""
    return option(f"-o --out {metavar}", text, required=required)


offline = option("--offline", "refuse to open any socket", is_eager=True, callback=_go_offline)
dry_run = option("--dry-run", "send and write nothing; print how many calls and tokens the run takes")
on_error = option(
    "--on-error stop|record", "a bad line stops the run before it starts, or becomes an error record", "stop"
)
by = option("--by FIELD...", "also report by this field of the answers; may be repeated")
strict = option("--strict", "exit 1 if any answer failed")
overwrite = option("--overwrite", "delete an earlier run's results in DIR")
progress = several(
    option("-q --quiet", "show no progress"), option("-v --verbose", "show progress line by line, with every step")
)
column_map = option(
    "--map FIELD=COLUMN",
    "read fields from columns of other names, e.g. prediction=response,references=gold",
    {},
    read=_columns,
    name="columns",
)
answers = several(argument("answers", "FILE", ANSWERS), column_map)
result_folder = argument("folder", "DIR", "result folder, or its scores.jsonl")
seed = option("--seed N", "seed of the draws", 12345)
_draws = (
    option("--n-resamples N", "bootstrap draws", 10_000),
    option("--level X", "confidence level", 0.95),
    option("--seed N", "seed of the draws", 12345),
)
draws = collect("draws", dict, section("statistics", *_draws))
statistics = collect(
    "statistics",
    lambda metric, **given: {"metrics": list(metric) or None, **given},
    section(
        "statistics",
        option("--metric NAME...", "only this metric; may be repeated"),
        option("--cluster-by FIELD", "answers with the same value form one cluster; none: no clusters", "question"),
        *_draws,
    ),
)
join = option(
    "--join question|id",
    "question: answers of one id must reply to the same question with the same references; id: need not",
    "question",
    name="join_by",
)


def open_answers(o: SimpleNamespace) -> AnswerSource:
    """The answers at the path or URL that the options name, or on standard input."""
    from fas.core.answers.places import locate_source, read_stdin_source

    if str(o.answers) == "-":
        return read_stdin_source(o.columns)
    return locate_source(o.answers, o.columns, offline=getattr(o, "offline", False))


def require_out(o: SimpleNamespace) -> None:
    """Refuse a command without `-o`, which it can do without only under `--dry-run`."""
    if o.out is None:
        raise click.UsageError("missing: -o or --out (or --dry-run)", click.get_current_context())


def pick(o: SimpleNamespace, *names: str) -> dict[str, Any]:
    """The options of these names, as keywords."""
    return {name: getattr(o, name) for name in names}


def print_note(line: str) -> None:
    """*line* on standard error, as a message of ours."""
    click.echo(f"fas: {line}", err=True)


def print_reasoning(n: int) -> None:
    """Say on stderr that reasoning was left out of *n* answers, if it was."""
    if n:
        from fas.pipeline.runs.notes import reasoning_note

        print_note(reasoning_note(n))


class Result(Protocol):
    """What a command prints."""

    def as_dict(self) -> dict[str, Any]:
        """For programs."""
        ...

    def as_text(self) -> str:
        """For people."""
        ...


def print_result(result: Result, o: SimpleNamespace) -> None:
    """Print *result* on stdout, as JSON with `--json`."""
    if o.json:
        print_json(result.as_dict())
    else:
        print(result.as_text())


def print_report(report: Report, o: SimpleNamespace) -> None:
    """Print a run's report on stdout, and where its page is."""
    from fas.report.text import render_table

    if o.json:
        print_json(report.as_dict())
    else:
        print(f"{render_table(report)}\n\nreport: {o.out / 'report.html'}")


def print_json(value: Any) -> None:
    """*value* on stdout as JSON."""
    print(json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False))


def _build_profile(thresholds: Path | None = None, **given: Any) -> Profile:
    """The profile that the options name, with their settings in place of its own."""
    from fas.llm.parts import build_profile

    if thresholds is None:
        return build_profile(**given)
    from fas.labels.thresholds import read_thresholds

    return build_profile(**{**given, **read_thresholds(thresholds)})


_MODEL = "NAME at the endpoint, or transformers:FOLDER"
_budget = (
    option("--base-url URL", "OpenAI-compatible endpoint up to /v1; else OPENAI_BASE_URL, OpenAI"),
    option("--max-cost USD", "stop before this run has cost more"),
    option("--max-calls N", "stop before this run has made more calls"),
)
_evidence = option("--evidence SOURCE", EVIDENCE_CHOICES)
_extractor = option("--claims NAME", "another claim extractor, with its defaults (fas models parts)")
_decontextualise = option(
    "--decontextualise-model NAME", "language model that rewrites sentences or claims, where the extractor does"
)


def _profile(default: str = "mini") -> Decorator:
    return option("--profile NAME|FILE", "profile (fas models profiles), or a TOML file", default)


profile = collect(
    "profile",
    _build_profile,
    section(
        "settings (each overrides the profile)",
        _profile(),
        _evidence,
        option("--include-retracted", "keep retracted papers in the evidence, marked (index, entrez)"),
        option("--rerank NAME", "rerank what BM25 found: none, encoder (slower, better), or colbert:MODEL"),
        option("--dense NAME", "search an index by vectors, too (fas index embed); joined with BM25"),
        option("--queries N", "let a language model write N queries a claim (0: the claim is the query)"),
        option("-k N", "passages per claim"),
        option("--threshold X", "lowest probability that counts as support, in [0.5, 1)"),
        option("--thresholds FILE", "thresholds of support and contradiction from `fas labels thresholds`"),
        option("--weights B,S,C", "weights of BERTScore, support and no contradiction; sum to 1", read=parse_weights),
        option(f"--precision {'|'.join(PRECISIONS)}", "number format of the models; fp32 is the reference"),
        option("--safety/--no-safety", "raise safety flags"),
        option("--coverage/--no-coverage", "measure how much of the references (or given `statements`) answers cover"),
        option("--n-resamples N", "bootstrap draws"),
        option("--seed N", "random seed"),
    ),
    section(
        "parts and their language models (each overrides the profile)",
        _extractor,
        option("--verify NAME", "another verifier, with its defaults (fas models parts)"),
        option("--model NAME", f"language model of the extractor and the verifier: {_MODEL}"),
        option("--verify-model NAME", "language model of the verifier alone"),
        _decontextualise,
        *_budget,
    ),
)
extractor_profile = collect(
    "profile",
    _build_profile,
    section(
        "extractor and its language model",
        *(_profile(), _extractor, option("--model NAME", f"language model of the extractor: {_MODEL}")),
        *(_decontextualise, *_budget),
    ),
)
detector_profile = collect(
    "profile",
    _build_profile,
    section(
        "settings (each overrides the profile)",
        _profile("judge"),
        option("--detector NAME", "another detector (fas models parts)", name="detect"),
        *(
            _evidence,
            option("-k N", "passages a search"),
            option("--model NAME", f"language model: {_MODEL}"),
            *_budget,
        ),
    ),
)


def model_of(asking: str) -> Decorator:
    """The language model of *asking*, its endpoint and a budget, as the value `models`."""
    return collect(
        "models", dict, section("language model", option("--model NAME", f"language model of {asking}"), *_budget)
    )
