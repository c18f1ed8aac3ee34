"""`fas combine`: several detectors' findings as one list an answer."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fas.cli.common import add_gold_options, gold_from, print_json

if TYPE_CHECKING:
    from fas.findings.combining import Combination
    from fas.findings.evaluate import Material, Options
    from fas.findings.folder import Decision


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "combine",
        help="put the findings of several detectors together",
        description="Align the findings of several detectors by their explanations and score them by agreement. "
        "A member is a folder of `fas detect`, a folder of `fas score` (its false claims), or FOLDER#flags (its safety "
        "flags). Asks no language model.",
        epilog="example: fas combine out/judge out/scored out/scored#flags -o out/all --threshold 0.5",
    )
    parser.add_argument("members", nargs="+", metavar="DIR", help="folders of the members")
    parser.add_argument("-o", "--out", type=Path, required=True, metavar="DIR", help="folder of the combination")
    parser.add_argument(
        "--weights",
        choices=("run", "family"),
        default="run",
        help="run: 1 each (default); family: shared by its runs",
    )
    parser.add_argument(
        "--min-similarity", type=float, default=0.5, metavar="S", help="least cosine of aligned explanations (0.5)"
    )
    parser.add_argument("--min-harm", metavar="LEVEL", help="leave out findings below: very low, low, medium, high")
    parser.add_argument(
        "--rules", metavar="NAME|FILE", help="delete findings by rules of a use case: mental-health, prenatal, or TOML"
    )
    parser.add_argument(
        "--ablate-rules",
        action="store_true",
        help="show every rule's effect alone and together; with --rules and --gold",
    )
    parser.add_argument(
        "--explain", action="store_true", help="false claims are explained with what the evidence says against them"
    )
    parser.add_argument("--threshold", type=float, metavar="T", help="flag answers with a score of at least T")
    parser.add_argument("--json", action="store_true", help="print report.json (and the ablation) instead of text")
    add_gold_options(parser, required=False)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Combine the members; returns the exit code."""
    from fas.files.own import replacing
    from fas.findings.combining import combine
    from fas.findings.detection import write_page
    from fas.findings.detection_text import ablation_dict, ablation_text, members_text
    from fas.findings.evaluating import ablate_rules, material_of
    from fas.findings.folder import write_combination
    from fas.findings.member import places, read_member

    if options.min_harm is not None:
        from fas.findings.records import HARMS

        if options.min_harm not in HARMS:
            raise ValueError(f"--min-harm must be one of {', '.join(HARMS)}, got {options.min_harm!r}")
    if options.ablate_rules and (options.gold is None or options.rules is None):
        raise ValueError("--ablate-rules needs --rules and --gold")
    sources = places(options.members)
    combination = combine(
        [read_member(place, explain=options.explain) for place in sources],
        weights=options.weights,
        min_similarity=options.min_similarity,
        min_harm=options.min_harm,
        rules=options.rules,
        name=options.out.name,
    )
    gold, settings = gold_from(options)
    material: Material | None = None
    if gold is not None:
        material, _ = material_of(sources, gold, cluster_by=options.cluster_by)
    decision = _decide(options, combination, material, settings)
    report = write_combination(combination, options.out, sources, decision=decision)
    write_page(options.out)
    ablation = ablate_rules(combination, material, settings) if options.ablate_rules and material is not None else None
    if ablation is not None:
        with replacing(options.out / "ablation.json") as file:
            file.write(json.dumps(ablation_dict(ablation), indent=1, ensure_ascii=False) + "\n")
    if options.json:
        print_json({**report, "ablation": None if ablation is None else ablation_dict(ablation)})
        return 0
    print(_text(report))
    print(f"\n{members_text(report)}")
    if ablation is not None:
        print(f"\n{ablation_text(ablation)}")
    print(f"\nreport: {options.out / 'report.html'}")
    return 0


def _decide(
    options: argparse.Namespace, combination: Combination, material: Material | None, settings: Options
) -> Decision | None:
    from fas.findings.evaluating import choose_by_gold
    from fas.findings.folder import fixed_decision

    if options.threshold is not None:
        return fixed_decision(combination, options.threshold)
    return None if material is None else choose_by_gold(combination, material, settings)


def _text(report: dict[str, Any]) -> str:
    lines = [report["signature"], f"{report['n_findings']} findings on {report['n_scored']} of {report['n']} answers"]
    if report["n_flagged"] is not None:
        shown = ", ".join(f"{one:.3f}" for one in report["thresholds"])
        lines.append(f"{report['n_flagged']} answers are flagged (threshold {shown})")
    return "\n".join([*lines, *(f"! {note}" for note in report["notes"])])
