"""The rule tables as typed records, checked when they are read.

A rule speaks of an ingredient or of a class (`class:ace_inhibitors`), and its scope says when
it applies (`fas.safety.scope`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from fas.core.errors import InputError
from fas.safety.columns import (
    AGE_COLUMNS,
    ALLERGY_COLUMNS,
    BOUND_COLUMNS,
    BOXED_COLUMNS,
    CONDITION_COLUMNS,
    CONTRAINDICATION_COLUMNS,
    DOSE_COLUMNS,
    INTERACTION_COLUMNS,
    PAIR_COLUMNS,
    POPULATION_COLUMNS,
    PREGNANCY_COLUMNS,
)
from fas.safety.scope import ALWAYS, Scope, read_scope
from fas.safety.tables import SafetyColumn, SafetyRow, read_table
from fas.safety.vocabulary import Vocabulary, read_vocabulary


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition of a patient and how texts speak of it.

    Attributes:
        key: Name used by the rules.
        label: Name for people.
        patterns: Regular expressions that find it.
        label_terms: Regular expression that finds it in a drug label.
        measure: Measurements that establish it, e.g. `egfr<30`.
        implies: Broader conditions.
        family_counts: It counts when a relative has it.
    """

    key: str
    label: str
    patterns: tuple[re.Pattern[str], ...]
    label_terms: str
    measure: Scope | None
    implies: tuple[str, ...]
    family_counts: bool


@dataclass(frozen=True, slots=True)
class SafetyRule:
    """One row of a rule table.

    Attributes:
        id: Identifier that flags quote.
        drugs: Ingredients it speaks of.
        target: Condition, group or risk.
        partners: For a pair, the ingredients that may not be combined with it.
        statement: The rule in our own words, for the message.
        section: contraindication, boxed_warning or warning.
        scope: When it applies.
        severity: high, medium, low or info.
        source: Document behind it.
        patterns: For a boxed warning, what an answer says when it does mention the risk; for an
            allergy, words for the allergen.
        triggers: For an allergy, ingredients the patient may have reacted to.
        trigger_classes: For an allergy, classes of the same kind.
        limit: For a dose, the most allowed; for a bound of plausibility, the largest single dose.
        unit: For a dose, mg/day, mg/week or mg/kg/day; for a bound, mg, mg injected, mg/hour or units.
        per_day: For a bound, how many times a day at least the dose must be taken for it to hold; 0 for any.
        route: For a dose, the route it holds for.
        cross: For an allergy, only a cross-reaction.
        confirmed: A term of the rule was found in a label that was at hand.
    """

    id: str
    drugs: frozenset[str]
    target: str
    statement: str
    section: str
    source: str
    scope: Scope = ALWAYS
    partners: frozenset[str] = frozenset()
    severity: str = "high"
    patterns: tuple[re.Pattern[str], ...] = ()
    triggers: frozenset[str] = frozenset()
    trigger_classes: frozenset[str] = frozenset()
    limit: float = 0.0
    unit: str = ""
    route: str = ""
    per_day: int = 0
    cross: bool = False
    confirmed: bool = True


@dataclass(frozen=True, slots=True)
class RuleBook:
    """Every table of a rule folder, cross-checked.

    Attributes:
        version: Content of `version.txt`.
        vocabulary: Ingredients, names and classes.
        conditions: Key to condition.
        interactions: Pairs that labels warn of without forbidding them.
        populations: Drugs and the populations that their labels warn of.
        bounds: Single doses beyond which an amount is taken for an error.
        stop: Words that are never a drug name.
    """

    version: str
    vocabulary: Vocabulary
    conditions: Mapping[str, Condition]
    contraindications: tuple[SafetyRule, ...]
    pairs: tuple[SafetyRule, ...]
    pregnancy: tuple[SafetyRule, ...]
    ages: tuple[SafetyRule, ...]
    doses: tuple[SafetyRule, ...]
    boxed: tuple[SafetyRule, ...]
    allergies: tuple[SafetyRule, ...]
    interactions: tuple[SafetyRule, ...]
    populations: tuple[SafetyRule, ...]
    bounds: tuple[SafetyRule, ...]
    stop: frozenset[str]

    def tables(self) -> dict[str, int]:
        """How many rules each table that flags are raised from holds, by its name."""
        return {
            "contraindications": len(self.contraindications),
            "pairs": len(self.pairs),
            "interactions": len(self.interactions),
            "pregnancy": len(self.pregnancy),
            "populations": len(self.populations),
            "age_limits": len(self.ages),
            "max_daily_dose": len(self.doses),
            "dose_bounds": len(self.bounds),
            "allergies": len(self.allergies),
            "boxed_warnings": len(self.boxed),
        }


def rule_folder() -> Path:
    """Where the rules of this installation are: in the wheel, else in the checkout.

    Raises:
        FileNotFoundError: Neither is there.
    """
    package = Path(__file__).resolve().parents[1]
    for folder in (package / "_safety" / "rules", package.parent / "safety" / "rules"):
        if (folder / "version.txt").is_file():
            return folder
    raise FileNotFoundError("the safety rules are missing from this installation; reinstall fact-aligned-score")


def read_rules(folder: Path) -> RuleBook:
    """The rule book in *folder*.

    Raises:
        InputError: A table is missing or damaged; the message names file, line and column.
    """
    version_file = folder / "version.txt"
    if not version_file.is_file():
        raise InputError(f"{version_file}: there is no such file; it holds the version of the rules", kind="table")
    version = version_file.read_text(encoding="utf-8").strip()
    if not re.fullmatch(r"[\w.+-]+", version):
        raise InputError(
            f"{version_file}, line 1: field 'version' is {version!r}; expected a form such as 2026.11",
            kind="table",
            line=1,
        )
    vocabulary = read_vocabulary(folder)
    conditions = _conditions(folder)
    reader = _Reader(folder, vocabulary, conditions)
    stop = frozenset(
        row["word"].lower()
        for row in read_table(
            folder / "stoplist.tsv",
            (SafetyColumn("word", required=True), SafetyColumn("reason", required=True)),
            unique="word",
        )
    )
    return RuleBook(
        version,
        vocabulary,
        conditions,
        reader.contraindications(),
        reader.pairs(),
        reader.pregnancy(),
        reader.ages(),
        reader.doses(),
        reader.boxed(),
        reader.allergies(),
        reader.interactions(),
        reader.populations(),
        reader.bounds(),
        stop,
    )


def _conditions(folder: Path) -> dict[str, Condition]:
    rows = read_table(folder / "conditions.tsv", CONDITION_COLUMNS, unique="key")
    keys = {row["key"] for row in rows}
    found = {}
    for row in rows:
        for key in row.many("implies"):
            if key not in keys:
                raise row.error("implies", f"{key!r} is not a key of this table")
        patterns = tuple(_pattern(row, "patterns", text) for text in row.many("patterns", "||"))
        _pattern(row, "label_terms", row["label_terms"])
        measure = read_scope(row, "measure", keys) if row["measure"] else None
        if not patterns and measure is None:
            raise row.error("patterns", "give patterns or a measure, or the condition can never be found")
        found[row["key"]] = Condition(
            row["key"],
            row["label"],
            patterns,
            row["label_terms"],
            measure,
            row.many("implies"),
            row["family_counts"] == "yes",
        )
    return found


# Written in a pattern the American way, found in both spellings.
_SPELLINGS = tuple(
    (re.compile(rf"(?<![o?]){american}" if american[0] == "e" else american), both)
    for american, both in (
        ("esophag", "o?esophag"), ("edema", "o?edema"), ("estrogen", "o?estrogen"), ("diarrhea", "diarrho?ea"),
        ("anemi", "ana?emi"), ("hemorrh", "ha?emorrh"), ("hemat", "ha?emat"), ("hemop", "ha?emop"),
        ("hemol", "ha?emol"), ("hemog", "ha?emog"), ("hemoc", "ha?emoc"), ("leukemi", "leuka?emi"),
        ("glycemi", "glyca?emi"), ("kalemi", "kala?emi"), ("natremi", "natra?emi"), ("calcemi", "calca?emi"),
        ("volemi", "vola?emi"), ("ischemi", "ischa?emi"), ("uremi", "ura?emi"), ("celiac", "co?eliac"),
        ("pheochrom", "pha?eochrom"), ("tumor", "tumou?r"), ("fetal", "fo?etal"), ("pediatric", "pa?ediatric"),
        ("gynecol", "gyna?ecol"), ("dyspnea", "dyspno?ea"), ("apnea", "apno?ea"), ("cesarean", "ca?esarean"),
        ("labor\\b", "labou?r\\b"), ("fiber", "fib(?:er|re)"), ("paralyz", "paraly[sz]"),
    )
)  # fmt: skip


def either_spelling(pattern: str) -> str:
    """*pattern* with American spellings widened to the British ones.

    >>> either_spelling("ischemi|edema")
    'ischa?emi|o?edema'
    """
    for american, both in _SPELLINGS:
        pattern = american.sub(both.replace("\\", r"\\"), pattern)
    return pattern


def _pattern(row: SafetyRow, column: str, text: str) -> re.Pattern[str]:
    try:
        return re.compile(either_spelling(text), re.IGNORECASE)
    except re.error as error:
        raise row.error(column, f"{text!r} is not a regular expression: {error}") from error


class _Reader:
    def __init__(self, folder: Path, vocabulary: Vocabulary, conditions: Mapping[str, Condition]) -> None:
        self._folder = folder
        self._vocabulary = vocabulary
        self._conditions = conditions

    def _rows(self, name: str, columns: tuple[SafetyColumn, ...]) -> list[SafetyRow]:
        return read_table(self._folder / name, columns, unique="id")

    def _drugs(self, row: SafetyRow, column: str) -> frozenset[str]:
        found: set[str] = set()
        for name in row.many(column):
            if name.startswith("class:"):
                group = self._vocabulary.classes.get(name.removeprefix("class:"))
                if group is None:
                    raise row.error(column, f"{name!r} is not in classes.tsv")
                found |= group.members
            elif name in self._vocabulary.ingredients:
                found.add(name)
            else:
                raise row.error(column, f"{name!r} is not in ingredients.tsv; a class is written class:KEY")
        return frozenset(found)

    def _rule(self, row: SafetyRow, column: str = "drug", **more: object) -> SafetyRule:
        cells = row.cells
        values: dict[str, object] = {
            "id": row["id"],
            "drugs": self._drugs(row, column),
            "target": cells.get("target", ""),
            "statement": cells.get("statement", cells.get("risk", "")),
            "section": cells.get("section", ""),
            "source": f"{row['source']}: {row['document']} ({row['date']})",
            "confirmed": row["label_check"] == "found",
            "scope": read_scope(row, "scope", self._conditions) if cells.get("scope") else ALWAYS,
            **more,
        }
        return SafetyRule(**values)  # type: ignore[arg-type]

    def contraindications(self) -> tuple[SafetyRule, ...]:
        rows = self._rows("contraindications.tsv", CONTRAINDICATION_COLUMNS)
        for row in rows:
            if row["target"] not in self._conditions:
                raise row.error("target", "it is not a key of conditions.tsv")
        return tuple(self._rule(row) for row in rows)

    def pairs(self) -> tuple[SafetyRule, ...]:
        rows = self._rows("pairs.tsv", PAIR_COLUMNS)
        return tuple(self._rule(row, target=row["partner"], partners=self._drugs(row, "partner")) for row in rows)

    def interactions(self) -> tuple[SafetyRule, ...]:
        rows = self._rows("interactions.tsv", INTERACTION_COLUMNS)
        return tuple(
            self._rule(row, target=row["partner"], partners=self._drugs(row, "partner"), severity=row["severity"])
            for row in rows
        )

    def populations(self) -> tuple[SafetyRule, ...]:
        rows = self._rows("populations.tsv", POPULATION_COLUMNS)
        return tuple(self._rule(row, target=row["population"], severity="medium") for row in rows)

    def bounds(self) -> tuple[SafetyRule, ...]:
        return tuple(
            self._rule(
                row,
                limit=float(row["strength"]) * int(row["factor"]),
                unit=row["unit"],
                per_day=int(row["per_day"] or 0),
            )
            for row in self._rows("dose_bounds.tsv", BOUND_COLUMNS)
        )

    def pregnancy(self) -> tuple[SafetyRule, ...]:
        rows = self._rows("pregnancy.tsv", PREGNANCY_COLUMNS)
        return tuple(self._rule(row, target="pregnancy", severity=row["severity"]) for row in rows)

    def ages(self) -> tuple[SafetyRule, ...]:
        return tuple(self._rule(row, target=row["scope"]) for row in self._rows("age_limits.tsv", AGE_COLUMNS))

    def doses(self) -> tuple[SafetyRule, ...]:
        return tuple(
            self._rule(row, limit=float(row["max"]), unit=row["unit"], route=row["route"])
            for row in self._rows("max_daily_dose.tsv", DOSE_COLUMNS)
        )

    def boxed(self) -> tuple[SafetyRule, ...]:
        return tuple(
            self._rule(
                row,
                target=row["risk"],
                patterns=tuple(_pattern(row, "concepts", text) for text in row.many("concepts", "||")),
            )
            for row in self._rows("boxed_warnings.tsv", BOXED_COLUMNS)
        )

    def allergies(self) -> tuple[SafetyRule, ...]:
        return tuple(
            self._rule(
                row,
                "members",
                target=row["allergy"],
                triggers=self._drugs(row, "triggers"),
                trigger_classes=frozenset(
                    t.removeprefix("class:") for t in row.many("triggers") if t.startswith("class:")
                ),
                patterns=tuple(_pattern(row, "words", text) for text in row.many("words", "||")),
                cross=row["relation"] == "cross",
                section="contraindication",
            )
            for row in self._rows("allergies.tsv", ALLERGY_COLUMNS)
        )
