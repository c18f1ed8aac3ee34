"""Training pairs in which numbers decide: what a sentence gives in numbers is what its claim is judged by."""

from __future__ import annotations

import random
import re
from collections import Counter

import pytest


@pytest.fixture(scope="module")
def comparisons(nli_script):
    return nli_script("comparisons")


def _shares(sentence: str) -> list[float]:
    """The two shares that a sentence gives, in its order."""
    counts = re.search(r": (\d+) of (\d+) .* and (\d+) of (\d+) ", sentence)
    if counts:
        a, n, b, m = map(int, counts.groups())
        return [a / n, b / m]
    rates = re.search(r" affected ([\d.]+) per 1,000 .* and ([\d.]+) per 1,000 ", sentence)
    if rates:
        return [float(rate) for rate in rates.groups()]
    return [
        float(x)
        for x in re.findall(r"\d+(?:\.\d+)?(?=%)", sentence) or re.findall(r" (\d+\.?\d*) (?=in |with )", sentence)
    ]


def _short(name: str) -> str:
    """As a group may be called in a sentence that speaks of patients already."""
    return name.lower().removeprefix("patients in ")


def test_the_group_that_has_more_is_given_the_larger_number(comparisons):
    rng = random.Random(1)
    read = 0
    for _ in range(3000):
        arm, more = comparisons.arms(rng), rng.choice((-1, 1))
        if arm.first in arm.second or arm.second in arm.first:
            continue
        sentence = comparisons.event_result("nausea", arm, more, "", rng)
        first, second = _shares(sentence)
        first_at, second_at = (sentence.lower().index(_short(name)) for name in (arm.first, arm.second))
        first_named_first = first_at < second_at
        assert ((first > second) == first_named_first) == (more > 0), sentence
        read += 1
    assert read > 2500


def test_an_interval_leaves_one_out_just_where_the_effect_is_significant(comparisons):
    rng = random.Random(2)
    for _ in range(2000):
        more, significant = rng.choice((-1, 1)), rng.random() < 0.5
        arm = comparisons.Arms("zinc", "placebo", treated=True)
        sentence = comparisons.ratio_result("falls", arm, more, significant, rng)
        value = float(re.search(r"(?:was|HR|OR|RR) (\d\.\d\d)", sentence).group(1))
        low, high = map(float, re.search(r"95% CI[,:]? (\d\.\d\d)(?: to |-|–)(\d\.\d\d)", sentence).groups())
        assert low <= value <= high, sentence
        assert (value > 1) == (more > 0), sentence
        assert (low > 1 or high < 1) == significant, sentence


def test_the_same_pairs_come_of_the_same_seed_and_others_of_another(comparisons):
    assert comparisons.comparison_pairs(50, seed=3) == comparisons.comparison_pairs(50, seed=3)
    assert comparisons.comparison_pairs(50, seed=3) != comparisons.comparison_pairs(50, seed=4)


def test_a_share_is_entailed_just_where_the_words_hold(comparisons):
    rng = random.Random(5)
    bounds = {
        "Most": (50, 100),
        "A minority": (-1, 50),
        "More than half": (50, 100),
        "Under 5%": (-1, 5),
        "Over 80%": (80, 100),
    }
    seen = Counter()
    for _ in range(4000):
        premise, claim, label = comparisons.share_pair("nausea", rng)
        value = float(re.search(r"(\d+(?:\.\d+)?)%", premise).group(1))
        for wording, (low, high) in bounds.items():
            if claim.startswith(f"{wording} "):
                assert (low < value <= high) == (label == comparisons.ENTAILMENT), (premise, claim)
                seen[wording] += 1
    assert set(seen) == set(bounds)


def test_neither_the_words_of_a_claim_nor_those_of_its_premise_tell_the_label(comparisons):
    pairs = [p for p in comparisons.comparison_pairs(6000, seed=6) if p.label != comparisons.NEUTRAL]
    for side in ("premise", "hypothesis"):
        seen: dict[str, Counter[int]] = {}
        for pair in pairs:
            for word in set(re.findall(r"[a-z]{3,}", getattr(pair, side).lower())):
                seen.setdefault(word, Counter())[pair.label] += 1
        frequent = {word: n for word, n in seen.items() if n.total() >= 400}
        assert len(frequent) > 10
        for word, n in frequent.items():
            assert abs(n[comparisons.ENTAILMENT] / n.total() - 0.5) < 0.1, (side, word, n)


def test_of_three_treatments_the_claim_is_judged_by_the_shares_of_the_two_it_names(comparisons):
    rng = random.Random(8)
    read = 0
    for _ in range(600):
        premise, claim, label = comparisons.three_arms_pair("nausea", rng)
        shares = [float(x) for x in re.findall(r"\d+\.\d(?=%)", premise)]
        every = [name.lower() for name in (*comparisons.DRUGS, *comparisons.words.CONTROLS)]
        names = sorted((n for n in every if re.search(rf"\b{n}\b", premise.lower())), key=premise.lower().index)
        named = [name for name in names if name in claim.lower()]
        if len(names) != 3 or len(named) != 2:  # invented names, or a claim that leaves the control out
            continue
        of = dict(zip(names, shares, strict=True))
        more = _who_has_more(claim, *named)
        assert (of[more] == max(of[n] for n in named)) == (label == comparisons.ENTAILMENT), (premise, claim)
        read += 1
    assert read > 100


_UP = re.compile(
    r"^(?:more|a larger|a higher)\b|"
    r"\b(?:more common|more frequent|higher|greater|longer|increased|raised|more likely)\b|"
    r"\b(?:caus|le[ad]+)\w* (?:to )?more\b",
    re.IGNORECASE,
)
_DOWN = re.compile(
    r"^(?:fewer|a smaller|a lower)\b|\b(?:less|rarer|lower|smaller|shorter|reduced|lowered|decreased|fewer)\b", re.I
)


def _who_has_more(claim: str, first: str, second: str) -> str:
    """Read off by other means than the claim was made: the group that stands before "than" is the one spoken of."""
    text = claim.lower()
    prevents = re.match(
        r"(.+?) (?:was more effective|is more effective|worked better|is better) than (.+?) at preventing", text
    )
    if prevents:
        return prevents[2]
    up, down = bool(_UP.search(claim)), bool(_DOWN.search(claim))
    assert up != down, claim
    compared = re.match(r"compared with (.+?), (.+?) (?:raised|increased|lowered|reduced)", text)
    if compared:
        subject, other = compared[2], compared[1]
    elif " than " in text or " compared with " in text:
        before, after = re.split(r" than | compared with ", text, maxsplit=1)
        subject = first if first in before else second
        other = second if subject == first else first
        assert other in after, claim
    else:
        subject = first if first in text else second
        other = second if subject == first else first
    return subject if up else other


def test_a_claim_in_words_says_of_the_right_group_that_it_has_more(comparisons):
    rng = random.Random(7)
    for _ in range(4000):
        arm, more = comparisons.arms(rng), rng.choice((-1, 1))
        if arm.first in arm.second or arm.second in arm.first:
            continue
        # The level of vitamin D is none that somebody was given.
        measure = rng.choice([m for m in comparisons.MEASURES if arm.first not in m[0] and arm.second not in m[0]])
        for claim in (
            comparisons.event_claim("nausea", arm, more, rng),
            comparisons.measure_claim(measure, arm, more, rng),
        ):
            said = _who_has_more(claim, _short(arm.first), _short(arm.second))
            assert _short(said) == _short(arm.first if more > 0 else arm.second), claim


@pytest.mark.parametrize("treated", [True, False])
def test_a_claim_of_one_group_names_that_group_alone_and_points_the_right_way(comparisons, treated):
    rng = random.Random(11)
    arm = comparisons.Arms("zinc", "placebo", True) if treated else comparisons.Arms("smokers", "vegetarians", False)
    up, named = re.compile(r"\b(?:more|higher|greater|larger|longer|increased)\b", re.IGNORECASE), set()
    for _ in range(1000):
        more = rng.choice((-1, 1))
        claim = (
            comparisons.event_claim("nausea", arm, more, rng, alone=1.0)
            if rng.random() < 0.5
            else comparisons.measure_claim(("length of stay", "days", 2.1, 14.5), arm, more, rng, alone=1.0)
        )
        one, other = (name in claim.lower() for name in (arm.first, arm.second))
        assert one != other, claim
        assert (up.search(claim) is not None) == ((more > 0) == one), claim
        named.add((one, more))
    assert len(named) == 4
