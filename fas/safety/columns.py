"""The columns of every rule table: what each cell may hold. The tables themselves are in `safety/rules`."""

from __future__ import annotations

from fas.safety.tables import SafetyColumn

SECTIONS = frozenset({"contraindication", "boxed_warning"})
_ROUTES = frozenset({"oral", "rectal", "transdermal", "inhaled", "nasal", "injection", "any"})


def _cell(name: str, *, pattern: str | None = None, example: str = "", allowed: str = "") -> SafetyColumn:
    """A column that no row may leave empty; *allowed* lists its only values."""
    return SafetyColumn(name, True, frozenset(allowed.split()) if allowed else None, pattern, example)


def _section(*more: str) -> SafetyColumn:
    return SafetyColumn("section", True, SECTIONS | frozenset(more))


_ID = _cell("id", pattern=r"[A-Z]{2}\d{4}", example="CI0001")
_DRUG = _cell("drug", example="metformin")
_STATEMENT = _cell("statement", example="severe kidney impairment (eGFR below 30)")
_SCOPE, _ANY_SCOPE = _cell("scope", example="age_years>=18"), SafetyColumn("scope")
_EVIDENCE = (
    _cell("source", example="FDA label"),
    _cell("document", example="set id 9f3b..., section 4"),
    _cell("date", pattern=r"\d{4}(-\d{2}){0,2}", example="2023-04-18"),
    _cell("label_check", allowed="found not_found no_label"),
    _cell("review", allowed="unreviewed reviewed disputed"),
)
_PAIR = (_ID, _DRUG, _cell("partner", example="class:nitrates"), _STATEMENT)

CONDITION_COLUMNS = (
    _cell("key", pattern=r"[a-z0-9_]+", example="asthma"),
    _cell("label"),
    SafetyColumn("patterns"),
    _cell("label_terms"),
    SafetyColumn("measure"),
    SafetyColumn("implies"),
    SafetyColumn("family_counts", allowed=frozenset({"yes"})),
)
STOP_COLUMNS = (_cell("word"), _cell("reason"))
_RULES = {
    "contraindications": (_ID, _DRUG, _cell("target", example="asthma"), _STATEMENT, _section(), _ANY_SCOPE),
    "pairs": (*_PAIR, _section(), _ANY_SCOPE),
    "interactions": (
        *_PAIR,
        _section("warning", "interactions", "list"),
        _cell("severity", allowed="medium low"),
        _ANY_SCOPE,
    ),
    "pregnancy": (_ID, _DRUG, _STATEMENT, _section("warning"), _cell("severity", allowed="high info"), _SCOPE),
    "populations": (
        _ID,
        _DRUG,
        _cell("population", example="breastfeeding"),
        _STATEMENT,
        _section("warning", "populations"),
        _SCOPE,
    ),
    "age_limits": (_ID, _DRUG, _STATEMENT, _section("warning"), _SCOPE),
    "max_daily_dose": (
        _ID,
        _DRUG,
        SafetyColumn("route", True, _ROUTES),
        _SCOPE,
        _cell("max", pattern=r"\d+(\.\d+)?", example="4000"),
        _cell("unit", allowed="mg/day mg/week mg/kg/day"),
        _STATEMENT,
    ),
    "dose_bounds": (
        _ID,
        _DRUG,
        _cell("strength", pattern=r"\d+(\.\d+)?", example="0.3"),
        SafetyColumn("unit", True, frozenset({"mg", "mg injected", "mg/hour", "units"})),
        _cell("factor", pattern=r"\d+", example="5"),
        SafetyColumn("per_day", pattern=r"\d*", example="4"),
        _STATEMENT,
    ),
    "boxed_warnings": (_ID, _DRUG, _cell("risk"), _cell("concepts")),
    "allergies": (
        _ID,
        _cell("allergy", pattern=r"[a-z0-9_]+", example="penicillin_allergy"),
        SafetyColumn("words"),
        _cell("triggers"),
        _cell("members"),
        _cell("relation", allowed="same cross"),
        _STATEMENT,
    ),
}
RULE_COLUMNS = {name: (*own, *_EVIDENCE) for name, own in _RULES.items()}
"""The columns of each table of rules, by its name."""
