"""What invented studies are made of: outcomes, measures, treatments, groups, and how they are told."""

from __future__ import annotations

import random
from dataclasses import dataclass

from benchmarks.embedded_models.nli.perturb_rules import is_plural

EVENTS = (
    "myocardial infarction|stroke|hospital admission|death from any cause|nausea|vomiting|diarrhea|headache|dizziness|fatigue|"
    "hypoglycemia|major bleeding|wound infection|pneumonia|urinary tract infection|deep vein thrombosis|pulmonary embolism|"
    "atrial fibrillation|acute kidney injury|hip fracture|falls|relapse|disease progression|remission|rash|dry cough|"
    "constipation|insomnia|preterm birth|postpartum hemorrhage|preeclampsia|gout flares|migraine attacks|seizures|delirium|"
    "liver injury|hearing loss|recurrent ulcers|asthma attacks|treatment failure|cardiac arrest|retinopathy|anemia|"
    "readmission within 30 days|graft rejection|surgical complications|local recurrence|distant metastases|complete response|"
    "clinical cure|viral clearance|weight gain|hair loss|depression|panic attacks|sepsis|dementia|neutropenia|edema|jaundice"
).split("|")
# A measure and its unit; a range of plausible values.
MEASURES = (
    ("systolic blood pressure", "mm Hg", 118, 165), ("HbA1c", "%", 6.1, 9.8), ("LDL cholesterol", "mg/dL", 65, 190),
    ("body weight", "kg", 58, 112), ("pain score", "points", 1.5, 8.5), ("serum creatinine", "mg/dL", 0.7, 3.1),
    ("fasting glucose", "mg/dL", 88, 210), ("heart rate", "beats per minute", 58, 112), ("length of stay", "days", 2.1, 14.5),
    ("serum ferritin", "ng/mL", 14, 320), ("C-reactive protein", "mg/L", 1.2, 48), ("depression score", "points", 6, 29),
    ("serum potassium", "mmol/L", 3.2, 5.6), ("time to recovery", "days", 3.5, 21), ("vitamin D level", "ng/mL", 11, 52),
    ("walking distance", "m", 210, 560), ("symptom score", "points", 3, 40), ("serum uric acid", "mg/dL", 4.1, 10.2),
    ("overall survival", "months", 5.2, 41), ("progression-free survival", "months", 2.4, 22), ("bone mineral density", "g/cm2", 0.6, 1.2),
    ("sleep duration", "hours", 4.6, 8.3), ("intraocular pressure", "mm Hg", 11, 27), ("hemoglobin", "g/dL", 8.2, 15.4),
    ("eosinophil count", "cells per microliter", 90, 780), ("operating time", "minutes", 42, 188), ("triglyceride level", "mg/dL", 78, 340),
)  # fmt: skip
DRUGS = (
    "metformin|apixaban|warfarin|amlodipine|lisinopril|sertraline|ketamine|tamoxifen|rituximab|semaglutide|empagliflozin|atorvastatin|"
    "aspirin|clopidogrel|prednisone|azithromycin|amoxicillin|ibuprofen|gabapentin|topiramate|methotrexate|adalimumab|denosumab|zinc|"
    "vitamin D|melatonin|magnesium|fish oil|ivermectin|remdesivir|dexamethasone|tranexamic acid|oxytocin|letrozole|pembrolizumab|"
    "cisplatin|docetaxel|levothyroxine|furosemide|spironolactone|budesonide|montelukast|omeprazole|ondansetron|probiotics|acupuncture|"
    "cognitive behavioral therapy|exercise training|low-salt diet|early surgery|laparoscopic surgery|radiotherapy|propranolol"
).split("|")
CONTROLS = "placebo|usual care|standard care|no treatment|watchful waiting|conventional therapy".split("|")
PEOPLE = (
    ("women", "men"), ("smokers", "nonsmokers"), ("vaccinated adults", "unvaccinated adults"), ("older patients", "younger patients"),
    ("patients with diabetes", "patients without diabetes"), ("obese children", "children of normal weight"), ("carriers", "noncarriers"),
    ("night-shift workers", "day workers"), ("coffee drinkers", "people who drank no coffee"), ("breastfed infants", "formula-fed infants"),
    ("frail patients", "patients who were not frail"), ("exposed workers", "unexposed workers"), ("twins", "singletons"),
    ("vegetarians", "meat eaters"), ("patients with cirrhosis", "patients without cirrhosis"), ("runners", "inactive adults"),
)  # fmt: skip

# How somebody else would call an outcome.
OTHER_NAMES = {
    "myocardial infarction": ("heart attacks",), "death from any cause": ("all-cause mortality", "deaths"), "fatigue": ("tiredness",),
    "hospital admission": ("hospitalization",), "hypoglycemia": ("low blood sugar",), "major bleeding": ("serious bleeding",),
    "deep vein thrombosis": ("blood clots in the leg",), "pulmonary embolism": ("blood clots in the lung",), "edema": ("swelling",),
    "urinary tract infection": ("bladder infection", "UTI"), "acute kidney injury": ("sudden kidney failure",), "falls": ("falling",),
    "hip fracture": ("a broken hip",), "dry cough": ("coughing",), "insomnia": ("trouble sleeping",), "wound infection": ("infected wounds",),
    "preterm birth": ("premature birth",), "postpartum hemorrhage": ("heavy bleeding after birth",), "rash": ("skin eruptions",),
    "seizures": ("convulsions",), "hearing loss": ("loss of hearing",), "neutropenia": ("low neutrophil counts",), "nausea": ("queasiness",),
    "distant metastases": ("spread to other organs",), "weight gain": ("gaining weight",), "hair loss": ("alopecia",), "diarrhea": ("loose stools",),
    "atrial fibrillation": ("AF",), "liver injury": ("liver damage",), "anemia": ("low hemoglobin",), "dizziness": ("light-headedness",),
    "graft rejection": ("rejection of the transplant",), "sepsis": ("blood poisoning",), "vomiting": ("throwing up",),
}  # fmt: skip
# Kinds of people told apart by where they stand alone.
_STANDS = "patients in "
LETTERED = (
    ("patients in group A", "patients in group B"), ("patients in group 1", "patients in group 2"), ("patients in arm A", "patients in arm B"),
    ("patients in the intervention group", "patients in the control group"), ("patients in cohort 1", "patients in cohort 2"),
    ("patients in the early group", "patients in the late group"), ("patients in the treated group", "patients in the untreated group"),
)  # fmt: skip
LETTERED_TREATMENTS = (
    ("drug A", "drug B"), ("regimen A", "regimen B"), ("treatment 1", "treatment 2"), ("dose A", "dose B"), ("device A", "device B"),
    ("high-dose therapy", "low-dose therapy"), ("immediate treatment", "delayed treatment"), ("short-course therapy", "long-course therapy"),
)  # fmt: skip
_BEGINNINGS = "al be ca do e fla gri i ju ka lo mi na o pra ri so te u va xi za bro dul fen gol lis mer nor pel ser tan vel".split()
_MIDDLES = "ba ci do fe ga li lo ma ne pa ri so ta ti vo xi zu re mo va".split()
_ENDINGS = "mab nib pril sartan statin gliptin gliflozin olol azole cillin mycin vir tide zepam pine done xaban parin fen lukast".split()


def other_name(event: str, rng: random.Random) -> str:
    """*event*, one time in three as somebody else would call it, if there is another name."""
    return rng.choice(OTHER_NAMES[event]) if event in OTHER_NAMES and rng.random() < 0.35 else event


def invented_drug(rng: random.Random) -> str:
    """A name that no drug has, or hardly any, so that a name has to be read."""
    middle = "".join(rng.choice(_MIDDLES) for _ in range(rng.choice((0, 1, 1))))
    return rng.choice(_BEGINNINGS) + middle + rng.choice(_ENDINGS)


@dataclass(frozen=True, slots=True)
class Arms:
    """The two groups of an invented study.

    Attributes:
        first: The group or treatment a hypothesis speaks of.
        second: What it is compared with.
        treated: Whether they are treatments rather than kinds of people.
    """

    first: str
    second: str
    treated: bool

    def within(self, name: str, rng: random.Random) -> str:
        """A group as it stands behind the number of those who had an outcome."""
        if not self.treated:
            return f"of {name}"
        return rng.choice(
            ("of patients given {}", "of the {} group", "of those on {}", "of patients assigned to {}")
        ).format(name)

    def beside(self, name: str, rng: random.Random) -> str:
        """A group as it stands behind a mean or a rate."""
        if not self.treated:
            return f"in {name.removeprefix(_STANDS) if rng.random() < 0.5 else name}"
        return rng.choice(("with {}", "in the {} group", "with {}")).format(name)


def arms(rng: random.Random) -> Arms:
    """Two groups, seven times in ten treatments; among them invented ones, doses of one drug and mere letters."""
    draw = rng.random()
    if draw < 0.3:
        first, second = rng.sample(rng.choice(PEOPLE if draw < 0.2 else LETTERED), 2)
        return Arms(first, second, False)
    if draw < 0.37:
        first, second = rng.sample(rng.choice(LETTERED_TREATMENTS), 2)
        return Arms(first, second, True)
    if draw < 0.45:
        drug = rng.choice(DRUGS[:23]) if rng.random() < 0.5 else invented_drug(rng)
        low, high = sorted(rng.sample((5, 10, 15, 20, 30, 40, 50, 60, 80, 100, 150, 200, 300, 400, 600), 2))
        first, second = rng.sample((f"{drug} {low} mg", f"{drug} {high} mg"), 2)
        return Arms(first, second, True)
    first, second = rng.sample(DRUGS, 2)
    if draw < 0.65:
        first, second = invented_drug(rng), invented_drug(rng) if rng.random() < 0.5 else second
    return Arms(first, rng.choice(CONTROLS) if rng.random() < 0.4 or first == second else second, True)


def upper(text: str) -> str:
    """*text* with a capital at the start; unlike `claim_forms.upper_first` of "low-salt diet", too."""
    return text[0].upper() + text[1:]


def were(outcome: str) -> str:
    """The past of "to be" that goes with *outcome*."""
    return "were" if is_plural(outcome) else "was"


def shown(value: float, digits: int) -> str:
    """A number as it is printed."""
    return f"{value:.{digits}f}"
