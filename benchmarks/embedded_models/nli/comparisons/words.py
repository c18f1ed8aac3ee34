"""What invented studies are made of: outcomes, measures, treatments, groups, and how they are told."""

from __future__ import annotations

import random
from dataclasses import dataclass

from perturb_rules import is_plural

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
        return f"in {name}" if not self.treated else rng.choice(("with {}", "in the {} group", "with {}")).format(name)


def arms(rng: random.Random) -> Arms:
    """Two groups, three times in four treatments."""
    if rng.random() < 0.25:
        first, second = rng.sample(rng.choice(PEOPLE), 2)
        return Arms(first, second, False)
    first, second = rng.sample(DRUGS, 2)
    return Arms(first, rng.choice(CONTROLS) if rng.random() < 0.5 else second, True)


def upper(text: str) -> str:
    """*text* with a capital at the start; unlike `claim_forms.upper_first` of "low-salt diet", too."""
    return text[0].upper() + text[1:]


def were(outcome: str) -> str:
    """The past of "to be" that goes with *outcome*."""
    return "were" if is_plural(outcome) else "was"


def shown(value: float, digits: int) -> str:
    """A number as it is printed."""
    return f"{value:.{digits}f}"
