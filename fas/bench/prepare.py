"""From a benchmark to files that `fas score` takes: which questions, which evidence, which fields.

One file of answers per model, one line per answer. The id is `QUESTION#SAMPLE`, so that the answers of two
models to the same question can be compared; `meta` carries what tables group and correlate by.
"""

from __future__ import annotations

import filecmp
import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from random import Random
from typing import IO, Any, Literal

from fas.bench.dataset import Benchmark, Candidate, Item
from fas.core.errors import InputError
from fas.core.files.own import SCORES, exists_any, replace_file
from fas.core.files.plain import json_lines

PassageSource = Literal["own", "references", "question", "none"]
PASSAGE_SOURCES: tuple[PassageSource, ...] = ("own", "references", "question", "none")
ANSWERS, GOLD = "answers.jsonl", "gold.jsonl"
DESCRIPTION = "bench.json"
_FRESH = f".{ANSWERS}.fas-part"
# Folders beside those of the models, which hold no run of their own.
RESERVED = ("tables", "ablations")


def select_items(
    bench: Benchmark,
    folder: Path,
    *,
    subsets: Sequence[str] | None = None,
    kinds: Sequence[str] | None = None,
    limit: int | None = None,
    seed: int = 0,
    answered: Collection[str] | None = None,
) -> list[Item]:
    """The questions of a run, in the benchmark's order.

    *subsets*: sets to take; by default the benchmark's own choice, `["all"]` for every one. *limit*: at most so many,
    drawn at random; a larger limit with the same seed contains a smaller one. *answered*: ids of the questions that
    have answers, from which to draw; all by default, and if none of them is left.

    Raises:
        InputError: A file is missing or wrong, a set or kind does not occur, or nothing is left.
    """
    chosen = items = list(bench.items(folder))
    if wanted := _select_names(subsets, bench.subsets, {str(item.meta["subset"]) for item in items}, "--subset"):
        chosen = [item for item in chosen if item.meta["subset"] in wanted]
    if wanted := _select_names(kinds, bench.kinds, {item.kind for item in items if item.kind}, "--kind"):
        chosen = [item for item in chosen if item.kind in wanted]
    if not chosen:
        raise InputError(f"{bench.name}: no question of that set is of that kind", kind="empty_input")
    if answered is not None:
        chosen = [item for item in chosen if item.id in answered] or chosen
    if limit is None or limit >= len(chosen):
        return chosen
    if limit < 1:
        raise InputError(f"--limit must be at least 1, got {limit}", kind="limit")
    order = list(range(len(chosen)))
    Random(seed).shuffle(order)
    return [chosen[i] for i in sorted(order[:limit])]


def select_candidates(
    candidates: Iterable[Candidate],
    items: Mapping[str, Item],
    *,
    models: Sequence[str] | None = None,
    samples: int | None = None,
) -> Iterator[Candidate]:
    """The candidates that answer *items*: of *models* (all by default), the first *samples* of each to a question.

    At the end an InputError, if one of *models* gave no answer to any of the questions.
    """
    found: set[str] = set()
    for candidate in candidates:
        if candidate.item not in items or (samples is not None and candidate.sample >= samples):
            continue
        found.add(candidate.model)
        if models is None or candidate.model in models:
            yield candidate
    for name in models or ():
        if name not in found:
            there = ", ".join(sorted(found)) or "none"
            raise InputError(f"no stored answers of the model {name!r} to these questions; available: {there}")


def answer_record(name: str, item: Item, candidate: Candidate, passages: PassageSource) -> dict[str, Any]:
    """One line of the input of a run.

    References leave out the text that a corrupted answer was made of, where there is another.
    """
    references = list(item.references)
    source = candidate.meta.get("source_reference")
    if source is not None and len(references) > 1:
        del references[source]
    record: dict[str, Any] = {
        "id": f"{item.id}#{candidate.sample}",
        "question": item.question,
        "prediction": candidate.text,
        "references": references,
        **_attach_passages(item, passages),
        "dataset": name,
        "model": candidate.model,
        "question_id": item.id,
        "sample": candidate.sample,
        "n_references": len(references),
        "gold": candidate.gold,
        **({} if item.kind is None else {"kind": item.kind}),
        **{key: value for key, value in item.meta.items() if key in ("subset", "edition", "decision", "topic")},
        **{key: value for key, value in candidate.meta.items() if value is not None},
    }
    # Tables correlate with every field called gold_..., and higher is better there.
    if "comprehensiveness" in record:
        record["gold_comprehensiveness"] = record["comprehensiveness"]
    if "hallucination" in record:
        record["gold_no_hallucination"] = 1.0 - record["hallucination"]
    return record


def write_answers(
    out: Path,
    name: str,
    candidates: Iterable[Candidate],
    items: Mapping[str, Item],
    *,
    passages: PassageSource,
    overwrite: bool = False,
) -> dict[str, Path]:
    """Write `OUT/MODEL/answers.jsonl`, and `gold.jsonl` beside it where there is gold; model to folder.

    Nothing is kept in memory but the names of the models.

    Raises:
        InputError: No candidate; the folder holds scores of other answers and *overwrite* is false, or files of these
            names that no benchmark is known to have written; or it cannot be written.
    """
    folders: dict[str, Path] = {}
    files: dict[str, IO[str]] = {}
    known = _is_ours(out)
    try:
        with ExitStack() as stack:
            for candidate in candidates:
                model = candidate.model
                if model not in folders:
                    folder = _name_folder(out, model, folders)
                    if not known:
                        _check_free(out, folder)
                    files[model] = stack.enter_context(_open_new(folder / _FRESH))
                    folders[model] = folder
                record = answer_record(name, items[candidate.item], candidate, passages)
                files[model].write(json.dumps(record, ensure_ascii=False) + "\n")
    except BaseException:
        for folder in folders.values():
            (folder / _FRESH).unlink(missing_ok=True)
        raise
    if not folders:
        raise InputError(f"{name}: no answers to score", kind="empty_input")
    if not known:
        # Before the first file: a run that is killed must know its own folder again.
        with replace_file(out / DESCRIPTION) as file:
            file.write(json.dumps({"benchmark": name}) + "\n")
    for folder in folders.values():
        _replace_answers(folder, overwrite=overwrite)
    return folders


def write_questions(path: Path, items: Iterable[Item], *, passages: PassageSource) -> None:
    """Write *items* as `fas revise` and `fas train sample` take them (`fas.leaf.questions`)."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with replace_file(path) as out:
        for item in items:
            record: dict[str, Any] = {"id": item.id, "question": str(item.meta.get("stem", item.question))}
            record |= {name: item.meta[name] for name in ("options", "answer", "subset") if item.meta.get(name)}
            record |= {"references": list(item.references)} if item.references else {}
            record |= _attach_passages(item, passages)
            out.write(json.dumps(record, ensure_ascii=False) + "\n")


def slug(model: str) -> str:
    """The folder's name for a model.

    >>> slug("meta-llama/Llama-2-7b-chat-hf"), slug("PubMedBERT (abstract)")
    ('meta-llama--Llama-2-7b-chat-hf', 'PubMedBERT-abstract')
    """
    return re.sub(r"[^\w.+-]+", "-", model.replace("/", "--")).strip("-.") or "model"


def _select_names(given: Sequence[str] | None, default: Sequence[str], there: set[str], option: str) -> tuple[str, ...]:
    if given is None:
        return tuple(default)
    if "all" in given:
        return ()
    for name in given:
        if name not in there:
            raise InputError(
                f"{option} {name}: no question has it; available: {', '.join(sorted(there)) or 'none'}, all",
                kind="no_subset",
            )
    return tuple(given)


def _attach_passages(item: Item, source: PassageSource) -> dict[str, list[dict[str, Any]]]:
    """The field `passages` of a record; empty where it has none."""
    if source == "references":
        found = [{"text": text, "id": f"{item.id}/reference/{i}"} for i, text in enumerate(item.references)]
    elif source == "question":
        found = [{"text": item.question, "id": f"{item.id}/question"}]
    elif source == "none" or item.passages is None:
        return {}
    else:
        values = ({name: getattr(one, name) for name in ("text", "id", "title", "year")} for one in item.passages)
        found = [{name: value for name, value in one.items() if value is not None} for one in values]
    return {"passages": found}


def _name_folder(out: Path, model: str, taken: Mapping[str, Path]) -> Path:
    folder = out / slug(model)
    if folder.name in RESERVED:
        folder = out / f"{folder.name}-model"
    if folder in taken.values():
        raise InputError(f"the models {model!r} and another would share the folder {folder}", kind="folder")
    return folder


def _open_new(path: Path) -> IO[str]:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)  # a killed run's
        return path.open("x", encoding="utf-8")
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror or error}", kind="unwritable") from error


def _is_ours(out: Path) -> bool:
    """Whether `bench.json` says that a benchmark's run made *out*."""
    try:
        described = json.loads((out / DESCRIPTION).read_bytes())
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(described, dict) and "benchmark" in described


def _check_free(out: Path, folder: Path) -> None:
    found = exists_any((out / DESCRIPTION, *(out / name for name in RESERVED), folder / ANSWERS, folder / GOLD))
    if found is not None:
        raise InputError(
            f"{found}: exists, and no {DESCRIPTION} says that a benchmark's run wrote it; give another folder with -o, "
            "or move it away",
            kind="not_ours",
        )


def _replace_answers(folder: Path, *, overwrite: bool) -> None:
    """Put the new answers in place of the old, unless scores of other answers would lose theirs."""
    fresh, answers = folder / _FRESH, folder / ANSWERS
    scored = (folder / SCORES).exists()
    if scored and not overwrite and not (answers.exists() and filecmp.cmp(answers, fresh, shallow=False)):
        fresh.unlink()
        raise InputError(
            f"{folder}: holds scores of other answers (another selection, seed, gold or evidence); give another folder "
            "with -o, or --overwrite to start again",
            kind="other_run",
        )
    fresh.replace(answers)
    gold = [
        json.dumps({"id": record["id"], "gold": record["gold"]}, ensure_ascii=False) + "\n"
        for _, record in json_lines(answers)
        if record["gold"] is not None
    ]
    if gold:
        (folder / GOLD).write_text("".join(gold), encoding="utf-8")
    else:
        (folder / GOLD).unlink(missing_ok=True)
