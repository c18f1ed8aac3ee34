"""What invented trials are made of: conditions, events and drugs, and how a number or a trial is spoken of."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")

# As a registry codes an event, and what a writer may call it ("" where the same).
EVENTS: dict[str, str] = dict(
    entry.strip().split("/")
    for entry in """
    Anaemia/a low red blood cell count, Neutropenia/a low neutrophil count, Thrombocytopenia/a low platelet count, Pyrexia/fever,
    Dyspnoea/shortness of breath, Alopecia/hair loss, Fatigue/tiredness, Pruritus/itching, Hypertension/high blood pressure,
    Hypotension/low blood pressure, Hyperglycaemia/high blood sugar, Hypoglycaemia/low blood sugar, Hypokalaemia/low potassium,
    Hyponatraemia/low sodium, Epistaxis/nosebleeds, Syncope/fainting, Headache/, Myalgia/muscle pain, Arthralgia/joint pain,
    Insomnia/trouble sleeping, Cerebrovascular accident/a stroke, Myocardial infarction/a heart attack, Tachycardia/a fast heart rate,
    Pneumonia/a lung infection, Sepsis/, Deep vein thrombosis/a clot in a deep vein, Pulmonary embolism/a clot in the lung, Nausea/, Diarrhoea/,
    Constipation/, Dehydration/, Cellulitis/a skin infection, Urinary tract infection/, Abdominal pain/stomach pain, Atrial fibrillation/an irregular heartbeat,
    Seizure/, Stomatitis/mouth sores, Renal failure/kidney failure, Pancreatitis/an inflamed pancreas, Hip fracture/a broken hip,
    Depression/, Cough/, Pleural effusion/fluid around a lung, Vertigo/, Cholecystitis/an inflamed gallbladder, Gastric ulcer/a stomach ulcer,
    Appendicitis/, Cataract/, Gout/, Lymphopenia/a low lymphocyte count, Oedema peripheral/swollen legs, Hypoxia/low oxygen, Vomiting/,
    Cardiac failure/heart failure, Haematuria/blood in the urine, Jaundice/, Influenza/the flu, Bronchitis/, Dysphagia/trouble swallowing
    """.split(",")
)
CONDITIONS = (
    "type 2 diabetes|breast cancer|lung cancer|rheumatoid arthritis|asthma|COPD|heart failure|hypertension|"
    "ulcerative colitis|multiple sclerosis|psoriasis|major depression|migraine|osteoporosis|chronic kidney disease|epilepsy|"
    "melanoma|colorectal cancer|atrial fibrillation|gout|chronic hepatitis C|Parkinson's disease|lymphoma|obesity"
).split("|")
DRUGS = (
    "metformin|apixaban|amlodipine|sertraline|tamoxifen|rituximab|semaglutide|empagliflozin|atorvastatin|clopidogrel|prednisone|"
    "gabapentin|topiramate|methotrexate|adalimumab|denosumab|dexamethasone|letrozole|pembrolizumab|cisplatin|docetaxel|furosemide|"
    "budesonide|montelukast|ondansetron|propranolol|paclitaxel|capecitabine|trastuzumab|bevacizumab|fulvestrant|exemestane|lapatinib|"
    "everolimus|gemcitabine|carboplatin|doxorubicin|cyclophosphamide|zoledronic acid|lisinopril|valsartan|tocilizumab|"
    "infliximab|ibrutinib|olaparib|sunitinib|sorafenib|anastrozole|naltrexone|duloxetine|levodopa|interferon beta|ocrelizumab"
).split("|")
_NUMBERS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


@dataclass(frozen=True, slots=True)
class Naming:
    """How a record announces a trial, and what a statement calls it."""

    heading: str
    name: str


_PAIRS = (
    (Naming("Primary trial: ", "the primary trial"), Naming("Secondary trial: ", "the secondary trial")),
    (Naming("Trial 1: ", "trial 1"), Naming("Trial 2: ", "trial 2")),
    (Naming("Study A. ", "study A"), Naming("Study B. ", "study B")),
    (Naming("First trial: ", "the first trial"), Naming("Second trial: ", "the second trial")),
)
_ALONE = (Naming("", "the trial"), Naming("", "this study"), Naming("", "the study"))


def namings(n: int, rng: random.Random) -> tuple[Naming, ...]:
    """Names for *n* trials, one or two, that stand in one record."""
    if n == 1 and rng.random() < 0.5:
        return (rng.choice(_ALONE),)
    return rng.choice(_PAIRS)[:n]


def number(n: int, rng: random.Random) -> str:
    """*n* in digits, or in words where it is small."""
    return _NUMBERS[n] if n < len(_NUMBERS) and rng.random() < 0.4 else str(n)


def spoken(event: str, rng: random.Random) -> str:
    """An event as a statement calls it, in a sentence: the registry's word, or a plain one."""
    plain = EVENTS[event]
    return plain if plain and rng.random() < 0.3 else event.lower()


def other(right: T, choices: list[T], rng: random.Random) -> T:
    """One of *choices* that is not *right*.

    Raises:
        IndexError: There is none.
    """
    return rng.choice([choice for choice in choices if choice != right])


def first(rng: random.Random, *forms: Callable[[], str]) -> str:
    """One of *forms*, which are written out only when taken."""
    return rng.choice(forms)()
