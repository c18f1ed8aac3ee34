"""Which drugs there are, what they are called, and which classes they belong to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from fas.safety.tables import SafetyColumn, read_table

KINDS = frozenset({"drug", "supplement", "exempt", "withdrawn", "not_us"})
_NAME_KINDS = frozenset({"brand", "synonym", "combination", "salt"})

INGREDIENT_COLUMNS = (
    SafetyColumn("name", required=True),
    SafetyColumn("rxcui", pattern=r"\d+", example="6809"),
    SafetyColumn("rxcui_check", required=True),
    SafetyColumn("kind", required=True, allowed=KINDS),
)
NAME_COLUMNS = (
    SafetyColumn("name", required=True),
    SafetyColumn("kind", required=True, allowed=_NAME_KINDS),
    SafetyColumn("ingredients", required=True),
    SafetyColumn("name_check", required=True),
)
CLASS_COLUMNS = (
    SafetyColumn("class", required=True, pattern=r"[a-z0-9_]+", example="ace_inhibitors"),
    SafetyColumn("label", required=True),
    SafetyColumn("names"),
    SafetyColumn("members", required=True),
    SafetyColumn("review", required=True),
)


@dataclass(frozen=True, slots=True)
class Ingredient:
    """One active ingredient.

    Attributes:
        name: RxNorm's name of the ingredient, or the international name.
        rxcui: RxNorm concept identifier of the ingredient, or None where it is not known.
        kind: drug, supplement, exempt (no dose is expected: vaccines, oxygen, emollients),
            withdrawn, or not_us (sold elsewhere only).
    """

    name: str
    rxcui: str | None
    kind: str = "drug"


@dataclass(frozen=True, slots=True)
class Name:
    """A name under which one or more ingredients are sold or known.

    Attributes:
        text: The name as written in the table.
        kind: ingredient, brand, synonym, combination or salt.
        ingredients: Names of the ingredients, the leading one first.
    """

    text: str
    kind: str
    ingredients: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DrugClass:
    """A group of ingredients that rules and texts speak of as one.

    Attributes:
        key: Name used by the rule tables.
        label: Name for people, plural.
        names: How texts name the class, singular; empty for groups only rules speak of.
        members: Names of its ingredients.
    """

    key: str
    label: str
    names: tuple[str, ...]
    members: frozenset[str]


class Vocabulary:
    """Ingredients, names and classes, looked up by name.

    Args:
        ingredients: Every ingredient.
        names: Brands, synonyms and combinations; ingredients' own names are added.
        classes: Classes whose members are ingredients.

    Raises:
        ValueError: A name or class speaks of an unknown ingredient.
    """

    def __init__(
        self, ingredients: Iterable[Ingredient], names: Iterable[Name] = (), classes: Iterable[DrugClass] = ()
    ) -> None:
        self.ingredients: Mapping[str, Ingredient] = {item.name: item for item in ingredients}
        own = [Name(item.name, "ingredient", (item.name,)) for item in self.ingredients.values()]
        self.names: tuple[Name, ...] = (*own, *names)
        self.classes: Mapping[str, DrugClass] = {item.key: item for item in classes}
        for name in self.names:
            self._require(name.ingredients, f"the name {name.text!r}")
        for group in self.classes.values():
            self._require(group.members, f"the class {group.key!r}")

    def _require(self, ingredients: Iterable[str], owner: str) -> None:
        unknown = sorted(set(ingredients) - set(self.ingredients))
        if unknown:
            raise ValueError(f"{owner} speaks of {unknown[0]!r}, which is not in the table of ingredients")

    def rxcui(self, ingredient: str | None) -> str | None:
        """RxNorm identifier of *ingredient*, or None."""
        entry = self.ingredients.get(ingredient or "")
        return entry.rxcui if entry else None

    def extended(self, other: Vocabulary) -> Vocabulary:
        """This vocabulary and what *other* adds; where both know a name, this one wins."""
        known = {name.text.casefold() for name in self.names}
        by_rxcui = {item.rxcui: item.name for item in self.ingredients.values() if item.rxcui}
        same = {name: by_rxcui.get(item.rxcui or "", name) for name, item in other.ingredients.items()}
        added = [
            item for name, item in other.ingredients.items() if same[name] == name and name not in self.ingredients
        ]
        names = [
            Name(
                name.text,
                name.kind if name.kind != "ingredient" else "synonym",
                tuple(same[i] for i in name.ingredients),
            )
            for name in other.names
            if name.text.casefold() not in known
        ]
        own = [name for name in self.names if name.kind != "ingredient"]
        fresh = {item.name.casefold() for item in added}
        return Vocabulary(
            [*self.ingredients.values(), *added],
            [*own, *(name for name in names if name.text.casefold() not in fresh)],
            self.classes.values(),
        )


def read_vocabulary(folder: Path) -> Vocabulary:
    """The vocabulary in `ingredients.tsv`, `names.tsv` and, if there, `classes.tsv` of *folder*.

    Raises:
        InputError: A table is missing or damaged; the message names file, line and column.
    """
    ingredients = [
        Ingredient(row["name"], row["rxcui"] or None, row["kind"])
        for row in read_table(folder / "ingredients.tsv", INGREDIENT_COLUMNS, unique="name")
    ]
    known = {item.name for item in ingredients}
    names = []
    for row in read_table(folder / "names.tsv", NAME_COLUMNS, unique="name"):
        parts = row.many("ingredients", " / ")
        for part in parts:
            if part not in known:
                raise row.error("ingredients", f"{part!r} is not in ingredients.tsv")
        names.append(Name(row["name"], row["kind"], parts))
    classes = []
    if (folder / "classes.tsv").exists():
        for row in read_table(folder / "classes.tsv", CLASS_COLUMNS, unique="class"):
            for member in row.many("members"):
                if member not in known:
                    raise row.error("members", f"{member!r} is not in ingredients.tsv")
            classes.append(DrugClass(row["class"], row["label"], row.many("names"), frozenset(row.many("members"))))
    return Vocabulary(ingredients, names, classes)
