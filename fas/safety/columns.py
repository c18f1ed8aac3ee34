"""The columns of every rule table: what each cell may hold. The tables themselves are in `safety/rules`."""

from __future__ import annotations

from fas.safety.tables import SafetyColumn

SECTIONS = frozenset({"contraindication", "boxed_warning"})
_CHECKS = frozenset({"found", "not_found", "no_label"})
_REVIEWS = frozenset({"unreviewed", "reviewed", "disputed"})

_EVIDENCE = (
    SafetyColumn("source", required=True, example="FDA label"),
    SafetyColumn("document", required=True, example="set id 9f3b..., section 4"),
    SafetyColumn("date", required=True, pattern=r"\d{4}(-\d{2}){0,2}", example="2023-04-18"),
    SafetyColumn("label_check", required=True, allowed=_CHECKS),
    SafetyColumn("review", required=True, allowed=_REVIEWS),
)
_ID = SafetyColumn("id", required=True, pattern=r"[A-Z]{2}\d{4}", example="CI0001")
_DRUG = SafetyColumn("drug", required=True, example="metformin")
_STATEMENT = SafetyColumn("statement", required=True, example="severe kidney impairment (eGFR below 30)")

CONDITION_COLUMNS = (
    SafetyColumn("key", required=True, pattern=r"[a-z0-9_]+", example="asthma"),
    SafetyColumn("label", required=True),
    SafetyColumn("patterns"),
    SafetyColumn("label_terms", required=True),
    SafetyColumn("measure"),
    SafetyColumn("implies"),
    SafetyColumn("family_counts", allowed=frozenset({"yes"})),
)
CONTRAINDICATION_COLUMNS = (
    _ID,
    _DRUG,
    SafetyColumn("target", required=True, example="asthma"),
    _STATEMENT,
    SafetyColumn("section", required=True, allowed=SECTIONS),
    SafetyColumn("scope"),
    *_EVIDENCE,
)
PAIR_COLUMNS = (
    _ID,
    _DRUG,
    SafetyColumn("partner", required=True, example="class:nitrates"),
    _STATEMENT,
    SafetyColumn("section", required=True, allowed=SECTIONS),
    SafetyColumn("scope"),
    *_EVIDENCE,
)
PREGNANCY_COLUMNS = (
    _ID,
    _DRUG,
    _STATEMENT,
    SafetyColumn("section", required=True, allowed=SECTIONS | {"warning"}),
    SafetyColumn("severity", required=True, allowed=frozenset({"high", "info"})),
    SafetyColumn("scope", required=True),
    *_EVIDENCE,
)
INTERACTION_COLUMNS = (
    _ID,
    _DRUG,
    SafetyColumn("partner", required=True, example="class:nsaids"),
    _STATEMENT,
    SafetyColumn("section", required=True, allowed=SECTIONS | {"warning", "interactions", "list"}),
    SafetyColumn("severity", required=True, allowed=frozenset({"medium", "low"})),
    SafetyColumn("scope"),
    *_EVIDENCE,
)
POPULATION_COLUMNS = (
    _ID,
    _DRUG,
    SafetyColumn("population", required=True, example="breastfeeding"),
    _STATEMENT,
    SafetyColumn("section", required=True, allowed=SECTIONS | {"warning", "populations"}),
    SafetyColumn("scope", required=True, example="severe_renal_impairment"),
    *_EVIDENCE,
)
BOUND_COLUMNS = (
    _ID,
    _DRUG,
    SafetyColumn("strength", required=True, pattern=r"\d+(\.\d+)?", example="0.3"),
    SafetyColumn("unit", required=True, allowed=frozenset({"mg", "mg injected", "mg/hour", "units"})),
    SafetyColumn("factor", required=True, pattern=r"\d+", example="5"),
    SafetyColumn("per_day", pattern=r"\d*", example="4"),
    _STATEMENT,
    *_EVIDENCE,
)
AGE_COLUMNS = (
    _ID,
    _DRUG,
    _STATEMENT,
    SafetyColumn("section", required=True, allowed=SECTIONS | {"warning"}),
    SafetyColumn("scope", required=True),
    *_EVIDENCE,
)
DOSE_COLUMNS = (
    _ID,
    _DRUG,
    SafetyColumn(
        "route",
        required=True,
        allowed=frozenset({"oral", "rectal", "transdermal", "inhaled", "nasal", "injection", "any"}),
    ),
    SafetyColumn("scope", required=True, example="age_years>=18"),
    SafetyColumn("max", required=True, pattern=r"\d+(\.\d+)?", example="4000"),
    SafetyColumn("unit", required=True, allowed=frozenset({"mg/day", "mg/week", "mg/kg/day"})),
    _STATEMENT,
    *_EVIDENCE,
)
BOXED_COLUMNS = (
    _ID,
    _DRUG,
    SafetyColumn("risk", required=True),
    SafetyColumn("concepts", required=True),
    *_EVIDENCE,
)
ALLERGY_COLUMNS = (
    _ID,
    SafetyColumn("allergy", required=True, pattern=r"[a-z0-9_]+", example="penicillin_allergy"),
    SafetyColumn("words"),
    SafetyColumn("triggers", required=True),
    SafetyColumn("members", required=True),
    SafetyColumn("relation", required=True, allowed=frozenset({"same", "cross"})),
    _STATEMENT,
    *_EVIDENCE,
)
