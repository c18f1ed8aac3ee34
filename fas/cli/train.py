"""`fas revise` and `fas train`: answer again with what the check found, and train on checked answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fas.cli.options import Options, build_profile, open_answers, print_note, print_result, read_model, require_out
from fas.cli.progress import ProgressBar

if TYPE_CHECKING:
    from fas.leaf.selecting import For


def _read_generator(o: Options) -> dict[str, Any]:
    names = {"generate": "model", "generate_url": "base_url", "max_new_tokens": "max_new_tokens", "window": "window"}
    return {names[name]: value for name, value in o.given(*names).items()}


def revise(o: Options) -> Any:
    from fas.leaf.estimate import estimate_revision
    from fas.leaf.revise import revise_file
    from fas.leaf.settings import Revising

    profile = build_profile(o)
    rounds = o.pick("max_iterations", "trigger", "knowledge", "max_documents", "first", "final")
    settings = Revising(generate=_read_generator(o), **rounds)
    if o.dry_run:
        return estimate_revision(o.questions, profile, settings, **o.pick("answers", "sentences"))
    require_out(o)
    with ProgressBar.of(o, f"reading {o.questions}") as bar:
        shown: dict[str, Any] = {"tell": print_note, "started": bar.start, "progress": bar.update}
        kept = o.pick("answers", "offline")
        revised = revise_file(o.questions, o.out, settings=settings, profile=profile, **shown, **kept)
    print_result(revised, o)
    if not o.json:
        print(f"\nanswers: {o.out / 'final.jsonl'}\nreport: {o.out / 'report.html'}")
    return 1 if o.strict and revised.n_failures else 0


def sample(o: Options) -> None:
    from fas.leaf.samples import estimate_samples, sample_file

    settings = {**o.pick("n", "temperature"), "generate": _read_generator(o), "llm": o.given("max_cost", "max_calls")}
    if o.dry_run:
        print(estimate_samples(o.questions, **settings))
        return
    with ProgressBar.of(o, f"reading {o.questions}") as bar:
        found = sample_file(o.questions, o.out, **settings, offline=o.offline, tell=bar.count)
    print(found.as_text())


def select(o: Options) -> Any:
    from fas.leaf.selecting import select as choose

    found = choose(o.folder, **o.pick("purpose", "scores", "per_question"))
    if o.json:
        return {"path": str(found.path), "n": found.n, "counts": dict(found.counts)}
    print("\n".join([f"{found.n} lines in {found.path}", *(f"  {n} {why}" for why, n in found.counts.items())]))
    return None


def sft(o: Options) -> Any:
    return _train("sft", o)


def simpo(o: Options) -> Any:
    return _train("simpo", o, "beta", "gamma")


def _train(purpose: For, o: Options, *own: str) -> Any:
    from fas.leaf.training import Training
    from fas.leaf.training import train as train_model

    names = ("learning_rate", "batch_size", "accumulation", "max_length", "epochs", "seed", "precision", *own)
    kept = o.pick("model", "held_out", "transductive", "offline")
    record = train_model(
        o.folder, o.out, purpose=purpose, settings=Training(**o.given(*names)), tell=print_note, **kept
    )
    if not o.held_out:
        print_note("no held-out questions were named (--held-out), so that no leak was looked for")
    return record


def attack(o: Options) -> Any:
    from fas.core.answers.files import read_whole
    from fas.integrations.training.attack import BUILT_IN
    from fas.integrations.training.attack import attack as attack_rewards
    from fas.llm import chat_model

    given = read_model(o)
    judge = chat_model(**given) if given else None
    kept = o.pick("profile", "evidence", "offline")
    return attack_rewards(read_whole(open_answers(o)), rewards=list(o.reward) or BUILT_IN, judge=judge, **kept)
