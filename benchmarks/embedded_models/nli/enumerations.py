"""Pairs of an invented sentence that lists things and a claim about one of them.

"Symptoms include fever, headache and a stiff neck" says nothing of lethargy; "the only symptoms are" rules it out, and
"but not" what follows. Leaflets, abstracts and model answers are full of lists, and small models take what is not listed
for denied. What is listed, what is not, and what is ruled out are affirmed and denied by the same sentences, so that
neither a claim alone nor the words it shares with the premise give the label away.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.embedded_models.nli.comparisons.words import DRUGS, EVENTS, OTHER_NAMES, invented_drug, upper
from benchmarks.embedded_models.nli.data import Pair, distinct_pairs
from benchmarks.embedded_models.nli.perturb import CONTRADICTION, ENTAILMENT, NEUTRAL
from benchmarks.embedded_models.nli.perturb_rules import is_plural

_CONDITIONS = (
    "meningitis|gout|asthma|lupus|anemia|appendicitis|celiac disease|hypothyroidism|heart failure|kidney stones|multiple sclerosis|sepsis|malaria|"
    "shingles|endometriosis|Crohn's disease|pneumonia|tuberculosis|Lyme disease|type 1 diabetes|pancreatitis|sarcoidosis|migraine|influenza|psoriasis|"
    "polycystic ovary syndrome|Parkinson's disease|mononucleosis|scarlet fever|cirrhosis|giant cell arteritis|dengue fever|hepatitis A|glaucoma|rosacea"
).split("|")
_SYMPTOMS = (
    "fever|headache|fatigue|nausea|vomiting|diarrhea|weight loss|night sweats|joint pain|muscle aches|a rash|dry cough|shortness of breath|chest pain|"
    "palpitations|dizziness|blurred vision|a stiff neck|sore throat|swollen lymph nodes|abdominal pain|back pain|loss of appetite|itching|numbness|"
    "confusion|hair loss|dry mouth|constipation|chills|swollen legs|hoarseness|tremor|sensitivity to light|jaundice|trouble sleeping|frequent urination"
).split("|")
_FOODS = (
    "oranges|strawberries|spinach|lentils|beans|eggs|salmon|beef liver|almonds|yogurt|broccoli|whole grains|mushrooms|tofu|pumpkin seeds|kale|sardines|"
    "potatoes|bananas|chicken|oysters|milk|cheese|peanuts|avocados|tomatoes|sweet potatoes|chickpeas|walnuts|red peppers"
).split("|")
_NUTRIENTS = "vitamin C|iron|folate|zinc|potassium|vitamin B12|calcium|magnesium|vitamin D|fiber|omega-3 fatty acids|selenium|vitamin K|iodine|choline|protein".split(
    "|"
)
_RISKS = (
    "smoking|obesity|older age|a family history|high blood pressure|heavy drinking|diabetes|lack of exercise|a diet high in salt|chronic stress|"
    "previous surgery|pregnancy|air pollution|kidney disease|poor sleep|sun exposure|long flights|vitamin D deficiency|a weakened immune system|"
    "oral contraceptives|steroid treatment|high cholesterol|early menopause|premature birth|dehydration|living in crowded housing"
).split("|")
_TESTS = (
    "a blood test|an ultrasound|an X-ray|a biopsy|an MRI|a CT scan|a urine test|an electrocardiogram|a stool sample|a lumbar puncture|spirometry|"
    "endoscopy|a skin test|a throat swab|echocardiography|a bone scan|a physical examination|a hearing test|an eye examination|a sleep study"
).split("|")
_TREATMENTS = (
    *DRUGS[:34],
    "physical therapy", "surgery", "radiotherapy", "rest", "antibiotics", "corticosteroids", "NSAIDs", "a low-salt diet", "light therapy", "oxygen",
)  # fmt: skip
_WAYS = (
    "coughing and sneezing|contaminated water|mosquito bites|unprotected sex|blood transfusions|shared needles|skin contact|undercooked meat|tick bites|"
    "breast milk|contaminated food|contact with animals|kissing|shared towels|raw shellfish|bites of infected dogs|soil"
).split("|")
_TISSUES = "the skin|the lungs|the liver|the kidneys|the heart|the eyes|the joints|the brain|the bones|the bladder|the stomach|the thyroid|the nerves|the spleen|the gums|the pancreas".split(
    "|"
)
_GOOD = (
    "remission",
    "complete response",
    "clinical cure",
    "viral clearance",
    "readmission within 30 days",
    "treatment failure",
)
_HARMS = tuple(event for event in EVENTS if event not in _GOOD)


@dataclass(frozen=True)
class Topic:
    """Something of which things are listed.

    Attributes:
        of: What has the list, {s} in the sentences.
        items: What can stand in it.
        lists: Sentences with an open list, {l}.
        closed: Sentences that say that nothing else belongs to it.
        apart: Sentences that end in what does not belong to it, {x}.
        yes: Sentences that affirm a single thing, {x}.
        no: Sentences that deny it.
    """

    of: Sequence[str]
    items: Sequence[str]
    lists: Sequence[str]
    closed: Sequence[str]
    apart: Sequence[str]
    yes: Sequence[str]
    no: Sequence[str]


TOPICS = (
    Topic(
        _CONDITIONS, _SYMPTOMS,
        ("symptoms of {s} include {l}.", "common symptoms of {s} are {l}.", "symptoms of {s} usually include {l}.", "{s} may cause {l}, among other things.",
         "patients with {s} often have {l}.", "{s} can present with {l}.", "typical signs of {s} are {l}.", "in many cases {s} begins with {l}.",
         "the first signs of {s}, such as {l}, are often missed."),
        ("the only symptoms of {s} are {l}.", "the symptoms of {s} are limited to {l}.", "{s} causes {l}, and no other symptoms.", "{s} has no symptoms other than {l}."),
        ("symptoms of {s} include {l}, but not {x}.", "{s} causes {l}; {x} does not occur.", "unlike similar conditions, {s} does not cause {x}, but {l}."),
        ("symptoms of {s} include {x}.", "{s} can cause {x}.", "patients with {s} may have {x}.", "{x} is a symptom of {s}.", "{x} can be a sign of {s}."),
        ("symptoms of {s} do not include {x}.", "{s} does not cause {x}.", "{x} is not a symptom of {s}.", "patients with {s} do not have {x}."),
    ),
    Topic(
        ("the drug", "this medicine", "the vaccine", "the tablets", *DRUGS), _HARMS,
        ("side effects of {s} include {l}.", "common side effects of {s} are {l}.", "{s} can cause {l}, among others.", "side effects such as {l} have been reported with {s}.",
         "adverse events of {s} include {l}.", "the most common adverse reactions to {s} were {l}.", "those who were given {s} reported {l}."),
        ("the only side effects of {s} are {l}.", "the side effects of {s} are limited to {l}.", "apart from {l}, {s} has no side effects."),
        ("{s} can cause {l}, but not {x}.", "side effects of {s} are {l}; {x} has not been seen.", "{s} causes {l}, whereas {x} does not occur."),
        ("side effects of {s} include {x}.", "{s} can cause {x}.", "{x} is a side effect of {s}.", "{x} can occur with {s}.", "{s} may lead to {x}."),
        ("side effects of {s} do not include {x}.", "{s} does not cause {x}.", "{x} is not a side effect of {s}.", "{x} does not occur with {s}."),
    ),
    Topic(
        (*_CONDITIONS, *_HARMS[:12]), _RISKS,
        ("risk factors for {s} include {l}.", "known risk factors for {s} are {l}.", "the risk of {s} is raised by {l}, among other things.", "factors such as {l} contribute to {s}.",
         "important risk factors for {s} are {l}.", "{l} increase the risk of {s}."),
        ("the only risk factors for {s} are {l}.", "no risk factors for {s} other than {l} are known."),
        ("{l} raise the risk of {s}, but {x} does not.", "risk factors for {s} are {l}; {x} plays no part."),
        ("risk factors for {s} include {x}.", "{x} raises the risk of {s}.", "{x} is a risk factor for {s}.", "{x} contributes to {s}."),
        ("risk factors for {s} do not include {x}.", "{x} does not raise the risk of {s}.", "{x} is not a risk factor for {s}."),
    ),
    Topic(
        _NUTRIENTS, _FOODS,
        ("sources of {s} include {l}.", "good sources of {s} are {l}.", "foods rich in {s}, such as {l}, are recommended.", "{s} is found in {l}, among other foods.", "much {s} is in {l}."),
        ("the only sources of {s} are {l}.", "{s} is found in {l} alone.", "no foods other than {l} contain {s}."),
        ("{l} contain {s}, but {x} do not.", "sources of {s} are {l}, but not {x}."),
        ("sources of {s} include {x}.", "{s} is found in {x}.", "{x} contain {s}.", "{x} are a source of {s}."),
        ("sources of {s} do not include {x}.", "{s} is not found in {x}.", "{x} contain no {s}.", "{x} are not a source of {s}."),
    ),
    Topic(
        _CONDITIONS, _TREATMENTS,
        ("treatment of {s} includes {l}.", "treatments for {s} include {l}.", "options for {s} are, for example, {l}.", "{s} is treated with {l}, among others.", "in {s}, {l} are often used.",
         "for {s}, guidelines recommend {l}."),
        ("the only treatments for {s} are {l}.", "nothing but {l} is used for {s}.", "treatment of {s} is limited to {l}."),
        ("{s} is treated with {l}, but not with {x}.", "{l} are used for {s}; {x} is not."),
        ("treatment of {s} includes {x}.", "treatments for {s} include {x}.", "{s} can be treated with {x}.", "{x} is used for {s}."),
        ("treatment of {s} does not include {x}.", "{s} is not treated with {x}.", "{x} is not used for {s}."),
    ),
    Topic(
        _CONDITIONS, _TESTS,
        ("diagnosis of {s} includes {l}.", "the diagnosis of {s} is based on {l}, among others.", "tests for {s} include {l}.", "to confirm {s}, {l} may be done.", "if {s} is suspected, {l} are usually ordered."),
        ("the only tests for {s} are {l}.", "{s} is diagnosed by {l} alone."),
        ("{s} is diagnosed by {l}, but not by {x}.", "tests for {s} are {l}; {x} is not needed."),
        ("diagnosis of {s} includes {x}.", "{s} can be diagnosed with {x}.", "{x} is used to diagnose {s}.", "tests for {s} include {x}."),
        ("diagnosis of {s} does not include {x}.", "{x} is not used to diagnose {s}.", "tests for {s} do not include {x}."),
    ),
    Topic(
        ("the virus", "the infection", "the parasite", "hepatitis A", "hepatitis B", "the bacterium", "measles", "the fungus", "toxoplasmosis", "this disease"), _WAYS,
        ("{s} is spread by {l}, among other ways.", "ways of transmission of {s} include {l}.", "{s} can be passed on through {l}, for example.", "{s} may be transmitted by {l}."),
        ("{s} is spread only by {l}.", "there are no ways to catch {s} other than {l}."),
        ("{s} is spread by {l}, but not by {x}.", "{s} is transmitted by {l}; {x} does not transmit it."),
        ("{s} is spread by {x}.", "{s} can be transmitted by {x}.", "people can catch {s} through {x}."),
        ("{s} is not spread by {x}.", "{s} is not transmitted by {x}.", "people cannot catch {s} through {x}."),
    ),
    Topic(
        _CONDITIONS, _TISSUES,
        ("{s} may affect {l}, among others.", "organs involved in {s} include {l}.", "complications of {s} can affect {l}.", "{s} often damages {l}."),
        ("{s} affects {l} and no other organs.", "the only organs involved in {s} are {l}."),
        ("{s} affects {l}, but not {x}.", "{s} damages {l} and spares {x}."),
        ("{s} can affect {x}.", "organs involved in {s} include {x}.", "{s} may damage {x}."),
        ("{s} does not affect {x}.", "organs involved in {s} do not include {x}.", "{s} spares {x}."),
    ),
)  # fmt: skip
# Behind a list, what says nothing of the claim.
_BEHIND = (
    "", "", "", " They vary from person to person.", " Most cases are mild.", " A doctor should be asked in doubt.", " The cause is not fully understood.", " The list is not complete.",
    " Children are affected as well as adults.", " More studies are needed.",
)  # fmt: skip
# Another subject; what is listed of it says nothing of the first one.
_FOREIGN = 0.12


def enumerated(rng: random.Random) -> tuple[str, str, int]:
    """A sentence with a list, a claim about one thing, and the label."""
    topic = rng.choice(TOPICS)
    of = invented_drug(rng) if topic.of[-1] == DRUGS[-1] and rng.random() < 0.3 else rng.choice(topic.of)
    drawn = rng.sample([item for item in topic.items if item not in of and of not in item], rng.randint(3, 6))
    listed, rest = drawn[1:], drawn[0]
    words = {"s": of, "l": _series(listed, rng), "x": rest}
    kind = rng.choice(("open", "open", "open", "closed", "apart"))
    forms = {"open": topic.lists, "closed": topic.closed, "apart": topic.apart}[kind]
    premise = _sentence(rng.choice(forms), words)
    if kind == "open":
        premise += rng.choice(_BEHIND)
    about_listed = rng.random() < 0.45
    affirmed = rng.random() < 0.5
    about, thing = of, rng.choice(listed) if about_listed else rest
    if rng.random() < _FOREIGN:
        about = rng.choice([other for other in topic.of if other not in of and of not in other])
        label = NEUTRAL
    elif about_listed:
        label = ENTAILMENT if affirmed else CONTRADICTION
    elif kind == "open":
        label = NEUTRAL
    else:
        label = CONTRADICTION if affirmed else ENTAILMENT
    if about_listed and rng.random() < 0.4:
        thing = rng.choice(OTHER_NAMES.get(thing, (thing,)))
    claim = _sentence(rng.choice(topic.yes if affirmed else topic.no), {**words, "s": about, "x": thing})
    return premise, claim, label


def _series(items: Sequence[str], rng: random.Random) -> str:
    if len(items) == 1:
        return items[0]
    last = rng.choice((" and ", " and ", " as well as ") if len(items) == 2 else (" and ", ", and ", " as well as "))
    return ", ".join(items[:-1]) + last + items[-1]


def _sentence(form: str, words: dict[str, str]) -> str:
    text = form.format(**words)
    thing = words["x"]
    if _many(thing):
        for one, many in (
            (" is ", " are "),
            (" raises ", " raise "),
            (" contributes ", " contribute "),
            (" does ", " do "),
            (" has ", " have "),
            (" plays ", " play "),
        ):
            text = text.replace(f"{thing}{one}", f"{thing}{many}", 1)
    else:
        text = text.replace(f"{thing} contain", f"{thing} contains", 1).replace(
            f"{thing} are a source", f"{thing} is a source", 1
        )
        text = text.replace(f"{thing} are not a source", f"{thing} is not a source", 1).replace(
            f"but {thing} do not", f"but {thing} does not", 1
        )
    if words["s"] == "the tablets":
        for one, many in ((" causes ", " cause "), (" does not ", " do not "), (" has ", " have "), (" is ", " are ")):
            text = text.replace(f"the tablets{one}", f"the tablets{many}", 1)
    return upper(text)


def _many(thing: str) -> bool:
    return thing in ("antibiotics", "probiotics") or is_plural(thing)


def enumeration_pairs(n: int, *, seed: int) -> list[Pair]:
    """*n* pairs, each once: two in five neither, about as many entailed as contradicted.

    Args:
        n: How many.
        seed: Decides which.
    """
    rng = random.Random(f"enumerations:{seed}")
    return distinct_pairs(n, lambda: Pair(*enumerated(rng)))
