"""Writes the tables whose rows are read from texts at hand: populations, interactions and bounds of plausibility.

    FAS_DATA_DIR=... python -m benchmarks.safety.label_rows --write     # without it: says what would change

- `populations.tsv`: labels that say of a population that it should not be given the drug; the words are searched for
  in the sections named below, and combinations of drugs are left out.
- `interactions.tsv`: the pairs listed here, each with the words that must stand in the label or list it cites; a pair
  whose words are not found is not written.
- `dose_bounds.tsv`: for each drug listed here the largest strength among RxNorm's clinical drugs of the forms named.

Rows numbered from 1001 on are written by hand, from general knowledge of labels and public lists, and kept as they stand;
`label_check` says of each whether the other drug or the population stands in a label at hand.

The texts are not part of the project; they are read from the data folder.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import os
import re
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from fas.safety.matcher import DrugMatcher
from fas.safety.rules import read_rules, rule_folder
from fas.safety.text import normalise_text

BY_HAND = re.compile(r"[A-Z]{2}[1-9]\d{3}\t")
LABEL_DATE = re.compile(r"(\d{4})(\d{2})(\d{2})")
RXNORM_DATE = "2025-10-06"
MATRIX_DATE = "2025-07-02"
ONC_DATE = "2012"
SECTIONS = {
    "use_in_specific_populations": "populations",
    "warnings_and_cautions": "warning",
    "warnings": "warning",
    "geriatric_use": "populations",
    "pregnancy": "populations",
    "dosage_and_administration": "populations",
}
POPULATIONS = (
    ("breastfeeding", "breastfeeding", "breastfeeding is not recommended during treatment",
     r"breast-?feeding (?:is )?not recommended|advise (?:\w+ ){0,3}not to (?:breast-?feed|nurse)|do not breast-?feed"),
    (
        "severe_renal_impairment",
        "severe_renal_impairment",
        "not recommended in severe kidney impairment",
        r"(?:avoid|not recommended|not be used)[^.;]{0,60}\bsevere renal (?:impairment|insufficiency)|"
        r"severe renal (?:impairment|insufficiency)[^.;]{0,40}(?:avoid|not recommended)|avoid[^.;]{0,60}advanced renal disease",
    ),
    (
        "severe_hepatic_impairment",
        "severe_hepatic_impairment",
        "not recommended in severe liver impairment",
        r"(?:avoid|not recommended|not be used)[^.;]{0,60}\bsevere (?:\(Child-Pugh[^)]*\) )?hepatic impairment|"
        r"severe hepatic impairment[^.;]{0,60}(?:: ?avoid|not recommended)",
    ),
    ("old_age", "age_years>=75", "generally not recommended from 75 years on",
     r"75 years of age[^.;]{0,80}not recommended"),
)  # fmt: skip
# The label speaks of HIV, of an infusion, or of something else than the drug as it is commonly taken.
NOT_OF_THE_DRUG = frozenset({"allopurinol", "dronabinol", "nelfinavir", "abacavir", "sodium nitrite"})

# In place of a row that was taken back: its number is not used again.
WITHDRAWN = ("", "", "", "", "", "", "", "")
# drug, partner, own words, section of the row, severity, whose label (or list), section of the text, words in it
INTERACTIONS: tuple[tuple[str, str, str, str, str, str, str, str], ...] = (
    ("warfarin", "class:nsaids", "bleeding risk rises", "interactions", "medium", "WARFARIN SODIUM", "drug_interactions", r"Nonsteroidal Anti-Inflammatory"),
    ("warfarin", "class:antiplatelets", "bleeding risk rises", "interactions", "medium", "WARFARIN SODIUM", "drug_interactions", r"Antiplatelet Agents"),
    ("warfarin", "aspirin", "bleeding risk rises", "interactions", "medium", "WARFARIN SODIUM", "drug_interactions", r"\baspirin\b"),
    ("warfarin", "class:ssri", "bleeding risk rises", "interactions", "low", "WARFARIN SODIUM", "drug_interactions", r"Serotonin Reuptake Inhibitors"),
    ("rivaroxaban", "class:nsaids", "bleeding risk rises", "interactions", "medium", "RIVAROXABAN", "drug_interactions", r"NSAID"),
    ("rivaroxaban", "aspirin", "bleeding risk rises", "interactions", "medium", "RIVAROXABAN", "drug_interactions", r"aspirin"),
    ("rivaroxaban", "clopidogrel", "bleeding risk rises", "interactions", "medium", "RIVAROXABAN", "drug_interactions", r"clopidogrel"),
    ("class:anticoagulants", "celecoxib", "bleeding risk rises", "interactions", "medium", "CELECOXIB", "drug_interactions", r"anticoagulants?"),
    ("class:anticoagulants", "meloxicam", "bleeding risk rises", "interactions", "medium", "MELOXICAM", "drug_interactions", r"anticoagulants?"),
    ("class:anticoagulants", "class:nsaids", "NSAIDs and anticoagulants raise each other's effect on bleeding", "interactions", "medium", "PIROXICAM", "drug_interactions", r"anticoagulants?"),
    ("lithium", "class:nsaids", "NSAIDs raise lithium levels", "interactions", "medium", "MELOXICAM", "drug_interactions", r"NSAIDs have produced elevations in plasma lithium"),
    ("lithium", "class:thiazide_like", "lithium should generally not be given to patients who receive diuretics: toxicity", "list", "medium", "MATRIX lithium cation", "", r"receiving diuretics"),
    ("class:opioids", "class:benzodiazepines", "profound sedation, respiratory depression, coma and death", "boxed_warning", "medium", "DIAZEPAM", "boxed_warning", r"benzodiazepines and opioids may result in profound sedation"),
    ("tramadol", "class:ssri", "serotonin syndrome and seizures", "interactions", "medium", "TRAMADOL HYDROCHLORIDE", "drug_interactions", r"Selective serotonin reuptake inhibitors"),
    ("tramadol", "class:snri", "serotonin syndrome and seizures", "interactions", "medium", "TRAMADOL HYDROCHLORIDE", "drug_interactions", r"SNRIs"),
    ("tramadol", "class:tricyclics", "serotonin syndrome and seizures", "interactions", "medium", "TRAMADOL HYDROCHLORIDE", "drug_interactions", r"tricyclic antidepressants"),
    ("tramadol", "class:triptans", "serotonin syndrome", "interactions", "low", "TRAMADOL HYDROCHLORIDE", "drug_interactions", r"triptans"),
    ("tramadol", "linezolid", "serotonin syndrome", "interactions", "medium", "TRAMADOL HYDROCHLORIDE", "drug_interactions", r"linezolid"),
    ("tramadol", "carbamazepine", "tramadol's effect falls and seizures may occur; not recommended", "interactions", "medium", "TRAMADOL HYDROCHLORIDE", "drug_interactions", r"carbamazepine is not recommended"),
    ("citalopram", "class:triptans", "serotonin syndrome", "warning", "low", "CITALOPRAM", "warnings_and_cautions", r"triptans"),
    ("class:ssri", "linezolid", "serotonin syndrome", "contraindication", "medium", "CITALOPRAM", "contraindications", r"linezolid"),
    ("methotrexate", "trimethoprim", "methotrexate toxicity; avoid concurrent use", "interactions", "medium", "SULFAMETHOXAZOLE AND TRIMETHOPRIM", "drug_interactions", r"Methotrexate Avoid concurrent use"),
    ("methotrexate", "sulfamethoxazole", "methotrexate toxicity; avoid concurrent use", "interactions", "medium", "SULFAMETHOXAZOLE AND TRIMETHOPRIM", "drug_interactions", r"Methotrexate Avoid concurrent use"),
    ("methotrexate", "class:nsaids", "NSAIDs raise the risk of methotrexate toxicity", "interactions", "medium", "MELOXICAM", "drug_interactions", r"methotrexate"),
    ("class:ace_inhibitors", "trimethoprim", "high potassium; avoid concurrent use", "interactions", "medium", "SULFAMETHOXAZOLE AND TRIMETHOPRIM", "drug_interactions", r"Angiotensin Converting Enzyme Inhibitors Avoid concurrent use"),
    ("class:ace_inhibitors", "sulfamethoxazole", "high potassium; avoid concurrent use", "interactions", "medium", "SULFAMETHOXAZOLE AND TRIMETHOPRIM", "drug_interactions", r"Angiotensin Converting Enzyme Inhibitors Avoid concurrent use"),
    ("warfarin", "sulfamethoxazole", "bleeding: the prothrombin time is prolonged", "interactions", "medium", "SULFAMETHOXAZOLE AND TRIMETHOPRIM", "drug_interactions", r"warfarin"),
    ("phenytoin", "sulfamethoxazole", "phenytoin levels rise", "interactions", "low", "SULFAMETHOXAZOLE AND TRIMETHOPRIM", "drug_interactions", r"phenytoin"),
    ("simvastatin", "class:strong_cyp3a4_inhibitors", "myopathy and rhabdomyolysis", "interactions", "medium", "SIMVASTATIN", "drug_interactions", r"strong CYP3A4 inhibitor"),
    ("simvastatin", "erythromycin", "myopathy and rhabdomyolysis", "interactions", "medium", "SIMVASTATIN", "drug_interactions", r"erythromycin"),
    ("simvastatin", "gemfibrozil", "myopathy and rhabdomyolysis", "interactions", "medium", "SIMVASTATIN", "drug_interactions", r"gemfibrozil"),
    ("simvastatin", "amiodarone", "myopathy; no more than 20 mg of simvastatin a day", "interactions", "low", "SIMVASTATIN", "drug_interactions", r"amiodarone"),
    ("atorvastatin", "clarithromycin", "myopathy; no more than 20 mg of atorvastatin a day", "interactions", "medium", "ATORVASTATIN CALCIUM", "drug_interactions", r"clarithromycin"),
    ("atorvastatin", "itraconazole", "myopathy; no more than 20 mg of atorvastatin a day", "interactions", "medium", "ATORVASTATIN CALCIUM", "drug_interactions", r"itraconazole"),
    ("atorvastatin", "gemfibrozil", "myopathy and rhabdomyolysis", "interactions", "medium", "ATORVASTATIN CALCIUM", "drug_interactions", r"gemfibrozil"),
    ("atorvastatin", "cyclosporine", "myopathy and rhabdomyolysis", "interactions", "medium", "ATORVASTATIN CALCIUM", "drug_interactions", r"cyclosporine"),
    ("rosuvastatin", "gemfibrozil", "myopathy and rhabdomyolysis", "interactions", "medium", "ROSUVASTATIN CALCIUM", "drug_interactions", r"gemfibrozil"),
    ("class:nsaids", "class:ace_inhibitors", "kidney function may fall and blood pressure rise", "interactions", "low", "MELOXICAM", "drug_interactions", r"ACE Inhibitors"),
    ("class:nsaids", "class:arbs", "kidney function may fall and blood pressure rise", "interactions", "low", "MELOXICAM", "drug_interactions", r"Angiotensin Receptor Blockers"),
    ("class:nsaids", "digoxin", "digoxin levels rise", "interactions", "low", "MELOXICAM", "drug_interactions", r"digoxin"),
    ("azathioprine", "allopurinol", "severe bone marrow toxicity", "interactions", "medium", "AZATHIOPRINE", "drug_interactions", r"allopurinol"),
    ("mercaptopurine", "allopurinol", "severe bone marrow toxicity", "interactions", "medium", "PURIXAN", "drug_interactions", r"allopurinol"),
    ("clopidogrel", "omeprazole", "clopidogrel is activated less; avoid", "interactions", "medium", "CLOPIDOGREL", "drug_interactions", r"omeprazole"),
    ("clopidogrel", "esomeprazole", "clopidogrel is activated less; avoid", "interactions", "medium", "CLOPIDOGREL", "drug_interactions", r"esomeprazole"),
    ("tamoxifen", "paroxetine", "tamoxifen is activated less", "interactions", "low", "TAMOXIFEN CITRATE", "drug_interactions", r"paroxetine"),
    ("lamotrigine", "valproate", "lamotrigine levels rise; serious rash", "interactions", "medium", "VALPROIC ACID", "drug_interactions", r"lamotrigine"),
    ("class:carbapenems", "valproate", "valproate levels fall and seizures return", "interactions", "medium", "VALPROIC ACID", "drug_interactions", r"Carbapenem"),
    WITHDRAWN,  # aspirin with prasugrel, which labels prescribe
    ("ticagrelor", "class:strong_cyp3a4_inhibitors", "ticagrelor levels rise; avoid", "interactions", "medium", "TICAGRELOR", "drug_interactions", r"strong (?:CYP3A4? )?inhibitors"),
    ("citalopram", "ondansetron", "QT prolongation", "interactions", "medium", "CITALOPRAM", "drug_interactions", r"drugs that prolong QT"),
    ("triamterene", "potassium chloride", "high potassium", "list", "medium", "MATRIX triamterene", "", r"potassium supplements"),
    ("amiloride", "potassium chloride", "high potassium", "list", "medium", "MATRIX amiloride", "", r"Potassium supplementation"),
)  # fmt: skip

# Forms: regular expressions on the clinical drug.
TABLETS = (
    r"\b(?:Oral (?:Tablet|Capsule)|Disintegrating Oral Tablet|Chewable Tablet|Sublingual|Lozenge|Buccal)\b|Release Oral"
)
PLAIN = r"^(?!.*Release)(?!.* / ).*\b(?:Oral (?:Tablet|Capsule))\b"
# A single dose may be several tablets or more than a millilitre; so many of the largest strength are taken for an error.
ANY_FACTOR = 5
FACTORS = {
    # Millilitres at once: what exceeds 400 to 600 units is beyond the syringes and pens there are.
    "insulin glargine": 2, "insulin lispro": 2, "insulin degludec": 2, "insulin, regular, human": 1,
    "insulin detemir": 4, "insulin isophane": 4, "insulin glulisine, human": 4, "insulin aspart, human": 4,
    "heparin": 3,
    # The largest opioid tablets are for people who are used to them, one at a time.
    "morphine": 3, "oxycodone": 3, "hydrocodone": 3, "hydromorphone": 3, "oxymorphone": 3, "tapentadol": 3,
    # Doses that reach six times the largest strength, or more: to load, once a week, for dependence, once in months.
    "digoxin": 6, "phenytoin": 6, "divalproex": 6,
    "prasugrel": 10, "methotrexate": 10, "ergocalciferol": 10,
    # Who depends on opioids is kept on 80 to 120 mg, once a day.
    "methadone": 20,
}  # fmt: skip
OFTEN_FACTOR, DAILY_FACTOR = 3, 1  # four times a day or more often; every day what is made for once a week
# Name in RxNorm, form, times a day, factor.
BOUNDS: tuple[tuple[str, str, int, int], ...] = (
    *((name, r"Injec|Cartridge", 0, FACTORS.get(name, ANY_FACTOR)) for name in (
        "insulin glargine", "insulin lispro", "insulin detemir", "insulin degludec", "insulin isophane",
        "insulin glulisine, human", "insulin aspart, human", "insulin, regular, human",
    )),
    ("heparin", r"Injec|Prefilled", 0, FACTORS["heparin"]),
    *((name, TABLETS, 0, FACTORS.get(name, ANY_FACTOR)) for name in (
        "levothyroxine", "liothyronine", "warfarin", "lithium carbonate", "phenytoin", "divalproex", "methotrexate",
        "digoxin", "glipizide", "glyburide", "glimepiride", "colchicine", "clonidine",
        "methadone", "hydromorphone", "oxymorphone", "rivaroxaban", "dabigatran etexilate",
        "edoxaban", "prasugrel", "ticagrelor", "flecainide", "tacrolimus", "fentanyl", "buprenorphine",
        "oxycodone", "morphine", "hydrocodone", "codeine", "tapentadol", "carbamazepine", "lamotrigine", "clonazepam",
        "lorazepam", "diazepam", "dexamethasone", "fludrocortisone", "misoprostol", "cabergoline",
    )),
    ("ergocalciferol", PLAIN, 0, FACTORS["ergocalciferol"]),
    ("ergocalciferol", PLAIN, 1, DAILY_FACTOR),
    *((name, PLAIN, 4, OFTEN_FACTOR) for name in ("morphine", "oxycodone", "codeine", "hydromorphone", "oxymorphone")),
)  # fmt: skip
OFTEN = {
    0: "",
    1: " made for once a week, taken every day,",
    4: " for immediate release, four times a day or more often",
}
UNITS_OF_VITAMIN_D = 40_000  # in a milligram
IN_VOCABULARY = {"lithium carbonate": "lithium", "divalproex": "valproate", "ergocalciferol": "vitamin D"}
COLUMNS = {
    "populations.tsv": "id drug population statement section scope source document date label_check review",
    "interactions.tsv": "id drug partner statement section severity scope source document date label_check review",
    "dose_bounds.tsv": "id drug strength unit factor per_day statement source document date label_check review",
}


def _labels(data: Path) -> list[dict[str, Any]]:
    path = data / "safety" / "openfda_labels_pharmgkb" / "labels.jsonl.gz"
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        found = [json.loads(line) for line in lines]
    return sorted((x for x in found if x["effective_time"]), key=lambda x: str(x["effective_time"]), reverse=True)


def _name(label: dict[str, Any]) -> str:
    return " ".join(label.get("generic_name") or label.get("brand_name") or [])


def _date(label: dict[str, Any]) -> str:
    return LABEL_DATE.sub(r"\1-\2-\3", label["effective_time"])


def populations(data: Path) -> list[dict[str, str]]:
    """Rows of labels that speak against a population."""
    book = read_rules(rule_folder())
    matcher = DrugMatcher(book.vocabulary, stop=book.stop)
    forbidden = {(drug, rule.target) for rule in book.contraindications for drug in rule.drugs}
    rows: dict[tuple[str, str], dict[str, str]] = {}
    for label in _labels(data):
        named = _name(label)
        found = matcher.find(normalise_text(named.lower()))
        if re.search(r",| and ", named, re.IGNORECASE) or len(found) != 1 or len(found[0].ingredients) != 1:
            continue
        drug = found[0].lead
        for population, scope, statement, words in POPULATIONS:
            if drug in NOT_OF_THE_DRUG or (drug, scope) in forbidden or (drug, scope) in rows:
                continue
            for section, as_section in SECTIONS.items():
                if re.search(words, " ".join(label.get(section) or []), re.IGNORECASE):
                    rows[drug, scope] = {
                        "drug": drug, "population": population, "statement": statement, "section": as_section,
                        "scope": scope, "source": "openFDA label", "document": f"set id {label['set_id']}",
                        "date": _date(label), "label_check": "found", "review": "unreviewed",
                    }  # fmt: skip
                    break
    return [rows[key] for key in sorted(rows)]


def interactions(data: Path) -> list[dict[str, str]]:
    """Rows of the pairs above whose words stand in what they cite, and of the list of high-priority interactions."""
    labels = _labels(data)
    csv.field_size_limit(10**9)
    texts: dict[str, list[str]] = {}
    path = data / "safety" / "matrix_contraindications" / "fda_label_contraindication_text.tsv.gz"
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for row in csv.DictReader(lines, delimiter="\t"):
            texts.setdefault(row["active ingredient"], []).append(row["contraindications"])
    rows = []
    for drug, partner, statement, section, severity, whose, where, words in INTERACTIONS:
        if not drug:
            rows.append({})
            continue
        source = document = date = ""
        if whose.startswith("MATRIX "):
            if any(re.search(words, text) for text in texts.get(whose.removeprefix("MATRIX "), [])):
                source, date = "DailyMed label", MATRIX_DATE
                document = f"contraindications section of {whose.removeprefix('MATRIX ')} as listed by MATRIX"
        else:
            for label in labels:
                if _name(label) == whose and re.search(words, " ".join(label.get(where) or []), re.IGNORECASE):
                    source, document, date = "openFDA label", f"set id {label['set_id']}", _date(label)
                    break
        if not source:
            print(f"not found, not written: {drug} + {partner}: {words!r} in {whose}", file=sys.stderr)
            continue
        rows.append({
            "drug": drug, "partner": partner, "statement": statement, "section": section, "severity": severity,
            "scope": "", "source": source, "document": document, "date": date, "label_check": "found",
            "review": "unreviewed",
        })  # fmt: skip
    return [*rows, *_qt_pairs(data)]


def _qt_pairs(data: Path) -> Iterable[dict[str, str]]:
    book = read_rules(rule_folder())
    known = book.vocabulary.ingredients
    partners: dict[str, set[str]] = {}
    taken = {frozenset((one, two)) for rule in book.pairs for one in rule.drugs for two in rule.partners}
    with (data / "safety" / "onc_high_priority" / "onc_high_priority_expanded.tsv").open(encoding="utf-8") as lines:
        for row in csv.DictReader(lines, delimiter="\t"):
            one, two = sorted((row["drug1"].lower(), row["drug2"].lower()))
            if one in known and two in known and one != two and frozenset((one, two)) not in taken:
                partners.setdefault(one, set()).add(two)
    for one in sorted(partners):
        yield {
            "drug": one, "partner": "; ".join(sorted(partners[one])),
            "statement": "on the list of pairs that are never to be combined (both prolong the QT interval, or as listed)",
            "section": "list", "severity": "medium", "scope": "", "source": "ONC high-priority interactions",
            "document": "Phansalkar et al., JAMIA 2012;19:735, expanded by the DIKB group", "date": ONC_DATE,
            "label_check": "found", "review": "unreviewed",
        }  # fmt: skip


def bounds(data: Path) -> list[dict[str, str]]:
    """Rows of the largest strengths."""
    book = read_rules(rule_folder())
    path = data / "safety" / "rxnorm_prescribable_2025-10_extract" / "clinical_drugs.tsv.gz"
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        drugs = [(row["scdc_name"], row["scd_name"]) for row in csv.DictReader(lines, delimiter="\t")]
    rows = []
    for name, form, per_day, factor in BOUNDS:
        of_it = re.compile(rf"{re.escape(name)}(?:,? [\w-]+)* ([\d.]+) (MG|UNT)(/ML)?$", re.IGNORECASE)
        strengths: dict[str, float] = {}
        for component, clinical in drugs:
            found = of_it.match(component)
            if found is None or re.search(form, clinical) is None:
                continue
            unit = "units" if found[2].upper() == "UNT" else "mg"
            strengths[unit] = max(strengths.get(unit, 0.0), float(found[1]))
        drug = IN_VOCABULARY.get(name, name)
        if not strengths or drug not in book.vocabulary.ingredients:
            print(f"no strength of this form, not written: {name}", file=sys.stderr)
            continue
        if drug == "vitamin D":  # RxNorm gives the capsules of 50,000 units by their mass
            strengths = {"mg": strengths["mg"], "units": strengths["mg"] * UNITS_OF_VITAMIN_D}
        for unit, strength in sorted(strengths.items()):
            per = "mL" if "Injec" in form else "tablet or capsule"
            rows.append({
                "drug": drug, "strength": f"{strength:g}", "unit": unit, "factor": str(factor),
                "per_day": str(per_day or ""),
                "statement": f"the largest marketed strength{OFTEN[per_day]} is {strength:g} {unit} in one {per}; "
                + ("that" if factor == 1 else f"{factor} times that")
                + " is the bound",
                "source": "RxNorm Current Prescribable Content", "document": "clinical drugs, release of 6 October 2025",
                "date": RXNORM_DATE, "label_check": "found", "review": "unreviewed",
            })  # fmt: skip
    return rows


def main() -> int:
    """Make the three tables, and write them if told so."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="write the tables; without it they are compared")
    options = parser.parse_args()
    data = Path(os.environ.get("FAS_DATA_DIR", Path(__file__).resolve().parents[3] / "shared" / "data"))
    if not data.is_dir():
        print(f"no data in {data}; set FAS_DATA_DIR to the data folder", file=sys.stderr)
        return 2
    differs = 0
    for name, prefix, make in (
        ("populations.tsv", "PO", populations), ("interactions.tsv", "IX", interactions), ("dose_bounds.tsv", "DB", bounds)
    ):  # fmt: skip
        header = COLUMNS[name].split()
        rows = [{"id": f"{prefix}{number:04d}", **row} for number, row in enumerate(make(data), start=1) if row]
        path = rule_folder() / name
        by_hand = [line for line in path.read_text(encoding="utf-8").splitlines() if BY_HAND.match(line)]
        made = ("\t".join(cells) for cells in (header, *([row[c] for c in header] for row in rows)))
        text = "\n".join((*made, *by_hand)) + "\n"
        if options.write:
            path.write_text(text, encoding="utf-8")
        same = path.is_file() and path.read_text(encoding="utf-8") == text
        differs += not same
        print(f"{name}: {len(rows)} rows{'' if same else ', differs from the table in use'}")
    return 1 if differs else 0


if __name__ == "__main__":
    sys.exit(main())
