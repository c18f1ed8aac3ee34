"""`fas tune`: draw answers, choose among checked ones, and train on them."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from fas.cli.progress import ProgressBar, add_progress_options
from fas.cli.revise import add_generator_options, generator_from


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "tune",
        help="draw answers, choose among checked ones, train a model on them",
        description="Learn from checked answers (LEAF): draw several answers a question, check them with `fas score`, "
        "choose those that pass or pairs of a better and a worse one, and train on them. Each step goes on where it "
        "stopped.",
        epilog="example, one step after the other:\n"
        "  fas tune sample questions.jsonl -o out/t --generate transformers:FOLDER\n"
        "  fas score out/t/answers.jsonl -o out/t/checked --evidence index:notes\n"
        "  fas tune select out/t --for simpo\n"
        "  fas tune simpo out/t --model transformers:FOLDER -o out/model",
    )
    actions = parser.add_subparsers(dest="action", required=True, metavar="sample|select|sft|simpo")
    _add_sample(actions)
    select = actions.add_parser("select", help="choose among the checked answers")
    select.add_argument("folder", type=Path, metavar="DIR", help="folder of the samples")
    select.add_argument("--scores", type=Path, metavar="DIR", help="their scores (DIR/checked)")
    select.add_argument("--for", dest="purpose", choices=("sft", "simpo"), required=True, help="what they are for")
    select.add_argument("--per-question", type=int, metavar="N", help="for sft: at most N answers a question")
    select.add_argument("--json", action="store_true", help="print JSON")
    select.set_defaults(run=_select)
    for purpose, text in (
        ("sft", "train on answers that passed"),
        ("simpo", "train on pairs of a better and a worse one"),
    ):
        _add_training(actions.add_parser(purpose, help=text), purpose)


def _add_sample(actions: Any) -> None:
    parser = actions.add_parser("sample", help="draw several answers a question")
    parser.add_argument("questions", type=Path, metavar="FILE", help="questions: id, question, options, answer")
    parser.add_argument("-o", "--out", type=Path, required=True, metavar="DIR", help="folder of the samples")
    add_generator_options(parser)
    parser.add_argument("--n", type=int, default=5, metavar="N", help="answers a question (5)")
    parser.add_argument("--temperature", type=float, default=0.8, metavar="T", help="temperature of the draws (0.8)")
    parser.add_argument("--max-cost", type=float, metavar="USD", help="stop before this run has cost more")
    parser.add_argument("--max-calls", type=int, metavar="N", help="stop before this run has made more calls")
    parser.add_argument("--offline", action="store_true", help="send nothing; what is not in the cache stops the run")
    parser.add_argument("--dry-run", action="store_true", help="send and write nothing; say what the run would take")
    add_progress_options(parser)
    parser.set_defaults(run=_sample)


def _add_training(parser: argparse.ArgumentParser, purpose: str) -> None:
    parser.add_argument("folder", type=Path, metavar="DIR", help="folder that `fas tune select` wrote to")
    parser.add_argument(
        "--model", required=True, metavar="NAME", help="model to train: transformers:FOLDER or a hub name"
    )
    parser.add_argument("-o", "--out", type=Path, required=True, metavar="DIR", help="folder of the trained model")
    parser.add_argument(
        "--held-out",
        type=Path,
        action="append",
        default=[],
        metavar="FILE",
        help="questions for evaluation; refuse a leak",
    )
    parser.add_argument("--transductive", action="store_true", help="allow training on held-out questions, and note it")
    parser.add_argument("--no-memory-check", action="store_true", help="train although the memory cannot suffice")
    parser.add_argument("--offline", action="store_true", help="take hub models from their cache on disk only")
    settings = parser.add_argument_group("training (the defaults are LEAF's)")
    for name, kind, text in (
        ("learning-rate", float, "AdamW's highest (1e-6)"),
        ("batch-size", int, "examples a step and device (4)"),
        ("accumulation", int, "steps added up before the weights move (8)"),
        ("max-length", int, "tokens of prompt and completion (2048)"),
        ("max-prompt-length", int, "tokens of a prompt (1800)"),
        ("epochs", float, "times every example is seen (5)"),
        ("warmup-ratio", float, "share of the steps that warm up (0.1)"),
        ("seed", int, "seed of the order (42)"),
        ("save-steps", int, "steps between checkpoints (one after each epoch)"),
    ):
        settings.add_argument(f"--{name}", type=kind, metavar="N", help=text)
    if purpose == "simpo":
        settings.add_argument("--beta", type=float, metavar="B", help="scale of the reward (2.5)")
        settings.add_argument("--gamma", type=float, metavar="G", help="the margin itself, no ratio to beta (1.4)")
    settings.add_argument("--precision", choices=("fp32", "bf16"), help="fp32, or bf16 for mixed precision")
    settings.add_argument("--gradient-checkpointing", action="store_true", default=None, help="compute more, keep less")
    parser.set_defaults(run=_train, purpose=purpose)


def _sample(options: argparse.Namespace) -> int:
    from fas.cli.common import go_offline
    from fas.leaf.samples import estimate_samples, sample_file

    if options.offline:
        go_offline()
    generate = generator_from(options)
    limits = {"max_cost": options.max_cost, "max_calls": options.max_calls}
    llm = {name: value for name, value in limits.items() if value is not None}
    settings = {"generate": generate, "n": options.n, "temperature": options.temperature, "llm": llm}
    if options.dry_run:
        print(estimate_samples(options.questions, **settings))
        return 0

    bar = ProgressBar.of(options, f"reading {options.questions}")
    try:
        found = sample_file(options.questions, options.out, **settings, offline=options.offline, tell=bar.count)
    finally:
        bar.close()
    print(f"{found.n_answers} answers to {found.n_questions} questions in {options.out / 'answers.jsonl'}")
    for line in (
        *([f"{found.n_cut} answers were cut off; they are never learnt from"] if found.n_cut else []),
        *(f"no answer {name}: {why}" for name, why in found.failures.items()),
        *found.notes,
    ):
        print(f"! {line}")
    return 0


def _select(options: argparse.Namespace) -> int:
    from fas.leaf.selecting import select

    found = select(options.folder, purpose=options.purpose, scores=options.scores, per_question=options.per_question)
    if options.json:
        print(json.dumps({"path": str(found.path), "n": found.n, "counts": dict(found.counts)}, indent=2))
        return 0
    print(f"{found.n} lines in {found.path}")
    for reason, n in found.counts.items():
        print(f"  {n} {reason}")
    return 0


def _train(options: argparse.Namespace) -> int:
    from fas.cli.common import go_offline
    from fas.leaf.training import Training, train

    if options.offline:
        go_offline()
    names = Training.__dataclass_fields__
    given = {name: value for name in names if (value := getattr(options, name, None)) is not None}
    record = train(
        options.folder,
        options.out,
        model=options.model,
        purpose=options.purpose,
        settings=Training(**given),
        held_out=options.held_out,
        transductive=options.transductive,
        check_memory=not options.no_memory_check,
        offline=options.offline,
        tell=lambda line: print(f"fas: {line}", file=sys.stderr),
    )
    if not options.held_out:
        print("fas: no held-out questions were named (--held-out), so that no leak was looked for", file=sys.stderr)
    print(json.dumps(record, indent=2, ensure_ascii=False))
    return 0
