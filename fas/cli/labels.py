"""`fas labels`: what people say of claims, and what follows from it for a run's figures and thresholds."""

from __future__ import annotations

from typing import Any

from fas.cli.options import DRAWS, Options, print_result, read_statistics
from fas.core.checks import count_of
from fas.core.files.own import SCORES


def draw(o: Options) -> None:
    from fas.labels.tasks import write_tasks

    kept = o.pick("n", "of", "by", "following", "to", "seed", "against", "metric")
    made = write_tasks(o.folder, o.out, **kept)
    for note in made.notes:
        print(f"! {note}")
    print(f"{made.n} {made.what}: {o.out}")


def merge(o: Options) -> Any:
    from fas.labels.tasks import merge_labels

    return merge_labels(o.folder, o.files, o.out, **o.pick("against", "settled", "disputed"))


def import_(o: Options) -> None:
    from fas.core.files.own import check_no_input
    from fas.labels.exchange import import_tasks, sample_decisions
    from fas.labels.tasks import write_rows

    check_no_input(o.files, [o.out])
    if (o.tool == "report") != (o.run is not None):
        raise ValueError("--from report needs --run DIR, the run whose page was decided; other tools take none")
    if o.tool == "report":
        found = sample_decisions(o.run, o.files)
        rows = list(found.rows)
        print(found)
    else:
        rows = [row for file in o.files for row in import_tasks(file, o.tool)]
    write_rows(o.out, rows)
    print(f"{count_of(sum(row['label'] is not None for row in rows), 'label')}: {o.out}")


def adjust(o: Options) -> Any:
    from fas.labels.adjust import adjust_difference, adjust_run, show_adjusted, write_adjusted
    from fas.labels.pairs import adjust_preferences

    statistics = read_statistics(o)
    if o.against is None:
        if o.labels_against is not None:
            raise ValueError("--labels-against needs --against DIR")
        found = adjust_run(o.folder, o.labels, **statistics)
        if o.folder.is_dir():
            write_adjusted(found, o.folder)
            show_adjusted(o.folder, o.labels)
        return found
    if o.labels_against is None:
        return adjust_preferences(o.folder, o.against, o.labels, join_by=o.join_by, **statistics)
    return adjust_difference(o.folder, o.labels, o.against, o.labels_against, join_by=o.join_by, **statistics)


def audit(o: Options) -> Any:
    from fas.labels.audit import audit as audit_runs

    kept = o.pick("margin", "cluster_by", "level")
    return audit_runs(o.folder, o.labels, o.against, o.labels_against, metrics=o.metrics or None, **kept)


def drift(o: Options) -> Any:
    from fas.labels.drift import measure_label_drift, measure_verdict_drift

    kept = o.pick("cluster_by", *DRAWS)
    if o.earlier.is_dir() or o.earlier.name == SCORES:
        return measure_verdict_drift(o.folder, o.labels, o.earlier, **kept)
    return measure_label_drift(o.folder, o.labels, o.earlier, margin=o.margin, **kept)


def plan(o: Options) -> None:
    from fas.labels.planning import plan_run

    kept = o.pick("cluster_by", "level", "seed")
    planned = plan_run(o.folder, o.labels, o.width, metrics=o.metrics or None, **kept)
    print_result(planned, o)  # first: it says why there may be nothing to write
    if o.out is not None:
        planned.write(o.out)


def thresholds(o: Options) -> Any:
    from fas.labels.thresholds import fit_thresholds

    found = fit_thresholds(o.folder, o.labels, **o.pick("precision", "delta"))
    if o.out is not None:
        found.write(o.out)
    return found
