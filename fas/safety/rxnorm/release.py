"""The full drug vocabulary from RxNorm's Current Prescribable Content (NLM, public domain).

The release is a zip without licence or login; its folder `rrf` holds RXNCONSO.RRF (names),
RXNREL.RRF (relations) and RXNSAT.RRF (attributes), pipe-delimited, without a header, one pipe
at the end of each line. Columns are those of NLM's RxNorm technical documentation, sections
12.4 (18 columns), 12.7 (16) and 12.5 (13). Courtesy of the U.S. National Library of Medicine.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from fas.core.errors import InputError
from fas.core.files.own import exists_any, replace_file
from fas.safety.vocabulary import Ingredient, Name, Vocabulary

_CONSO_COLUMNS = (
    "RXCUI", "LAT", "TS", "LUI", "STT", "SUI", "ISPREF", "RXAUI", "SAUI", "SCUI", "SDUI", "SAB", "TTY", "CODE", "STR",
    "SRL", "SUPPRESS", "CVF",
)  # fmt: skip
_REL_COLUMNS = (
    "RXCUI1", "RXAUI1", "STYPE1", "REL", "RXCUI2", "RXAUI2", "STYPE2", "RELA", "RUI", "SRUI", "SAB", "SL", "DIR", "RG",
    "SUPPRESS", "CVF",
)  # fmt: skip
_SAT_COLUMNS = (
    "RXCUI", "LUI", "SUI", "RXAUI", "STYPE", "CODE", "ATUI", "SATUI", "ATN", "SAB", "ATV", "SUPPRESS", "CVF",
)  # fmt: skip
_HEADER = "name\trxcui\trxcui_check\tkind"
_CONCEPTS = frozenset({"IN", "PIN", "MIN", "BN"})
_SYNONYMS = frozenset({"SY", "TMSY", "PSN"})


class Concept(NamedTuple):
    """A concept of RxNorm: its name and its type (IN, PIN, MIN or BN)."""

    name: str
    tty: str


@dataclass(frozen=True, slots=True)
class Release:
    """What the vocabulary needs of a release.

    Attributes:
        concepts: RXCUI to concept.
        synonyms: RXCUI to further names.
        relations: Unordered pairs of RXCUIs with the relation's name.
        unii: RXCUI to the FDA's substance identifier.
    """

    concepts: dict[str, Concept] = field(default_factory=dict)
    synonyms: dict[str, list[str]] = field(default_factory=dict)
    relations: list[tuple[str, str, str]] = field(default_factory=list)
    unii: dict[str, str] = field(default_factory=dict)


def read_release(folder: Path) -> Release:
    """The release in *folder*, or in its subfolder `rrf`.

    Raises:
        InputError: A file is missing or a line has the wrong number of columns.
    """
    if (folder / "rrf" / "RXNCONSO.RRF").is_file():
        folder = folder / "rrf"
    release = Release()
    for row in _rows(folder / "RXNCONSO.RRF", _CONSO_COLUMNS):
        if row["SAB"] != "RXNORM" or row["SUPPRESS"] != "N" or row["LAT"] != "ENG":
            continue
        if row["TTY"] in _CONCEPTS:
            release.concepts[row["RXCUI"]] = Concept(row["STR"], row["TTY"])
        elif row["TTY"] in _SYNONYMS:
            release.synonyms.setdefault(row["RXCUI"], []).append(row["STR"])
    for row in _rows(folder / "RXNREL.RRF", _REL_COLUMNS):
        if row["RELA"] in ("tradename_of", "form_of", "has_part") and row["SUPPRESS"] in ("N", ""):
            one, two = row["RXCUI1"], row["RXCUI2"]
            if one in release.concepts and two in release.concepts:
                release.relations.append((one, two, row["RELA"]))
    for row in _rows(folder / "RXNSAT.RRF", _SAT_COLUMNS):
        if row["ATN"] == "UNII_CODE" and row["SUPPRESS"] == "N" and row["RXCUI"] in release.concepts:
            release.unii.setdefault(row["RXCUI"], row["ATV"])
    if not release.concepts:
        raise InputError(f"{folder / 'RXNCONSO.RRF'}: no RxNorm ingredient or brand in it", kind="rxnorm")
    return release


def make_vocabulary(release: Release) -> Vocabulary:
    """Ingredients with their salts, synonyms, brands and combinations.

    A relation's direction is not trusted: which end is the brand, salt or combination follows
    from the types of the two concepts.
    """
    concepts = release.concepts
    ingredients = {rxcui: c.name for rxcui, c in concepts.items() if c.tty == "IN"}
    base: dict[str, set[str]] = {rxcui: {rxcui} for rxcui in ingredients}
    linked: dict[str, set[str]] = {}
    for one, two, _ in release.relations:
        for narrow, wide in ((one, two), (two, one)):
            pair = concepts[narrow].tty, concepts[wide].tty
            if pair in (("PIN", "IN"), ("MIN", "IN"), ("MIN", "PIN")):
                base.setdefault(narrow, set()).update(base.get(wide, {wide} if concepts[wide].tty == "IN" else set()))
            elif pair[0] == "BN" and pair[1] != "BN":
                linked.setdefault(narrow, set()).add(wide)
    names = []
    for rxcui, parts in sorted(base.items()):
        if concepts[rxcui].tty != "IN" and parts:
            kind = "salt" if concepts[rxcui].tty == "PIN" else "combination"
            names.append(Name(concepts[rxcui].name, kind, _sorted_names(parts, ingredients)))
        names += [
            Name(text, "synonym", _sorted_names(parts, ingredients))
            for text in release.synonyms.get(rxcui, [])
            if parts
        ]
    for brand, targets in sorted(linked.items()):
        parts = {part for target in targets for part in base.get(target, set())}
        if parts:
            names.append(Name(concepts[brand].name, "brand", _sorted_names(parts, ingredients)))
    return Vocabulary(
        (Ingredient(name, rxcui) for rxcui, name in sorted(ingredients.items())),
        _unique(names, set(ingredients.values())),
    )


def build_vocabulary(
    out: Path, *, rxnorm: Path | None, names: Sequence[str], base_url: str
) -> tuple[Vocabulary, list[str]]:
    """Write a vocabulary to *out*: what it holds, and the names that RxNav does not know.

    Args:
        out: Folder to write.
        rxnorm: Folder of a release; None to start from nothing.
        names: Names to look up at RxNav.
        base_url: Root of RxNav.

    Raises:
        InputError: A file of the release cannot be used, or *out* holds something else.
        RxNavError: The service did not answer within the retries.
    """
    from fas.safety.rxnorm.rxnav import RxNav, look_up

    vocabulary, unii = Vocabulary(()), None
    missing: list[str] = []
    if rxnorm is not None:
        release = read_release(rxnorm)
        vocabulary, unii = make_vocabulary(release), release.unii
    if names:
        vocabulary, missing = look_up(vocabulary, names, RxNav(base_url=base_url))
    write_vocabulary(vocabulary, out, version="rxnorm", unii=unii)
    return vocabulary, missing


def write_vocabulary(vocabulary: Vocabulary, folder: Path, *, version: str, unii: dict[str, str] | None = None) -> None:
    """Write `ingredients.tsv`, `names.tsv` and `version.txt` to *folder*, as `read_vocabulary` reads them.

    Raises:
        InputError: There are files of these names that are no vocabulary.
        OSError: The folder cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    _check_replaceable(folder)
    codes = unii or {}
    lines = [_HEADER]
    for item in sorted(vocabulary.ingredients.values(), key=lambda item: item.name.casefold()):
        code = codes.get(item.rxcui or "")
        lines.append(f"{item.name}\t{item.rxcui or ''}\t{version}{'; UNII ' + code if code else ''}\t{item.kind}")
    # First: it is what tells a vocabulary that was begun from files of somebody else.
    _write(folder / "ingredients.tsv", lines)
    lines = ["name\tkind\tingredients\tname_check"]
    for name in sorted(vocabulary.names, key=lambda name: (name.kind, name.text.casefold())):
        if name.kind != "ingredient":
            lines.append(f"{name.text}\t{name.kind}\t{' / '.join(name.ingredients)}\t{version}")
    _write(folder / "names.tsv", lines)
    _write(folder / "version.txt", [version])


def _check_replaceable(folder: Path) -> None:
    found = exists_any(folder / name for name in ("ingredients.tsv", "names.tsv", "version.txt"))
    if found is None:
        return
    try:
        with (folder / "ingredients.tsv").open(encoding="utf-8") as file:
            ours = file.readline().rstrip("\n") == _HEADER
    except (OSError, UnicodeDecodeError):
        ours = False
    if not ours:
        raise InputError(
            f"{found}: is there already and belongs to no vocabulary; give another folder with -o, or move it away",
            kind="not_ours",
        )


def _write(path: Path, lines: list[str]) -> None:
    with replace_file(path) as file:
        file.write("\n".join(lines) + "\n")


def _rows(path: Path, columns: tuple[str, ...]) -> Iterator[dict[str, str]]:
    try:
        handle = path.open(encoding="utf-8", newline="\n")
    except FileNotFoundError:
        raise InputError(
            f"{path}: there is no such file; unpack the Current Prescribable Content zip and name the "
            "folder with the .RRF files",
            kind="rxnorm",
        ) from None
    with handle:
        try:
            for number, line in enumerate(handle, start=1):
                cells = line.rstrip("\r\n").split("|")
                if len(cells) == len(columns) + 1 and not cells[-1]:
                    cells.pop()
                if len(cells) != len(columns):
                    raise InputError(
                        f"{path}, line {number}: field "
                        f"{columns[min(len(cells), len(columns)) - 1]!r}: the line has {len(cells)} "
                        "columns; "
                        f"the documented format has {len(columns)}",
                        kind="rxnorm",
                        line=number,
                    )
                yield dict(zip(columns, cells, strict=True))
        except UnicodeDecodeError as error:
            raise InputError(f"{path}: not UTF-8 text ({error})", kind="rxnorm") from error


def _sorted_names(parts: set[str], ingredients: dict[str, str]) -> tuple[str, ...]:
    return tuple(sorted(ingredients[part] for part in parts if part in ingredients))


def _unique(names: list[Name], own: set[str]) -> list[Name]:
    taken = {name.casefold() for name in own}
    kept = []
    for name in names:
        key = name.text.casefold()
        if key not in taken and "\t" not in name.text:
            taken.add(key)
            kept.append(name)
    return kept
