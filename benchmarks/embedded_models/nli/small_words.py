"""Pairs of an invented statement and a claim, whose label hangs on the small words that turn a sentence.

Only, except, unless, until, rather than, neither; a risk that is doubled or halved; "most", "few" and "a third"; a name
that says high or low ("hyponatremia"); once a day or every twelve hours; and what is said of one treatment of two. Model
answers and abstracts are full of them, general pairs are not. Each form is a pool of sentences that say a thing and a
pool that say its opposite: premise and claim are drawn from either evenly, so that no wording goes with a label.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable

from benchmarks.embedded_models.nli.comparisons.words import DRUGS, EVENTS, MEASURES, invented_drug, other_name, upper, were
from benchmarks.embedded_models.nli.data import Pair, distinct_pairs
from benchmarks.embedded_models.nli.perturb import CONTRADICTION, ENTAILMENT, NEUTRAL

Made = tuple[str, str, int]

# Something people do or have, those who do and those who do not.
_EXPOSURES = (
    ("smoking", "smokers", "nonsmokers"), ("obesity", "people with obesity", "people of normal weight"), ("heavy drinking", "heavy drinkers", "people who drink little"),
    ("shift work", "shift workers", "people who work by day"), ("regular exercise", "people who exercise regularly", "inactive people"),
    ("a high salt intake", "people who eat much salt", "people who eat little salt"), ("breastfeeding", "women who breastfeed", "women who do not breastfeed"),
    ("coffee", "coffee drinkers", "people who drink no coffee"), ("poor sleep", "people who sleep badly", "people who sleep well"),
    ("air pollution", "people who live in polluted air", "people who live in clean air"), ("a vegetarian diet", "vegetarians", "people who eat meat"),
    ("diabetes", "people with diabetes", "people without diabetes"), ("vaccination", "vaccinated people", "unvaccinated people"),
    ("hypertension", "people with hypertension", "people with normal blood pressure"), ("chronic stress", "people under chronic stress", "people without stress"),
    ("loneliness", "lonely people", "people who are not lonely"), ("a family history", "people with a family history", "people without a family history"),
)  # fmt: skip
_GROUPS = (
    "pregnant women|breastfeeding women|children under two years|older adults|people with kidney failure|people with liver disease|"
    "people with asthma|adolescents|people with heart failure|patients on warfarin|newborns|people with epilepsy|women over 50|"
    "people with a penicillin allergy|patients who take lithium|people with glaucoma|transplant recipients|patients with gout|smokers|"
    "people with a peptic ulcer|patients before surgery|men with prostate cancer|people with type 1 diabetes"
).split("|")
_THINGS = (*DRUGS, "the vaccine", "this drug", "the test", "iron tablets", "the nasal spray", "statins", "NSAIDs", "beta blockers", "opioids", "SSRIs", "ACE inhibitors")  # fmt: skip
_CONDITIONS = (
    "migraine|gout|psoriasis|asthma|sinusitis|low back pain|acne|heart failure|type 2 diabetes|depression|insomnia|irritable bowel syndrome|"
    "osteoarthritis|hypertension|bronchitis|sciatica|tinnitus|eczema|anemia|ear infections|the common cold|COPD|endometriosis|hay fever|"
    "shingles|urinary incontinence|carpal tunnel syndrome|restless legs|reflux disease|plantar fasciitis"
).split("|")
_TESTS = (
    "a blood test|ultrasound|echocardiography|a biopsy|an X-ray|MRI|a skin test|a urine culture|spirometry|endoscopy|a CT scan|an ECG|"
    "a stool sample|a lumbar puncture|a physical examination|a sleep study|mammography|a throat swab"
).split("|")
_SUBSTANCES = "vitamin B12|iron|magnesium|vitamin D|zinc|folate|potassium|calcium|vitamin K|iodine|vitamin A|phosphate|testosterone|estrogen|thyroid hormone".split(
    "|"
)
# A name, what it says is high (1) or low (-1), and in other words.
_LEVELS = (
    ("hyperkalemia", "potassium levels", 1), ("hypokalemia", "potassium levels", -1), ("hyponatremia", "sodium levels", -1), ("hypernatremia", "sodium levels", 1),
    ("hyperglycemia", "blood sugar", 1), ("hypoglycemia", "blood sugar", -1), ("hypertension", "blood pressure", 1), ("hypotension", "blood pressure", -1),
    ("anemia", "hemoglobin", -1), ("neutropenia", "neutrophil counts", -1), ("thrombocytopenia", "platelet counts", -1), ("hypercalcemia", "calcium levels", 1),
    ("hypocalcemia", "calcium levels", -1), ("bradycardia", "heart rate", -1), ("tachycardia", "heart rate", 1), ("hyperuricemia", "uric acid levels", 1),
    ("hypomagnesemia", "magnesium levels", -1), ("leukocytosis", "white cell counts", 1), ("leukopenia", "white cell counts", -1), ("fever", "body temperature", 1),
    ("hypothermia", "body temperature", -1), ("hypercholesterolemia", "cholesterol", 1), ("hypoxemia", "blood oxygen", -1), ("polycythemia", "red cell counts", 1),
    ("hypothyroidism", "thyroid hormone levels", -1), ("hyperthyroidism", "thyroid hormone levels", 1), ("osteoporosis", "bone density", -1),
)  # fmt: skip
# Shares told in words, and those that "most" and "few" are said of.
_MOST = (
    "most",
    "the majority of",
    "about two thirds of",
    "nearly all",
    "about 80% of",
    "three out of four",
    "more than half of",
    "nine in ten",
)
_FEW = (
    "few",
    "a minority of",
    "about one in ten",
    "less than a third of",
    "about 5% of",
    "only a small share of",
    "one in twenty",
    "about a fifth of",
)
_FINDINGS = (
    "patients recovered within a year|patients needed surgery|patients had a relapse|children had a fever|women gave birth at term|patients responded to treatment|"
    "cases resolved without treatment|patients were able to walk again|participants finished the study|patients reported side effects|infections were mild|"
    "tumors were found early|wounds healed within two weeks|patients stopped the treatment|cases were caused by viruses|patients were free of pain"
).split("|")
_TIMES = (
    ("once daily", "once a day", "every 24 hours", "as a single daily dose"), ("twice daily", "two times a day", "every 12 hours", "in the morning and in the evening"),
    ("three times a day", "every 8 hours", "thrice daily"), ("four times a day", "every 6 hours"), ("once a week", "weekly", "every seven days"),
    ("once a month", "monthly", "every four weeks"), ("twice a week", "on two days of the week"), ("once a year", "yearly", "every twelve months"),
)  # fmt: skip
_EVENTS_AHEAD = (
    "the fever lasts more than three days|symptoms get worse|the pain does not ease within two weeks|there is blood in the stool|the test is positive|"
    "breathing becomes difficult|conservative treatment fails|the patient is older than 65|the wound is deep|the tumor has spread|symptoms last longer than six weeks|"
    "the kidneys are damaged|there are signs of infection|blood pressure stays high|other drugs have failed|the headache comes on suddenly"
).split("|")
_MEASURES_TAKEN = "antibiotics|surgery|imaging|a hospital stay|a blood transfusion|treatment|a referral|steroids|hospital admission|an MRI|a biopsy|insulin|oxygen".split(
    "|"
)


def _is_plural(thing: str) -> bool:
    return thing.endswith("s") and not thing.endswith("ss")


def _drug(rng: random.Random) -> str:
    return invented_drug(rng) if rng.random() < 0.25 else rng.choice(DRUGS)


def _either(same: list[str], opposite: list[str], rng: random.Random) -> Made:
    """A sentence of one pool, and one of the same (entailed) or of the other (contradicted)."""
    mine, other = (same, opposite) if rng.random() < 0.5 else (opposite, same)
    premise = rng.choice(mine)
    if rng.random() < 0.5:
        return premise, rng.choice([text for text in mine if text != premise]), ENTAILMENT
    return premise, rng.choice(other), CONTRADICTION


def _risk(rng: random.Random) -> Made:
    """An exposure that raises, lowers or does not move a risk."""
    what, those, others = rng.choice(_EXPOSURES)
    event = rng.choice(EVENTS)
    named = other_name(event, rng)

    def pool(name: str, up: bool) -> list[str]:
        more, less = ("higher", "lower") if up else ("lower", "higher")
        verbs = (
            ("doubles", "triples", "raises", "increases")
            if up
            else ("halves", "lowers", "reduces", "decreases", "cuts")
        )
        said = [f"{upper(what)} {verb} the risk of {name}." for verb in verbs]
        said += [
            f"{upper(those)} have a {more} risk of {name}.",
            f"{upper(others)} have a {less} risk of {name}.",
            f"{upper(name)} {'are' if were(name) == 'were' else 'is'} {'more' if up else 'less'} common in {those} than in {others}.",
            f"{upper(what)} is associated with a {more} risk of {name}.",
            f"{upper(those)} are {'more' if up else 'less'} likely to have {name}.",
        ]
        return said + (
            [f"{upper(what)} is a risk factor for {name}.", f"{upper(what)} contributes to {name}."]
            if up
            else [f"{upper(what)} protects against {name}.", f"{upper(what)} helps to prevent {name}."]
        )

    none = [
        f"{upper(what)} is not associated with {{n}}.", f"{upper(what)} has no effect on the risk of {{n}}.",
        f"There is no link between {what} and {{n}}.", f"{upper(what)} neither raises nor lowers the risk of {{n}}.",
        f"The risk of {{n}} is the same in {those} and in {others}.",
    ]  # fmt: skip
    draw = rng.random()
    if draw < 0.15:
        foreign = rng.choice([name for name in EVENTS if name != event])
        return rng.choice(pool(event, rng.random() < 0.5)), rng.choice(pool(foreign, rng.random() < 0.5)), NEUTRAL
    if draw < 0.75:
        up = rng.random() < 0.5
        premise = rng.choice(pool(event, up))
        said = rng.random() < 0.5
        claim = rng.choice(
            pool(named, up == said) if said or rng.random() < 0.75 else [form.format(n=named) for form in none]
        )
        return premise, claim, ENTAILMENT if said else CONTRADICTION
    premise = rng.choice(none).format(n=event)
    if rng.random() < 0.5:
        return premise, rng.choice(none).format(n=named), ENTAILMENT
    return premise, rng.choice(pool(named, rng.random() < 0.5)), CONTRADICTION


def _advice(rng: random.Random, drug: str | None = None) -> Made:
    """What is advised for a group, advised against, or said of another group."""
    group, foreign = rng.sample(_GROUPS, 2)
    thing = drug or rng.choice(_THINGS)

    def pool(g: str, good: bool) -> list[str]:
        forms = (
            ("{t} is safe for {g}.", "{t} can be given to {g}.", "{t} is recommended for {g}.", "{G} may take {t}.", "{t} is suitable for {g}.", "{G} can use {t}.")
            if good
            else ("{t} should be avoided in {g}.", "{t} is contraindicated in {g}.", "{t} must not be given to {g}.", "{t} is not recommended for {g}.",
                  "{G} should not take {t}.", "{t} is not safe for {g}.", "{t} is unsuitable for {g}.")
        )  # fmt: skip
        plural = _is_plural(thing)
        found = [upper(form.format(t=thing, g=g, G=upper(g))) for form in forms]
        return [text.replace(f"{upper(thing)} is ", f"{upper(thing)} are ") if plural else text for text in found]

    good = rng.random() < 0.5
    premise = rng.choice(pool(group, good))
    if rng.random() < 0.25:
        return premise, rng.choice(pool(foreign, rng.random() < 0.5)), NEUTRAL
    said = rng.random() < 0.5
    claim = rng.choice([text for text in pool(group, good == said) if text != premise])
    return premise, claim, ENTAILMENT if said else CONTRADICTION


def _only(rng: random.Random) -> Made:
    """Who is meant by "only", "all but" and "not"."""
    group, other = rng.sample(_GROUPS, 2)
    drug = _drug(rng)
    done, undone = rng.choice((
        (f"benefited from {drug}", f"did not benefit from {drug}"), (f"received {drug}", f"did not receive {drug}"),
        ("were tested", "were not tested"), (f"responded to {drug}", f"did not respond to {drug}"), ("needed treatment", "did not need treatment"),
        ("got the full dose", "did not get the full dose"), ("were invited for screening", "were not invited for screening"),
    ))  # fmt: skip
    if rng.random() < 0.5:
        premise = rng.choice(
            (f"Only {group} {done}.", f"Nobody but {group} {done}.", f"Of all groups, {group} alone {done}.")
        )
        yes = [f"{upper(group)} {done}.", f"{upper(other)} {undone}."]
        no = [f"{upper(group)} {undone}.", f"{upper(other)} {done}.", f"Everybody {done}."]
    else:
        premise = rng.choice((
            f"All patients except {group} {done}.", f"Everybody {done}, with the exception of {group}.", f"All but {group} {done}.",
            f"Apart from {group}, all patients {done}.",
        ))  # fmt: skip
        yes = [f"{upper(group)} {undone}.", f"{upper(other)} {done}."]
        no = [f"{upper(group)} {done}.", f"{upper(other)} {undone}.", f"All patients {done}."]
    said = rng.random() < 0.5
    return premise, rng.choice(yes if said else no), ENTAILMENT if said else CONTRADICTION


def _instead(rng: random.Random) -> Made:
    """One treatment or test rather than another."""
    if rng.random() < 0.4:
        one, two = rng.sample(_TESTS, 2)
        topic = f"the diagnosis of {rng.choice(_CONDITIONS)}"
    else:
        one, two = _drug(rng), rng.choice(DRUGS)
        topic = rng.choice(_CONDITIONS)
        if one == two:
            two = "placebo"

    def pool(a: str, b: str) -> list[str]:
        return [
            f"In {topic}, {a} should be used rather than {b}.", f"{upper(a)} is preferred to {b} in {topic}.",
            f"For {topic}, {a} is the first choice, not {b}.", f"{upper(a)} has replaced {b} in {topic}.",
            f"{upper(a)}, and not {b}, is recommended for {topic}.", f"In {topic}, {a} is used instead of {b}.",
        ]  # fmt: skip

    premise = rng.choice(pool(one, two))
    said = rng.random() < 0.5
    a, b = (one, two) if said else (two, one)
    short = [
        f"{upper(a)} is recommended for {topic}.",
        f"{upper(a)} should be used in {topic}.",
        f"{upper(b)} is not the first choice in {topic}.",
    ]
    claim = rng.choice(short if rng.random() < 0.5 else pool(a, b))
    return premise, claim, ENTAILMENT if said else CONTRADICTION


def _condition(rng: random.Random) -> Made:
    """What is done if, and not unless."""
    event, done = rng.choice(_EVENTS_AHEAD), rng.choice(_MEASURES_TAKEN)
    is_needed, not_needed = rng.choice(
        (("is needed", "is not needed"), ("is indicated", "is not indicated"), ("is recommended", "is not recommended"))
    )
    if done.endswith("s") or done == "steroids":
        is_needed, not_needed = is_needed.replace("is ", "are ", 1), not_needed.replace("is ", "are ", 1)
    premise = upper(rng.choice((
        f"{done} {is_needed} only if {event}.", f"{done} {not_needed} unless {event}.", f"unless {event}, {done} {not_needed}.",
        f"{done} {is_needed} if {event}, not otherwise.", f"{done} {not_needed} until {event}.",
    )))  # fmt: skip
    yes = [
        f"If {event}, {done} {is_needed}.", f"{upper(done)} {is_needed} when {event}.", f"Not every patient needs {done}.",
        f"{upper(done)} {not_needed} in all cases.",
    ]  # fmt: skip
    no = [
        f"If {event}, {done} {not_needed}.", f"{upper(done)} {is_needed} in every case.", f"All patients need {done}.",
        f"{upper(done)} {not_needed} even if {event}.", f"{upper(done)} {is_needed} from the start.",
    ]  # fmt: skip
    said = rng.random() < 0.5
    return premise, rng.choice(yes if said else no), ENTAILMENT if said else CONTRADICTION


def _quantity(rng: random.Random) -> Made:
    """Most, few, all and none."""
    finding = rng.choice(_FINDINGS)
    many = rng.random() < 0.5
    premise = upper(f"{rng.choice(_MOST if many else _FEW)} {finding}.")
    if rng.random() < 0.5:
        claim = rng.choice(
            ("most", "the majority of", "more than half of") if many else ("few", "a minority of", "less than half of")
        )
        return premise, upper(f"{claim} {finding}."), ENTAILMENT
    wrong = (
        ("few", "a minority of", "no", "less than half of", "hardly any")
        if many
        else ("most", "the majority of", "all", "more than half of", "almost all")
    )
    return premise, upper(f"{rng.choice(wrong)} {finding}."), CONTRADICTION


def _level(rng: random.Random, drug: str | None = None) -> Made:
    """Names that say high or low; and a lack or an excess."""
    drug = drug or _drug(rng)
    if rng.random() < 0.6:
        name, what, way = rng.choice(_LEVELS)
        high = way > 0
        mine = [f"{upper(drug)} {verb} {name}." for verb in ("can cause", "may lead to", "may cause")]
        mine += [f"{upper(name)} is a side effect of {drug}.", f"Patients on {drug} may develop {name}."]
        words = ("raise", "high") if high else ("lower", "low")
        turned = ("lower", "low") if high else ("raise", "high")
        yes = [
            f"{upper(drug)} can {words[0]} {what}.",
            f"{upper(drug)} may lead to {words[1]} {what}.",
            f"{upper(what)} may be {words[1]} in patients on {drug}.",
            *mine,
        ]
        no = [
            f"{upper(drug)} can {turned[0]} {what}.", f"{upper(drug)} may lead to {turned[1]} {what}.", f"{upper(drug)} does not affect {what}.",
            f"{upper(name)} is not a side effect of {drug}.", f"{upper(drug)} does not cause {name}.",
        ]  # fmt: skip
    else:
        what = rng.choice(_SUBSTANCES)
        mine = [
            f"Long-term use of {drug} may lead to {what} deficiency.", f"{upper(drug)} can cause a lack of {what}.", f"{upper(what)} deficiency is a side effect of {drug}.",
            f"{upper(drug)} lowers {what} levels.", f"Patients on {drug} may have low {what}.",
        ]  # fmt: skip
        yes = mine
        no = [
            f"{upper(drug)} raises {what} levels.", f"{upper(drug)} does not affect {what}.", f"Patients on {drug} have too much {what}.",
            f"{upper(drug)} does not cause {what} deficiency.", f"{upper(what)} deficiency is not a side effect of {drug}.",
        ]  # fmt: skip
    premise = rng.choice(mine)
    if rng.random() < 0.5:
        return premise, rng.choice([text for text in yes if text != premise]), ENTAILMENT
    claim = rng.choice(no)
    return (premise, claim, CONTRADICTION) if rng.random() < 0.7 else (claim, premise, CONTRADICTION)


def _both(rng: random.Random, drug: str | None = None) -> Made:
    """What is said of two treatments, and what of one of them."""
    one, two = drug or _drug(rng), rng.choice(DRUGS)
    if one == two:
        two = invented_drug(rng)
    event = rng.choice(EVENTS)
    named = other_name(event, rng)
    verb, base = rng.choice(
        (("reduced", "reduce"), ("increased", "increase"), ("prevented", "prevent"), ("caused", "cause"))
    )
    of_one, of_two, premise = rng.choice((
        (True, True, f"Both {one} and {two} {verb} {event}."), (True, True, f"{upper(event)} {were(event)} {verb} by {one} as well as by {two}."),
        (False, False, f"Neither {one} nor {two} {verb} {event}."), (True, False, f"{upper(one)}, but not {two}, {verb} {event}."),
        (True, False, f"{upper(one)} {verb} {event}, whereas {two} did not."), (False, True, f"{upper(one)} did not {base} {event}, but {two} did."),
        (True, False, f"Unlike {two}, {one} {verb} {event}."),
    ))  # fmt: skip
    whose, holds = rng.choice(((one, of_one), (two, of_two)))
    said = rng.random() < 0.5
    yes, no = (
        f"{upper(whose)} {verb} {named}.",
        rng.choice((f"{upper(whose)} did not {base} {named}.", f"{upper(whose)} had no effect on {named}.")),
    )
    return premise, yes if said else no, ENTAILMENT if said == holds else CONTRADICTION


def _more_than(rng: random.Random, drug: str | None = None) -> Made:
    """That one treatment moved a measure further than another did, or raised a risk further: and so that it moved it."""
    measure = rng.choice(MEASURES)[0]
    one, two = drug or _drug(rng), rng.choice(DRUGS)
    if one == two:
        two = invented_drug(rng)
    down = rng.random() < 0.5
    verbs = (("lowered", "reduced", "decreased"), ("raised", "increased"))
    verb, wrong = rng.choice(verbs[0 if down else 1]), rng.choice(verbs[1 if down else 0])
    infinitive = {
        "lowered": "lower",
        "reduced": "reduce",
        "decreased": "decrease",
        "raised": "raise",
        "increased": "increase",
    }
    premise = rng.choice((
        f"{upper(one)} {verb} {measure} more than {two} did.", f"{upper(one)} {verb} {measure} more than {two}.",
        f"{upper(one)} was better than {two} at {'lower' if down else 'rais'}ing {measure}.", f"{upper(two)} {verb} {measure} less than {one}.",
        f"Compared with {two}, {one} {verb} {measure} further.",
    ))  # fmt: skip
    same = rng.choice(verbs[0 if down else 1])
    yes = [
        f"{upper(one)} {same} {measure}.", f"{upper(one)} {same} {measure} more than {two}.", f"{upper(two)} {same} {measure} less than {one}.",
        f"{upper(one)} had the larger effect on {measure}.",
    ]  # fmt: skip
    no = [
        f"{upper(one)} {wrong} {measure}.", f"{upper(two)} {same} {measure} more than {one}.", f"{upper(one)} {same} {measure} less than {two}.",
        f"{upper(one)} did not {infinitive[same]} {measure}.", f"{upper(two)} had the larger effect on {measure}.",
    ]  # fmt: skip
    said = rng.random() < 0.5
    return premise, rng.choice(yes if said else no), ENTAILMENT if said else CONTRADICTION


def _frequency(rng: random.Random, drug: str | None = None) -> Made:
    """How often something is taken."""
    thing = upper(drug or rng.choice(_THINGS))
    mine, other = rng.sample(_TIMES, 2)
    verb = (
        rng.choice(("is taken", "is given", "should be taken", "is usually used"))
        if not _is_plural(thing)
        else rng.choice(("should be taken", "should be given"))
    )
    premise = rng.choice(mine)
    if rng.random() < 0.5:
        return (
            f"{thing} {verb} {premise}.",
            f"{thing} {verb} {rng.choice([time for time in mine if time != premise])}.",
            ENTAILMENT,
        )
    return f"{thing} {verb} {premise}.", f"{thing} {verb} {rng.choice(other)}.", CONTRADICTION


def _cause(rng: random.Random, drug: str | None = None) -> Made:
    """What causes, treats or helps with what, and what does not."""
    condition, foreign = rng.sample(_CONDITIONS, 2)
    drug = drug or _drug(rng)

    def pool(about: str, good: bool) -> list[str]:
        return (
            [
                f"{upper(drug)} is an effective treatment for {about}.", f"{upper(drug)} helps with {about}.", f"{upper(drug)} is used to treat {about}.",
                f"Patients with {about} benefit from {drug}.", f"{upper(about)} can be treated with {drug}.", f"{upper(drug)} relieves the symptoms of {about}.",
                f"{upper(drug)} works in {about}.", f"{upper(drug)} has been shown to be effective in {about}.",
            ]
            if good
            else [
                f"{upper(drug)} does not help with {about}.", f"{upper(drug)} is ineffective in {about}.", f"{upper(drug)} is useless for {about}.",
                f"{upper(drug)} has no benefit in {about}.", f"Patients with {about} do not benefit from {drug}.", f"{upper(drug)} failed to improve {about}.",
                f"{upper(drug)} is no treatment for {about}.", f"{upper(drug)} was no better than placebo in {about}.",
            ]
        )  # fmt: skip

    if rng.random() < 0.2:
        premise = rng.choice(pool(condition, rng.random() < 0.5))
        return premise, rng.choice(pool(foreign, rng.random() < 0.5)), NEUTRAL
    return _either(pool(condition, True), pool(condition, False), rng)


FORMS: tuple[Callable[[random.Random], Made], ...] = (
    _risk, _risk, _advice, _advice, _only, _instead, _condition, _quantity, _level, _level, _both, _more_than, _more_than, _frequency, _cause, _cause,
)  # fmt: skip
# Those that say something of a drug.
_OF_A_DRUG = (_advice, _level, _both, _more_than, _frequency, _cause)
# Share of the pairs that say two things of one drug, neither of which says anything of the other.
APART = 0.3
_LONG_WORD = re.compile(r"\w{4,}")
_GENERAL = frozenset(
    "patients people with have does should taken given used usually treatment recommended effective affect levels cause lead high "
    "more than from that side effect effects benefit women men drug".split()
)


def _apart(rng: random.Random) -> Made | None:
    """Two things that are said of one drug; None where they may have to do with each other."""
    drug = _drug(rng)
    one, other = rng.choices(_OF_A_DRUG, k=2)
    premise, claim = one(rng, drug)[0], other(rng, drug)[1]
    words, named = (set(_LONG_WORD.findall(text.lower())) - _GENERAL for text in (premise, claim))
    both_speak_of_it = drug.lower() in premise.lower() and drug.lower() in claim.lower()
    if one is other is _frequency or not both_speak_of_it or words & named - set(_LONG_WORD.findall(drug.lower())):
        return None
    return premise, claim, NEUTRAL


def small_word_pairs(n: int, *, seed: int) -> list[Pair]:
    """*n* pairs, each once; about as many entailed as contradicted, a third of them neither.

    Args:
        n: How many.
        seed: Decides which.
    """
    rng = random.Random(f"statements:{seed}")

    def make() -> Pair | None:
        made = _apart(rng) if rng.random() < APART else rng.choice(FORMS)(rng)
        return None if made is None else Pair(*made)

    return distinct_pairs(n, make)
