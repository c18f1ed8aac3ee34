"""`fas train`: draw answers, choose among checked ones, train a model on them, and attack rewards."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING

from fas.cli import options as shared
from fas.cli.base import Decorator, argument, collect, command, group, option, section, several
from fas.cli.progress import ProgressBar
from fas.cli.revise import generator, questions
from fas.core.records.evidence_source import EVIDENCE_CHOICES

if TYPE_CHECKING:
    from fas.leaf.selecting import For

train = group(
    "train",
    """Draw answers, choose among checked ones, train a model on them; attack a reward.

    Learns from checked answers (LEAF): draw several answers a question, check them with `fas score`, choose those that
    pass or pairs of a better and a worse one, and train on them. Each step resumes after an interruption.
    """,
)


@command(
    "fas train sample questions.jsonl -o out/t --generate transformers:FOLDER",
    questions,
    shared.out("folder of the samples", required=True),
    option("--n N", "answers per question", 5),
    option("--temperature X", "temperature of the draws", 0.8),
    option("--max-cost USD", "stop before this run has cost more"),
    option("--max-calls N", "stop before this run has made more calls"),
    shared.offline,
    shared.dry_run,
    shared.progress,
    generator,
    of=train,
)
def sample(o: SimpleNamespace) -> None:
    """Draw several answers a question."""
    from fas.leaf.samples import estimate_samples, sample_file

    llm = {name: value for name, value in shared.pick(o, "max_cost", "max_calls").items() if value is not None}
    settings = {"generate": o.generator, "n": o.n, "temperature": o.temperature, "llm": llm}
    if o.dry_run:
        print(estimate_samples(o.questions, **settings))
        return
    with ProgressBar.of(o, f"reading {o.questions}") as bar:
        found = sample_file(o.questions, o.out, **settings, offline=o.offline, tell=bar.count)
    print(found.as_text())


@command(
    "fas train select out/t --for simpo",
    argument("folder", "DIR", "folder of the samples"),
    option("--scores DIR", "their scores (DIR/checked)"),
    option("--for sft|simpo", "training method", name="purpose", required=True),
    option("--per-question N", "for sft: at most N answers a question"),
    shared.as_json(),
    of=train,
)
def select(o: SimpleNamespace) -> None:
    """Choose among the checked answers."""
    from fas.leaf.selecting import select as choose

    found = choose(o.folder, **shared.pick(o, "purpose", "scores", "per_question"))
    if o.json:
        shared.print_json({"path": str(found.path), "n": found.n, "counts": dict(found.counts)})
    else:
        print("\n".join([f"{found.n} lines in {found.path}", *(f"  {n} {why}" for why, n in found.counts.items())]))


def _training(*more: Decorator) -> Decorator:
    """What both ways of training have in common, and *more* settings of one of them."""
    return several(
        argument("folder", "DIR", "folder that `fas train select` wrote to"),
        option("--model NAME", "model to train: transformers:FOLDER or a hub name", required=True),
        shared.out("folder of the trained model", required=True),
        option("--held-out FILE...", "questions for evaluation; training on one of them is refused"),
        option("--transductive", "allow training on held-out questions, and note it"),
        shared.offline,
        collect(
            "settings",
            dict,
            section(
                "training (the defaults are LEAF's)",
                option("--learning-rate X", "peak learning rate of AdamW (1e-6)"),
                option("--batch-size N", "examples a step and device (4)"),
                option("--accumulation N", "gradient accumulation steps (8)"),
                option("--max-length N", "tokens of prompt and completion (2048)"),
                option("--epochs X", "passes over the examples (5)"),
                option("--seed N", "seed of the order (42)"),
                *more,
                option("--precision fp32|bf16", "bf16: mixed precision"),
            ),
        ),
    )


@command("fas train sft out/t --model transformers:FOLDER -o out/model", _training(), of=train)
def sft(o: SimpleNamespace) -> None:
    """Train on answers that passed the check."""
    _train("sft", o)


@command(
    "fas train simpo out/t --model transformers:FOLDER -o out/model",
    _training(
        option("--beta X", "scale of the reward (2.5)"),
        option("--gamma X", "the margin, not its ratio to beta (1.4)"),
    ),
    of=train,
)
def simpo(o: SimpleNamespace) -> None:
    """Train on pairs of a better and a worse answer."""
    _train("simpo", o)


def _train(purpose: For, o: SimpleNamespace) -> None:
    from fas.leaf.training import Training
    from fas.leaf.training import train as train_model

    settings = Training(**{name: value for name, value in o.settings.items() if value is not None})
    kept = shared.pick(o, "model", "held_out", "transductive", "offline")
    record = train_model(o.folder, o.out, purpose=purpose, settings=settings, tell=shared.print_note, **kept)
    if not o.held_out:
        shared.print_note("no held-out questions were named (--held-out), so that no leak was looked for")
    shared.print_json(record)


@command(
    "fas train attack answers.jsonl --reward fas --reward my.module:reward",
    shared.answers,
    option("--reward NAME...", "built-in reward, or package.module:function; may be repeated"),
    option("--profile NAME|FILE", "profile (fas models profiles), or a TOML file", "mini"),
    option("--evidence SOURCE", EVIDENCE_CHOICES),
    shared.offline,
    shared.as_json(),
    shared.model_of("a judge that grades each answer from 0 to 10, as one more reward"),
    of=train,
)
def attack(o: SimpleNamespace) -> None:
    """Compare what policies that game rewards earn with what honest answers earn.

    FILE holds an honest answer to each question as `prediction`, with `passages`, and `references` or `statements`
    where the reward reads them. Each policy (an empty answer, a passage quoted, one claim repeated, ...) answers each
    question; a star marks a policy that earns more than the honest answers. Without --reward every reward of
    `fas.integrations.training.FasReward`, the callback's `eval_fas`, ROUGE-L and BERTScore are compared.
    """
    from fas.core.answers.files import read_whole
    from fas.integrations.training.attack import BUILT_IN
    from fas.integrations.training.attack import attack as attack_rewards

    given = {name: value for name, value in o.models.items() if value is not None}
    model = given.pop("model", None)
    if model is None and given:
        raise ValueError(f"--{next(iter(given)).replace('_', '-')} goes with --model")
    judge = None
    if model is not None:
        from fas.llm import chat_model

        judge = chat_model(model, **given)
    kept = shared.pick(o, "profile", "evidence", "offline")
    found = attack_rewards(read_whole(shared.open_answers(o)), rewards=list(o.reward) or BUILT_IN, judge=judge, **kept)
    shared.print_result(found, o)
