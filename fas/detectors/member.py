"""Folders read as members: findings, scores (their false claims), and FOLDER#flags (their safety flags)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from fas.core.cache import content_key
from fas.core.errors import InputError, ProfileError
from fas.core.files.own import FINDINGS, SCORES
from fas.core.records.stored import AnswerRecord, FindingsRecord
from fas.detectors.claims import false_claims, flag_findings, has_two_labels
from fas.detectors.records import Findings, Member, findings_from
from fas.results import read_findings, read_records, read_settings

RUNS = "runs.json"
FLAGS = "#flags"


class FolderPlace(NamedTuple):
    """The folder and the name of a member; *flags*: its safety flags, not its claims; *family*: shared by its runs."""

    folder: Path
    flags: bool
    name: str
    family: str
    run: int


def find_places(named: Sequence[str | Path]) -> list[FolderPlace]:
    """The members that paths name: `FOLDER`, `FOLDER#flags`, or a folder of `--runs`, which gives one member a run.

    Raises:
        InputError: A folder holds neither findings nor scores, or is named twice.
    """
    found: list[FolderPlace] = []
    for item in map(str, named):
        flags = item.endswith(FLAGS)
        folder = Path(item.removesuffix(FLAGS))
        runs = [] if flags else _runs(folder)
        for number, one in enumerate(runs or [folder]):
            family = folder.name or str(folder.resolve().name)
            if not runs and one.name.startswith("run-") and one.name[4:].isdigit():
                family, number = one.resolve().parent.name, int(one.name[4:])
                name = f"{family}/{one.name}"
            else:
                name = f"{family}/{one.name}" if runs else family + (FLAGS if flags else "")
            found.append(FolderPlace(one, flags, name, family + (FLAGS if flags else ""), number))
    seen: dict[tuple[Path, bool], str] = {}
    for place in found:
        key = place.folder.resolve(), place.flags
        if key in seen:
            raise InputError(f"{place.folder}: named twice; a member takes part once", kind="member_twice")
        seen[key] = place.name
        records_file(place.folder)
    names = [place.name for place in found]
    paths = [str(place.folder) + (FLAGS if place.flags else "") for place in found]
    # Folders of one name in different places are named by their paths.
    return [
        place if names.count(place.name) == 1 else place._replace(name=path, family=path)
        for place, path in zip(found, paths, strict=True)
    ]


def _runs(folder: Path) -> list[Path]:
    """The run folders of a folder of `--runs`, as many as its last command asked for; none for an ordinary folder."""
    state = folder / RUNS
    if not state.is_file():
        return []
    try:
        n = int(json.loads(state.read_text(encoding="utf-8"))["runs"])
    except (ValueError, KeyError, TypeError, RecursionError, OverflowError) as error:
        raise InputError(f"{state}: not what `fas detect run --runs` writes: {error}", kind="runs") from error
    return [folder / f"run-{number}" for number in range(n)]


def records_file(folder: Path) -> Path:
    """The file of a member's lines.

    Raises:
        InputError: The folder has none.
    """
    for name in (FINDINGS, SCORES):
        if (folder / name).is_file():
            return folder / name
    raise InputError(
        f"{folder}: holds neither {FINDINGS} nor {SCORES}; `fas detect` writes the one, `fas score` the other",
        kind="missing_file",
    )


def read_member(place: FolderPlace, *, explain: bool = False) -> Member:
    """The findings of a folder; the answers' own texts are not kept.

    *explain*: add the evidence against a false claim to its explanation.

    Raises:
        InputError: A file cannot be read or a line is not what it should be, with file and line.
        ProfileError: *explain*, and the verifier of the claims has two labels: nothing speaks against one.
    """
    read: Callable[[Any], Findings] = findings_from
    if (place.folder / FINDINGS).is_file():
        pass
    elif place.flags:
        read = flag_findings
    else:
        two = has_two_labels(str(read_settings(place.folder).get("verify", "")))
        if explain and two:
            raise ProfileError(
                f"{place.folder}: its verifier tells supported from not supported only, so that no evidence speaks "
                "against a claim; leave out --explain, or score with three labels (`labels = 3` in [verify])"
            )
        read = partial(false_claims, two_labels=two, explain=explain)
    answers: dict[str, Findings] = {}
    texts: dict[str, str] = {}
    for record in member_records(place.folder):
        answers[record["id"]] = read(record)
        texts[record["id"]] = content_key(record["prediction"] or "")[:16]
    return Member(place.name, place.family, place.run, signature_of(place, explain=explain), answers, texts)


def member_records(folder: Path) -> Iterator[FindingsRecord | AnswerRecord]:
    """The record of every line of a member's file."""
    path = records_file(folder)
    return (record for _, record in (read_records(path) if path.name == SCORES else read_findings(path)))


def signature_of(place: FolderPlace, *, explain: bool = False) -> str:
    """What pins a member, e.g. `judge[gpt-5,prompt=1-5f0c2a9b]` or `claims[spacy[...];passages[k=5];nli[...]]`."""
    settings = read_settings(place.folder)
    if (place.folder / FINDINGS).is_file():
        return str(settings.get("detect", place.name))
    if place.flags:
        return f"flags[{settings.get('safety', 'unknown')}]"
    parts = [str(settings.get(key, "unknown")) for key in ("claims", "evidence", "verify")]
    return f"claims[{';'.join(parts)}{';explained' if explain else ''}]"


def check_texts(members: Sequence[Member]) -> list[str]:
    """Notes on members that lack answers of others.

    Raises:
        InputError: Two members read another text under one id, or no answer is common to all.
    """
    known: dict[str, tuple[str, str]] = {}
    for member in members:
        for name, digest in member.texts.items():
            other, before = known.setdefault(name, (member.name, digest))
            if before != digest:
                raise InputError(
                    f"{other} and {member.name}: the answer {name!r} has another text in each; members are combined "
                    "over the same answers",
                    kind="other_input",
                )
    if members and not set.intersection(*(set(member.answers) for member in members)):
        raise InputError(
            f"no answer is in all of {', '.join(m.name for m in members)}; members are joined on `id`",
            kind="nothing_in_common",
        )
    return [
        f"{member.name} has no line for {len(known) - len(member.answers)} of {len(known)} answers and abstains there"
        for member in members
        if len(member.answers) < len(known)
    ]
