"""Text, JSON, JSON Lines and TOML as people and other programs write them; the one reader of each.

A byte order mark is no part of a file. A line of JSON Lines ends with a line feed: U+2028 and U+0085 may stand in a
string, so `str.splitlines` reads something else. What cannot be read is an error with the file and the line.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from fas.core.errors import InputError

_MARK = b"\xef\xbb\xbf"


def parse_json(data: str | bytes, parse: Callable[[str], Any] = json.loads) -> Any:
    """The value of one JSON document.

    Args:
        data: Text, or bytes in UTF-8.
        parse: How it is read; `load_strict_json` for what people write themselves.

    Raises:
        ValueError: It is not UTF-8, not JSON, or nested too deeply.
    """
    try:
        return parse(data.decode("utf-8-sig") if isinstance(data, bytes) else data.removeprefix("\ufeff"))
    except RecursionError:
        raise ValueError("nested too deeply") from None


def read_json(path: Path, *, parse: Callable[[str], Any] = json.loads) -> Any:
    """The value of a JSON file.

    Raises:
        InputError: It cannot be read or is not JSON.
    """
    try:
        return parse_json(path.read_bytes(), parse)
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}", kind="unreadable") from error
    except ValueError as error:
        raise InputError(f"{path}: not JSON: {error}", kind="json") from error


def parse_json_lines(
    lines: Iterable[bytes], name: str, *, parse: Callable[[str], Any] = json.loads
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Line number and object of every line that is not blank.

    Args:
        lines: The lines, in UTF-8, each up to its line feed.
        name: What messages call the file.
        parse: How a line is read; `load_strict_json` for what people write themselves.

    Raises:
        InputError: A line is not a JSON object.
    """
    for number, raw in enumerate(lines, start=1):
        if number == 1:
            raw = raw.removeprefix(_MARK)
        if not raw.strip():
            continue
        where = f"{name}, line {number}"
        try:
            record = parse_json(raw, parse)
        except UnicodeDecodeError as error:
            problem = f"{where}: not UTF-8 (byte {error.start + 1} of the line); save the file as UTF-8"
            raise InputError(problem, kind="encoding", line=number) from error
        except ValueError as error:
            raise InputError(f"{where}: not JSON: {error}", kind="json", line=number) from error
        if not isinstance(record, dict):
            found = type(record).__name__
            raise InputError(f"{where}: expected a JSON object, got {found}", kind="json", line=number)
        yield number, record


def json_lines(path: Path, *, parse: Callable[[str], Any] = json.loads) -> Iterator[tuple[int, dict[str, Any]]]:
    """Line number and object of every line of a file that is not blank; see `parse_json_lines`.

    Raises:
        InputError: The file cannot be read, or a line is not a JSON object.
    """
    try:
        with path.open("rb") as lines:
            yield from parse_json_lines(lines, str(path), parse=parse)
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}", kind="missing_file") from error


def text_lines(lines: Iterable[bytes], name: str) -> Iterator[str]:
    """The lines of a text in UTF-8 with their ends, also those that a carriage return alone ends.

    Args:
        lines: The lines, each up to its line feed.
        name: What messages call the file.

    Raises:
        InputError: A line is not UTF-8; it says what to do.
    """
    for number, raw in enumerate(lines, start=1):
        try:
            text = raw.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError as error:
            raise InputError(
                f"{name}, line {number}: not UTF-8 (byte {error.start + 1} of the line); save the file as UTF-8 "
                "(in Excel: 'CSV UTF-8')",
                kind="encoding",
                line=number,
            ) from error
        yield from io.StringIO(text, newline="")


def parse_toml(data: str | bytes) -> tuple[str, dict[str, Any]]:
    """The text of a TOML document, and what it says.

    Raises:
        ValueError: It is not UTF-8, not TOML, or nested too deeply.
    """
    text = data.decode("utf-8-sig") if isinstance(data, bytes) else data
    import tomllib

    try:
        return text, tomllib.loads(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None
