"""`fas bench`: a benchmark's answers, stored or made, through the same resumable scoring as `fas score`.

OUT/bench.json               what was run
OUT/MODEL/generated.jsonl    answers made here, if they were
OUT/MODEL/answers.jsonl      the answers, as `fas score` takes them
OUT/MODEL/gold.jsonl         their gold, as `fas results correlate` takes it, where there is gold
OUT/MODEL/scores.jsonl ...   as `fas score` writes them
OUT/tables/                  the study's tables
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, TypeAlias

from fas._version import __version__
from fas.bench import benchmark
from fas.bench.dataset import Benchmark, Candidate, Item
from fas.bench.files import data_folder
from fas.bench.generate import read_question_prompt
from fas.bench.prepare import ANSWERS, DESCRIPTION, PassageSource, select_candidates, select_items, slug, write_answers
from fas.core.checks import count_of
from fas.core.errors import InputError, ProfileError
from fas.core.files.own import write_json
from fas.core.files.plain import json_lines
from fas.core.profile import Profile
from fas.core.records import Report
from fas.core.records.evidence_source import EVIDENCE_CHOICES

if TYPE_CHECKING:
    from fas.api import Progress
    from fas.bench.gold import LabelledStatements, StatementJudge
    from fas.core.answers.files import Scan
    from fas.llm.parts import RunModels
    from fas.pipeline.runs.dry_run import RunEstimate

Tell = Callable[[str], None]
Judge: TypeAlias = "StatementJudge | LabelledStatements"


@dataclass(frozen=True, slots=True)
class BenchmarkPlan:
    """The answers to score.

    Attributes:
        data: The folder of data; `FAS_DATA_DIR` by default.
        subsets: Sets of questions; None for the benchmark's choice, `("all",)` for every one.
        limit: At most so many questions, drawn with `sample_seed`, which is also the seed of the corruption.
        models: Stored answers of these models; None for all, unless answers are made.
        samples: At most the first so many stored answers of a model to a question.
        generate: Models that answer the questions now (`fas.bench.generate.make_generator`).
        generate_prompt: File of the prompt that asks every question; the built-in ones by default.
        skip_failed: Leave out questions that a model could not answer, instead of stopping.
        exact: Score the owners' exact answers, and another question's beside each (`fas.bench.exact`).
        answers: File of the user's own answers (`fas.bench.own`).
        corrupt: Shares of statements to make false in the expert answers.
        passages: The evidence to give along (`fas.bench.prepare.PassageSource`).
        gold: Judge the answers' gold by the physicians' statements where they have none.
        gold_labels: File of people's labels that judge it instead of a verifier (`fas.bench.gold.LabelledStatements`).
    """

    name: str
    out: Path
    data: Path | None = None
    subsets: Sequence[str] | None = None
    kinds: Sequence[str] | None = None
    limit: int | None = None
    sample_seed: int = 12345
    models: Sequence[str] | None = None
    samples: int | None = None
    generate: Sequence[str] = ()
    generator_options: dict[str, Any] = field(default_factory=dict)
    generate_prompt: Path | None = None
    skip_failed: bool = False
    exact: bool = False
    answers: Path | None = None
    corrupt: Sequence[float] = ()
    passages: PassageSource = "own"
    gold: bool = True
    gold_labels: Path | None = None
    overwrite: bool = False
    tables: bool = True


def prepare(
    plan: BenchmarkPlan,
    *,
    gold_profile: Profile,
    profile: Profile | None = None,
    models: RunModels | None = None,
    answering: RunModels | None = None,
    tell: Tell = lambda _: None,
) -> dict[str, Path]:
    """Write the answers of every model, with their gold; model to folder.

    Whatever is slow is kept in a file or a cache, so that the same call after an interruption resumes.

    *profile*: what the answers will be scored with; a run without evidence then stops before anything slow is done.
    *models*: the language models of the run, whose budget the judge of the statements shares. *answering*: those whose
    settings and budget the models that answer have. *tell*: takes lines for the user.

    Raises:
        InputError: The data, the selection or the folder cannot be used, or an answer could not be generated and the
            plan does not skip those.
        ValueError: No evidence was named and the answers will carry no passages.
        RunStopped: A generator does not work at all; what was finished is kept.
    """
    bench, folder = benchmark(plan.name), data_folder(plan.data)
    answered = None
    if plan.limit is not None and not plan.generate and not plan.corrupt and plan.answers is None:
        # A draw among questions without an answer would leave few answers, or none.
        stored = bench.candidates(folder)
        answered = {c.item for c in stored if plan.models is None or c.model in plan.models}
    # With exact answers, every type of question that has some.
    kinds = ("all",) if plan.exact and plan.kinds is None else plan.kinds
    chosen = select_items(
        bench, folder, subsets=plan.subsets, kinds=kinds, limit=plan.limit, seed=plan.sample_seed, answered=answered
    )
    items = {item.id: item for item in chosen}
    counts = ", ".join(f"{n} {kind}" for kind, n in Counter(item.kind for item in chosen if item.kind).items())
    tell(f"{plan.name}: {count_of(len(items), 'question')}" + (f" ({counts})" if counts else ""))
    if profile is not None:
        _check_evidence(profile, plan, chosen)
    candidates = _make_candidates(plan, bench, folder, items, tell, answering)
    from fas.bench.gold import LabelledStatements, attach_gold

    judges: list[Judge] = []

    def build_judge() -> Judge:
        """The judge of the statements; built for the first answer without gold, so that no other run needs one."""
        if plan.gold_labels is not None:
            judges.append(LabelledStatements(plan.gold_labels))
        else:
            if profile is not None and gold_profile.verify == profile.verify:
                tell(
                    "the verifier that scores also judges the gold: the two share its errors, and correlations come "
                    "out too high; name another with --gold-profile, or labels with --gold-labels"
                )
            judges.append(build_statement_judge(gold_profile, models=models))
        tell(f"gold of answers without a human judgement: physicians' statements, judged by {judges[0].judged_by}")
        return judges[0]

    if plan.gold:
        candidates = attach_gold(candidates, items, build_judge)
    folders = write_answers(plan.out, plan.name, candidates, items, passages=plan.passages, overwrite=plan.overwrite)
    if judges and isinstance(judges[0], LabelledStatements) and (n := judges[0].add_missing()):
        tell(f"{plan.gold_labels}: {n} statements have no label; fill in 'label', then run the same command again")
    _describe(plan, bench, chosen, folders, judges[0] if judges else None)
    return folders


def score(
    plan: BenchmarkPlan,
    folders: dict[str, Path],
    *,
    profile: Profile,
    by: Sequence[str] = (),
    offline: bool = False,
    models: RunModels | None = None,
    tell: Tell = lambda _: None,
    started: Callable[[Scan, int], None] | None = None,
    progress: Progress | None = None,
) -> dict[str, Report]:
    """Score every model's answers into its folder, then write the tables; model to report.

    Raises:
        InputError: As for `fas.api.score_file`.
        RunStopped: No evidence or no model at all; finished answers are kept.
    """
    from fas.api import score_file

    shown: dict[str, Any] = {"models": models, "started": started, "progress": progress}
    given: dict[str, Any] = {"profile": profile, "by": by, "overwrite": plan.overwrite, "offline": offline, **shown}
    reports = {}
    for model, folder in folders.items():
        tell(f"scoring {model}")
        reports[model] = score_file(folder / ANSWERS, folder, **given)
    if plan.tables:
        from fas.bench.tables import write_tables

        try:
            written = write_tables(plan.out, n_resamples=profile.n_resamples, seed=profile.seed)
            tell(f"{len(written)} files of tables in {plan.out / 'tables'}")
        except InputError as error:
            # For example a model all of whose answers failed; the scores are there all the same.
            tell(f"no tables: {error}")
        if plan.name == "choices":
            tell(f"alignment of the check with right answers: {_write_alignment(plan.out, profile)}")
    return reports


def run_benchmark(
    plan: BenchmarkPlan,
    profile: Profile,
    *,
    gold_profile: str | None = None,
    by: Sequence[str] = (),
    offline: bool = False,
    prepare_only: bool = False,
    **shown: Any,
) -> tuple[dict[str, Path], dict[str, Report]]:
    """Write the answers of every model and score them: model to folder, and model to report.

    *gold_profile*: profile whose verifier judges the physicians' statements; *profile* by default. *by*: fields to
    group by; the kind of question by default, where there is one. *shown*: `tell`, `started` and `progress`, as for
    `score`.

    Raises:
        InputError: A file of the benchmark or the folder cannot be used.
        ProfileError: A setting is impossible.
    """
    from fas.core.profile import load_profile
    from fas.llm.parts import RunModels

    # One budget for the models that answer, for the judge of the gold and for the scores.
    models = RunModels(profile.llm, offline=offline)
    judge = profile if gold_profile is None else load_profile(gold_profile)
    judging = models if judge is profile else RunModels(judge.llm, offline=offline, share=models)
    scored_with = None if prepare_only else profile
    asked = {"models": judging, "answering": models}
    folders = prepare(plan, gold_profile=judge, profile=scored_with, **asked, tell=shown["tell"])
    if prepare_only:
        return folders, {}
    if not by and all("kind" in next(json_lines(folder / ANSWERS))[1] for folder in folders.values()):
        by = ["kind"]
    return folders, score(plan, folders, profile=profile, by=by, offline=offline, models=models, **shown)


def estimate_scoring(
    plan: BenchmarkPlan, profile: Profile, *, offline: bool = False, tell: Tell = lambda _: None
) -> dict[str, RunEstimate]:
    """The cost of scoring the answers, model by model; they are written to a temporary folder.

    A ValueError where the answers are still to be generated.
    """
    from fas.pipeline.runs.dry_run import estimate_run

    if plan.generate:
        raise ValueError("--dry-run cannot estimate answers that do not exist yet; generate them with --prepare-only")
    with TemporaryDirectory() as folder:
        dry = replace(plan, out=Path(folder), gold=False)
        folders = prepare(dry, gold_profile=profile, profile=profile, tell=tell)
        found = {model: estimate_run(at / ANSWERS, profile, offline=offline) for model, at in folders.items()}
    if plan.gold:
        tell("these numbers exclude judgements of gold statements")
    return found


def _write_alignment(out: Path, profile: Profile) -> Path:
    """The check of each model's answers against right and wrong choices, beside the other tables."""
    from fas.bench.alignment import align, markdown, read_checked
    from fas.bench.stored import find_runs

    aligned = [
        align(read_checked(run), run.name, n_resamples=profile.n_resamples, seed=profile.seed) for run in find_runs(out)
    ]
    path = out / "tables" / "alignment.md"
    path.parent.mkdir(exist_ok=True)
    path.write_text(markdown(aligned), encoding="utf-8")
    write_json(path.with_suffix(".json"), [one.as_dict() for one in aligned])
    return path


def build_statement_judge(profile: Profile, *, models: RunModels | None = None) -> StatementJudge:
    """The judge of physicians' statements: the verifier and the threshold of *profile*.

    A ProfileError where its verifier reads no text.
    """
    from fas.bench.gold import StatementJudge
    from fas.llm.parts import reading_verifier

    purpose = "gold by the physicians' statements (--gold-profile names who judges, --no-gold leaves them out)"
    return StatementJudge(reading_verifier(profile, purpose, models=models), profile.threshold)


def _make_candidates(
    plan: BenchmarkPlan, bench: Benchmark, folder: Path, items: dict[str, Item], tell: Tell, answering: RunModels | None
) -> Iterator[Candidate]:
    sources: list[Iterator[Candidate]] = [
        _generate_answers(plan, bench, items, model, tell, answering) for model in plan.generate
    ]
    if plan.corrupt:
        from fas.bench.corrupt import corrupt_items

        sources.append(corrupt_items(items.values(), shares=plan.corrupt, seed=plan.sample_seed))
    if plan.exact:
        from fas.bench.exact import exact_candidates

        sources.append(exact_candidates(items.values(), seed=plan.sample_seed))
    if plan.answers is not None:
        from fas.bench.own import read_own_candidates

        own = read_own_candidates(plan.answers, items, {item.id for item in bench.items(folder)}, tell=tell)
        sources.append(bench.grade(items[one.item], one) for one in own)
    if plan.models is not None or not sources:
        stored = bench.candidates(folder)
        sources.append(select_candidates(stored, items, models=plan.models, samples=plan.samples))
    candidates = chain.from_iterable(sources)
    first = next(candidates, None)
    if first is None:
        raise InputError(
            f"{plan.name}: no stored answers to these questions; generate some with --generate MODEL, give a "
            "file with --answers FILE, or make shares of the expert answers false with --corrupt",
            kind="empty_input",
        )
    return chain((first,), candidates)


def _generate_answers(
    plan: BenchmarkPlan, bench: Benchmark, items: dict[str, Item], model: str, tell: Tell, answering: RunModels | None
) -> Iterator[Candidate]:
    from fas.bench.generate import generate, make_generator

    prompt = None if plan.generate_prompt is None else read_question_prompt(str(plan.generate_prompt))
    with nullcontext() if answering is None else answering.applied():
        generator = make_generator(model, **plan.generator_options)
    path = plan.out / slug(generator.name) / "generated.jsonl"
    tell(f"{generator.name} answers into {path}")
    result = generate(list(items.values()), generator, path, default=bench.template, prompt=prompt)
    if result.n_cut:
        tell(f"{result.n_cut} answers of {generator.name} were cut off at the longest length")
    if result.failed:
        item, reason = next(iter(result.failed.items()))
        message = (
            f"{generator.name} could not answer {len(result.failed)} of {len(items)} questions, e.g. {item}: {reason}"
        )
        if not plan.skip_failed:
            raise InputError(
                f"{message}; the same command tries them again, --skip-failed leaves them out", kind="not_generated"
            )
        tell(f"{message}; omitted")
    for candidate in result.candidates:
        yield bench.grade(items[candidate.item], candidate)


def _check_evidence(profile: Profile, plan: BenchmarkPlan, items: Sequence[Item]) -> None:
    """Stop a run without evidence before anything slow is done, and name what would do."""
    from fas.pipeline import choose_evidence_source

    try:
        own = any(item.passages is not None for item in items)
        choose_evidence_source(profile, has_passages=own if plan.passages == "own" else plan.passages != "none")
    except ProfileError as error:
        if plan.passages == "own" and profile.evidence is None and any(item.references for item in items):
            raise ProfileError(
                f"{plan.name}: its questions have no passages. Use the expert answers as evidence with "
                f"--passages references, or name a source with --evidence: {EVIDENCE_CHOICES}"
            ) from error
        raise


def _describe(
    plan: BenchmarkPlan, bench: Benchmark, items: Sequence[Item], folders: dict[str, Path], judge: Judge | None
) -> None:
    """Write `bench.json`: what a reader of the results must know of their making."""
    judges: Counter[str] = Counter()  # who judged how many answers
    for folder in folders.values():
        for _, record in json_lines(folder / ANSWERS):
            default = "none" if record["gold"] is None else "the benchmark"
            judges[record.get("judged_by", default)] += 1
    described = {
        "benchmark": plan.name,
        "title": bench.title,
        "subset_rule": bench.subset_rule,
        "subsets": dict(Counter(str(item.meta["subset"]) for item in items)),
        "kinds": dict(Counter(item.kind or "(none)" for item in items)),
        "n_questions": len(items),
        "limit": plan.limit,
        "sample_seed": plan.sample_seed,
        "samples": plan.samples,
        "passages": plan.passages,
        "corrupt": list(plan.corrupt),
        "gold": dict(judges),
        "gold_judge": judge.signature if judge is not None and judges[judge.judged_by] else None,
        "generate_prompt": plan.generate_prompt and read_question_prompt(str(plan.generate_prompt)).signature,
        "models": {model: folder.name for model, folder in folders.items()},
        "version": __version__,
    }
    write_json(plan.out / DESCRIPTION, described)
