"""What a run notes in its `run.json`: settings that must stay, and sources that those read who open the run again."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from pathlib import Path, PurePath
from typing import Any

from fas.core.answers.files import digest_source
from fas.core.answers.sources import AnswerSource
from fas.core.arguments import option_or_argument
from fas.core.errors import InputError
from fas.core.files.own import another_folder
from fas.core.files.plain import read_json
from fas.core.profile import Profile
from fas.core.records.evidence_source import EvidenceSource
from fas.pipeline.runs.lines import write_text
from fas.results import read_settings

# Beside `input` and `v`, which every run notes: what nobody else's run.json holds.
MADE_BY = "made_by"
# No settings: where the evidence and the answers lay, for those that read them again, as both may be moved; and for
# readers of lists and pages the name of the input file, and when the folder last changed.
_SOURCE, _INPUT, _ANSWERS, WRITTEN = "evidence_source", "answers_source", "answers_file", "written"
_PROFILE = "profile"  # whole, for readers; its deciding parts are settings
NOTED = (_SOURCE, _INPUT, _ANSWERS, _PROFILE)


def read_evidence_source(folder: Path) -> str | None:
    """The evidence source of the run in *folder*, e.g. `index:/data/pubmed`; None if it is not noted.

    Raises:
        InputError: Its `run.json` cannot be read.
    """
    source = read_settings(folder).get(_SOURCE)
    return source if isinstance(source, str) else None


def note_sources(
    profile: Profile, evidence: EvidenceSource, answers: AnswerSource | None, digest: str | None = None
) -> dict[str, Any]:
    """What a run notes: its profile, where the evidence lies and, of a file that stays, the answers with their hash."""
    notes: dict[str, Any] = {_PROFILE: profile.as_dict(), _SOURCE: evidence.absolute()}
    if answers is not None:
        notes[_ANSWERS] = PurePath(answers.name.partition("?")[0]).name  # of a URL without its keys
        if answers.keeps is None:
            files = [str(path.absolute()) for path in answers.files]
            notes[_INPUT] = {
                "files": files, "columns": dict(answers.columns), "digest": digest or digest_source(answers)
            }  # fmt: skip
    return notes


def read_notes(folder: Path) -> dict[str, Any]:
    """What the run in *folder* noted of its sources (`note_sources`).

    Raises:
        InputError: Its `run.json` cannot be read.
    """
    settings = read_settings(folder)
    return {name: settings[name] for name in NOTED if name in settings}


def reopen_input(folder: Path) -> AnswerSource | None:
    """The answers that the run in *folder* read, where it noted a file.

    Raises:
        InputError: The file is gone or has changed; the message says which.
    """
    noted = read_notes(folder).get(_INPUT)
    if noted is None:
        return None
    first, *others = map(Path, noted["files"])
    source = AnswerSource(first, str(first), noted["columns"], others=tuple(others))
    named = f"name the file as the run read it: {option_or_argument('--answers FILE', 'answers=FILE')}"
    for path in source.files:
        if not path.exists():
            raise InputError(f"{path}: the input of the run is no longer there; {named}", kind="missing_file")
    if digest_source(source) != noted["digest"]:
        raise InputError(f"{first}: the input has changed since the run read it; {named}", kind="other_run")
    return source


def find_difference(a: Mapping[str, Any], b: Mapping[str, Any]) -> str | None:
    """The first key with different values in *a* and *b*."""
    return next((key for key in dict.fromkeys((*a, *b)) if a.get(key) != b.get(key)), None)


def check_settings(path: Path, earlier: Mapping[str, Any], now: Mapping[str, str], remedy: str | None = None) -> None:
    """Refuse to go on in *path* with other settings than those of the run that is there.

    Raises:
        InputError: A setting differs; the message names it.
    """
    if (key := find_difference(earlier, now)) is not None:
        raise InputError(
            f"{path}: holds results of another run: {key!r} was {earlier.get(key)!r}, now it is "
            f"{now.get(key)!r}; {remedy or another_folder()}",
            kind="other_run",
        )


def check_made_with(folder: Path, now: Mapping[str, str], names: Collection[str]) -> None:
    """Refuse settings that are not those of the finished run in *folder*; what its `run.json` lacks is not compared.

    Raises:
        InputError: One of the settings called *names* differs, or `run.json` cannot be read.
    """
    made = {name: value for name, value in read_settings(folder).items() if name in names}
    if (name := find_difference(made, {name: now.get(name) for name in made})) is not None:
        raise InputError(
            f"{folder}: was made with other settings: {name!r} was {made[name]!r}, now it is {now.get(name)!r}; "
            "give the run's own with --profile, --evidence, ...",
            kind="other_run",
        )


def pin_settings(path: Path, settings: Mapping[str, str]) -> None:
    """Write *settings* to *path*, or check that they are those of the run that wrote it.

    Raises:
        InputError: They are others, or the file cannot be read or written.
    """
    if path.exists():
        earlier = read_json(path)
        if not isinstance(earlier, dict):
            raise InputError(f"{path}: holds no settings; {another_folder()}", kind="other_run")
        check_settings(path.parent, earlier, settings)
    else:
        write_text(path, json.dumps(dict(settings), indent=2, ensure_ascii=False) + "\n")
