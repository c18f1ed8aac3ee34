"""Made pairs of a trial record and a statement: what a statement says is read back from the printed record."""

from __future__ import annotations

import math
import random
import re
from collections import Counter
from itertools import pairwise

import pytest

_NUMBERS = "zero one two three four five six seven eight nine ten eleven twelve".split()


@pytest.fixture(scope="module")
def trials(nli_script):
    return nli_script("trials")


def _number(word: str) -> int:
    word = word.lower()
    return _NUMBERS.index(word) if word in _NUMBERS else int(word)


def _made(trials, section: str, form: str, n: int = 400):
    """Statements of one form: the printed record, the statement and whether it is meant to be true."""
    module = next(m for m in trials.SECTIONS if m.__name__.endswith(section))
    ask = getattr(module, form)
    rng = random.Random(f"{section}.{form}")
    made = []
    while len(made) < n:
        record, truth = module.draw(rng), rng.random() < 0.5
        said = ask(record, truth, rng)
        if said is not None:
            made.append((record.text(), said, truth))
    return made


def _events(printed: str) -> list[dict[str, tuple[int, int]]]:
    """The lists of a section with one trial: event, with its count and the arm's size; none where there are two."""
    if printed.count("Adverse Events 1") > 1:
        return []
    return [
        {
            re.sub(r"( \*| \[1\])$", "", name.strip()).lower(): (int(n), int(size))
            for name, n, size in re.findall(r"([A-Z][A-Za-z ]+?(?: \*| \[1\])?) (\d+)/(\d+) \(", part)
        }
        for part in re.split(r"Adverse Events \d: Total: \d+/\d+ \(\d+\.\d\d%\) ", printed)[1:]
    ]


def test_the_number_of_patients_with_an_event_is_the_printed_one_just_in_true_statements(trials):
    read = 0
    for printed, said, truth in _made(trials, "adverse", "count", 800):
        lists = _events(printed)
        found = re.match(r"(\w+) (?:patients?|participants?) in .* had (.+)\.$", said)
        if len(lists) != 1 or found is None or found[2] not in lists[0] or found[1] in ("No", "None"):
            continue
        assert (lists[0][found[2]][0] == _number(found[1])) == truth, (printed, said)
        read += 1
    assert read > 30


def test_an_event_occurred_where_the_list_counts_it_and_not_where_it_names_it_not(trials, nli_script):
    words = nli_script("trials.words")
    read = 0
    for printed, said, truth in _made(trials, "adverse", "occurred", 800):
        lists = _events(printed)
        found = re.match(r"([A-Z][a-z ]+) was (not )?(?:observed|recorded|seen|reported) in ", said)
        # A plain word for a listed event is not in the list; the registry's own words are.
        if len(lists) != 1 or found is None or found[1] not in words.EVENTS:
            continue
        seen = lists[0].get(found[1].lower(), (0, 1))[0] > 0
        assert (seen == (found[2] is None)) == truth, (printed, said)
        read += 1
    assert read > 30


def test_the_arm_with_more_cases_is_said_to_have_more_just_in_true_statements(trials):
    read = 0
    for printed, said, truth in _made(trials, "adverse", "compared", 800):
        lists = _events(printed)
        found = re.match(
            r"There were (more|fewer) cases of (.+) in \w+ (\d)(?: of .*)? than in \w+ (\d)(?: of .*)?\.$", said
        )
        if len(lists) != 2 or found is None or found[2] not in lists[0]:
            continue
        a, b = (lists[int(found[i]) - 1][found[2]][0] for i in (3, 4))
        assert ((a > b) == (found[1] == "more") and a != b) == truth, (printed, said)
        read += 1
    assert read > 30


def test_an_age_lets_a_patient_in_just_where_it_lies_within_the_printed_limits(trials):
    read = 0
    for printed, said, truth in _made(trials, "eligibility", "age", 800):
        years = re.search(r"(\d+)-year-old patients|aged (\d+)|are (\d+) years old", said)
        limits = re.search(r"(?:Age |Between )?(\d\d)(?: to |-| and )(\d\d)(?= |\.|;|$)(?! weeks)", printed)
        least = re.search(r"Age (?:≥ )?(\d+) or older|At least (\d+) years of age|(\d+) and over|Age ≥ (\d+)", printed)
        if "Second trial" in printed or "Trial 2" in printed or "Study B" in printed or "Secondary" in printed:
            continue
        if years is None or (limits is None) == (least is None):
            continue
        age = int(next(filter(None, years.groups())))
        low = int(next(filter(None, (limits or least).groups())))
        high = int(limits[2]) if limits else math.inf
        refused = re.search(r"cannot|may not|not allowed|not eligible|ineligible|does not|excluded", said)
        able = refused is None or "not excluded" in said
        if "does not" not in said and re.search(r" excludes ", said):
            able = False
        assert ((low <= age <= high) == able) == truth, (printed, said)
        read += 1
    assert read > 150


def test_a_dose_is_the_printed_one_just_in_true_statements(trials):
    read = 0
    for printed, said, truth in _made(trials, "interventions", "dose"):
        found = re.match(r"The dose of (.+) in (.+) is ([\d.]+) (mg\S*)\.$", said)
        if found is None:
            continue
        doses = re.findall(
            rf"{found[1]}(?:: | | was given [a-zA-Z]+ at )([\d.]+) (mg\S*?)(?=[ ,.])", printed, re.IGNORECASE
        )
        if len(doses) != 1:
            continue
        assert (float(doses[0][0]) == float(found[3])) == truth, (printed, said)
        read += 1
    assert read > 50


_UNITS = (
    "percentage of participants|months|days|percent|mm Hg|mg/dL|meters|millimeters|kilograms|steps|units on a scale|"
    "g/cm2|hot flashes"
)
_ARM = r"(?:the )?(.+?)(?: arm| group)?(?: of .+)?"


def test_the_arm_with_the_higher_value_is_said_to_have_it_just_in_true_statements(trials):
    read = 0
    for printed, said, truth in _made(trials, "results", "compared", 800):
        values = re.findall(rf"Title: (.+?) Overall Number .*? Unit of Measure: (?:{_UNITS}) ([\d.]+)", printed)
        arms = {title.lower(): float(value) for title, value in values}
        found = re.search(rf"was (higher|lower|longer|shorter) in {_ARM} than in {_ARM}\.$", said)
        if found is None or printed.count("Outcome Measurement") > 1 or not {found[2], found[3]} <= set(arms):
            continue
        above = arms[found[2]] > arms[found[3]]
        assert (above == (found[1] in ("higher", "longer"))) == truth, (printed, said)
        read += 1
    assert read > 50


def test_the_words_of_a_statement_alone_do_not_tell_its_label(trials):
    """A naive Bayes over words and pairs of words, fitted on statements, is near chance on others."""
    pairs = [pair for pair in trials.trial_pairs(12000, seed=5) if pair.label != 1]

    def words(text: str) -> set[str]:
        own = re.findall(r"\w+|%", text.lower())
        return {*own, *map(" ".join, pairwise(own))}

    fitted, held = pairs[:8000], pairs[8000:]
    counts = {0: Counter(), 2: Counter()}
    for pair in fitted:
        counts[pair.label].update(words(pair.hypothesis))
    right = 0
    for pair in held:
        odds = sum(math.log((counts[0][w] + 1) / (counts[2][w] + 1)) for w in words(pair.hypothesis))
        right += (odds > 0) == (pair.label == 0)
    assert right / len(held) < 0.6


def test_the_same_pairs_come_of_the_same_seed_and_each_pair_once(trials):
    pairs = trials.trial_pairs(300, seed=3)
    assert pairs == trials.trial_pairs(300, seed=3)
    assert pairs != trials.trial_pairs(300, seed=4)
    assert len({(pair.premise, pair.hypothesis) for pair in pairs}) == 300
    shares = Counter(pair.label for pair in pairs)
    assert min(shares[0], shares[2]) > 100
    assert 10 < shares[1] < 60
