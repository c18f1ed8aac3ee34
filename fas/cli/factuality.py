"""`fas factuality`: scores of decompose-then-verify papers from a result folder."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from fas.cli.common import add_model_options, with_models_of


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "factuality",
        help="factuality, F1@K, claim counts and changed judgements of one or two runs",
        description="Scores of decompose-then-verify papers from the claims of a result folder: factuality, length "
        "penalty, F1@K, claim counts, DecompScore, adjusted verifiable rate; of two folders also the differences and "
        "the judgements that changed. No model is asked again, except with --entailment.",
        epilog="example: fas factuality out-medscore/ out-factscore/ --entailment mini",
    )
    parser.add_argument(
        "runs",
        type=Path,
        nargs="+",
        metavar="DIR",
        help="one to three result folders (or scores.jsonl, or labelled answers)",
    )
    parser.add_argument(
        "--gamma", type=float, default=10.0, metavar="G", help="claims below which an answer is short (10)"
    )
    parser.add_argument("--at", type=int, metavar="K", help="K of recall@K and F1@K; by default the median claim count")
    parser.add_argument("--by", metavar="FIELD", help="also by this field of the answers, all with one K")
    parser.add_argument(
        "--domain", metavar="FIELD", help="K is the median claim count of the answer's value of this field (VeriScore)"
    )
    parser.add_argument(
        "--entailment",
        metavar="NAME|FILE",
        help="compare claims with the sentence they come from (DecompScore) by the verifier of this profile, e.g. mini",
    )
    parser.add_argument(
        "--entailment-threshold",
        type=float,
        metavar="T",
        help="probability from which a claim counts as entailed (the profile's threshold; MedScore's entailment: 0.8)",
    )
    add_model_options(parser, "the verifier of --entailment")
    parser.add_argument(
        "--verifiable",
        metavar="FIELD",
        help="field of the answers with their verifiable parts, a list of strings (adjusted verifiable rate)",
    )
    parser.add_argument(
        "--core",
        nargs="?",
        const="uniform",
        choices=("uniform", "informativeness"),
        help="also with only the claims that the filter `core` of these weights keeps (one folder; CORE in MedScore)",
    )
    parser.add_argument(
        "--irrelevant",
        choices=("leave-out", "unsupported", "supported"),
        default="leave-out",
        help="labelled claims: what becomes of IR, irrelevant (leave-out)",
    )
    parser.add_argument("--n-resamples", type=int, default=10_000, metavar="N", help="bootstrap draws (10000)")
    parser.add_argument("--level", type=float, default=0.95, metavar="L", help="confidence level (0.95)")
    parser.add_argument("--seed", type=int, default=12345, metavar="N", help="seed of the draws (12345)")
    parser.add_argument("--json", action="store_true", help="print JSON instead of tables")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the scores; returns the exit code."""
    from fas.errors import InputError
    from fas.profile import load_profile
    from fas.report.factuality import factuality_report

    if len(options.runs) > 3:
        raise InputError(f"fas factuality takes one to three result folders, got {len(options.runs)}", kind="usage")
    report = factuality_report(
        options.runs,
        gamma=options.gamma,
        k=options.at,
        by=options.by,
        domain=options.domain,
        entailment=None if options.entailment is None else with_models_of(options, load_profile(options.entailment)),
        entailment_threshold=options.entailment_threshold,
        verifiable=options.verifiable,
        core=options.core,
        irrelevant=options.irrelevant,
        n_resamples=options.n_resamples,
        level=options.level,
        seed=options.seed,
    )
    print(
        json.dumps(report.as_dict(), indent=2, ensure_ascii=False, allow_nan=False)
        if options.json
        else report.as_text()
    )
    return 0
