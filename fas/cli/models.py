"""`fas models` and `fas setup`: models, parts and profiles, and what this installation keeps, offers and can reach."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from fas.cli.options import Options, print_note


def list_(o: Options) -> Any:
    if o.checkers:
        from fas.verify.checkers import checkers

        if o.json:
            return {name: asdict(one) for name, one in checkers().items()}
        for name, one in checkers().items():
            print(f"{name:18} {one.kind:12} {one.model}\n{'':18} {one.citation}")
        return None
    from fas.models.inventory import inventory

    if o.json:
        return [entry._asdict() for entry in inventory()]
    for entry in inventory():
        size = f"{entry.size / 1e6:.1f} MB" if entry.size else ""
        print(f"{entry.name:20} {entry.kind:9} {size:>9}  {entry.state}")
    return None


def get(o: Options) -> None:
    from fas.models.trunks import GET, get_trunk

    print(get_trunk(GET.get(o.name, o.name), tell=lambda line: click.echo(line, err=True)))


def compare(o: Options) -> Any:
    from fas.core.records.as_json import number_or_none
    from fas.report.tables import limits, number
    from fas.verify.comparison import compare_verifiers, read_labelled_pairs

    found = compare_verifiers(read_labelled_pairs(o.file), o.verifier, precision=o.precision)
    if o.json:  # which has no NaN
        rows = [one._asdict().items() for one in found]
        return [{name: number_or_none(x) if isinstance(x, float) else x for name, x in row} for row in rows]
    width = max(len(one.name) for one in found)
    print(f"{'verifier':{width}}  {'n':>6}  AUROC of support      balanced accuracy   ECE    pairs/s")
    for one in found:
        area = f"{number(one.auroc)} {limits(one)}"
        at = f"{number(one.balanced_accuracy)} at {one.threshold:<9.2g}"
        failed = f"  ({one.failed} not judged)" if one.failed else ""
        print(f"{one.name:{width}}  {one.n:6}  {area:20}  {at} {number(one.ece)}  {one.pairs_a_second:7.1f}{failed}")
    return None


def parts(o: Options) -> Any:
    from fas.core.parts import detectors, extractors, retrievers, verifiers

    kinds: dict[str, Any] = {"claims": extractors, "evidence": retrievers, "verify": verifiers, "detect": detectors}
    listing = {kind: dict(registry.describe()) for kind, registry in kinds.items()}
    if o.json:
        return listing
    for kind, found in listing.items():
        print("\n".join([f"{kind}:", *(f"  {name:12} {where}" for name, where in found.items())]))
    return None


def profiles(o: Options) -> None:
    from fas.core.parts.options import check_parts
    from fas.core.profile import load_profile, profile_names, profile_text

    if o.name is None:
        print("\n".join(profile_names()))
    elif o.name in profile_names():
        print(profile_text(o.name), end="")
    else:
        check_parts(load_profile(o.name))
        print(Path(o.name).read_text(encoding="utf-8"), end="")


def info(o: Options) -> Any:
    from fas.core.cache import cache_info, cache_root

    caches = cache_info()
    if o.json:
        entries = [{"name": one.name, "entries": one.entries, "size": one.size} for one in caches]
        return {"folder": str(cache_root()), "caches": entries}
    print(f"folder  {cache_root()}")
    for one in caches:
        count = "unreadable" if one.entries is None else f"{one.entries:,} entries"
        print(f"{one.name:<12} {count:>18} {one.size / 1e6:>10,.1f} MB")
    if not caches:
        print("(nothing is kept)")
    return None


def clear(o: Options) -> Any:
    from fas.core.cache import cache_info, clear_cache

    if bool(o.names) == o.all:
        raise ValueError("name the caches to empty, or give --all")
    removed = {}
    for name in [one.name for one in cache_info()] if o.all else o.names:
        removed[name] = clear_cache(name)
        print(f"{name}: {removed[name]:,} entries removed", file=sys.stderr)
    return removed if o.json else None


def register(o: Options) -> None:
    from fas.integrations.evaluate_modules.location import list_taken_names
    from fas.integrations.evaluate_modules.location import register as copy_modules

    taken = ", ".join(list_taken_names())
    print_note(f"takes names of evaluate's own metrics: {taken}" if o.all else f"left to evaluate: {taken} (see --all)")
    put = copy_modules(replace=o.all)
    print("\n".join(path.stem for path in put))
    print_note(f"copied to {put[0].parents[2]}; evaluate.load finds these names from any folder")


def completion(o: Options) -> None:
    from click.shell_completion import get_completion_class

    from fas.cli import commands

    kind = get_completion_class(o.shell) if o.shell in ("bash", "zsh", "fish") else None
    if kind is None:
        raise ValueError(f"no completion for {o.shell!r}; available: bash, zsh, fish")
    print(kind(commands, {}, "fas", "_FAS_COMPLETE").source())


def doctor(o: Options) -> Any:
    from fas.llm.doctor import examine_server

    return examine_server(o.model, o.base_url)
