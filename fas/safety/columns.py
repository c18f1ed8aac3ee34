"""The columns of every rule table: what each cell may hold. The tables themselves are in `safety/rules`."""

from __future__ import annotations

from fas.safety.tables import Column

SECTIONS = frozenset({"contraindication", "boxed_warning"})
_CHECKS = frozenset({"found", "not_found", "no_label"})
_REVIEWS = frozenset({"unreviewed", "reviewed", "disputed"})

_EVIDENCE = (
    Column("source", required=True, example="FDA label"),
    Column("document", required=True, example="set id 9f3b..., section 4"),
    Column("date", required=True, pattern=r"\d{4}(-\d{2}){0,2}", example="2023-04-18"),
    Column("label_check", required=True, allowed=_CHECKS),
    Column("review", required=True, allowed=_REVIEWS),
)
_ID = Column("id", required=True, pattern=r"[A-Z]{2}\d{4}", example="CI0001")
_DRUG = Column("drug", required=True, example="metformin")
_STATEMENT = Column("statement", required=True, example="severe kidney impairment (eGFR below 30)")

CONDITION_COLUMNS = (
    Column("key", required=True, pattern=r"[a-z0-9_]+", example="asthma"),
    Column("label", required=True),
    Column("patterns"),
    Column("label_terms", required=True),
    Column("measure"),
    Column("implies"),
    Column("family_counts", allowed=frozenset({"yes"})),
)
CONTRAINDICATION_COLUMNS = (
    _ID,
    _DRUG,
    Column("target", required=True, example="asthma"),
    _STATEMENT,
    Column("section", required=True, allowed=SECTIONS),
    Column("scope"),
    *_EVIDENCE,
)
PAIR_COLUMNS = (
    _ID,
    _DRUG,
    Column("partner", required=True, example="class:nitrates"),
    _STATEMENT,
    Column("section", required=True, allowed=SECTIONS),
    Column("scope"),
    *_EVIDENCE,
)
PREGNANCY_COLUMNS = (
    _ID,
    _DRUG,
    _STATEMENT,
    Column("section", required=True, allowed=SECTIONS | {"warning"}),
    Column("severity", required=True, allowed=frozenset({"high", "info"})),
    Column("scope", required=True),
    *_EVIDENCE,
)
INTERACTION_COLUMNS = (
    _ID,
    _DRUG,
    Column("partner", required=True, example="class:nsaids"),
    _STATEMENT,
    Column("section", required=True, allowed=SECTIONS | {"warning", "interactions", "list"}),
    Column("severity", required=True, allowed=frozenset({"medium", "low"})),
    Column("scope"),
    *_EVIDENCE,
)
POPULATION_COLUMNS = (
    _ID,
    _DRUG,
    Column("population", required=True, example="breastfeeding"),
    _STATEMENT,
    Column("section", required=True, allowed=SECTIONS | {"warning", "populations"}),
    Column("scope", required=True, example="severe_renal_impairment"),
    *_EVIDENCE,
)
BOUND_COLUMNS = (
    _ID,
    _DRUG,
    Column("strength", required=True, pattern=r"\d+(\.\d+)?", example="0.3"),
    Column("unit", required=True, allowed=frozenset({"mg", "mg injected", "mg/hour", "units"})),
    Column("factor", required=True, pattern=r"\d+", example="5"),
    Column("per_day", pattern=r"\d*", example="4"),
    _STATEMENT,
    *_EVIDENCE,
)
AGE_COLUMNS = (
    _ID,
    _DRUG,
    _STATEMENT,
    Column("section", required=True, allowed=SECTIONS | {"warning"}),
    Column("scope", required=True),
    *_EVIDENCE,
)
DOSE_COLUMNS = (
    _ID,
    _DRUG,
    Column(
        "route",
        required=True,
        allowed=frozenset({"oral", "rectal", "transdermal", "inhaled", "nasal", "injection", "any"}),
    ),
    Column("scope", required=True, example="age_years>=18"),
    Column("max", required=True, pattern=r"\d+(\.\d+)?", example="4000"),
    Column("unit", required=True, allowed=frozenset({"mg/day", "mg/week", "mg/kg/day"})),
    _STATEMENT,
    *_EVIDENCE,
)
BOXED_COLUMNS = (
    _ID,
    _DRUG,
    Column("risk", required=True),
    Column("concepts", required=True),
    *_EVIDENCE,
)
ALLERGY_COLUMNS = (
    _ID,
    Column("allergy", required=True, pattern=r"[a-z0-9_]+", example="penicillin_allergy"),
    Column("words"),
    Column("triggers", required=True),
    Column("members", required=True),
    Column("relation", required=True, allowed=frozenset({"same", "cross"})),
    _STATEMENT,
    *_EVIDENCE,
)
