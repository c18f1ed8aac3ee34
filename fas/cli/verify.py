"""`fas verify`: one claim against passages, and how the verdict came about."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

from fas.cli import options as shared
from fas.cli.base import command, option
from fas.cli.progress import ProgressBar


@command(
    'fas verify --claim "Aspirin relieves pain." --passage "Aspirin relieved pain in 20 adults."',
    option("--claim TEXT", "a statement that can be read on its own", required=True),
    option("--passage TEXT|FILE...", "a passage, or a file with its text in UTF-8; may be repeated", required=True),
    option("--question TEXT", "the question that the claim answers"),
    shared.as_json(),
    shared.progress,
    shared.profile,
)
def verify(o: SimpleNamespace) -> None:
    """Verify one claim against passages, and explain the verdict.

    Prints every part that was read with its probabilities, what they came to, and the verdict.
    """
    from fas.pipeline.runs.explaining import verify_claim

    passages = [_text(given) for given in o.passage]
    with ProgressBar.of(o, "verifying the claim"):
        found = verify_claim(o.claim, passages, profile=o.profile, question=o.question)
    shared.print_result(found, o)


def _text(given: str) -> str:
    path = Path(given)
    try:
        there = path.is_file()
    except (OSError, ValueError):  # too long for a name, or with characters that none has
        there = False
    try:
        return path.read_text(encoding="utf-8-sig") if there else given
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: not UTF-8 ({error})") from error
