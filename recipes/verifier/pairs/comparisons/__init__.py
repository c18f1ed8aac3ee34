"""Pairs whose label depends on which of two groups has more, in words or by numbers, a P value, an interval or a share.

Who has more is told by order alone: "higher with A than with B". Pairs in which a turned word of change always turns the
meaning teach the opposite, that the word decides. And abstracts give results as two numbers and a P value, answers as
words: "less common", "no significant difference", "most patients"; where a sentence says both, a model can go by the
words, here the numbers alone decide. Trials are invented, from the word lists and sentence forms of these modules; which way a
hypothesis points, and whether the premise bears it out, is drawn evenly and apart from its wording. A second sentence about another outcome, with
numbers of its own, makes it read the right ones.
"""

from __future__ import annotations

import random

from recipes.verifier.public import CONTRADICTION, ENTAILMENT, NEUTRAL, Pair, distinct_pairs
from recipes.verifier.pairs.phrases import upper

from .changes import change_pair, larger_change_pair, share_pair, three_arms_pair
from .claims import event_claim, measure_claim, significance_claim
from .results import event_result, measure_result, p_value, ratio_result
from .words import DRUGS, EVENTS, MEASURES, Arms, arms, other_name

# Share of the pairs that compare in words.
WORDED = 0.7
# Share of the claims that name one of the two groups, where they could name both.
ALONE = 0.35


def worded_pair(rng: random.Random) -> Pair:
    """A comparison in words, and another of the same groups, the same or turned round, or of another outcome or group.

    Which of two groups has more is told by order alone, "higher with A than with B"; what the numbers of a sentence say
    is of no use to a model that cannot read that.
    """
    arm = arms(rng)
    more, said = rng.choice((-1, 1)), rng.choice((-1, 1))
    if rng.random() < 0.65:
        one, other, third = rng.sample(EVENTS, 3)
        tell = event_claim
    else:
        one, tell = rng.choice(MEASURES), measure_claim
        other, third = rng.sample(EVENTS, 2)
    premise = tell(one, arm, more, rng)
    claim = tell(other_name(one, rng) if isinstance(one, str) else one, arm, said, rng, alone=ALONE)
    label = ENTAILMENT if more == said else CONTRADICTION
    if rng.random() < 0.15:
        label = NEUTRAL
        if arm.treated and rng.random() < 0.5:
            known = (arm.first, arm.second)
            foreign = rng.choice([drug for drug in DRUGS if drug not in known])
            # Of a claim that names one group, that one has to be the foreign one.
            one_group = rng.random() < ALONE
            groups = Arms(foreign if one_group else arm.first, foreign, treated=True)
            claim = tell(one, groups, said, rng, alone=float(one_group))
        else:
            claim = event_claim(other_name(third, rng), arm, said, rng, alone=ALONE)
    if rng.random() < 0.3:
        second = event_claim(other, arm, rng.choice((-1, 1)), rng)
        premise = rng.choice((f"{premise} {second}", f"{second} {premise}"))
    return Pair(premise, claim, label)


def numbered_pair(rng: random.Random) -> Pair:
    """A result in numbers, and what a reader would say of it."""
    arm = arms(rng)
    event, other, third = rng.sample(EVENTS, 3)
    draw = rng.random()
    more, said = rng.choice((-1, 1)), rng.choice((-1, 1))
    label = ENTAILMENT if more == said else CONTRADICTION
    if draw < 0.08:
        premise, claim, label = three_arms_pair(event, rng)
        unrelated = event_claim(other_name(third, rng), arm, said, rng)
    elif draw < 0.4:
        premise = event_result(event, arm, more, p_value(rng.choice((None, None, True)), rng), rng)
        claim = event_claim(other_name(event, rng), arm, said, rng, alone=ALONE)
        unrelated = event_claim(other_name(third, rng), arm, said, rng, alone=ALONE)
    elif draw < 0.6:
        measure, elsewhere = rng.sample(MEASURES, 2)
        premise = measure_result(measure, arm, more, p_value(rng.choice((None, None, True)), rng), rng)
        claim, unrelated = (measure_claim(name, arm, said, rng, alone=ALONE) for name in (measure, elsewhere))
    elif draw < 0.76:
        measure, elsewhere = rng.sample(MEASURES, 2)
        premise, claim, label = (
            larger_change_pair(measure, arm, rng)
            if rng.random() < 0.5
            else change_pair(measure, arm.first if arm.treated else rng.choice(DRUGS), rng)
        )
        unrelated = claim.replace(measure[0], elsewhere[0]).replace(upper(measure[0]), upper(elsewhere[0]))
    elif draw < 0.9:
        significant, claimed = rng.random() < 0.5, rng.random() < 0.5
        by_ratio = arm.treated and rng.random() < 0.5
        premise = (
            ratio_result(event, arm, more, significant, rng)
            if by_ratio
            else event_result(event, arm, more, p_value(significant, rng), rng)
        )
        # A significant difference is claimed the right way round: the significance is the question.
        claim = significance_claim(other_name(event, rng), arm, claimed, more, rng)
        unrelated = significance_claim(other_name(third, rng), arm, claimed, more, rng)
        label = ENTAILMENT if significant == claimed else CONTRADICTION
    else:
        premise, claim, label = share_pair(event, rng)
        unrelated = claim.replace(event, third)
    if rng.random() < 0.4:
        second = event_result(other, arm, rng.choice((-1, 1)), p_value(rng.choice((None, True, False)), rng), rng)
        premise = rng.choice((f"{premise} {second}", f"{second} {premise}"))
    if rng.random() < 0.2:
        return Pair(premise, unrelated, NEUTRAL)
    return Pair(premise, claim, label)


def comparison_pairs(n: int, *, seed: int, worded: float = WORDED) -> list[Pair]:
    """*n* pairs, each once: four in ten entailed, four contradicted, two about another outcome or group.

    A share of *worded* compares in words, the others have numbers.
    """
    rng = random.Random(f"comparisons:{seed}")
    return distinct_pairs(n, lambda: (worded_pair if rng.random() < worded else numbered_pair)(rng))
