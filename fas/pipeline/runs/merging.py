"""The shards of a run joined to the folder that one process would have written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

from fas.core.errors import InputError
from fas.core.files.own import RUN, another_folder
from fas.core.profile import Profile
from fas.core.records import Report
from fas.core.records.signature import Signature
from fas.pipeline import CHUNK
from fas.pipeline.runs.folder import RunFolder
from fas.pipeline.runs.notes import COUNTS, note_records, note_work
from fas.pipeline.runs.scorer import check_groups
from fas.pipeline.runs.settings import find_difference, read_notes
from fas.pipeline.runs.shards import Shard
from fas.results import Run, read_records
from fas.scoring.aggregate import collect_columns, report_of

_OWN = ("shard", "answers")


@dataclass(frozen=True, slots=True)
class _Part:
    """A shard as its folder has it: what `run.json` and the report say."""

    folder: RunFolder
    shard: Shard
    answers: int
    settings: Mapping[str, str]
    tally: Mapping[str, Any]
    drawn: Mapping[str, str]


def merge_shards(folders: Sequence[Path], out: Path, *, by: Sequence[str] = (), overwrite: bool = False) -> Report:
    """Join the shards in *folders*, in any order, into the folder *out*, which is then a run like any other.

    Args:
        folders: The folders of all shards of one run, each finished.
        out: The folder to make.
        by: Fields of `meta` to group by.
        overwrite: Throw away what a run left in *out*.

    Raises:
        InputError: A shard is missing, there twice, unfinished or of another run or settings; *out* holds results.
        FolderInUse: One of the folders is being written.
    """
    with ExitStack() as stack:
        parts = [_read_part(stack.enter_context(_open_existing(path))) for path in dict.fromkeys(folders)]
        _check(parts)
        parts.sort(key=lambda part: part.shard.number)
        first = parts[0]
        folder = stack.enter_context(RunFolder(out, fresh=overwrite))
        if folder.scores.exists() and not overwrite:
            raise InputError(f"{out}: holds results; {another_folder(or_overwrite=True)}", kind="other_run")
        folder.resume(first.settings, notes=read_notes(first.folder.path))
        tally = _merge_tallies(parts)
        files = [stack.enter_context(part.folder.scores.open("rb")) for part in parts]
        folder.adopt(_take_in_turn(files), tally=tally)
        k = int(first.settings["k"])
        profile = Profile(k=k, n_resamples=int(first.drawn["boot"]), seed=int(first.drawn["seed"]))
        fields: set[str] = set()
        columns = collect_columns(_note_fields(folder.scores, fields), k=k, by=by)
        if columns.n > columns.n_failed:
            check_groups(by, fields)
        notes = [*tally["given"], *note_work(tally, k, truncated=tally["truncated"]), *tally["notes"]]
        report = report_of(
            columns,
            profile=profile,
            signature=signature_of(first.settings, first.answers, first.drawn),
            timing=tally["seconds"],
            notes=[*notes, *note_records(columns)],
        )
        folder.write_report(report)
    return report


def _note_fields(scores: Path, fields: set[str]) -> Iterator[Mapping[str, Any]]:
    """The records in *scores*, while *fields* is filled with the names in their `meta`."""
    for _, record in read_records(scores):
        fields.update(record["meta"])
        yield record


def signature_of(settings: Mapping[str, str], n: int, drawn: Mapping[str, str]) -> Signature:
    """What pins a score over *n* answers, of what `run.json` keeps and how intervals are drawn (`boot`, `seed`)."""
    decides = {key: value for key, value in settings.items() if key not in ("input", "k", "v", *_OWN)}
    return Signature({"n": str(n), **decides, **drawn, "v": settings["v"]})


def _open_existing(path: Path) -> RunFolder:
    if not (path / RUN).is_file():
        raise InputError(f"{path}: no run here (no run.json)", kind="missing")
    return RunFolder(path)


def _read_part(folder: RunFolder) -> _Part:
    settings, tally = folder.state()
    named = settings.get("shard")
    if named is None:
        raise InputError(f"{folder.path}: is not a shard (made with --shard)", kind="shard")
    shard, answers = Shard.parse(named), int(settings["answers"])
    n = folder.count()
    again = f"run the command of shard {shard} again"
    if n != shard.size(answers):
        raise InputError(f"{folder.path}: {n} of {shard.size(answers)} answers are there; {again}", kind="unfinished")
    try:
        signature = Run(folder.scores).signature
    except InputError as error:
        raise InputError(f"{error}; {again}", kind="unfinished") from error
    if signature is None:
        raise InputError(f"{folder.path}: has no report; {again}", kind="unfinished")
    # How often was drawn; which kinds of interval came of it is decided anew.
    drawn = {"boot": signature.part("boot").name, "seed": signature.fields["seed"]}
    kept = {key: value for key, value in settings.items() if key not in _OWN}
    return _Part(folder, shard, answers, kept, tally, drawn)


def _check(parts: Sequence[_Part]) -> None:
    """Refuse shards that are not all of one run, each once."""
    if not parts:
        raise InputError("no folders to merge", kind="missing")
    first = parts[0]
    seen: dict[int, _Part] = {}
    for part in parts:
        sizes = {"shards": str(part.shard.count), "answers": str(part.answers)}
        expected = {"shards": str(first.shard.count), "answers": str(first.answers), **first.settings, **first.drawn}
        found = {**sizes, **part.settings, **part.drawn}
        if (key := find_difference(expected, found)) is not None:
            raise InputError(
                f"{part.folder.path}: is of another run than {first.folder.path}: {key!r} is {found.get(key)!r} "
                f"there and {expected.get(key)!r} here",
                kind="other_run",
            )
        if part.shard.number in seen:
            other = seen[part.shard.number].folder.path
            raise InputError(f"{part.folder.path}: is shard {part.shard}, as {other} is", kind="shard")
        seen[part.shard.number] = part
    missing = [str(i) for i in range(1, first.shard.count + 1) if i not in seen]
    if missing:
        shown = ", ".join(missing[:10]) + (", ..." if len(missing) > 10 else "")
        raise InputError(f"of {first.shard.count} shards {len(missing)} are missing: {shown}", kind="missing")


def _take_in_turn(files: Sequence[BinaryIO]) -> Iterator[bytes]:
    """The lines in the order of the input: a chunk of each shard in turn."""
    while True:
        found = False
        for lines in files:
            for line in islice(lines, CHUNK):
                found = True
                yield line
        if not found:
            return


def _merge_tallies(parts: Sequence[_Part]) -> dict[str, Any]:
    """The tally of all; a note that shards do not share names its shard."""
    seconds: dict[str, float] = {}
    notes: dict[str, None] = {}
    worked = [part for part in parts if part.shard.size(part.answers)]
    for part in worked:
        for stage, time in part.tally.get("seconds", {}).items():
            seconds[stage] = seconds.get(stage, 0.0) + time
        for note in part.tally.get("notes", ()):
            shared = all(note in other.tally.get("notes", ()) for other in worked)
            notes[note if shared else f"shard {part.shard}: {note}"] = None
    return {
        "seconds": seconds,
        **{name: sum(part.tally.get(name, 0) for part in parts) for name in COUNTS},
        "notes": list(notes),
        "given": list(parts[0].tally.get("given", ())),
        "truncated": any(part.tally.get("truncated", False) for part in parts),
    }
