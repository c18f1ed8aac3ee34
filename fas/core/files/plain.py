"""Readers of text, JSON, JSON Lines and TOML that people and other programs wrote.

A byte order mark is no part of a file. Only a line feed ends a line of JSON Lines: U+2028 and U+0085 may occur in a
string, so `str.splitlines` cuts too often. An error names the file and the line.
"""

from __future__ import annotations

import io
import json
import tomllib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from fas.core.checks import format_value
from fas.core.errors import InputError

_MARK = b"\xef\xbb\xbf"


def parse_json(data: str | bytes, parse: Callable[[str], Any] = json.loads) -> Any:
    """The value of one JSON document, as *parse* reads it: `load_strict_json` for what people write themselves.

    A ValueError is raised if it is not UTF-8, not JSON, or nested too deeply.
    """
    try:
        return parse(data.decode("utf-8-sig") if isinstance(data, bytes) else data.removeprefix("\ufeff"))
    except RecursionError:
        raise ValueError("nested too deeply") from None


def read_json(path: Path, *, parse: Callable[[str], Any] = json.loads) -> Any:
    """The value of a JSON file; an InputError if it cannot be read or is not JSON."""
    try:
        return parse_json(path.read_bytes(), parse)
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}", kind="unreadable") from error
    except ValueError as error:
        raise InputError(f"{path}: not JSON: {error}", kind="json") from error


def scan_json_lines(
    lines: Iterable[bytes], name: str, *, parse: Callable[[str], Any] = json.loads
) -> Iterator[tuple[int, dict[str, Any] | InputError]]:
    """Line number and object of every line that is not blank, or the error of a line that is not a JSON object.

    The *lines* are in UTF-8, each up to its line feed; *name* is the file's name in messages.
    """
    for number, raw in enumerate(lines, start=1):
        raw = raw.removeprefix(_MARK)
        if raw.strip():
            try:
                value = parse_json(raw, parse)
            except ValueError as error:
                yield number, _to_input_error(error, f"{name}, line {number}", number)
            else:
                yield number, check_object(value, f"{name}, line {number}", number)


def check_object(value: object, where: str, line: int) -> dict[str, Any] | InputError:
    """*value*, or an error that begins with *where* if it is not a JSON object."""
    if isinstance(value, dict):
        return value
    return InputError(f"{where}: expected a JSON object, got {format_value(value)}", kind="json", line=line)


def parse_json_lines(
    lines: Iterable[bytes], name: str, *, parse: Callable[[str], Any] = json.loads
) -> Iterator[tuple[int, dict[str, Any]]]:
    """As `scan_json_lines`; the first line that is not a JSON object raises its InputError."""
    for number, found in scan_json_lines(lines, name, parse=parse):
        if isinstance(found, InputError):
            raise found
        yield number, found


def json_lines(path: Path, *, parse: Callable[[str], Any] = json.loads) -> Iterator[tuple[int, dict[str, Any]]]:
    """As `parse_json_lines`, for a file; an InputError also if the file cannot be read."""
    try:
        with path.open("rb") as lines:
            yield from parse_json_lines(lines, str(path), parse=parse)
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}", kind="missing_file") from error


def text_lines(lines: Iterable[bytes], name: str) -> Iterator[str]:
    """The lines of a text with their ends; a carriage return alone ends a line, too. An InputError if it is not UTF-8.

    The *lines* end with a line feed each; *name* is the file's name in messages.
    """
    for number, raw in enumerate(lines, start=1):
        try:
            text = raw.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError as error:
            raise _to_input_error(error, f"{name}, line {number}", number) from error
        yield from io.StringIO(text, newline="")


def parse_toml(data: str | bytes) -> tuple[str, dict[str, Any]]:
    """The text of a TOML document and its content; a ValueError if it is not UTF-8, not TOML, or nested too deeply."""
    text = data.decode("utf-8-sig") if isinstance(data, bytes) else data
    try:
        return text, tomllib.loads(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _to_input_error(error: ValueError, where: str, line: int) -> InputError:
    if isinstance(error, UnicodeDecodeError):
        problem = f"not UTF-8 (byte {error.start + 1} of the line); save the file as UTF-8 (in Excel: 'CSV UTF-8')"
        return InputError(f"{where}: {problem}", kind="encoding", line=line)
    return InputError(f"{where}: not JSON: {error}; expected one JSON object a line", kind="json", line=line)
