"""The rule tables as typed records, checked when they are read.

A rule speaks of an ingredient or of a class (`class:ace_inhibitors`), and its scope says when
it applies (`fas.safety.scope`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from fas.core.errors import InputError
from fas.safety.columns import CONDITION_COLUMNS, RULE_COLUMNS, STOP_COLUMNS
from fas.safety.scope import ALWAYS, Scope, read_scope
from fas.safety.tables import SafetyRow, read_table
from fas.safety.vocabulary import Vocabulary, read_vocabulary


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition of a patient and how texts speak of it.

    Attributes:
        key: Name used by the rules.
        label: Name for people.
        patterns: Regular expressions that find it.
        measure: Measurements that establish it, e.g. `egfr<30`.
        implies: Broader conditions.
        family_counts: It counts when a relative has it.
    """

    key: str
    label: str
    patterns: tuple[re.Pattern[str], ...]
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


@dataclass(frozen=True)
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

    @cached_property
    def by_drug(self) -> dict[str, dict[str, list[SafetyRule]]]:
        """For each attribute with rules, those on each ingredient, in the order of the table."""
        found: dict[str, dict[str, list[SafetyRule]]] = {name: {} for name in _TABLES.values()}
        for name, own in found.items():
            for rule in getattr(self, name):
                for drug in rule.drugs:
                    own.setdefault(drug, []).append(rule)
        return found

    @cached_property
    def by_pair(self) -> dict[str, dict[tuple[str, str], SafetyRule]]:
        """For `pairs` and `interactions`, the first rule on each two ingredients, whichever is named first."""
        found: dict[str, dict[tuple[str, str], SafetyRule]] = {"pairs": {}, "interactions": {}}
        for name, own in found.items():
            for rule in getattr(self, name):
                for one, other in ((a, b) for a in rule.drugs for b in rule.partners if a != b):
                    own.setdefault((one, other), rule)
                    own.setdefault((other, one), rule)
        return found

    def tables(self) -> dict[str, int]:
        """How many rules each table that flags are raised from holds, by its name."""
        return {name: len(getattr(self, attribute)) for name, attribute in _TABLES.items()}


_TABLES = {
    "contraindications": "contraindications",
    "pairs": "pairs",
    "interactions": "interactions",
    "pregnancy": "pregnancy",
    "populations": "populations",
    "age_limits": "ages",
    "max_daily_dose": "doses",
    "dose_bounds": "bounds",
    "allergies": "allergies",
    "boxed_warnings": "boxed",
}
"""The attribute of a `RuleBook` that holds each table."""


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
    conditions = _read_conditions(folder)
    stop = frozenset(row["word"].lower() for row in read_table(folder / "stoplist.tsv", STOP_COLUMNS, unique="word"))
    rules = {attribute: _read_table(folder, name, vocabulary, conditions) for name, attribute in _TABLES.items()}
    return RuleBook(version, vocabulary, conditions, stop=stop, **rules)


def _read_conditions(folder: Path) -> dict[str, Condition]:
    rows = read_table(folder / "conditions.tsv", CONDITION_COLUMNS, unique="key")
    keys = {row["key"] for row in rows}
    found = {}
    for row in rows:
        for key in row.many("implies"):
            if key not in keys:
                raise row.error("implies", f"{key!r} is not a key of this table")
        patterns = tuple(_compile_pattern(row, "patterns", text) for text in row.many("patterns", "||"))
        _compile_pattern(row, "label_terms", row["label_terms"])
        measure = read_scope(row, "measure", keys) if row["measure"] else None
        if not patterns and measure is None:
            raise row.error("patterns", "give patterns or a measure, or the condition can never be found")
        found[row["key"]] = Condition(
            row["key"],
            row["label"],
            patterns,
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


def _compile_pattern(row: SafetyRow, column: str, text: str) -> re.Pattern[str]:
    try:
        return re.compile(either_spelling(text), re.IGNORECASE)
    except re.error as error:
        raise row.error(column, f"{text!r} is not a regular expression: {error}") from error


def _find_drugs(vocabulary: Vocabulary, row: SafetyRow, column: str) -> frozenset[str]:
    """The ingredients that a cell names, those of its classes included."""
    found: set[str] = set()
    for name in row.many(column):
        if name.startswith("class:"):
            group = vocabulary.classes.get(name.removeprefix("class:"))
            if group is None:
                raise row.error(column, f"{name!r} is not in classes.tsv")
            found |= group.members
        elif name in vocabulary.ingredients:
            found.add(name)
        else:
            raise row.error(column, f"{name!r} is not in ingredients.tsv; a class is written class:KEY")
    return frozenset(found)


def _read_table(
    folder: Path, name: str, vocabulary: Vocabulary, conditions: Mapping[str, Condition]
) -> tuple[SafetyRule, ...]:
    """The rules of one table."""
    rows = read_table(folder / f"{name}.tsv", RULE_COLUMNS[name], unique="id")
    return tuple(_make_rule(row, name, vocabulary, conditions) for row in rows)


def _make_rule(row: SafetyRow, table: str, vocabulary: Vocabulary, conditions: Mapping[str, Condition]) -> SafetyRule:
    cells = row.cells
    if "target" in cells and cells["target"] not in conditions:
        raise row.error("target", "it is not a key of conditions.tsv")
    named = (cells[name] for name in ("target", "partner", "population", "risk", "allergy") if name in cells)
    more: dict[str, Any] = {name: cells[name] for name in ("severity", "unit", "route") if name in cells}
    if table == "populations":
        more["severity"] = "medium"
    if "partner" in cells:
        more["partners"] = _find_drugs(vocabulary, row, "partner")
    if "max" in cells:
        more["limit"] = float(cells["max"])
    if "strength" in cells:
        more |= {"limit": float(cells["strength"]) * int(cells["factor"]), "per_day": int(cells["per_day"] or 0)}
    for column in ("concepts", "words"):
        if column in cells:
            more["patterns"] = tuple(_compile_pattern(row, column, text) for text in row.many(column, "||"))
    if table == "allergies":
        classes = (text for text in row.many("triggers") if text.startswith("class:"))
        more |= {
            "triggers": _find_drugs(vocabulary, row, "triggers"),
            "trigger_classes": frozenset(text.removeprefix("class:") for text in classes),
            "cross": cells["relation"] == "cross",
        }
    return SafetyRule(
        id=row["id"],
        drugs=_find_drugs(vocabulary, row, "members" if table == "allergies" else "drug"),
        target=next(named, cells.get("scope", "")),
        statement=cells.get("statement", cells.get("risk", "")),
        section=cells.get("section", "contraindication" if table == "allergies" else ""),
        source=f"{row['source']}: {row['document']} ({row['date']})",
        confirmed=row["label_check"] == "found",
        scope=read_scope(row, "scope", conditions) if cells.get("scope") else ALWAYS,
        **more,
    )
