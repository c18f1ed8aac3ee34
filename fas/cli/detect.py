"""`fas detect`: what is wrong in answers, by detectors and their combinations, and how good those are."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from fas.cli import options as shared
from fas.cli.base import Decorator, argument, collect, command, group, option, section
from fas.cli.progress import ProgressBar

if TYPE_CHECKING:
    from fas.detectors.evaluate import EvaluationOptions
    from fas.detectors.gold import GoldFindings

detect = group(
    "detect",
    "Find false statements in answers, with a language model or from a scored folder.",
)
min_harm = option("--min-harm LEVEL", "leave out findings below: very low, low, medium, high")
members = argument("folders", "DIR...", "folders of fas detect, or of fas score; FOLDER#flags for its safety flags")
cluster_by = option("--cluster-by FIELD", "answers with the same value form one cluster (the question)")


def _read_gold(
    gold: Path | None, min_severity: str | None, threshold: float | None, folds: int, draws: dict[str, Any]
) -> tuple[dict[str, GoldFindings] | None, EvaluationOptions]:
    """The gold, if any, and how tables are made."""
    from fas.bench.medexpert import read_gold_file
    from fas.detectors.evaluate import EvaluationOptions

    if folds < 2:
        raise ValueError(f"--folds must be at least 2, got {folds}")
    found = None if gold is None else read_gold_file(gold, min_severity=min_severity)
    return found, EvaluationOptions(threshold, folds, **draws)


def _gold(*, required: bool) -> Decorator:
    """The gold and how a measurement against it is made, as the value `gold`."""
    return collect(
        "gold",
        _read_gold,
        section(
            "gold",
            option("--gold FILE", "gold of the answers, or MedExpert's export", required=required),
            option("--min-severity SEVERITY", "count only: mild, moderate, severe, life-threatening"),
            option("--threshold X", "flag answers with a score of at least X; by default gold chooses"),
            option("--folds N", "folds in which thresholds are chosen", 5),
        ),
        shared.draws,
    )


def _weights(text: str) -> str | dict[str, float]:
    """`run`, `family`, or NAME=WEIGHT pairs."""
    if "=" not in text:
        return text
    found = {}
    for part in text.split(","):
        name, _, weight = part.partition("=")
        try:
            found[name.strip()] = float(weight)
        except ValueError:
            raise ValueError(f"--weights: expected NAME=WEIGHT, got {part!r}") from None
    return found


def _check_harm(o: SimpleNamespace) -> None:
    from fas.detectors.records import HARMS

    if o.min_harm is not None and o.min_harm not in HARMS:
        raise ValueError(f"--min-harm must be one of {', '.join(HARMS)}, got {o.min_harm!r}")


@command(
    "fas detect run answers.jsonl -o out/judge --profile judge --model gpt-4o-mini",
    argument("answers", "FILE|DIR", "answers (- reads stdin), or a folder of fas score"),
    shared.column_map,
    shared.out("folder of the findings"),
    option("--runs N", "draw N times; each run is a separate member"),
    min_harm,
    option("--flags", "of a scored folder: its safety flags, not its claims"),
    option("--explain", "of a scored folder: say what the evidence says against it"),
    shared.on_error,
    option("--strict", "exit 1 if any answer has no result"),
    shared.overwrite,
    shared.offline,
    shared.dry_run,
    shared.as_json("print the reports as JSON"),
    shared.progress,
    shared.detector_profile,
    of=detect,
)
def run(o: SimpleNamespace) -> int:
    """Name the sentences of answers that are wrong.

    Each finding has an explanation, a level of harm and a confidence. For a folder of `fas score`, writes out the false
    claims without calling a model. After an interruption the same command resumes.
    """
    from fas.detectors.detection_text import report_text
    from fas.detectors.run import detect_file, detect_folder, estimate_detection

    _check_harm(o)
    scored = o.answers.is_dir()
    if scored and o.runs is not None:
        raise ValueError("--runs is for detectors that ask a language model; a scored folder is one run")
    if not scored and (o.flags or o.explain):
        raise ValueError("--flags and --explain are for a folder of `fas score`")
    if o.dry_run:
        if scored:
            print("dry run: the false claims of a scored folder take no call")
            return 0
        found = estimate_detection(shared.open_answers(o), o.profile, runs=o.runs, offline=o.offline)
        if o.json:
            shared.print_json({name: asdict(one) for name, one in found.estimates().items()})
        else:
            print(f"dry run; nothing was sent\n{found}")
        return 0
    shared.require_out(o)
    if scored:
        reports = [detect_folder(o.answers, o.out, **shared.pick(o, "flags", "explain", "min_harm"))]
    else:
        kept = shared.pick(o, "profile", "runs", "on_error", "overwrite", "offline", "min_harm")
        with ProgressBar.of(o, f"reading {o.answers}") as bar:
            reports = detect_file(shared.open_answers(o), o.out, started=bar.start, progress=bar.update, **kept)
    if o.json:
        shared.print_json(reports)
    else:
        print("\n".join(map(report_text, reports)))
        print(f"\nreport: {o.out / ('run-0/' if o.runs else '') / 'report.html'}")
    return 1 if o.strict and any(report["n_failed"] for report in reports) else 0


@command(
    "fas detect combine out/judge out/scored out/scored#flags -o out/all --threshold 0.5",
    members,
    shared.out("folder of the combination", required=True),
    option("--weights WEIGHTS", "run: 1 each; family: shared by its runs; or judge=2,rag=0.5", "run", read=_weights),
    option("--min-similarity X", "least cosine of aligned explanations", 0.5),
    min_harm,
    option("--weigh-harm", "multiply each confidence by its level of harm: none 0 to high 1"),
    option("--rules NAME|FILE", "delete findings by a use case's rules: mental-health, prenatal, or TOML"),
    option("--ablate-rules", "show every rule's effect alone and together; with --rules and --gold"),
    option("--explain", "explain false claims with what the evidence says against them"),
    shared.as_json("print report.json (and the ablation) instead of text"),
    cluster_by,
    _gold(required=False),
    of=detect,
)
def combine(o: SimpleNamespace) -> None:
    """Combine the findings of several detectors.

    Aligns findings by their explanations and scores them by agreement. A folder of `fas score` contributes its false
    claims. Calls no language model.
    """
    from fas.detectors.detection_text import ablation_text, combination_text
    from fas.detectors.folder import combine_folders

    _check_harm(o)
    kept = ("weights", "min_similarity", "min_harm", "weigh_harm", "rules", "ablate_rules", "explain", "cluster_by")
    gold, settings = o.gold
    report, ablation = combine_folders(o.folders, o.out, gold=gold, settings=settings, **shared.pick(o, *kept))
    if o.json:
        shared.print_json(report)
        return
    print(combination_text(report))
    if ablation is not None:
        print(f"\n{ablation_text(ablation)}")
    print(f"\nreport: {o.out / 'report.html'}")


@command(
    "fas detect eval out/judge out/all --gold gold.jsonl --by domain",
    members,
    option("--by FIELD", "also a table for each value of this field of the answers"),
    option("--explain", "as for fas detect combine; changes what false claims are explained with"),
    shared.as_json(),
    cluster_by,
    _gold(required=True),
    of=detect,
    name="eval",
)
def evaluate(o: SimpleNamespace) -> None:
    """Measure detectors and combinations against gold.

    Prints precision, recall and F1 of answers and sentences with intervals, next to a detector that flags everything,
    and tests all pairs. Calls no language model.
    """
    from fas.detectors.detection_text import evaluation_dict, evaluation_text
    from fas.detectors.evaluate import evaluate as measure

    gold, settings = o.gold
    found = measure(o.folders, gold, options=settings, **shared.pick(o, "by", "cluster_by", "explain"))
    if o.json:
        shared.print_json(evaluation_dict(found))
    else:
        print(evaluation_text(found))


@command(
    "fas detect gold sample_data_export_from_JSL.json -o medexpert",
    argument("export", "FILE", "MedExpert's export (.json)"),
    shared.out("folder to write to", required=True),
    of=detect,
)
def gold(o: SimpleNamespace) -> None:
    """Make answers and gold out of an annotation export.

    Writes DIR/answers.jsonl, for `fas detect run`, and DIR/gold.jsonl, for `fas detect eval`, from MedExpert's
    annotation export. docs/papers/detectors.md has the format of a gold file of one's own.
    """
    from fas.bench.medexpert import write_files

    doubles = write_files(o.export, o.out)
    print(f"{o.out / 'answers.jsonl'}\n{o.out / 'gold.jsonl'}")
    if doubles.n:
        print(f"{doubles.n} answers were annotated twice; on {doubles.agreeing} both say the same of the whole answer")
