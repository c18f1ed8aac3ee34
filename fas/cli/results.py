"""`fas results` and `fas audit`: stored runs as pages and tables, compared, and against gold; logs of other tools."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from fas.cli.options import DRAWS, Options, build_profile, print_note, print_result, read_statistics
from fas.cli.progress import ProgressBar
from fas.core.profile import load_profile

if TYPE_CHECKING:
    from fas.bench.result_tables import Tabular


def _print_tables(found: Tabular, o: Options) -> Any:
    """Print *found* as LaTeX, Markdown or CSV; for other formats it is what the command returns."""
    if o.form == "text" or o.json:
        return found
    from fas.bench.result_tables import format_tables, tabulate_result

    print(format_tables(tabulate_result(found), o.form, o.intervals), end="")
    return None


def list_(o: Options) -> Any:
    from fas.report.run_list import list_runs, write_index

    found = list_runs(o.folder)
    if o.html or o.out is not None:
        print_note(f"page: {write_index(found, o.out)}")
    return found


def html(o: Options) -> None:
    from fas.labels.page import write_page_again

    out = o.out or o.folder / "report.html"
    reviewed = write_page_again(o.folder, out, labels=o.labels, decisions=o.decisions)
    if o.decisions:
        print(reviewed)
    print(out)


def tables(o: Options) -> None:
    from fas.bench.result_tables import build_tables, format_tables, select_tables
    from fas.bench.tables import save_tables

    if o.out is None and o.form is None and len(o.folders) > 1:
        raise ValueError("several folders of results: name the folder of the tables with -o DIR")
    run, found = build_tables(o.folders, **o.pick("n_resamples", "seed"))
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
    print("\n".join(map(str, save_tables(run, found, out, plots=not o.no_plots, intervals=o.intervals))))


def compare(o: Options) -> Any:
    if len(o.folders) == 1 and o.by is None:
        raise ValueError("two or more result folders are needed, or --by FIELD to compare the systems of one")
    page = o.html or o.out is not None
    if len(o.folders) == 2 and o.by is None and o.pairs is None and not page:
        from fas.report.compare import compare_runs

        return _print_tables(compare_runs(*o.folders, join_by=o.join_by, **read_statistics(o)), o)
    from fas.report.systems import compare_systems

    o.pairs = o.pairs or ("all" if page else "first")
    found = compare_systems(o.folders, **o.pick("by", "join_by", "pairs"), **read_statistics(o))
    if page:
        from fas.report.compare_page import write_comparison

        print_note(f"page: {write_comparison(found, o.out or Path('comparison.html'), most=o.columns)}")
    return _print_tables(found, o)


def correlate(o: Options) -> Any:
    if (o.gold is None) == (o.labels is None):
        raise ValueError("give a file of gold, or --labels FILE")
    if o.labels is None:
        from fas.report.correlate import correlate_scores

        return _print_tables(correlate_scores(o.folder, o.gold, against=o.against, **read_statistics(o)), o)
    if o.form != "text":
        raise ValueError("--format is for gold; --labels prints several tables, and --json all of them")
    from fas.labels.page import write_disagreements
    from fas.labels.verifier import verifier_quality

    found = verifier_quality(o.folder, o.labels, **o.pick("cluster_by", *DRAWS))
    if o.disagreements is not None:
        write_disagreements(o.folder, o.labels, o.disagreements)
    return found


def factuality(o: Options) -> Any:
    from fas.llm.parts import with_parts
    from fas.report.factuality import factuality_report

    if len(o.folders) > 3:
        raise ValueError(f"fas results factuality takes one to three result folders, got {len(o.folders)}")
    models = o.pick("model", "base_url", "max_cost", "max_calls")
    profile = None if o.entailment is None else with_parts(load_profile(o.entailment), **models)
    kept = o.pick("gamma", "k", "by", "entailment_threshold", "verifiable", "core", "irrelevant", *DRAWS)
    return factuality_report(o.folders, entailment=profile, **kept)


def align(o: Options) -> Any:
    from fas.bench.alignment import align_folders

    rewards = {name: Path(file) for name, file in o.rewards}
    found = align_folders(o.folders, where=dict(o.where), rewards=rewards, **o.pick("gold", "by_option", *DRAWS))
    if o.json or not o.markdown:
        return found
    print(found.as_text(as_markdown=True))
    return 0


def merge(o: Options) -> None:
    from fas.pipeline.runs.merging import merge_shards
    from fas.report.text import render_table

    report = merge_shards(o.folders, o.out, **o.pick("by", "overwrite"))
    if o.json:
        print_result(report, o)
    else:
        print(f"{render_table(report)}\n\nreport: {o.out / 'report.html'}")


def check_reference(o: Options) -> int:
    from fas.report.reference_check import check_reference as check

    found = check(o.folder, load_profile(o.profile))
    print_result(found, o)
    return 0 if found.agrees else 1


def audit(o: Options) -> None:
    from fas.integrations.logs.audit import audit_logs

    judge = None
    if o.reask is not None:
        from fas.llm import chat_model

        judge = chat_model(o.reask, base_url=o.reask_url, offline=o.offline)
    profile = None if o.no_claims else build_profile(o)
    with ProgressBar.of(o, f"reading {', '.join(map(str, o.logs))}"):
        kept = o.pick("metrics", "columns", "labels", "offline", "n_reask")
        found = audit_logs(o.logs, o.out, profile=profile, judge=judge, **kept)
    print_result(found, o)
    if not o.json:
        print(f"\npage: {o.out / 'audit.html'}")
