"""`fas safety-build`: a full drug vocabulary from RxNorm files, and unknown names from RxNav."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fas.rxnorm.rxnav import RxNav
    from fas.safety.vocabulary import Vocabulary


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "safety-build",
        help="build a drug vocabulary from RxNorm",
        description="Builds the vocabulary that `fas safety --vocabulary DIR` knows in addition to the built-in "
        "one, from the "
        "RxNorm Current Prescribable Content that you download from NLM (no licence, no login), from "
        "names looked up at RxNav, or both.",
        epilog="example: fas safety-build --rxnorm RxNorm_full_prescribe/rrf -o vocabulary",
    )
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="DIR", help="folder to write")
    parser.add_argument(
        "--rxnorm", type=Path, metavar="DIR", help="folder with RXNCONSO.RRF, RXNREL.RRF and RXNSAT.RRF"
    )
    parser.add_argument("--rxnav", nargs="+", metavar="NAME", help="drug names to look up at RxNav (uses the network)")
    parser.add_argument(
        "--release", default="rxnorm", metavar="NAME", help="name of the release, for the signature (rxnorm-2025-10)"
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Build and write the vocabulary; returns the exit code."""
    from fas.rxnorm.release import read_release, vocabulary_of, write_vocabulary
    from fas.rxnorm.rxnav import BASE_URL, RxNav
    from fas.safety.vocabulary import Vocabulary

    if options.rxnorm is None and not options.rxnav:
        print("fas: name a source: --rxnorm DIR (files) or --rxnav NAME... (network), or both", file=sys.stderr)
        return 2
    vocabulary, unii = Vocabulary(()), {}
    if options.rxnorm is not None:
        release = read_release(options.rxnorm)
        vocabulary, unii = vocabulary_of(release), release.unii
    missing: list[str] = []
    if options.rxnav:
        vocabulary, missing = looked_up(
            vocabulary, options.rxnav, RxNav(base_url=os.environ.get("FAS_RXNAV_URL") or BASE_URL)
        )
    write_vocabulary(vocabulary, options.output, version=options.release, unii=unii)
    print(
        f"{len(vocabulary.ingredients)} ingredients and "
        f"{len(vocabulary.names) - len(vocabulary.ingredients)} other names "
        f"written to {options.output}",
        file=sys.stderr,
    )
    for name in missing:
        print(f"fas: RxNav knows no drug called {name!r}", file=sys.stderr)
    return 0


def looked_up(vocabulary: Vocabulary, names: list[str], service: RxNav) -> tuple[Vocabulary, list[str]]:
    """The vocabulary with *names* as RxNav resolves them, and the names it does not know."""
    from fas.safety.vocabulary import Ingredient, Name, Vocabulary

    ingredients = dict(vocabulary.ingredients)
    added: list[Name] = []
    missing = []
    known = {name.text.casefold() for name in vocabulary.names}
    for name in names:
        found = service.ingredients(name)
        if not found:
            missing.append(name)
            continue
        for concept in found:
            ingredients.setdefault(concept.name, Ingredient(concept.name, concept.rxcui))
            known.add(concept.name.casefold())
        if name.casefold() not in known:
            known.add(name.casefold())
            added.append(Name(name, "synonym", tuple(concept.name for concept in found)))
    own = [name for name in vocabulary.names if name.kind != "ingredient"]
    return Vocabulary(ingredients.values(), [*own, *added]), missing
