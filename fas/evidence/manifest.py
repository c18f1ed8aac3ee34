"""What a finished build left, so that an index that was copied half, or mixed of two, is not searched.

The manifest goes when a build begins and comes when it has ended: where there is none, an update is under way or was
stopped, or an earlier version built the index, and nothing can be checked. Contents are checked by size; that bytes are
right is left to tantivy's own checksums and to the disk.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from fas.core.checks import is_whole
from fas.core.errors import InputError
from fas.core.files.own import replace_file
from fas.core.files.plain import parse_json

_NAME = "manifest.json"
_FIELDS: dict[str, type] = {"content_hash": str, "documents": int, "files": dict}
_FORMAT = 1


def forget_manifest(directory: Path) -> None:
    """Take the manifest away, before anything that it speaks of is changed."""
    (directory / _NAME).unlink(missing_ok=True)


def write_manifest(directory: Path, texts: str, *, content_hash: str, documents: int) -> None:
    """Note what is there now.

    Args:
        directory: Folder of the index.
        texts: Name of tantivy's folder in it.
        content_hash: Of the ledger.
        documents: That can be found.
    """
    content = {
        "format": _FORMAT,
        "content_hash": content_hash,
        "documents": documents,
        "files": _files(directory / texts),
    }
    with replace_file(directory / _NAME) as out:
        json.dump(content, out, indent=1)


def read_manifest(directory: Path) -> dict[str, Any] | None:
    """The manifest; None if there is none.

    Raises:
        InputError: It cannot be read.
    """
    try:
        found = parse_json((directory / _NAME).read_bytes())
        if not isinstance(found, dict) or found.get("format") != _FORMAT:
            raise ValueError("another form")
        for field, kind in _FIELDS.items():
            if not isinstance(found.get(field), kind):
                raise ValueError(f"field {field!r}: expected {kind.__name__}, got {type(found.get(field)).__name__}")
        if not all(is_whole(size) for size in found["files"].values()):
            raise ValueError("field 'files': expected the size of each file")
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise InputError(f"{directory / _NAME}: cannot be read ({error})", kind="index") from error
    return found


def check_manifest(
    directory: Path, texts: str, expected: dict[str, Any] | None, *, content_hash: str, documents: int
) -> None:
    """Refuse an index whose parts do not belong together.

    Args:
        directory: Folder of the index.
        texts: Name of tantivy's folder in it.
        expected: The manifest, read before anything else was opened; None checks nothing.
        content_hash: Of the ledger that was opened.
        documents: In the index that was opened.

    Raises:
        InputError: Something differs, and no build has begun since the manifest was read.
    """
    if expected is None:
        return
    problem = _problem(directory / texts, expected, content_hash, documents)
    if problem is not None and read_manifest(directory) == expected:
        raise InputError(
            f"{directory}: is not the index that was built: {problem}; copy the whole folder again, or build it again",
            kind="index",
        )


def _problem(texts: Path, expected: dict[str, Any], content_hash: str, documents: int) -> str | None:
    if expected["content_hash"] != content_hash:
        return "its ledger is of another build than its manifest"
    if expected["documents"] != documents:
        return f"it holds {documents:,} documents, the build left {expected['documents']:,}"
    for name, size in expected["files"].items():
        path = texts / name
        if not path.is_file():
            return f"{name} is missing"
        if path.stat().st_size != size:
            return f"{name} has {path.stat().st_size:,} bytes, the build left {size:,}"
    return None


def _files(texts: Path) -> dict[str, int]:
    """Size of the list of segments and of every file of a segment; others are left over and will go."""
    segments = json.loads((texts / "meta.json").read_bytes())["segments"]
    identifiers = {str(segment["segment_id"]).replace("-", "") for segment in segments}
    kept = [path for path in texts.iterdir() if path.name == "meta.json" or path.name.split(".")[0] in identifiers]
    return {path.name: path.stat().st_size for path in sorted(kept)}
