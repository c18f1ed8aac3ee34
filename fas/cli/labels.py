"""`fas labels`: what people say of claims, and what follows from it for a run's figures and thresholds."""

from __future__ import annotations

from types import SimpleNamespace

from fas.cli import options as shared
from fas.cli.base import argument, command, group, option
from fas.core.checks import count_of
from fas.core.files.own import SCORES

labels = group(
    "labels",
    """Draw claims to be labelled by people, and correct a run's figures by their labels.

    Claims are labelled on one HTML page that needs no server, in Label Studio or in Argilla.
    """,
)
label_file = option("--labels FILE", "labels of its claims (fas labels merge)", required=True)
margin = option("--margin X", "differences up to X pass", 0.05)


@command(
    "fas labels draw out/ -n 150 -o label-me.html",
    shared.result_folder,
    shared.out("file to write", "FILE", required=True),
    option("-n N", "claims (or answers) to draw", 150),
    option("--of claims|statements|faults", "claims, required statements (--coverage), or faults of claims", "claims"),
    option("--against DIR", "pairs of answers: which run has the better one"),
    option("--metric NAME", "with --against: metric that stratifies the pairs (fas)"),
    option("--by stratum|simple|answers", "stratified by verdict, simple random claims, or whole answers", "stratum"),
    option("--next FILE", "the claims without a label in this file of labels", name="following"),
    option("--to html|label-studio|argilla", "format of the tasks", "html"),
    shared.seed,
    of=labels,
)
def draw(o: SimpleNamespace) -> None:
    """Write the page, or tasks for another tool."""
    from fas.labels.tasks import write_pair_tasks, write_tasks

    if o.against is None:
        made = write_tasks(o.folder, o.out, **shared.pick(o, "n", "of", "by", "following", "to", "seed"))
    elif o.to != "html" or o.following is not None or o.by == "answers" or o.of != "claims":
        raise ValueError("--against draws pairs for the page, by stratum or simple")
    else:
        stratify, kept = o.by == "stratum", shared.pick(o, "n", "metric", "seed")
        made = write_pair_tasks(o.folder, o.against, o.out, stratify=stratify, **kept)
    for note in made.notes:
        print(f"! {note}")
    print(f"{made.n} {made.what}: {o.out}")


@command(
    "fas labels merge out/ labels-*.jsonl -o labels.jsonl",
    shared.result_folder,
    argument("files", "FILE...", "labels that people saved"),
    shared.out("file of labels to write", "FILE", required=True),
    option("--against DIR", "the other run, for labels of pairs"),
    option("--settled FILE", "labels that settle disagreements"),
    option("--disputed FILE", "write a page of the disputed claims"),
    shared.as_json(),
    of=labels,
)
def merge(o: SimpleNamespace) -> None:
    """Check label files against the run and merge them."""
    from fas.labels.tasks import merge_labels

    kept = shared.pick(o, "against", "settled", "disputed")
    shared.print_result(merge_labels(o.folder, o.files, o.out, **kept), o)


@command(
    "fas labels import project.json --from label-studio -o labels.jsonl\n"
    "fas labels import decisions-ann.jsonl decisions-bo.jsonl --from report --run out/ -o labels.jsonl",
    argument("files", "FILE...", "what the tool exported, or the report's page saved"),
    option("--from label-studio|argilla|report", "which tool", name="tool", required=True),
    option("--run DIR", "with --from report: the run whose page it was"),
    shared.out("file of labels to write", "FILE", required=True),
    of=labels,
    name="import",
)
def import_labels(o: SimpleNamespace) -> None:
    """Read labels from Label Studio's or Argilla's JSON, or from the decisions that a report's page has saved.

    Of decisions those count that were made in the order of the page's random sample, from its beginning on and without
    a gap. Labels of several people are put together, with their agreement, by `fas labels merge`.
    """
    from fas.core.files.own import check_no_input
    from fas.labels.tasks import write_rows

    check_no_input(o.files, [o.out])
    if (o.tool == "report") != (o.run is not None):
        raise ValueError("--from report needs --run DIR, the run whose page was decided; other tools take none")
    if o.tool == "report":
        from fas.labels.decided import sample_decisions

        found = sample_decisions(o.run, o.files)
        rows = list(found.rows)
        print(found)
    else:
        from fas.labels.exchange import import_tasks

        rows = [row for file in o.files for row in import_tasks(file, o.tool)]
    write_rows(o.out, rows)
    print(f"{count_of(sum(row['label'] is not None for row in rows), 'label')}: {o.out}")


@command(
    "fas labels adjust out/ --labels labels.jsonl",
    shared.result_folder,
    label_file,
    option("--against DIR", "another run, to estimate the difference"),
    option("--labels-against FILE", "labels of the other run's claims; without, --labels are of pairs of answers"),
    shared.join,
    shared.as_json(),
    shared.statistics,
    of=labels,
)
def adjust(o: SimpleNamespace) -> None:
    """Correct a run's figures by labels of your own.

    Support@k, Contra@k, FAS and shares of claims from few labels and all verdicts (prediction-powered), right on
    average whatever the verifier does, and never with a wider interval than labels alone. Writes adjusted.json into
    the folder, and the figures into its report.json and report.html. A label is a line such as
    {"id": "1", "claim": 3, "label": "supported"}.
    """
    from fas.labels.adjust import adjust_difference, adjust_run, show_adjusted, write_adjusted
    from fas.labels.pairs import adjust_preferences

    if o.against is None:
        if o.labels_against is not None:
            raise ValueError("--labels-against needs --against DIR")
        found = adjust_run(o.folder, o.labels, **o.statistics)
        if o.folder.is_dir():
            write_adjusted(found, o.folder)
            show_adjusted(o.folder, o.labels)
    elif o.labels_against is None:
        found = adjust_preferences(o.folder, o.against, o.labels, join_by=o.join_by, **o.statistics)
    else:
        both = (o.folder, o.labels, o.against, o.labels_against)
        found = adjust_difference(*both, join_by=o.join_by, **o.statistics)
    shared.print_result(found, o)


@command(
    "fas labels audit out-b/ --labels b.jsonl --against out-a/ --labels-against a.jsonl",
    shared.result_folder,
    label_file,
    option("--against DIR", "the run whose labels may apply here", required=True),
    option("--labels-against FILE", "labels of its claims", required=True),
    margin,
    shared.as_json(),
    shared.statistics,
    of=labels,
)
def audit(o: SimpleNamespace) -> None:
    """Test whether what another run's labels say of the verifier holds for this run."""
    from fas.labels.audit import audit as audit_runs

    kept = {name: o.statistics[name] for name in ("metrics", "cluster_by", "level")}
    both = (o.folder, o.labels, o.against, o.labels_against)
    shared.print_result(audit_runs(*both, margin=o.margin, **kept), o)


@command(
    "fas labels drift out/ --labels now.jsonl --earlier before.jsonl",
    shared.result_folder,
    label_file,
    option("--earlier FILE|DIR", "an earlier file of labels, or an earlier run over the same answers", required=True),
    margin,
    shared.as_json(),
    shared.statistics,
    of=labels,
)
def drift(o: SimpleNamespace) -> None:
    """Report changes since an earlier run or an earlier round of labels."""
    from fas.labels.drift import label_drift, verdict_drift

    kept = {name: value for name, value in o.statistics.items() if name != "metrics"}
    if o.earlier.is_dir() or o.earlier.name == SCORES:
        shared.print_result(verdict_drift(o.folder, o.labels, o.earlier, **kept), o)
    else:
        shared.print_result(label_drift(o.folder, o.labels, o.earlier, margin=o.margin, **kept), o)


@command(
    "fas labels plan out/ --labels labels.jsonl --width 0.1 -o next.jsonl",
    shared.result_folder,
    label_file,
    option("--width X", "width of the interval", required=True),
    shared.out("write the claims to label next, with those already labelled", "FILE"),
    shared.as_json(),
    shared.statistics,
    of=labels,
)
def plan(o: SimpleNamespace) -> None:
    """Estimate how many labels an interval of a given width takes, and choose the claims to label next."""
    from fas.labels.planning import plan_run

    kept = {name: o.statistics[name] for name in ("metrics", "cluster_by", "level", "seed")}
    planned = plan_run(o.folder, o.labels, o.width, **kept)
    shared.print_result(planned, o)  # first: it says why there may be nothing to write
    if o.out is not None:
        planned.write(o.out)


@command(
    "fas labels thresholds out/ --labels labels.jsonl --precision 0.9 -o thresholds.json",
    shared.result_folder,
    label_file,
    option("--precision X", "precision promised", 0.9),
    option("--delta X", "probability that the promise fails", 0.05),
    shared.out("file to write", "FILE"),
    shared.as_json(),
    of=labels,
)
def thresholds(o: SimpleNamespace) -> None:
    """Choose thresholds of support and of contradiction at which a precision is promised.

    Precision is at least --precision with a confidence of 1 - --delta. `fas score --thresholds FILE` uses the file.
    """
    from fas.labels.thresholds import fit_thresholds

    found = fit_thresholds(o.folder, o.labels, precision=o.precision, delta=o.delta)
    if o.out is not None:
        found.write(o.out)
    shared.print_result(found, o)
