"""What pages are made of: templates, JSON in script blocks that nothing can leave, offsets as JavaScript counts."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from os.path import relpath
from pathlib import Path
from typing import IO, Any
from urllib.parse import quote

import numpy as np

from fas.core.files.own import replace_file
from fas.core.records.as_json import number_or_nan
from fas.report.tables import describe_metric, limits, number, p_value, percent, signed
from fas.report.wrong import format_bias

ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False)
BLOCK = 50  # answers per JSON block: parsed together when one of them is shown
MARK = "<!--answers-->"  # cannot occur in escaped text
_UNSAFE = re.compile("[<>&\u2028\u2029\ud800-\udfff]")


def read_parts(*names: str) -> str:
    """The style sheets or scripts *names* of this folder, one after the other."""
    return "\n".join((Path(__file__).parent / name).read_text(encoding="utf-8") for name in names)


def render(template: str, **values: Any) -> str:
    """The page that *template* of this folder makes of *values*; their text is escaped, and filters format numbers."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("fas", "report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        one.__name__: one for one in (describe_metric, limits, p_value, percent, format_bias, signed)
    }
    environment.filters["number"] = lambda value: number(number_or_nan(value))
    return environment.get_template(template).render(**values)


def count_utf16_offsets(text: str) -> Any:
    """A function from code points to UTF-16 units of *text*; None stays None."""
    if text.isascii() or max(text) < "\U00010000":
        return lambda position: position
    units = np.cumsum([0, *(2 if character > "\uffff" else 1 for character in text)])
    return lambda position: None if position is None else int(units[min(position, len(text))])


def hash_script(script: str) -> str:
    """What a Content-Security-Policy allows *script* by, and nothing else: `sha256-...` of its text.

    The page must hold the text unchanged, with line feeds at the ends of its lines.
    """
    return "sha256-" + base64.b64encode(hashlib.sha256(script.encode("utf-8")).digest()).decode("ascii")


def write_json_blocks(out: IO[str], answers: Iterator[Mapping[str, Any]]) -> None:
    """Write *answers* as blocks of `BLOCK`, named `block-0` and so on, one block in memory at a time."""
    number = 0
    while block := list(islice(answers, BLOCK)):
        out.writelines(write_script_block(f"block-{number}", [ENCODER.encode(block)]))
        number += 1


def write_around_blocks(path: Path, page: str, blocks: IO[str], data: Mapping[str, Any]) -> None:
    """Write *page* with *blocks* and the JSON of *data*, by block names, at its mark `MARK`.

    What UTF-8 cannot hold (half of a surrogate pair in a note, say) shows as the replacement character.

    Raises:
        OSError: The file cannot be written.
    """
    head, _, tail = page.partition(MARK)
    blocks.seek(0)
    with replace_file(path, errors="replace") as out:
        out.write(head)
        for piece in iter(lambda: blocks.read(1 << 16), ""):
            out.write(piece)
        for name, value in data.items():
            # Piece by piece: as one text the index of a large run would take more room than its numbers.
            out.writelines(write_script_block(name, ENCODER.iterencode(value)))
        out.write(tail)


def link_report(scores: Path, page: Path) -> str:
    """Where the report beside *scores* lies, seen from *page*; empty where there is none."""
    report = scores.with_name("report.html")
    return quote(Path(relpath(report.resolve(), page.resolve().parent)).as_posix()) if report.is_file() else ""


def write_script_block(name: str, pieces: Iterable[str]) -> Iterator[str]:
    """*pieces* of JSON as a block of the page; nothing in it can end the block or break a line of script."""
    yield f'<script type="application/json" id="{name}">'
    for piece in pieces:
        yield _UNSAFE.sub(lambda match: f"\\u{ord(match.group()):04x}", piece)
    yield "</script>\n"
