"""`fas detect`: what is wrong in answers, by detectors and their combinations, and how good those are."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from fas.cli.options import DRAWS, Options, build_profile, open_answers, print_result, require_out
from fas.cli.progress import ProgressBar

if TYPE_CHECKING:
    from fas.detectors.evaluate import EvaluationOptions
    from fas.detectors.gold import GoldFindings


def _read_gold(o: Options) -> tuple[dict[str, GoldFindings] | None, EvaluationOptions]:
    """The gold, if any, and how tables are made."""
    from fas.bench.medexpert import read_gold_file
    from fas.detectors.evaluate import EvaluationOptions

    if o.folds < 2:
        raise ValueError(f"--folds must be at least 2, got {o.folds}")
    found = None if o.gold is None else read_gold_file(o.gold, min_severity=o.min_severity)
    return found, EvaluationOptions(**o.pick("threshold", "folds", *DRAWS))


def run(o: Options) -> Any:
    from fas.detectors.detection_text import report_text
    from fas.detectors.run import detect_file, detect_folder, estimate_detection

    _check_harm(o)
    scored = o.answers.is_dir()
    if scored and o.runs is not None:
        raise ValueError("--runs is for detectors that ask a language model; a scored folder is one run")
    if not scored and (o.flags or o.explain):
        raise ValueError("--flags and --explain are for a folder of `fas score`")
    if o.dry_run and scored:
        print("dry run: the false claims of a scored folder take no call")
        return 0
    profile = build_profile(o)
    if o.dry_run:
        found = estimate_detection(open_answers(o), profile, runs=o.runs, offline=o.offline)
        if o.json:
            return {name: asdict(one) for name, one in found.estimates().items()}
        print(f"dry run; nothing was sent\n{found}")
        return 0
    require_out(o)
    if scored:
        reports = [detect_folder(o.answers, o.out, **o.pick("flags", "explain", "min_harm"))]
    else:
        kept = o.pick("runs", "on_error", "overwrite", "offline", "min_harm")
        with ProgressBar.of(o, f"reading {o.answers}") as bar:
            shown: dict[str, Any] = {"started": bar.start, "progress": bar.update}
            reports = detect_file(open_answers(o), o.out, profile=profile, **shown, **kept)
    if o.json:
        print_result(reports, o)
    else:
        print("\n".join(map(report_text, reports)))
        print(f"\nreport: {o.out / ('run-0/' if o.runs else '') / 'report.html'}")
    return 1 if o.strict and any(report["n_failed"] for report in reports) else 0


def _check_harm(o: Options) -> None:
    from fas.detectors.records import HARMS

    if o.min_harm is not None and o.min_harm not in HARMS:
        raise ValueError(f"--min-harm must be one of {', '.join(HARMS)}, got {o.min_harm!r}")


def combine(o: Options) -> Any:
    from fas.detectors.detection_text import ablation_text, combination_text
    from fas.detectors.folder import combine_folders

    _check_harm(o)
    kept = ("weights", "min_similarity", "min_harm", "weigh_harm", "rules", "ablate_rules", "explain", "cluster_by")
    gold, settings = _read_gold(o)
    report, ablation = combine_folders(o.folders, o.out, gold=gold, settings=settings, **o.pick(*kept))
    if o.json:
        return report
    print(combination_text(report))
    if ablation is not None:
        print(f"\n{ablation_text(ablation)}")
    print(f"\nreport: {o.out / 'report.html'}")
    return None


def eval_(o: Options) -> Any:
    from fas.detectors.detection_text import evaluation_dict, evaluation_text
    from fas.detectors.evaluate import evaluate as measure

    gold, settings = _read_gold(o)
    found = measure(o.folders, gold or {}, options=settings, **o.pick("by", "cluster_by", "explain"))
    if o.json:
        return evaluation_dict(found)
    print(evaluation_text(found))
    return None


def gold(o: Options) -> None:
    from fas.bench.medexpert import write_files

    doubles = write_files(o.export, o.out)
    print(f"{o.out / 'answers.jsonl'}\n{o.out / 'gold.jsonl'}")
    if doubles.n:
        print(f"{doubles.n} answers were annotated twice; on {doubles.agreeing} both say the same of the whole answer")
