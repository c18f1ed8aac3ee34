"""What a finished build left, so that an index that was copied half, or mixed of two, is not searched.

A build removes the manifest when it begins and writes it when it has ended: without one, an update is running or was
stopped, and nothing can be checked. Files are checked by size; tantivy's own checksums check their bytes.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from fas.core.errors import InputError
from fas.core.files.own import replace_file
from fas.core.files.plain import parse_json

_NAME = "manifest.json"
_FIELDS: dict[str, type] = {"content_hash": str, "documents": int, "files": dict}
_FORMAT = 1


def forget_manifest(directory: Path) -> None:
    """Remove the manifest, before anything that it describes changes."""
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
        "files": _list_files(directory / texts),
    }
    with replace_file(directory / _NAME) as out:
        json.dump(content, out, indent=1)


def read_manifest(directory: Path) -> dict[str, Any] | None:
    """The manifest; None if there is none.

    Raises:
        InputError: It cannot be read.
    """
    try:
        found: dict[str, Any] = parse_json((directory / _NAME).read_bytes())
        known = isinstance(found, dict) and found.get("format") == _FORMAT
        if not known or not all(isinstance(found.get(field), kind) for field, kind in _FIELDS.items()):
            raise ValueError("unknown format")
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
    problem = _find_problem(directory / texts, expected, content_hash, documents)
    if problem is not None and read_manifest(directory) == expected:
        raise InputError(
            f"{directory}: is not the index that `fas index build` wrote: {problem}; copy the whole folder again, or "
            "build it again",
            kind="index",
        )


def _find_problem(texts: Path, expected: dict[str, Any], content_hash: str, documents: int) -> str | None:
    if expected["content_hash"] != content_hash:
        return "its ledger and its manifest come from different builds"
    if expected["documents"] != documents:
        return f"it holds {documents:,} documents, the build wrote {expected['documents']:,}"
    for name, size in expected["files"].items():
        path = texts / name
        if not path.is_file():
            return f"{name} is missing"
        if path.stat().st_size != size:
            return f"{name} has {path.stat().st_size:,} bytes, the build wrote {size:,}"
    return None


def _list_files(texts: Path) -> dict[str, int]:
    """Size of the list of segments and of every file of a segment; others are left over and will go."""
    segments = json.loads((texts / "meta.json").read_bytes())["segments"]
    identifiers = {str(segment["segment_id"]).replace("-", "") for segment in segments}
    kept = [path for path in texts.iterdir() if path.name == "meta.json" or path.name.split(".")[0] in identifiers]
    return {path.name: path.stat().st_size for path in sorted(kept)}
