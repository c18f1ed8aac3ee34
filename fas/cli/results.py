"""`fas results`: stored runs as pages and tables, side by side, and against gold; without a model."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING

from fas.cli import options as shared
from fas.cli.base import argument, command, group, option, several

if TYPE_CHECKING:
    from fas.bench.result_tables import Tabular

results = group(
    "results",
    "List stored runs, write their pages and tables, compare runs, and correlate scores with gold.",
)
folders = argument("folders", "DIR...", "result folders, or their scores.jsonl")
intervals = option("--intervals brackets|plus-minus", "format of intervals (plus-minus: the larger half)", "brackets")
form = several(
    option("--format text|latex|markdown|csv", "format of tables", "text", name="form"),
    intervals,
)


def _print_tables(found: Tabular, o: SimpleNamespace) -> None:
    if o.form == "text" or o.json:
        shared.print_result(found, o)
        return
    from fas.bench.result_tables import format_tables, result_tables

    print(format_tables(result_tables(found), o.form, o.intervals), end="")


@command(
    "fas results list runs/\nfas results list runs/ --html",
    argument("folder", "DIR", "folder with result folders in it, at any depth"),
    option("--html", "also write a page of them, DIR/index.html: table, course over time, links"),
    shared.out("write the page to this file", "FILE"),
    shared.as_json(),
    of=results,
    name="list",
)
def list_(o: SimpleNamespace) -> None:
    """List the runs in a folder with their dates, scores and the settings in which they differ.

    Only reports are read. A run that is not finished, or whose report cannot be read, is listed with the reason.
    """
    from fas.report.run_list import list_runs, write_index

    found = list_runs(o.folder)
    if o.html or o.out is not None:
        shared.print_note(f"page: {write_index(found, o.out)}")
    shared.print_result(found, o)


@command(
    "fas results html out/ --labels labels.jsonl --decisions decisions-ann.jsonl",
    argument("folder", "DIR", "folder of the results"),
    option("--labels FILE", "labels of claims (fas labels)"),
    option("--decisions FILE...", "reviewers' decisions, saved from the page; repeatable, the later one counts"),
    shared.out("the page (DIR/report.html)", "FILE"),
    of=results,
)
def html(o: SimpleNamespace) -> None:
    """Rewrite report.html of a stored run.

    With --labels its first lines say how often verdicts and flags of this run are wrong, by the people who labelled;
    without, what the models' cards measured. With --decisions it has what reviewers decided, and goes on from there.
    """
    from fas.labels.page import write_page_again

    out = o.out or o.folder / "report.html"
    reviewed = write_page_again(o.folder, out, labels=o.labels, decisions=o.decisions)
    if o.decisions:
        print(reviewed)
    print(out)


@command(
    "fas results tables out-a/ out-b/ -o tables/\nfas results tables out/ --format latex",
    folders,
    shared.out("folder of the tables (DIR/tables of a single DIR)"),
    option("--format latex|markdown|csv", "print the tables instead of writing them; csv needs --table", name="form"),
    intervals,
    option("--table NAME...", "only this table; may be repeated"),
    option("--no-plots", "draw no plots"),
    option("--n-resamples N", "bootstrap draws", 10_000),
    shared.seed,
    of=results,
)
def tables(o: SimpleNamespace) -> None:
    """Write tables (LaTeX, Markdown, CSV) and plots of result folders.

    Metrics by system, by type of question, differences, rankings, correlation with gold, flags. Fields of the answers
    that tables use where they are there: model, dataset, kind, question_id, n_references, gold. Several folders are
    several systems.
    """
    from fas.bench.own_tables import build_tables, select_tables
    from fas.bench.result_tables import format_tables
    from fas.bench.tables import save_tables

    if o.out is None and o.form is None and len(o.folders) > 1:
        raise ValueError("several folders of results: name the folder of the tables with -o DIR")
    run, found = build_tables(o.folders, n_resamples=o.n_resamples, seed=o.seed)
    found = select_tables(found, o.table)
    if o.form == "csv" and len(found) > 1:
        known = ", ".join(table.name for table in found)
        raise ValueError(
            f"one CSV holds one table: give --table NAME of {known}, or -o DIR without --format for a file each"
        )
    if o.form is not None:
        print(format_tables(found, o.form, o.intervals), end="")
        return
    out = o.out or o.folders[0] / "tables"
    out.parent.mkdir(parents=True, exist_ok=True)
    print("\n".join(str(path) for path in save_tables(run, found, out, plots=not o.no_plots, intervals=o.intervals)))


@command(
    "fas results compare out-a/ out-b/\nfas results compare out-a/ out-b/ out-c/ --html\n"
    "fas results compare out/ --by model --pairs all",
    folders,
    option("--by FIELD", "compare the systems that this field of one folder names"),
    option("--pairs first|all", "each system with the first (default), or all pairs (default with --html)"),
    shared.join,
    option("--html", "also write a page: systems side by side, differences, answers that moved most"),
    shared.out("the page (comparison.html)", "FILE"),
    option("--columns N", "systems side by side on the page", 8),
    shared.as_json(),
    form,
    shared.statistics,
    of=results,
)
def compare(o: SimpleNamespace) -> None:
    """Compare result folders answer by answer, or the systems inside one.

    Means, paired differences with intervals, and tests with Holm's and Benjamini and Hochberg's corrections. The first
    folder is the baseline.
    """
    if len(o.folders) == 1 and o.by is None:
        raise ValueError("two or more result folders are needed, or --by FIELD to compare the systems of one")
    page = o.html or o.out is not None
    if len(o.folders) == 2 and o.by is None and o.pairs is None and not page:
        from fas.report.compare import compare_runs

        _print_tables(compare_runs(*o.folders, join_by=o.join_by, **o.statistics), o)
    else:
        from fas.report.systems import compare_systems

        kept = {**shared.pick(o, "by", "join_by"), "pairs": o.pairs or ("all" if page else "first")}
        found = compare_systems(o.folders, **kept, **o.statistics)
        if page:
            from fas.report.compare_page import write_comparison

            out = write_comparison(found, o.out or Path("comparison.html"), most=o.columns)
            shared.print_note(f"page: {out}")
        _print_tables(found, o)


@command(
    "fas results correlate out/ gold.jsonl --against rougeL",
    shared.result_folder,
    argument("gold", "[FILE]", 'gold, a line an answer: {"id": "1", "gold": 0.8}'),
    option("--labels FILE", "labels of claims instead of gold: how good the verifier is"),
    option("--disagreements FILE", "with --labels: write a page of the verifier's errors"),
    option("--against NAME", "also test every metric's Spearman against this metric's"),
    shared.as_json(),
    form,
    shared.statistics,
    of=results,
)
def correlate(o: SimpleNamespace) -> None:
    """Correlate every metric with gold judgements.

    Spearman, Kendall and Pearson, the area under the ROC curve where gold is 0 or 1, each with a bootstrap interval.
    """
    if (o.gold is None) == (o.labels is None):
        raise ValueError("give a file of gold, or --labels FILE")
    if o.labels is None:
        from fas.report.correlate import correlate_scores

        _print_tables(correlate_scores(o.folder, o.gold, against=o.against, **o.statistics), o)
        return
    if o.form != "text":
        raise ValueError("--format is for gold; --labels prints several tables, and --json all of them")
    from fas.labels.page import write_disagreements
    from fas.labels.verifier import verifier_quality

    kept = {name: value for name, value in o.statistics.items() if name != "metrics"}
    found = verifier_quality(o.folder, o.labels, **kept)
    if o.disagreements is not None:
        write_disagreements(o.folder, o.labels, o.disagreements)
    shared.print_result(found, o)


@command(
    "fas results factuality out-medscore/ out-factscore/ --entailment mini",
    folders,
    option("--gamma X", "number of claims below which an answer counts as short", 10.0),
    option("--at N", "K of recall@K and F1@K; by default the median claim count", name="k"),
    option("--by FIELD", "also by this field of the answers, all with one K"),
    option("--entailment NAME|FILE", "compare claims with their sentence by this profile's verifier (DecompScore)"),
    option("--entailment-threshold X", "probability of an entailed claim (the profile's; MedScore's entailment: 0.8)"),
    option("--verifiable FIELD", "field with an answer's verifiable parts, a list of strings (verifiable rate)"),
    option(
        "--core uniform|informativeness",
        "also over the claims that the filter `core` keeps with these weights (one folder; CORE in MedScore)",
        is_flag=False,
        flag_value="uniform",
    ),
    option("--irrelevant leave-out|unsupported|supported", "how to count claims labelled irrelevant", "leave-out"),
    shared.as_json(),
    shared.draws,
    shared.model_of("the verifier of --entailment"),
    of=results,
)
def factuality(o: SimpleNamespace) -> None:
    """Report factuality, F1@K, claim counts and changed judgements of one to three runs.

    Scores of decompose-then-verify papers from the claims of a result folder (or of labelled answers): factuality,
    length penalty, F1@K, claim counts, DecompScore, adjusted verifiable rate; of two folders also the differences and
    the judgements that changed. No model is called, except with --entailment.
    """
    from fas.core.profile import load_profile
    from fas.llm.parts import with_parts
    from fas.report.factuality import factuality_report

    if len(o.folders) > 3:
        raise ValueError(f"fas results factuality takes one to three result folders, got {len(o.folders)}")
    profile = None if o.entailment is None else with_parts(load_profile(o.entailment), **o.models)
    kept = shared.pick(o, "gamma", "k", "by", "entailment_threshold", "verifiable", "core", "irrelevant")
    shared.print_result(factuality_report(o.folders, entailment=profile, **kept, **o.draws), o)


@command(
    "fas results align runs/medqa --markdown",
    folders,
    option("--gold FILE", "gold of the answers: JSONL of id and gold (0 or 1)"),
    option("--where FIELD=VALUE...", "only answers with this value; may be repeated"),
    option("--rewards NAME=FILE...", "rank by a reward model, too: JSONL of id and reward; may be repeated"),
    option("--by-option", "also each question's options: how often chosen, and their mean support"),
    shared.as_json(),
    option("--markdown", "print the tables as Markdown"),
    shared.draws,
    of=results,
)
def align(o: SimpleNamespace) -> None:
    """Measure a check against right and wrong answers: precision, recall, F1, best and worst of n.

    Confusion matrix, precision, recall, F1 and alignment, beside the baseline that calls every answer right; AUROC and
    pairwise accuracy of its scores; where a question has several answers of one model, what choosing by the score
    gives. Of two folders also the difference. The gold is `gold` (0 or 1) of each answer, as `fas bench` and
    `fas train sample` write it, or a file.
    """
    from fas.bench.alignment import align_folders

    where = _split_pairs("--where takes FIELD=VALUE", o.where)
    rewards = {name: Path(file) for name, file in _split_pairs("--rewards takes NAME=FILE", o.rewards).items()}
    found = align_folders(o.folders, gold=o.gold, where=where, rewards=rewards, by_option=o.by_option, **o.draws)
    if o.json:
        shared.print_json(found.as_dict())
    else:
        print(found.as_text(as_markdown=o.markdown))


def _split_pairs(rule: str, texts: Sequence[str]) -> dict[str, str]:
    pairs = [text.partition("=") for text in texts]
    if not all(equals and name for name, equals, _ in pairs):
        raise ValueError(f"{rule}, got {', '.join(texts)}")
    return {name: value for name, _, value in pairs}


@command(
    "fas results merge out-* -o out/",
    folders,
    shared.out("folder to create", required=True),
    shared.by,
    shared.overwrite,
    shared.as_json("print report.json instead of the table"),
    of=results,
)
def merge(o: SimpleNamespace) -> None:
    """Join the shards of a run (fas score --shard), in any order.

    Writes the folder that one process would have written. A shard that is missing, unfinished or of another run is
    refused.
    """
    from fas.pipeline.runs.merging import merge_shards

    shared.print_report(merge_shards(o.folders, o.out, by=list(o.by), overwrite=o.overwrite), o)


@command(
    "fas results check-reference out/",
    argument("folder", "DIR", "result folder"),
    option("--profile NAME|FILE", "the settings the run had", "mini"),
    shared.as_json(),
    of=results,
)
def check_reference(o: SimpleNamespace) -> int:
    """Recompute a run's ROUGE, BLEU and BERTScore by the published packages.

    Prints the largest difference of each from rouge-score, nltk and bert-score. Exits 1 if one is above 0.0001
    (BERTScore of a run in bfloat16: 0.005).
    """
    from fas.core.profile import load_profile
    from fas.report.reference_check import check_reference as check

    found = check(o.folder, load_profile(o.profile))
    shared.print_result(found, o)
    return 0 if found.agrees else 1
