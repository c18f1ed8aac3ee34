"""Options that several commands share."""

from __future__ import annotations

import argparse
import io
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from fas.profile import PRECISIONS, Profile, Weights, load_profile
from fas.records.evidence_source import EVIDENCE_CHOICES

NOTHING_SCORED = "no answer could be scored, because of errors; see `error` and `failure` in scores.jsonl"

if TYPE_CHECKING:
    from fas.answers.sources import AnswerSource
    from fas.findings.evaluate import Options
    from fas.findings.gold import Gold


_ANSWERS = "answers as .jsonl, .json, .csv, .tsv (also .gz) or .parquet, or a folder or URL; - is JSON Lines on stdin"


def add_answers(parser: argparse.ArgumentParser) -> None:
    """The file of answers and the names of its columns; read by `answers_from_options`."""
    parser.add_argument("answers", type=Path, metavar="FILE", help=_ANSWERS)
    add_map(parser)


def add_map(parser: argparse.ArgumentParser) -> None:
    """`--map` alone, for commands with a way of their own to name the answers."""
    parser.add_argument(
        "--map",
        type=_columns,
        default={},
        metavar="FIELD=COLUMN,...",
        help="read fields from columns of other names, e.g. prediction=response,references=gold",
    )


def answers_from_options(options: argparse.Namespace) -> AnswerSource:
    """The answers that the options name; those on stdin are kept in a file as long as the result lives."""
    from fas.answers.sources import AnswerSource

    if str(options.answers) != "-":
        from fas.answers.places import source_at

        return source_at(options.answers, options.map, offline=getattr(options, "offline", False))
    from tempfile import TemporaryDirectory

    folder = TemporaryDirectory(prefix="fas-")
    path = Path(folder.name) / "stdin.jsonl"
    with path.open("wb") as out:
        out.writelines(stdin_lines())
    return AnswerSource(path, "stdin", options.map, keeps=folder)


def tell_reasoning(n: int) -> None:
    """Say on stderr that reasoning was left out of *n* answers, if it was."""
    if n:
        from fas.runs.notes import reasoning_note

        print(f"fas: {reasoning_note(n)}", file=sys.stderr)


def stdin_lines() -> Iterator[bytes]:
    """The lines of standard input, whatever the locale, as UTF-8; bytes that are not spoil their own line only."""
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(encoding="utf-8", errors="surrogateescape")
    for line in sys.stdin:
        yield line.encode("utf-8", "surrogateescape")


def _columns(text: str) -> dict[str, str]:
    from fas.answers.columns import Columns, parse_columns

    try:
        return Columns(parse_columns(text)).names
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def add_profile_options(parser: argparse.ArgumentParser) -> None:
    """`--profile` and the settings that override it."""
    group = parser.add_argument_group("settings (each overrides the profile)")
    group.add_argument(
        "--profile", default="mini", metavar="NAME|FILE", help="mini (default), paper, medscore, ..., or a TOML file"
    )
    group.add_argument("--evidence", metavar="SOURCE", help=EVIDENCE_CHOICES)
    group.add_argument(
        "--include-retracted", action="store_true", help="keep retracted papers in the evidence, marked (index, entrez)"
    )
    group.add_argument(
        "--rerank", choices=("none", "encoder"), help="let the embedded encoder rerank what BM25 found; slower, better"
    )
    group.add_argument(
        "--dense",
        metavar="NAME",
        help="search an index by vectors, too (fas index embed): encoder, a hub name or a folder; joined with BM25",
    )
    group.add_argument(
        "--queries",
        type=int,
        metavar="N",
        help="let a language model write N queries a claim (0: the claim is the query)",
    )
    group.add_argument("-k", type=int, dest="k", metavar="N", help="passages per claim")
    group.add_argument("--threshold", type=float, metavar="T", help="probability that counts, in [0.5, 1)")
    group.add_argument(
        "--thresholds", type=Path, metavar="FILE", help="thresholds of support and contradiction from `fas thresholds`"
    )
    group.add_argument(
        "--weights", type=_weights, metavar="B,S,C", help="weights of BERTScore, support and no contradiction; sum to 1"
    )
    group.add_argument("--precision", choices=PRECISIONS, help="number format of the models; fp32 is the reference")
    group.add_argument("--no-safety", action="store_const", const=False, dest="safety", help="raise no safety flags")
    group.add_argument(
        "--coverage",
        action="store_const",
        const=True,
        help="also look for what the references (or given `statements`) say: coverage, omitted, denied, fas_f1",
    )
    group.add_argument("--n-resamples", type=int, metavar="N", help="bootstrap draws")
    group.add_argument("--seed", type=int, metavar="N", help="seed of everything random")


def add_part_options(parser: argparse.ArgumentParser, *, verifier: bool = True) -> None:
    """Other parts than the profile's, and the language models they ask; *verifier*: the command verifies."""
    group = parser.add_argument_group("parts and their language models (each overrides the profile)")
    asking = "the extractor and the verifier" if verifier else "the extractor"
    group.add_argument(
        "--claims",
        dest="part_claims",
        metavar="NAME",
        help="another claim extractor, with its own defaults (fas parts)",
    )
    if verifier:
        group.add_argument(
            "--verify", dest="part_verify", metavar="NAME", help="another verifier, with its own defaults (fas parts)"
        )
    group.add_argument(
        "--model",
        dest="part_model",
        metavar="NAME",
        help=f"language model of {asking}: NAME at the endpoint, or transformers:FOLDER",
    )
    if verifier:
        group.add_argument(
            "--verify-model", dest="part_verify_model", metavar="NAME", help="language model of the verifier alone"
        )
    group.add_argument(
        "--decontextualise-model",
        dest="part_decontextualise_model",
        metavar="NAME",
        help="language model that rewrites sentences or claims, where the extractor does (decontextualise)",
    )
    _add_budget_options(group)


def add_model_options(parser: argparse.ArgumentParser, asking: str) -> None:
    """The language model of *asking*, its endpoint and a budget; read by `with_models_of`."""
    group = parser.add_argument_group("language model")
    group.add_argument("--model", dest="part_model", metavar="NAME", help=f"language model of {asking}, if it asks one")
    _add_budget_options(group)


def with_models_of(options: argparse.Namespace, profile: Profile) -> Profile:
    """*profile* with the models and the budget that the options name."""
    given = {name: getattr(options, f"part_{name}") for name in ("model", "base_url", "max_cost", "max_calls")}
    if all(value is None for value in given.values()):
        return profile
    from fas.parts.language_models import with_parts

    return with_parts(profile, **given)


def _add_budget_options(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--base-url",
        dest="part_base_url",
        metavar="URL",
        help="OpenAI-compatible endpoint up to /v1; default OPENAI_BASE_URL, then OpenAI's own",
    )
    group.add_argument(
        "--max-cost", dest="part_max_cost", type=float, metavar="USD", help="stop before this run has cost more"
    )
    group.add_argument(
        "--max-calls", dest="part_max_calls", type=int, metavar="N", help="stop before this run has made more calls"
    )


def profile_from(options: argparse.Namespace) -> Profile:
    """The profile that the options name, with their overrides."""
    names = ("evidence", "k", "threshold", "weights", "precision", "safety", "coverage", "n_resamples", "seed")
    overrides: dict[str, Any] = {name: getattr(options, name, None) for name in names}
    if getattr(options, "thresholds", None) is not None:
        overrides |= _thresholds(options.thresholds)
    profile = load_profile(options.profile).override(**overrides)
    evidence_options = dict(profile.evidence_options)
    if getattr(options, "include_retracted", False):
        evidence_options["include_retracted"] = True
    if getattr(options, "rerank", None):
        evidence_options["rerank"] = options.rerank
    if getattr(options, "dense", None):
        evidence_options["dense"] = options.dense
    if getattr(options, "queries", None) is not None:
        ask = evidence_options.get("ask")
        evidence_options["ask"] = {**(ask if isinstance(ask, dict) else {}), "queries": options.queries}
    profile = profile.override(evidence_options=evidence_options)
    parts = ("claims", "verify", "detect", "model", "verify_model", "decontextualise_model", "base_url", "max_cost")
    others = {name: getattr(options, f"part_{name}", None) for name in (*parts, "max_calls")}
    if any(value is not None for value in others.values()):
        from fas.parts.language_models import check_model_is_asked, with_parts

        profile = with_parts(profile, **others)
        if others["model"] is not None:
            check_model_is_asked(profile)
    return profile


def _thresholds(path: Path) -> dict[str, float]:
    """The settings that a file of `fas thresholds` names.

    Raises:
        InputError: It cannot be read, or names no threshold because there were too few labels.
    """
    from fas.errors import InputError
    from fas.files.plain import parse_json

    try:
        found = parse_json(path.read_bytes())
        values = {name: found[name] for name in ("support", "contradiction")}
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise InputError(f"{path}: not what `fas thresholds` writes: {error}", kind="json") from error
    for name, value in values.items():
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise InputError(
                f"{path}: field {name!r}: there is no threshold, the labels did not allow the promise; label "
                "more claims, promise less, or write the threshold that is to hold into the file",
                kind="type",
                field=name,
            )
    return {"threshold": float(values["support"]), "threshold_contradiction": float(values["contradiction"])}


class Result(Protocol):
    """What a command prints."""

    def as_dict(self) -> dict[str, Any]:
        """For programs."""
        ...

    def as_text(self) -> str:
        """For people."""
        ...


def add_statistics_options(parser: argparse.ArgumentParser) -> None:
    """Options of the commands that put scores side by side; read by `statistics_from`."""
    parser.add_argument("--metric", action="append", metavar="NAME", help="only this metric; may be repeated")
    parser.add_argument(
        "--cluster-by",
        default="question",
        metavar="FIELD",
        help="answers with the same 'question' (default) or field of the input are one unit; none: every answer is",
    )
    parser.add_argument("--n-resamples", type=int, default=10_000, metavar="N", help="bootstrap draws (10000)")
    parser.add_argument("--level", type=float, default=0.95, metavar="L", help="confidence level (0.95)")
    parser.add_argument("--seed", type=int, default=12345, metavar="N", help="seed of the draws (12345)")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")


def statistics_from(options: argparse.Namespace) -> dict[str, Any]:
    """Those options as keywords."""
    names = ("cluster_by", "n_resamples", "level", "seed")
    return {"metrics": options.metric, **{name: getattr(options, name) for name in names}}


def print_result(result: Result, *, as_json: bool) -> None:
    """Print *result* on stdout."""
    if as_json:
        print(json.dumps(result.as_dict(), indent=2, ensure_ascii=False, allow_nan=False))
    else:
        print(result.as_text())


def go_offline() -> None:
    """Keep the libraries underneath from opening a socket; call before they are imported."""
    os.environ.update(HF_HUB_OFFLINE="1", HF_DATASETS_OFFLINE="1", HF_EVALUATE_OFFLINE="1", TRANSFORMERS_OFFLINE="1")


def _weights(text: str) -> Weights:
    try:
        parts = [float(part) for part in text.split(",")]
        if len(parts) != 3:
            raise ValueError(f"expected three numbers, got {len(parts)}")
        return Weights(*parts)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r}: {error}") from error


def add_gold_options(parser: argparse.ArgumentParser, *, required: bool) -> None:
    """`--gold` and how a measurement against it is made; read by `gold_from`."""
    group = parser.add_argument_group("gold")
    group.add_argument(
        "--gold", type=Path, required=required, metavar="FILE", help="gold of the answers, or MedExpert's export"
    )
    group.add_argument("--min-severity", metavar="S", help="count only: mild, moderate, severe, life-threatening")
    group.add_argument(
        "--cluster-by", metavar="FIELD", help="answers with the same value are one unit (default: the question)"
    )
    group.add_argument("--folds", type=int, default=5, metavar="N", help="folds in which thresholds are chosen (5)")
    group.add_argument("--n-resamples", type=int, default=10_000, metavar="N", help="bootstrap draws (10000)")
    group.add_argument("--level", type=float, default=0.95, metavar="L", help="confidence level (0.95)")
    group.add_argument("--seed", type=int, default=12345, metavar="N", help="seed of folds and draws (12345)")


def gold_from(options: argparse.Namespace) -> tuple[dict[str, Gold] | None, Options]:
    """The gold that the options name, if any, and how tables are made."""
    from fas.findings.evaluate import Options
    from fas.findings.gold import SEVERITIES, read_gold, severe_only

    least = options.min_severity
    if least is not None and least not in SEVERITIES:
        raise ValueError(f"--min-severity must be one of {', '.join(SEVERITIES)}, got {least!r}")
    if options.folds < 2:
        raise ValueError(f"--folds must be at least 2, got {options.folds}")
    settings = Options(options.threshold, options.folds, options.n_resamples, options.level, options.seed)
    if options.gold is None:
        return None, settings
    if options.gold.suffix == ".json":
        from fas.bench.medexpert import read_export

        gold = {task.id: task.gold for task in read_export(options.gold)}
        return severe_only(gold, least, str(options.gold)) if least else gold, settings
    return read_gold(options.gold, min_severity=least), settings


def print_json(value: Any) -> None:
    """*value* on stdout as JSON."""
    print(json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False))
