"""Pairs that hang on what a denial denies: use, strength, frequency, certainty, or the thing itself.

"X is not typically used" says nothing against a trial in which X worked, "is not independent of" is what "depends on"
says, and "does not cure" leaves room for help. Each of `_FORMS` is a passage and what follows from it, what it rules out
and what it leaves open, so that a denial in either half, in both or in neither comes with every label.
"""

from __future__ import annotations

import random

from benchmarks.embedded_models.nli.comparisons.words import CONTROLS, DRUGS, EVENTS, MEASURES, PEOPLE, invented_drug, upper
from benchmarks.embedded_models.nli.data import Pair, distinct_pairs
from benchmarks.embedded_models.nli.perturb import CONTRADICTION, ENTAILMENT, NEUTRAL

CONDITIONS = (
    "migraine|asthma|type 2 diabetes|hypertension|psoriasis|epilepsy|heart failure|chronic kidney disease|rheumatoid arthritis|gout|"
    "osteoporosis|Crohn's disease|ulcerative colitis|multiple sclerosis|eczema|acne|glaucoma|schizophrenia|bipolar disorder|obesity|"
    "COPD|cystic fibrosis|hepatitis C|tuberculosis|malaria|shingles|pneumonia|cellulitis|endometriosis|infertility|sleep apnea|"
    "restless legs syndrome|Parkinson's disease|Alzheimer's disease|breast cancer|prostate cancer|colorectal cancer|lymphoma|anemia|"
    "hypothyroidism|pancreatitis|gallstones|kidney stones|urinary incontinence|back pain|fibromyalgia|irritable bowel syndrome|celiac disease"
).split("|")
_FACTORS = (
    "age|sex|body mass index|blood pressure|smoking|tumor stage|viral load|kidney function|dose|time to treatment|genotype|physical activity|"
    "alcohol intake|education|income|baseline severity|muscle mass|diet|insulin resistance|disease duration"
).split("|")
# d, b drugs; c a condition; e, f outcomes; m a measure; k a control; g people; x, y factors. Passages - follow - ruled out - left open.
_FORMS: tuple[tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...], tuple[str, ...]], ...] = (
    (("{d} was effective in {c}", "in a randomized trial, {d} improved {c}", "{d} relieved the symptoms of {c} better than {k}"),
     ("{d} is not ineffective in {c}", "{d} worked in {c}"), ("{d} is not effective in {c}", "{d} does not help in {c}", "{d} had no benefit in {c}"),
     ("{d} is not typically used for {c}", "{d} is not the first choice in {c}", "{d} is not widely available", "{d} is rarely prescribed for {c}",
      "{d} does not cure {c}", "{d} is not approved for {c}", "{d} is not usually given for {c} in practice")),
    (("{d} reduced {e} in patients with {c}", "fewer patients with {c} had {e} when they took {d}"),
     ("{d} did not increase {e} in {c}",), ("{d} did not reduce {e} in {c}", "{d} had no effect on {e} in {c}"),
     ("{d} does not prevent every case of {e}", "{d} is not commonly given to prevent {e}", "{d} did not reduce {f} in {c}", "{d} is not without side effects",
      "{d} is not recommended to prevent {e}")),
    (("{d} is rarely used for {c}", "{d} is seldom prescribed in {c}", "few doctors give {d} for {c}"),
     ("{d} is not typically used for {c}", "{d} is not commonly prescribed for {c}"), ("{d} is commonly used for {c}", "{d} is usually given for {c}"),
     ("{d} does not work in {c}", "{d} is not effective in {c}", "{d} is effective in {c}", "{d} is not safe in {c}")),
    (("{d} is the treatment of choice for {c}", "{d} is widely used as first-line treatment of {c}", "most patients with {c} are given {d}"),
     ("{d} is not a rarely used treatment of {c}", "{d} is commonly used in {c}"), ("{d} is not typically used for {c}", "{d} is not used in {c}"),
     ("{d} does not cause {e}", "{d} is not the cheapest treatment of {c}", "{d} does not cure {c}", "{d} is not used for {h}")),
    (("{d} should not be used in {c}", "{d} is not recommended for {c}", "guidelines advise against {d} in {c}"),
     ("{d} is advised against in {c}", "{d} is not a recommended treatment of {c}"), ("{d} is recommended for {c}", "{d} should be used in {c}"),
     ("{d} has not been studied in {c}", "{d} does not lower {m}", "{d} is not recommended for {h}", "{d} is never used in {c}")),
    (("{e} depends on {x}", "{e} varied with {x}", "{x} was a determinant of {e}"),
     ("{e} is not independent of {x}", "{x} is not without influence on {e}"), ("{e} is independent of {x}", "{e} does not depend on {x}", "{x} has no influence on {e}"),
     ("{e} is independent of {y}", "{e} is not independent of {y}", "{x} is not the only determinant of {e}")),
    (("{e} was independent of {x}", "{x} had no influence on {e}", "{e} did not vary with {x}"),
     ("{e} did not depend on {x}", "{x} does not determine {e}"), ("{e} is not independent of {x}", "{e} depends on {x}"),
     ("{e} is not independent of {y}", "{x} does not matter in {c}", "{e} does not depend on {y}")),
    (("no significant difference in {e} was found between {d} and {k}", "{e} did not differ between {d} and {k}", "{d} did not change {e}"),
     ("{d} did not significantly reduce {e}", "{d} did not significantly increase {e}"), ("{d} reduced {e}", "{d} increased {e}", "{e} was not the same with {d} and {k}"),
     ("{d} did not reduce {f}", "{d} is not used against {e}", "{d} is not safe")),
    (("{e} is rare with {d}", "{e} was seen in 1% of patients on {d}", "few patients on {d} had {e}"),
     ("{e} is not common with {d}", "{e} is not frequent in patients on {d}", "{d} can be followed by {e}"), ("{e} never occurs with {d}", "nobody on {d} had {e}", "{e} is common with {d}"),
     ("{e} is not dangerous", "{e} on {d} is not related to {x}", "{d} does not cause {f}")),
    (("it is not uncommon for patients on {d} to have {e}", "{e} is not infrequent with {d}"),
     ("{e} occurs with {d}", "patients on {d} may have {e}"), ("{e} does not occur with {d}", "{e} is never seen with {d}"),
     ("{e} is not serious", "{d} does not help in {c}", "{f} is not uncommon with {d}")),
    (("{d} lowered {m} slightly", "{d} had a small effect on {m}, which fell a little"),
     ("{d} did not lower {m} by much", "{d} did not leave {m} unchanged"), ("{d} did not lower {m}", "{d} had no effect on {m}", "{d} lowered {m} strongly"),
     ("{d} did not bring {m} back to normal", "{d} did not reduce {e}", "{d} did not work in {c}")),
    (("{d} does not cure {c}", "there is no cure for {c}, and {d} does not provide one"),
     ("{c} is not cured by {d}",), ("{d} cures {c}",), ("{d} does not relieve {c}", "{d} relieves {c}", "{d} is not used in {c}", "{d} does not slow {c}")),
    (("{d} cannot be ruled out as a cause of {e}", "it is not certain that {d} does not cause {e}"),
     ("{d} may be a cause of {e}",), ("it is certain that {d} does not cause {e}",), ("{d} does not cause {e}", "{d} causes {e}", "{d} is not the only cause of {e}")),
    (("there is no evidence that {d} causes {e}", "no study has shown that {d} causes {e}"),
     ("{d} has not been shown to cause {e}", "evidence that {d} causes {e} is lacking"), ("it has been shown that {d} causes {e}", "there is evidence that {d} causes {e}"),
     ("{d} does not cause {f}", "{d} prevents {e}", "{d} is not used in {c}")),
    (("{d} does not increase {e}", "{e} was no more common with {d} than with {k}"),
     ("{d} did not raise the risk of {e}",), ("{d} increases {e}", "{d} raises the risk of {e}"), ("{d} reduces {e}", "{d} does not reduce {e}", "{d} does not increase {f}")),
    (("{d} increases {e}", "{d} raised the risk of {e}"),
     ("{d} does not reduce {e}", "{d} is not without effect on {e}"), ("{d} does not increase {e}", "{d} did not affect {e}"), ("{d} does not increase {f}", "{d} is not used in {c}")),
    (("not all patients with {c} have {e}", "some patients with {c} do not have {e}"),
     ("there are patients with {c} without {e}",), ("every patient with {c} has {e}", "all patients with {c} have {e}"), ("no patient with {c} has {e}", "most patients with {c} do not have {e}")),
    (("{d} must not be given to {g}", "{d} is contraindicated in {g}"),
     ("{g} should not take {d}", "{d} is not safe to give to {g}"), ("{d} can be given to {g}", "{d} is not contraindicated in {g}"), ("{d} is not effective in {g}", "{d} does not cause {e} in {g}")),
    (("{d} was not inferior to {b} in {c}", "{d} was no worse than {b} in {c}"),
     ("{d} was at least nearly as good as {b} in {c}",), ("{d} was inferior to {b} in {c}", "{d} was worse than {b} in {c}"),
     ("{d} was superior to {b} in {c}", "{d} was not superior to {b} in {c}", "{b} is not used in {c}")),
    (("{d} was not superior to {b} in {c}", "{d} was no better than {b} in {c}"),
     ("the superiority of {d} over {b} in {c} was not shown",), ("{d} was better than {b} in {c}", "{d} was superior to {b} in {c}"),
     ("{d} was not better than {k} in {c}", "{d} is not used in {c}", "{d} was worse than {b} in {c}")),
    (("{x} was not associated with {e}", "no association was found between {x} and {e}"),
     ("{e} was not associated with {x}",), ("{x} was associated with {e}", "{e} was linked to {x}"), ("{x} was not associated with {f}", "{y} was not associated with {e}")),
    (("{x} was associated with {e}", "{e} was linked to {x}"),
     ("{x} and {e} are not unrelated",), ("{x} was not associated with {e}", "no association was found between {x} and {e}"),
     ("{x} does not cause {e}", "{x} is not the only factor in {e}", "{y} was not associated with {e}")),
)  # fmt: skip
_LEADS = ("", "", "", "", "In this study, ", "Overall, ", "RESULTS: ", "According to the authors, ")


def words(rng: random.Random) -> dict[str, str]:
    """Fillings for the forms, different from one another where they stand for different things."""
    d, b = (invented_drug(rng) if rng.random() < 0.35 else name for name in rng.sample(DRUGS, 2))
    c, h = rng.sample(CONDITIONS, 2)
    e, f = rng.sample(EVENTS, 2)
    x, y = rng.sample(_FACTORS, 2)
    return {
        "d": d, "b": b, "c": c, "h": h, "e": e, "f": f, "x": x, "y": y,
        "m": rng.choice(MEASURES)[0], "k": rng.choice(CONTROLS), "g": rng.choice(rng.choice(PEOPLE)),
    }  # fmt: skip


def negation_pair(rng: random.Random) -> Pair:
    """One pair; the three labels are equally likely."""
    passages, *told = rng.choice(_FORMS)
    label = rng.choice((ENTAILMENT, CONTRADICTION, NEUTRAL))
    hypotheses = told[{ENTAILMENT: 0, CONTRADICTION: 1, NEUTRAL: 2}[label]]
    fillings = words(rng)
    passage, lead = rng.choice(passages).format(**fillings), rng.choice(_LEADS)
    premise = (lead + passage if lead and not lead.endswith(": ") else lead + upper(passage)) + "."
    return Pair(premise, upper(rng.choice(hypotheses).format(**fillings)) + ".", label)


def negation_pairs(n: int, *, seed: int) -> list[Pair]:
    """*n* different pairs; the same *seed* gives the same."""
    rng = random.Random(f"negations:{seed}")
    return distinct_pairs(n, lambda: negation_pair(rng))
